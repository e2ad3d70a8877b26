//! Lines as far as they can be seen: without what lies beside the plot, and with as many points as its pixels can show.

use std::ops::Range;

use super::Surface;
use super::item::{Column, Point};
use crate::mapping::Mapping;
use crate::model::Line;
use crate::thin::thin;

/// Lines in files keep their extremes in each of these columns per point: 288 to an inch.
const COLUMNS_PER_POINT: f64 = 4.0;
/// The lines of all visible plots share this many columns of pixels, and the faint traces that many. The graphics card gets
/// all columns in every frame, so their number decides the cost of a frame. Each keeps its extremes, so no outlier is lost.
const LINE_COLUMNS: f64 = 16_000.0;
const TRACE_COLUMNS: f64 = 12_000.0;

/// How fine lines are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Detail {
    /// As fine as paper.
    Print,
    /// As fine as the screen, which shows several plots.
    Screen {
        /// Pixels for each point.
        pixels: f64,
        /// The number of visible plots of curves.
        plots: usize,
    },
}

/// A line between two interruptions.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// As a polyline.
    Line(Vec<Point>),
    /// With many points: each column is filled from its lowest to its highest.
    Dense(Vec<Column>),
}

/// Columns of equal width.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Columns for each point of the page.
    density: f64,
}

impl Columns {
    /// For lines, or for the single runs behind them.
    pub fn of(surface: &Surface<'_>, count: usize, are_traces: bool) -> Self {
        match surface.look.detail {
            Detail::Print => Self { density: COLUMNS_PER_POINT },
            Detail::Screen { pixels, plots } => {
                let width = (surface.area.right - surface.area.left).max(1.0);
                let budget = if are_traces { TRACE_COLUMNS } else { LINE_COLUMNS };
                let share = budget / (count.max(1) * plots.max(1)) as f64;
                Self { density: (width * pixels).min(share).max(1.0) / width }
            }
        }
    }

    fn of_place(self, x: f64) -> f64 {
        (x * self.density).floor()
    }

    fn is_shared(self, a: f64, b: f64) -> bool {
        self.of_place(a).total_cmp(&self.of_place(b)).is_eq()
    }

    /// With more than two points for each column, only the extremes of the columns are visible.
    fn thinned(self, piece: Vec<Point>) -> Piece {
        let columns = piece.chunk_by(|a, b| self.is_shared(a[0], b[0])).count();
        if piece.len() <= 2 * columns {
            return Piece::Line(piece);
        }
        let goes_on = |is_on: fn(&f64, &f64) -> bool| piece.is_sorted_by(|a, b| is_on(&a[0], &b[0]));
        if !goes_on(f64::le) && !goes_on(f64::ge) {
            return Piece::Line(thin(&piece, |x| self.of_place(x)));
        }
        let columns: Vec<Column> = piece.iter().map(|[x, y]| [*x, *y, *y]).collect();
        Piece::Dense(self.extremes(&columns))
    }

    /// The highest top and the lowest bottom of each column. The ends stay, so that the band keeps its length.
    fn extremes(self, columns: &[Column]) -> Vec<Column> {
        let extreme = |group: &[Column]| {
            let top = group.iter().map(|column| column[1]).fold(f64::INFINITY, f64::min);
            let bottom = group.iter().map(|column| column[2]).fold(f64::NEG_INFINITY, f64::max);
            [f64::midpoint(group[0][0], group[group.len() - 1][0]), top, bottom]
        };
        let last = columns.len().saturating_sub(1);
        let inner = columns.get(1..last).unwrap_or_default();
        let inner = inner.chunk_by(|a, b| self.is_shared(a[0], b[0])).map(extreme);
        let ends = (columns.first().copied(), (last > 0).then(|| columns[last]));
        ends.0.into_iter().chain(inner).chain(ends.1).collect()
    }
}

/// From the last point before the visible part to the first one after it.
fn seen(points: &[Point], surface: &Surface<'_>) -> Range<usize> {
    let ends = [surface.area.left, surface.area.right].map(|place| surface.x.value(place));
    let [low, high] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
    let first = points.iter().position(|point| point[0] >= low).unwrap_or(points.len());
    let last = points.iter().rposition(|point| point[0] <= high).map_or(0, |last| last + 1);
    let end = (last + 1).min(points.len());
    first.saturating_sub(1).min(end)..end
}

/// The visible pieces of a line through these points.
pub fn line_pieces(points: &[Point], surface: &Surface<'_>, columns: Columns) -> Vec<Piece> {
    let places: Vec<Point> =
        points[seen(points, surface)].iter().map(|point| surface.place(*point)).collect();
    let pieces = places.split(|place| place[1].is_nan()).filter(|piece| !piece.is_empty());
    pieces.map(|piece| columns.thinned(piece.to_vec())).collect()
}

