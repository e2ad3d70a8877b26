//! How a setting shows that it is wrong, noteworthy, or changed.

use eframe::egui;
use eframe::egui::{Color32, Rect, Response, RichText, Stroke, StrokeKind, Ui};

use super::FormContext;
use crate::doc::Severity;

/// The one accent colour of the window.
pub(super) fn accent(ui: &Ui) -> Color32 {
    ui.visuals().hyperlink_color
}

/// The messages about the present place: what its control says itself, else what validation says.
pub(super) fn problems_ui(ui: &mut Ui, context: &FormContext) {
    let mut has_own_error = false;
    for (_, message) in context.wrong.iter().filter(|(place, _)| *place == context.place) {
        error_ui(ui, message);
        has_own_error = true;
    }
    for problem in context.problems_here() {
        match problem.severity {
            Severity::Error if has_own_error => {}
            Severity::Error => error_ui(ui, &problem.message),
            Severity::Note => message_ui(ui, &problem.message, ui.visuals().warn_fg_color),
        }
    }
}

/// That runs have other values than the control above.
pub(super) fn swept_ui(ui: &mut Ui, context: &FormContext) {
    if let Some(text) = context.swept_here() {
        message_ui(ui, text, ui.visuals().text_color());
    }
}

/// What is wrong with the control above.
pub(super) fn error_ui(ui: &mut Ui, message: &str) {
    message_ui(ui, message, ui.visuals().error_fg_color);
}

fn message_ui(ui: &mut Ui, message: &str, colour: Color32) {
    ui.add(egui::Label::new(RichText::new(message).small().color(colour)).wrap());
}

/// Draws the outline of a control that holds something wrong.
pub(super) fn outline_wrong(ui: &Ui, response: &Response) {
    let stroke = Stroke::new(1.0, ui.visuals().error_fg_color);
    ui.painter().rect_stroke(response.rect, 2.0, stroke, StrokeKind::Inside);
}

/// Draws the bar at the left of a line whose setting differs from its default.
pub(super) fn changed_bar(ui: &Ui, line: Rect) {
    let bar =
        Rect::from_min_max(line.left_top() - egui::vec2(6.0, 0.0), line.left_bottom() - egui::vec2(4.0, 0.0));
    ui.painter().rect_filled(bar, 1.0, accent(ui));
}
