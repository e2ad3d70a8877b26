//! Any number of values of one kind: numbers side by side, everything else line by line.

use eframe::egui::containers::menu::MenuButton;
use eframe::egui::{Button, Label, RichText, Ui};

use super::sign::{self, Sign};
use super::{FormContext, Slot, line, marks};
use crate::form::path::Segment;
use crate::form::{List, Node, Value, name_of};
use crate::gui::scroll::scrolled_ui;
use crate::gui::theme::cell_ui;

/// Longer lists of numbers are edited as one line of text.
const MOST_CONTROLS: usize = 24;
/// Width of one number of a list.
const NUMBER_WIDTH: f32 = 52.0;

/// What the user asks for in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListEdit {
    Duplicate(usize),
    Remove(usize),
    /// Exchanges an item with the next one.
    Swap(usize),
    Append,
}

/// Whether a list is short and holds numbers, so that it fits on a line.
pub(super) fn is_compact(list: &dyn List) -> bool {
    holds_numbers(list) && list.count() <= MOST_CONTROLS
}

/// Whether a list holds numbers. Such a list fits on one line and has no body.
pub(super) fn holds_numbers(list: &dyn List) -> bool {
    matches!(list.sample().node(), Node::Integer(_) | Node::Number(_) | Node::Parsed(_))
}

/// Draws numbers side by side, with + and −; the menu of a number (right click, or ⋯ after the last) has the rest.
pub(super) fn compact_ui(ui: &mut Ui, list: &mut dyn List, slot: &Slot, context: &mut FormContext) -> bool {
    let count = list.count();
    let mut changed = false;
    let mut edit = None;
    let gap = ui.spacing().item_spacing.x / 2.0;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = gap;
        for index in 0..count {
            let item_slot = Slot { unit: "", ..slot.part(format!("{} {}", slot.name, index + 1)) };
            context.at(Segment::Index(index), |context| {
                context.reachable(ui, |ui, context| {
                    changed |= cell_ui(ui, NUMBER_WIDTH, |ui| {
                        super::head_ui(ui, list.item(index), &item_slot, context)
                    });
                    let response = context.first_input.and_then(|input| ui.ctx().read_response(input));
                    if let Some(response) = response {
                        response.context_menu(|ui| edit = edit.or(menu_ui(ui, index, count)));
                    }
                });
            });
        }
        let add = ui.add(sign::text_button("+")).accessible_name(format!("Add to {}", slot.name));
        if add.on_hover_text("Add another like the last").clicked() {
            edit = Some(if count > 0 { ListEdit::Duplicate(count - 1) } else { ListEdit::Append });
        }
        let remove = ui.add_enabled(count > 0, sign::text_button("−"));
        let remove =
            remove.accessible_name(format!("Remove last of {}", slot.name)).on_hover_text("Remove the last");
        if remove.on_disabled_hover_text("The list is empty").clicked() {
            edit = Some(ListEdit::Remove(count - 1));
        }
        if count > 0 {
            edit = edit.or(numbers_ui(ui, list, slot));
        }
    });
    note_wrong_items(list.count(), context);
    apply(list, edit) || changed
}

/// The menus of all numbers of a compact list, for use without the right mouse button.
fn numbers_ui(ui: &mut Ui, list: &mut dyn List, slot: &Slot) -> Option<ListEdit> {
    let count = list.count();
    let (more, menu) = MenuButton::from_button(Sign::More.button()).ui(ui, |ui| {
        let mut edit = None;
        scrolled_ui(ui, |ui| {
            for index in 0..count {
                let title = format!("{} {}: {}", slot.name, index + 1, list.item(index).to_ron());
                ui.menu_button(title, |ui| edit = edit.or(menu_ui(ui, index, count)));
            }
        });
        edit
    });
    more.accessible_name(format!("More for {}", slot.name)).on_hover_text("Duplicate, move or remove one");
    menu.and_then(|menu| menu.inner)
}

/// Notes which numbers of a compact list are wrong, for the messages below its line.
fn note_wrong_items(count: usize, context: &mut FormContext) {
    for index in 0..count {
        let place = context.place.index(index);
        let own = context.wrong.iter().find(|(wrong, _)| *wrong == place).map(|(_, message)| message.clone());
        let found = || context.problems.iter().find(|problem| problem.place == place);
        if let Some(message) = own.or_else(|| found().map(|problem| problem.message.clone())) {
            context.note_wrong(format!("No. {}: {message}", index + 1));
        }
    }
}

