//! One line of a form: label, control, and what turns the setting into a list of values.

use eframe::egui::accesskit::Role;
use eframe::egui::{FontId, Label, Rect, RichText, Sense, Ui, WidgetInfo, pos2, vec2};

use super::about::Sweeping;
use super::section::{Heading, heading_ui};
use super::{FormContext, FormRequest, Slot, body_ui, head_ui, marks, overrides};
use crate::icons::Icon;
use crate::theme::{self, BODY, cell_ui, fitted};
use crate::widgets;
use form::{Field, List, Node, Value, text};

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
    let slot = Slot { name: field.label.to_owned(), label: None, field: *field };
    setting_ui(ui, &slot, value, !is_default, context)
}

/// Draws a value that no field declares, such as what an alternative carries, under a title.
pub(super) fn titled_ui(ui: &mut Ui, title: &str, value: &mut dyn Value, context: &mut FormContext) -> bool {
    setting_ui(ui, &Slot::named(title), value, false, context).changed
}

fn setting_ui(
    ui: &mut Ui,
    slot: &Slot,
    value: &mut dyn Value,
    can_reset: bool,
    context: &mut FormContext,
) -> LineChange {
    context.reachable(ui, |ui, context| {
        let wrong_before = context.wrong.len();
        let touched = if matches!(value.node(), Node::Group(_) | Node::Overrides(_)) {
            group_ui(ui, slot, value, context)
        } else {
            row_ui(ui, slot, value, Some(can_reset), context)
        };
        context.wrong.truncate(wrong_before);
        touched
    })
}

/// A group inside a form: a heading that folds it away, with a summary of what differs from the defaults.
fn group_ui(ui: &mut Ui, slot: &Slot, value: &mut dyn Value, context: &mut FormContext) -> LineChange {
    let summary = text::summary(value, &slot.field);
    let heading = Heading {
        name: &slot.name,
        summary: if summary.is_empty() { "default" } else { &summary },
        help: slot.field.help,
        is_wrong: context.problems_inside().next().is_some(),
        is_title: false,
    };
    let starts_open = heading.is_wrong || !summary.is_empty() || context.about.has_ticks(value);
    let id = context.id(ui, "section");
    let (is_open, id) = heading_ui(ui, id, &heading, starts_open, context.leads_to_focus());
    context.first_input.get_or_insert(id);
    marks::problems_ui(ui, context);
    LineChange { changed: is_open && body_ui(ui, value, slot, context), reset: false }
}

/// A setting with a control beside its label, which has a button for the default where it `can_reset`; without that, a
/// control without a label.
fn row_ui(
    ui: &mut Ui,
    slot: &Slot,
    value: &mut dyn Value,
    can_reset: Option<bool>,
    context: &mut FormContext,
) -> LineChange {
    let mut slot = slot.clone();
    let sweeping =
        if can_sweep(value) { context.about.sweeping(&context.place) } else { Sweeping::Impossible };
    let mut touched = LineChange::default();
    let line = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::STEP / 2.0;
        let width = label_width(ui, context);
        match can_reset {
            Some(can_reset) => touched.reset = label_ui(ui, width, &mut slot, can_reset),
            None => drop(ui.allocate_exact_size(vec2(width, 1.0), Sense::hover())),
        }
        let width = (ui.available_width() - marks::ICON_WIDTH - ui.spacing().item_spacing.x).max(40.0);
        match &sweeping {
            Sweeping::Own(swept) => {
                cell_ui(ui, width, |ui| overrides::swept_ui(ui, swept, &slot, context));
            }
            Sweeping::Other(swept) => {
                cell_ui(ui, width, |ui| overrides::elsewhere_ui(ui, swept, &slot, context));
            }
            Sweeping::Possible(_) | Sweeping::Impossible => {
                touched.changed = cell_ui(ui, width, |ui| head_ui(ui, value, &slot, context));
            }
        }
        touched.changed |= end_ui(ui, value, &slot, &sweeping, context);
    });
    if can_reset == Some(true) {
        marks::changed_bar(ui, line.response.rect);
    }
    marks::problems_ui(ui, context);
    match &sweeping {
        Sweeping::Own(swept) => overrides::swept_problems_ui(ui, swept, context),
        Sweeping::Other(_) => {}
        Sweeping::Possible(_) | Sweeping::Impossible => {
            touched.changed |= body_ui(ui, value, &slot, context);
        }
    }
    if touched.reset {
        context.drafts.forget(&context.place.clone());
    }
    touched
}

