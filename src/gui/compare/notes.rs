//! Free notes, and the marks of all arms and runs, each in one line.

use eframe::egui::{Checkbox, Label, RichText, ScrollArea, TextEdit, TextStyle, Ui};

use super::Compare;
use super::menu::{edit, star_button};
use crate::form::note_edited;
use crate::theme::{self, fitted};
use crate::widgets::{self, FieldState};
use results::table::{Mark, Row};
use results::view::arm_key;

/// Height of a line, in points.
const ROW: f32 = 3.0 * theme::STEP;

/// What is kept between frames.
#[derive(Default)]
pub struct Noting {
    /// Whether only lines with a mark are wanted.
    marked_only: bool,
    /// The tags of a line as they are being typed: spaces at the end count until the field is left.
    typed: Option<(String, String)>,
}

/// An arm or a run.
struct Line {
    /// What its mark goes by.
    key: String,
    name: String,
    /// Of a run, what its name ends with: ", seed 3".
    seed: Option<String>,
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
        widgets::input_ui(ui, Checkbox::new(&mut noting.marked_only, "Only marked ones"));
    });
    let lines = lines(compare, noting.marked_only);
    if lines.is_empty() {
        let why = if noting.marked_only { "Nothing is marked yet" } else { "The document has no runs yet" };
        ui.label(RichText::new(why).weak());
        return;
    }
    ui.spacing_mut().interact_size.y = ROW - 4.0;
    ScrollArea::vertical().id_salt("marks").auto_shrink(false).show_rows(ui, ROW, lines.len(), |ui, rows| {
        for (row, is_run) in &lines[rows] {
            let line = Line::of(&compare.rows[*row], *is_run);
            ui.push_id(&line.key, |ui| line_ui(ui, &line, compare, noting));
        }
    });
}

impl Line {
    /// The line of a row's run, or of its arm.
    fn of(row: &Row, is_run: bool) -> Self {
        if !is_run {
            return Self { key: arm_key(&row.arm), name: row.arm.clone(), seed: None };
        }
        let seed = format!(", seed {}", row.seed);
        Self { key: row.run.clone(), name: format!("{}{seed}", row.arm), seed: Some(seed) }
    }
}

/// Every arm in the order of the document, with its runs below it: a row, and whether its run is meant. Only lines in sight
/// are written out.
fn lines(compare: &Compare, marked_only: bool) -> Vec<(usize, bool)> {
    let is_wanted = |key: &str| !marked_only || compare.view.marks.contains_key(key);
    let mut lines = Vec::new();
    let mut arm = None;
    for (place, row) in compare.rows.iter().enumerate() {
        if arm != Some(&row.arm) {
            arm = Some(&row.arm);
            if is_wanted(&arm_key(&row.arm)) {
                lines.push((place, false));
            }
        }
        if is_wanted(&row.run) {
            lines.push((place, true));
        }
    }
    lines
}

fn line_ui(ui: &mut Ui, line: &Line, compare: &mut Compare, noting: &mut Noting) {
    let mark = compare.view.marks.get(&line.key).cloned().unwrap_or_default();
    let width = ui.available_width();
    ui.horizontal(|ui| {
        ui.set_height(ROW - 4.0);
        if star_button(ui, mark.starred, &line.name) {
            compare.star(&line.key);
        }
        let name = RichText::new(shown_name(ui, line, 0.3 * width));
        let name = if line.seed.is_none() { name.strong() } else { name };
        theme::cell_ui(ui, 0.3 * width, |ui| {
            ui.add(Label::new(name).truncate()).on_hover_text(&line.name);
        });
        tags_ui(ui, line, &mark, compare, noting, 0.22 * width);
        let mut note = mark.note.clone();
        let field = TextEdit::singleline(&mut note).hint_text("note").desired_width(f32::INFINITY);
        let field =
            widgets::field_ui(ui, field, FieldState::Plain).accessible_name(format!("Note on {}", line.name));
        note_edited(&field);
        if field.changed() {
            edit(compare, &line.key, |mark| mark.note = note);
        }
    });
}

/// The name where it fits; else without the middle of the arm's name, since the seed tells runs apart.
fn shown_name(ui: &Ui, line: &Line, width: f32) -> String {
    let font = TextStyle::Body.resolve(ui.style());
    let seed = line.seed.as_deref().unwrap_or_default();
    let taken = ui.painter().layout_no_wrap(seed.to_owned(), font.clone(), ui.visuals().text_color());
    let arm = line.name.strip_suffix(seed).unwrap_or(&line.name);
    format!("{}{seed}", fitted(ui.painter(), arm, &font, width - taken.size().x))
}

fn tags_ui(ui: &mut Ui, line: &Line, mark: &Mark, compare: &mut Compare, noting: &mut Noting, width: f32) {
    // After an undo, the typed text no longer stands for the tags.
    let is_typed = |(key, text): &&(String, String)| *key == line.key && words(text) == mark.tags;
    let typed = noting.typed.as_ref().filter(is_typed);
    let mut text = typed.map_or_else(|| mark.tags.join(" "), |(_, text)| text.clone());
    let field = TextEdit::singleline(&mut text).hint_text("tags").desired_width(width - theme::STEP);
    let response =
        widgets::field_ui(ui, field, FieldState::Plain).accessible_name(format!("Tags of {}", line.name));
    note_edited(&response);
    if response.changed() {
        edit(compare, &line.key, |mark| mark.tags = words(&text));
        noting.typed = Some((line.key.clone(), text));
    } else if !response.has_focus() && noting.typed.as_ref().is_some_and(|(key, _)| *key == line.key) {
        noting.typed = None;
    }
}

/// The words of a text, each once.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        if !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    }
    words
}
