//! One line of a form: label, control, and what turns the setting into a list of values.

use eframe::egui::accesskit::Role;
use eframe::egui::collapsing_header::CollapsingState;
use eframe::egui::{
    Align2, Button, Color32, FontId, Id, Label, Memory, Rect, RichText, Sense, Ui, WidgetInfo, pos2, vec2,
};

use super::about::Sweeping;
use super::{FormContext, FormRequest, Slot, body_ui, choice, head_ui, leaf, overrides};
use crate::icons::Icon;
use crate::theme::{self, BODY, CONTROL, SMALL, cell_ui, fitted};
use crate::widgets::{self, ICON, Tone};
use doc::{Problem, Severity};
use form::path::{Segment, assign};
use form::{Field, Group, List, Node, Optional, Value, text};

/// Indentation of what belongs to the line above; less further inside, where width is short.
const INDENT: f32 = 12.0;
const DEEP_INDENT: f32 = 6.0;
/// Steps of a place from which on the smaller indentation is used.
const DEEP: usize = 6;

/// The effect of a frame on a line.
#[derive(Clone, Copy, Default)]
pub(super) struct LineChange {
    pub changed: bool,
    pub reset: bool,
}

/// Draws a setting: its line, what is wrong with it, and its body. With no word on `can_reset`, the line has no label.
pub(super) fn setting_ui(
    ui: &mut Ui,
    slot: &Slot,
    value: &mut dyn Value,
    can_reset: Option<bool>,
    context: &mut FormContext,
) -> LineChange {
    context.reachable(ui, |ui, context| {
        widgets::bounded_ui(ui, |ui| {
            if matches!(value.node(), Node::Group(_) | Node::Overrides(_)) {
                group_ui(ui, slot, value, context)
            } else {
                row_ui(ui, slot, value, can_reset, context)
            }
        })
    })
}

/// Draws a group inside a form: a heading that folds it away, with a summary of what differs from the defaults.
fn group_ui(ui: &mut Ui, slot: &Slot, value: &mut dyn Value, context: &mut FormContext) -> LineChange {
    let summary = text::summary(value, &slot.field);
    let heading = Heading {
        name: &slot.name,
        summary: if summary.is_empty() { "default" } else { &summary },
        help: slot.field.help,
        is_wrong: context.problems_inside().any(Problem::is_mistake),
        is_title: false,
    };
    let has_problems = context.problems_inside().next().is_some();
    let starts_open = has_problems || !summary.is_empty() || context.about.has_ticks(value);
    let id = context.id(ui, "section");
    let (is_open, id) = heading_ui(ui, id, &heading, starts_open, context.leads_to_focus());
    context.first_input.get_or_insert(id);
    problems_ui(ui, context);
    LineChange { changed: is_open && body_ui(ui, value, slot, context), reset: false }
}

/// Draws a setting with a control beside its label, which has a button for the default where it `can_reset`; without
/// that, a control without a label.
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
        if let Some(is_changed) = can_reset {
            let colours = theme::present(ui);
            let (colour, help) = (if is_changed { colours.text } else { colours.text2 }, help(&slot));
            let name = name_ui(ui, &mut slot, colour, &help, context);
            touched.reset = is_changed && reset_ui(ui, name, &slot.name);
        } else {
            ui.allocate_exact_size(vec2(label_width(ui, context), 1.0), Sense::hover());
        }
        let width = (ui.available_width() - ICON_WIDTH - ui.spacing().item_spacing.x).max(40.0);
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
        let line = line.response.rect;
        let bar = Rect::from_min_max(line.left_top() - vec2(6.0, -6.0), line.left_bottom() - vec2(4.0, 6.0));
        ui.painter().rect_filled(bar, 1.0, theme::present(ui).link);
    }
    problems_ui(ui, context);
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

/// Draws the end of a line: turns the setting into a list of values and back, or adds a value to a list.
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
        return icon_ui(ui, Icon::Plus, colours.text2, &name, "Add the next free number") && add_next(list);
    }
    match sweeping {
        Sweeping::Possible(path) => {
            let name = format!("Sweep {}", slot.name);
            // Few settings are swept: it is seen while the pointer or the keyboard is on the line.
            let colour = if is_looked_at(ui) { colours.text3 } else { Color32::TRANSPARENT };
            if icon_ui(ui, Icon::Stack, colour, &name, "Sweep this: compare several values") {
                let request = overrides::first_values(value, slot, path, context);
                context.requests.push(request);
            }
        }
        Sweeping::Own(swept) => {
            let name = format!("Stop sweeping {}", slot.name);
            if icon_ui(ui, Icon::Stack, colours.link, &name, "Stop sweeping: back to one value") {
                let (arm, path) = (swept.arm, swept.path.clone());
                context.requests.push(FormRequest::Sweep { arm, path, values: None });
            }
        }
        Sweeping::Other(_) | Sweeping::Impossible => {}
    }
    false
}

