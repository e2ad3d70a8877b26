//! Parallel coordinates on the screen: runs across upright axes, of which a drag chooses a range.

use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::{
    Align2, Color32, FontId, Mesh, Painter, Pos2, Rect, Response, Sense, Shape, Stroke, StrokeKind,
    TextStyle, Ui, WidgetInfo, pos2, vec2,
};

use super::areas::{AreaReading, area_reading_ui};
use super::axes::colour;
use super::paint::{DIMMED, dashed, line_colour};
use super::sheet::Canvas;
use crate::figure::model::{Axis, Figure, Line, Trace};
use crate::figure::number::readable;
use crate::figure::palette::Theme;
use crate::figure::parallel::{height, passes, places, value_at};
use crate::figure::ticks::ticks;
use crate::figure::view::Brushes;
use crate::gui::text::shortened;
use crate::gui::theme::fitted;

/// Widths in points.
const RUN: f32 = 1.25;
const POINTED: f32 = 3.0;
const BOX: f32 = 14.0;
/// Strength of lines.
const STRENGTH: f32 = 0.8;
/// Room above the axes for their names, and below for half a label.
const ABOVE: f32 = 42.0;
/// Room at the left for the labels of the first axis.
const BESIDE: f32 = 24.0;
/// From one row of names to the next.
const ROW: f32 = 16.0;
const BELOW: f32 = 10.0;
/// Room along an axis for a number, and for a name.
const LABEL: f32 = 44.0;
const NAME: f32 = 17.0;
/// From a label to its axis.
const GAP: f32 = 6.0;
/// How near the pointer has to be to an axis, and to a run.
const NEAR_AXIS: f32 = 18.0;
const NEAR_RUN: f32 = 10.0;
/// A shorter drag is a click.
const SHORTEST: f32 = 4.0;

/// What a person chose on the axes.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// Ranges by the label of their axis.
    pub brushes: Brushes,
    /// The axis that a drag is on, and the height where it began.
    drag: Option<(usize, f64)>,
    sheet: Option<Sheet>,
}

/// The triangles of all runs, which are made once and painted as long as nothing about them changes.
#[derive(Clone, Debug)]
struct Sheet {
    canvas: Canvas,
    /// The runs that are shown: their line, and their place in it.
    runs: Vec<[usize; 2]>,
    /// Whether all step back behind the one that is pointed at.
    is_back: bool,
    mesh: Arc<Mesh>,
}

impl Chosen {
    /// What was kept.
    pub const fn of(brushes: Brushes) -> Self {
        Self { brushes, drag: None, sheet: None }
    }

    /// To be called whenever the figure is another one.
    pub fn forget_figure(&mut self) {
        self.sheet = None;
    }
}

/// Where the axes stand on the screen.
struct Frame<'a> {
    figure: &'a Figure,
    rect: Rect,
    theme: Theme,
}

