//! The rows of a plan: number, sentence, mark of a problem. Each can be selected and dragged, and has a menu.

use std::ops::Range;

use eframe::egui::accesskit::Role;
use eframe::egui::containers::menu::MenuButton;
use eframe::egui::text::{LayoutJob, TextFormat, TextWrapping};
use eframe::egui::{
    Align, Align2, Context, FontId, Id, Label, Layout, Pos2, Response, RichText, Sense, Ui, WidgetInfo, pos2,
    vec2,
};

use super::outline::nested_place;
use super::{PlanRequest, actions_ui, menu_ui};
use crate::form::{Dragged, FormContext};
use crate::icons::Icon;
use crate::theme::{BODY, STEP, present};
use crate::widgets::{self, Tone};
use doc::plan::words;
use doc::{Problem, Stage};
use form::number::{grouped, share_in_percent};
use form::path::{Place, Segment, reach};
use form::{Node, Value};

/// Indentation of each nested plan, in points.
const INDENT: f32 = 20.0;
const HEIGHT: f32 = 24.0;
const NUMBER: f32 = 24.0;

/// The response of the rows of a plan.
#[derive(Default)]
pub(super) struct PlanRows {
    pub request: Option<PlanRequest>,
    pub has_keyboard: bool,
}

/// One row, ready to draw.
struct PlanRow<'a> {
    path: Vec<usize>,
    number: String,
    sentence: String,
    wrong: Option<Range<usize>>,
    problems: Vec<&'a Problem>,
    holds: Option<bool>,
}

/// Draws all rows.
pub(super) fn rows_ui(
    ui: &mut Ui,
    plan: &[Stage],
    selected: Option<&[usize]>,
    context: &FormContext,
) -> PlanRows {
    let takes_keyboard = ui.data_mut(|data| data.remove_temp::<bool>(keyboard_id())).is_some();
    if plan.is_empty() {
        // It has the keyboard as a row would: stages can be pasted.
        let text = RichText::new("Nothing yet. Add a first stage, such as Train.").weak();
        let response = ui.add(Label::new(text).selectable(false).sense(Sense::focusable_noninteractive()));
        if takes_keyboard {
            response.request_focus();
        }
        if response.has_focus() {
            widgets::focus_ring(ui, response.rect);
        }
        return PlanRows { request: None, has_keyboard: response.has_focus() };
    }
    let mut rows = Vec::new();
    collect(plan, &context.place, &[], context.problems, &mut rows);
    let mut out = PlanRows::default();
    let gap = std::mem::replace(&mut ui.spacing_mut().item_spacing.y, 0.0);
    let mut ids = Vec::with_capacity(rows.len());
    for (nth, row) in rows.iter().enumerate() {
        let is_selected = selected == Some(row.path.as_slice());
        // The Tab key stops at one row; the arrow keys lead to the others.
        let is_stop = is_selected || (selected.is_none() && nth == 0);
        let response = row_ui(ui, row, is_selected, is_stop);
        if takes_keyboard && is_stop {
            response.request_focus();
        }
        out.has_keyboard |= response.has_focus() && is_stop;
        ids.push(response.id);
        let request = row_request(ui, plan, row, &response, context);
        let request = request.or_else(|| add_into_ui(ui, row));
        out.request = out.request.take().or(request);
    }
    ui.spacing_mut().item_spacing.y = gap;
    if let Some(target) = widgets::arrow_target(ui, &ids) {
        out.request = out.request.take().or_else(|| Some(PlanRequest::Select(rows[target].path.clone())));
    }
    out
}

/// Gives the keyboard to the row that is selected in the next frame.
pub fn follow_with_keyboard(ctx: &Context) {
    ctx.data_mut(|data| data.insert_temp(keyboard_id(), true));
}

fn keyboard_id() -> Id {
    Id::unique("selected stage takes the keyboard")
}

