//! Filter, grouping, copying and the trash.

use eframe::egui::{ComboBox, RichText, Ui};

use super::{Compare, CompareResponse};
use crate::gui::form::note_edited;
use crate::gui::{text, theme};
use crate::results::table::Row;
use crate::results::table::columns::sort;
use crate::results::table::settings::{NONE, follows_from_another, short};

const HELP: &str = "Words of an arm, tag or note, and conditions: remaining < 20 %   last >= 0.98   \
    state:done   arm:ticket   tag:paper   is:starred   batch = 64   -word to exclude";

/// Draws the line above the table.
pub fn toolbar_ui(ui: &mut Ui, compare: &mut Compare) -> Option<CompareResponse> {
    let mut response = None;
    ui.horizontal_wrapped(|ui| {
        let label = ui.label("Filter:");
        let field = theme::line_edit(&mut compare.view.filter)
            .hint_text("state:done remaining < 20 %")
            .desired_width(260.0);
        let field = theme::field_ui(ui, field).labelled_by(label.id).on_hover_text(HELP);
        if std::mem::take(&mut compare.wants_filter) {
            field.request_focus();
        }
        note_edited(&field);
        if !compare.view.filter.is_empty()
            && ui.button("Clear").on_hover_text("Shows all runs again").clicked()
        {
            compare.view.filter.clear();
        }
        group_ui(ui, compare);
        response = copy_ui(ui, compare);
        response = trash_ui(ui, compare).or(response.take());
        let (all, left) = (compare.rows.len(), left_count(compare));
        let count = if left == all {
            text::counted(all, "run")
        } else {
            format!("{} of {}", text::grouped(left as u64), text::counted(all, "run"))
        };
        ui.label(RichText::new(count).weak());
    });
    if let Some(error) = &compare.filter_error {
        let colours = theme::present(ui);
        ui.label(RichText::new(format!("⚠ The filter is not applied: {error}")).small().color(colours.bad));
    }
    response
}

/// Which setting makes the lines of the plots; without one, the arms.
pub fn group_ui(ui: &mut Ui, compare: &mut Compare) {
    let label = ui
        .label("Group by:")
        .on_hover_text("What each line in the plots stands for: an arm, or a value of a setting");
    let title = |path: Option<&String>| path.map_or("arm", |path| short(path, &compare.settings)).to_owned();
    let mut chosen = compare.view.group.clone();
    let combo = ComboBox::from_id_salt("group by").selected_text(title(chosen.as_ref())).show_ui(ui, |ui| {
        ui.selectable_value(&mut chosen, None, "arm");
        for path in groupable(compare) {
            ui.selectable_value(&mut chosen, Some(path.clone()), title(Some(path))).on_hover_text(path);
        }
    });
    combo.response.labelled_by(label.id);
    compare.view.group = chosen;
}

/// The settings that can group lines: not those that only follow from another choice.
pub fn groupable(compare: &Compare) -> Vec<&String> {
    let follows = |path: &&String| {
        let texts: Vec<&str> =
            compare.rows.iter().map(|row| row.settings.get(*path).map_or(NONE, String::as_str)).collect();
        follows_from_another(path, &texts, &compare.settings)
    };
    compare.settings.iter().filter(|path| !follows(path)).collect()
}

/// How many rows are shown.
fn left_count(compare: &Compare) -> usize {
    compare.rows.iter().filter(|row| !compare.left_out.contains(&row.run)).count()
}

/// Those of these rows that are shown, in their order.
pub fn shown<'a>(rows: &'a [Row], compare: &Compare) -> Vec<&'a Row> {
    let mut rows: Vec<&Row> = rows.iter().filter(|row| !compare.left_out.contains(&row.run)).collect();
    sort(&mut rows, &compare.view.sort);
    rows
}

fn copy_ui(ui: &mut Ui, compare: &Compare) -> Option<CompareResponse> {
    let mut chosen = None;
    for (name, separator, help) in [
        ("Copy table", '\t', "Copies the visible rows, for a spreadsheet (tab-separated)"),
        ("Copy as CSV", ',', "Copies the visible rows as CSV, with all digits"),
    ] {
        if ui.button(name).on_hover_text(help).clicked() {
            chosen = Some(compare.copy(separator));
        }
    }
    let methods = ui.button("Copy methods text");
    if methods
        .on_hover_text("Copies a paragraph for a paper's methods section, generated from the document")
        .clicked()
    {
        chosen = Some(CompareResponse::CopyMethods);
    }
    chosen
}

fn trash_ui(ui: &mut Ui, compare: &Compare) -> Option<CompareResponse> {
    let mut chosen = None;
    let refusal = if compare.ticked.is_empty() {
        Some("Tick runs in the table first")
    } else {
        compare.why_not_archive(compare.ticked.iter())
    };
    let archive = ui.add_enabled(refusal.is_none(), eframe::egui::Button::new("Archive"));
    let archive = archive
        .on_hover_text("Moves the ticked runs to the trash beside the results; nothing is deleted")
        .on_disabled_hover_text(refusal.unwrap_or_default());
    if archive.clicked() {
        let runs = compare.ticked.intersection(&compare.results);
        chosen = Some(CompareResponse::Archive(runs.cloned().collect()));
    }
    if !compare.trash.is_empty() {
        ui.menu_button(format!("Trash ({})", compare.trash.len()), |ui| {
            for run in &compare.trash {
                let name = format!("Restore {}, seed {}", run.arm, run.seed);
                if ui.button(name).on_hover_text(format!("Run {}", run.id)).clicked() {
                    chosen = Some(CompareResponse::Restore(run.id.clone()));
                    ui.close();
                }
            }
        });
    }
    chosen
}
