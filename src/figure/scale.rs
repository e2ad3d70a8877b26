//! From values to places: scales, ranges that fit the data, and the mapping onto the paper.

use serde::{Deserialize, Serialize};

use super::bars::parts;
use super::model::{At, Axis, Figure, Line};
use super::palette::Marker;
use crate::results::number::Format;

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Scale {
    /// Equal steps are equally far apart.
    #[default]
    Linear,
    /// Equal factors are equally far apart; only positive values have a place.
    Log10,
}

/// Values beyond this have no place, so that differences of two of them stay finite.
const LARGEST: f64 = 1e300;
/// The share of the range that is left free on each side of the data.
const PADDING: f64 = 0.03;

impl Scale {
    /// Where the value lies on a straight ruler; `None` where it has no place: not finite, or not positive on a
    /// logarithmic axis.
    pub fn forward(self, value: f64) -> Option<f64> {
        let placed = value.abs() < LARGEST && (self == Self::Linear || value > 0.0);
        placed.then(|| if self == Self::Linear { value } else { value.log10() })
    }

    /// The value at a place: the inverse of [`Self::forward`].
    pub fn inverse(self, place: f64) -> f64 {
        match self {
            Self::Linear => place,
            Self::Log10 => 10f64.powf(place),
        }
    }

    /// Why [`Self::forward`] refuses a value, to end "the value is …".
    pub fn refusal(self) -> &'static str {
        match self {
            Self::Linear => "not finite",
            Self::Log10 => "not positive or not finite",
        }
    }
}

/// Maps values of one axis to places in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mapping {
    scale: Scale,
    from: [f64; 2],
    to: [f64; 2],
}

impl Mapping {
    /// Maps `range` (as [`ranges`] gives it) onto `to`, its first end onto `to[0]`, unless the axis is reversed.
    pub fn new(axis: &Axis, range: [f64; 2], to: [f64; 2]) -> Self {
        let from = range.map(|end| axis.scale.forward(end).unwrap_or(0.0));
        let to = if axis.reversed { [to[1], to[0]] } else { to };
        Self { scale: axis.scale, from, to }
    }

    /// The place of a value, also outside of the range; `None` where it has none.
    pub fn place(&self, value: f64) -> Option<f64> {
        let share = (self.scale.forward(value)? - self.from[0]) / (self.from[1] - self.from[0]);
        // Far outside places would overflow the number formats of viewers.
        Some(self.to[0] + share.clamp(-100.0, 100.0) * (self.to[1] - self.to[0]))
    }

    /// Both ends in points, smaller first.
    pub fn ends(&self) -> [f64; 2] {
        [self.to[0].min(self.to[1]), self.to[0].max(self.to[1])]
    }
}

/// The ranges of x and y, each increasing: those that are asked for, else what the data need and a little air.
///
/// The range of y looks only at what the range of x shows.
pub fn ranges(figure: &Figure) -> [[f64; 2]; 2] {
    let x = range(&figure.x, xs(figure));
    let y = range(&figure.y, ys(figure, x));
    [x, if figure.y.range.is_none() { with_room_for_marks(figure, x, y) } else { y }]
}

/// The range of y, with a little air beyond 0 and 100 % too where a mark would be cut in half there.
fn with_room_for_marks(figure: &Figure, x: [f64; 2], y: [f64; 2]) -> [f64; 2] {
    let has_marks = figure.is_of_marks() || figure.lines.iter().any(|line| line.style.marker != Marker::None);
    if !has_marks || figure.y.scale == Scale::Log10 {
        return y;
    }
    let [low, high] = y;
    let air = (high - low) * PADDING;
    let is_at = |end: f64| ys(figure, x).any(|value| value.total_cmp(&end).is_eq());
    [if is_at(low) { low - air } else { low }, if is_at(high) { high + air } else { high }]
}

