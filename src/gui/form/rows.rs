//! Items that have many settings, such as the layers of a network: a line for each, one of which is open.

use eframe::egui::accesskit::Role;
use eframe::egui::containers::menu::MenuButton;
use eframe::egui::text::{LayoutJob, TextWrapping};
use eframe::egui::util::IdTypeMap;
use eframe::egui::{
    Align2, Color32, Context, DragAndDrop, FontId, Frame, Id, Margin, Rect, Response, Sense, Ui, UiBuilder,
    WidgetInfo, pos2, vec2,
};

use super::list::{ItemAction, ListEdit, apply, kinds_ui, menu_ui, more_ui};
use super::{FormContext, Slot, line, marks};
use crate::icons::Icon;
use crate::theme::{self, BODY, SMALL, STEP, cell_ui};
use crate::widgets;
use doc::Severity;
use form::path::{Place, Segment};
use form::{Field, List, Node, Value, text};

/// Height of a line, in points.
const ROW: f32 = 26.0;

/// Where the text of a line begins, in points from its left.
const TEXT: f32 = 18.0;

/// The open item of a list.
#[derive(Clone, Copy)]
struct OpenLine(Option<usize>);

/// An item on its way to another position of its list.
#[derive(Clone)]
struct Dragged {
    list: Place,
    index: usize,
}

/// The alternatives of a list whose items are lines that open: those of which some have several settings.
pub(super) fn kinds(list: &dyn List) -> Option<&'static [Field]> {
    let mut sample = list.sample();
    let Node::Choice(choice) = sample.node() else { return None };
    let has_settings = (0..choice.variants().len()).any(|kind| {
        choice.select(kind);
        choice.payload().is_some_and(|payload| matches!(payload.node(), Node::Group(_)))
    });
    has_settings.then(|| choice.variants())
}

/// Draws the menu that adds an item.
pub(super) fn head_ui(
    ui: &mut Ui,
    list: &mut dyn List,
    kinds: &[Field],
    slot: &Slot,
    context: &mut FormContext,
) -> bool {
    let count = list.count();
    let open = opened(ui, &context.place).filter(|open| *open < count);
    let button = MenuButton::from_button(widgets::button(Icon::Plus, "add"));
    let (add, menu) = button.ui(ui, |ui| kinds_ui(ui, kinds));
    if add.has_focus() {
        widgets::focus_ring(ui, add.rect);
    }
    let add = add.accessible_name(format!("Add to {}", slot.name));
    add.on_hover_text("Add one after the open line, or at the end");
    let kind = menu.and_then(|menu| menu.inner);
    let edit = kind.map(|kind| ListEdit::Insert(open.map_or(count, |open| open + 1), Some(kind)));
    follow(ui, &context.place, edit, true);
    apply(list, edit)
}

/// Draws the lines, and the settings of the open one below it.
pub(super) fn body_ui(
    ui: &mut Ui,
    list: &mut dyn List,
    kinds: &'static [Field],
    slot: &Slot,
    context: &mut FormContext,
) -> bool {
    let count = list.count();
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
    follow(ui, &place, edit, has_keyboard);
    apply(list, edit) || changed
}

/// One item.
struct Item<'a> {
    list: &'a Place,
    name: String,
    /// Its position, and the number of all.
    position: (usize, usize),
    kinds: &'static [Field],
    slot: &'a Slot,
}

