//! Any number of values of one kind, line by line.

use eframe::egui::containers::menu::{MenuButton, SubMenuButton};
use eframe::egui::{Button, Color32, KeyboardShortcut, Label, RichText, Ui};

use super::{FormContext, Slot, line, marks};
use crate::icons::Icon;
use crate::theme::{self, CONTROL, cell_ui};
use crate::widgets::{self, ICON};
use form::path::Segment;
use form::{Field, List, Node, Value, name_of};

/// What the user asks for in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListEdit {
    Duplicate(usize),
    Remove(usize),
    /// Takes an item to another position.
    Move(usize, usize),
    /// Puts a new item there: the default, or this alternative.
    Insert(usize, Option<usize>),
}

/// What can be done with an item of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemAction {
    Duplicate,
    MoveUp,
    MoveDown,
    Remove,
}

impl ItemAction {
    /// All of them, in the order in which menus have them.
    pub const ALL: [Self; 4] = [Self::Duplicate, Self::MoveUp, Self::MoveDown, Self::Remove];

    const fn name(self) -> &'static str {
        match self {
            Self::Duplicate => "Duplicate",
            Self::MoveUp => "Move up",
            Self::MoveDown => "Move down",
            Self::Remove => "Remove",
        }
    }

    /// Its key, while the line of the item has the keyboard.
    pub const fn shortcut(self) -> KeyboardShortcut {
        match self {
            Self::Duplicate => widgets::DUPLICATE,
            Self::MoveUp => widgets::MOVE_UP,
            Self::MoveDown => widgets::MOVE_DOWN,
            Self::Remove => widgets::REMOVE,
        }
    }

    /// What it does to the item at `index` of `count`; nothing where it is not possible.
    pub const fn edit(self, index: usize, count: usize) -> Option<ListEdit> {
        match self {
            Self::Duplicate => Some(ListEdit::Duplicate(index)),
            Self::MoveUp if index > 0 => Some(ListEdit::Move(index, index - 1)),
            Self::MoveDown if index + 1 < count => Some(ListEdit::Move(index, index + 1)),
            Self::Remove => Some(ListEdit::Remove(index)),
            Self::MoveUp | Self::MoveDown => None,
        }
    }

    const fn why_not(self) -> &'static str {
        match self {
            Self::MoveUp => "It is the first one",
            Self::MoveDown => "It is the last one",
            Self::Duplicate | Self::Remove => "",
        }
    }
}

/// Draws how many items there are, and the button that adds one.
pub(super) fn head_ui(ui: &mut Ui, list: &mut dyn List, slot: &Slot) -> bool {
    let add = ui.add(widgets::button(Icon::Plus, "add")).accessible_name(format!("Add to {}", slot.name));
    let add = add.on_hover_text("Add one at the end").clicked();
    if list.count() == 0 {
        ui.add(Label::new(RichText::new("none").color(theme::present(ui).text3)).selectable(false));
    }
    let end = list.count();
    apply(list, add.then_some(ListEdit::Insert(end, None)))
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

/// Draws the button that removes an item, and the menu of what else can be done with it.
fn item_buttons_ui(ui: &mut Ui, index: usize, count: usize, name: &str) -> Option<ListEdit> {
    let colours = theme::present(ui);
    let remove = marks::icon_ui(ui, Icon::X, colours.text2, &format!("Remove {name}"), "Remove");
    let removed = remove.then_some(ListEdit::Remove(index));
    removed.or(more_ui(ui, (index, count), name, colours.text2, &[]))
}

/// Draws the button of the menu of an item.
pub(super) fn more_ui(
    ui: &mut Ui,
    place: (usize, usize),
    name: &str,
    colour: Color32,
    kinds: &[Field],
) -> Option<ListEdit> {
    let padding = std::mem::replace(&mut ui.spacing_mut().button_padding, eframe::egui::vec2(2.0, 0.0));
    let button = Button::new(Icon::DotsThree.coloured(ICON, Some(colour))).frame_when_inactive(false);
    let button = MenuButton::from_button(button.min_size(eframe::egui::vec2(marks::ICON_WIDTH, CONTROL)));
    let (more, menu) = button.ui(ui, |ui| menu_ui(ui, place, kinds));
    ui.spacing_mut().button_padding = padding;
    if more.has_focus() {
        widgets::focus_ring(ui, more.rect);
    }
    more.accessible_name(format!("More for {name}")).on_hover_text("Duplicate, move or remove");
    menu.and_then(|menu| menu.inner)
}

/// What can be done with an item, by its position and the number of all, as entries of a menu, with a submenu of
/// the alternatives that can be added after it, if any.
pub(super) fn menu_ui(ui: &mut Ui, (index, count): (usize, usize), kinds: &[Field]) -> Option<ListEdit> {
    let mut edit = None;
    for action in ItemAction::ALL {
        let wanted = action.edit(index, count);
        let key = ui.ctx().format_shortcut(&action.shortcut());
        let entry = Button::new(action.name()).shortcut_text(key);
        let entry = ui.add_enabled(wanted.is_some(), entry).accessible_name(action.name());
        if entry.on_disabled_hover_text(action.why_not()).clicked() {
            edit = wanted;
            ui.close();
        }
    }
    if !kinds.is_empty() {
        let (_, added) = SubMenuButton::new("Add after it").ui(ui, |ui| kinds_ui(ui, kinds));
        let kind = added.and_then(|added| added.inner);
        edit = edit.or(kind.map(|kind| ListEdit::Insert(index + 1, Some(kind))));
    }
    edit
}

/// Draws alternatives as entries of a menu. Returns the position of the chosen one.
pub(super) fn kinds_ui(ui: &mut Ui, kinds: &[Field]) -> Option<usize> {
    let mut chosen = None;
    for (index, kind) in kinds.iter().enumerate() {
        if ui.button(kind.label).on_hover_text(kind.help).clicked() {
            chosen = Some(index);
            ui.close();
        }
    }
    chosen
}

/// Does what is asked for.
pub(super) fn apply(list: &mut dyn List, edit: Option<ListEdit>) -> bool {
    match edit {
        Some(ListEdit::Duplicate(index)) => list.duplicate(index),
        Some(ListEdit::Remove(index)) => list.remove(index),
        Some(ListEdit::Move(from, to)) => {
            (from..to).for_each(|at| list.swap(at, at + 1));
            (to..from).rev().for_each(|at| list.swap(at, at + 1));
        }
        Some(ListEdit::Insert(index, kind)) => {
            list.insert_default(index);
            if let (Node::Choice(choice), Some(kind)) = (list.item(index).node(), kind) {
                choice.select(kind);
            }
        }
        None => return false,
    }
    true
}

/// Whether a list is one line of text.
pub(super) fn is_line(list: &dyn List) -> bool {
    let mut sample = list.sample();
    matches!(sample.node(), Node::Integer(_) | Node::Number(_) | Node::Parsed(_))
}