/// The pieces of a line's band, with the interruptions of the line.
pub fn band_pieces(line: &Line, surface: &Surface<'_>, columns: Columns) -> Vec<Vec<Column>> {
    let gaps: Vec<f64> =
        line.points.iter().filter(|point| !point[1].is_finite()).map(|point| point[0]).collect();
    let mut pieces: Vec<Vec<Column>> = Vec::new();
    let mut gaps_before = None;
    for band in &line.band {
        let places = (surface.x.place(band.x), surface.y.place(band.low), surface.y.place(band.high));
        let (Some(x), Some(low), Some(high)) = places else {
            gaps_before = None;
            continue;
        };
        let here = gaps.partition_point(|gap| *gap < band.x);
        if gaps_before != Some(here) {
            pieces.push(Vec::new());
        }
        gaps_before = Some(here);
        pieces.last_mut().expect("a piece was just begun").push([x, low.min(high), low.max(high)]);
    }
    pieces.iter().map(|piece| columns.extremes(piece)).collect()
}

/// The points of a line that get a marker: all of them while they are apart, otherwise every nth. Lines with different
/// `offset` mark different points.
pub fn marked<'a>(
    points: &'a [Point],
    offset: usize,
    surface: &'a Surface<'_>,
) -> impl Iterator<Item = (usize, Point)> + 'a {
    /// The least distance of markers at all points, and the distance otherwise, in ems.
    const APART: f64 = 1.5;
    const SPACED: f64 = 6.0;
    let range = seen(points, surface);
    let (start, seen) = (range.start, &points[range]);
    let gap = mean_gap(seen, surface.x, surface.em);
    let stride = if gap >= APART { 1 } else { ((SPACED / gap).ceil() as usize).max(1) };
    let mut last: Option<f64> = None;
    let chosen = seen.iter().enumerate().map(move |(index, point)| (start + index, point));
    let chosen = chosen.filter(move |(index, _)| index % stride == offset * 2 % stride);
    let placed = chosen.map(|(index, point)| (index, surface.place(*point)));
    placed.filter(move |(_, at)| {
        let is_apart = stride == 1 || last.is_none_or(|last| (last - at[0]).abs() >= APART * surface.em);
        let is_shown = surface.holds(*at) && is_apart;
        last = if is_shown { Some(at[0]) } else { last };
        is_shown
    })
}