/// What happened to an item.
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
        let is_open = opened(ui, self.list) == Some(index);
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
                below_ui(ui, |ui| marks::problems_inside_ui(ui, context));
            }
            return Drawn { changed: false, has_keyboard, edit };
        }
        let wrong_before = context.wrong.len();
        if context.problems_here().next().is_some() {
            below_ui(ui, |ui| marks::problems_ui(ui, context));
        }
        let slot = Slot { name: self.name.clone(), label: None, field: self.slot.field };
        let changed = line::indented_ui(ui, context, |ui, context| {
            let width = ui.available_width();
            let changed =
                ui.horizontal(|ui| cell_ui(ui, width, |ui| super::head_ui(ui, value, &slot, context)));
            super::body_ui(ui, value, &slot, context) || changed.inner
        });
        ui.add_space(STEP / 2.0);
        context.wrong.truncate(wrong_before);
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
        let end = Rect::from_min_max(pos2(rect.right() - marks::ICON_WIDTH, rect.top()), rect.max);
        let mut ui = ui.new_child(UiBuilder::new().max_rect(end).id_salt(row_id(self.list, self.position.0)));
        edit = edit.or(more_ui(&mut ui, self.position, &self.name, colour, self.kinds));
        let known = [("Name", named), ("Output", beside)].into_iter().filter(|(_, known)| !known.is_empty());
        let help = known.fold(what, |help, (label, known)| format!("{help}\n{label}: {known}"));
        (response.on_hover_text(help), edit)
    }

    /// What the keys ask for while the line has the keyboard.
    fn key(&self, ui: &Ui) -> Option<ListEdit> {
        let (index, count) = self.position;
        let is_pressed =
            |action: &ItemAction| ui.input_mut(|input| input.consume_shortcut(&action.shortcut()));
        ItemAction::ALL.into_iter().find(is_pressed)?.edit(index, count)
    }

    /// Lets the line be dragged, and others of its list be dropped above and below it.
    fn dropped(&self, ui: &Ui, response: &Response) -> Option<ListEdit> {
        let index = self.position.0;
        if response.drag_started() {
            response.dnd_set_drag_payload(Dragged { list: self.list.clone(), index });
        }
        let hovering = response.dnd_hover_payload::<Dragged>()?;
        if hovering.list != *self.list || hovering.index == index {
            return None;
        }
        let middle = response.rect.center().y;
        let is_above = ui.input(|input| input.pointer.hover_pos()).is_some_and(|pos| pos.y < middle);
        widgets::drop_line(ui, response.rect, is_above);
        let dropped = response.dnd_release_payload::<Dragged>()?;
        DragAndDrop::clear_payload(ui.ctx());
        let from = dropped.index;
        let to = if is_above { index } else { index + 1 };
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
    let worst = context.problems_inside().map(|problem| problem.severity).min();
    let caret = if is_open { Icon::CaretDown } else { Icon::CaretRight };
    let (icon, colour) = match worst {
        Some(Severity::Error) => (Icon::ErrorFill, colours.bad),
        Some(Severity::Note) => (Icon::Warning, colours.warning),
        None => (caret, colours.text2),
    };
    icon.paint(painter, pos2(rect.left() + 8.0, middle), 12.0, colour);
    let colour = if worst == Some(Severity::Error) { colours.bad } else { colours.text };
    paint_texts(ui, rect, colour, texts);
}

/// Paints the texts of a line: what it is, its name where there is room, and at the right what is known about it, which is
/// never cut.
fn paint_texts(ui: &Ui, rect: Rect, colour: Color32, [what, name, beside]: [&str; 3]) {
    let (painter, middle) = (ui.painter(), rect.center().y);
    let right = rect.right() - marks::ICON_WIDTH - STEP / 2.0;
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

/// The open item of a list.
fn opened(ui: &Ui, list: &Place) -> Option<usize> {
    open_line(ui.ctx(), list)
}

/// The open item of the list at a place, where its items are lines.
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

/// Keeps the same item open after an edit, a new one in any case. The keyboard follows where it was on a line.
fn follow(ui: &Ui, list: &Place, edit: Option<ListEdit>, has_keyboard: bool) {
    let Some(edit) = edit else { return };
    let now = opened(ui, list);
    let (next, focused) = match edit {
        ListEdit::Duplicate(of) => (now.map(|now| if now >= of { now + 1 } else { now }), of + 1),
        ListEdit::Remove(gone) if now == Some(gone) => (None, gone),
        ListEdit::Remove(gone) => (now.map(|now| if now > gone { now - 1 } else { now }), gone),
        ListEdit::Move(from, to) => (now.map(|now| moved(now, from, to)), to),
        ListEdit::Insert(at, _) => (Some(at), at),
    };
    open(ui, list, next);
    if has_keyboard {
        ui.memory_mut(|memory| memory.request_focus(row_id(list, focused)));
    }
    ui.ctx().request_repaint();
}

/// Where an item is after another one, or itself, has moved.
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
