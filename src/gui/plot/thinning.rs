//! Off-screen lines are skipped; dense lines are thinned to what pixels can show.
//!
//! The full series are thinned whenever the data, the view or the width change, so that a frame without changes only paints.

use crate::figure::axis::Axis;
use crate::figure::model::{Figure, Line};
use crate::figure::scale::Scale;
use crate::figure::thin::thin;

/// The lines of all visible plots share this many columns of pixels, and the faint traces that many. With many lines the
/// columns are wider; each keeps its extremes, so no outlier is lost. The graphics card gets all columns in every frame, so
/// their number decides the cost of a frame.
const LINE_COLUMNS: f64 = 16_000.0;
const TRACE_COLUMNS: f64 = 12_000.0;

/// A point as places: values of logarithmic axes are their exponents.
pub type PlacePoint = [f64; 2];

/// A column of a band: its place on x, its lower and its upper end.
pub type Extent = [f64; 3];

/// A line between two interruptions.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// As a polyline.
    Line(Vec<PlacePoint>),
    /// With many points: each column of pixels is filled from its lowest to its highest.
    Dense(Vec<Extent>),
}

/// A line, ready to be painted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThinnedLine {
    /// Pieces of the line itself.
    pub pieces: Vec<Piece>,
    /// The interruptions of the line, at the height of the last value before.
    pub interruptions: Vec<PlacePoint>,
    /// Pieces of the band.
    pub bands: Vec<Vec<Extent>>,
    /// Pieces of the single runs.
    pub traces: Vec<Piece>,
}

/// Thins the lines of a figure for one of `plots` plots, which shows the places in `range` on `pixels` columns. The order is
/// that of the lines; hidden ones are empty.
pub fn draw(
    figure: &Figure,
    is_hidden: impl Fn(&str) -> bool,
    range: [f64; 2],
    (pixels, plots): (f64, usize),
) -> Vec<ThinnedLine> {
    let shown = || figure.lines.iter().filter(|line| !is_hidden(&line.name));
    let traces: usize = shown().map(|line| line.traces.len()).sum();
    let share =
        |columns: f64, lines: usize| pixels.min(columns / (lines.max(1) * plots.max(1)) as f64).max(1.0);
    let column = Column { scale: figure.x.scale, range, pixels: share(LINE_COLUMNS, shown().count()) };
    let trace_column = Column { pixels: share(TRACE_COLUMNS, traces), ..column };
    let line = |line: &Line| {
        if is_hidden(&line.name) {
            ThinnedLine::default()
        } else {
            draw_line(figure, line, column, trace_column)
        }
    };
    figure.lines.iter().map(line).collect()
}

fn draw_line(figure: &Figure, line: &Line, column: Column, trace_column: Column) -> ThinnedLine {
    let (pieces, mut interruptions) = split(&figure.x, &figure.y, column.seen(&line.points));
    let mut traces = Vec::new();
    for trace in &line.traces {
        let (pieces, marks) = split(&figure.x, &figure.y, trace_column.seen(&trace.points));
        traces.extend(pieces.into_iter().map(|piece| thinned(piece, trace_column)));
        interruptions.extend(marks);
    }
    let pieces = pieces.into_iter().map(|piece| thinned(piece, column)).collect();
    ThinnedLine { pieces, interruptions, bands: bands(figure, line, column), traces }
}

/// With more than two points for each column, only the extremes of the columns are visible.
fn thinned(piece: Vec<PlacePoint>, column: Column) -> Piece {
    let columns = piece.chunk_by(|a, b| column.is_shared(a[0], b[0])).count();
    if piece.len() <= 2 * columns {
        return Piece::Line(piece);
    }
    if !piece.is_sorted_by(|a, b| a[0] <= b[0]) {
        return Piece::Line(thin(&piece, |place| column.of(place)));
    }
    let extents: Vec<Extent> = piece.iter().map(|[x, y]| [*x, *y, *y]).collect();
    Piece::Dense(extremes(&extents, column))
}

/// Columns of pixels across a range of places.
#[derive(Clone, Copy)]
struct Column {
    scale: Scale,
    range: [f64; 2],
    pixels: f64,
}

