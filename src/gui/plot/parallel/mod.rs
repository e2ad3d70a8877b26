//! Parallel coordinates on the screen: runs across upright axes, of which a drag chooses a range.

use eframe::egui::accesskit::Role;
use eframe::egui::{PointerButton, Pos2, Rect, Response, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};

use super::navigate::{PlotKey, pressed};
use super::painter::{Layer, area, paint};
use super::reading::HeadReading;
use super::scene::{EM, PlotViewport};
use crate::text::shortened;
use crate::theme::{self, theme_of};
use crate::widgets;
use figure::axis::{Axis, Mapping};
use figure::layout::{LabelLook, Ruler, Upright, names_height, names_of_axes, uprights};
use figure::model::{Figure, Line, Trace};
use figure::palette::Theme;
use figure::scene::Item;
use figure::scene::lines::{RunLook, in_drawing_order, parallel_axes, places_of_run, run};
use figure::scene::page::written;
use figure::view::passes;
use results::number::readable;
use results::view::Brushes;

const BOX: f32 = 14.0;
/// Strength of other runs while one stands out.
const DIMMED: f64 = 0.25;
/// Height above the axes besides their names, and below them for half a label.
const ABOVE: f32 = 6.0;
const BELOW: f32 = 10.0;
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
    axis: usize,
    /// The names of the line and of the run whose reading is pinned.
    pinned: Option<[String; 2]>,
    run_mesh: Option<RunMesh>,
}

#[derive(Clone, Debug)]
struct RunMesh {
    viewport: PlotViewport,
    /// The visible runs: the indices of the line and of the run in it.
    runs: Vec<[usize; 2]>,
    /// True if all are faint, since one is below the pointer.
    are_dimmed: bool,
    layer: Layer,
}

impl AxisBrushes {
    pub fn forget_figure(&mut self) {
        self.run_mesh = None;
    }
}

pub struct AxesFrame<'a> {
    figure: &'a Figure,
    rect: Rect,
    theme: Theme,
    /// Their places and labels.
    axes: Vec<Upright>,
    /// Their names above.
    names: Vec<Item>,
}

fn above(figure: &Figure) -> f32 {
    ABOVE + (names_height(figure.parallel.len()) * EM) as f32
}

/// Returns the rectangle of axes in this space, which has their names and labels too.
pub fn axes_of(figure: &Figure, space: Rect) -> Rect {
    Rect::from_min_max(space.min + vec2(0.0, above(figure)), space.max - vec2(0.0, BELOW))
}

/// Returns the space of axes in this rectangle, with their names and labels.
pub fn space_of(figure: &Figure, axes: Rect) -> Rect {
    Rect::from_min_max(axes.min - vec2(0.0, above(figure)), axes.max + vec2(0.0, BELOW))
}

