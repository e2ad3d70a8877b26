//! The keyboard in a figure: it moves the reading, pans, zooms, and grows a zoom box.

use eframe::egui::{Pos2, Rect, Response, Ui, Vec2, pos2, vec2};
use egui_plot::{PlotPoint, PlotTransform};

use super::FigureView;
use crate::plot::areas::cell_at;
use crate::plot::keyboard::{PlotKey, pressed};
use crate::plot::navigate::{
    View, ViewChange, chosen, limited, moved, show_box, view_of, view_within, zoomed,
};
use crate::plot::reading::{ReadingPlace, read};
use figure::model::Figure;

/// A pan moves by this share of the frame, and a step of a box is this share of it.
const PAN: f32 = 0.1;
const GROWTH: f32 = 0.05;
/// The reading moves by at least so many points, also where points of lines are closer.
const LEAST: f32 = 2.0;

/// What the keyboard has begun.
#[derive(Debug, Default)]
pub struct KeyboardState {
    /// The line that was chosen, whose band is drawn and which Enter selects.
    pub line: Option<String>,
    /// The corners of a zoom box on the screen, of which the second one moves.
    corners: Option<[Pos2; 2]>,
}

/// What the keys ask of the figure and of the window.
#[derive(Debug)]
pub struct KeyResponse {
    /// The change of the view.
    pub change: ViewChange,
    /// The line whose arm was selected.
    pub selected: Option<String>,
    /// The cell that was opened.
    pub opened: Option<[usize; 2]>,
}

impl FigureView {
    /// Does what was pressed while the plot has the focus.
    pub(super) fn take_keys(
        &mut self,
        ui: &Ui,
        figure: &Figure,
        response: &Response,
        transform: &PlotTransform,
        fit: View,
    ) -> KeyResponse {
        let mut done = KeyResponse { change: ViewChange::None, selected: None, opened: None };
        let (view, frame) = (view_of(transform), *transform.frame());
        for key in pressed(ui, response) {
            match key {
                PlotKey::Step(by) => match &mut self.keyboard.corners {
                    Some([_, free]) => *free = frame.clamp(*free + on_screen(by, GROWTH * frame.size())),
                    None => done.change = self.step(figure, transform, by),
                },
                PlotKey::Pan(by) => {
                    let by = on_screen(by, PAN * frame.size());
                    done.change = limited(moved(view, transform, -by), fit);
                }
                PlotKey::Zoom(factor) => {
                    let at = transform.value_from_position(self.fixed(figure, transform));
                    done.change = limited(zoomed(view, factor, [at.x, at.y]), fit);
                }
                PlotKey::Fit => done.change = ViewChange::Fit,
                PlotKey::Box => self.keyboard.corners = Some([self.fixed(figure, transform); 2]),
                PlotKey::Enter => {
                    if let Some([from, to]) = self.keyboard.corners.take() {
                        let chosen = chosen(from, to, frame).map(|chosen| view_within(transform, chosen));
                        done.change = chosen.map_or(ViewChange::None, |view| limited(view, fit));
                    } else {
                        done.selected.clone_from(&self.keyboard.line);
                        done.opened = self.chosen_cell(figure).filter(|_| self.opens);
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
        done
    }

    /// The pinned reading as a place of the figure.
    pub(super) fn pinned_place(&self, figure: &Figure) -> Option<[f64; 2]> {
        let [x, y] = self.pinned?;
        Some([figure.x.scale.forward(x)?, figure.y.scale.forward(y)?])
    }

    /// The place around which keys zoom: the reading, if it is visible, else the middle of the plot.
    fn fixed(&self, figure: &Figure, transform: &PlotTransform) -> Pos2 {
        let frame = *transform.frame();
        let x = self.pinned_place(figure).map(|[x, y]| transform.position_from_point(&PlotPoint { x, y }).x);
        pos2(x.filter(|x| frame.x_range().contains(*x)).unwrap_or(frame.center().x), frame.center().y)
    }

    /// Moves the reading, or chooses another line. A figure without readings is panned.
    fn step(&mut self, figure: &Figure, transform: &PlotTransform, [x, y]: [f64; 2]) -> ViewChange {
        if figure.has_curves() && y != 0.0 {
            self.choose_line(figure, transform, y > 0.0);
            return ViewChange::None;
        }
        let stops = if x == 0.0 { stops(&figure.y.categories, &[]) } else { self.stops_of_x(figure) };
        let (view, frame) = (view_of(transform), *transform.frame());
        if stops.is_empty() {
            return ViewChange::Show(moved(view, transform, -on_screen([x, y], PAN * frame.size())));
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
        self.pinned = Some([figure.x.scale.inverse(x), figure.y.scale.inverse(y)]);
        // It stays visible.
        let place = at([x, y]);
        if frame.expand(0.5).contains(place) {
            return ViewChange::None;
        }
        ViewChange::Show(moved(view, transform, (frame.center() - place) * direction.abs()))
    }

    /// Where a reading can be along x, as places.
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
    fn choose_line(&mut self, figure: &Figure, transform: &PlotTransform, is_up: bool) {
        if self.pinned.is_none() {
            self.step(figure, transform, [-1.0, 0.0]);
        }
        let Some([x, _]) = self.pinned_place(figure) else { return };
        let forward = self.kept.as_ref().map_or(&[][..], |kept| &kept.forward);
        let at = ReadingPlace { x, per_point: transform.dvalue_dpos()[0].abs() };
        let Some(mut reading) = read(figure, forward, |name| self.hidden.contains(name), at) else { return };
        reading.rows.sort_by(|a, b| a.point[1].total_cmp(&b.point[1]));
        let names: Vec<&String> = reading.rows.iter().map(|row| &figure.lines[row.line].name).collect();
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

/// A direction as a distance on the screen, where y goes down.
fn on_screen([x, y]: [f64; 2], by: Vec2) -> Vec2 {
    by * vec2(x as f32, -y as f32)
}

/// The middles of names or ranges.
fn stops(names: &[figure::axis::Category], bins: &[f64]) -> Vec<f64> {
    if bins.is_empty() {
        return (0..names.len()).map(|index| index as f64).collect();
    }
    bins.windows(2).map(|ends| f64::midpoint(ends[0], ends[1])).collect()
}

/// Where a reading begins: in the middle, or in the first row of cells.
fn first(figure: &Figure, transform: &PlotTransform) -> [f64; 2] {
    let middle = transform.value_from_position(transform.frame().center());
    let y = if figure.y.categories.is_empty() { middle.y } else { 0.0 };
    let x = if figure.x.categories.is_empty() { middle.x } else { 0.0 };
    if cell_at(figure, [x, y]).is_some() { [x, y] } else { [middle.x, middle.y] }
}

/// The edge of the frame from which a direction leads into it.
fn before(frame: Rect, [x, y]: [f64; 2]) -> Pos2 {
    let away = vec2(x as f32, -y as f32) * (frame.size() / 2.0 + Vec2::splat(LEAST));
    frame.center() - away
}
