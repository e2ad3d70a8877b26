//! The reading of a figure, at the pointer or where a click has pinned it, and the cell that a click opens.

use std::time::Duration;

use eframe::egui::{CursorIcon, Key, Pos2, Response, Ui};
use egui_plot::{PlotPoint, PlotTransform};

use super::FigureView;
use crate::figure::model::Figure;
use crate::figure::palette::Theme;
use crate::gui::plot::areas::{area_reading_ui, cell_at, read_areas};
use crate::gui::plot::paint::{Brush, Pen};
use crate::gui::plot::reading::{ReadingPlace, read, reading_ui};

/// A second click within so many seconds makes a double-click, which fits a zoomed range.
const DOUBLE: f64 = 0.35;

/// Draws the reading at the pointer, or the pinned one. A click pins and releases it; where a click opens a cell, Shift+click
/// does. Returns the opened cell.
pub(super) fn readings(
    ui: &Ui,
    figure: &Figure,
    state: &mut FigureView,
    response: &Response,
    transform: &PlotTransform,
    theme: Theme,
) -> Option<[usize; 2]> {
    let hovered = response.hover_pos().filter(|_| state.drag.is_none());
    let place = hovered.map(|at| transform.value_from_position(at)).map(|at| [at.x, at.y]);
    let cell = place.filter(|_| state.opens).and_then(|place| cell_at(figure, place));
    if cell.is_some() {
        ui.ctx().set_cursor_icon(CursorIcon::PointingHand);
    }
    let is_shifted = ui.input(|input| input.modifiers.shift);
    let opened = state.open(ui, response, cell.filter(|_| !is_shifted));
    if response.clicked() && (cell.is_none() || is_shifted) {
        let has_reading = |place: &[f64; 2]| {
            !figure.is_of_areas() || read_areas(state.areas(figure), *place, theme).is_some()
        };
        let here = |[x, y]: [f64; 2]| [figure.x.scale.inverse(x), figure.y.scale.inverse(y)];
        state.pinned = if state.pinned.is_some() { None } else { place.filter(has_reading).map(here) };
    } else if ui.input(|input| input.key_pressed(Key::Escape)) {
        state.pinned = None;
    }
    let pinned =
        state.pinned.and_then(|[x, y]| Some([figure.x.scale.forward(x)?, figure.y.scale.forward(y)?]));
    if let Some(at) = pinned.or(place) {
        let pointer = hovered.filter(|_| pinned.is_none());
        reading_at(ui, figure, state, (at, pointer), transform, theme);
    }
    opened
}

/// Draws the reading at a place: beside the pointer, or where it is pinned.
fn reading_at(
    ui: &Ui,
    figure: &Figure,
    state: &FigureView,
    ([x, y], pointer): ([f64; 2], Option<Pos2>),
    transform: &PlotTransform,
    theme: Theme,
) {
    let painter = ui.painter().with_clip_rect(transform.frame().expand(4.0));
    let brush = Brush { painter: &painter, pen: Pen { transform, theme, highlighted: None } };
    // A pinned reading must not cover what is around the plot.
    let limits = if pointer.is_none() { ui.max_rect() } else { ui.ctx().content_rect() };
    if figure.is_of_areas() {
        let Some(reading) = read_areas(state.areas(figure), [x, y], theme) else { return };
        if pointer.is_none() {
            brush.outline(figure, [x, y]);
        }
        let at = pointer.unwrap_or_else(|| transform.position_from_point(&PlotPoint { x, y }));
        return area_reading_ui(ui, &reading, state.hint(figure, [x, y], pointer.is_none()), at, limits);
    }
    let at = ReadingPlace { x, y, per_point: transform.dvalue_dpos()[0].abs() };
    let forward = state.kept.as_ref().map_or(&[][..], |kept| &kept.forward);
    let Some(reading) = read(figure, forward, |name| state.hidden.contains(name), at) else { return };
    let height = transform.position_from_point_y(y);
    reading_ui(ui, figure, &reading, &brush, height, limits);
}

impl FigureView {
    /// The actions at a place, if they differ from those everywhere else.
    fn hint(&self, figure: &Figure, place: [f64; 2], is_pinned: bool) -> &'static str {
        match (self.opens && cell_at(figure, place).is_some(), is_pinned) {
            (false, _) => "",
            (true, false) => "Click: show its faults\nShift+click: pin this reading",
            (true, true) => "Click: show the faults of a cell\nShift+click or Escape: release",
        }
    }

    /// The cell that a click opens: at once, or, if it may be the first click of two that fit the range, when no second one
    /// follows.
    fn open(&mut self, ui: &Ui, response: &Response, cell: Option<[usize; 2]>) -> Option<[usize; 2]> {
        let now = ui.input(|input| input.time);
        if response.double_clicked() {
            self.opening = None;
        } else if let Some(cell) = cell.filter(|_| response.clicked()) {
            if !self.is_zoomed() {
                return Some(cell);
            }
            self.opening = Some((cell, now));
        }
        // A plot that was out of sight may show other data now.
        self.opening = self.opening.filter(|(_, since)| now - since <= 2.0 * DOUBLE);
        let (cell, since) = self.opening?;
        let left = DOUBLE - (now - since);
        if left > 0.0 {
            ui.ctx().request_repaint_after(Duration::from_secs_f64(left));
            return None;
        }
        self.opening = None;
        Some(cell)
    }
}

#[cfg(test)]
mod tests;
