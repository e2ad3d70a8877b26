//! Any number of values of one kind, line by line.

use eframe::egui::accesskit::Role;
use eframe::egui::containers::menu::{MenuButton, SubMenuButton};
use eframe::egui::text::{LayoutJob, TextWrapping};
use eframe::egui::util::IdTypeMap;
use eframe::egui::{
    Align2, Button, Color32, Context, DragAndDrop, FontId, Frame, Id, KeyboardShortcut, Margin, Rect,
    Response, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use super::{FormContext, Slot, line};
use crate::icons::Icon;
use crate::theme::{self, BODY, CONTROL, SMALL, STEP, cell_ui};
use crate::widgets::{self, ICON, Tone};
use form::path::{Place, Segment};
use form::{Field, List, Node, Value, text};

/// A change of a list that the user asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListEdit {
    Duplicate(usize),
    Remove(usize),
    Move(usize, usize),
    /// Adds an item, wanted at a position: the default, or this alternative.
    Add(Option<usize>, Option<usize>),
}

/// An action on an item of a list.
struct ItemAction {
    name: &'static str,
    /// While the line of the item has the keyboard.
    shortcut: KeyboardShortcut,
    /// Returns what it does to the item at an index of so many; nothing where it is not possible.
    edit: fn(usize, usize) -> Option<ListEdit>,
    why_not: &'static str,
}

const ACTIONS: [ItemAction; 4] = [
    ItemAction {
        name: "Duplicate",
        shortcut: widgets::DUPLICATE,
        edit: |index, _| Some(ListEdit::Duplicate(index)),
        why_not: "",
    },
    ItemAction {
        name: "Move up",
        shortcut: widgets::MOVE_UP,
        edit: |index, _| Some(ListEdit::Move(index, index.checked_sub(1)?)),
        why_not: "It is the first one",
    },
    ItemAction {
        name: "Move down",
        shortcut: widgets::MOVE_DOWN,
        edit: |index, count| (index + 1 < count).then_some(ListEdit::Move(index, index + 1)),
        why_not: "It is the last one",
    },
    ItemAction {
        name: "Remove",
        shortcut: widgets::REMOVE,
        edit: |index, _| Some(ListEdit::Remove(index)),
        why_not: "",
    },
];

/// Draws what can be done with an item, by its position and the number of all, as entries of a menu, with a submenu of
/// the alternatives that can be added after it, if any.
fn menu_ui(ui: &mut Ui, (index, count): (usize, usize), kinds: &[Field]) -> Option<ListEdit> {
    let mut edit = None;
    for action in ACTIONS {
        let wanted = (action.edit)(index, count);
        let key = ui.ctx().format_shortcut(&action.shortcut);
        let entry = Button::new(action.name).shortcut_text(key);
        let entry = ui.add_enabled(wanted.is_some(), entry).accessible_name(action.name);
        if entry.on_disabled_hover_text(action.why_not).clicked() {
            edit = wanted;
            ui.close();
        }
    }
    for (name, at) in [("Add above", index), ("Add below", index + 1)] {
        if !kinds.is_empty() {
            let (_, added) = SubMenuButton::new(name).ui(ui, |ui| kinds_ui(ui, kinds));
            let kind = added.and_then(|added| added.inner);
            edit = edit.or(kind.map(|kind| ListEdit::Add(Some(at), Some(kind))));
        }
    }
    edit
}

/// Draws alternatives as entries of a menu. Returns the position of the chosen one.
fn kinds_ui(ui: &mut Ui, kinds: &[Field]) -> Option<usize> {
    let mut chosen = None;
    for (index, kind) in kinds.iter().enumerate() {
        if ui.button(kind.label).on_hover_text(kind.help).clicked() {
            chosen = Some(index);
            ui.close();
        }
    }
    chosen
}

