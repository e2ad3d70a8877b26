//! How a setting shows that it is wrong, noteworthy, or changed; and the small icons of its line.

use eframe::egui::{Button, Color32, Label, Rect, Response, RichText, TextEdit, Ui, vec2};

use super::FormContext;
use crate::icons::Icon;
use crate::theme::{self, CONTROL, SMALL};
use crate::widgets::{self, FieldState, ICON};
use doc::{Problem, Severity};

/// Width of a button that shows only an icon, on a line of a form.
pub(super) const ICON_WIDTH: f32 = 20.0;

/// A text field, outlined where its text is wrong.
pub(super) fn field_ui(ui: &mut Ui, edit: TextEdit<'_>, is_wrong: bool) -> Response {
    widgets::field_ui(ui, edit, if is_wrong { FieldState::Wrong } else { FieldState::Plain })
}

/// A button that shows only an icon.
pub(super) fn icon_ui(ui: &mut Ui, icon: Icon, colour: Color32, name: &str, hint: &str) -> bool {
    let padding = std::mem::replace(&mut ui.spacing_mut().button_padding, vec2(2.0, 0.0));
    let button = Button::new(icon.coloured(ICON, Some(colour))).frame_when_inactive(false);
    let response = ui.add(button.min_size(vec2(ICON_WIDTH, CONTROL))).accessible_name(name);
    ui.spacing_mut().button_padding = padding;
    if response.has_focus() {
        widgets::focus_ring(ui, response.rect);
    }
    response.on_hover_text(hint).clicked()
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
            Severity::Error | Severity::Note => problem_ui(ui, problem),
        }
    }
}

fn problem_ui(ui: &mut Ui, problem: &Problem) {
    let colours = theme::present(ui);
    let colour = if problem.severity == Severity::Error { colours.bad } else { colours.warning };
    let shown = message_ui(ui, &problem.message, colour);
    if !problem.details.is_empty() {
        shown.on_hover_text(&problem.details);
    }
}

/// The messages about the present place and all settings inside, which are not drawn.
pub(super) fn problems_inside_ui(ui: &mut Ui, context: &FormContext) {
    for problem in context.problems_inside() {
        problem_ui(ui, problem);
    }
}

/// What is wrong with the control above.
pub(super) fn error_ui(ui: &mut Ui, message: &str) {
    drop(message_ui(ui, message, theme::present(ui).bad));
}

fn message_ui(ui: &mut Ui, message: &str, colour: Color32) -> Response {
    ui.add(Label::new(RichText::new(message).size(SMALL).color(colour)).wrap())
}

/// Draws the bar at the left of a line whose setting differs from its default.
pub(super) fn changed_bar(ui: &Ui, line: Rect) {
    let bar = Rect::from_min_max(line.left_top() - vec2(6.0, -6.0), line.left_bottom() - vec2(4.0, 6.0));
    ui.painter().rect_filled(bar, 1.0, theme::present(ui).link);
}
