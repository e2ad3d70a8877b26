//! The rows of a plan: number, sentence, mark of a problem. Each can be selected and dragged, and has a menu.

use eframe::egui::containers::menu::MenuButton;
use eframe::egui::{
    Align, Button, DragAndDrop, FontSelection, Id, Key, Layout, Rect, Response, RichText, Sense, Stroke, Ui,
    pos2, text::LayoutJob,
};

use super::action::Action;
use super::outline::nested_place;
use super::{PlanRequest, empty_ui, menu};
use crate::doc::{Problem, Severity, Stage};
use crate::form::path::Place;
use crate::gui::form::FormContext;
use crate::gui::form::sign::Sign;

/// Indentation of each nested plan, in points.
const INDENT: f32 = 16.0;

/// What the user asks of the rows.
#[derive(Default)]
pub(super) struct PlanRows {
    pub request: Option<PlanRequest>,
    /// Whether a row has the keyboard.
    pub has_keyboard: bool,
}

/// One row, ready to draw.
struct PlanRow<'a> {
    path: Vec<usize>,
    number: String,
    sentence: String,
    problems: Vec<&'a Problem>,
    /// Whether it holds a plan, and whether that is empty.
    holds: Option<bool>,
}

/// A stage on its way to another place.
#[derive(Clone)]
struct Dragged {
    plan: Place,
    path: Vec<usize>,
}

/// Draws all rows.
pub(super) fn rows_ui(
    ui: &mut Ui,
    plan: &[Stage],
    selected: Option<&[usize]>,
    context: &FormContext,
) -> PlanRows {
    if plan.is_empty() {
        empty_ui(ui);
        return PlanRows::default();
    }
    let mut rows = Vec::new();
    collect(plan, &context.place, &[], context.problems, &mut rows);
    let mut out = PlanRows::default();
    let takes_keyboard = ui.data_mut(|data| data.remove_temp::<bool>(keyboard_id())).is_some();
    let gap = std::mem::replace(&mut ui.spacing_mut().item_spacing.y, 2.0);
    for row in &rows {
        let is_selected = selected == Some(row.path.as_slice());
        let response = row_ui(ui, row, is_selected);
        if takes_keyboard && is_selected {
            response.request_focus();
        }
        out.has_keyboard |= response.has_focus() && is_selected;
        let request = row_request(ui, row, &response, is_selected, context);
        let request = request.or_else(|| add_into_ui(ui, row));
        out.request = out.request.take().or(request);
    }
    ui.spacing_mut().item_spacing.y = gap;
    out
}

