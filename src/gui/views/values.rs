//! The values of a parameter as a table, where entries can be chosen and set.

use std::collections::BTreeSet;

use eframe::egui::{Align, Checkbox, DragValue, Layout, RichText, Ui};
use egui_extras::{Column, TableBuilder};

use crate::doc::intervention::Set;
use crate::gui::{text, theme};
use crate::results::network::{Entry, ParameterValues};
use crate::results::number::fixed;

const ROW: f32 = 20.0;
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
    pub fn ui(&mut self, ui: &mut Ui, name: &str, values: &ParameterValues, arm: &str) -> Option<Set> {
        self.search_ui(ui, values.values.len());
        let set = self.set_ui(ui, name, arm);
        self.table_ui(ui, values);
        set
    }

    fn search_ui(&mut self, ui: &mut Ui, count: usize) {
        ui.horizontal_wrapped(|ui| {
            let last = count.saturating_sub(1);
            let label = ui.label("Go to entry:");
            let field = ui.add(DragValue::new(&mut self.wanted).range(0..=last)).labelled_by(label.id);
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
            let button =
                ui.add_enabled(count > 0, eframe::egui::Button::new("Set…").selected(self.is_setting));
            let button = button.on_disabled_hover_text("Select entries in the table first");
            if button.on_hover_text("Adds a stage that sets the chosen entries to a value").clicked() {
                self.is_setting ^= true;
            }
            ui.small(if count == 1 {
                "1 entry chosen".to_owned()
            } else {
                format!("{} entries chosen", text::grouped(count as u64))
            });
            if count > 0 && ui.small_button("Clear selection").clicked() {
                self.chosen.clear();
            }
        });
        if self.is_setting && count > 0 {
            ui.horizontal_wrapped(|ui| {
                let label = ui.label("to");
                ui.add(DragValue::new(&mut self.value).speed(0.01)).labelled_by(label.id);
                let add = ui.button("Add to plan");
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

    fn table_ui(&mut self, ui: &mut Ui, values: &ParameterValues) {
        let count = values.values.len().saturating_sub(self.first).min(PAGE);
        if values.values.len() > PAGE {
            let last = self.first + count;
            ui.small(format!(
                "Entries {} to {}; use Go to entry for others",
                self.first,
                last.saturating_sub(1)
            ));
        }
        let mut table = TableBuilder::new(ui)
            .id_salt("values")
            .striped(true)
            .cell_layout(Layout::left_to_right(Align::Center))
            .auto_shrink([false, false])
            .column(Column::exact(96.0))
            .column(Column::exact(92.0))
            .column(Column::exact(96.0))
            .column(Column::remainder());
        if let Some(target) = self.target.take() {
            table = table.scroll_to_row(target - self.first, Some(Align::Center));
        }
        let first = self.first;
        let table = table.header(ROW, |mut row| {
            for name in ["Entry", "Position", "Value", "State"] {
                row.col(|ui| drop(theme::heading_ui(ui, name)));
            }
        });
        table.body(|body| {
            body.rows(ROW, count, |mut row| {
                let entry = first + row.index();
                let mut is_chosen = self.chosen.contains(&entry);
                row.col(|ui| {
                    let checkbox =
                        Checkbox::new(&mut is_chosen, RichText::new(text::grouped(entry as u64)).small());
                    let checkbox = theme::input_ui(ui, checkbox);
                    if checkbox.changed() {
                        if is_chosen {
                            self.chosen.insert(entry)
                        } else {
                            self.chosen.remove(&entry)
                        };
                    }
                });
                row.col(|ui| drop(ui.small(place_of(entry, &values.shape))));
                row.col(|ui| {
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        ui.add_space(theme::STEP);
                        ui.monospace(fixed(f64::from(values.values[entry]), 6))
                            .on_hover_text(format!("{:?}", values.values[entry]));
                    });
                });
                row.col(|ui| drop(ui.label(RichText::new(state_of(values.entries[entry])).small())));
            });
        });
    }
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
        Entry::Frozen => "held",
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