fn xs(figure: &Figure) -> impl Iterator<Item = f64> {
    let points = figure.lines.iter().flat_map(Line::polylines).flatten().map(|point| point[0]);
    let bands = figure.lines.iter().flat_map(|line| &line.band).map(|band| band.x);
    let bars = figure.is_lying().then(|| heads(figure)).into_iter().flatten();
    let rules = figure.rules.iter().filter_map(|rule| match rule.at {
        At::X(x) => Some(x),
        At::Y(_) => None,
    });
    points.chain(bands).chain(bars).chain(figure.bins.iter().copied()).chain(rules)
}

/// The ends of all bars, and 0, which they stand on.
fn heads(figure: &Figure) -> impl Iterator<Item = f64> {
    parts(figure).into_iter().flat_map(|part| part.ends)
}

fn ys(figure: &Figure, x: [f64; 2]) -> impl Iterator<Item = f64> {
    let seen = move |value: f64| (x[0]..=x[1]).contains(&value);
    let points = figure.lines.iter().flat_map(Line::polylines).flatten();
    let points = points.filter(move |point| seen(point[0])).map(|point| point[1]);
    let bands = figure.lines.iter().flat_map(|line| &line.band).filter(move |band| seen(band.x));
    let bars = (!figure.is_lying()).then(|| heads(figure)).into_iter().flatten();
    let rules = figure.rules.iter().filter_map(|rule| match rule.at {
        At::Y(y) => Some(y),
        At::X(_) => None,
    });
    // Stacked shares may sum to a little more than 1.
    let is_share = figure.y.format == Format::Percent;
    let possible = move |end: f64| if is_share && end.is_finite() { end.clamp(0.0, 1.0) } else { end };
    let bands = bands.flat_map(|band| [band.low, band.high]);
    points.chain(bands).chain(bars.map(possible)).chain(rules)
}

/// The range of an axis that shows these values.
pub fn range(axis: &Axis, values: impl Iterator<Item = f64>) -> [f64; 2] {
    if let Some(fixed) = axis.range.and_then(|ends| usable(axis.scale, ends)) {
        return fixed;
    }
    if !axis.categories.is_empty() {
        return [-0.5, axis.categories.len() as f64 - 0.5];
    }
    let mut ends: Option<[f64; 2]> = None;
    for place in values.filter_map(|value| axis.scale.forward(value)) {
        let [low, high] = ends.unwrap_or([place; 2]);
        ends = Some([low.min(place), high.max(place)]);
    }
    let Some([low, high]) = ends else {
        return if axis.scale == Scale::Linear { [0.0, 1.0] } else { [0.1, 1.0] };
    };
    let padded = pad(axis.scale, low, high);
    if axis.scale == Scale::Log10 {
        return padded.map(|place| axis.scale.inverse(place));
    }
    within_natural_limits(axis.format, [low, high], padded)
}

/// Ends as a caller gives them, in increasing order; `None` when the axis cannot show them.
fn usable(scale: Scale, ends: [f64; 2]) -> Option<[f64; 2]> {
    let [low, high] = if ends[0] <= ends[1] { ends } else { [ends[1], ends[0]] };
    let places = [scale.forward(low)?, scale.forward(high)?];
    (places[0] < places[1]).then_some([low, high])
}

fn pad(scale: Scale, low: f64, high: f64) -> [f64; 2] {
    let smallest = if scale == Scale::Linear { low.abs().max(high.abs()) * 1e-9 } else { 1e-9 };
    if high - low > smallest {
        let air = (high - low) * PADDING;
        return [low - air, high + air];
    }
    // A single level: put it into the middle.
    let air = match scale {
        Scale::Log10 => 0.5,
        Scale::Linear if low == 0.0 => 0.5,
        Scale::Linear => low.abs() / 2.0,
    };
    [low - air, high + air]
}