fn collect<'a>(
    plan: &[Stage],
    place: &Place,
    path: &[usize],
    problems: &'a [Problem],
    rows: &mut Vec<PlanRow<'a>>,
) {
    for (index, stage) in plan.iter().enumerate() {
        let path = [path, &[index]].concat();
        let place = place.index(index);
        let inner = stage.nested().map(|nested| nested.plan);
        let inner_place = nested_place(stage, &place);
        let is_own = |problem: &&Problem| {
            let is_deeper =
                |inner: &Place| problem.place.0.len() > inner.0.len() && starts_with(problem, inner);
            starts_with(problem, &place) && !inner_place.as_ref().is_some_and(is_deeper)
        };
        let (sentence, own) = (stage.sentence(), problems.iter().filter(is_own).collect::<Vec<_>>());
        let wrong = own.iter().filter(|problem| problem.is_mistake()).find_map(|problem| {
            wrong_part(stage, &sentence, problem.place.0.get(place.0.len()..).unwrap_or_default())
        });
        rows.push(PlanRow {
            number: path.iter().map(|index| (index + 1).to_string()).collect::<Vec<_>>().join("."),
            sentence,
            wrong,
            problems: own,
            holds: inner.map(<[Stage]>::is_empty),
            path: path.clone(),
        });
        if let (Some(inner), Some(inner_place)) = (inner, &inner_place) {
            collect(inner, inner_place, &path, problems, rows);
        }
    }
}

fn starts_with(problem: &Problem, place: &Place) -> bool {
    problem.place.0.starts_with(&place.0)
}

fn row_ui(ui: &mut Ui, row: &PlanRow, is_selected: bool, is_stop: bool) -> Response {
    let colours = present(ui);
    let size = vec2(ui.available_width(), HEIGHT);
    let sense = widgets::row_sense(ui, ui.next_auto_id(), is_stop, Sense::click_and_drag());
    let (rect, response) = ui.allocate_exact_size(size, sense);
    let name = format!("{} {}", row.number, row.sentence);
    response.widget_info(|| WidgetInfo::selected(Role::TreeItem, true, is_selected, &name));
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_level(row.path.len()));
    let mut hint = row.sentence.clone();
    for problem in &row.problems {
        hint = format!("{hint}\n{}", problem.message);
    }
    if ui.is_rect_visible(rect) {
        if is_selected {
            ui.painter().rect_filled(rect, 4.0, colours.selection);
        } else if response.hovered() {
            ui.painter().rect_filled(rect, 4.0, colours.hover.gamma_multiply(0.5));
        }
        if response.has_focus() {
            widgets::focus_ring(ui, rect);
        }
        let ink = if is_selected { colours.text2 } else { colours.text3 };
        let middle = rect.center().y;
        let mut left = rect.left() + STEP / 2.0 + INDENT * (row.path.len() - 1).min(6) as f32;
        let font = FontId::proportional(BODY);
        let number = ui.painter().text(pos2(left, middle), Align2::LEFT_CENTER, &row.number, font, ink);
        left = (left + NUMBER).max(number.right() + STEP);
        if let Some(worst) = Tone::worst_of(row.problems.iter().copied()) {
            worst.icon().paint(ui.painter(), pos2(left + 6.0, middle), 14.0, worst.colour(ui));
            left += 2.0 * STEP + 2.0;
        }
        sentence_ui(ui, row, pos2(left, middle), rect.right() - STEP / 2.0);
    }
    response.on_hover_text(hint)
}

/// Paints the sentence up to `right`, with a wrong value in the colour of errors.
fn sentence_ui(ui: &Ui, row: &PlanRow, at: Pos2, right: f32) {
    let colours = present(ui);
    let format = |colour| TextFormat::simple(FontId::proportional(BODY), colour);
    let (start, end) = row.wrong.clone().map_or((0, 0), |range| (range.start, range.end));
    let mut text = LayoutJob::default();
    text.append(&row.sentence[..start], 0.0, format(colours.text));
    text.append(&row.sentence[start..end], 0.0, format(colours.bad));
    text.append(&row.sentence[end..], 0.0, format(colours.text));
    text.wrap = TextWrapping::truncate_at_width((right - at.x).max(8.0));
    let galley = ui.painter().layout_job(text);
    let at = at - vec2(0.0, galley.size().y / 2.0);
    ui.painter().galley(at, galley, colours.text);
}