/// Does what is asked for. The same item stays open, a new one in any case; the keyboard follows where it was on a line.
fn apply(
    ui: &Ui,
    list: &mut dyn List,
    edit: Option<ListEdit>,
    has_keyboard: bool,
    context: &FormContext,
) -> bool {
    let Some(edit) = edit else { return false };
    let (place, count) = (&context.place, list.count());
    let now = open_line(ui.ctx(), place);
    let (next, focused) = match edit {
        ListEdit::Duplicate(of) => {
            list.duplicate(of);
            (now.map(|now| if now >= of { now + 1 } else { now }), of + 1)
        }
        ListEdit::Remove(gone) => {
            list.remove(gone);
            let next = now.filter(|now| *now != gone).map(|now| if now > gone { now - 1 } else { now });
            (next, gone)
        }
        ListEdit::Move(from, to) => {
            (from..to).for_each(|at| list.swap(at, at + 1));
            (to..from).rev().for_each(|at| list.swap(at, at + 1));
            (now.map(|now| moved(now, from, to)), to)
        }
        ListEdit::Add(at, kind) => {
            let mut new = list.sample();
            if let (Node::Choice(choice), Some(kind)) = (new.node(), kind) {
                choice.select(kind);
            }
            let (at, new) = context.about.placed(place, count, at, new.to_ron());
            list.insert_default(at);
            let _ = list.item(at).set_ron(&new); // it was written a moment ago
            (Some(at), at)
        }
    };
    open(ui, place, next);
    if has_keyboard {
        ui.memory_mut(|memory| memory.request_focus(row_id(place, focused)));
    }
    ui.ctx().request_repaint();
    true
}

/// Returns true if a list is one line of text.
pub(super) fn is_line(list: &dyn List) -> bool {
    let mut sample = list.sample();
    matches!(sample.node(), Node::Integer(_) | Node::Number(_) | Node::Length(_))
}

const ROW: f32 = 26.0;

/// The left end of the text of a line, in points from that of the line.
const TEXT: f32 = 18.0;

/// The open item of a list.
#[derive(Clone, Copy)]
struct OpenLine(Option<usize>);

/// An item on its way to another position, in its list or in a list within it.
#[derive(Clone)]
pub struct Dragged {
    pub list: Place,
    pub path: Vec<usize>,
}

impl Dragged {
    /// Lets a row be dragged as this item, and others that it `takes` be dropped above and below it. Returns what was dropped,
    /// and whether above.
    pub fn ui(
        self,
        ui: &Ui,
        row: &Response,
        takes: impl FnOnce(&[usize]) -> bool,
    ) -> Option<(Vec<usize>, bool)> {
        let list = self.list.clone();
        if row.drag_started() {
            row.dnd_set_drag_payload(self);
        }
        let hovering = row.dnd_hover_payload::<Self>()?;
        if hovering.list != list || !takes(&hovering.path) {
            return None;
        }
        let middle = row.rect.center().y;
        let is_above = ui.input(|input| input.pointer.hover_pos()).is_some_and(|pos| pos.y < middle);
        widgets::drop_line(ui, row.rect, is_above);
        let dropped = row.dnd_release_payload::<Self>()?;
        DragAndDrop::clear_payload(ui.ctx());
        Some((dropped.path.clone(), is_above))
    }
}

/// Returns the alternatives that the items of a list have.
fn kinds(list: &dyn List) -> &'static [Field] {
    let mut sample = list.sample();
    if let Node::Choice(choice) = sample.node() { choice.variants() } else { &[] }
}

/// Draws the button that adds an item, or the menu of what can be added.
pub(super) fn head_ui(ui: &mut Ui, list: &mut dyn List, slot: &Slot, context: &mut FormContext) -> bool {
    let (count, kinds) = (list.count(), kinds(list));
    let open = open_line(ui.ctx(), &context.place).filter(|open| *open < count);
    let button = widgets::button(Icon::Plus, "add");
    let (add, kind) = if kinds.is_empty() {
        let add = ui.add(button);
        let is_clicked = add.clicked();
        (add, is_clicked.then_some(None))
    } else {
        let (add, menu) = MenuButton::from_button(button).ui(ui, |ui| kinds_ui(ui, kinds));
        (add, menu.and_then(|menu| menu.inner).map(Some))
    };
    if add.has_focus() {
        widgets::focus_ring(ui, add.rect);
    }
    let add = add.accessible_name(format!("Add to {}", slot.name));
    add.on_hover_text("Add one below the open line, or where it fits");
    let edit = kind.map(|kind| ListEdit::Add(open.map(|open| open + 1), kind));
    apply(ui, list, edit, true, context)
}

