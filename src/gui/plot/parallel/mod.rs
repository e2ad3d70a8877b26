//! Parallel coordinates on the screen: runs across upright axes, of which a drag chooses a range.

use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::{
    Align2, Color32, FontId, Mesh, Painter, Pos2, Rect, Response, Sense, Shape, Stroke, StrokeKind,
    TextStyle, Ui, WidgetInfo, pos2, vec2,
};

use super::areas::{AreaReading, area_reading_ui};
use super::axes::colour;
use super::legend::SAMPLE_WIDTH;
use super::mesh::PlotViewport;
use super::paint::{DIMMED, dashed_in, line_colour, unmerged};
use crate::figure::axis::Axis;
use crate::figure::brushing::{height, passes, places, value_at};
use crate::figure::model::{Figure, Line, Trace};
use crate::figure::palette::{Dash, Theme};
use crate::figure::ticks::ticks;
use crate::gui::text::shortened;
use crate::gui::theme::fitted;
use crate::results::number::readable;
use crate::results::view::Brushes;

/// Widths in points.
const RUN: f32 = 1.25;
const POINTED: f32 = 3.0;
const BOX: f32 = 14.0;
/// Strength of lines.
const STRENGTH: f32 = 0.8;
/// Height above the axes for their names.
const ABOVE: f32 = 42.0;
/// Width at the left for the labels of the first axis.
const BESIDE: f32 = 24.0;
/// From one row of names to the next.
const ROW: f32 = 16.0;
/// Height below the axes for half a label.
const BELOW: f32 = 10.0;
/// Height of a number along an axis, and of a name.
const LABEL: f32 = 44.0;
const NAME: f32 = 17.0;
/// From a label to its axis.
const GAP: f32 = 6.0;
/// The largest distance of the pointer to an axis, and to a run.
const NEAR_AXIS: f32 = 18.0;
const NEAR_RUN: f32 = 10.0;
/// A shorter drag is a click.
const SHORTEST: f32 = 4.0;

/// The ranges that a person chose on the axes.
#[derive(Clone, Debug, Default)]
pub struct AxisBrushes {
    /// Ranges by the label of their axis.
    pub brushes: Brushes,
    /// The axis of a drag, and the height at its start.
    drag: Option<(usize, f64)>,
    run_mesh: Option<RunMesh>,
}

/// The cached triangles of all runs.
#[derive(Clone, Debug)]
struct RunMesh {
    viewport: PlotViewport,
    /// The visible runs: the indices of the line and of the run in it.
    runs: Vec<[usize; 2]>,
    /// Whether all are faint, since one is below the pointer.
    are_dimmed: bool,
    /// The places and the style of each run: another figure may have the same, as after a new name of an arm.
    outlines: Vec<RunOutline>,
    /// Whether the outlines have to be compared with those of a new figure.
    is_old: bool,
    mesh: Arc<Mesh>,
}

/// The places of a run on the screen as bits, its colour with its dash, and its strength.
type RunOutline = (Vec<[u32; 2]>, (usize, Dash), u32);

impl AxisBrushes {
    /// Saved ranges.
    pub const fn of(brushes: Brushes) -> Self {
        Self { brushes, drag: None, run_mesh: None }
    }

    /// Has to be called when the figure changes.
    pub fn forget_figure(&mut self) {
        if let Some(run_mesh) = &mut self.run_mesh {
            run_mesh.is_old = true;
        }
    }
}

/// The axes on the screen.
struct AxesFrame<'a> {
    figure: &'a Figure,
    rect: Rect,
    theme: Theme,
}

