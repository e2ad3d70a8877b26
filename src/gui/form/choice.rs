//! One of several alternatives: a combo box, and the settings of what is chosen.

use eframe::egui::{ComboBox, Ui};

use super::{FormContext, Slot, line, marks};
use crate::form::path::Segment;
use crate::form::{Choice, Node, Value, Variant};

/// Draws the combo box, and after it the settings of the chosen alternative if they are a single value.
pub(super) fn head_ui(ui: &mut Ui, choice: &mut dyn Choice, slot: &Slot, context: &mut FormContext) -> bool {
    let width = ui.available_width();
    let shares_line = choice.payload().is_some_and(has_short_head);
    let combo_width = if shares_line { (width * 0.55).round() } else { width };
    let mut changed = combo_ui(ui, choice, combo_width, slot, context);

    let variant = choice.variant();
    if let Some(payload) = choice.payload()
        && has_short_head(payload)
    {
        let inner = payload_slot(variant);
        changed |= context.at(Segment::Variant(variant.key.to_owned()), |context| {
            super::head_ui(ui, payload, &inner, context)
        });
    }
    changed
}

/// Draws the settings of the chosen alternative, below its combo box.
pub(super) fn body_ui(ui: &mut Ui, choice: &mut dyn Choice, context: &mut FormContext) -> bool {
    let variant = choice.variant();
    let Some(payload) = choice.payload() else { return false };
    context.at(Segment::Variant(variant.key.to_owned()), |context| {
        marks::problems_ui(ui, context);
        if matches!(payload.node(), Node::Group(group) if group.fields().is_empty()) {
            return false;
        }
        if has_short_head(payload) {
            return super::body_ui(ui, payload, &payload_slot(variant), context);
        }
        let slot = payload_slot(variant);
        line::indented_ui(ui, context, |ui, context| super::whole_ui(ui, payload, &slot, context))
    })
}

fn combo_ui(
    ui: &mut Ui,
    choice: &mut dyn Choice,
    width: f32,
    slot: &Slot,
    context: &mut FormContext,
) -> bool {
    let (variants, selected) = (choice.variants(), choice.selected());
    let salt = (context.place.to_string(), "choice");
    let combo = ComboBox::from_id_salt(salt).selected_text(variants[selected].label).width(width).truncate();
    let shown = combo.show_ui(ui, |ui| {
        let mut chosen = None;
        for (index, variant) in variants.iter().enumerate() {
            if ui.selectable_label(index == selected, variant.label).on_hover_text(variant.help).clicked() {
                chosen = Some(index);
            }
        }
        chosen
    });
    context.finish_input(ui, slot, shown.response).on_hover_text(variants[selected].help);
    let chosen = shown.inner.flatten().filter(|index| *index != selected);
    if let Some(index) = chosen {
        choice.select(index);
    }
    chosen.is_some()
}

fn payload_slot(variant: Variant) -> Slot {
    Slot { range: variant.range, ..Slot::named(variant.label) }
}

/// Whether the head of a value is short enough for the line of a combo box.
fn has_short_head(value: &mut dyn Value) -> bool {
    match value.node() {
        Node::Switch(_) | Node::Integer(_) | Node::Number(_) | Node::Text(_) | Node::Parsed(_) => true,
        Node::List(list) => !super::list::holds_numbers(list),
        _ => false,
    }
}