/// The end of a line: turns the setting into a list of values and back, or adds a value to a list.
fn end_ui(
    ui: &mut Ui,
    value: &mut dyn Value,
    slot: &Slot,
    sweeping: &Sweeping,
    context: &mut FormContext,
) -> bool {
    let colours = theme::present(ui);
    if let Node::List(list) = value.node()
        && text::count_text(list.count(), &slot.field).is_some()
    {
        let name = format!("Add to {}", slot.name);
        return marks::icon_ui(ui, Icon::Plus, colours.text2, &name, "Add the next free number")
            && add_next(list);
    }
    match sweeping {
        Sweeping::Possible(path) => {
            let name = format!("Sweep {}", slot.name);
            if marks::icon_ui(ui, Icon::Stack, colours.text3, &name, "Sweep this: compare several values") {
                let request = overrides::first_values(value, slot, path, context);
                context.requests.push(request);
            }
        }
        Sweeping::Own(swept) => {
            let name = format!("Stop sweeping {}", slot.name);
            if marks::icon_ui(ui, Icon::Stack, colours.link, &name, "Stop sweeping: back to one value") {
                let (arm, path) = (swept.arm, swept.path.clone());
                context.requests.push(FormRequest::Sweep { arm, path, values: None });
            }
        }
        Sweeping::Other(_) | Sweeping::Impossible => {}
    }
    false
}

/// Whether a list of values makes sense: what is called by a name is no quantity to compare.
fn can_sweep(value: &mut dyn Value) -> bool {
    match value.node() {
        Node::Switch(_) | Node::Integer(_) | Node::Number(_) | Node::Parsed(_) | Node::Choice(_) => true,
        Node::List(list) => !matches!(list.sample().node(), Node::Text(_)) && text::is_plain(list),
        Node::Optional(optional) => can_sweep(optional.sample().as_mut()),
        Node::Text(_) | Node::Group(_) | Node::Overrides(_) => false,
    }
}

/// Adds the smallest number above all others of a list, or the smallest free one where there is none above.
fn add_next(list: &mut dyn List) -> bool {
    let numbers: Vec<u64> = (0..list.count())
        .filter_map(|index| {
            if let Node::Integer(integer) = list.item(index).node() { Some(integer.get()) } else { None }
        })
        .collect();
    let above = numbers.iter().max().map_or(Some(1), |most| most.checked_add(1));
    let next = above.or_else(|| (1..=u64::MAX).find(|number| !numbers.contains(number)));
    let (Some(next), end) = (next, list.count()) else { return false };
    list.insert_default(end);
    if let Node::Integer(integer) = list.item(end).node() {
        integer.set(next);
    }
    true
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
    (ui.available_width() - context.control_width - ui.spacing().item_spacing.x).max(48.0)
}

/// The label, with its help under the pointer. A changed setting has a button over the end of its label that gives the
/// default back, seen while the pointer or the keyboard is there. Returns whether that was pressed.
fn label_ui(ui: &mut Ui, width: f32, slot: &mut Slot, is_changed: bool) -> bool {
    let colours = theme::present(ui);
    let help = help(slot);
    let cell = cell_ui(ui, width, |ui| {
        let font = FontId::proportional(BODY);
        let text = RichText::new(fitted(ui.painter(), &slot.name, &font, width)).size(BODY);
        let text = text.color(if is_changed { colours.text } else { colours.text2 });
        let label = ui.add(Label::new(text).selectable(false).sense(Sense::hover()));
        let name = slot.name.clone();
        label.widget_info(|| WidgetInfo::labeled(Role::Label, true, name.as_str()));
        slot.label = Some(label.id);
        if !help.is_empty() {
            label.on_hover_text(help);
        }
        ui.min_rect()
    });
    is_changed && reset_ui(ui, cell, &slot.name)
}

fn reset_ui(ui: &mut Ui, cell: Rect, name: &str) -> bool {
    let height = cell.height();
    let at = Rect::from_min_size(
        pos2(cell.right() - marks::ICON_WIDTH, cell.top()),
        vec2(marks::ICON_WIDTH, height),
    );
    let id = ui.make_persistent_id(("reset", name, at.top().to_bits()));
    let response = ui.interact(at, id, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Reset {name}")));
    if response.has_focus() || ui.rect_contains_pointer(cell) {
        let colours = theme::present(ui);
        ui.painter().rect_filled(at, 4.0, colours.panel);
        Icon::Undo.paint(ui.painter(), at.center(), 14.0, colours.link);
        if response.has_focus() {
            widgets::focus_ring(ui, at);
        }
    }
    response.on_hover_text("Changed; click to reset to the default").clicked()
}

/// The help, with the unit.
fn help(slot: &Slot) -> String {
    let Field { help, unit, .. } = slot.field;
    let is_count = slot.field.label.eq_ignore_ascii_case(unit);
    if unit.is_empty() || slot.field.is_share() || is_count {
        help.to_owned()
    } else {
        format!("{help} (in {unit})")
    }
}

/// Draws a value that an alternative carries: a line below its drop-down, without a label.
pub(super) fn below_ui(ui: &mut Ui, value: &mut dyn Value, slot: &Slot, context: &mut FormContext) -> bool {
    context.reachable(ui, |ui, context| {
        let wrong_before = context.wrong.len();
        let touched = row_ui(ui, slot, value, None, context);
        context.wrong.truncate(wrong_before);
        touched.changed
    })
}
