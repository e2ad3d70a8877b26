//! The axes of figures: what they are called, and the ranges that fit their values.

use serde::{Deserialize, Serialize};

use results::number::{Format, exponent_of, fixed, scientific};

/// Free space on each side of the data, as a share of their range.
pub const PADDING: f64 = 0.03;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// The quantity in words: "Test accuracy".
    pub title: String,
    /// Its unit, in brackets after the title; may be empty. [`Format::Percent`] implies "%".
    pub unit: String,
    pub scale: Scale,
    /// Fixed ends; `None` fits them to the data.
    pub range: Option<[f64; 2]>,
    pub format: Format,
    /// Large values come first, as in plots over remaining weights.
    pub reversed: bool,
    /// True for a quantity that is never below 0, such as a loss: its intervals end there.
    pub is_positive: bool,
    /// Names instead of numbers, with the nth name at position n; empty for an axis of numbers.
    pub categories: Vec<Category>,
}

/// A position on an axis of names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Category {
    /// Its tick label: "b30".
    pub name: String,
    /// The group that it shares with its neighbours, written once below the horizontal axis: "exponent". May be empty.
    pub group: String,
    /// A second, quiet line of the label: "6,400 weights". May be empty.
    pub detail: String,
}

impl Axis {
    /// Returns a linear axis with a title and a unit (empty for none).
    pub fn new(title: &str, unit: &str) -> Self {
        Self { title: title.to_owned(), unit: unit.to_owned(), ..Self::default() }
    }

    /// Returns an axis of shares in 0..1, written as percent.
    pub fn percent(title: &str) -> Self {
        Self { format: Format::Percent, ..Self::new(title, "") }
    }

    pub fn log(self) -> Self {
        Self { scale: Scale::Log10, ..self }
    }

    pub fn positive(self) -> Self {
        Self { is_positive: true, ..self }
    }

    pub fn named(title: &str, categories: Vec<Category>) -> Self {
        Self { categories, ..Self::new(title, "") }
    }

    pub fn of_names(title: &str, names: impl IntoIterator<Item = String>) -> Self {
        let category = |name| Category { name, ..Category::default() };
        Self::named(title, names.into_iter().map(category).collect())
    }

    pub fn category(&self, place: f64) -> Option<usize> {
        let nearest = place.round();
        let index = (0.0..1e6).contains(&nearest).then_some(nearest as usize)?;
        (index < self.categories.len()).then_some(index)
    }

    /// Returns each run of neighbours with the same group: the group's name with its first and last category.
    pub fn groups(&self) -> Vec<(&str, [usize; 2])> {
        let mut first = 0;
        let groups = self.categories.chunk_by(|a, b| a.group == b.group).map(|group| {
            let ends = [first, first + group.len() - 1];
            first += group.len();
            (group[0].group.as_str(), ends)
        });
        groups.filter(|(name, _)| !name.is_empty()).collect()
    }

    /// Maps values to heights on an upright axis: 0 at the lower end of its range, 1 at the upper end.
    pub fn heights(&self) -> Mapping {
        Mapping::new(self, self.range.unwrap_or([0.0, 1.0]), [0.0, 1.0])
    }

    /// Returns the title with its unit in brackets.
    pub fn label(&self) -> String {
        let unit = match (self.unit.as_str(), self.format) {
            ("", Format::Percent) => "%",
            (unit, _) => unit,
        };
        match (self.title.is_empty(), unit.is_empty()) {
            (_, true) => self.title.clone(),
            (true, false) => unit.to_owned(),
            (false, false) => format!("{} ({unit})", self.title),
        }
    }