/// Draws the lines, and the settings of the open one below it.
pub(super) fn body_ui(ui: &mut Ui, list: &mut dyn List, slot: &Slot, context: &mut FormContext) -> bool {
    let (count, kinds) = (list.count(), kinds(list));
    let place = context.place.clone();
    let (mut changed, mut edit, mut has_keyboard) = (false, None, false);
    if let Some(entering) = context.about.beside.get(&place.to_string()).filter(|_| count > 0) {
        let gap = std::mem::replace(&mut ui.spacing_mut().item_spacing.y, 0.0);
        let (_, rect) = ui.allocate_space(vec2(ui.available_width(), ROW));
        ui.spacing_mut().item_spacing.y = gap;
        paint_texts(ui, rect, theme::present(ui).text2, ["Input", "", entering]);
    }
    for index in 0..count {
        let name = format!("{} {}", slot.name, index + 1);
        let item = Item { list: &place, name, position: (index, count), kinds, slot };
        context.at(Segment::Index(index), |context| {
            context.reachable(ui, |ui, context| {
                let drawn = item.ui(ui, list.item(index), context);
                changed |= drawn.changed;
                has_keyboard |= drawn.has_keyboard;
                edit = edit.or(drawn.edit);
            });
        });
    }
    let rows: Vec<Id> = (0..count).map(|index| row_id(&place, index)).collect();
    if has_keyboard && edit.is_none() {
        widgets::arrow_target(ui, &rows);
    }
    apply(ui, list, edit, has_keyboard, context) || changed
}

struct Item<'a> {
    list: &'a Place,
    name: String,
    position: (usize, usize),
    kinds: &'static [Field],
    slot: &'a Slot,
}

/// The effect of a frame on an item.
struct Drawn {
    changed: bool,
    has_keyboard: bool,
    edit: Option<ListEdit>,
}

