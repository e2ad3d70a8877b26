//! The ranges of a figure's axes.

use super::axis::{PADDING, Scale};
use super::facets::{Facets, Panel, Ranges};
use super::model::{At, Figure, Line, bar_parts};
use super::palette::Marker;
use super::scene::Intervals;
use super::scene::ends::MOST;
use results::number::Format;
use results::statistics::Band;

/// Returns the ranges of x and y, each increasing: the fixed ones, otherwise those of the data with some padding.
///
/// The range of y depends only on what is drawn within the range of x: of intervals, on those that are shown.
pub fn ranges(figure: &Figure, shown: Intervals<'_>) -> [[f64; 2]; 2] {
    ranges_of(figure, shown, [None; 2])
}

/// Returns [`ranges`] with these ones where they are given.
pub fn ranges_of(figure: &Figure, shown: Intervals<'_>, chosen: [Option<[f64; 2]>; 2]) -> [[f64; 2]; 2] {
    // Where names are in the place of the one value of x, a range of values does not hold.
    let range = chosen[0].or(figure.x.range).filter(|_| figure.only_x.is_none());
    let x = figure.x.fit(range, xs(figure));
    let fixed = chosen[1].or(figure.y.range);
    let y = figure.y.fit(fixed, ys(figure, shown, x));
    [x, if fixed.is_none() { with_room_for_marks(figure, x, y) } else { y }]
}

/// Returns the ranges of all panels of a figure; those that the whole figure has hold for each of them.
pub fn ranges_of_panels<'a>(
    figure: &Figure,
    shown: impl Fn(&Figure) -> Intervals<'a>,
    facets: &Facets,
) -> Vec<Ranges> {
    let chosen = [figure.x.range, figure.y.range];
    let of = |panel: &Panel| ranges_of(&panel.figure, shown(&panel.figure), chosen);
    let needed: Vec<Ranges> = facets.panels.iter().map(of).collect();
    facets.shared(&needed)
}

