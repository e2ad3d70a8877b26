//! The settings of a group, line by line.

use eframe::egui::Ui;

use super::{FormContext, line};
use crate::form::path::Segment;
use crate::form::{Field, Group};

/// Draws one line for each of these fields that has no editor elsewhere.
pub(super) fn rows_ui(
    ui: &mut Ui,
    group: &mut dyn Group,
    is_shown: &dyn Fn(&Field) -> bool,
    context: &mut FormContext,
) -> bool {
    let mut changed = false;
    for (index, field) in group.fields().iter().enumerate() {
        if context.elsewhere.contains(&field.key) || !is_shown(field) {
            continue;
        }
        let is_default = group.is_default(index);
        let touched = context.at(Segment::Key(field.key.to_owned()), |context| {
            line::field_ui(ui, field, group.value(index), is_default, context)
        });
        if touched.reset {
            group.reset(index);
        }
        changed |= touched.changed || touched.reset;
    }
    changed
}
