//! The reading of a figure, at the pointer or where a click has pinned it, the legend that shows it, and the cell that a
//! click opens.

use std::time::Duration;

use eframe::egui::{CursorIcon, Key, PointerButton, Pos2, Response, Ui};
use egui_plot::{PlotPoint, PlotTransform};

use super::{Block, FigureAction, FigureView, LegendRows, PanelReading, block_ui};
use crate::plot::areas::{area_reading_ui, cell_at, outline, read_areas};
use crate::plot::reading::{Reading, ReadingPlace, read, reading_ui};
use crate::plot::values::Table;
use figure::model::Figure;
use figure::palette::Theme;
use figure::scene::hit::nearest;

/// A second click within so many seconds makes a double-click, which fits a zoomed range.
const DOUBLE: f64 = 0.35;
/// The largest distance of the pointer from the line whose band it shows, in points.
const NEAR: f64 = 8.0;

/// Draws the reading at the pointer, or the pinned one. A click pins and releases it; where a click opens a cell, Shift+click
/// does. Returns what a person asks of a cell or of a row of the legend.
pub(super) fn readings(
    ui: &mut Ui,
    figure: &Figure,
    state: &mut FigureView,
    response: &Response,
    transform: &PlotTransform,
    theme: Theme,
) -> Option<FigureAction> {
    let hovered = response.hover_pos().filter(|_| state.drag.is_none());
    let place = hovered.map(|at| transform.value_from_position(at)).map(|at| [at.x, at.y]);
    let cell = place.filter(|_| state.opens).and_then(|place| cell_at(figure, place));
    if cell.is_some() {
        ui.ctx().set_cursor_icon(CursorIcon::PointingHand);
    }
    let is_shifted = ui.input(|input| input.modifiers.shift);
    let opened = state.open(ui, response, cell.filter(|_| !is_shifted));
    // A key on the focused plot is no click.
    if response.clicked_by(PointerButton::Primary) && (cell.is_none() || is_shifted) {
        let has_reading = |place: &[f64; 2]| {
            !figure.is_of_areas() || read_areas(state.areas(figure), *place, theme).is_some()
        };
        let here = |[x, y]: [f64; 2]| [figure.x.scale.inverse(x), figure.y.scale.inverse(y)];
        state.pinned = if state.pinned.is_some() { None } else { place.filter(has_reading).map(here) };
    } else if ui.input(|input| input.key_pressed(Key::Escape)) {
        state.pinned = None;
    }
    let pinned = state.pinned_place(figure);
    let at = pinned.or(place);
    if let Some([row, column]) = state.opened.cell {
        let painter = ui.painter().with_clip_rect(transform.frame().expand(4.0));
        outline(&painter, figure, [column as f64, row as f64], transform, theme);
    }
    state.reading = None;
    if figure.has_curves() {
        hover(ui, figure, state, hovered);
        let action = curves_ui(ui, figure, state, at, transform, theme);
        return opened.map(FigureAction::Open).or(action);
    } else if let Some(at) = at {
        let pointer = hovered.filter(|_| pinned.is_none());
        areas_ui(ui, figure, state, (at, pointer), transform, theme);
    }
    opened.map(FigureAction::Open)
}

/// Finds the line at the pointer, whose band is drawn in the next frame.
fn hover(ui: &Ui, figure: &Figure, state: &mut FigureView, pointer: Option<Pos2>) {
    let items = state.mesh.as_ref().map(|mesh| mesh.items.clone());
    let at = pointer.map(|at| [f64::from(at.x), f64::from(at.y)]);
    let id = at.zip(items).and_then(|(at, items)| nearest(&items, at, NEAR));
    let name = id.and_then(|id| FigureView::name_of(figure, id));
    if state.hovered.as_deref() != name {
        state.hovered = name.map(str::to_owned);
        ui.ctx().request_repaint();
    }
}

/// Draws the legend with the values at a place, or with the last ones.
fn curves_ui(
    ui: &mut Ui,
    figure: &Figure,
    state: &mut FigureView,
    at: Option<[f64; 2]>,
    transform: &PlotTransform,
    theme: Theme,
) -> Option<FigureAction> {
    let follows = state.follows.filter(|_| at.is_none());
    let reading: Option<Reading> = at.map(|[x, _]| x).or(follows).and_then(|x| {
        let at = ReadingPlace { x, per_point: transform.dvalue_dpos()[0].abs() };
        let forward = state.kept.as_ref().map_or(&[][..], |kept| &kept.forward);
        read(figure, forward, |name| state.hidden.contains(name), at)
    });
    let frame = *transform.frame();
    if let Some(reading) = &reading {
        let painter = ui.painter().with_clip_rect(frame.expand(6.0).intersect(ui.clip_rect()));
        let around = Some(ui.painter()).filter(|_| follows.is_none());
        reading_ui((&painter, around), figure, reading, transform, theme);
    }
    let hidden = state.hidden.clone();
    let is_read = reading.is_some() && follows.is_none();
    let is_pinned = state.pinned.is_some();
    let table = Table::of(figure, reading, |name| hidden.contains(name), state.around.spread, is_pinned);
    if state.is_panel {
        state.reading = is_read.then(|| PanelReading::of(figure, &table));
        if let Some([x, y]) = at.filter(|_| is_pinned) {
            // The legend above all panels has no room for settings.
            let at = transform.position_from_point(&PlotPoint { x, y });
            let place = frame.min;
            ui.push_id([place.x, place.y].map(f32::to_bits), |ui| {
                area_reading_ui(ui, &table.reading(theme), "", at, ui.ctx().content_rect());
            });
        }
        return None;
    }
    let items = state.mesh.as_ref().map(|mesh| mesh.items.clone()).unwrap_or_default();
    let mut block: Block = std::mem::take(&mut state.block);
    let mut action = None;
    let around = &state.around;
    let mut rows = LegendRows { hidden: &mut state.hidden, arms: &around.arms, action: &mut action };
    let marked = [around.selected.as_deref(), state.keyboard.line.as_deref()];
    let pointed = block_ui(ui, (figure, theme), (frame, &items), &mut block, &mut rows, &table, marked);
    state.block = block;
    state.highlight(ui, pointed);
    action
}

/// Draws the reading of bars, marks or cells at a place: beside the pointer, or where it is pinned.
fn areas_ui(
    ui: &Ui,
    figure: &Figure,
    state: &FigureView,
    ([x, y], pointer): ([f64; 2], Option<Pos2>),
    transform: &PlotTransform,
    theme: Theme,
) {
    let Some(mut reading) = read_areas(state.areas(figure), [x, y], theme) else { return };
    if pointer.is_none() {
        reading = reading.with_facts(figure);
        let painter = ui.painter().with_clip_rect(transform.frame().expand(4.0));
        outline(&painter, figure, [x, y], transform, theme);
    }
    // A pinned reading must not cover what is around the plot.
    let limits = if pointer.is_none() { ui.max_rect() } else { ui.ctx().content_rect() };
    let at = pointer.unwrap_or_else(|| transform.position_from_point(&PlotPoint { x, y }));
    area_reading_ui(ui, &reading, state.hint(figure, [x, y], pointer.is_none()), at, limits);
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
        } else if let Some(cell) = cell.filter(|_| response.clicked_by(PointerButton::Primary)) {
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
