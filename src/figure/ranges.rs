//! The ranges of a figure's axes.

use super::axis::{PADDING, Scale};
use super::facets::{Facets, Panel, Ranges};
use super::model::{At, Figure, Line, bar_parts};
use super::palette::Marker;
use results::number::Format;

/// The purpose of a range of y. The interval at the end of a line is always whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// For lines: the bands of a few seeds that differ would press them into a strip, and widen the range a little only.
    Lines,
    /// For intervals too, which are drawn at every point.
    Intervals,
}

/// Returns the ranges of x and y, each increasing: the fixed ones, otherwise those of the data with some padding.
///
/// The range of y depends only on data within the range of x.
pub fn ranges(figure: &Figure, fit: Fit) -> [[f64; 2]; 2] {
    ranges_of(figure, fit, [None; 2])
}

/// Returns [`ranges`] with these ones where they are given.
pub fn ranges_of(figure: &Figure, fit: Fit, chosen: [Option<[f64; 2]>; 2]) -> [[f64; 2]; 2] {
    let x = figure.x.fit(chosen[0].or(figure.x.range), xs(figure));
    let fixed = chosen[1].or(figure.y.range);
    let y = figure.y.fit(fixed, ys(figure, fit, x));
    [x, if fixed.is_none() { with_room_for_marks(figure, fit, x, y) } else { y }]
}

/// Returns the ranges of all panels of a figure; those that the whole figure has hold for each of them.
pub fn ranges_of_panels(figure: &Figure, fit: Fit, facets: &Facets) -> Vec<Ranges> {
    let chosen = [figure.x.range, figure.y.range];
    let of = |panel: &Panel| ranges_of(&panel.figure, fit, chosen);
    let needed: Vec<Ranges> = facets.panels.iter().map(of).collect();
    facets.shared(&needed)
}

/// Pads the range of y beyond 0 and 100 % too if a marker would be cut in half there.
fn with_room_for_marks(figure: &Figure, fit: Fit, x: [f64; 2], y: [f64; 2]) -> [f64; 2] {
    let has_marks = figure.is_of_marks() || figure.lines.iter().any(|line| line.style.marker != Marker::None);
    if !has_marks || figure.lines.is_empty() || figure.y.scale == Scale::Log10 {
        return y;
    }
    let [low, high] = y;
    let air = (high - low) * PADDING;
    let is_at = |end: f64| ys(figure, fit, x).any(|value| value.total_cmp(&end).is_eq());
    [if is_at(low) { low - air } else { low }, if is_at(high) { high + air } else { high }]
}

fn xs(figure: &Figure) -> impl Iterator<Item = f64> {
    let points = figure.lines.iter().flat_map(Line::polylines).flatten().map(|point| point[0]);
    let bands = figure.lines.iter().flat_map(|line| &line.band).map(|band| band.x);
    let bars = figure.is_lying().then(|| heads(figure)).into_iter().flatten();
    let references = figure.reference_lines.iter().filter_map(|reference| match reference.at {
        At::X(x) => Some(x),
        At::Y(_) => None,
    });
    points.chain(bands).chain(bars).chain(figure.bins.iter().copied()).chain(references)
}

/// Returns the ends of all bars, including their common base at 0.
fn heads(figure: &Figure) -> impl Iterator<Item = f64> {
    bar_parts(figure).into_iter().flat_map(|part| part.ends)
}

/// Limits how far bands widen the range of curves: intervals of a few seeds would press all lines into a strip.
fn most_of_bands(figure: &Figure, fit: Fit, values: impl Iterator<Item = f64>) -> [f64; 2] {
    const SHARE: f64 = 0.3;
    let [low, high] = values
        .filter(|value| value.is_finite())
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)]);
    if fit == Fit::Intervals || !figure.has_curves() || figure.y.scale == Scale::Log10 || low >= high {
        return [f64::NEG_INFINITY, f64::INFINITY];
    }
    let more = SHARE * (high - low);
    [low - more, high + more]
}

/// Returns the x of the last value of a line in the direction of the axis.
fn end_of(figure: &Figure, line: &Line) -> Option<f64> {
    let xs = line.points.iter().filter(|point| point[1].is_finite()).map(|point| point[0]);
    xs.reduce(if figure.x.reversed { f64::min } else { f64::max })
}