/// Finds the value that a problem is about in a sentence, if it says it.
pub(super) fn wrong_part(stage: &Stage, sentence: &str, rest: &[Segment]) -> Option<Range<usize>> {
    let mut texts = Vec::new();
    reach(&mut stage.clone(), rest, &mut |value| texts = texts_of(value));
    texts.into_iter().filter(|text| !text.is_empty()).find_map(|text| {
        let is_word = |start: usize| {
            let before = sentence[..start].chars().next_back();
            let after = sentence[start + text.len()..].chars().next();
            let inside = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
            !inside(before) && !inside(after)
        };
        let (start, _) = sentence.match_indices(&text).find(|(start, _)| is_word(*start))?;
        Some(start..start + text.len())
    })
}

/// Returns how a sentence may say a value.
fn texts_of(value: &mut dyn Value) -> Vec<String> {
    match value.node() {
        Node::Number(number) => vec![share_in_percent(*number), words::number(*number)],
        Node::Integer(integer) => vec![grouped(integer.get())],
        Node::Text(text) => vec![text.clone()],
        Node::Optional(optional) => optional.value().map(texts_of).unwrap_or_default(),
        Node::Choice(choice) => choice.payload().map(texts_of).unwrap_or_default(),
        Node::Switch(_) | Node::Length(_) | Node::Group(_) | Node::List(_) | Node::Overrides(_) => Vec::new(),
    }
}

fn row_request(
    ui: &Ui,
    plan: &[Stage],
    row: &PlanRow,
    response: &Response,
    context: &FormContext,
) -> Option<PlanRequest> {
    let mut request = None;
    // The Tab key only moves the focus; a click, Enter and the arrow keys also select.
    if response.clicked() {
        response.request_focus();
        request = Some(PlanRequest::Select(row.path.clone()));
    }
    response.context_menu(|ui| {
        request = actions_ui(ui, plan, Some(&row.path)).or(request.take());
    });
    request.or_else(|| drag_request(ui, row, response, context))
}

/// Lets the row be dragged, and lets others be dropped above and below it, or into the plan that it holds.
fn drag_request(ui: &Ui, row: &PlanRow, response: &Response, context: &FormContext) -> Option<PlanRequest> {
    let own = Dragged { list: context.place.clone(), path: row.path.clone() };
    let (from, is_above) = own.ui(ui, response, |path| !row.path.starts_with(path))?;
    let mut to = row.path.clone();
    if is_above {
        return Some(PlanRequest::Move { from, to });
    }
    if row.holds.is_some() {
        to.push(0);
    } else if let Some(last) = to.last_mut() {
        *last += 1;
    }
    Some(PlanRequest::Move { from, to })
}

/// Draws a button that adds a first stage to an empty nested plan.
fn add_into_ui(ui: &mut Ui, row: &PlanRow) -> Option<PlanRequest> {
    if row.holds != Some(true) {
        return None;
    }
    let chosen = ui.horizontal(|ui| {
        ui.add_space(INDENT * row.path.len().min(6) as f32);
        let layout = Layout::top_down_justified(Align::LEFT);
        let menu = ui.with_layout(layout, |ui| {
            let button = widgets::ghost(Icon::Plus, "Add");
            let (add, menu) = MenuButton::from_button(button).ui(ui, menu_ui);
            let name = format!("Add stage to {}", row.number);
            add.accessible_name(name).on_hover_text("Add a first stage to it");
            menu
        });
        menu.inner.and_then(|menu| menu.inner)
    });
    chosen.inner.map(|stage| PlanRequest::AddInto(row.path.clone(), stage))
}