impl Column {
    fn of(self, place: f64) -> f64 {
        let [low, high] = self.range;
        ((place - low) / (high - low) * self.pixels).floor()
    }

    fn is_shared(self, a: f64, b: f64) -> bool {
        self.of(a).total_cmp(&self.of(b)).is_eq()
    }

    /// From the last point before the range to the first one after it.
    fn seen(self, points: &[[f64; 2]]) -> &[[f64; 2]] {
        let [low, high] = self.range.map(|place| self.scale.inverse(place));
        let first = points.iter().position(|point| point[0] >= low).unwrap_or(points.len());
        let last = points.iter().rposition(|point| point[0] <= high).map_or(0, |last| last + 1);
        points.get(first.saturating_sub(1)..(last + 1).min(points.len())).unwrap_or_default()
    }
}

/// The pieces of a polyline between values without a place, and a mark for each interruption.
fn split(x: &Axis, y: &Axis, points: &[[f64; 2]]) -> (Vec<Vec<PlacePoint>>, Vec<PlacePoint>) {
    let (mut pieces, mut marks) = (Vec::new(), Vec::new());
    let mut piece: Vec<PlacePoint> = Vec::new();
    let mut height = points.iter().find_map(|point| y.scale.forward(point[1])).unwrap_or_default();
    for point in points {
        // A point without an x has no place even for a mark; the small print counts it.
        let Some(across) = x.scale.forward(point[0]) else { continue };
        if let Some(up) = y.scale.forward(point[1]) {
            height = up;
            piece.push([across, up]);
        } else {
            marks.push([across, height]);
            pieces.extend(Some(std::mem::take(&mut piece)).filter(|piece| !piece.is_empty()));
        }
    }
    pieces.extend(Some(piece).filter(|piece| !piece.is_empty()));
    (pieces, marks)
}

/// The band in pieces, with the interruptions of the line, each thinned to the lowest low and the highest high of a column.
fn bands(figure: &Figure, line: &Line, column: Column) -> Vec<Vec<Extent>> {
    let gaps: Vec<f64> =
        line.points.iter().filter(|point| !point[1].is_finite()).map(|point| point[0]).collect();
    let mut pieces: Vec<Vec<Extent>> = Vec::new();
    let mut gaps_before = None;
    for band in &line.band {
        let places = [
            figure.x.scale.forward(band.x),
            figure.y.scale.forward(band.low),
            figure.y.scale.forward(band.high),
        ];
        let [Some(x), Some(low), Some(high)] = places else {
            gaps_before = None;
            continue;
        };
        let here = gaps.partition_point(|gap| *gap < band.x);
        if gaps_before != Some(here) {
            pieces.push(Vec::new());
        }
        gaps_before = Some(here);
        pieces.last_mut().expect("a piece was just begun").push([x, low, high]);
    }
    pieces.iter().map(|piece| extremes(piece, column)).collect()
}