    /// Returns the fixed range, or one that shows these values with some space around them.
    pub fn fit(&self, fixed: Option<[f64; 2]>, values: impl Iterator<Item = f64>) -> [f64; 2] {
        if let Some(fixed) = fixed.and_then(|ends| usable(self.scale, ends)) {
            return fixed;
        }
        if !self.categories.is_empty() {
            return [-0.5, self.categories.len() as f64 - 0.5];
        }
        let mut ends: Option<[f64; 2]> = None;
        for place in values.filter_map(|value| self.scale.forward(value)) {
            let [low, high] = ends.unwrap_or([place; 2]);
            ends = Some([low.min(place), high.max(place)]);
        }
        let Some([low, high]) = ends else {
            return if self.scale == Scale::Linear { [0.0, 1.0] } else { [0.1, 1.0] };
        };
        let padded = pad(self.scale, low, high);
        if self.scale == Scale::Log10 {
            return padded.map(|place| self.scale.inverse(place));
        }
        within_natural_limits(self.format, [low, high], padded)
    }
}

/// Returns the given ends in increasing order; `None` if the axis cannot show them.
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
    // A single value goes into the middle.
    let air = match scale {
        Scale::Log10 => 0.5,
        Scale::Linear if low == 0.0 => 0.5,
        Scale::Linear => low.abs() / 2.0,
    };
    [low - air, high + air]
}

/// Returns the two ends of a category, or of a row or column of cells, on its axis.
pub fn ends_of(index: usize) -> [f64; 2] {
    [index as f64 - 0.5, index as f64 + 0.5]
}

/// Cuts padding at impossible values: below 0 for data that are not negative, above 100 % for shares.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Scale {
    #[default]
    Linear,
    /// Equal ratios have equal distances; only positive values can be shown.
    Log10,
}

/// Larger values cannot be shown, so that differences between two values stay finite.
const LARGEST: f64 = 1e300;
impl Scale {
    /// Returns the position of a value; `None` if it is not finite, or not positive on a logarithmic axis.
    pub fn forward(self, value: f64) -> Option<f64> {
        let placed = value.abs() < LARGEST && (self == Self::Linear || value > 0.0);
        placed.then(|| if self == Self::Linear { value } else { value.log10() })
    }

    /// Returns the value at a position: the inverse of [`Self::forward`].
    pub fn inverse(self, place: f64) -> f64 {
        match self {
            Self::Linear => place,
            Self::Log10 => 10f64.powf(place),
        }
    }

    /// Returns why [`Self::forward`] rejects a value, to complete "the value is …".
    pub fn refusal(self) -> &'static str {
        match self {
            Self::Linear => "not finite",
            Self::Log10 => "not positive or not finite",
        }
    }
}

/// Maps the values of an axis to positions in points.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mapping {
    scale: Scale,
    from: [f64; 2],
    to: [f64; 2],
}

impl Mapping {
    /// Maps `range` to `to`, its first end to `to[0]`, unless the axis is reversed.
    pub fn new(axis: &Axis, range: [f64; 2], to: [f64; 2]) -> Self {
        Self::from_places(axis, range.map(|end| axis.scale.forward(end).unwrap_or(0.0)), to)
    }

    /// Returns the position of a value, also outside the range; `None` if the scale cannot show it.
    pub fn place(&self, value: f64) -> Option<f64> {
        let share = (self.scale.forward(value)? - self.from[0]) / (self.from[1] - self.from[0]);
        // Positions far outside would overflow numbers; lines are cut before they get there.
        Some(self.to[0] + share.clamp(-1e6, 1e6) * (self.to[1] - self.to[0]))
    }

    /// Maps places, which are exponents on a logarithmic scale, as a zoomed view has them.
    pub fn from_places(axis: &Axis, from: [f64; 2], to: [f64; 2]) -> Self {
        let to = if axis.reversed { [to[1], to[0]] } else { to };
        Self { scale: axis.scale, from, to }
    }

    /// Returns the value at a position: the inverse of [`Self::place`].
    pub fn value(&self, position: f64) -> f64 {
        let share = (position - self.to[0]) / (self.to[1] - self.to[0]);
        self.scale.inverse(self.from[0] + share * (self.from[1] - self.from[0]))
    }

    /// Returns both ends in points, in increasing order.
    pub fn ends(&self) -> [f64; 2] {
        [self.to[0].min(self.to[1]), self.to[0].max(self.to[1])]
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    pub value: f64,
    /// Its label without a unit; `None` for minor ticks of a logarithmic axis.
    pub label: Option<String>,
}

/// A round number: `digit × 10^exponent`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Round {
    digit: f64,
    exponent: i32,
}