/// Air never suggests values that cannot be: below 0 for data that are not negative, above 100 % for shares.
fn within_natural_limits(format: Format, data: [f64; 2], padded: [f64; 2]) -> [f64; 2] {
    let [mut low, mut high] = padded;
    if data[0] >= 0.0 {
        low = low.max(0.0);
    }
    if format == Format::Percent && data[1] <= 1.0 {
        high = high.min(1.0);
    }
    if low < high { [low, high] } else { padded }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::style_of;

    fn figure(points: &[[f64; 2]]) -> Figure {
        Figure { lines: vec![Line::new("a", style_of(0), points.to_vec())], ..Figure::default() }
    }

    #[test]
    fn data_get_a_little_air_but_not_below_zero() {
        assert_eq!(ranges(&figure(&[[0.0, 100.0], [10.0, 200.0]])), [[0.0, 10.3], [97.0, 203.0]]);
        assert_eq!(ranges(&figure(&[[-10.0, 0.0], [0.0, 0.0]])), [[-10.3, 0.3], [0.0, 0.5]]);
    }

    #[test]
    fn shares_never_reach_beyond_a_hundred_percent() {
        let mut figure = figure(&[[0.0, 0.9], [1.0, 1.0]]);
        figure.y.format = Format::Percent;
        let [_, y] = ranges(&figure);
        assert!((y[0] - 0.897).abs() < 1e-12);
        assert!((y[1] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn marks_at_a_hundred_percent_are_not_cut() {
        let mut figure = figure(&[[0.0, 0.5], [1.0, 1.0]]);
        figure.y.format = Format::Percent;
        figure.lines[0].style.marker = Marker::Circle;
        assert_eq!(ranges(&figure)[1], [0.485, 1.0 + (1.0 - 0.485) * PADDING]);
        figure.y.range = Some([0.5, 1.0]);
        assert_eq!(ranges(&figure)[1], [0.5, 1.0], "a range that was chosen stays");
    }

    #[test]
    fn y_looks_only_at_what_x_shows() {
        let mut figure = figure(&[[0.0, 1000.0], [1.0, 1.0], [2.0, 2.0]]);
        figure.x.range = Some([1.0, 2.0]);
        assert_eq!(ranges(&figure), [[1.0, 2.0], [0.97, 2.03]]);
    }

    #[test]
    fn a_fixed_range_is_put_in_order_and_an_impossible_one_is_ignored() {
        let mut figure = figure(&[[1.0, 1.0], [10.0, 2.0]]);
        figure.x.range = Some([5.0, 2.0]);
        assert_eq!(ranges(&figure)[0], [2.0, 5.0]);
        figure.x.range = Some([3.0, 3.0]);
        assert_eq!(ranges(&figure)[0], [0.73, 10.27]);
        figure.x = Axis { scale: Scale::Log10, range: Some([-1.0, 2.0]), ..Axis::default() };
        assert!(ranges(&figure)[0][0] > 0.0);
    }

    #[test]
    fn bands_and_rules_belong_to_the_data() {
        let mut figure = figure(&[[0.0, 1.0], [1.0, 1.0]]);
        figure.lines[0].band = vec![crate::results::statistics::Band { x: 0.0, low: -1.0, high: 3.0 }];
        figure.rules = vec![crate::figure::Rule::level("dense", 9.0)];
        assert_eq!(ranges(&figure)[1], [-1.3, 9.3]);
    }

    #[test]
    fn values_without_a_place_are_refused() {
        assert_eq!(Scale::Linear.forward(f64::NAN), None);
        assert_eq!(Scale::Linear.forward(f64::INFINITY), None);
        assert_eq!(Scale::Log10.forward(0.0), None);
        assert_eq!(Scale::Log10.forward(0.01), Some(-2.0));
        assert_eq!(ranges(&figure(&[])), [[0.0, 1.0]; 2]);
    }

    #[test]
    fn a_reversed_axis_starts_with_the_large_values() {
        let axis = Axis { scale: Scale::Log10, reversed: true, ..Axis::default() };
        let mapping = Mapping::new(&axis, [1.0, 100.0], [10.0, 30.0]);
        assert_eq!(mapping.place(100.0), Some(10.0));
        assert_eq!(mapping.place(10.0), Some(20.0));
        assert_eq!(mapping.place(-1.0), None);
        assert!((mapping.ends()[1] - 30.0).abs() < 1e-12);
    }
}