fn ys(figure: &Figure, fit: Fit, x: [f64; 2]) -> impl Iterator<Item = f64> {
    let seen = move |value: f64| (x[0]..=x[1]).contains(&value);
    // Values in the middle of a training say nothing about the range of those that are done.
    let has_means = figure.lines.iter().flat_map(|line| &line.points).any(|point| seen(point[0]));
    let values = move || {
        let points = figure.lines.iter().flat_map(move |line| {
            let running = line.seeds.filter(|_| has_means).map_or(0, |seeds| seeds.running);
            line.points.iter().chain(line.traces.iter().skip(running).flat_map(|trace| &trace.points))
        });
        points.filter(move |point| seen(point[0])).map(|point| point[1])
    };
    let points = values();
    let bands = figure.lines.iter().flat_map(move |line| {
        let end = end_of(figure, line);
        let seen = line.band.iter().filter(move |band| seen(band.x));
        seen.map(move |band| (band, end.is_some_and(|end| end.total_cmp(&band.x).is_eq())))
    });
    let bars = (!figure.is_lying()).then(|| heads(figure)).into_iter().flatten();
    let references = figure.reference_lines.iter().filter_map(|reference| match reference.at {
        At::Y(y) => Some([y, y].into_iter().chain(reference.spread.into_iter().flatten())),
        At::X(_) => None,
    });
    // Rounding may make the sum of stacked shares exceed 1.
    let is_share = figure.y.format == Format::Percent;
    let possible = move |end: f64| if is_share && end.is_finite() { end.clamp(0.0, 1.0) } else { end };
    let most = most_of_bands(figure, fit, values());
    // The interval at the end of a line is drawn for every line, and always whole.
    let bands = bands.flat_map(move |(band, is_end)| {
        [band.low, band.high].map(|end| if is_end { end } else { end.clamp(most[0], most[1]) })
    });
    points.chain(bands).chain(bars.map(possible)).chain(references.flatten())
}

/// The share of values ignored at each end, but at least one value.
const SHARE: f64 = 0.01;

