//! The values of a parameter as a table, where entries can be chosen and set.

use std::collections::BTreeSet;

use eframe::egui::{Align, Checkbox, DragValue, Layout, RichText, TextStyle, Ui};
use egui_extras::{Column, TableBuilder};

use super::columns::{fitting, width_of};
use crate::{text, theme, widgets};
use doc::intervention::Set;
use results::network::{Entry, ParameterValues};
use results::number::{Format, fixed, readable};

const ROW: f32 = 22.0;
/// Rows of a page: positions of more rows would exceed the precision of the screen's coordinates.
const PAGE: usize = 100_000;

/// The state of the table between frames.
#[derive(Default)]
pub struct Values {
    chosen: BTreeSet<usize>,
    /// First row of the page.
    first: usize,
    /// The value for the chosen entries.
    value: f64,
    /// A row to show next.
    target: Option<usize>,
    wanted: usize,
    is_setting: bool,
}

impl Values {
    /// Draws the table; returns a stage that sets the chosen entries, if it is to be added to the plan of `arm`.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        name: &str,
        (values, widest): (&ParameterValues, Widest),
        arm: &str,
    ) -> Option<Set> {
        self.search_ui(ui, values.values.len());
        let set = self.set_ui(ui, name, arm);
        self.table_ui(ui, values, widest);
        set
    }

    fn search_ui(&mut self, ui: &mut Ui, count: usize) {
        ui.horizontal_wrapped(|ui| {
            let last = count.saturating_sub(1);
            let label = ui.label("Go to entry:");
            let field = DragValue::new(&mut self.wanted).range(0..=last);
            let field = widgets::input_ui(ui, field).labelled_by(label.id);
            if field.changed() {
                self.target = Some(self.wanted.min(last));
                self.first = self.wanted.min(last) / PAGE * PAGE;
            }
            ui.small(format!("of {}", text::grouped(count as u64)));
        });
    }

    fn set_ui(&mut self, ui: &mut Ui, name: &str, arm: &str) -> Option<Set> {
        let count = self.chosen.len();
        let mut set = None;
        ui.horizontal_wrapped(|ui| {
            let button = ui.add_enabled(count > 0, widgets::button(None, "Set…").selected(self.is_setting));
            let button = button.on_disabled_hover_text("Select entries in the table first");
            if button.on_hover_text("Adds a stage that sets the chosen entries to a value").clicked() {
                self.is_setting ^= true;
            }
            ui.small(if count == 1 {
                "1 entry chosen".to_owned()
            } else {
                format!("{} entries chosen", text::grouped(count as u64))
            });
            if count > 0 && ui.add(widgets::ghost(None, "Clear selection")).clicked() {
                self.chosen.clear();
            }
        });
        if self.is_setting && count > 0 {
            ui.horizontal_wrapped(|ui| {
                let label = ui.label("to");
                widgets::input_ui(ui, DragValue::new(&mut self.value).speed(0.01)).labelled_by(label.id);
                let add = ui.add(widgets::button(None, "Add to plan"));
                let hint = format!("Adds a Set stage to the end of the plan of {arm}");
                if add.on_hover_text(hint).clicked() {
                    let indices = self.chosen.iter().copied().collect();
                    set = Some(Set { parameter: name.to_owned(), indices, value: self.value });
                    self.is_setting = false;
                }
            });
        }
        set
    }

    fn table_ui(&mut self, ui: &mut Ui, values: &ParameterValues, widest: Widest) {
        let count = values.values.len().saturating_sub(self.first).min(PAGE);
        if values.values.len() > PAGE {
            let last = self.first + count;
            ui.small(format!(
                "Entries {} to {}; use Go to entry for others",
                self.first,
                last.saturating_sub(1)
            ));
        }
        let room =
            Room::of(ui, (values, widest), ui.available_width() - ui.spacing().scroll.allocated_width());
        let mut table = TableBuilder::new(ui)
            .id_salt("values")
            .striped(true)
            .cell_layout(Layout::left_to_right(Align::Center))
            .auto_shrink([false, false]);
        for (width, _) in room.widths.iter().zip(room.shown).filter(|(_, is_shown)| *is_shown) {
            table = table.column(Column::exact(*width));
        }
        if let Some(target) = self.target.take() {
            table = table.scroll_to_row(target - self.first, Some(Align::Center));
        }
        let first = self.first;
        let table = table.header(ROW, |mut row| {
            for (name, _) in COLUMNS.into_iter().zip(room.shown).filter(|(_, is_shown)| *is_shown) {
                row.col(|ui| {
                    if name != VALUE {
                        return drop(theme::heading_ui(ui, name));
                    }
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        ui.add_space(theme::STEP); // as beside the numbers
                        theme::heading_ui(ui, name);
                    });
                });
            }
        });
        table.body(|body| {
            body.rows(ROW, count, |mut row| {
                let entry = first + row.index();
                let mut is_chosen = self.chosen.contains(&entry);
                row.col(|ui| {
                    ui.spacing_mut().interact_size.y = ROW; // a higher one would be off the middle of the row
                    let checkbox =
                        Checkbox::new(&mut is_chosen, RichText::new(text::grouped(entry as u64)).small());
                    let checkbox = widgets::input_ui(ui, checkbox);
                    if checkbox.changed() {
                        if is_chosen {
                            self.chosen.insert(entry)
                        } else {
                            self.chosen.remove(&entry)
                        };
                    }
                });
                if room.shown[1] {
                    row.col(|ui| drop(ui.small(place_of(entry, &values.shape))));
                }
                row.col(|ui| {
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        ui.add_space(theme::STEP);
                        ui.monospace(value_text(values.values[entry], room.decimals))
                            .on_hover_text(format!("{:?}", values.values[entry]));
                    });
                });
                if room.shown[3] {
                    row.col(|ui| drop(ui.label(RichText::new(state_of(values.entries[entry])).small())));
                }
            });
        });
    }
}

