//! One of several alternatives: a combo box, and the settings of what is chosen.

use eframe::egui::{ComboBox, Ui};

use super::{FormContext, Slot, line, marks};
use crate::form::path::Segment;
use crate::form::{Choice, Node, Value, Variant};

/// Draws the combo box, and behind it what the chosen alternative carries if that is a single value.
pub(super) fn head_ui(ui: &mut Ui, choice: &mut dyn Choice, slot: &Slot, context: &mut FormContext) -> bool {
    let width = ui.available_width();
    let shares_line = choice.payload().is_some_and(has_short_head);
    let combo_width = if shares_line { (width * 0.55).round() } else { width };
    let mut changed = combo_ui(ui, choice, combo_width, slot, context);

    let variant = choice.variants()[choice.selected()];
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
    let variant = choice.variants()[choice.selected()];
    let Some(payload) = choice.payload() else { return false };
    context.at(Segment::Variant(variant.key.to_owned()), |context| {
        marks::problems_ui(ui, context);
        if matches!(payload.node(), Node::Group(group) if group.fields().is_empty()) {
            return false;
        }
        if has_short_head(payload) {
            return super::body_ui(ui, payload, &payload_slot(variant), context);
        }
        line::indented_ui(ui, context, |ui, context| match payload.node() {
            Node::Group(group) => super::group::rows_ui(ui, group, context),
            Node::Choice(choice) => {
                let title = choice.title();
                line::titled_ui(ui, title, payload, context)
            }
            _ => {
                let slot = payload_slot(variant);
                ui.horizontal(|ui| super::head_ui(ui, payload, &slot, context)).inner
            }
        })
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
    context.note_input(&shown.response);
    let response = slot.name(shown.response).on_hover_text(variants[selected].help);
    if context.is_wrong() {
        marks::outline_wrong(ui, &response);
    }
    let chosen = shown.inner.flatten().filter(|index| *index != selected);
    if let Some(index) = chosen {
        choice.select(index);
    }
    chosen.is_some()
}

fn payload_slot(variant: Variant) -> Slot {
    Slot { range: variant.range, ..Slot::named(variant.label) }
}

/// Whether the head of a value is short enough to stand behind a combo box.
fn has_short_head(value: &mut dyn Value) -> bool {
    match value.node() {
        Node::Switch(_) | Node::Integer(_) | Node::Number(_) | Node::Text(_) | Node::Parsed(_) => true,
        Node::List(list) => !super::list::is_on_one_line(list),
        _ => false,
    }
}