/// Returns the range of the visible y values without the outermost 1 % at each end; `None` with too few values, or if nothing
/// would lie outside.
pub fn inner_range(figure: &Figure) -> Option<[f64; 2]> {
    const FEWEST: usize = 20;
    let [low, high] = figure.x.range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    let points = figure.lines.iter().flat_map(Line::polylines).flatten();
    let seen = points.filter(|point| (low..=high).contains(&point[0])).map(|point| point[1]);
    let mut values: Vec<f64> = seen.filter(|value| figure.y.scale.forward(*value).is_some()).collect();
    if values.len() < FEWEST {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    let left_out = ((last as f64 * SHARE).round() as usize).max(1);
    let ends = [values[left_out], values[last - left_out]];
    let cuts = values[0] < ends[0] || ends[1] < values[last];
    (cuts && ends[0] < ends[1]).then_some(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Style;
    use crate::axis::Axis;

    fn figure(points: &[[f64; 2]]) -> Figure {
        Figure { lines: vec![Line::new("a", Style::default(), points.to_vec())], ..Figure::default() }
    }

    #[test]
    fn data_get_a_little_air_but_not_below_zero() {
        assert_eq!(ranges(&figure(&[[0.0, 100.0], [10.0, 200.0]]), Fit::Lines), [[0.0, 10.3], [97.0, 203.0]]);
        assert_eq!(ranges(&figure(&[[-10.0, 0.0], [0.0, 0.0]]), Fit::Lines), [[-10.3, 0.3], [0.0, 0.5]]);
    }

    #[test]
    fn shares_never_reach_beyond_a_hundred_percent() {
        let mut figure = figure(&[[0.0, 0.9], [1.0, 1.0]]);
        figure.y.format = Format::Percent;
        let [_, y] = ranges(&figure, Fit::Lines);
        assert!((y[0] - 0.897).abs() < 1e-12);
        assert!((y[1] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn marks_at_a_hundred_percent_are_not_cut() {
        let mut figure = figure(&[[0.0, 0.5], [1.0, 1.0]]);
        figure.y.format = Format::Percent;
        figure.lines[0].style.marker = Marker::Circle;
        assert_eq!(ranges(&figure, Fit::Lines)[1], [0.485, 1.0 + (1.0 - 0.485) * PADDING]);
        figure.y.range = Some([0.5, 1.0]);
        assert_eq!(ranges(&figure, Fit::Lines)[1], [0.5, 1.0], "a range that was chosen stays");
    }

    #[test]
    fn without_data_axes_reach_from_0_to_1() {
        assert_eq!(ranges(&figure(&[]), Fit::Lines), [[0.0, 1.0]; 2]);
    }

    #[test]
    fn y_looks_only_at_what_x_shows() {
        let mut figure = figure(&[[0.0, 1000.0], [1.0, 1.0], [2.0, 2.0]]);
        figure.x.range = Some([1.0, 2.0]);
        assert_eq!(ranges(&figure, Fit::Lines), [[1.0, 2.0], [0.97, 2.03]]);
    }

    #[test]
    fn unfinished_seeds_count_only_where_there_is_nothing_else() {
        use crate::model::{Seeds, Trace};
        let mut figure = figure(&[[0.0, 100.0], [10.0, 200.0]]);
        let beside = Trace { name: String::new(), points: vec![[5.0, 0.0]] };
        let averaged = Trace { name: String::new(), points: vec![[5.0, 300.0]] };
        figure.lines[0].traces = vec![beside, averaged];
        figure.lines[0].seeds = Some(Seeds { done: 1, planned: 2, running: 1 });
        assert_eq!(ranges(&figure, Fit::Lines)[1], [94.0, 306.0]);
        figure.lines[0].points.clear();
        assert!(ranges(&figure, Fit::Lines)[1][0] < 1.0);
    }

    #[test]
    fn a_fixed_range_is_put_in_order_and_an_impossible_one_is_ignored() {
        let mut figure = figure(&[[1.0, 1.0], [10.0, 2.0]]);
        figure.x.range = Some([5.0, 2.0]);
        assert_eq!(ranges(&figure, Fit::Lines)[0], [2.0, 5.0]);
        figure.x.range = Some([3.0, 3.0]);
        assert_eq!(ranges(&figure, Fit::Lines)[0], [0.73, 10.27]);
        figure.x = Axis { scale: Scale::Log10, range: Some([-1.0, 2.0]), ..Axis::default() };
        assert!(ranges(&figure, Fit::Lines)[0][0] > 0.0);
    }

    #[test]
    fn bands_and_reference_lines_belong_to_the_data() {
        let mut figure = figure(&[[0.0, 1.0], [1.0, 1.0]]);
        figure.lines[0].band = vec![results::statistics::Band { x: 0.0, low: -1.0, high: 3.0 }];
        figure.reference_lines = vec![crate::ReferenceLine::level("dense", 9.0, None)];
        assert_eq!(ranges(&figure, Fit::Lines)[1], [-1.3, 9.3]);
    }

    fn numbered(ys: impl IntoIterator<Item = f64>) -> Figure {
        figure(&ys.into_iter().zip(0..).map(|(y, x)| [f64::from(x), y]).collect::<Vec<_>>())
    }

    #[test]
    fn one_wild_value_of_hundreds_does_not_decide_the_range() {
        let ys = (0..200).map(|i| if i == 7 { 1e9 } else { f64::from(i) });
        assert_eq!(inner_range(&numbered(ys)), Some([2.0, 198.0]));
        assert_eq!(inner_range(&numbered([1.0, f64::NAN, 1e9])), None, "too few to tell");
        assert_eq!(inner_range(&numbered((0..100).map(|_| 1.0))), None);
    }

    #[test]
    fn of_a_few_values_the_outermost_ones_are_left_out() {
        let ys = |wild: f64| (0..36).map(move |i| if i == 7 { wild } else { f64::from(i) });
        assert_eq!(inner_range(&numbered(ys(1e9))), Some([1.0, 35.0]));
        let alike = (0..36).map(|i| f64::from(i / 9));
        assert_eq!(inner_range(&numbered(alike)), None, "nothing lies outside");
    }
}