impl Item<'_> {
    fn ui(&self, ui: &mut Ui, value: &mut dyn Value, context: &mut FormContext) -> Drawn {
        let index = self.position.0;
        if context.leads_to_focus() {
            open(ui, self.list, Some(index));
        }
        let is_open = open_line(ui.ctx(), self.list) == Some(index);
        let gap = std::mem::replace(&mut ui.spacing_mut().item_spacing.y, 0.0);
        let (response, edit) = self.row_ui(ui, value, is_open, context);
        ui.spacing_mut().item_spacing.y = gap;
        context.first_input.get_or_insert(response.id);
        if response.gained_focus() {
            response.scroll_to_me(None);
        }
        if response.clicked() {
            response.request_focus();
            open(ui, self.list, (!is_open).then_some(index));
        }
        let has_keyboard = response.has_focus();
        let edit = edit.or_else(|| if has_keyboard { self.key(ui) } else { None });
        let edit = edit.or_else(|| self.dropped(ui, &response));
        if !is_open {
            if context.problems_inside().next().is_some() {
                below_ui(ui, |ui| line::problems_inside_ui(ui, context));
            }
            return Drawn { changed: false, has_keyboard, edit };
        }
        if context.problems_here().next().is_some() {
            below_ui(ui, |ui| line::problems_ui(ui, context));
        }
        let slot = Slot { name: self.name.clone(), label: None, field: self.slot.field };
        let changed = line::indented_ui(ui, context, |ui, context| {
            let width = ui.available_width();
            let changed =
                ui.horizontal(|ui| cell_ui(ui, width, |ui| super::head_ui(ui, value, &slot, context)));
            super::body_ui(ui, value, &slot, context) || changed.inner
        });
        ui.add_space(STEP / 2.0);
        Drawn { changed, has_keyboard, edit }
    }

    /// Draws the line: what the item is, what the document knows about it, and its menu.
    fn row_ui(
        &self,
        ui: &mut Ui,
        value: &mut dyn Value,
        is_open: bool,
        context: &FormContext,
    ) -> (Response, Option<ListEdit>) {
        let (_, rect) = ui.allocate_space(vec2(ui.available_width(), ROW));
        let response = ui.interact(rect, row_id(self.list, self.position.0), Sense::click_and_drag());
        // Lists can be long.
        if !ui.is_rect_visible(rect) && !response.has_focus() {
            return (response, None);
        }
        let what = text::summary(value, &self.slot.field);
        let name = format!("{}: {what}", self.name);
        response.widget_info(|| WidgetInfo::selected(Role::DisclosureTriangle, true, is_open, &name));
        let place = context.place.to_string();
        let beside = context.about.beside.get(&place).map_or("", String::as_str);
        // Words that have the name already need none beside them.
        let named = context.about.names.get(&place).map_or("", String::as_str);
        let is_in_words = named.contains(char::is_alphabetic) && what.contains(named);
        let shown = if is_in_words { "" } else { named };
        paint(ui, &response, is_open, [&what, shown, beside], context);
        let mut edit = None;
        response.context_menu(|ui| edit = menu_ui(ui, self.position, self.kinds));
        let is_marked = is_open || response.hovered() || response.has_focus();
        let colours = theme::present(ui);
        let colour = if is_marked { colours.text2 } else { Color32::TRANSPARENT };
        let end = Rect::from_min_max(pos2(rect.right() - line::ICON_WIDTH, rect.top()), rect.max);
        let mut ui = ui.new_child(UiBuilder::new().max_rect(end).id_salt(row_id(self.list, self.position.0)));
        ui.spacing_mut().button_padding = vec2(2.0, 0.0);
        let button = Button::new(Icon::DotsThree.coloured(ICON, Some(colour))).frame_when_inactive(false);
        let button = MenuButton::from_button(button.min_size(vec2(line::ICON_WIDTH, CONTROL)));
        let (more, menu) = button.ui(&mut ui, |ui| menu_ui(ui, self.position, self.kinds));
        if more.has_focus() {
            widgets::focus_ring(&ui, more.rect);
        }
        let name = format!("More for {}", self.name);
        more.accessible_name(name).on_hover_text("Duplicate, move or remove");
        edit = edit.or(menu.and_then(|menu| menu.inner));
        let known = [("Name", named), ("Output", beside)].into_iter().filter(|(_, known)| !known.is_empty());
        let help = known.fold(what, |help, (label, known)| format!("{help}\n{label}: {known}"));
        (response.on_hover_text(help), edit)
    }

    /// Returns what the keys ask for while the line has the keyboard.
    fn key(&self, ui: &Ui) -> Option<ListEdit> {
        let (index, count) = self.position;
        let is_pressed = |action: &ItemAction| ui.input_mut(|input| input.consume_shortcut(&action.shortcut));
        (ACTIONS.into_iter().find(is_pressed)?.edit)(index, count)
    }

    /// Lets the line be dragged, and others of its list be dropped above and below it.
    fn dropped(&self, ui: &Ui, response: &Response) -> Option<ListEdit> {
        let index = self.position.0;
        let own = Dragged { list: self.list.clone(), path: vec![index] };
        let (dropped, is_above) = own.ui(ui, response, |path| path != [index])?;
        let (from, to) = (*dropped.first()?, if is_above { index } else { index + 1 });
        Some(ListEdit::Move(from, if from < to { to - 1 } else { to }))
    }
}

/// Draws what belongs to a line, in line with its text.
fn below_ui(ui: &mut Ui, draw: impl FnOnce(&mut Ui)) {
    let margin = Margin { left: TEXT as i8, ..Margin::ZERO };
    Frame::new().inner_margin(margin).show(ui, draw);
}

