//! A group inside a form: a title that folds it away, and a summary of what differs from the defaults.

use eframe::egui;
use eframe::egui::collapsing_header::{CollapsingState, paint_default_icon};
use eframe::egui::{Label, RichText, Sense, Ui, vec2};

use super::{FormContext, Slot};
use crate::form::Value;
use crate::gui::theme::cell_ui;

/// Draws the title of a section in the label column; a click opens or folds it. Returns whether it is open.
///
/// A section whose settings all have their defaults starts folded.
pub(super) fn title_ui(
    ui: &mut Ui,
    width: f32,
    slot: &Slot,
    help: &str,
    value: &mut dyn Value,
    context: &mut FormContext,
) -> bool {
    let id = context.id(ui, "section");
    let has_problem = context.has_problem_inside();
    let starts_open = has_problem || !summary(value).is_empty();
    let mut state = CollapsingState::load_with_default_open(ui.ctx(), id, starts_open);
    if context.leads_to_focus() {
        state.set_open(true);
    }
    let response = cell_ui(ui, width, |ui| {
        let (icon_rect, _) = ui.allocate_exact_size(vec2(ui.spacing().icon_width, 16.0), Sense::hover());
        let mut text = RichText::new(&slot.name);
        if has_problem && !state.is_open() {
            text = text.color(ui.visuals().error_fg_color);
        }
        let title = Label::new(text).truncate().selectable(false).sense(Sense::click());
        let response = ui.add(title);
        let openness = state.openness(ui.ctx());
        paint_default_icon(ui, openness, &response.clone().with_new_rect(icon_rect));
        response
    });
    let is_open = state.is_open();
    response.widget_info(|| {
        egui::WidgetInfo::selected(egui::accesskit::Role::DisclosureTriangle, true, is_open, &slot.name)
    });
    context.note_input(&response);
    let response = if help.is_empty() { response } else { response.on_hover_text(help) };
    if response.clicked() {
        state.toggle(ui);
    }
    let is_open = state.is_open();
    state.store(ui.ctx());
    is_open
}

/// Draws what differs from the defaults, as in the file.
pub(super) fn summary_ui(ui: &mut Ui, value: &dyn Value) -> bool {
    let text = summary(value);
    let text = if text.is_empty() { "default" } else { &text };
    ui.add(Label::new(RichText::new(text).weak().small()).truncate().selectable(false));
    false
}

fn summary(value: &dyn Value) -> String {
    let text = value.to_ron();
    text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(&text).trim().to_owned()
}
