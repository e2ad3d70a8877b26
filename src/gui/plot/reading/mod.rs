//! Readings of lines: a vertical line, and the values of all lines there.

mod table;

use eframe::egui::{Align2, Area, Frame, Order, Pos2, Rect, Stroke, Ui, pos2, vec2};
use egui_plot::{PlotPoint, PlotTransform};

use super::axes::colour;
use super::paint::{Brush, Pen};
use crate::figure::model::{Figure, Line, Trace};
use crate::figure::palette::Style;
use table::table_ui;

/// A line's own point counts as being at the pointer's x up to this distance, in points.
const REACH: f64 = 12.0;
/// Between the vertical line and the table, so that no point on it is hidden.
const DISTANCE: f32 = 16.0;

/// The values of all lines at one x.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The x of the nearest point of any line.
    pub x: f64,
    /// Largest value first.
    pub rows: Vec<ReadingRow>,
}

/// The value of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadingRow {
    /// The line.
    pub name: String,
    /// Its colour, dash and marker.
    pub style: Style,
    /// Its nearest point.
    pub point: [f64; 2],
    /// The ends of the band there.
    pub band: Option<[f64; 2]>,
    /// The number of runs with a value there; `None` for a line that is no mean.
    pub count: Option<u32>,
    /// The single runs of a mean, the largest value first: only of the line nearest to the pointer.
    pub runs: Vec<(String, f64)>,
}

/// The place of a reading.
#[derive(Clone, Copy, Debug)]
pub struct ReadingPlace {
    /// The place on the x axis.
    pub x: f64,
    /// The place on the y axis: the single runs of the nearest line are read off too.
    pub y: f64,
    /// The width of a point on the screen, in places of x.
    pub per_point: f64,
}

/// Reads off the lines near a place. Only measured values are shown, nothing is interpolated. `forward` says for each
/// line of the figure whether all of it goes forward along x, which allows a binary search.
pub fn read(
    figure: &Figure,
    forward: &[bool],
    is_hidden: impl Fn(&str) -> bool,
    at: ReadingPlace,
) -> Option<Reading> {
    let all = figure.lines.iter().enumerate();
    let all = all.map(|(index, line)| (line, forward.get(index).copied().unwrap_or_default()));
    let shown: Vec<(&Line, bool)> = all.filter(|(line, _)| !is_hidden(&line.name)).collect();
    let candidates = shown.iter().filter_map(|(line, forward)| nearest(figure, &line.points, *forward, at.x));
    let found = candidates.min_by(|a, b| a.distance.total_cmp(&b.distance))?;
    let x = found.point[0];
    let at = ReadingPlace { x: figure.x.scale.forward(x)?, ..at };
    let rows =
        shown.iter().filter_map(|(line, forward)| Some((row(figure, line, *forward, at)?, *line, *forward)));
    let mut rows: Vec<(ReadingRow, &Line, bool)> = rows.collect();
    let away =
        |row: &ReadingRow| figure.y.scale.forward(row.point[1]).map_or(f64::INFINITY, |y| (y - at.y).abs());
    let nearest = rows.iter_mut().min_by(|a, b| away(&a.0).total_cmp(&away(&b.0)));
    if let Some((row, line, forward)) = nearest {
        row.runs = runs(figure, line, *forward, at, x);
    }
    rows.sort_by(|a, b| b.0.point[1].total_cmp(&a.0.point[1]));
    Some(Reading { x, rows: rows.into_iter().map(|(row, ..)| row).collect() })
}

fn row(figure: &Figure, line: &Line, forward: bool, at: ReadingPlace) -> Option<ReadingRow> {
    let found = nearest(figure, &line.points, forward, at.x).filter(|found| found.is_near(at))?;
    let x = found.point[0];
    let first = if forward { line.band.partition_point(|band| band.x < x) } else { 0 };
    let band = line.band[first..].iter().find(|band| band.x.total_cmp(&x).is_eq());
    Some(ReadingRow {
        name: line.name.clone(),
        style: line.style,
        point: found.point,
        band: band.map(|band| [band.low, band.high]),
        count: line.counts.get(found.index).copied(),
        runs: Vec::new(),
    })
}

