//! What a person does in a plot: with keys, with the pointer, and in its menu.

use std::time::Duration;

use eframe::egui::{CursorIcon, Key, PointerButton, Pos2, Rect, Response, Ui, Vec2, pos2, vec2};
use egui_plot::{PlotPoint, PlotTransform};

use super::{FigureView, PanelReading, block_ui, values_at};
use crate::icons::Icon;
use crate::plot::legend::{FigureAction, LegendRows, LineAction, line_menu_ui, show_all_ui, wanted_ui};
use crate::plot::navigate::{
    PlotKey, ShownPlot, ViewChange, chosen, limited, moved, navigate, pressed, show_box, view_within, zoomed,
};
use crate::plot::reading::{Reading, ReadingPlace, Table, cell_at, read, read_areas, reading_ui};
use crate::theme;
use crate::widgets::entry_ui;
use figure::model::Figure;
use figure::scene::page::nearest;

impl FigureView {
    /// Takes keys, clicks and drags, and draws readings with the legend; returns the request and the change of the view.
    pub(super) fn act(&mut self, ui: &mut Ui, plot: &ShownPlot<'_>) -> (Option<FigureAction>, ViewChange) {
        let (entered, moved) = self.take_keys(ui, plot);
        let asked = self.readings_ui(ui, plot);
        let (from_menu, fits) = self.context_menu(&plot.response, plot.figure);
        let change = match navigate(ui, plot, &mut self.drag) {
            _ if fits => ViewChange::Fit,
            ViewChange::None => moved,
            change => change,
        };
        (asked.or(entered).or(from_menu), change)
    }

    /// Draws the menu of the plot, with the entries of the line at the pointer; returns true if all data are to be shown.
    fn context_menu(&mut self, plot: &Response, figure: &Figure) -> (Option<FigureAction>, bool) {
        if plot.secondary_clicked() {
            self.menu_line.clone_from(&self.hovered);
        }
        let (mut action, arms) = (None, self.around.arms.clone());
        let mut fits = false;
        plot.context_menu(|ui| {
            if let Some(name) = &self.menu_line {
                let mut rows = LegendRows { hidden: &mut self.hidden, arms: &arms, action: &mut action };
                theme::heading_ui(ui, name);
                line_menu_ui(ui, figure, name, &mut rows);
                ui.separator();
            } else {
                show_all_ui(ui, &mut self.hidden);
            }
            fits = entry_ui(ui, Icon::ArrowsOut, "Fit");
            if self.around.exports {
                action = wanted_ui(ui, true).map(FigureAction::Take).or(action.take());
            }
        });
        (action, fits)
    }
}

/// A pan moves by this share of the frame, and a step of a box is this share of it.
const PAN: f32 = 0.1;
const GROWTH: f32 = 0.05;
/// The reading moves by at least so many points, also where points of lines are closer.
const LEAST: f32 = 2.0;

#[derive(Debug, Default)]
pub struct KeyboardState {
    /// The line that was chosen, whose band is drawn and which Enter selects.
    pub line: Option<String>,
    /// The corners of a zoom box on the screen, of which the second one moves.
    corners: Option<[Pos2; 2]>,
}

