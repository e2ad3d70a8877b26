//! Ticks at round numbers: 1, 2 or 5 times a power of ten, with as few decimals as possible.

use super::axis::Axis;
use super::scale::Scale;
use results::number::{Format, exponent_of, fixed, scientific};

/// A mark on an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Its value.
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
    /// Multiplying or dividing by a whole power keeps 3 × 10⁻¹ the double that is written 0.3.
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

/// Ticks within the (increasing) range, with about `wanted` labels and at most one more.
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

/// A tick for each category; every nth is labelled, at most `wanted`.
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

/// Whether a tick is in the padding above 100 %, where no share can be.
fn is_air(format: Format, [low, high]: [f64; 2], value: f64) -> bool {
    format == Format::Percent && low >= 0.0 && high < 110.0 && value > 100.0
}

/// Ticks of shares are round percentages.
fn unit_of(format: Format) -> f64 {
    if format == Format::Percent { 100.0 } else { 1.0 }
}

/// The smallest round step that gives at most `wanted + 1` ticks, and the first and last tick as multiples of it.
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

/// As many labelled ticks as fit; `None` if not even two do.
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
    use crate::axis::Category;

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