/// Gives the keyboard to the row that is selected in the next frame.
pub(super) fn follow_with_keyboard(ui: &Ui) {
    ui.data_mut(|data| data.insert_temp(keyboard_id(), true));
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
        rows.push(PlanRow {
            number: path.iter().map(|index| (index + 1).to_string()).collect::<Vec<_>>().join("."),
            sentence: stage.sentence(),
            problems: problems.iter().filter(is_own).collect(),
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

fn row_ui(ui: &mut Ui, row: &PlanRow, is_selected: bool) -> Response {
    // One text, so that a long sentence is cut at its end and the number stays whole.
    let mut text = LayoutJob::default();
    RichText::new(&row.number).weak().append_to(&mut text, ui.style(), FontSelection::Default, Align::Center);
    let sentence = RichText::new(format!(" {}", row.sentence));
    sentence.append_to(&mut text, ui.style(), FontSelection::Default, Align::Center);
    let mut button = Button::selectable(is_selected, text).truncate();
    if let Some(worst) = row.problems.iter().map(|problem| problem.severity).min() {
        let visuals = ui.visuals();
        let (sign, colour) = match worst {
            Severity::Error => (Sign::Cross, visuals.error_fg_color),
            Severity::Note => (Sign::Dot, visuals.warn_fg_color),
        };
        button = button.right_text(sign.atom(Some(colour)));
    }
    let response = in_row(ui, row.path.len() - 1, |ui| ui.add(button.sense(Sense::click_and_drag())));
    let mut hint = row.sentence.clone();
    for problem in &row.problems {
        hint = format!("{hint}\n{}", problem.message);
    }
    response.accessible_name(format!("{} {}", row.number, row.sentence)).on_hover_text(hint)
}

/// Draws something that fills the width of a row of this depth.
fn in_row<R>(ui: &mut Ui, depth: usize, draw: impl FnOnce(&mut Ui) -> R) -> R {
    let indent = INDENT * depth.min(6) as f32;
    ui.horizontal(|ui| {
        ui.add_space(indent);
        ui.with_layout(Layout::top_down_justified(Align::LEFT), draw).inner
    })
    .inner
}

fn row_request(
    ui: &Ui,
    row: &PlanRow,
    response: &Response,
    is_selected: bool,
    context: &FormContext,
) -> Option<PlanRequest> {
    let mut request = None;
    if response.clicked() {
        response.request_focus();
    }
    // The Tab key only moves the focus; a click, Enter and the arrow keys also select.
    let by_arrow = || ui.input(|input| input.key_pressed(Key::ArrowUp) || input.key_pressed(Key::ArrowDown));
    if response.clicked() || response.gained_focus() && !is_selected && by_arrow() {
        request = Some(PlanRequest::Select(row.path.clone()));
    }
    response.context_menu(|ui| {
        for action in Action::ALL {
            if ui.button(action.name()).clicked() {
                request = Some(PlanRequest::Act(action, row.path.clone()));
                ui.close();
            }
        }
    });
    request.or_else(|| drag_request(ui, row, response, context))
}

/// Lets the row be dragged, and lets others be dropped above and below it, or into the plan that it holds.
fn drag_request(ui: &Ui, row: &PlanRow, response: &Response, context: &FormContext) -> Option<PlanRequest> {
    if response.drag_started() {
        response.dnd_set_drag_payload(Dragged { plan: context.place.clone(), path: row.path.clone() });
    }
    let hovering = response.dnd_hover_payload::<Dragged>()?;
    let is_welcome = hovering.plan == context.place && !row.path.starts_with(&hovering.path);
    if !is_welcome {
        return None;
    }
    let rect = response.rect;
    let is_above = ui.input(|input| input.pointer.hover_pos()).is_some_and(|pos| pos.y < rect.center().y);
    drop_line(ui, rect, is_above);
    let dropped = response.dnd_release_payload::<Dragged>()?;
    DragAndDrop::clear_payload(ui.ctx());
    let to = if is_above { row.path.clone() } else { path_below(row) };
    Some(PlanRequest::Move { from: dropped.path.clone(), to })
}

/// Where a stage goes that is dropped on the lower half of a row.
fn path_below(row: &PlanRow) -> Vec<usize> {
    let mut path = row.path.clone();
    if row.holds.is_some() {
        path.push(0);
    } else if let Some(last) = path.last_mut() {
        *last += 1;
    }
    path
}

fn drop_line(ui: &Ui, rect: Rect, is_above: bool) {
    let y = if is_above { rect.top() } else { rect.bottom() };
    let stroke = Stroke::new(2.0, ui.visuals().hyperlink_color);
    ui.painter().line_segment([pos2(rect.left(), y), pos2(rect.right(), y)], stroke);
}

/// Draws a button that adds a first stage to an empty nested plan.
fn add_into_ui(ui: &mut Ui, row: &PlanRow) -> Option<PlanRequest> {
    if row.holds != Some(true) {
        return None;
    }
    let chosen = in_row(ui, row.path.len(), |ui| {
        let button = Button::new(RichText::new("+ Add").weak()).frame_when_inactive(false);
        let (add, menu) = MenuButton::from_button(button).ui(ui, menu::menu_ui);
        add.accessible_name(format!("Add stage to {}", row.number)).on_hover_text("Add a first stage to it");
        menu.and_then(|menu| menu.inner)
    });
    chosen.map(|stage| PlanRequest::AddInto(row.path.clone(), stage))
}
