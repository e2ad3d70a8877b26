//! The values of a parameter as a table, where entries can be chosen and set.

use std::collections::BTreeSet;

use eframe::egui::{Checkbox, DragValue, RichText, TextStyle, Ui};

use crate::table::{Column, Table, width_of};
use crate::theme::CONTROL;
use crate::{text, widgets};
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
        let add = ui.horizontal_wrapped(|ui| {
            ui.set_min_height(CONTROL); // the table stays under the pointer
            if count == 0 {
                ui.weak("Tick entries to set them");
                return None;
            }
            let entries = if count == 1 { "entry" } else { "entries" };
            let label = ui.label(format!("Set {} {entries} to", text::grouped(count as u64)));
            widgets::input_ui(ui, DragValue::new(&mut self.value).speed(0.01)).labelled_by(label.id);
            let hint = format!("Adds a Set stage to the end of the plan of {arm}");
            let add = ui.add(widgets::button(None, "Add to plan")).on_hover_text(hint).clicked();
            let indices = add.then(|| self.chosen.iter().copied().collect());
            if ui.add(widgets::ghost(None, "Clear selection")).clicked() {
                self.chosen.clear();
            }
            indices
        });
        let (parameter, value) = (name.to_owned(), self.value);
        add.inner.map(|indices| Set { parameter, indices, value })
    }

    fn table_ui(&mut self, ui: &mut Ui, values: &ParameterValues, widest: Widest) {
        let count = values.values.len().saturating_sub(self.first).min(PAGE);
        if values.values.len() > PAGE {
            let last = (self.first + count).saturating_sub(1);
            ui.small(format!("Entries {} to {last}; use Go to entry for others", self.first));
        }
        let (columns, decimals) = columns(ui, values, widest);
        let first = self.first;
        let text = |row: usize, column: usize| {
            let entry = first + row;
            match column {
                0 => text::grouped(entry as u64),
                1 => place_of(entry, &values.shape),
                2 => decimal_text(values.values[entry], decimals),
                _ => state_of(values.entries[entry]).to_owned(),
            }
        };
        let table = Table {
            id: "values",
            columns: &columns,
            rows: count,
            row_height: ROW,
            target: self.target.take().map(|target| target - first),
            text: Some(&text),
            is_striped: true,
            ..Table::default()
        };
        table.show(ui, &mut |ui, row, column| {
            let Some(column) = column else { return };
            let (entry, text) = (first + row, text(row, column));
            match column {
                0 => {
                    ui.spacing_mut().interact_size.y = ROW; // a higher one would be off the middle of the row
                    let mut is_chosen = self.chosen.contains(&entry);
                    let checkbox = Checkbox::new(&mut is_chosen, RichText::new(text).small());
                    if !widgets::input_ui(ui, checkbox).changed() {
                    } else if is_chosen {
                        self.chosen.insert(entry);
                    } else {
                        self.chosen.remove(&entry);
                    }
                }
                2 => drop(ui.monospace(text).on_hover_text(format!("{:?}", values.values[entry]))),
                _ => drop(ui.small(text)),
            }
        });
    }
}

/// Decimals of the values, from most to fewest.
const DECIMALS: [usize; 3] = [6, 4, 3];

/// Returns the columns with the decimals of the values: decimals go first where the table is narrow, then whole columns.
fn columns(ui: &Ui, values: &ParameterValues, widest: Widest) -> ([Column<'static>; 4], usize) {
    let (small, mono) = (TextStyle::Small.resolve(ui.style()), TextStyle::Monospace.resolve(ui.style()));
    let small = |text: &str| width_of(ui, text, &small);
    let last = values.values.len().saturating_sub(1);
    let tick = ui.spacing().icon_width + ui.spacing().icon_spacing;
    let states = [Entry::Pruned, Entry::Frozen, Entry::Free].map(|state| small(state_of(state)));
    let of = |decimals: usize| {
        let value = width_of(ui, &decimal_text(widest.value, decimals), &mono);
        let value = value.max(widest.letters as f32 * width_of(ui, "0", &mono));
        let columns = [
            Column::text("Entry", "").fits(ui, tick + small(&text::grouped(last as u64))),
            Column::text("Position", "").fits(ui, small(&place_of(last, &values.shape))).leaves(1),
            Column::number("Value", "").fits(ui, value),
            Column::text("State", "").fits(ui, states.into_iter().fold(0.0, f32::max)).leaves(0),
        ];
        (columns, decimals)
    };
    let fits = |(columns, _): &([Column<'_>; 4], usize)| {
        columns.iter().map(|column| column.width).sum::<f32>() <= ui.available_width()
    };
    let [most, fewer, fewest] = DECIMALS.map(of);
    [most, fewer].into_iter().find(fits).unwrap_or(fewest)
}

/// The widest values of a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Widest {
    /// A value with the most digits before its point.
    value: f32,
    /// Letters of the longest text among values that are no plain numbers.
    letters: usize,
}

impl Widest {
    /// Finds them among all values of a parameter.
    pub fn new(values: &[f32]) -> Self {
        let is_plain = |value: &&f32| value.is_finite() && value.abs() < PLAIN;
        let largest =
            |sign: f32| sign * values.iter().filter(is_plain).map(|value| sign * value).fold(0.0, f32::max);
        let [low, high] = [largest(-1.0), largest(1.0)];
        let others = values
            .iter()
            .filter(|value| !is_plain(value))
            .map(|value| decimal_text(*value, 0).chars().count());
        // The sign takes about as much room as a digit.
        let value = if -low * 10.0 >= high { low } else { high };
        Self { value, letters: others.max().unwrap_or_default() }
    }
}

/// Larger values are written with a power of ten.
const PLAIN: f32 = 1e5;

/// Returns a value with so many decimals; a large one, or what is no number, as [`value_text`] does.
fn decimal_text(value: f32, decimals: usize) -> String {
    if value.abs() < PLAIN { fixed(value.into(), decimals) } else { value_text(value.into()) }
}

/// Returns a stored value for reading: four digits, or what it is instead of a number.
pub fn value_text(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "∞" } else { "\u{2212}∞" }.to_owned()
    } else {
        readable(value, Format::Number)
    }
}

/// Returns the position of an entry in its parameter: `[3, 17]`.
pub fn place_of(mut entry: usize, shape: &[usize]) -> String {
    let mut place = Vec::new();
    for side in shape.iter().rev() {
        place.push((entry % side.max(&1)).to_string());
        entry /= side.max(&1);
    }
    place.reverse();
    format!("[{}]", place.join(", "))
}

/// Returns the state of an entry in a word.
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