impl FigureView {
    /// Does what was pressed while the plot has the focus; returns the request of Enter, and the change of the view.
    fn take_keys(&mut self, ui: &Ui, plot: &ShownPlot<'_>) -> (Option<FigureAction>, ViewChange) {
        let ShownPlot { figure, response, transform, fit, .. } = plot;
        let (mut entered, mut change) = (None, ViewChange::None);
        let (frame, fit) = (*transform.frame(), *fit);
        for key in pressed(ui, response) {
            match key {
                PlotKey::Step(by) => match &mut self.keyboard.corners {
                    Some([_, free]) => *free = frame.clamp(*free + on_screen(by, GROWTH * frame.size())),
                    None => change = self.step(plot, by),
                },
                PlotKey::Pan(by) => {
                    let by = on_screen(by, PAN * frame.size());
                    change = limited(moved(transform, by), fit);
                }
                PlotKey::Zoom(factor) => {
                    let fixed = self.fixed(figure, transform);
                    change = limited(zoomed(transform, factor.into(), fixed, fit), fit);
                }
                PlotKey::Fit => change = ViewChange::Fit,
                PlotKey::Box => self.keyboard.corners = Some([self.fixed(figure, transform); 2]),
                PlotKey::Enter => {
                    if let Some([from, to]) = self.keyboard.corners.take() {
                        let chosen = chosen(from, to, frame).map(|chosen| view_within(transform, chosen));
                        change = chosen.map_or(ViewChange::None, |view| limited(view, fit));
                    } else {
                        let line = self.keyboard.line.clone();
                        let cell = self.chosen_cell(figure).filter(|_| self.opens);
                        entered = line
                            .map(|name| FigureAction::Line(name, LineAction::Select))
                            .or(cell.map(FigureAction::Open));
                    }
                }
                PlotKey::Escape => {
                    if self.keyboard.corners.take().is_none() && self.pinned.take().is_none() {
                        response.surrender_focus();
                    }
                    self.keyboard.line = None;
                }
            }
        }
        if !response.has_focus() {
            self.keyboard.corners = None;
        }
        if let Some(chosen) = self.keyboard.corners.and_then(|[from, to]| chosen(from, to, frame)) {
            show_box(ui, chosen);
        }
        (entered, change)
    }

    /// Returns the place of the pinned reading, where the axes have one.
    pub(super) fn pinned_place(&self, figure: &Figure) -> Option<[f64; 2]> {
        let [x, y] = self.pinned?;
        Some([figure.x.scale.forward(x)?, figure.y.scale.forward(y)?])
    }

    /// Returns the place around which keys zoom: the reading, if it is visible, else the middle of the plot.
    fn fixed(&self, figure: &Figure, transform: &PlotTransform) -> Pos2 {
        let frame = *transform.frame();
        let x = self.pinned_place(figure).map(|[x, y]| transform.position_from_point(&PlotPoint { x, y }).x);
        pos2(x.filter(|x| frame.x_range().contains(*x)).unwrap_or(frame.center().x), frame.center().y)
    }

    /// Moves the reading, or chooses another line. A figure without readings is panned.
    fn step(&mut self, plot: &ShownPlot<'_>, [x, y]: [f64; 2]) -> ViewChange {
        let ShownPlot { figure, transform, .. } = plot;
        if figure.has_curves() && y != 0.0 {
            self.choose_line(plot, y > 0.0);
            return ViewChange::None;
        }
        let stops = if x == 0.0 { stops(&figure.y.categories, &[]) } else { self.stops_of_x(figure) };
        let frame = *transform.frame();
        if stops.is_empty() {
            return ViewChange::Show(moved(transform, on_screen([x, y], PAN * frame.size())));
        }
        let now = self.pinned_place(figure);
        let [old_x, old_y] = now.unwrap_or_else(|| first(figure, transform));
        let at = |[x, y]: [f64; 2]| transform.position_from_point(&PlotPoint { x, y });
        // From the edge on, if there is no reading yet; the first one is visible.
        let start = now.map_or_else(|| before(frame, [x, y]), at);
        let places = stops.into_iter().map(|stop| if x == 0.0 { [old_x, stop] } else { [stop, old_y] });
        let direction = vec2(x as f32, -y as f32);
        let distance = |place: &[f64; 2]| (at(*place) - start).dot(direction);
        let is_next = |place: &[f64; 2]| distance(place) >= LEAST;
        let next = places.filter(is_next).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let Some([x, y]) = next else { return ViewChange::None };
        self.pinned = Some(values_at(figure, [x, y]));
        // It stays visible.
        let place = at([x, y]);
        if frame.expand(0.5).contains(place) {
            return ViewChange::None;
        }
        ViewChange::Show(moved(transform, (place - frame.center()) * direction.abs()))
    }