/// Paints a line with the worst problem inside of it.
fn paint(ui: &Ui, response: &Response, is_open: bool, texts: [&str; 3], context: &FormContext) {
    let (colours, painter, rect) = (theme::present(ui), ui.painter(), response.rect);
    if is_open {
        painter.rect_filled(rect, 4.0, colours.selection);
    } else if response.hovered() {
        painter.rect_filled(rect, 4.0, colours.hover.gamma_multiply(0.5));
    }
    if response.has_focus() {
        widgets::focus_ring(ui, rect);
    }
    let middle = rect.center().y;
    let worst = Tone::worst_of(context.problems_inside());
    let caret = if is_open { Icon::CaretDown } else { Icon::CaretRight };
    let (icon, colour) = worst.map_or((caret, colours.text2), |worst| (worst.icon(), worst.colour(ui)));
    icon.paint(painter, pos2(rect.left() + 8.0, middle), 12.0, colour);
    let colour = if worst == Some(Tone::Bad) { colours.bad } else { colours.text };
    paint_texts(ui, rect, colour, texts);
}

/// Paints the texts of a line: what it is, its name where there is room, and at the right what is known about it, which is
/// never cut.
fn paint_texts(ui: &Ui, rect: Rect, colour: Color32, [what, name, beside]: [&str; 3]) {
    let (painter, middle) = (ui.painter(), rect.center().y);
    let right = rect.right() - line::ICON_WIDTH - STEP / 2.0;
    let (small, muted) = (FontId::proportional(SMALL), theme::present(ui).text3);
    let beside = painter.text(pos2(right, middle), Align2::RIGHT_CENTER, beside, small.clone(), muted);
    let left = rect.left() + TEXT;
    let mut job = LayoutJob::simple_singleline(what.to_owned(), FontId::proportional(BODY), colour);
    job.wrap = TextWrapping::truncate_at_width((beside.left() - STEP - left).max(STEP));
    let galley = painter.layout_job(job);
    let name = painter.layout_no_wrap(name.to_owned(), small, muted);
    let at = left + galley.size().x + STEP;
    painter.galley(pos2(left, middle - galley.size().y / 2.0), galley, colour);
    if at + name.size().x + STEP <= beside.left() {
        painter.galley(pos2(at, middle - name.size().y / 2.0), name, muted);
    }
}

fn row_id(list: &Place, index: usize) -> Id {
    Id::unique(("line", list.to_string(), index))
}

fn open_id(list: &Place) -> Id {
    Id::unique(("open line", list.to_string()))
}

/// Returns the open item of the list at a place, where its items are lines.
pub fn open_line(ctx: &Context, list: &Place) -> Option<usize> {
    ctx.data(|data| data.get_temp::<OpenLine>(open_id(list))).and_then(|OpenLine(index)| index)
}

fn open(ui: &Ui, list: &Place, index: Option<usize>) {
    ui.data_mut(|data| data.insert_temp(open_id(list), OpenLine(index)));
}

/// Closes all lines, and takes the keyboard away from them: positions in lists mean other items after a step was undone.
pub fn close_lines(ctx: &Context) {
    ctx.data_mut(IdTypeMap::remove_by_type::<OpenLine>);
    ctx.memory_mut(|memory| {
        if let Some(focused) = memory.focused() {
            memory.surrender_focus(focused);
        }
    });
}

/// Returns the position of an item after another one, or itself, has moved.
const fn moved(item: usize, from: usize, to: usize) -> usize {
    if item == from {
        to
    } else if from < item && item <= to {
        item - 1
    } else if to <= item && item < from {
        item + 1
    } else {
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_found_where_it_is_after_another_one_has_moved() {
        let all = |from, to| [0, 1, 2, 3].map(|item| moved(item, from, to));
        assert_eq!(all(0, 2), [2, 0, 1, 3]);
        assert_eq!(all(3, 1), [0, 2, 3, 1]);
        assert_eq!(all(1, 1), [0, 1, 2, 3]);
    }
}
