//! Stars, tags and notes.

use std::collections::BTreeSet;

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Sense, TextEdit, Ui, WidgetInfo, vec2};

use super::table::{Sheet, fold};
use super::{Compare, CompareResponse};
use crate::form::note_edited;
use crate::icons::Icon;
use crate::queue_menu::queue_entries_ui;
use crate::runs::Runs;
use crate::theme;
use crate::widgets::{self, FieldState};
use results::table::view::{Baseline, Key as GroupKey};
use results::table::{Mark, Row};
use results::view::arm_key;

/// Draws the star of a row, full or empty; a click switches it. An empty one shows while the row is under the pointer.
pub fn star_ui(ui: &mut Ui, row: &Row, is_pointed: bool, compare: &mut Compare) {
    let is_full = row.mark.starred;
    if star_of(ui, is_full, is_full || is_pointed, &format!("{}, seed {}", row.arm, row.seed)) {
        compare.star(&row.run);
    }
}

/// A star, full or empty, of what has this name; whether it was pressed.
pub fn star_button(ui: &mut Ui, is_full: bool, of: &str) -> bool {
    star_of(ui, is_full, true, of)
}

fn star_of(ui: &mut Ui, is_full: bool, is_shown: bool, of: &str) -> bool {
    let name = format!("{} {of}", if is_full { "Unstar" } else { "Star" });
    let (rect, response) = ui.allocate_exact_size(vec2(2.5 * theme::STEP, 2.5 * theme::STEP), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name.clone()));
    let colours = theme::present(ui);
    let is_pointed = response.hovered() || response.has_focus();
    let (icon, ink) = match (is_full, is_pointed) {
        (true, _) => (Icon::StarFill, colours.warning),
        (false, true) => (Icon::Star, colours.text),
        (false, false) => (Icon::Star, colours.text3),
    };
    if is_shown || is_pointed {
        icon.paint(ui.painter(), rect.center(), 14.0, ink);
    }
    response.on_hover_text(name).clicked()
}

/// Changes what was noted; nothing is kept of an empty mark.
pub fn edit(compare: &mut Compare, key: &str, change: impl FnOnce(&mut Mark)) {
    let mark = compare.view.marks.entry(key.to_owned()).or_default();
    change(mark);
    if *mark == Mark::default() {
        compare.view.marks.remove(key);
    }
    compare.give_marks();
}

/// The menu of a row: notes about the run and about its arm.
pub fn context_ui(ui: &mut Ui, row: &Row, runs: &Runs, compare: &mut Compare) -> Option<CompareResponse> {
    let arm = arm_key(&row.arm);
    ui.set_min_width(220.0);
    theme::heading_ui(ui, &format!("{}, seed {}", row.arm, row.seed));
    let queue = queue_entries_ui(ui, runs, std::slice::from_ref(&row.run)).map(CompareResponse::Queue);
    tags_ui(ui, &row.run, compare);
    note_ui(ui, "Note on the run", &row.run, compare);
    note_ui(ui, "Note on the arm", &arm, compare);
    star_arm_ui(ui, &arm, compare);
    let refusal = compare.why_not_archive(std::iter::once(&row.run));
    let archive = ui.add_enabled(refusal.is_none(), widgets::button(Icon::Archive, "Archive this run…"));
    let archive = archive.on_hover_text("Moves it to the archived runs; nothing is deleted");
    if archive.on_disabled_hover_text(refusal.unwrap_or_default()).clicked() {
        ui.close();
        return compare.archive_run(&row.run);
    }
    queue
}

/// The menu of a group: its runs, the baseline, and marks of its arm.
pub fn group_ui(
    ui: &mut Ui,
    place: usize,
    sheet: &Sheet<'_>,
    compare: &mut Compare,
) -> Option<CompareResponse> {
    let group = &sheet.table.groups[place];
    let name = &group.name;
    theme::heading_ui(ui, name);
    let runs: BTreeSet<String> = group.rows.iter().map(|row| sheet.rows[*row].run.clone()).collect();
    let queue = queue_entries_ui(ui, sheet.runs, &runs.into_iter().collect::<Vec<_>>());
    let is_open = compare.view.table.open.contains(name);
    if ui.button(if is_open { "Hide its runs" } else { "Show its runs" }).clicked() {
        fold(compare, name);
        ui.close();
    }
    if ui.add_enabled(sheet.table.baseline != *name, eframe::egui::Button::new("Use as baseline")).clicked() {
        compare.view.table.baseline = Baseline::Group(name.clone());
        ui.close();
    }
    for (text, is_open) in [("Show all runs", true), ("Hide all runs", false)] {
        if ui.button(text).clicked() {
            let names = sheet.table.groups.iter().filter(|_| is_open).map(|group| group.name.clone());
            compare.view.table.open = names.collect();
            ui.close();
        }
    }
    if sheet.table.keys == [GroupKey::Arm] {
        ui.separator();
        arm_marks_ui(ui, name, compare);
    }
    queue.map(CompareResponse::Queue)
}

/// Star, tags and note of an arm, for its menu.
pub fn arm_marks_ui(ui: &mut Ui, arm: &str, compare: &mut Compare) {
    let key = arm_key(arm);
    ui.set_min_width(220.0);
    star_arm_ui(ui, &key, compare);
    tags_ui(ui, &key, compare);
    note_ui(ui, "Note on the arm", &key, compare);
}

/// Tags and note of a run, for its menu.
pub fn run_marks_ui(ui: &mut Ui, run: &str, compare: &mut Compare) {
    ui.set_min_width(220.0);
    tags_ui(ui, run, compare);
    note_ui(ui, "Note on the run", run, compare);
}

fn star_arm_ui(ui: &mut Ui, key: &str, compare: &mut Compare) {
    if ui.button(if compare.is_starred(key) { "Unstar the arm" } else { "Star the arm" }).clicked() {
        compare.star(key);
        ui.close();
    }
}

fn tags_ui(ui: &mut Ui, key: &str, compare: &mut Compare) {
    let tags = compare.view.marks.get(key).map(|mark| mark.tags.clone()).unwrap_or_default();
    ui.horizontal_wrapped(|ui| {
        for tag in tags {
            if ui.button(format!("{tag} ✗")).on_hover_text("Removes the tag").clicked() {
                edit(compare, key, |mark| mark.tags.retain(|known| *known != tag));
            }
        }
    });
    ui.horizontal(|ui| {
        let label = ui.label("Tag");
        let field = TextEdit::singleline(&mut compare.tag).desired_width(120.0);
        let field = widgets::field_ui(ui, field, FieldState::Plain).labelled_by(label.id);
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if ui.add(widgets::button(None, "Add tag")).clicked() || entered {
            let tag = std::mem::take(&mut compare.tag).trim().replace(char::is_whitespace, "-");
            if !tag.is_empty() {
                edit(compare, key, |mark| {
                    mark.tags.retain(|known| *known != tag);
                    mark.tags.push(tag);
                });
            }
        }
    });
}

fn note_ui(ui: &mut Ui, name: &str, key: &str, compare: &mut Compare) {
    let mut note = compare.view.marks.get(key).map(|mark| mark.note.clone()).unwrap_or_default();
    let label = ui.label(name);
    // Long notes wrap, but have no line breaks: lists show them in one line.
    let field = TextEdit::multiline(&mut note).return_key(None).desired_rows(1).desired_width(220.0);
    let field = widgets::area_ui(ui, field).labelled_by(label.id);
    note_edited(&field);
    if field.changed() {
        edit(compare, key, |mark| mark.note = note.replace(['\n', '\r'], " "));
    }
}