    /// Returns the places of readings along x.
    fn stops_of_x(&self, figure: &Figure) -> Vec<f64> {
        if !figure.has_curves() {
            return stops(&figure.x.categories, &figure.bins);
        }
        let shown = figure.lines.iter().filter(|line| !self.hidden.contains(&line.name));
        let points = shown.flat_map(|line| &line.points);
        let place = |point: &[f64; 2]| figure.y.scale.forward(point[1]).and(figure.x.scale.forward(point[0]));
        points.filter_map(place).collect()
    }

    /// Chooses the next line above or below the chosen one at the reading, which begins at the last values.
    fn choose_line(&mut self, plot: &ShownPlot<'_>, is_up: bool) {
        if self.pinned.is_none() {
            self.step(plot, [-1.0, 0.0]);
        }
        let Some([x, _]) = self.pinned_place(plot.figure) else { return };
        let Some(mut reading) = self.read(plot, x) else { return };
        reading.rows.sort_by(|a, b| a.point[1].total_cmp(&b.point[1]));
        let names: Vec<&String> = reading.rows.iter().map(|row| &plot.figure.lines[row.line].name).collect();
        let now = names.iter().position(|name| Some(*name) == self.keyboard.line.as_ref());
        let next = match now {
            None if is_up => 0,
            None => names.len().saturating_sub(1),
            Some(now) if is_up => (now + 1).min(names.len() - 1),
            Some(now) => now.saturating_sub(1),
        };
        self.keyboard.line = names.get(next).map(|name| (*name).clone());
    }
}

/// Returns a direction as a distance on the screen, where y goes down.
fn on_screen([x, y]: [f64; 2], by: Vec2) -> Vec2 {
    by * vec2(x as f32, -y as f32)
}

/// Returns the middles of names or ranges.
fn stops(names: &[figure::axis::Category], bins: &[f64]) -> Vec<f64> {
    if bins.is_empty() {
        return (0..names.len()).map(|index| index as f64).collect();
    }
    bins.windows(2).map(|ends| f64::midpoint(ends[0], ends[1])).collect()
}

/// Returns the first place of a reading: in the middle, or in the first row of cells.
fn first(figure: &Figure, transform: &PlotTransform) -> [f64; 2] {
    let middle = transform.value_from_position(transform.frame().center());
    let y = if figure.y.categories.is_empty() { middle.y } else { 0.0 };
    let x = if figure.x.categories.is_empty() { middle.x } else { 0.0 };
    if cell_at(figure, [x, y]).is_some() { [x, y] } else { [middle.x, middle.y] }
}

/// Returns the edge of the frame from which a direction leads into it.
fn before(frame: Rect, [x, y]: [f64; 2]) -> Pos2 {
    let away = vec2(x as f32, -y as f32) * (frame.size() / 2.0 + Vec2::splat(LEAST));
    frame.center() - away
}

/// A second click within so many seconds makes a double-click, which fits a zoomed range.
const DOUBLE: f64 = 0.35;
/// The largest distance of the pointer from the line whose band it shows, in points.
const NEAR: f64 = 8.0;

impl FigureView {
    /// Draws the reading at the pointer, or the pinned one. A click pins and releases it; where a click opens a cell,
    /// Shift+click does. Returns the request for a cell or for a row of the legend.
    fn readings_ui(&mut self, ui: &mut Ui, plot: &ShownPlot<'_>) -> Option<FigureAction> {
        let ShownPlot { figure, response, transform, .. } = plot;
        let hovered = response.hover_pos().filter(|_| self.drag.is_none());
        let place = hovered.map(|at| transform.value_from_position(at)).map(|at| [at.x, at.y]);
        self.pointed_cell = place.and_then(|place| cell_at(figure, place));
        let cell = self.pointed_cell.filter(|_| self.opens);
        if cell.is_some() {
            ui.ctx().set_cursor_icon(CursorIcon::PointingHand);
        }
        let is_shifted = ui.input(|input| input.modifiers.shift);
        let opened = self.open(ui, response, cell.filter(|_| !is_shifted)).map(FigureAction::Open);
        // A key on the focused plot is no click.
        if response.clicked_by(PointerButton::Primary) && (cell.is_none() || is_shifted) {
            let has_reading = |place: &[f64; 2]| {
                !figure.is_of_areas() || read_areas(self.areas(figure), *place, true).is_some()
            };
            let here = |place| values_at(figure, place);
            self.pinned = if self.pinned.is_some() { None } else { place.filter(has_reading).map(here) };
        } else if ui.input(|input| input.key_pressed(Key::Escape)) {
            self.pinned = None;
        }
        let pinned = self.pinned_place(figure);
        let at = pinned.or(place);
        if let Some([row, column]) = self.opened {
            plot.outline(ui, [column as f64, row as f64]);
        }
        self.reading = None;
        if figure.has_curves() {
            self.hover(ui, figure, hovered);
            return opened.or(self.curves_ui(ui, plot, at));
        }
        let head = at.and_then(|at| read_areas(self.areas(figure), at, pinned.is_some()));
        if let Some(at) = pinned.filter(|_| head.is_some()) {
            plot.outline(ui, at);
        }
        self.take_head(ui, head);
        opened
    }