/// The mean distance of neighbours along x, in ems.
fn mean_gap(points: &[Point], x: Mapping, em: f64) -> f64 {
    let ends = points.first().zip(points.last());
    let places = ends.and_then(|(first, last)| x.place(first[0]).zip(x.place(last[0])));
    let length = places.map_or(0.0, |(first, last)| (first - last).abs());
    if points.len() < 2 { f64::INFINITY } else { (length / (points.len() - 1) as f64 / em).max(1e-6) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{Intervals, Look};
    use super::*;
    use crate::layout::Rect;
    use crate::palette::Theme;
    use crate::scale::Scale;
    use crate::{Axis, Figure, Trace, style_of};
    use results::statistics::Band;

    const HIDDEN: BTreeSet<String> = BTreeSet::new();

    /// A surface of 100 points with a column each, on which y is upside down and not stretched.
    fn on_surface<R>(figure: &Figure, range: [f64; 2], read: impl FnOnce(&Surface<'_>) -> R) -> R {
        let look = Look {
            hidden: &HIDDEN,
            highlighted: None,
            selected: None,
            intervals: Intervals::None,
            detail: Detail::Screen { pixels: 1.0, plots: 1 },
        };
        let area = Rect { left: 0.0, top: 0.0, right: 100.0, bottom: 10.0 };
        let (x, y) =
            (Mapping::new(&figure.x, range, [0.0, 100.0]), Mapping::new(&figure.y, [0.0, 10.0], [0.0, 10.0]));
        read(&Surface { figure, x, y, area, em: 1.0, theme: Theme::Light, look })
    }

    fn pieces(points: Vec<Point>, range: [f64; 2]) -> Vec<Piece> {
        let figure = Figure { lines: vec![Line::new("a", style_of(0), points)], ..Figure::default() };
        on_surface(&figure, range, |surface| {
            line_pieces(&figure.lines[0].points, surface, Columns::of(surface, 1, false))
        })
    }

    #[test]
    fn thousands_of_points_become_a_few_for_each_pixel_with_their_extremes() {
        let mut points: Vec<_> = (0..10_000).map(|i| [f64::from(i), f64::from(i % 2)]).collect();
        points[5_050][1] = 9.0;
        let drawn = pieces(points, [0.0, 10_000.0]);
        let [Piece::Dense(columns)] = drawn.as_slice() else { panic!("one piece of columns") };
        assert!(columns.len() <= 102);
        assert_eq!(columns[0], [0.0; 3]);
        assert!(columns.iter().any(|column| (column[1], column[2]) == (0.0, 9.0)), "the outlier is kept");
    }

    #[test]
    fn only_what_is_seen_is_drawn_and_its_neighbours() {
        let points = (0..100).map(|i| [f64::from(i), 1.0]).collect();
        let drawn = pieces(points, [10.0, 12.0]);
        assert_eq!(
            drawn,
            [Piece::Line(vec![[-50.0, 1.0], [0.0, 1.0], [50.0, 1.0], [100.0, 1.0], [150.0, 1.0]])]
        );
    }

    #[test]
    fn a_dense_line_that_goes_back_stays_a_line() {
        let points = (0..5_000).map(|i| [f64::from(i % 2_500), f64::from(i) / 500.0]).collect();
        let drawn = pieces(points, [0.0, 2_500.0]);
        let [Piece::Line(points)] = drawn.as_slice() else { panic!("one line") };
        assert!(points.len() <= 810, "{}", points.len());
    }

    #[test]
    fn a_gap_interrupts_the_line() {
        let drawn = pieces(vec![[0.0, 1.0], [1.0, f64::NAN], [2.0, 3.0]], [0.0, 2.0]);
        assert_eq!(drawn, [Piece::Line(vec![[0.0, 1.0]]), Piece::Line(vec![[100.0, 3.0]])]);
    }

    #[test]
    fn logarithmic_axes_are_drawn_by_their_exponents() {
        let mut figure = Figure::default();
        figure.x.scale = Scale::Log10;
        let points = [[0.01, 1.0], [1.0, 2.0]];
        let drawn = on_surface(&figure, [0.01, 1.0], |surface| {
            line_pieces(&points, surface, Columns::of(surface, 1, false))
        });
        assert_eq!(drawn, [Piece::Line(vec![[0.0, 1.0], [100.0, 2.0]])]);
    }

    #[test]
    fn a_band_keeps_its_ends_and_the_extremes_of_a_column() {
        let band = |x: f64, low: f64, high: f64| Band { x, low, high };
        let mut line = Line::new("a", style_of(0), vec![[0.0, 1.0]]);
        line.band =
            vec![band(0.0, 0.0, 2.0), band(40.0, 0.0, 9.0), band(40.5, 1.0, 2.0), band(90.0, 0.0, 2.0)];
        let figure = Figure { x: Axis::default(), ..Figure::default() };
        let drawn = on_surface(&figure, [0.0, 100.0], |surface| {
            band_pieces(&line, surface, Columns::of(surface, 1, false))
        });
        assert_eq!(drawn, [vec![[0.0, 0.0, 2.0], [40.25, 0.0, 9.0], [90.0, 0.0, 2.0]]]);
    }

    #[test]
    fn many_traces_share_their_columns() {
        let points: Vec<_> = (0..5_000).map(|i| [f64::from(i), f64::from(i % 7)]).collect();
        let figure = Figure::default();
        let traces = vec![Trace { name: String::new(), points }; 2];
        let columns = on_surface(&figure, [0.0, 5_000.0], |surface| {
            let columns = Columns::of(surface, 240, true);
            line_pieces(&traces[0].points, surface, columns)
                .iter()
                .map(|piece| match piece {
                    Piece::Line(points) => points.len(),
                    Piece::Dense(columns) => columns.len(),
                })
                .sum::<usize>()
        });
        assert!(columns <= 12_000 / 240 + 3, "{columns}");
    }

    #[test]
    fn few_points_are_all_marked_and_of_many_lines_mark_different_ones() {
        let count = |points: &[Point], offset: usize| {
            on_surface(&Figure::default(), [0.0, 1_000.0], |surface| {
                marked(points, offset, surface).map(|(index, _)| index).collect::<Vec<_>>()
            })
        };
        let points = |every: usize| -> Vec<Point> {
            (0..=1_000_u32).step_by(every).map(|x| [f64::from(x), 1.0]).collect()
        };
        assert_eq!(count(&points(20), 3).len(), 51);
        let (first, second) = (count(&points(1), 0), count(&points(1), 1));
        assert!((12..=20).contains(&first.len()), "{first:?}");
        assert!(first.iter().all(|index| !second.contains(index)));
    }
}