/// Draws how many items there are, and the button that adds one.
pub(super) fn head_ui(ui: &mut Ui, list: &mut dyn List, slot: &Slot) -> bool {
    let add = ui.button("+ Add").accessible_name(format!("Add to {}", slot.name));
    let add = add.on_hover_text("Add one at the end").clicked();
    if list.count() == 0 {
        ui.add(Label::new(RichText::new("none").weak()).selectable(false));
    }
    apply(list, add.then_some(ListEdit::Append))
}

/// Draws the items line by line.
pub(super) fn body_ui(ui: &mut Ui, list: &mut dyn List, slot: &Slot, context: &mut FormContext) -> bool {
    let count = list.count();
    let mut changed = false;
    let mut edit = None;
    line::indented_ui(ui, context, |ui, context| {
        for index in 0..count {
            context.at(Segment::Index(index), |context| {
                context.reachable(ui, |ui, context| {
                    let (is_changed, wanted) = item_ui(ui, list.item(index), (index, count), slot, context);
                    changed |= is_changed;
                    edit = edit.or(wanted);
                });
            });
        }
    });
    apply(list, edit) || changed
}

fn item_ui(
    ui: &mut Ui,
    value: &mut dyn Value,
    (index, count): (usize, usize),
    slot: &Slot,
    context: &mut FormContext,
) -> (bool, Option<ListEdit>) {
    let item_slot = slot.part(format!("{} {}", slot.name, index + 1));
    let wrong_before = context.wrong.len();
    let mut edit = None;
    let line = ui.horizontal(|ui| {
        let buttons = 2.0 * (sign::WIDTH + ui.spacing().item_spacing.x);
        let width = (ui.available_width() - buttons).max(48.0);
        let changed = cell_ui(ui, width, |ui| match name_of(value) {
            Some(name) => {
                ui.add(Label::new(name).truncate().selectable(false));
                false
            }
            None => super::head_ui(ui, value, &item_slot, context),
        });
        edit = item_buttons_ui(ui, index, count, &item_slot.name);
        changed
    });
    marks::problems_ui(ui, context);
    let changed = super::body_ui(ui, value, &item_slot, context) || line.inner;
    context.wrong.truncate(wrong_before);
    (changed, edit)
}

fn item_buttons_ui(ui: &mut Ui, index: usize, count: usize, name: &str) -> Option<ListEdit> {
    let remove =
        ui.add(Sign::Cross.button()).accessible_name(format!("Remove {name}")).on_hover_text("Remove");
    let removed = remove.clicked().then_some(ListEdit::Remove(index));
    let (more, menu) = MenuButton::from_button(Sign::More.button()).ui(ui, |ui| menu_ui(ui, index, count));
    more.accessible_name(format!("More for {name}")).on_hover_text("Duplicate, move or remove");
    removed.or(menu.and_then(|menu| menu.inner))
}

fn menu_ui(ui: &mut Ui, index: usize, count: usize) -> Option<ListEdit> {
    let mut edit = None;
    let mut entry = |text: &str, is_possible: bool, why_not: &str, wanted: ListEdit| {
        let response = ui.add_enabled(is_possible, Button::new(text)).on_disabled_hover_text(why_not);
        if response.clicked() {
            edit = Some(wanted);
            ui.close();
        }
    };
    entry("Duplicate", true, "", ListEdit::Duplicate(index));
    entry("Move up", index > 0, "It is the first one", ListEdit::Swap(index.saturating_sub(1)));
    entry("Move down", index + 1 < count, "It is the last one", ListEdit::Swap(index));
    entry("Remove", true, "", ListEdit::Remove(index));
    edit
}

fn apply(list: &mut dyn List, edit: Option<ListEdit>) -> bool {
    match edit {
        Some(ListEdit::Duplicate(index)) => list.duplicate(index),
        Some(ListEdit::Remove(index)) => list.remove(index),
        Some(ListEdit::Swap(index)) => list.swap(index, index + 1),
        Some(ListEdit::Append) => list.insert_default(list.count()),
        None => return false,
    }
    true
}