/// Pads the range of y beyond 0 and 100 % too if a marker would be cut in half there.
fn with_room_for_marks(figure: &Figure, x: [f64; 2], y: [f64; 2]) -> [f64; 2] {
    let has_marks = figure.is_of_marks() || figure.lines.iter().any(|line| line.style.marker != Marker::None);
    if !has_marks || figure.lines.is_empty() || figure.y.scale == Scale::Log10 {
        return y;
    }
    let [low, high] = y;
    let air = (high - low) * PADDING;
    let is_at = |end: f64| values(figure, x).any(|value| value.total_cmp(&end).is_eq());
    [
        if is_at(low) && !figure.y.is_positive { low - air } else { low },
        if is_at(high) { high + air } else { high },
    ]
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

/// Returns the x of the last value of a line in the direction of the axis.
fn end_of(figure: &Figure, line: &Line) -> Option<f64> {
    let xs = line.points.iter().filter(|point| point[1].is_finite()).map(|point| point[0]);
    xs.reduce(if figure.x.reversed { f64::min } else { f64::max })
}

/// Returns the values of lines and of their runs within a range of x.
fn values(figure: &Figure, [low, high]: [f64; 2]) -> impl Iterator<Item = f64> {
    let seen = move |point: &&[f64; 2]| (low..=high).contains(&point[0]);
    // Values in the middle of a training say nothing about the range of those that are done.
    let has_means = figure.lines.iter().flat_map(|line| &line.points).any(|point| seen(&point));
    let points = figure.lines.iter().flat_map(move |line| {
        let running = line.seeds.filter(|_| has_means).map_or(0, |seeds| seeds.running);
        line.points.iter().chain(line.traces.iter().skip(running).flat_map(|trace| &trace.points))
    });
    points.filter(seen).map(|point| point[1])
}

fn ys(figure: &Figure, shown: Intervals<'_>, x: [f64; 2]) -> impl Iterator<Item = f64> {
    let is_drawn = shown.filter(figure);
    // Beside a plot of a few lines, whiskers show the intervals at their ends.
    let has_ends = figure.has_curves() && figure.lines.len() <= MOST && !figure.is_over_setting();
    // Bars at every few of many points are not all drawn: wild ones widen the range a little only.
    let are_all = shown != Intervals::Bars || figure.has_few_intervals();
    let finite = values(figure, x).filter(|value| value.is_finite());
    let ends = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], y| [a.min(y), b.max(y)]);
    let air = if are_all || ends[0] > ends[1] { f64::INFINITY } else { 0.3 * (ends[1] - ends[0]) };
    let bands = figure.lines.iter().enumerate().flat_map(move |(index, line)| {
        let (is_drawn, end) = (is_drawn(index), end_of(figure, line).filter(|_| has_ends));
        let is_seen = move |band: &&Band| {
            let is_end = end.is_some_and(|end| end.total_cmp(&band.x).is_eq());
            (is_drawn || is_end) && (x[0]..=x[1]).contains(&band.x)
        };
        let within = move |y: f64| if air.is_finite() { y.clamp(ends[0] - air, ends[1] + air) } else { y };
        line.band.iter().filter(is_seen).flat_map(move |band| figure.drawn_ends(band).map(within))
    });
    let bars = (!figure.is_lying()).then(|| heads(figure)).into_iter().flatten();
    let references = figure.reference_lines.iter().filter_map(move |reference| match reference.at {
        At::Y(y) => {
            let spread = reference.spread.filter(|_| has_ends);
            Some(std::iter::once(y).chain(spread.into_iter().flatten()))
        }
        At::X(_) => None,
    });
    // Rounding may make the sum of stacked shares exceed 1.
    let is_share = figure.y.format == Format::Percent;
    let possible = move |end: f64| if is_share && end.is_finite() { end.clamp(0.0, 1.0) } else { end };
    values(figure, x).chain(bands).chain(bars.map(possible)).chain(references.flatten())
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
        assert_eq!(
            ranges(&figure(&[[0.0, 100.0], [10.0, 200.0]]), Intervals::None),
            [[0.0, 10.3], [97.0, 203.0]]
        );
        assert_eq!(ranges(&figure(&[[-10.0, 0.0], [0.0, 0.0]]), Intervals::None), [[-10.3, 0.3], [0.0, 0.5]]);
    }

    #[test]
    fn shares_never_reach_beyond_a_hundred_percent() {
        let mut figure = figure(&[[0.0, 0.9], [1.0, 1.0]]);
        figure.y.format = Format::Percent;
        let [_, y] = ranges(&figure, Intervals::None);
        assert!((y[0] - 0.897).abs() < 1e-12);
        assert!((y[1] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn marks_at_a_hundred_percent_are_not_cut() {
        let mut figure = figure(&[[0.0, 0.5], [1.0, 1.0]]);
        figure.y.format = Format::Percent;
        figure.lines[0].style.marker = Marker::Circle;
        assert_eq!(ranges(&figure, Intervals::None)[1], [0.485, 1.0 + (1.0 - 0.485) * PADDING]);
        figure.y.range = Some([0.5, 1.0]);
        assert_eq!(ranges(&figure, Intervals::None)[1], [0.5, 1.0], "a range that was chosen stays");
    }

    #[test]
    fn without_data_axes_reach_from_0_to_1() {
        assert_eq!(ranges(&figure(&[]), Intervals::None), [[0.0, 1.0]; 2]);
    }

    #[test]
    fn y_looks_only_at_what_x_shows() {
        let mut figure = figure(&[[0.0, 1000.0], [1.0, 1.0], [2.0, 2.0]]);
        figure.x.range = Some([1.0, 2.0]);
        assert_eq!(ranges(&figure, Intervals::None), [[1.0, 2.0], [0.97, 2.03]]);
    }

    #[test]
    fn unfinished_seeds_count_only_where_there_is_nothing_else() {
        use crate::model::{Seeds, Trace};
        let mut figure = figure(&[[0.0, 100.0], [10.0, 200.0]]);
        let beside = Trace { name: String::new(), points: vec![[5.0, 0.0]] };
        let averaged = Trace { name: String::new(), points: vec![[5.0, 300.0]] };
        figure.lines[0].traces = vec![beside, averaged];
        figure.lines[0].seeds = Some(Seeds { done: 1, planned: 2, running: 1 });
        assert_eq!(ranges(&figure, Intervals::None)[1], [94.0, 306.0]);
        figure.lines[0].points.clear();
        assert!(ranges(&figure, Intervals::None)[1][0] < 1.0);
    }

    #[test]
    fn a_fixed_range_is_put_in_order_and_an_impossible_one_is_ignored() {
        let mut figure = figure(&[[1.0, 1.0], [10.0, 2.0]]);
        figure.x.range = Some([5.0, 2.0]);
        assert_eq!(ranges(&figure, Intervals::None)[0], [2.0, 5.0]);
        figure.x.range = Some([3.0, 3.0]);
        assert_eq!(ranges(&figure, Intervals::None)[0], [0.73, 10.27]);
        figure.x = Axis { scale: Scale::Log10, range: Some([-1.0, 2.0]), ..Axis::default() };
        assert!(ranges(&figure, Intervals::None)[0][0] > 0.0);
    }

    #[test]
    fn the_range_fits_the_intervals_that_are_drawn_and_those_at_the_ends_of_lines() {
        let mut figure = figure(&[[0.0, 1.0], [1.0, 1.0]]);
        figure.lines.push(Line { name: "b".to_owned(), ..figure.lines[0].clone() });
        let band = |x: f64, low: f64| Band { x, low, high: 3.0 };
        figure.lines[0].band = vec![band(0.0, -1.0), band(1.0, 1.0)];
        figure.lines[1].band = vec![band(0.0, -9.0), band(1.0, 1.0)];
        assert_eq!(ranges(&figure, Intervals::None)[1], [0.94, 3.06]);
        assert_eq!(ranges(&figure, Intervals::BandOf("a"))[1], [-1.12, 3.12]);
        assert_eq!(ranges(&figure, Intervals::Bars)[1][0], -9.36);
        let mut many = figure.clone();
        many.lines[0].points = (0..20).map(|x| [f64::from(x) / 19.0, f64::from(x % 2)]).collect();
        many.lines[0].band = many.lines[0].points.iter().map(|point| band(point[0], -9.0)).collect();
        assert!(ranges(&many, Intervals::Bars)[1][0] > -0.5, "bars at every few points");
        figure.reference_lines = vec![crate::ReferenceLine::level("dense", 9.0, None)];
        assert_eq!(ranges(&figure, Intervals::BandOf("a"))[1], [-1.3, 9.3]);
    }

    #[test]
    fn an_axis_of_a_loss_never_reaches_below_0() {
        let mut loss = figure(&[[0.0, 0.0], [1.0, 2.0]]);
        loss.lines[0].style.marker = Marker::Circle;
        loss.lines[0].band = vec![Band { x: 1.0, low: -1.0, high: 3.0 }];
        assert_eq!(ranges(&loss, Intervals::Bars)[1], [-1.12, 3.12], "of an unknown quantity");
        loss.y.is_positive = true;
        assert_eq!(ranges(&loss, Intervals::Bars)[1], [0.0, 3.09]);
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
