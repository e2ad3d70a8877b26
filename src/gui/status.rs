//! The panel at the bottom: problems of the document with a way to their fields, and the log, newest last.

use eframe::egui::{self, Align, Label, Layout, RichText, Ui};

use super::log::{Entry, Log, Weight};
use super::{text, theme};
use crate::doc::{Problem, Severity};

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
            if ui.small_button("Copy log").on_hover_text("Copies all lines in full").clicked() {
                ui.ctx().copy_text(log.full_text());
            }
        });
    });
    egui::ScrollArea::vertical().id_salt("log").auto_shrink([false, false]).stick_to_bottom(true).show(
        ui,
        |ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            for entry in log.entries() {
                entry_ui(ui, entry);
            }
            for problem in problems {
                if problem_ui(ui, problem) {
                    chosen = Some(problem);
                }
            }
        },
    );
    chosen
}

fn counts(errors: usize, notes: usize) -> String {
    let parts: Vec<String> = [(errors, "error"), (notes, "note")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| text::counted(count, noun))
        .collect();
    parts.join(", ")
}

fn problem_ui(ui: &mut Ui, problem: &Problem) -> bool {
    let colours = theme::present(ui);
    let (sign, colour) = match problem.severity {
        Severity::Error => ("✗ Error", colours.error),
        Severity::Note => ("⚠ Note", colours.warning),
    };
    ui.horizontal(|ui| {
        ui.label(RichText::new(sign).small().color(colour));
        let text = RichText::new(problem.to_string()).small();
        ui.add(egui::Button::new(text).frame(false).wrap_mode(egui::TextWrapMode::Truncate))
            .on_hover_text(format!("{problem}\nClick to go to the setting"))
            .clicked()
    })
    .inner
}

fn entry_ui(ui: &mut Ui, entry: &Entry) {
    let line = RichText::new(text::first_line(&entry.text)).small();
    let line = match entry.weight {
        Weight::Info => line,
        Weight::Error => line.color(theme::present(ui).error),
    };
    let label = ui.add(Label::new(line).selectable(true).truncate());
    if entry.text.contains('\n') {
        label.on_hover_text(&entry.text);
    }
}