/// Draws the axes and the runs into all available space; returns the values of the run at the pointer, or of the pinned one.
pub fn parallel_ui(ui: &mut Ui, figure: &Figure, chosen: &mut AxisBrushes) -> Option<HeadReading> {
    let (space, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
    let theme = theme_of(ui);
    let frame = AxesFrame::new(figure, space, theme);
    frame.take(&response, chosen);
    take_keys(ui, &frame, &response, chosen);
    let mut runs = in_drawing_order(figure);
    runs.retain(|run| passes(figure, frame.at(*run).1, &chosen.brushes));
    let count = runs.len();
    response.widget_info(|| {
        WidgetInfo::labeled(Role::Figure, true, format!("Plot of settings and results of {count} runs"))
    });
    let pointer = response.hover_pos().filter(|_| chosen.drag.is_none());
    let pointed = pointer.and_then(|at| frame.nearest(&runs, at)).map(|index| runs[index]);
    let names = |run: [usize; 2]| [&frame.at(run).0.name, &frame.at(run).1.name].map(String::clone);
    if response.clicked_by(PointerButton::Primary) {
        let is_pinned = chosen.pinned.is_some();
        chosen.pinned = pointed.filter(|_| !is_pinned).map(names);
    }
    let pinned = runs.iter().copied().find(|run| chosen.pinned.as_ref() == Some(&names(*run)));
    let pointed = pinned.or(pointed);
    let painter = ui.painter().with_clip_rect(space.intersect(ui.clip_rect()));
    frame.runs(chosen, PlotViewport::new(ui, space, 1), runs, pointed.is_some()).paint(&painter, &painter);
    if let Some(pointed) = pointed {
        let look = RunLook { strength: 1.0, is_pointed: true };
        paint(&painter, &frame.item(pointed, look).into_iter().collect::<Vec<_>>());
    }
    paint(&painter, &parallel_axes(&frame.axes, area(frame.rect), EM, theme));
    paint(&painter, &frame.names);
    for (index, axis) in figure.parallel.iter().enumerate() {
        if let Some(range) = chosen.brushes.get(&axis.label()) {
            let Some(x) = frame.axes.get(index).map(|axis| axis.x as f32) else { continue };
            let [low, high] = range.map(|end| frame.y(axis.heights().place(end).unwrap_or_default()));
            let rect = Rect::from_x_y_ranges(x - BOX / 2.0..=x + BOX / 2.0, high..=low);
            let accent = theme::present(ui).link;
            painter.rect_filled(rect, 2.0, accent.gamma_multiply(0.2));
            painter.rect_stroke(rect, 2.0, Stroke::new(1.0, accent), StrokeKind::Inside);
        }
    }
    let (line, trace) = frame.at(pointed?);
    Some(HeadReading { is_pinned: pinned.is_some(), ..frame.reading(line, trace) })
}

impl<'a> AxesFrame<'a> {
    fn new(figure: &'a Figure, space: Rect, theme: Theme) -> Self {
        let rect = axes_of(figure, space);
        let plot = area(rect);
        let count = figure.parallel.len() as f64;
        let mapping = Mapping::new(&Axis::default(), [-0.5, count - 0.5], [plot.left, plot.right]);
        let x = Ruler { mapping, ticks: Vec::new(), labels: LabelLook::default() };
        let names =
            names_of_axes(figure, &x, plot, EM).into_iter().map(|text| written(text, theme)).collect();
        Self { figure, rect, theme, axes: uprights(figure, &x, plot, EM), names }
    }

    /// Returns a run, by the indices of the line and of the run in it.
    fn at(&self, [line, trace]: [usize; 2]) -> (&'a Line, &'a Trace) {
        let line = &self.figure.lines[line];
        (line, &line.traces[trace])
    }

    fn item(&self, id: [usize; 2], look: RunLook) -> Option<Item> {
        run(self.figure, id, &self.axes, EM, self.theme, look)
    }

    fn y(&self, height: f64) -> f32 {
        self.rect.bottom() - height as f32 * self.rect.height()
    }

    fn height_at(&self, y: f32) -> f64 {
        f64::from((self.rect.bottom() - y) / self.rect.height()).clamp(0.0, 1.0)
    }

    /// Chooses a range by a drag along an axis; a click removes it, a double click removes all.
    fn take(&self, response: &Response, chosen: &mut AxisBrushes) {
        if response.double_clicked() {
            *chosen = AxisBrushes::default();
            return;
        }
        let Some(at) = response.interact_pointer_pos() else { return };
        if response.drag_started() || response.clicked() {
            let origin = response.ctx.input(|input| input.pointer.press_origin()).unwrap_or(at);
            let near = self.axes.iter().position(|axis| (axis.x as f32 - origin.x).abs() <= NEAR_AXIS);
            chosen.drag = near.map(|index| (index, self.height_at(origin.y)));
        }
        let Some((index, from)) = chosen.drag else { return };
        let axis = &self.figure.parallel[index.min(self.figure.parallel.len() - 1)];
        let to = self.height_at(at.y);
        if (self.y(from) - self.y(to)).abs() < SHORTEST {
            if response.clicked() {
                chosen.brushes.remove(&axis.label());
            }
        } else {
            let ends = [from.min(to), from.max(to)].map(|height| axis.heights().value(height));
            chosen.brushes.insert(axis.label(), ends);
        }
        if response.clicked() || response.drag_stopped() {
            chosen.drag = None;
        }
    }

    /// Returns the run nearest to the pointer between the axes on both sides.
    fn nearest(&self, runs: &[[usize; 2]], at: Pos2) -> Option<usize> {
        let [x, y] = [at.x, at.y].map(f64::from);
        let distance = |run: &[usize; 2]| {
            let places = places_of_run(self.at(*run).1, &self.axes);
            let between = places.windows(2).find(|ends| (ends[0][0]..=ends[1][0]).contains(&x))?;
            let share = (x - between[0][0]) / (between[1][0] - between[0][0]);
            let height = between[0][1] + (between[1][1] - between[0][1]) * share;
            Some((height - y).abs()).filter(|distance| *distance <= f64::from(NEAR_RUN))
        };
        let near = runs.iter().enumerate().filter_map(|(index, run)| Some((index, distance(run)?)));
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
    }

    /// Returns the triangles of these runs: the last ones if nothing has changed.
    fn runs(
        &self,
        chosen: &mut AxisBrushes,
        viewport: PlotViewport,
        runs: Vec<[usize; 2]>,
        are_dimmed: bool,
    ) -> Layer {
        let is_same = |known: &RunMesh| {
            (&known.viewport, &known.runs, known.are_dimmed) == (&viewport, &runs, are_dimmed)
        };
        if !chosen.run_mesh.as_ref().is_some_and(is_same) {
            let strength = if are_dimmed { DIMMED } else { 1.0 };
            let item = |run: &[usize; 2]| self.item(*run, RunLook { strength, is_pointed: false });
            let layer = viewport.layer(&runs.iter().filter_map(item).collect::<Vec<_>>());
            chosen.run_mesh = Some(RunMesh { viewport, runs, are_dimmed, layer });
        }
        chosen.run_mesh.as_ref().map(|known| known.layer.clone()).unwrap_or_default()
    }

    /// Returns the name of a run and its values on all axes.
    fn reading(&self, line: &Line, trace: &Trace) -> HeadReading {
        let text = |axis: &Axis, value: f64| match axis.category(value) {
            Some(index) => shortened(&axis.categories[index].name, 36),
            None if value.is_finite() && !axis.unit.is_empty() => {
                format!("{} {}", readable(value, axis.format), axis.unit)
            }
            None if value.is_finite() => readable(value, axis.format),
            None => "–".to_owned(),
        };
        let axes = self.figure.parallel.iter().zip(&trace.points);
        let values = axes.map(|(axis, [_, value])| format!("{} {}", axis.title, text(axis, *value)));
        let name = format!("{}, {}", shortened(&line.name, 48), trace.name);
        HeadReading { name, text: values.collect::<Vec<_>>().join(", "), is_pinned: false }
    }
}

/// A step of a range, as a share of the axis.
const STEP: f64 = 0.05;

/// Does what was pressed: left and right choose an axis, B starts a range on it, up and down move its upper end, with Shift
/// all of it, Escape removes it, and a key that fits removes all.
fn take_keys(ui: &Ui, frame: &AxesFrame<'_>, response: &Response, chosen: &mut AxisBrushes) {
    let last = frame.figure.parallel.len().saturating_sub(1);
    for key in pressed(ui, response) {
        let Some(axis) = frame.figure.parallel.get(chosen.axis.min(last)) else { return };
        let range = chosen.brushes.get(&axis.label()).copied();
        let heights = range.map(|ends| ends.map(|end| axis.heights().place(end).unwrap_or_default()));
        let ends = match (key, heights) {
            (PlotKey::Step([x, _]), _) if x != 0.0 => {
                chosen.axis =
                    if x > 0.0 { (chosen.axis + 1).min(last) } else { chosen.axis.saturating_sub(1) };
                continue;
            }
            (PlotKey::Step([_, y]), Some([low, high])) => [low, (high + STEP * y).clamp(low, 1.0)],
            (PlotKey::Pan([_, y]), Some([low, high])) => {
                let by = (STEP * y).clamp(-low, 1.0 - high);
                [low + by, high + by]
            }
            (PlotKey::Box, _) => [0.0, STEP],
            (PlotKey::Fit, _) => {
                chosen.brushes.clear();
                continue;
            }
            (PlotKey::Escape, Some(_)) => {
                chosen.brushes.remove(&axis.label());
                continue;
            }
            (PlotKey::Escape, None) => {
                if chosen.pinned.take().is_none() {
                    response.surrender_focus();
                }
                continue;
            }
            (PlotKey::Step(_) | PlotKey::Pan(_), None) | (PlotKey::Zoom(_) | PlotKey::Enter, _) => continue,
        };
        chosen.brushes.insert(axis.label(), ends.map(|end| axis.heights().value(end)));
    }
    if response.has_focus()
        && let Some(upright) = frame.axes.get(chosen.axis.min(last))
    {
        let axis = frame.rect.with_min_x(upright.x as f32 - 12.0).with_max_x(upright.x as f32 + 12.0);
        widgets::focus_ring(ui, axis);
    }
}

#[cfg(test)]
mod tests;
