//! The settings of a group, line by line.

use eframe::egui::Ui;

use super::{FormContext, line};
use form::path::{Segment, assign};
use form::{Field, Group, Node};

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
        let around = nearer(group, field).map(|(path, value)| {
            let around = context.about.spec.clone();
            let _ = assign(&mut context.about.spec, &path, &value); // it is a value of this kind
            around
        });
        let touched = context.at(Segment::Key(field.key.to_owned()), |context| {
            line::field_ui(ui, field, group.value(index), is_default, context)
        });
        if let Some(around) = around {
            context.about.spec = around;
        }
        if touched.reset {
            group.reset(index);
        }
        changed |= touched.changed || touched.reset;
    }
    changed
}

/// What a field of the same group has in the place of the settings around it, if another field inherits from there: the
/// optimizer of a training stage, from which its learning rate comes. Its address and its value.
fn nearer(group: &mut dyn Group, field: &Field) -> Option<(String, String)> {
    let holds = |other: &Field| {
        let rest = field.inherits.strip_prefix(other.inherits);
        !other.inherits.is_empty() && rest.is_some_and(|rest| rest.starts_with('.'))
    };
    let index = group.fields().iter().position(holds)?;
    let path = group.fields()[index].inherits.to_owned();
    let Node::Optional(optional) = group.value(index).node() else { return None };
    Some((path, optional.value()?.to_ron()))
}