/// Draws the axes and the runs that are not hidden into all the room there is.
pub fn parallel_ui(
    ui: &mut Ui,
    figure: &Figure,
    theme: Theme,
    chosen: &mut Chosen,
    hidden: impl Fn(&str) -> bool,
    highlighted: Option<&str>,
) {
    let (room, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
    let rect = Rect::from_min_max(room.min + vec2(BESIDE, ABOVE), room.max - vec2(0.0, BELOW));
    let frame = Frame { figure, rect, theme };
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
    let painter = ui.painter().with_clip_rect(room.intersect(ui.clip_rect()));
    let canvas = Canvas {
        frame: room,
        pixels: ui.pixels_per_point(),
        theme,
        highlighted: highlighted.map(str::to_owned),
        options: ui.ctx().tessellation_options(|options| *options),
        plots: 1,
    };
    painter.add(Shape::Mesh(frame.runs(chosen, canvas, runs, pointed.is_some())));
    if let Some((line, trace)) = pointed.map(|index| shown[index]) {
        painter.extend(frame.run(line, trace, POINTED, 1.0));
    }
    frame.axes(ui, &painter, &chosen.brushes);
    if let Some(((line, trace), at)) = pointed.map(|index| shown[index]).zip(pointer) {
        area_reading_ui(ui, &frame.reading(line, trace), "", at, ui.ctx().content_rect());
    }
}

impl<'a> Frame<'a> {
    /// A run, by its line and its place in it.
    fn at(&self, [line, trace]: [usize; 2]) -> (&'a Line, &'a Trace) {
        let line = &self.figure.lines[line];
        (line, &line.traces[trace])
    }

    /// Where the axis at a place of x stands.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // axes are counted in tens
    fn x(&self, place: f64) -> f32 {
        let share = (place + 0.5) / self.figure.parallel.len().max(1) as f64;
        self.rect.left() + share as f32 * self.rect.width()
    }

    #[allow(clippy::cast_possible_truncation)] // a share
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

    /// A drag along an axis chooses a range, a click on one gives it up, a double click all of them.
    fn take(&self, response: &Response, chosen: &mut Chosen) {
        if response.double_clicked() {
            *chosen = Chosen::default();
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

    /// The run nearest to the pointer between the axes at its sides.
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

    /// The triangles of these runs, as they were painted last where nothing has changed.
    fn runs(&self, chosen: &mut Chosen, canvas: Canvas, runs: Vec<[usize; 2]>, is_back: bool) -> Arc<Mesh> {
        let is_same =
            |sheet: &Sheet| (&sheet.canvas, &sheet.runs, sheet.is_back) == (&canvas, &runs, is_back);
        let sheet = if let Some(last) = chosen.sheet.take().filter(is_same) {
            last
        } else {
            let shapes = runs.iter().flat_map(|run| {
                let (line, trace) = self.at(*run);
                let is_other = canvas.highlighted.as_ref().is_some_and(|name| *name != line.name);
                self.run(line, trace, RUN, if is_back || is_other { DIMMED } else { STRENGTH })
            });
            let mesh = Arc::new(canvas.triangles(shapes));
            Sheet { canvas, runs, is_back, mesh }
        };
        chosen.sheet.insert(sheet).mesh.clone()
    }

    fn run(&self, line: &Line, trace: &Trace, width: f32, strength: f32) -> Vec<Shape> {
        let stroke = Stroke::new(width, line_colour(line.style.colour, self.theme).gamma_multiply(strength));
        let places = self.places(trace);
        let pieces = places.split(|place| place.y.is_nan()).filter(|piece| piece.len() > 1);
        pieces.flat_map(|piece| dashed(piece, line.style.dash, stroke)).collect()
    }

    fn axes(&self, ui: &Ui, painter: &Painter, brushes: &Brushes) {
        let (ink, weak) = (ui.visuals().text_color(), ui.visuals().weak_text_color());
        let font = TextStyle::Small.resolve(ui.style());
        #[allow(clippy::cast_precision_loss)]
        let room = self.rect.width() / self.figure.parallel.len().max(1) as f32 - 2.0 * GAP;
        // As in files, every other name stands higher where there are many.
        let rows = f32::from(crate::figure::layout::rows_of_names(self.figure.parallel.len()));
        for (index, x, axis) in self.axes_at() {
            painter.vline(x, self.rect.y_range(), Stroke::new(1.0, weak));
            let name = fitted(painter, &axis.label(), &font, rows * room);
            let row = if index % 2 == 1 && rows > 1.0 { ROW } else { 0.0 };
            let y = self.rect.top() - 12.0 - row;
            let drawn = painter.layout_no_wrap(name, font.clone(), ink);
            let half = drawn.size().x / 2.0;
            let left = (x - half).min(self.rect.right() - 2.0 * half).max(self.rect.left());
            painter.galley(pos2(left, y - drawn.size().y / 2.0), drawn, ink);
            // Left of the first axis is less room than between two.
            let beside = if index == 0 { x - self.rect.left() + BESIDE - GAP } else { room };
            self.labels(painter, x, axis, &font, beside.min(room), weak);
            if let Some(range) = brushes.get(&axis.label()) {
                self.chosen(ui, painter, x, axis, *range);
            }
        }
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few labels
    fn labels(&self, painter: &Painter, x: f32, axis: &Axis, font: &FontId, room: f32, ink: Color32) {
        let each = if axis.categories.is_empty() { LABEL } else { NAME };
        let wanted = (self.rect.height() / each).max(2.0) as usize;
        for tick in ticks(axis, axis.range.unwrap_or([0.0, 1.0]), wanted) {
            let Some((label, height)) = tick.label.zip(height(axis, tick.value)) else { continue };
            let y = self.y(height);
            painter.hline(x - GAP / 2.0..=x, y, Stroke::new(1.0, ink));
            let cut = fitted(painter, &label, font, room);
            if axis.categories.is_empty() && cut != label {
                continue; // a number that is cut would be another one
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
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::figure::model::Category;
    use crate::figure::style_of;

    fn figure() -> Figure {
        let axis = |title, range| Axis { range: Some(range), ..Axis::new(title, "") };
        let trace = |seed: u32, value: f64| Trace {
            name: format!("seed {seed}"),
            points: vec![[0.0, value], [1.0, 1.0 - value]],
        };
        let traces = vec![trace(1, 0.1), trace(2, 0.5), trace(3, 0.9)];
        let names = ["rate", "best"].map(|name| Category { name: name.to_owned(), ..Category::default() });
        Figure {
            x: Axis::named("", names.to_vec()),
            parallel: vec![axis("rate", [0.0, 1.0]), axis("best", [0.0, 1.0])],
            lines: vec![Line { traces, ..Line::new("a", style_of(0), Vec::new()) }],
            ..Figure::default()
        }
    }

    fn harness() -> Harness<'static, Chosen> {
        let figure = figure();
        let draw = move |ui: &mut Ui, chosen: &mut Chosen| {
            parallel_ui(ui, &figure, Theme::Light, chosen, |_| false, None);
        };
        let mut harness =
            Harness::builder().with_size(vec2(416.0, 338.0)).build_ui_state(draw, Chosen::default());
        harness.run();
        harness
    }

    fn runs(harness: &Harness<'_, Chosen>, count: usize) -> bool {
        harness.query_by_label(&format!("Plot of settings and results of {count} runs")).is_some()
    }

    #[test]
    fn a_drag_along_an_axis_leaves_the_runs_that_pass_and_a_click_lets_all_pass() {
        let mut harness = harness();
        assert!(runs(&harness, 3));
        let rect = harness.get_by_label_contains("Plot of settings").rect();
        let x = rect.left() + BESIDE + (rect.width() - BESIDE) / 4.0;
        let y = |height: f32| rect.bottom() - BELOW - height * (rect.height() - ABOVE - BELOW);
        harness.drag_at(pos2(x, y(0.3)));
        harness.run();
        harness.hover_at(pos2(x, y(0.5)));
        harness.run();
        harness.drop_at(pos2(x, y(0.7)));
        harness.run();
        assert!(runs(&harness, 1), "{:?}", harness.state());
        let [low, high] = harness.state().brushes["rate"];
        assert!((low - 0.3).abs() < 0.02 && (high - 0.7).abs() < 0.02, "{low} {high}");
        harness.drag_at(pos2(x, y(0.5)));
        harness.run();
        harness.drop_at(pos2(x, y(0.5)));
        harness.run();
        assert!(runs(&harness, 3), "{:?}", harness.state());
    }

    #[test]
    fn the_run_at_the_pointer_is_told_with_its_values() {
        let mut harness = harness();
        let rect = harness.get_by_label_contains("Plot of settings").rect();
        let frame = Rect::from_min_max(rect.min + vec2(BESIDE, ABOVE), rect.max - vec2(0.0, BELOW));
        harness.hover_at(pos2(frame.center().x - 40.0, frame.center().y));
        harness.run();
        for text in ["a, seed 2", "rate", "best"] {
            assert!(harness.query_all_by_label(text).next().is_some(), "{text}");
        }
    }
}
