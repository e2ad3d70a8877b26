//! The rows of an arm with a sweep: its settings, their values, and the runs of each.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use eframe::egui::{self, Id, RichText, Ui, pos2};

use super::row::{Row, RowLook, place, row_ui};
use super::state::{mean_of, summary};
use super::{SEED, SEED_AT, Tree, VALUE_AT, fold, set_fold};
use crate::arm_look;
use crate::selection::Selection;
use crate::theme::{self, BODY, STEP, present};
use crate::treatment::{Treatment, swept_labels};
use figure::style_of;

impl Tree<'_> {
    /// The settings that an arm sweeps, each with its values, and below them the runs.
    pub(super) fn swept_ui(&mut self, ui: &mut Ui, id: Id, treatments: &[Treatment]) {
        let (labels, experiment) = (OnceCell::new(), self.input.experiment);
        let label = |setting: usize| {
            let labels = labels.get_or_init(|| swept_labels(experiment, treatments[0].arm));
            labels.get(setting).map_or("setting", String::as_str)
        };
        let settings = treatments[0].values.len();
        if settings == 1 {
            setting_ui(ui, id, || label(0), "");
            for (number, treatment) in treatments.iter().enumerate() {
                self.value_ui(ui, id.with(("value", number)), treatment);
            }
            return;
        }
        for setting in 0..settings {
            let mut seen: BTreeSet<&str> = BTreeSet::new();
            let of_setting = treatments.iter().filter_map(|treatment| treatment.values.get(setting));
            let values: Vec<&String> = of_setting.filter(|value| seen.insert(value)).collect();
            let each = treatments.len() / values.len().max(1);
            setting_ui(ui, id, || label(setting), &format!("mean of {each}"));
            for value in values {
                let id = id.with(("value", setting, value));
                // Most rows are out of sight.
                if let Some(mut row) = value_row(ui, id, value, false, false) {
                    let with = |treatment: &&Treatment| {
                        treatment.values.get(setting).is_some_and(|own| own == value)
                    };
                    let of_value: Vec<&Treatment> = treatments.iter().filter(with).collect();
                    let mean = mean_of(&of_value, self.input.runs);
                    row.right_ui(ui, RichText::new(mean).color(present(ui).text2), VALUE_AT + 48.0);
                    row.name_ui(ui, &value_look(id, value, false, false), present(ui).text2);
                }
            }
        }
        setting_ui(ui, id, || "all combinations", &treatments.len().to_string());
        for (number, treatment) in treatments.iter().enumerate() {
            self.value_ui(ui, id.with(("combination", number)), treatment);
        }
    }

    /// A swept value with its shade and mean; a click selects its setting and shows its runs, another one folds them.
    fn value_ui(&mut self, ui: &mut Ui, id: Id, treatment: &Treatment) {
        let mut is_open = fold(ui, id, false);
        let value = treatment.values.join(", ");
        let own = Selection::Setting { arm: treatment.arm, name: treatment.name.clone() };
        let is_selected = *self.selection == own;
        if let Some(mut row) = value_row(ui, id, &value, true, is_selected) {
            let (words, tone) = summary(&[treatment], self.input.runs);
            row.right_ui(ui, RichText::new(words).color(tone.colours(ui)[1]), VALUE_AT + 48.0);
            row.name_ui(ui, &value_look(id, &value, true, is_selected), present(ui).text2);
            let at = pos2(row.rect.left() + VALUE_AT, row.rect.center().y);
            arm_look::mark(
                ui.painter(),
                at,
                style_of(treatment.colour),
                theme::arm_colour(ui, treatment.colour),
            );
            self.rows.push((id, own.clone()));
            if row.response.clicked() {
                is_open = !(is_open && is_selected);
                *self.selection = own;
            }
            row.response.on_hover_text(&treatment.name);
        }
        set_fold(ui, id, is_open);
        if is_open {
            for run in &treatment.runs {
                self.run_ui(ui, id, run, VALUE_AT + STEP);
            }
        }
    }
}

/// The name of a swept setting, which takes time to find.
fn setting_ui<'a>(ui: &mut Ui, parent: Id, label: impl FnOnce() -> &'a str, words: &str) {
    let Some(rect) = place(ui, SEED) else { return };
    let label = label();
    let look = RowLook {
        id: parent.with(("setting", label)),
        name: label,
        indent: SEED_AT,
        font: egui::FontId::proportional(BODY),
        is_selected: false,
        is_owner: false,
        is_target: false,
    };
    let mut row = row_ui(ui, rect, &look);
    row.right_ui(ui, RichText::new(words).color(present(ui).text3), SEED_AT + 48.0);
    row.name_ui(ui, &look, present(ui).text);
}

fn value_look(id: Id, value: &str, is_target: bool, is_selected: bool) -> RowLook<'_> {
    let indent = if is_target { VALUE_AT + 1.5 * STEP } else { VALUE_AT };
    let font = egui::FontId::proportional(BODY);
    RowLook { id, name: value, indent, font, is_selected, is_owner: false, is_target }
}

fn value_row(ui: &mut Ui, id: Id, value: &str, is_target: bool, is_selected: bool) -> Option<Row> {
    let rect = place(ui, SEED)?;
    Some(row_ui(ui, rect, &value_look(id, value, is_target, is_selected)))
}
