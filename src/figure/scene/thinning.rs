//! Lines as far as they can be seen: without what lies beside the plot, and with as many points as its pixels can show.

use std::ops::Range;

use super::{Column, Point, Surface, pieces};
use crate::axis::Mapping;
use crate::model::Line;

/// Lines in files keep their extremes in each of these columns per point: 288 to an inch.
const COLUMNS_PER_POINT: f64 = 4.0;
/// The lines of all visible plots share this many columns of pixels, and the faint traces that many. The graphics card gets
/// all columns in every frame, so their number decides the cost of a frame. Each keeps its extremes, so no outlier is lost.
const LINE_COLUMNS: f64 = 16_000.0;
const TRACE_COLUMNS: f64 = 12_000.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Detail {
    Print,
    Screen { pixels: f64, plots: usize },
}

/// A line between two interruptions.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    Line(Vec<Point>),
    /// With many points: each column is filled from its lowest to its highest.
    Dense(Vec<Column>),
}

#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Columns for each point of the page.
    density: f64,
}

impl Columns {
    /// Returns the columns for lines, or for the single runs behind them.
    pub fn new(surface: &Surface<'_>, count: usize, are_traces: bool) -> Self {
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

    /// Reduces a line with more than two points for each column to the extremes of the columns.
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

    /// Returns the highest top and the lowest bottom of each column. The ends stay, so that the band keeps its length.
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

/// Returns the points from the last one before the visible part to the first one after it.
fn seen(points: &[Point], surface: &Surface<'_>) -> Range<usize> {
    let ends = [surface.area.left, surface.area.right].map(|place| surface.x.value(place));
    let [low, high] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
    let first = points.iter().position(|point| point[0] >= low).unwrap_or(points.len());
    let last = points.iter().rposition(|point| point[0] <= high).map_or(0, |last| last + 1);
    let end = (last + 1).min(points.len());
    first.saturating_sub(1).min(end)..end
}

/// Returns the visible pieces of a line through these points.
pub fn line_pieces(points: &[Point], surface: &Surface<'_>, columns: Columns) -> Vec<Piece> {
    let places: Vec<Point> =
        points[seen(points, surface)].iter().map(|point| surface.place(*point)).collect();
    pieces(&places).map(|piece| columns.thinned(piece.to_vec())).collect()
}

pub fn band_pieces(line: &Line, surface: &Surface<'_>, columns: Columns) -> Vec<Vec<Column>> {
    let gaps: Vec<f64> =
        line.points.iter().filter(|point| !point[1].is_finite()).map(|point| point[0]).collect();
    let mut pieces: Vec<Vec<Column>> = Vec::new();
    let mut gaps_before = None;
    for band in &line.band {
        let [low, high] = surface.figure.drawn_ends(band);
        let places = (surface.x.place(band.x), surface.y.place(low), surface.y.place(high));
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

/// Returns the points of a line that get a marker: all of them while they are apart, otherwise every nth. Lines with different
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

/// Returns the mean distance of neighbours along x, in ems.
fn mean_gap(points: &[Point], x: Mapping, em: f64) -> f64 {
    let ends = points.first().zip(points.last());
    let places = ends.and_then(|(first, last)| x.place(first[0]).zip(x.place(last[0])));
    let length = places.map_or(0.0, |(first, last)| (first - last).abs());
    if points.len() < 2 { f64::INFINITY } else { (length / (points.len() - 1) as f64 / em).max(1e-6) }
}

/// Returns the columns between which both edges of a band are straight within a tolerance in points. Columns that do not
/// all go in one direction stay as they are.
pub fn sparse(columns: Vec<Column>, tolerance: f64) -> Vec<Column> {
    let goes = |is_on: fn(&f64, &f64) -> bool| columns.windows(2).all(|two| is_on(&two[0][0], &two[1][0]));
    if columns.len() < 3 || !(goes(f64::lt) || goes(f64::gt)) {
        return columns;
    }
    let mut kept = vec![columns[0]];
    let (mut start, mut end) = (columns[0], columns[0]);
    let mut cones = [Cone::OPEN; 2];
    for &column in &columns[1..] {
        if !edges(start, column).into_iter().zip(cones).all(|(edge, cone)| cone.holds(edge)) {
            kept.push(end);
            (start, cones) = (end, [Cone::OPEN; 2]);
        }
        for (cone, edge) in cones.iter_mut().zip(edges(start, column)) {
            cone.narrow(edge, tolerance);
        }
        end = column;
    }
    kept.push(end);
    kept
}

/// Returns the distance from one column to another, and the rise of the upper and the lower edge.
fn edges(from: Column, to: Column) -> [[f64; 2]; 2] {
    let run = (to[0] - from[0]).abs();
    [[run, to[1] - from[1]], [run, to[2] - from[2]]]
}

/// The gradients of lines that pass all columns so far within the tolerance.
#[derive(Clone, Copy)]
struct Cone {
    low: f64,
    high: f64,
}

impl Cone {
    const OPEN: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    fn holds(self, [run, rise]: [f64; 2]) -> bool {
        (self.low..=self.high).contains(&(rise / run))
    }

    fn narrow(&mut self, [run, rise]: [f64; 2], tolerance: f64) {
        self.low = self.low.max((rise - tolerance) / run);
        self.high = self.high.min((rise + tolerance) / run);
    }
}

/// Returns the visible points, in their order.
///
/// `column` gives the column of pixels of an x. A point whose y is not finite is a gap: it is kept with the points before
/// and after it. Order is kept too, so lines that go back stay correct.
pub fn thin(points: &[[f64; 2]], column: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
    // A gap belongs to no column, and NaN differs from every number and from itself.
    let key = |point: &[f64; 2]| if point[1].is_finite() { column(point[0]) } else { f64::NAN };
    let mut kept = Vec::new();
    for group in points.chunk_by(|a, b| key(a).total_cmp(&key(b)).is_eq() && key(a).is_finite()) {
        keep_deciding(group, &mut kept);
    }
    kept
}

fn keep_deciding(group: &[[f64; 2]], kept: &mut Vec<[f64; 2]>) {
    let last = group.len() - 1;
    let height = |index: &usize| group[*index][1];
    let lowest = (0..group.len()).min_by(|a, b| height(a).total_cmp(&height(b)));
    let highest = (0..group.len()).max_by(|a, b| height(a).total_cmp(&height(b)));
    let mut indices = [0, lowest.unwrap_or(0), highest.unwrap_or(0), last];
    indices.sort_unstable();
    for (position, &index) in indices.iter().enumerate() {
        if position == 0 || indices[position - 1] != index {
            kept.push(group[index]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::axis::Scale;
    use crate::layout::Rect;
    use crate::palette::Theme;
    use crate::scene::{Intervals, Look};
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
            line_pieces(&figure.lines[0].points, surface, Columns::new(surface, 1, false))
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
            line_pieces(&points, surface, Columns::new(surface, 1, false))
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
            band_pieces(&line, surface, Columns::new(surface, 1, false))
        });
        assert_eq!(drawn, [vec![[0.0, 0.0, 2.0], [40.25, 0.0, 9.0], [90.0, 0.0, 2.0]]]);
    }

    #[test]
    fn many_traces_share_their_columns() {
        let points: Vec<_> = (0..5_000).map(|i| [f64::from(i), f64::from(i % 7)]).collect();
        let figure = Figure::default();
        let traces = vec![Trace { name: String::new(), points }; 2];
        let columns = on_surface(&figure, [0.0, 5_000.0], |surface| {
            let columns = Columns::new(surface, 240, true);
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

    const TOLERANCE: f64 = 0.2;

    /// The upper and the lower edge at a place between columns.
    fn at(columns: &[Column], x: f64) -> [f64; 2] {
        let between = columns.windows(2).find(|two| (two[0][0]..=two[1][0]).contains(&x)).unwrap();
        let share = (x - between[0][0]) / (between[1][0] - between[0][0]);
        [1, 2].map(|edge| between[0][edge] + share * (between[1][edge] - between[0][edge]))
    }

    #[test]
    fn straight_edges_need_their_ends_alone() {
        let straight: Vec<Column> =
            (0..100_u8).map(f64::from).map(|x| [x, x / 2.0, 90.0 - x / 3.0]).collect();
        assert_eq!(sparse(straight.clone(), TOLERANCE).len(), 2);
        let mut bent = straight;
        bent[50][2] += 1.0;
        let kept = sparse(bent.clone(), TOLERANCE);
        assert!(kept.contains(&bent[50]) && kept.len() <= 5, "{kept:?}");
    }

    #[test]
    fn columns_that_turn_back_stay() {
        let turning = [0.0, 1.0, 0.5, 2.0].map(|x| [x, 0.0, 1.0]).to_vec();
        assert_eq!(sparse(turning.clone(), TOLERANCE), turning);
    }

    proptest! {
        #[test]
        fn no_edge_moves_farther_than_the_tolerance(
            heights in prop::collection::vec((0.0..3.0_f64, 0.0..2.0_f64), 3..80)
        ) {
            let places = (0..80_u8).map(f64::from);
            let columns: Vec<Column> =
                places.zip(&heights).map(|(x, (low, more))| [x, *low, low + more]).collect();
            let kept = sparse(columns.clone(), TOLERANCE);
            prop_assert_eq!((kept.first(), kept.last()), (columns.first(), columns.last()));
            for column in &columns {
                let [top, bottom] = at(&kept, column[0]);
                prop_assert!((top - column[1]).abs() <= TOLERANCE * 1.001);
                prop_assert!((bottom - column[2]).abs() <= TOLERANCE * 1.001);
            }
        }
    }

    #[test]
    fn a_column_keeps_first_lowest_highest_and_last() {
        let points = [[0.0, 5.0], [0.1, 9.0], [0.2, 6.0], [0.3, 1.0], [0.4, 5.0], [1.0, 5.0]];
        assert_eq!(thin(&points, f64::floor), [[0.0, 5.0], [0.1, 9.0], [0.3, 1.0], [0.4, 5.0], [1.0, 5.0]]);
    }

    #[test]
    fn gaps_stay_where_they_are() {
        let points = [[0.0, 1.0], [0.1, f64::NAN], [0.2, f64::NAN], [0.3, 2.0]];
        let thinned = thin(&points, f64::floor);
        assert_eq!(thinned.len(), 4);
        assert!(thinned[1][1].is_nan() && thinned[2][1].is_nan());
    }

    #[test]
    fn a_hundred_thousand_points_become_four_for_each_column() {
        let points: Vec<_> = (0..100_000).map(|i| [f64::from(i), f64::from(i).sin()]).collect();
        assert!(thin(&points, |x| (x / 1000.0).floor()).len() <= 400);
        assert!(thin(&[], f64::floor).is_empty());
    }

    proptest! {
        #[test]
        fn extremes_and_ends_survive(ys in prop::collection::vec(-1e3..1e3_f64, 1..300), width in 1.0..50.0_f64) {
            let points: Vec<_> = ys.iter().enumerate().map(|(i, &y)| [f64::from(u32::try_from(i).unwrap()), y]).collect();
            let thinned = thin(&points, |x| (x / width).floor());
            let low = |points: &[[f64; 2]]| points.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
            let high = |points: &[[f64; 2]]| points.iter().map(|p| p[1]).fold(f64::NEG_INFINITY, f64::max);
            prop_assert!((low(&points) - low(&thinned)).abs() < f64::EPSILON);
            prop_assert!((high(&points) - high(&thinned)).abs() < f64::EPSILON);
            prop_assert_eq!(points.first(), thinned.first());
            prop_assert_eq!(points.last(), thinned.last());
            prop_assert!(thinned.windows(2).all(|pair| pair[0][0] < pair[1][0]), "each point at most once, in order");
        }
    }
}