/// The lowest low and the highest high of each column. The ends stay, so that the band keeps its length.
fn extremes(extents: &[Extent], column: Column) -> Vec<Extent> {
    let extreme = |group: &[Extent]| {
        let low = group.iter().map(|extent| extent[1]).fold(f64::INFINITY, f64::min);
        let high = group.iter().map(|extent| extent[2]).fold(f64::NEG_INFINITY, f64::max);
        [f64::midpoint(group[0][0], group[group.len() - 1][0]), low, high]
    };
    let last = extents.len().saturating_sub(1);
    let inner = extents.get(1..last).unwrap_or_default();
    let ends = (extents.first().copied(), (last > 0).then(|| extents[last]));
    let columns = inner.chunk_by(|a, b| column.is_shared(a[0], b[0])).map(extreme);
    ends.0.into_iter().chain(columns).chain(ends.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Trace, style_of};
    use crate::results::statistics::Band;

    fn figure(points: Vec<[f64; 2]>) -> Figure {
        Figure { lines: vec![Line::new("a", style_of(0), points)], ..Figure::default() }
    }

    #[test]
    fn thousands_of_points_become_a_few_for_each_pixel_with_their_extremes() {
        let mut points: Vec<_> = (0..10_000).map(|i| [f64::from(i), f64::from(i % 2)]).collect();
        points[5_050][1] = 9.0;
        let drawn = draw(&figure(points), |_| false, [0.0, 10_000.0], (100.0, 1));
        let [Piece::Dense(extents)] = drawn[0].pieces.as_slice() else { panic!("one piece of columns") };
        assert!(extents.len() <= 102);
        assert_eq!((extents[0], extents[101]), ([0.0, 0.0, 0.0], [9_999.0, 1.0, 1.0]));
        assert_eq!(extents[51], [5_049.5, 0.0, 9.0]);
    }

    #[test]
    fn only_what_is_seen_is_drawn_and_its_neighbours() {
        let points = (0..100).map(|i| [f64::from(i), 1.0]).collect();
        let drawn = draw(&figure(points), |_| false, [10.5, 12.5], (100.0, 1));
        assert_eq!(drawn[0].pieces, [Piece::Line(vec![[10.0, 1.0], [11.0, 1.0], [12.0, 1.0], [13.0, 1.0]])]);
    }

    #[test]
    fn a_dense_line_that_goes_back_stays_a_line() {
        let points = (0..1_000).map(|i| [f64::from(i % 500), f64::from(i)]).collect();
        let drawn = draw(&figure(points), |_| false, [0.0, 500.0], (10.0, 1));
        let [Piece::Line(points)] = drawn[0].pieces.as_slice() else { panic!("one line") };
        assert!(points.len() <= 80 && points.contains(&[499.0, 499.0]));
    }

    #[test]
    fn a_gap_interrupts_the_line_with_a_mark() {
        let drawn =
            draw(&figure(vec![[0.0, 1.0], [1.0, f64::NAN], [2.0, 3.0]]), |_| false, [0.0, 2.0], (100.0, 1));
        assert_eq!(drawn[0].pieces, [Piece::Line(vec![[0.0, 1.0]]), Piece::Line(vec![[2.0, 3.0]])]);
        assert_eq!(drawn[0].interruptions, [[1.0, 1.0]]);
    }

    #[test]
    fn logarithmic_axes_are_drawn_by_their_exponents() {
        let mut figure = figure(vec![[0.01, 1.0], [1.0, 2.0]]);
        figure.x.scale = Scale::Log10;
        assert_eq!(
            draw(&figure, |_| false, [-2.0, 0.0], (100.0, 1))[0].pieces,
            [Piece::Line(vec![[-2.0, 1.0], [0.0, 2.0]])]
        );
    }

    #[test]
    fn a_band_keeps_its_ends_and_the_extremes_of_a_column() {
        let mut figure = figure(vec![[0.0, 1.0]]);
        let band = |x: f64, low: f64, high: f64| Band { x, low, high };
        figure.lines[0].band =
            vec![band(0.0, 0.0, 2.0), band(4.0, 0.0, 9.0), band(4.5, -5.0, 2.0), band(9.0, 0.0, 2.0)];
        let drawn = draw(&figure, |_| false, [0.0, 10.0], (10.0, 1));
        assert_eq!(drawn[0].bands, [vec![[0.0, 0.0, 2.0], [4.25, -5.0, 9.0], [9.0, 0.0, 2.0]]]);
    }

    #[test]
    fn hidden_lines_are_empty_and_many_traces_share_their_columns() {
        let mut figure = figure(vec![[0.0, 1.0]]);
        assert!(draw(&figure, |name| name == "a", [0.0, 1.0], (10.0, 1))[0].pieces.is_empty());
        let points: Vec<_> = (0..5_000).map(|i| [f64::from(i), f64::from(i % 7)]).collect();
        figure.lines[0].traces = vec![Trace { name: String::new(), points }; 120];
        let drawn = draw(&figure, |_| false, [0.0, 5_000.0], (1_000.0, 1));
        let columns =
            |piece: &Piece| if let Piece::Dense(extents) = piece { extents.len() } else { usize::MAX };
        assert!(drawn[0].traces.iter().all(|piece| columns(piece) <= 12_000 / 120 + 3));
    }
}