/// The value of each run of a mean: that at exactly this x, also one that is not finite, otherwise the nearest one.
fn runs(figure: &Figure, line: &Line, forward: bool, at: ReadingPlace, x: f64) -> Vec<(String, f64)> {
    let value = |trace: &Trace| {
        let from = if forward { trace.points.partition_point(|point| point[0] < x) } else { 0 };
        let until =
            if forward { trace.points.partition_point(|point| point[0] <= x) } else { trace.points.len() };
        if let Some(point) =
            trace.points[from..until].iter().rev().find(|point| point[0].total_cmp(&x).is_eq())
        {
            return Some((trace.name.clone(), point[1]));
        }
        let found = nearest(figure, &trace.points, forward, at.x).filter(|found| found.is_near(at))?;
        Some((trace.name.clone(), found.point[1]))
    };
    let mut runs: Vec<_> = line.traces.iter().filter_map(value).collect();
    // Values that are not finite come last.
    let height = |value: f64| if value.is_nan() { f64::NEG_INFINITY } else { value };
    runs.sort_by(|a, b| height(b.1).total_cmp(&height(a.1)));
    runs
}

/// The point of a line nearest to a place.
struct Nearest {
    distance: f64,
    point: [f64; 2],
    index: usize,
    /// Whether the line has points on both sides of the place.
    is_inside: bool,
}

impl Nearest {
    fn is_near(&self, at: ReadingPlace) -> bool {
        self.is_inside || self.distance <= REACH * at.per_point
    }
}

/// The last of the points at the same distance. Points without a place on the axes are skipped.
fn nearest(figure: &Figure, points: &[[f64; 2]], forward: bool, place: f64) -> Option<Nearest> {
    let x = figure.x.scale.inverse(place);
    let distance = |point: &[f64; 2]| {
        figure.y.scale.forward(point[1])?;
        figure.x.scale.forward(point[0]).map(|own| (own - place).abs())
    };
    let all = || points.iter().enumerate().filter_map(|(index, point)| Some((index, distance(point)?)));
    let last_of_nearest = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0));
    let (index, distance) = if forward {
        let split = points.partition_point(|point| point[0] < x);
        let first = |index: usize| Some((index, distance(&points[index])?));
        let left = (0..split).rev().find_map(first);
        let right = (split..points.len()).find_map(first).map(|(index, found)| {
            let same = points[index..].iter().take_while(|point| point[0] <= points[index][0]);
            let last = same.enumerate().filter(|(_, point)| distance(point).is_some()).last();
            (index + last.map_or(0, |(offset, _)| offset), found)
        });
        left.into_iter().chain(right).min_by(last_of_nearest)?
    } else {
        all().min_by(last_of_nearest)?
    };
    let is_inside = if forward {
        points.first().is_some_and(|first| first[0] <= x) && points.last().is_some_and(|last| last[0] >= x)
    } else {
        points.iter().any(|point| point[0] <= x) && points.iter().any(|point| point[0] >= x)
    };
    Some(Nearest { distance, point: points[index], index, is_inside })
}

/// Draws the vertical line, a dot on each line, and the table beside them, within `limits`.
pub fn reading_ui(ui: &Ui, figure: &Figure, reading: &Reading, brush: &Brush<'_>, height: f32, limits: Rect) {
    let Pen { transform, theme, .. } = brush.pen;
    let Some(x) = figure.x.scale.forward(reading.x) else { return };
    let frame = *transform.frame();
    let across = transform.position_from_point_x(x);
    let stroke = Stroke::new(1.0, colour(theme.muted()));
    brush.painter.line_segment([pos2(across, frame.top()), pos2(across, frame.bottom())], stroke);
    for row in &reading.rows {
        if let Some(at) = position(figure, transform, row.point) {
            brush.dot(at, row.style);
        }
    }
    popup_ui(ui, pos2(across, height), across < frame.center().x, limits, |ui| {
        table_ui(ui, figure, reading, theme, frame.height());
    });
}

/// Draws a popup within `limits`, right or left of a place on the screen, so that it never covers the pointer.
pub fn popup_ui(ui: &Ui, at: Pos2, is_right: bool, limits: Rect, contents: impl FnOnce(&mut Ui)) {
    let (pivot, side) =
        if is_right { (Align2::LEFT_CENTER, DISTANCE) } else { (Align2::RIGHT_CENTER, -DISTANCE) };
    Area::new(ui.scope_id().with("reading"))
        .order(Order::Middle) // below dialogs and menus
        .interactable(false)
        .fade_in(false)
        .pivot(pivot)
        .fixed_pos(at + vec2(side, 0.0))
        .constrain_to(limits)
        .show(ui.ctx(), |ui| Frame::popup(ui.style()).show(ui, contents));
}

