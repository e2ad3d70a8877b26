//! Any number of values of one kind, line by line.

use eframe::egui::containers::menu::MenuButton;
use eframe::egui::{Button, Label, RichText, Ui};

use super::{FormContext, Slot, line, marks};
use crate::form::path::Segment;
use crate::form::{List, Node, Value, name_of};
use crate::gui::icons::Icon;
use crate::gui::theme::{self, CONTROL, cell_ui};
use crate::gui::widgets::{self, ICON};

/// What the user asks for in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListEdit {
    Duplicate(usize),
    Remove(usize),
    /// Exchanges an item with the next one.
    Swap(usize),
    Append,
}

/// Draws how many items there are, and the button that adds one.
pub(super) fn head_ui(ui: &mut Ui, list: &mut dyn List, slot: &Slot) -> bool {
    let add = ui.add(widgets::button(Icon::Plus, "add")).accessible_name(format!("Add to {}", slot.name));
    let add = add.on_hover_text("Add one at the end").clicked();
    if list.count() == 0 {
        ui.add(Label::new(RichText::new("none").color(theme::present(ui).text3)).selectable(false));
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
    let item_slot = Slot { name: format!("{} {}", slot.name, index + 1), label: None, field: slot.field };
    let wrong_before = context.wrong.len();
    let mut edit = None;
    let line = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::STEP / 2.0;
        let buttons = 2.0 * (marks::ICON_WIDTH + ui.spacing().item_spacing.x);
        let width = (ui.available_width() - buttons).max(40.0);
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
    let colours = theme::present(ui);
    let remove = marks::icon_ui(ui, Icon::X, colours.text2, &format!("Remove {name}"), "Remove");
    let removed = remove.then_some(ListEdit::Remove(index));
    let padding = std::mem::replace(&mut ui.spacing_mut().button_padding, eframe::egui::vec2(2.0, 0.0));
    let button = Button::new(Icon::DotsThree.coloured(ICON, Some(colours.text2))).frame_when_inactive(false);
    let button = MenuButton::from_button(button.min_size(eframe::egui::vec2(marks::ICON_WIDTH, CONTROL)));
    let (more, menu) = button.ui(ui, |ui| menu_ui(ui, index, count));
    ui.spacing_mut().button_padding = padding;
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

/// Whether a list is one line of text.
pub(super) fn is_line(list: &dyn List) -> bool {
    let mut sample = list.sample();
    matches!(sample.node(), Node::Integer(_) | Node::Number(_) | Node::Parsed(_))
}
