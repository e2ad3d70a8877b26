//! A value that may be left out.

use eframe::egui::{Checkbox, Label, RichText, Ui};

use super::{FormContext, Slot};
use crate::form::Optional;

/// Draws a checkbox for its presence, and the value after it.
pub(super) fn head_ui(
    ui: &mut Ui,
    optional: &mut dyn Optional,
    slot: &Slot,
    context: &mut FormContext,
) -> bool {
    let mut is_set = optional.is_set();
    let response = ui.add(Checkbox::without_text(&mut is_set));
    let changed = response.changed();
    if changed {
        optional.set(is_set);
    }
    let hint = if is_set { "Untick to use the default" } else { "Not set; tick to set it" };
    response.accessible_name(format!("{}: set", slot.name)).on_hover_text(hint);

    if let Some(value) = optional.value() {
        return super::head_ui(ui, value, slot, context) || changed;
    }
    ui.add(Label::new(RichText::new("not set").weak()).selectable(false));
    changed
}