/// The columns of the table.
const COLUMNS: [&str; 4] = ["Entry", "Position", VALUE, "State"];
/// The heading of the column of numbers.
const VALUE: &str = "Value";
/// Columns that go where the table is narrow, first ones first.
const EXPENDABLE: [usize; 2] = [3, 1];
/// Decimals of the values, from most to fewest.
const DECIMALS: [usize; 3] = [6, 4, 3];

/// How much is drawn of the table in some space.
struct Room {
    widths: [f32; COLUMNS.len()],
    shown: [bool; COLUMNS.len()],
    decimals: usize,
}

impl Room {
    /// Decimals go first, then whole columns: a value is never cut.
    fn of(ui: &Ui, (values, of_values): (&ParameterValues, Widest), space: f32) -> Self {
        let (small, mono) = (TextStyle::Small.resolve(ui.style()), TextStyle::Monospace.resolve(ui.style()));
        let last = values.values.len().saturating_sub(1);
        let tick = ui.spacing().icon_width + ui.spacing().icon_spacing;
        let states = [Entry::Pruned, Entry::Frozen, Entry::Free].map(state_of);
        let widest = |texts: &[&str]| texts.iter().map(|text| width_of(ui, text, &small)).fold(0.0, f32::max);
        let of = |decimals: usize| {
            let value = value_text(of_values.value, decimals);
            let value = width_of(ui, &value, &mono).max(of_values.letters as f32 * width_of(ui, "0", &mono));
            let widths = [
                tick + width_of(ui, &text::grouped(last as u64), &small),
                width_of(ui, &place_of(last, &values.shape), &small),
                value + theme::STEP,
                widest(&states),
            ];
            let heads = COLUMNS.map(|name| width_of(ui, name, &small) + theme::STEP);
            let widths = std::array::from_fn(|at| widths[at].max(heads[at]) + theme::STEP);
            let shown = fitting(widths, ui.spacing().item_spacing.x, space, &EXPENDABLE);
            Self { widths, shown, decimals }
        };
        let rooms = DECIMALS.map(of);
        let all = |room: &Self| room.shown == [true; COLUMNS.len()];
        let place = rooms.iter().position(all).unwrap_or(DECIMALS.len() - 1);
        rooms.into_iter().nth(place).expect("a place in the list")
    }
}

/// What decides the width of the column of values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Widest {
    /// A value with the most digits before its point.
    value: f32,
    /// Letters of the longest text among values that are no plain numbers.
    letters: usize,
}

impl Widest {
    /// Of all values of a parameter.
    pub fn of(values: &[f32]) -> Self {
        let is_plain = |value: &&f32| value.is_finite() && value.abs() < PLAIN;
        let largest =
            |sign: f32| sign * values.iter().filter(is_plain).map(|value| sign * value).fold(0.0, f32::max);
        let [low, high] = [largest(-1.0), largest(1.0)];
        let others =
            values.iter().filter(|value| !is_plain(value)).map(|value| value_text(*value, 0).chars().count());
        // The sign takes about as much room as a digit.
        let value = if -low * 10.0 >= high { low } else { high };
        Self { value, letters: others.max().unwrap_or_default() }
    }
}

/// Larger values are written with a power of ten.
const PLAIN: f32 = 1e5;

/// A value with so many decimals, or with a power of ten, or what it is instead of a number.
fn value_text(value: f32, decimals: usize) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "\u{2212}∞" }.to_owned();
    }
    if value.abs() < PLAIN { fixed(value.into(), decimals) } else { readable(value.into(), Format::Number) }
}

/// The position of an entry in its parameter: `[3, 17]`.
pub fn place_of(mut entry: usize, shape: &[usize]) -> String {
    let mut place = Vec::new();
    for side in shape.iter().rev() {
        place.push((entry % side.max(&1)).to_string());
        entry /= side.max(&1);
    }
    place.reverse();
    format!("[{}]", place.join(", "))
}

/// The state of an entry in a word.
pub const fn state_of(entry: Entry) -> &'static str {
    match entry {
        Entry::Pruned => "pruned",
        Entry::Frozen => "frozen",
        Entry::Free => "trained",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_an_entry_counts_rows_and_columns_from_zero() {
        assert_eq!(place_of(5, &[2, 3]), "[1, 2]");
        assert_eq!(place_of(17, &[2, 1, 3, 3]), "[1, 0, 2, 2]");
        assert_eq!(place_of(4, &[9]), "[4]");
    }
}
