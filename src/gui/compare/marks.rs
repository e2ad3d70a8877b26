//! Stars, tags and notes.

use std::collections::BTreeSet;

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Label, RichText, ScrollArea, Sense, TextEdit, TextStyle, Ui, WidgetInfo, vec2};

use super::table::Sheet;
use super::{Compare, CompareResponse};
use crate::form::note_edited;
use crate::icons::Icon;
use crate::runs::Runs;
use crate::table::width_of;
use crate::theme::{self, fitted};
use crate::views::queue_entries_ui;
use crate::widgets::{self, FieldState};
use doc::named;
use results::distinct;
use results::table::columns::Column;
use results::table::view::Baseline;
use results::table::{Mark, Row};
use results::view::arm_key;

/// Draws the star, full or empty, of what has this name; an empty one that is not shown appears under the pointer. Returns
/// true if it was pressed.
pub fn star_ui(ui: &mut Ui, is_full: bool, is_shown: bool, of: &str) -> bool {
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
    if is_full || is_shown || is_pointed {
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

/// Draws the menu of a row: notes about the run and about its arm.
pub fn context_ui(ui: &mut Ui, row: &Row, runs: &Runs, compare: &mut Compare) -> Option<CompareResponse> {
    let arm = arm_key(&row.arm);
    theme::heading_ui(ui, &named(&row.arm, row.seed));
    let queue = queue_entries_ui(ui, runs, std::slice::from_ref(&row.run)).map(CompareResponse::Queue);
    run_marks_ui(ui, &row.run, compare);
    note_ui(ui, "Note on the arm", &arm, compare);
    star_arm_ui(ui, &arm, compare);
    let refusal = runs.why_not_archive([&row.run]);
    let archive = ui.add_enabled(refusal.is_none(), widgets::button(Icon::Archive, "Archive this run…"));
    let archive = archive.on_hover_text("Moves it to the archived runs; nothing is deleted");
    if archive.on_disabled_hover_text(refusal.unwrap_or_default()).clicked() {
        ui.close();
        return compare.archive_run(&row.run);
    }
    queue
}

/// Draws the menu of a group: its runs, the baseline, and marks of its arm.
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
    let (is_open, what) =
        (compare.view.table.is_open(group), if group.is_heading { "groups" } else { "runs" });
    if ui.button(format!("{} its {what}", if is_open { "Hide" } else { "Show" })).clicked() {
        compare.view.table.fold(group);
        ui.close();
    }
    let can_be = !group.is_heading && sheet.table.baseline != *name;
    if ui.add_enabled(can_be, eframe::egui::Button::new("Use as baseline")).clicked() {
        compare.view.table.baseline = Baseline::Group(name.clone());
        ui.close();
    }
    for (text, is_open) in [("Show all runs", true), ("Hide all runs", false)] {
        if ui.button(text).clicked() {
            let names = sheet.table.leaves().filter(|_| is_open).map(|group| group.name.clone());
            compare.view.table.open = names.collect();
            ui.close();
        }
    }
    if sheet.table.keys == [Column::Arm] {
        ui.separator();
        arm_marks_ui(ui, name, compare);
    }
    queue.map(CompareResponse::Queue)
}

/// Draws star, tags and note of an arm into its menu.
pub fn arm_marks_ui(ui: &mut Ui, arm: &str, compare: &mut Compare) {
    let key = arm_key(arm);
    ui.set_min_width(220.0);
    star_arm_ui(ui, &key, compare);
    tags_ui(ui, &key, compare);
    note_ui(ui, "Note on the arm", &key, compare);
}

/// Draws tags and note of a run into its menu.
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

/// Height of a line, in points.
const ROW: f32 = theme::CONTROL + 4.0;

/// The state between frames.
#[derive(Default)]
pub struct Noting {
    /// What the names of further lines have in them; without any text, only lines with a mark are there.
    search: String,
    /// The line that was edited last, which stays.
    edited: String,
    /// The tags of a line as they are being typed: spaces at the end count until the field is left.
    typed: Option<(String, String)>,
}

/// Draws the notes and the list of marks.
pub fn notes_ui(ui: &mut Ui, compare: &mut Compare, noting: &mut Noting) {
    let height = ui.available_height();
    theme::heading_ui(ui, "Notes on the results");
    let field = TextEdit::multiline(&mut compare.view.notes)
        .hint_text("Findings and next steps")
        .desired_width(f32::INFINITY);
    ScrollArea::vertical().id_salt("free notes").max_height((0.35 * height).max(48.0)).show(ui, |ui| {
        note_edited(&widgets::area_ui(ui, field).accessible_name("Notes on the results"));
    });
    ui.add_space(theme::STEP);
    ui.horizontal_wrapped(|ui| {
        theme::heading_ui(ui, "Arms and runs");
        let field = TextEdit::singleline(&mut noting.search).hint_text("Add an arm or a run: search it");
        widgets::field_ui(ui, field, FieldState::Plain).accessible_name("Arm or run to note");
    });
    let lines = lines(compare, noting);
    if lines.is_empty() {
        let is_search = !noting.search.trim().is_empty();
        let why = if is_search { "No arm or run has this name" } else { "Nothing is marked yet" };
        ui.label(RichText::new(why).weak());
        return;
    }
    ui.spacing_mut().interact_size.y = ROW - 4.0;
    ScrollArea::vertical().id_salt("marks").auto_shrink(false).show_rows(ui, ROW, lines.len(), |ui, rows| {
        let known = compare.rows.clone(); // shared: a mark on one row changes others
        for (row, is_run) in &lines[rows] {
            line_ui(ui, &known[*row], *is_run, compare, noting);
        }
    });
}

/// Returns arms with a mark in the order of the document, with their runs below them, and those whose name is searched: a
/// row, and whether its run is meant. Only lines in sight are written out.
fn lines(compare: &Compare, noting: &Noting) -> Vec<(usize, bool)> {
    let searched = noting.search.trim().to_lowercase();
    let is_found = |name: &str| !searched.is_empty() && name.to_lowercase().contains(&searched);
    let is_wanted = |key: &str, name: &dyn Fn() -> String| {
        compare.view.marks.contains_key(key) || key == noting.edited || is_found(&name())
    };
    let mut lines = Vec::new();
    let mut arm = None;
    for (place, row) in compare.rows.iter().enumerate() {
        if arm != Some(&row.arm) {
            arm = Some(&row.arm);
            if is_wanted(&arm_key(&row.arm), &|| row.arm.clone()) {
                lines.push((place, false));
            }
        }
        if is_wanted(&row.run, &|| named(&row.arm, row.seed)) {
            lines.push((place, true));
        }
    }
    lines
}

/// Draws the line of a row's run, or of its arm.
fn line_ui(ui: &mut Ui, row: &Row, is_run: bool, compare: &mut Compare, noting: &mut Noting) {
    let key = if is_run { row.run.clone() } else { arm_key(&row.arm) };
    let name = if is_run { named(&row.arm, row.seed) } else { row.arm.clone() };
    let mark = compare.view.marks.get(&key).cloned().unwrap_or_default();
    let width = ui.available_width();
    let draw = |ui: &mut Ui| {
        ui.set_height(ROW - 4.0);
        if star_ui(ui, mark.starred, true, &name) {
            compare.star(&key);
        }
        // A long name loses its middle, not the seed: that tells runs apart.
        let (font, seed) = (TextStyle::Body.resolve(ui.style()), &name[row.arm.len()..]);
        let room = 0.3 * width - width_of(ui, seed, &font);
        let shown = RichText::new(fitted(ui.painter(), &row.arm, &font, room) + seed);
        theme::cell_ui(ui, 0.3 * width, |ui| {
            let shown = if is_run { shown } else { shown.strong() };
            ui.add(Label::new(shown).truncate()).on_hover_text(&name);
        });
        line_tags_ui(ui, [&key, &name], &mark, compare, noting, 0.22 * width);
        let mut note = mark.note.clone();
        let field = TextEdit::singleline(&mut note).hint_text("note").desired_width(f32::INFINITY);
        let field =
            widgets::field_ui(ui, field, FieldState::Plain).accessible_name(format!("Note on {name}"));
        note_edited(&field);
        if field.changed() {
            edit(compare, &key, |mark| mark.note = note);
            noting.edited.clone_from(&key);
        }
    };
    ui.push_id(&key, |ui| ui.horizontal(draw));
}

fn line_tags_ui(
    ui: &mut Ui,
    [key, name]: [&str; 2],
    mark: &Mark,
    compare: &mut Compare,
    noting: &mut Noting,
    width: f32,
) {
    // After an undo, the typed text no longer stands for the tags.
    let is_typed = |(of, text): &&(String, String)| of == key && words(text) == mark.tags;
    let typed = noting.typed.as_ref().filter(is_typed);
    let mut text = typed.map_or_else(|| mark.tags.join(" "), |(_, text)| text.clone());
    let field = TextEdit::singleline(&mut text).hint_text("tags").desired_width(width - theme::STEP);
    let response = widgets::field_ui(ui, field, FieldState::Plain).accessible_name(format!("Tags of {name}"));
    note_edited(&response);
    if response.changed() {
        edit(compare, key, |mark| mark.tags = words(&text));
        noting.typed = Some((key.to_owned(), text));
        key.clone_into(&mut noting.edited);
    } else if !response.has_focus() && noting.typed.as_ref().is_some_and(|(of, _)| of == key) {
        noting.typed = None;
    }
}

/// Returns the words of a text, each once.
fn words(text: &str) -> Vec<String> {
    distinct(text.split_whitespace().map(str::to_owned))
}
