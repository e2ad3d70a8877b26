//! One line of a form: label, control, and a button that gives the setting its default.

use eframe::egui;
use eframe::egui::{Label, RichText, Sense, Ui};

use super::sign::{self, Sign};
use super::{FormContext, Slot, body_ui, head_ui, marks};
use crate::form::{Field, Node, Value};
use crate::gui::theme::cell_ui;

/// Indentation of what belongs to the line above; less further inside, where width is short.
const INDENT: f32 = 12.0;
const DEEP_INDENT: f32 = 6.0;
/// Steps of a place from which on the smaller indentation is used.
const DEEP: usize = 6;

/// What happened on a line.
#[derive(Clone, Copy, Default)]
pub(super) struct LineChange {
    /// The value was changed.
    pub changed: bool,
    /// The default was asked for.
    pub reset: bool,
}

/// Draws a field of a group: its line, what is wrong with it, and its body.
pub(super) fn field_ui(
    ui: &mut Ui,
    field: &Field,
    value: &mut dyn Value,
    is_default: bool,
    context: &mut FormContext,
) -> LineChange {
    let slot = Slot {
        name: field.label.to_owned(),
        label: None,
        key: field.key,
        unit: field.unit,
        range: field.range,
    };
    setting_ui(ui, &slot, field.help, value, !is_default, context)
}

/// Draws a value that no field declares, such as what an alternative carries, under a title.
pub(super) fn titled_ui(ui: &mut Ui, title: &str, value: &mut dyn Value, context: &mut FormContext) -> bool {
    setting_ui(ui, &Slot::named(title), "", value, false, context).changed
}

fn setting_ui(
    ui: &mut Ui,
    slot: &Slot,
    help: &str,
    value: &mut dyn Value,
    can_reset: bool,
    context: &mut FormContext,
) -> LineChange {
    context.reachable(ui, |ui, context| {
        let wrong_before = context.wrong.len();
        let is_section = matches!(value.node(), Node::Group(_));
        let line = ui.horizontal(|ui| {
            let mut slot = slot.clone();
            let help = help_with_unit(value, &slot, help);
            let width = label_width(ui, context);
            let is_open = if is_section {
                super::section::title_ui(ui, width, &slot, &help, value, context)
            } else {
                slot.label = Some(label_ui(ui, width, &slot.name, &help, can_reset));
                true
            };
            let mut touched = LineChange { changed: control_ui(ui, value, &slot, context), reset: false };
            touched.reset = can_reset && reset_ui(ui, &slot.name);
            (touched, slot, is_open)
        });
        let (mut touched, slot, is_open) = line.inner;
        if can_reset {
            marks::changed_bar(ui, line.response.rect);
        }
        marks::swept_ui(ui, context);
        marks::problems_ui(ui, context);
        if is_open {
            touched.changed |= body_ui(ui, value, &slot, context);
        }
        context.wrong.truncate(wrong_before);
        touched
    })
}

/// The help, with the unit where it does not fit after the numbers.
fn help_with_unit(value: &mut dyn Value, slot: &Slot, help: &str) -> String {
    match value.node() {
        Node::List(_) if !slot.unit.is_empty() => format!("{help} (in {})", slot.unit),
        _ => help.to_owned(),
    }
}

/// Draws what belongs to the line above, a little further right.
pub(super) fn indented_ui<R>(
    ui: &mut Ui,
    context: &mut FormContext,
    draw: impl FnOnce(&mut Ui, &mut FormContext) -> R,
) -> R {
    let indent = if context.place.0.len() < DEEP { INDENT } else { DEEP_INDENT };
    ui.scope(|ui| {
        ui.spacing_mut().indent = indent;
        ui.indent("body", |ui| draw(ui, context)).inner
    })
    .inner
}

/// Width of the label column: the part left of the controls, which are aligned at every depth.
pub(super) fn label_width(ui: &Ui, context: &FormContext) -> f32 {
    (ui.available_width() - context.control_width - ui.spacing().item_spacing.x).max(72.0)
}

fn label_ui(ui: &mut Ui, width: f32, name: &str, help: &str, is_changed: bool) -> egui::Id {
    let text = if is_changed { RichText::new(name).strong() } else { RichText::new(name) };
    cell_ui(ui, width, |ui| {
        let response = ui.add(Label::new(text).truncate().selectable(false).sense(Sense::hover()));
        let id = response.id;
        if !help.is_empty() {
            response.on_hover_text(help);
        }
        id
    })
}

/// The control, between the label and the reset button. Its width is the same without that button, so that controls
/// align.
fn control_ui(ui: &mut Ui, value: &mut dyn Value, slot: &Slot, context: &mut FormContext) -> bool {
    let width = ui.available_width() - sign::WIDTH - ui.spacing().item_spacing.x;
    cell_ui(ui, width.max(48.0), |ui| head_ui(ui, value, slot, context))
}

fn reset_ui(ui: &mut Ui, name: &str) -> bool {
    let response = ui.add(Sign::Reset.coloured_button(Some(marks::accent(ui))));
    response
        .accessible_name(format!("Reset {name}"))
        .on_hover_text("Changed; click to reset to the default")
        .clicked()
}