/// Returns true if the pointer or the keyboard is on the line that is drawn.
fn is_looked_at(ui: &Ui) -> bool {
    let line = ui.min_rect().with_max_x(ui.max_rect().right());
    let focused = ui.memory(Memory::focused).and_then(|id| ui.ctx().read_response(id));
    ui.rect_contains_pointer(line) || focused.is_some_and(|focused| line.contains(focused.rect.center()))
}

/// Returns true if a list of values makes sense: what is called by a name is no quantity to compare.
fn can_sweep(value: &mut dyn Value) -> bool {
    match value.node() {
        Node::Switch(_) | Node::Integer(_) | Node::Number(_) | Node::Length(_) | Node::Choice(_) => true,
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

/// Returns the width of the label column: the part left of the controls, which are aligned at every depth.
pub(super) fn label_width(ui: &Ui, context: &FormContext) -> f32 {
    (ui.available_width() - context.control_width - ui.spacing().item_spacing.x).max(48.0)
}

/// The least width of a control beside a long name, in points.
const LEAST_CONTROL: f32 = 72.0;

/// Draws the name of a line left of its control: whole, over several lines where it is long, with a hint under the pointer.
/// Returns its place.
pub(super) fn name_ui(
    ui: &mut Ui,
    slot: &mut Slot,
    colour: Color32,
    hint: &str,
    context: &FormContext,
) -> Rect {
    let font = FontId::proportional(BODY);
    let words = slot.name.split(' ').map(|word| theme::width(ui.painter(), word, &font).ceil());
    let longest = words.fold(0.0, f32::max).min(ui.available_width() - LEAST_CONTROL);
    let width = label_width(ui, context).max(longest);
    cell_ui(ui, width, |ui| {
        let text = RichText::new(&slot.name).size(BODY).color(colour);
        let label = ui.add(Label::new(text).selectable(false).sense(Sense::hover()).wrap());
        label.widget_info(|| WidgetInfo::labeled(Role::Label, true, slot.name.as_str()));
        slot.label = Some(label.id);
        if !hint.is_empty() {
            label.on_hover_text(hint);
        }
        ui.min_rect()
    })
}

fn reset_ui(ui: &mut Ui, cell: Rect, name: &str) -> bool {
    let height = cell.height();
    let at = Rect::from_min_size(pos2(cell.right() - ICON_WIDTH, cell.top()), vec2(ICON_WIDTH, height));
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

fn help(slot: &Slot) -> String {
    let Field { help, unit, .. } = slot.field;
    let is_count = slot.field.label.eq_ignore_ascii_case(unit);
    if unit.is_empty() || slot.field.is_share() || is_count {
        help.to_owned()
    } else {
        format!("{help} (in {unit})")
    }
}

/// Width of a button that shows only an icon, on a line of a form.
pub(super) const ICON_WIDTH: f32 = 20.0;

/// Draws a button that shows only an icon.
pub(super) fn icon_ui(ui: &mut Ui, icon: Icon, colour: Color32, name: &str, hint: &str) -> bool {
    let padding = std::mem::replace(&mut ui.spacing_mut().button_padding, vec2(2.0, 0.0));
    let button = Button::new(icon.coloured(ICON, Some(colour))).frame_when_inactive(false);
    let height = CONTROL.min(ui.spacing().interact_size.y);
    let response = ui.add(button.min_size(vec2(ICON_WIDTH, height))).accessible_name(name);
    ui.spacing_mut().button_padding = padding;
    if response.has_focus() {
        widgets::focus_ring(ui, response.rect);
    }
    response.on_hover_text(hint).clicked()
}

/// Draws the messages of validation about the present place, unless its control says itself what is wrong.
pub(super) fn problems_ui(ui: &mut Ui, context: &FormContext) {
    for problem in context.problems_here() {
        if problem.severity == Severity::Note || context.own_error().is_none() {
            problem_ui(ui, problem);
        }
    }
}

fn problem_ui(ui: &mut Ui, problem: &Problem) {
    let text = RichText::new(&problem.message).size(SMALL).color(Tone::of(problem).colour(ui));
    let shown = ui.add(Label::new(text).wrap());
    if !problem.details.is_empty() {
        shown.on_hover_text(&problem.details);
    }
}

/// Draws the messages about the present place and all settings inside, which are not drawn.
pub(super) fn problems_inside_ui(ui: &mut Ui, context: &FormContext) {
    for problem in context.problems_inside() {
        problem_ui(ui, problem);
    }
}

/// Draws the field or drop-down of a value that may be left out.
pub(super) fn optional_head_ui(
    ui: &mut Ui,
    optional: &mut dyn Optional,
    slot: &Slot,
    context: &mut FormContext,
) -> bool {
    let mut sample = optional.sample();
    let Node::Choice(kinds) = sample.node() else { return own_or_outer_ui(ui, optional, slot, context) };
    let hint = context.about.hint(&slot.field);
    let selected = optional.value().and_then(|value| {
        if let Node::Choice(choice) = value.node() { Some(choice.selected()) } else { None }
    });
    let shown = selected.map_or(hint.as_str(), |index| kinds.variants()[index].label);
    let wanted = choice::drop_down_ui(ui, shown, Some(&hint), kinds, selected, slot, context);
    if wanted == selected {
        return false;
    }
    set_optional(optional, wanted.is_some(), slot, context);
    if let (Some(index), Some(value)) = (wanted, optional.value())
        && let Node::Choice(inner) = value.node()
        && inner.selected() != index
    {
        choice::choose(inner, index, context);
    }
    true
}

/// Returns true if a line of text can have the value, or none.
pub(super) fn is_optional_line(optional: &dyn Optional) -> bool {
    let mut sample = optional.sample();
    matches!(sample.node(), Node::Integer(_) | Node::Number(_) | Node::Text(_) | Node::Length(_))
}

/// Draws several settings at once: those from outside, or separate ones.
fn own_or_outer_ui(ui: &mut Ui, optional: &mut dyn Optional, slot: &Slot, context: &mut FormContext) -> bool {
    let hint = context.about.hint(&slot.field);
    let is_set = optional.is_set();
    let own = "own settings";
    let shown = if is_set { own } else { &hint };
    let wanted = leaf::drop_down_ui(ui, shown, slot.field.help, slot, context, |ui| {
        let outer = ui.selectable_label(!is_set, &hint).clicked().then_some(false);
        outer.or(ui.selectable_label(is_set, own).clicked().then_some(true))
    });
    let Some(wanted) = wanted.filter(|wanted| *wanted != is_set) else { return false };
    set_optional(optional, wanted, slot, context);
    true
}

/// Sets a value, at first to what it inherits, or leaves it out.
fn set_optional(optional: &mut dyn Optional, is_set: bool, slot: &Slot, context: &mut FormContext) {
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
        let slot = Slot { name: field.label.to_owned(), label: None, field: *field };
        let touched = context.at(Segment::Key(field.key.to_owned()), |context| {
            setting_ui(ui, &slot, group.value(index), Some(!is_default), context)
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

/// Returns what a field of the same group has in the place of the settings around it, if another field inherits from
/// there: the optimizer of a training stage, from which its learning rate comes. Its address and its value.
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

/// The contents of a heading.
pub struct Heading<'a> {
    pub name: &'a str,
    /// What its settings are, in few words, at the right.
    pub summary: &'a str,
    pub help: &'a str,
    pub is_wrong: bool,
    pub is_title: bool,
}

/// Draws a heading over the whole width; a click anywhere opens or folds it. Returns whether it is open, and its id.
pub fn heading_ui(
    ui: &mut Ui,
    id: Id,
    heading: &Heading<'_>,
    starts_open: bool,
    must_open: bool,
) -> (bool, Id) {
    let mut state = CollapsingState::load_with_default_open(ui.ctx(), id, starts_open);
    if must_open {
        state.set_open(true);
    }
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), CONTROL), Sense::click());
    if response.clicked() {
        state.toggle(ui);
    }
    let is_open = state.is_open();
    state.store(ui.ctx());
    paint_heading(ui, rect, heading, is_open);
    if response.has_focus() {
        widgets::focus_ring(ui, rect);
    }
    response.widget_info(|| WidgetInfo::selected(Role::DisclosureTriangle, true, is_open, heading.name));
    let id = response.id;
    if !heading.help.is_empty() {
        response.on_hover_text(heading.help);
    }
    (is_open, id)
}

fn paint_heading(ui: &Ui, rect: Rect, heading: &Heading<'_>, is_open: bool) {
    let colours = theme::present(ui);
    let (painter, middle) = (ui.painter(), rect.center().y);
    let icon = if is_open { Icon::CaretDown } else { Icon::CaretRight };
    let colour = if heading.is_wrong && !is_open { colours.bad } else { colours.text };
    icon.paint(painter, pos2(rect.left() + 6.0, middle), 12.0, colour);
    let font = if heading.is_title { theme::medium(BODY) } else { FontId::proportional(BODY) };
    let small = FontId::proportional(SMALL);
    let left = rect.left() + 18.0;
    let name = fitted(painter, heading.name, &font, rect.right() - left);
    let name = painter.text(pos2(left, middle), Align2::LEFT_CENTER, name, font, colour);
    let room = rect.right() - name.right() - 12.0;
    if !is_open && room > 24.0 {
        let summary = fitted(painter, heading.summary, &small, room);
        painter.text(pos2(rect.right(), middle), Align2::RIGHT_CENTER, summary, small, colours.text3);
    }
}
