//! The panel at the bottom: problems of the document with a way to their fields, and the log, newest last.

use eframe::egui::{self, Align, Button, Label, Layout, RichText, Ui, Vec2, vec2};

use super::icons::Icon;
use super::log::{Log, Notice};
use super::widgets::Tone;
use super::{text, theme};
use doc::{Problem, Severity};

/// Height of a line, in points.
pub const LINE: f32 = 20.0;

/// Draws the panel; the problem that was clicked on.
pub fn status_ui<'a>(ui: &mut Ui, problems: &'a [Problem], log: &Log) -> Option<&'a Problem> {
    let mut chosen = None;
    let errors = problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    ui.horizontal(|ui| {
        theme::heading_ui(ui, "Log and problems");
        if !problems.is_empty() {
            let notes = problems.len() - errors;
            ui.label(RichText::new(counts(errors, notes)).small());
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.button("Copy log").on_hover_text("Copies all lines in full").clicked() {
                ui.ctx().copy_text(log.full_text());
            }
        });
    });
    ui.spacing_mut().item_spacing.y = 2.0;
    ui.spacing_mut().interact_size.y = LINE;
    let area = egui::ScrollArea::vertical().id_salt("log").auto_shrink([false, false]).stick_to_bottom(true);
    let entries = log.entries();
    // Only the lines that can be seen are drawn: a log has thousands.
    area.show_rows(ui, LINE, entries.len() + problems.len(), |ui, rows| {
        for row in rows {
            if let Some(entry) = entries.get(row) {
                entry_ui(ui, entry, row);
            } else if let Some(problem) = problems.get(row - entries.len())
                && problem_ui(ui, problem, row - entries.len())
            {
                chosen = Some(problem);
            }
        }
    });
    chosen
}

/// A line with a button at its end that copies all of it.
fn line_ui<R>(
    ui: &mut Ui,
    name: String,
    text: impl FnOnce() -> String,
    draw: impl FnOnce(&mut Ui) -> R,
) -> R {
    let size = vec2(ui.available_width(), LINE);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        let button =
            Button::new(Icon::Copy.atom(12.0)).frame_when_inactive(false).min_size(Vec2::splat(LINE));
        let button = ui.add(button).accessible_name(name).on_hover_text("Copy this line in full");
        if button.clicked() {
            ui.ctx().copy_text(text());
        }
        ui.with_layout(Layout::left_to_right(Align::Center), draw).inner
    })
    .inner
}

fn counts(errors: usize, notes: usize) -> String {
    let parts: Vec<String> = [(errors, "error"), (notes, "note")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| text::counted(count, noun))
        .collect();
    parts.join(", ")
}

fn problem_ui(ui: &mut Ui, problem: &Problem, row: usize) -> bool {
    let colours = theme::present(ui);
    let (sign, colour) = match problem.severity {
        Severity::Error => ("✗ Error", colours.bad),
        Severity::Note => ("⚠ Note", colours.warning),
    };
    line_ui(
        ui,
        format!("Copy problem {}", row + 1),
        || problem.to_string(),
        |ui| {
            ui.label(RichText::new(sign).small().color(colour));
            let text = RichText::new(problem.to_string().replace('\n', " ")).small();
            ui.add(egui::Button::new(text).frame(false).wrap_mode(egui::TextWrapMode::Truncate))
                .on_hover_text(format!("{problem}\nClick to go to the setting"))
                .clicked()
        },
    )
}

/// One line of the log; `row` is its place in it.
pub fn entry_ui(ui: &mut Ui, entry: &Notice, row: usize) {
    // Several lines stand behind one another: the first one alone may say little.
    let line = RichText::new(entry.text.replace('\n', " ")).small();
    let line = match entry.tone {
        Tone::Bad | Tone::Warning => line.color(entry.tone.colour(ui)),
        Tone::Good | Tone::Info => line,
    };
    line_ui(
        ui,
        format!("Copy line {}", row + 1),
        || entry.text.clone(),
        |ui| {
            ui.label(RichText::new(&entry.time).small().weak());
            let label = ui.add(Label::new(line).selectable(true).truncate());
            if entry.text.contains('\n') {
                label.on_hover_text(&entry.text);
            }
        },
    );
}