impl Round {
    /// Multiplies. Whole powers keep 3 × 10⁻¹ the double that is written 0.3.
    fn times(self, count: f64) -> f64 {
        let whole = count * self.digit;
        let power = 10f64.powi(self.exponent.abs());
        if self.exponent < 0 { whole / power } else { whole * power }
    }
}

/// Covers all exponents of doubles.
const EXPONENTS: std::ops::RangeInclusive<i32> = -330..=310;
/// Numbers with other exponents have too many zeros to count.
const PLAIN: std::ops::RangeInclusive<i32> = -4..=5;
/// Logarithmic axes with a wider ratio show powers of ten only.
const WIDE: f64 = 2e4;

/// Returns ticks within the (increasing) range, with about `wanted` labels and at most one more.
pub fn ticks(axis: &Axis, range: [f64; 2], wanted: usize) -> Vec<Tick> {
    if !axis.categories.is_empty() {
        return names(axis, range, wanted);
    }
    let wanted = wanted.clamp(2, 50);
    match axis.scale {
        Scale::Linear => linear(axis.format, range, wanted),
        Scale::Log10 => logarithmic(axis.format, range, wanted),
    }
}

/// Returns a tick for each category; every nth is labelled, at most `wanted`.
fn names(axis: &Axis, [low, high]: [f64; 2], wanted: usize) -> Vec<Tick> {
    let all = axis.categories.iter().enumerate().map(|(index, category)| (index, index as f64, category));
    let seen: Vec<_> = all.filter(|(_, value, _)| (low..=high).contains(value)).collect();
    let stride = seen.len().div_ceil(wanted.max(1)).max(1);
    let label = |index: usize, name: &str| index.is_multiple_of(stride).then(|| name.to_owned());
    seen.into_iter()
        .map(|(index, value, category)| Tick { value, label: label(index, &category.name) })
        .collect()
}

fn linear(format: Format, range: [f64; 2], wanted: usize) -> Vec<Tick> {
    let unit = unit_of(format);
    let [low, high] = range.map(|end| end * unit);
    let Some((step, [first, last])) = step([low, high], wanted) else { return Vec::new() };
    let values: Vec<f64> = std::iter::successors(Some(first), |count| Some(count + 1.0))
        .take_while(|count| *count <= last)
        .map(|count| step.times(count) + 0.0) // no −0
        .filter(|value| !is_air(format, [low, high], *value))
        .collect();
    let label = labels(&values, step);
    values.iter().map(|&value| Tick { value: value / unit, label: Some(label(value)) }).collect()
}

/// Returns true if a tick is in the padding above 100 %, where no share can be.
fn is_air(format: Format, [low, high]: [f64; 2], value: f64) -> bool {
    format == Format::Percent && low >= 0.0 && high < 110.0 && value > 100.0
}

fn unit_of(format: Format) -> f64 {
    if format == Format::Percent { 100.0 } else { 1.0 }
}

/// Returns the smallest round step that gives at most `wanted + 1` ticks, and the first and last tick as multiples of it.
fn step([low, high]: [f64; 2], wanted: usize) -> Option<(Round, [f64; 2])> {
    let least = (high - low) / (wanted as f64 + 2.0);
    if !least.is_normal() || least < 0.0 {
        return None;
    }
    let exponent = exponent_of(least) - 1;
    let mut candidates = (exponent..=exponent + 3)
        .flat_map(|exponent| [1.0, 2.0, 5.0].map(|digit| Round { digit, exponent }))
        .map(|step| (step, ends_in_steps([low, high], step)));
    let (step, ends) = candidates.find(|(_, [first, last])| last - first <= wanted as f64)?;
    // Steps between numbers that differ only in their last bits cannot be counted.
    let countable = ends[0].abs().max(ends[1].abs()) < 1e15;
    countable.then_some((step, ends))
}

fn ends_in_steps([low, high]: [f64; 2], step: Round) -> [f64; 2] {
    let (length, slack) = (step.times(1.0), 1e-9);
    [(low / length - slack).ceil(), (high / length + slack).floor()]
}

