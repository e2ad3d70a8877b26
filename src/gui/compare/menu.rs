//! Stars, tags and notes.

use eframe::egui::accesskit::Role;
use eframe::egui::{Button, Key, Mesh, Pos2, Sense, Shape, Stroke, TextEdit, Ui, WidgetInfo, vec2};

use super::{Compare, CompareResponse};
use crate::gui::form::note_edited;
use crate::gui::theme;
use crate::results::table::{Mark, Row};
use crate::results::view::arm_key;

/// Draws the star of a row, full or empty; a click switches it.
pub fn star_ui(ui: &mut Ui, row: &Row, compare: &mut Compare) {
    if star_button(ui, row.mark.starred, &format!("{}, seed {}", row.arm, row.seed)) {
        compare.star(&row.run);
    }
}

/// A star, full or empty, of what has this name; whether it was pressed.
pub fn star_button(ui: &mut Ui, is_full: bool, of: &str) -> bool {
    let name = format!("{} {of}", if is_full { "Unstar" } else { "Star" });
    let (rect, response) = ui.allocate_exact_size(vec2(2.5 * theme::STEP, 2.5 * theme::STEP), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name.clone()));
    let is_pointed = response.hovered() || response.has_focus();
    paint_star(ui, rect.center(), is_full, is_pointed);
    response.on_hover_text(name).clicked()
}

/// No font of the window has a star.
fn paint_star(ui: &Ui, middle: Pos2, is_full: bool, is_pointed: bool) {
    let colours = theme::present(ui);
    let corner = |index: u8| {
        let radius = if index.is_multiple_of(2) { 6.5 } else { 2.8 };
        let angle = f32::from(index) / 10.0 * std::f32::consts::TAU;
        middle + radius * vec2(angle.sin(), -angle.cos())
    };
    let corners: Vec<Pos2> = (0..10).map(corner).collect();
    if is_full {
        let mut mesh = Mesh::default();
        mesh.colored_vertex(middle, colours.warning);
        for (index, &corner) in (1_u32..).zip(&corners) {
            mesh.colored_vertex(corner, colours.warning);
            mesh.add_triangle(0, index, index % 10 + 1);
        }
        ui.painter().add(Shape::mesh(mesh));
    } else {
        let line = if is_pointed { colours.text } else { colours.text2 };
        ui.painter().add(Shape::closed_line(corners, Stroke::new(1.0, line)));
    }
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
pub fn context_ui(ui: &mut Ui, row: &Row, compare: &mut Compare) -> Option<CompareResponse> {
    let arm = arm_key(&row.arm);
    ui.set_min_width(220.0);
    theme::heading_ui(ui, &format!("{}, seed {}", row.arm, row.seed));
    tags_ui(ui, &row.run, compare);
    note_ui(ui, "Note on the run", &row.run, compare);
    note_ui(ui, "Note on the arm", &arm, compare);
    star_arm_ui(ui, &arm, compare);
    let refusal = compare.why_not_archive(std::iter::once(&row.run));
    let archive = ui.add_enabled(refusal.is_none(), Button::new("Archive this run"));
    let archive = archive.on_hover_text("Moves it to the trash; nothing is deleted");
    if archive.on_disabled_hover_text(refusal.unwrap_or_default()).clicked() {
        ui.close();
        return Some(CompareResponse::Archive(vec![row.run.clone()]));
    }
    None
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
        let field = theme::line_edit(&mut compare.tag).desired_width(120.0);
        let field = theme::field_ui(ui, field).labelled_by(label.id);
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if ui.button("Add tag").clicked() || entered {
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
    let field = TextEdit::multiline(&mut note).desired_rows(1).desired_width(220.0);
    let field = theme::field_ui(ui, field).labelled_by(label.id);
    note_edited(&field);
    if field.changed() {
        edit(compare, key, |mark| mark.note = note);
    }
}