/// Draws the axes and the runs that are not hidden into all available space.
pub fn parallel_ui(
    ui: &mut Ui,
    figure: &Figure,
    theme: Theme,
    chosen: &mut AxisBrushes,
    hidden: impl Fn(&str) -> bool,
    highlighted: Option<&str>,
) {
    let (space, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
    let rect = Rect::from_min_max(space.min + vec2(BESIDE, ABOVE), space.max - vec2(0.0, BELOW));
    let frame = AxesFrame { figure, rect, theme };
    frame.take(&response, chosen);
    let lines = figure.lines.iter().enumerate().filter(|(_, line)| !hidden(&line.name));
    let runs = lines.flat_map(|(index, line)| (0..line.traces.len()).map(move |trace| [index, trace]));
    let runs: Vec<[usize; 2]> =
        runs.filter(|run| passes(figure, frame.at(*run).1, &chosen.brushes)).collect();
    let shown: Vec<(&Line, &Trace)> = runs.iter().map(|run| frame.at(*run)).collect();
    let count = shown.len();
    response.widget_info(|| {
        WidgetInfo::labeled(Role::Figure, true, format!("Plot of settings and results of {count} runs"))
    });
    let pointer = response.hover_pos().filter(|_| chosen.drag.is_none());
    let pointed = pointer.and_then(|at| frame.nearest(&shown, at));
    let painter = ui.painter().with_clip_rect(space.intersect(ui.clip_rect()));
    let viewport = PlotViewport::new(ui, space, theme, highlighted, 1);
    let mesh = frame.runs(chosen, viewport, runs, pointed.is_some());
    painter.with_clip_rect(unmerged(painter.clip_rect())).add(Shape::Mesh(mesh));
    if let Some((line, trace)) = pointed.map(|index| shown[index]) {
        painter.extend(frame.run(line, trace, POINTED, 1.0));
    }
    frame.axes(ui, &painter, &chosen.brushes);
    if let Some(((line, trace), at)) = pointed.map(|index| shown[index]).zip(pointer) {
        area_reading_ui(ui, &frame.reading(line, trace), "", at, ui.ctx().content_rect());
    }
}

impl<'a> AxesFrame<'a> {
    /// A run, by the indices of the line and of the run in it.
    fn at(&self, [line, trace]: [usize; 2]) -> (&'a Line, &'a Trace) {
        let line = &self.figure.lines[line];
        (line, &line.traces[trace])
    }

    /// The position of the axis at a place of x.
    fn x(&self, place: f64) -> f32 {
        let share = (place + 0.5) / self.figure.parallel.len().max(1) as f64;
        self.rect.left() + share as f32 * self.rect.width()
    }

    fn y(&self, height: f64) -> f32 {
        self.rect.bottom() - height as f32 * self.rect.height()
    }

    fn height_at(&self, y: f32) -> f64 {
        f64::from((self.rect.bottom() - y) / self.rect.height()).clamp(0.0, 1.0)
    }

    fn axes_at(&self) -> impl Iterator<Item = (usize, f32, &Axis)> {
        let places = (0_u32..).map(|place| self.x(f64::from(place)));
        self.figure.parallel.iter().enumerate().zip(places).map(|((index, axis), x)| (index, x, axis))
    }

    /// A drag along an axis chooses a range, a click removes it, a double click removes all.
    fn take(&self, response: &Response, chosen: &mut AxisBrushes) {
        if response.double_clicked() {
            *chosen = AxisBrushes::default();
            return;
        }
        let Some(at) = response.interact_pointer_pos() else { return };
        if response.drag_started() || response.clicked() {
            let origin = response.ctx.input(|input| input.pointer.press_origin()).unwrap_or(at);
            let near = self.axes_at().find(|(_, x, _)| (x - origin.x).abs() <= NEAR_AXIS);
            chosen.drag = near.map(|(index, ..)| (index, self.height_at(origin.y)));
        }
        let Some((index, from)) = chosen.drag else { return };
        let axis = &self.figure.parallel[index.min(self.figure.parallel.len() - 1)];
        let to = self.height_at(at.y);
        if (self.y(from) - self.y(to)).abs() < SHORTEST {
            if response.clicked() {
                chosen.brushes.remove(&axis.label());
            }
        } else {
            let ends = [from.min(to), from.max(to)].map(|height| value_at(axis, height));
            chosen.brushes.insert(axis.label(), ends);
        }
        if response.clicked() || response.drag_stopped() {
            chosen.drag = None;
        }
    }

    /// The run nearest to the pointer between the axes on both sides.
    fn nearest(&self, shown: &[(&Line, &Trace)], at: Pos2) -> Option<usize> {
        let distance = |(_, trace): &(&Line, &Trace)| {
            let places = self.places(trace);
            let between = places.windows(2).find(|ends| (ends[0].x..=ends[1].x).contains(&at.x))?;
            let [from, to] = [between[0], between[1]];
            let y = from.y + (to.y - from.y) * (at.x - from.x) / (to.x - from.x);
            Some((y - at.y).abs()).filter(|distance| *distance <= NEAR_RUN)
        };
        let near = shown.iter().enumerate().filter_map(|(index, run)| Some((index, distance(run)?)));
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
    }

    /// A run's places on the screen; y is NaN where it has no value.
    fn places(&self, trace: &Trace) -> Vec<Pos2> {
        places(self.figure, trace).into_iter().map(|[x, height]| pos2(self.x(x), self.y(height))).collect()
    }

    /// The triangles of these runs: the last ones if nothing has changed.
    fn runs(
        &self,
        chosen: &mut AxisBrushes,
        viewport: PlotViewport,
        runs: Vec<[usize; 2]>,
        are_dimmed: bool,
    ) -> Arc<Mesh> {
        let last = chosen.run_mesh.take().filter(|last| last.viewport == viewport);
        let is_same = |last: &RunMesh| !last.is_old && (&last.runs, last.are_dimmed) == (&runs, are_dimmed);
        let run_mesh = match last {
            Some(last) if is_same(&last) => last,
            last => {
                let strength = |line: &Line| {
                    let is_other = viewport.highlighted.as_ref().is_some_and(|name| *name != line.name);
                    if are_dimmed || is_other { DIMMED } else { STRENGTH }
                };
                let shown = || runs.iter().map(|run| self.at(*run));
                let outline = |(line, trace)| self.outline(line, trace, strength(line));
                let outlines: Vec<RunOutline> = shown().map(outline).collect();
                let mesh = if let Some(last) = last.filter(|last| last.outlines == outlines) {
                    last.mesh
                } else {
                    let shapes = |(line, trace)| self.run(line, trace, RUN, strength(line));
                    Arc::new(viewport.triangles(shown().flat_map(shapes)))
                };
                RunMesh { viewport, runs, are_dimmed, outlines, is_old: false, mesh }
            }
        };
        chosen.run_mesh.insert(run_mesh).mesh.clone()
    }

    /// All inputs of the shapes of a run except the surface.
    fn outline(&self, line: &Line, trace: &Trace, strength: f32) -> RunOutline {
        let places = self.places(trace).into_iter().map(|place| [place.x.to_bits(), place.y.to_bits()]);
        (places.collect(), (line.style.colour, line.style.dash), strength.to_bits())
    }

    fn run(&self, line: &Line, trace: &Trace, width: f32, strength: f32) -> Vec<Shape> {
        let stroke = Stroke::new(width, line_colour(line.style.colour, self.theme).gamma_multiply(strength));
        let places = self.places(trace);
        let pieces = places.split(|place| place.y.is_nan()).filter(|piece| piece.len() > 1);
        // Dashes are as long as in the legend, so that they differ even in hundreds of thin lines.
        pieces.flat_map(|piece| dashed_in(piece, line.style.dash, stroke, SAMPLE_WIDTH)).collect()
    }

    fn axes(&self, ui: &Ui, painter: &Painter, brushes: &Brushes) {
        let (ink, weak) = (ui.visuals().text_color(), ui.visuals().weak_text_color());
        let font = TextStyle::Small.resolve(ui.style());
        let space = self.rect.width() / self.figure.parallel.len().max(1) as f32 - 2.0 * GAP;
        // As in files, every other name is higher if there are many.
        let rows = f32::from(crate::figure::layout::rows_of_names(self.figure.parallel.len()));
        for (index, x, axis) in self.axes_at() {
            painter.vline(x, self.rect.y_range(), Stroke::new(1.0, weak));
            let name = fitted(painter, &axis.label(), &font, rows * space);
            let row = if index % 2 == 1 && rows > 1.0 { ROW } else { 0.0 };
            let y = self.rect.top() - 12.0 - row;
            let drawn = painter.layout_no_wrap(name, font.clone(), ink);
            let half = drawn.size().x / 2.0;
            let left = (x - half).min(self.rect.right() - 2.0 * half).max(self.rect.left());
            painter.galley(pos2(left, y - drawn.size().y / 2.0), drawn, ink);
            // There is less space left of the first axis than between two.
            let available = if index == 0 { x - self.rect.left() + BESIDE - GAP } else { space };
            self.labels(painter, x, axis, &font, available.min(space), weak);
            if let Some(range) = brushes.get(&axis.label()) {
                self.chosen(ui, painter, x, axis, *range);
            }
        }
    }

    fn labels(&self, painter: &Painter, x: f32, axis: &Axis, font: &FontId, space: f32, ink: Color32) {
        let each = if axis.categories.is_empty() { LABEL } else { NAME };
        let wanted = (self.rect.height() / each).max(2.0) as usize;
        for tick in ticks(axis, axis.range.unwrap_or([0.0, 1.0]), wanted) {
            let Some((label, height)) = tick.label.zip(height(axis, tick.value)) else { continue };
            let y = self.y(height);
            painter.hline(x - GAP / 2.0..=x, y, Stroke::new(1.0, ink));
            let cut = fitted(painter, &label, font, space);
            if axis.categories.is_empty() && cut != label {
                continue; // a shortened number would be a different one
            }
            let galley = painter.layout_no_wrap(cut, font.clone(), ink);
            let rect = Align2::RIGHT_CENTER.anchor_size(pos2(x - GAP, y), galley.size());
            let ground = colour(self.theme.ground()).gamma_multiply(0.8);
            painter.add(Shape::rect_filled(rect.expand2(vec2(1.0, -1.0)), 2.0, ground));
            painter.galley(rect.min, galley, ink);
        }
    }

    fn chosen(&self, ui: &Ui, painter: &Painter, x: f32, axis: &Axis, range: [f64; 2]) {
        let [low, high] = range.map(|end| height(axis, end).unwrap_or_default());
        let rect = Rect::from_x_y_ranges(x - BOX / 2.0..=x + BOX / 2.0, self.y(high)..=self.y(low));
        let accent = ui.visuals().hyperlink_color;
        painter.rect_filled(rect, 2.0, accent.gamma_multiply(0.2));
        painter.rect_stroke(rect, 2.0, Stroke::new(1.0, accent), StrokeKind::Inside);
    }

    /// The name of a run and its values on all axes.
    fn reading(&self, line: &Line, trace: &Trace) -> AreaReading {
        let text = |axis: &Axis, value: f64| match axis.category(value) {
            Some(index) => shortened(&axis.categories[index].name, 36),
            None if value.is_finite() && !axis.unit.is_empty() => {
                format!("{} {}", readable(value, axis.format), axis.unit)
            }
            None if value.is_finite() => readable(value, axis.format),
            None => "–".to_owned(),
        };
        let axes = self.figure.parallel.iter().zip(&trace.points);
        let rows = axes.map(|(axis, [_, value])| (axis.title.clone(), None, text(axis, *value)));
        let name = format!("{}, {}", shortened(&line.name, 48), trace.name);
        AreaReading { title: name, rows: rows.collect() }
    }
}

#[cfg(test)]
mod tests;