/// Formats all ticks of a linear axis alike: with the same decimals, or the same power of ten.
fn labels(values: &[f64], step: Round) -> impl Fn(f64) -> String {
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let power = if largest == 0.0 { 0 } else { exponent_of(largest) };
    let plain = power <= *PLAIN.end() && step.exponent >= *PLAIN.start();
    move |value| {
        let decimals = |exponent: i32| usize::try_from(-exponent).unwrap_or(0);
        if plain {
            return fixed(value, decimals(step.exponent));
        }
        if value == 0.0 {
            return "0".to_owned();
        }
        let factor = fixed(value / 10f64.powi(power), decimals(step.exponent - power));
        scientific(&factor, power)
    }
}

fn logarithmic(format: Format, range: [f64; 2], wanted: usize) -> Vec<Tick> {
    let unit = unit_of(format);
    let [low, high] = range.map(|end| end * unit);
    let decades = (high / low).log10();
    let slack = 1e-9;
    let within = |value: f64| value >= low * (1.0 - slack) && value <= high * (1.0 + slack);
    let Some(major) = majors(format, within, [low, high], wanted) else {
        // Fewer than two round numbers fit: so short a piece of the axis is nearly linear.
        return linear(format, range, wanted);
    };
    let wide = format != Format::Percent && high / low > WIDE;
    let powers = format == Format::Power || wide || major.iter().any(|tick| !PLAIN.contains(&tick.exponent));
    let labelled = major.iter().map(|tick| (tick.times(1.0), Some(log_label(*tick, powers))));
    let minor = if decades <= 10.0 {
        every(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], within)
    } else {
        Vec::new()
    };
    let unlabelled = minor.iter().filter(|tick| !major.contains(tick)).map(|tick| (tick.times(1.0), None));
    let mut ticks: Vec<Tick> =
        labelled.chain(unlabelled).map(|(value, label)| Tick { value: value / unit, label }).collect();
    ticks.sort_by(|a, b| a.value.total_cmp(&b.value));
    ticks
}

fn every(digits: &[f64], within: impl Fn(f64) -> bool) -> Vec<Round> {
    EXPONENTS
        .flat_map(|exponent| digits.iter().map(move |&digit| Round { digit, exponent }))
        .filter(|tick| within(tick.times(1.0)))
        .collect()
}

/// First digits of labels if 1, 2 and 5 would give fewer than three.
const DENSE: [&[f64]; 3] =
    [&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0], &[1.0, 2.0, 3.0, 4.0, 6.0, 8.0], &[1.0, 2.0, 4.0, 6.0, 8.0]];

/// Returns as many labelled ticks as fit; `None` if not even two do.
fn majors(
    format: Format,
    within: impl Fn(f64) -> bool + Copy,
    ends: [f64; 2],
    wanted: usize,
) -> Option<Vec<Round>> {
    let powers_only = format == Format::Power || ends[1] / ends[0] > WIDE;
    let digits: &[&[f64]] = if powers_only { &[&[1.0]] } else { &[&[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]] };
    let fine = digits.iter().map(|digits| every(digits, within)).find(|ticks| ticks.len() <= wanted);
    let chosen = fine.unwrap_or_else(|| {
        let powers = every(&[1.0], within);
        let stride = powers.len().div_ceil(wanted);
        let multiple = |tick: &Round| {
            usize::try_from(tick.exponent.unsigned_abs()).is_ok_and(|e| e.is_multiple_of(stride))
        };
        powers.into_iter().filter(multiple).collect()
    });
    if !powers_only && chosen.len() < 3 {
        let mut dense = DENSE.iter().map(|digits| every(digits, within));
        if let Some(dense) = dense.find(|ticks| (3..=wanted).contains(&ticks.len())) {
            return Some(dense);
        }
    }
    (chosen.len() >= 2).then_some(chosen)
}