    /// Finds the line at the pointer, whose band is drawn in the next frame.
    fn hover(&mut self, ui: &Ui, figure: &Figure, pointer: Option<Pos2>) {
        let at = pointer.map(|at| [f64::from(at.x), f64::from(at.y)]);
        let id = at.zip(self.mesh.as_ref()).and_then(|(at, mesh)| nearest(&mesh.items, at, NEAR));
        let name = id.and_then(|id| Self::name_of(figure, id));
        if self.hovered.as_deref() != name {
            self.hovered = name.map(str::to_owned);
            ui.ctx().request_repaint();
        }
    }

    /// Draws the legend with the values at a place, or with the last ones.
    fn curves_ui(&mut self, ui: &mut Ui, plot: &ShownPlot<'_>, at: Option<[f64; 2]>) -> Option<FigureAction> {
        let ShownPlot { figure, transform, theme, .. } = plot;
        let follows = self.follows.filter(|_| at.is_none());
        let reading = at.map(|[x, _]| x).or(follows).and_then(|x| self.read(plot, x));
        let frame = *transform.frame();
        if let Some(reading) = &reading {
            let painter = ui.painter().with_clip_rect(frame.expand(6.0).intersect(ui.clip_rect()));
            let around = Some(ui.painter()).filter(|_| follows.is_none());
            reading_ui((&painter, around), figure, reading, transform, *theme);
        }
        let hidden = self.hidden.clone();
        let is_read = reading.is_some() && follows.is_none();
        let is_pinned = self.pinned.is_some();
        let table = Table::new(figure, reading, |name| hidden.contains(name), self.around.spread, is_pinned);
        // The legend has the values of all lines, but that above panels no settings.
        let line = self.keyboard.line.as_ref().or(self.hovered.as_ref());
        let says_more = line.is_some() || is_pinned || self.is_panel;
        let head = (is_read && says_more).then(|| table.head(line.map(String::as_str)));
        self.take_head(ui, head);
        if self.is_panel || self.block.is_above {
            self.reading = is_read.then(|| PanelReading::new(figure, &table));
        }
        if self.is_panel {
            return None;
        }
        let items = self.mesh.as_ref().map(|mesh| mesh.items.clone()).unwrap_or_default();
        let (mut action, around) = (None, &self.around);
        let mut rows = LegendRows { hidden: &mut self.hidden, arms: &around.arms, action: &mut action };
        let marked = [around.selected.as_deref(), self.keyboard.line.as_deref()];
        let pointed = block_ui(ui, figure, (frame, &items), &mut self.block, &mut rows, &table, marked);
        if !self.block.is_above {
            self.highlight(ui, pointed);
        }
        action
    }

    /// Reads off the lines at a place of x.
    fn read(&self, plot: &ShownPlot<'_>, x: f64) -> Option<Reading> {
        let forward = self.kept.as_ref().map_or(&[][..], |kept| &kept.forward);
        let at = ReadingPlace { x, per_point: plot.transform.dvalue_dpos()[0].abs() };
        read(plot.figure, forward, |name| self.hidden.contains(name), at)
    }

    /// Returns the cell that a click opens: at once or, where a second click would fit the range, when none follows.
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