fn position(figure: &Figure, transform: &PlotTransform, [x, y]: [f64; 2]) -> Option<Pos2> {
    let place = PlotPoint { x: figure.x.scale.forward(x)?, y: figure.y.scale.forward(y)? };
    Some(transform.position_from_point(&place))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::figure::style_of;
    use crate::results::statistics::Band;

    fn figure() -> Figure {
        let mut high =
            Line::new("high", style_of(0), vec![[1.0, 0.5], [2.0, 0.9], [2.0, 0.8], [3.0, f64::NAN]]);
        high.band = vec![Band { x: 2.0, low: 0.7, high: 0.95 }];
        let low = Line::new("low", style_of(1), vec![[1.0, 0.1], [3.0, 0.3]]);
        let early = Line::new("early", style_of(2), vec![[0.0, 1.0]]);
        Figure { lines: vec![low, high, early], ..Figure::default() }
    }

    pub(super) fn at(x: f64) -> ReadingPlace {
        ReadingPlace { x, y: 0.0, per_point: 0.001 }
    }

    #[test]
    fn the_line_snaps_to_a_point_and_values_are_sorted() {
        for forward in [[false; 3], [true; 3]] {
            let reading = read(&figure(), &forward, |_| false, at(2.2)).unwrap();
            assert!((reading.x - 2.0).abs() < 1e-12);
            let rows: Vec<_> =
                reading.rows.iter().map(|row| (row.name.as_str(), row.point, row.band)).collect();
            assert_eq!(rows[0], ("high", [2.0, 0.8], Some([0.7, 0.95])), "the last of two at the same x");
            assert_eq!(rows[1].0, "low");
            assert_eq!(rows.len(), 2, "a line that ended before has no value");
        }
    }

    #[test]
    fn hidden_lines_and_gaps_are_not_read() {
        let reading = read(&figure(), &[true; 3], |name| name == "low", at(3.0)).unwrap();
        assert!((reading.x - 2.0).abs() < 1e-12);
        assert_eq!(read(&figure(), &[true; 3], |_| true, at(3.0)), None);
    }

    proptest! {
        #[test]
        fn a_line_that_goes_forward_is_read_as_any_other(
            points in prop::collection::vec((0..6_i32, prop::option::of(-2.0..2.0_f64)), 0..12),
            place in -1.0..7.0_f64,
        ) {
            let mut points: Vec<_> = points.iter().map(|(x, y)| [f64::from(*x), y.unwrap_or(f64::NAN)]).collect();
            points.sort_by(|a, b| a[0].total_cmp(&b[0]));
            let figure = Figure::default();
            let found = |forward: bool| {
                let found = nearest(&figure, &points, forward, place)?;
                Some((found.index, found.distance, found.is_inside))
            };
            prop_assert_eq!(found(true), found(false));
        }
    }

    /// A mean of so many runs with values 0.01, 0.02, … at x = 1.
    pub(super) fn mean(runs: u8) -> Figure {
        let mut line = Line::new("mean", style_of(0), vec![[1.0, 0.5]]);
        line.counts = vec![u32::from(runs)];
        line.band = vec![Band { x: 1.0, low: 0.4, high: 0.6 }];
        let trace =
            |run: u8| Trace { name: format!("seed {run}"), points: vec![[1.0, f64::from(run) / 100.0]] };
        line.traces = (1..=runs).map(trace).collect();
        line.traces[0].points[0][1] = f64::NAN;
        Figure {
            y: crate::figure::axis::Axis::percent("Test accuracy"),
            lines: vec![line],
            ..Figure::default()
        }
    }

    #[test]
    fn only_the_line_at_the_pointer_tells_its_runs() {
        let mut figure = mean(2);
        figure.lines.push(Line {
            name: "other".to_owned(),
            points: vec![[1.0, 0.9]],
            ..figure.lines[0].clone()
        });
        let runs = |y: f64| -> Vec<usize> {
            let reading = read(&figure, &[true; 2], |_| false, ReadingPlace { y, ..at(1.0) }).unwrap();
            reading.rows.iter().map(|row| row.runs.len()).collect()
        };
        assert_eq!((runs(0.95), runs(0.55)), (vec![2, 0], vec![0, 2]));
    }
}