fn log_label(tick: Round, powers: bool) -> String {
    if powers {
        return scientific(&fixed(tick.digit, 0), tick.exponent);
    }
    fixed(tick.times(1.0), usize::try_from(-tick.exponent).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn heights_follow_the_scale_of_an_upright_axis() {
        let rate = Axis { range: Some([0.01, 1.0]), ..Axis::new("rate", "") }.log();
        assert_eq!(
            [0.1, 1.0, f64::NAN].map(|value| rate.heights().place(value)),
            [Some(0.5), Some(1.0), None]
        );
        assert!((rate.heights().value(0.5) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn the_label_of_an_axis_has_its_unit_in_brackets() {
        assert_eq!(Axis::new("Epoch", "").label(), "Epoch");
        assert_eq!(Axis::new("Time", "s").label(), "Time (s)");
        assert_eq!(Axis::percent("Accuracy").label(), "Accuracy (%)");
        assert_eq!(Axis::new("", "s").label(), "s");
    }

    #[test]
    fn values_without_a_place_are_refused() {
        assert_eq!(Scale::Linear.forward(f64::NAN), None);
        assert_eq!(Scale::Linear.forward(f64::INFINITY), None);
        assert_eq!(Scale::Log10.forward(0.0), None);
        assert_eq!(Scale::Log10.forward(0.01), Some(-2.0));
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

    fn texts(axis: &Axis, range: [f64; 2], wanted: usize) -> Vec<String> {
        ticks(axis, range, wanted).into_iter().filter_map(|tick| tick.label).collect()
    }

    fn plain() -> Axis {
        Axis::default()
    }

    fn log() -> Axis {
        plain().log()
    }

    #[test]
    fn no_tick_stands_in_the_air_above_all_of_it() {
        let shares = |range: [f64; 2]| ticks(&Axis::percent("Accuracy"), range, 12);
        let last = |range: [f64; 2]| shares(range).last().map(|tick| tick.value);
        assert_eq!(last([0.95, 1.008]), Some(1.0));
        assert_eq!(last([0.0, 3.0]), Some(3.0), "these are other shares than of a whole");
    }

    #[test]
    fn linear_ticks_are_round_and_have_the_decimals_that_they_need() {
        assert_eq!(texts(&plain(), [0.0, 10.0], 5), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(texts(&plain(), [-0.3, 0.31], 4), ["−0.2", "0.0", "0.2"]);
        assert_eq!(
            texts(&plain(), [0.971, 0.982], 5),
            ["0.972", "0.974", "0.976", "0.978", "0.980", "0.982"]
        );
        assert_eq!(
            texts(&plain(), [0.0, 50_000.0], 5),
            ["0", "10,000", "20,000", "30,000", "40,000", "50,000"]
        );
    }

    #[test]
    fn very_large_and_very_small_numbers_share_a_power_of_ten() {
        assert_eq!(texts(&plain(), [0.0, 4e6], 4), ["0", "10⁶", "2×10⁶", "3×10⁶", "4×10⁶"]);
        assert_eq!(texts(&plain(), [0.0, 1e-5], 2), ["0", "0.5×10⁻⁵", "1.0×10⁻⁵"]);
    }

    #[test]
    fn shares_are_labelled_as_percent() {
        let axis = Axis::percent("Accuracy");
        assert_eq!(texts(&axis, [0.9, 1.0], 5), ["90", "92", "94", "96", "98", "100"]);
        assert_eq!(texts(&axis, [0.97, 0.98], 5), ["97.0", "97.2", "97.4", "97.6", "97.8", "98.0"]);
        let values: Vec<_> = ticks(&axis, [0.9, 1.0], 5).iter().map(|tick| tick.value).collect();
        assert_eq!(values, [0.9, 0.92, 0.94, 0.96, 0.98, 1.0]);
    }

    #[test]
    fn log_ticks_over_many_decades_are_powers() {
        assert_eq!(texts(&log(), [1e-8, 1e-3], 6), ["10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³"]);
        assert_eq!(texts(&log(), [1e-8, 1e-3], 3), ["10⁻⁸", "10⁻⁶", "10⁻⁴"]);
        let power = Axis { format: Format::Power, ..log() };
        assert_eq!(texts(&power, [0.9, 110.0], 6), ["10⁰", "10¹", "10²"]);
    }

    #[test]
    fn log_ticks_over_few_decades_have_round_numbers_between() {
        let axis = Axis::percent("Weights remaining").log();
        assert_eq!(texts(&axis, [0.012, 1.0], 7), ["2", "5", "10", "20", "50", "100"]);
        assert_eq!(texts(&log(), [0.01, 1.0], 7), ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1"]);
        assert_eq!(texts(&log(), [0.01, 1.0], 5), ["0.01", "0.03", "0.1", "0.3", "1"]);
    }

    #[test]
    fn less_than_a_decade_of_a_log_axis_has_more_round_numbers() {
        let axis = Axis::percent("Weights remaining").log();
        assert_eq!(texts(&axis, [0.25, 1.0], 7), ["30", "40", "50", "60", "80", "100"]);
        assert_eq!(texts(&axis, [0.25, 1.0], 5), ["30", "40", "60", "80", "100"]);
        assert_eq!(texts(&axis, [0.45, 1.0], 4), ["50", "60", "80", "100"]);
        assert_eq!(texts(&axis, [0.25, 1.0], 3), ["50", "100"]);
    }

    #[test]
    fn a_short_piece_of_a_log_axis_has_linear_ticks() {
        assert_eq!(texts(&log(), [0.3, 0.4], 5), ["0.30", "0.32", "0.34", "0.36", "0.38", "0.40"]);
    }

    #[test]
    fn a_log_axis_has_small_marks_without_labels() {
        let marks: Vec<_> =
            ticks(&log(), [1.0, 100.0], 3).into_iter().filter(|tick| tick.label.is_none()).collect();
        assert_eq!(marks.len(), 16);
        assert!((marks[0].value - 2.0).abs() < 1e-12);
    }

    #[test]
    fn names_are_left_out_evenly_where_there_is_no_room() {
        let category = |name: &str| Category { name: name.to_owned(), ..Category::default() };
        let axis = Axis::named("Bit", ["b3", "b2", "b1", "b0"].map(category).to_vec());
        assert_eq!(texts(&axis, [-0.5, 3.5], 9), ["b3", "b2", "b1", "b0"]);
        assert_eq!(texts(&axis, [-0.5, 3.5], 2), ["b3", "b1"]);
        assert_eq!(texts(&axis, [0.5, 3.5], 9), ["b2", "b1", "b0"]);
    }

    #[test]
    fn ranges_without_room_for_two_numbers_have_no_ticks() {
        assert!(ticks(&plain(), [1.0, 1.0], 5).is_empty());
        assert!(ticks(&plain(), [1e18, 1e18 + 256.0], 5).is_empty());
        assert!(ticks(&plain(), [f64::NAN, 1.0], 5).is_empty());
    }

    proptest! {
        #[test]
        fn ticks_lie_within_the_range_in_order_and_are_not_too_many(
            low in -1e9..1e9_f64, width in 1e-3..1e9_f64, wanted in 2..12_usize,
        ) {
            let ticks = ticks(&plain(), [low, low + width], wanted);
            let slack = width * 1e-6;
            prop_assert!(ticks.len() <= wanted + 1);
            prop_assert!(ticks.windows(2).all(|pair| pair[0].value < pair[1].value && pair[0].label != pair[1].label));
            prop_assert!(ticks.iter().all(|tick| tick.value >= low - slack && tick.value <= low + width + slack));
        }

        #[test]
        fn log_ticks_have_distinct_labels(low in -12.0..6.0_f64, decades in 0.05..12.0_f64, wanted in 2..12_usize) {
            let axis = log();
            let ticks = ticks(&axis, [10f64.powf(low), 10f64.powf(low + decades)], wanted);
            let mut labels: Vec<_> = ticks.iter().filter_map(|tick| tick.label.clone()).collect();
            let count = labels.len();
            labels.sort();
            labels.dedup();
            prop_assert_eq!(labels.len(), count);
            prop_assert!(count <= wanted + 1);
        }
    }
}
