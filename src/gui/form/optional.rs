//! A value that may be left out: its field is empty then, and shows what holds instead.

use eframe::egui::Ui;

use super::choice::{self, Picked};
use super::{FormContext, Slot, leaf};
use crate::widgets;
use form::{Names, Node, Optional, Value};

/// Draws the field or drop-down of a value that may be left out.
pub(super) fn head_ui(
    ui: &mut Ui,
    optional: &mut dyn Optional,
    slot: &Slot,
    context: &mut FormContext,
) -> bool {
    let mut sample = optional.sample();
    match sample.node() {
        Node::Choice(kinds) => {
            let hint = context.about.hint(&slot.field);
            let selected = optional.value().and_then(|value| {
                if let Node::Choice(choice) = value.node() { Some(choice.selected()) } else { None }
            });
            let shown = selected.map_or(hint.as_str(), |index| kinds.variants()[index].label);
            let chosen = choice::drop_down_ui(ui, shown, Some(&hint), kinds, selected, slot, context);
            let wanted = match chosen {
                None => return false,
                Some(Picked::Nothing) => None,
                Some(Picked::Alternative(index)) => Some(index),
            };
            set(optional, wanted.is_some(), slot, context);
            if let (Some(index), Some(value)) = (wanted, optional.value())
                && let Node::Choice(inner) = value.node()
                && inner.selected() != index
            {
                choice::choose(inner, index, context);
            }
            wanted != selected
        }
        Node::Switch(_)
        | Node::Integer(_)
        | Node::Number(_)
        | Node::Text(_)
        | Node::Parsed(_)
        | Node::Group(_)
        | Node::List(_)
        | Node::Overrides(_)
        | Node::Optional(_) => whole_ui(ui, optional, slot, context),
    }
}

/// Whether a line of text can have the value, or none.
pub(super) fn is_line(optional: &dyn Optional) -> bool {
    let mut sample = optional.sample();
    matches!(sample.node(), Node::Integer(_) | Node::Number(_) | Node::Text(_) | Node::Parsed(_))
}

/// Draws the line of text of such a value.
pub(super) fn line_ui(ui: &mut Ui, value: &mut dyn Value, slot: &Slot, context: &mut FormContext) -> bool {
    match slot.field.names {
        Names::Folder | Names::File => leaf::path_ui(ui, value, slot, context),
        Names::Nothing | Names::Layers | Names::Parameter => leaf::line_ui(ui, value, slot, context),
    }
}

/// Several settings at once: those from outside, or separate ones.
fn whole_ui(ui: &mut Ui, optional: &mut dyn Optional, slot: &Slot, context: &mut FormContext) -> bool {
    let hint = context.about.hint(&slot.field);
    let is_set = optional.is_set();
    let own = "own settings";
    let salt = (context.place.to_string(), "own");
    let (shown, width) = (if is_set { own } else { &hint }, ui.available_width());
    let opened = widgets::drop_down(salt, shown).width(width).truncate().show_ui(ui, |ui| {
        let outer = ui.selectable_label(!is_set, &hint).clicked().then_some(false);
        outer.or(ui.selectable_label(is_set, own).clicked().then_some(true))
    });
    let help = widgets::drop_down_hint(ui, shown, width, slot.field.help);
    context.finish_input(ui, slot, opened.response).on_hover_text(help);
    let Some(wanted) = opened.inner.flatten().filter(|wanted| *wanted != is_set) else { return false };
    set(optional, wanted, slot, context);
    true
}

/// Sets a value, at first to what it inherits, or leaves it out.
fn set(optional: &mut dyn Optional, is_set: bool, slot: &Slot, context: &mut FormContext) {
    let was_set = optional.is_set();
    if was_set != is_set {
        optional.set(is_set);
    }
    if is_set
        && !was_set
        && let (Some(inherited), Some(value)) = (context.about.inherited(&slot.field), optional.value())
        && value.set_ron(&inherited).is_err()
    {
        optional.set(true); // its own default, where what is outside is of another kind
    }
}
