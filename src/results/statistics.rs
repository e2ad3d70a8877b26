//! The mean of several runs, and its spread.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::RunState;
use super::number::{ROUNDING, fixed, plus_minus};
use super::table::{Row, VALIDATION};

/// The spread at one x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// Place on the horizontal axis.
    pub x: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The spread in the band around a mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Spread {
    /// No band.
    None,
    /// One sample standard deviation (with n − 1) on each side.
    StandardDeviation,
    /// One standard error of the mean on each side.
    StandardError,
    /// The 95 % confidence interval of the mean, with Student's t.
    #[default]
    Interval95,
    /// From the smallest to the largest value.
    MinMax,
}

impl Spread {
    /// All, for menus.
    pub const ALL: [Self; 5] =
        [Self::Interval95, Self::StandardDeviation, Self::StandardError, Self::MinMax, Self::None];

    /// Returns the band of a name on the command line.
    ///
    /// # Errors
    /// All names.
    pub fn parse(text: &str) -> Result<Self, String> {
        Ok(match text {
            "interval" => Self::Interval95,
            "standard-deviation" => Self::StandardDeviation,
            "standard-error" => Self::StandardError,
            "min-max" => Self::MinMax,
            "none" => Self::None,
            _ => return Err("write interval, standard-deviation, standard-error, min-max or none".to_owned()),
        })
    }

    /// Returns what menus and notes call it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::StandardDeviation => "standard deviation",
            Self::StandardError => "standard error",
            Self::Interval95 => "95 % CI",
            Self::MinMax => "min to max",
        }
    }
}

/// The mean and spread of several runs at one x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Place on the horizontal axis.
    pub x: f64,
    /// The mean; NaN as soon as one run has no finite value here, so that a failure shows as a gap.
    pub mean: f64,
    /// The band; `None` for fewer than two runs, or a mean that is not finite.
    pub band: Option<Band>,
    /// Number of runs with a value here.
    pub n: usize,
}

/// Returns the level of these values.
pub fn level(x: f64, values: &[f64], spread: Spread) -> Level {
    let n = values.len();
    let mean = mean(values);
    let ends = if mean.is_finite() { band(values, mean, spread) } else { None };
    Level { x, mean, band: ends.map(|[low, high]| Band { x, low, high }), n }
}

fn mean(values: &[f64]) -> f64 {
    if values.iter().any(|value| !value.is_finite()) {
        return f64::NAN;
    }
    values.iter().sum::<f64>() / values.len() as f64
}

fn band(values: &[f64], mean: f64, spread: Spread) -> Option<[f64; 2]> {
    let deviation = standard_deviation(values)?;
    let error = deviation / (values.len() as f64).sqrt();
    let half = match spread {
        Spread::None => return None,
        Spread::MinMax => {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            return Some([low, high]);
        }
        Spread::StandardDeviation => deviation,
        Spread::StandardError => error,
        Spread::Interval95 => student_t95(values.len() - 1) * error,
    };
    Some([mean - half, mean + half])
}

/// Returns the sample standard deviation, with n − 1; `None` for fewer than two values.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() as f64 - 1.0)).sqrt())
}

/// The 97.5 % quantile of the standard normal distribution.
const NORMAL_975: f64 = 1.959_963_984_540_054;

/// The 97.5 % quantiles for 1 to 30 degrees of freedom, from the inverse of the regularised incomplete beta function
/// in 30 digits.
#[rustfmt::skip]
const STUDENT_975: [f64; 30] = [
    12.706_204_74, 4.302_652_73, 3.182_446_305, 2.776_445_105, 2.570_581_836, 2.446_911_851,
    2.364_624_252, 2.306_004_135, 2.262_157_163, 2.228_138_852, 2.200_985_16, 2.178_812_83,
    2.160_368_656, 2.144_786_688, 2.131_449_546, 2.119_905_299, 2.109_815_578, 2.100_922_04,
    2.093_024_054, 2.085_963_447, 2.079_613_845, 2.073_873_068, 2.068_657_61, 2.063_898_562,
    2.059_538_553, 2.055_529_439, 2.051_830_516, 2.048_407_142, 2.045_229_642, 2.042_272_456,
];

/// Returns the 97.5 % quantile of Student's t: half the width of a 95 % CI in standard errors.
///
/// Up to 30 degrees of freedom from a table; beyond, the expansion by Cornish and Fisher (Abramowitz and Stegun,
/// 26.7.5), which is then right to seven digits. Infinite for 0 degrees of freedom: one value has no spread.
pub fn student_t95(degrees: usize) -> f64 {
    if degrees == 0 {
        return f64::INFINITY;
    }
    if let Some(quantile) = STUDENT_975.get(degrees - 1) {
        return *quantile;
    }
    let (z, v) = (NORMAL_975, degrees as f64);
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    let fourth = (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5) - 1920.0 * z.powi(3) - 945.0 * z)
        / 92_160.0;
    z + first / v + second / v.powi(2) + third / v.powi(3) + fourth / v.powi(4)
}

/// Writes the mean of some numbers and their sample standard deviation, times `scale`: `104 ± 4`, `97.12`, `–` without any.
pub fn mean_and_deviation(values: &[f64], scale: f64, decimals: usize) -> String {
    if values.is_empty() {
        return "–".to_owned();
    }
    let text = |value: f64| fixed(value * scale, decimals);
    let mean = text(level(0.0, values, Spread::None).mean);
    standard_deviation(values).map_or_else(
        || mean.clone(),
        |deviation| format!("{mean} {}", plus_minus(deviation, &text(deviation))),
    )
}

/// Mean difference over common seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// Mean of second minus first.
    pub mean: f64,
    /// Half the width of the 95 % CI of the mean, with Student's t; `None` for one pair, which has no spread.
    pub half: Option<f64>,
    /// Pairs.
    pub n: usize,
}

impl Paired {
    /// Returns true if all pairs are equal, bit by bit: the runs are the same, or nothing came of their difference.
    pub fn is_identical(&self) -> bool {
        self.mean == 0.0 && self.half.is_none_or(|half| half == 0.0)
    }

    /// Returns "identical in all 3 seeds".
    pub fn identical(&self) -> String {
        match self.n {
            1 => "identical in the one common seed".to_owned(),
            2 => "identical in both seeds".to_owned(),
            n => format!("identical in all {n} seeds"),
        }
    }

    /// Returns the difference of two accuracies in [0, 1] in words: "+0.40 ± 0.20 points, n = 5".
    pub fn points(&self) -> String {
        format!("{} points, n = {}", self.number_of_points(), self.n)
    }

    /// Returns the same in a table whose head says the rest: "+0.40 ± 0.20".
    pub fn number_of_points(&self) -> String {
        let half = self.half_of_points().map_or_else(String::new, |half| format!(" {half}"));
        self.mean_of_points() + &half
    }

    /// Returns the mean with its sign: "+0.40".
    pub fn mean_of_points(&self) -> String {
        format!("{}{}", if self.mean > 0.0 { "+" } else { "" }, fixed(self.mean * 100.0, 2))
    }

    /// Returns half of the interval: "± 0.20"; nothing for one pair, or where all pairs differ alike.
    pub fn half_of_points(&self) -> Option<String> {
        let half = self.half.filter(|half| *half > ROUNDING)?;
        Some(plus_minus(half, &fixed(half * 100.0, 2)))
    }

    /// Returns true if the interval leaves 0 out; `None` for a single pair.
    pub fn is_clear(&self) -> Option<bool> {
        self.half.map(|half| self.mean.abs() > half)
    }

    /// Returns the conclusion from the interval.
    pub fn verdict(&self) -> &'static str {
        match self.is_clear() {
            None => "one pair says nothing about the spread",
            Some(true) => "the 95 % CI excludes 0",
            Some(false) => "the 95 % CI includes 0",
        }
    }
}

/// Compares values of the same seed; `None` without a pair of finite values. Where a seed comes twice, its last value
/// counts.
pub fn paired(first: &[(u64, f64)], second: &[(u64, f64)]) -> Option<Paired> {
    let first: BTreeMap<u64, f64> = first.iter().copied().collect();
    let second: BTreeMap<u64, f64> = second.iter().copied().collect();
    let both = second.iter().filter_map(|(seed, after)| Some(after - first.get(seed)?));
    let differences: Vec<f64> = both.filter(|difference| difference.is_finite()).collect();
    if differences.is_empty() {
        return None;
    }
    let n = differences.len();
    let half =
        standard_deviation(&differences).map(|deviation| student_t95(n - 1) * deviation / (n as f64).sqrt());
    Some(Paired { mean: mean(&differences), half, n })
}

/// The accuracies of two groups of runs, compared over the seeds that are done in both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// True if the accuracies are those on the validation data, since nothing was tested.
    pub validation: bool,
    /// Second minus first, of the last accuracies; none without a common seed.
    pub last: Option<Paired>,
    /// The same of the best ones.
    pub best: Option<Paired>,
    /// Runs of both groups that have an accuracy and are not compared: they are not done.
    pub left_out: usize,
    /// Pairs that are not compared, since one of the two was not tested.
    pub untested: usize,
}

impl Comparison {
    /// Compares two arms, the first with the second, in those of their runs that are done and wanted.
    pub fn new(rows: &[Row], [first, second]: [&str; 2], is_wanted: impl Fn(&Row) -> bool) -> Self {
        let of_arm =
            |arm: &str| -> Vec<&Row> { rows.iter().filter(|row| row.arm == arm && is_wanted(row)).collect() };
        Self::between(&of_arm(first), &of_arm(second), |_| ())
    }

    /// Compares two groups of runs, the first with the second, in those that are done. Runs with one seed and one `setting`
    /// make a pair; several of them in a group count with their mean, and so do several pairs with one seed.
    pub fn between<'a, S: Ord>(
        first: &[&'a Row],
        second: &[&'a Row],
        setting: impl Fn(&'a Row) -> S,
    ) -> Self {
        let is_done = |row: &Row| row.last.is_some() && row.state == RunState::Done.word();
        let keyed = |rows: &[&'a Row]| -> BTreeMap<(u64, S), Vec<usize>> {
            let mut found: BTreeMap<(u64, S), Vec<usize>> = BTreeMap::new();
            for (place, row) in rows.iter().enumerate().filter(|(_, row)| is_done(row)) {
                found.entry((row.seed, setting(row))).or_default().push(place);
            }
            found
        };
        let (before, after) = (keyed(first), keyed(second));
        let pairs: Vec<[Vec<&Row>; 2]> = after
            .iter()
            .filter_map(|(key, after)| {
                let before = before.get(key)?.iter().map(|place| first[*place]).collect();
                Some([before, after.iter().map(|place| second[*place]).collect()])
            })
            .collect();
        let (comparable, validation) = on_the_same_data(&pairs);
        let between = |value: fn(&Row) -> Option<f64>| {
            let mut of_seed: BTreeMap<u64, [Vec<f64>; 2]> = BTreeMap::new();
            for pair in &comparable {
                let mean_of = |rows: &Vec<&Row>| {
                    let values: Option<Vec<f64>> = rows.iter().map(|row| value(row)).collect();
                    values.map(|values| mean(&values))
                };
                if let [Some(before), Some(after)] = pair.each_ref().map(mean_of) {
                    let of_both = of_seed.entry(pair[0][0].seed).or_default();
                    of_both[0].push(before);
                    of_both[1].push(after);
                }
            }
            let of = |side: usize| -> Vec<(u64, f64)> {
                of_seed.iter().map(|(seed, values)| (*seed, mean(&values[side]))).collect()
            };
            paired(&of(0), &of(1))
        };
        Self {
            validation,
            last: between(|row| row.last),
            best: between(|row| row.best),
            left_out: first.iter().chain(second).filter(|row| row.last.is_some() && !is_done(row)).count(),
            untested: pairs.len() - comparable.len(),
        }
    }
}

/// Returns those pairs whose accuracies are on the same data, and whether these are the validation data: they are where
/// no pair was tested.
fn on_the_same_data<'a, 'b>(pairs: &'b [[Vec<&'a Row>; 2]]) -> (Vec<&'b [Vec<&'a Row>; 2]>, bool) {
    let on = |is_validation: bool| -> Vec<&'b [Vec<&'a Row>; 2]> {
        let is_on = |pair: &&[Vec<&Row>; 2]| {
            pair.iter().flatten().all(|row| (row.series == VALIDATION) == is_validation)
        };
        pairs.iter().filter(is_on).collect()
    };
    let (tested, validated) = (on(false), on(true));
    let validation = tested.is_empty() && !validated.is_empty();
    (if validation { validated } else { tested }, validation)
}

/// Returns the difference of two means without pairs, with the interval of Welch (1947); `None` without values on both
/// sides.
pub fn unpaired(first: &[f64], second: &[f64]) -> Option<Paired> {
    if first.is_empty() || second.is_empty() || first.iter().chain(second).any(|value| !value.is_finite()) {
        return None;
    }
    // Squared standard error of the mean, and degrees of freedom.
    let spread = |values: &[f64]| {
        let n = values.len() as f64;
        Some((standard_deviation(values)?.powi(2) / n, n - 1.0))
    };
    let half = spread(first).zip(spread(second)).map(|((a, of_a), (b, of_b))| {
        let error = (a + b).sqrt();
        let degrees = (a + b).powi(2) / (a.powi(2) / of_a + b.powi(2) / of_b);
        if error > 0.0 { student_t95(degrees.floor() as usize) * error } else { 0.0 }
    });
    Some(Paired { mean: mean(second) - mean(first), half, n: first.len().min(second.len()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64, tolerance: f64) -> bool {
        (a - b).abs() < tolerance
    }

    #[test]
    fn quantiles_are_those_of_the_printed_tables() {
        for (degrees, known) in [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (30, 2.042)] {
            assert!(near(student_t95(degrees), known, 5e-4), "{degrees}");
        }
        assert!(near(student_t95(1_000_000_000), 1.960, 5e-5));
        assert!(student_t95(0).is_infinite());
    }

    #[test]
    fn beyond_the_table_the_expansion_is_right_to_seven_digits() {
        for (degrees, known) in [(31, 2.039_513_446_4), (60, 2.000_297_822_01), (1000, 1.962_339_080_83)] {
            assert!(near(student_t95(degrees), known, 1e-7), "{degrees}");
        }
    }

    #[test]
    fn the_deviation_of_one_two_three_is_one() {
        assert!(near(standard_deviation(&[1.0, 2.0, 3.0]).unwrap(), 1.0, 1e-12));
        assert_eq!(standard_deviation(&[1.0]), None);
    }

    #[test]
    fn every_band_of_one_two_three() {
        let ends = |spread| {
            let band = level(0.0, &[1.0, 2.0, 3.0], spread).band.unwrap();
            (band.low, band.high)
        };
        assert_eq!(ends(Spread::StandardDeviation), (1.0, 3.0));
        assert_eq!(ends(Spread::MinMax), (1.0, 3.0));
        assert!(near(ends(Spread::StandardError).1, 2.0 + 1.0 / 3f64.sqrt(), 1e-12));
        // 4.302653 / √3 = 2.484138
        assert!(near(ends(Spread::Interval95).0, 2.0 - 2.484_138, 1e-6));
        assert_eq!(level(0.0, &[1.0, 2.0], Spread::None).band, None);
    }

    #[test]
    fn one_run_has_no_band() {
        for spread in Spread::ALL {
            let level = level(0.0, &[5.0], spread);
            assert_eq!((level.mean, level.band, level.n), (5.0, None, 1));
        }
    }

    #[test]
    fn a_run_that_fails_makes_a_gap_and_is_not_left_out() {
        let level = level(0.0, &[1.0, f64::NAN], Spread::Interval95);
        assert!(level.mean.is_nan());
        assert_eq!((level.band, level.n), (None, 2));
    }

    #[test]
    fn a_mean_is_written_with_the_deviation_of_the_sample() {
        assert_eq!(mean_and_deviation(&[100.0, 104.0, 108.0], 1.0, 0), "104 ± 4");
        assert_eq!(mean_and_deviation(&[0.9712], 100.0, 2), "97.12");
        assert_eq!(mean_and_deviation(&[], 1.0, 0), "–");
    }

    #[test]
    fn only_common_seeds_are_compared() {
        // Differences 0.01, 0.02, 0.03: mean 0.02, deviation 0.01, t(2) = 4.302653, half = 4.302653·0.01/√3.
        let first = [(1, 0.5), (2, 0.5), (3, 0.5), (9, 0.1)];
        let second = [(3, 0.53), (1, 0.51), (2, 0.52), (8, 0.9)];
        let paired = paired(&first, &second).unwrap();
        assert_eq!(paired.n, 3);
        assert!((paired.mean - 0.02).abs() < 1e-12);
        assert!((paired.half.unwrap() - 0.024_841_38).abs() < 1e-7);
        assert_eq!(paired.points(), "+2.00 ± 2.48 points, n = 3");
        assert_eq!(paired.is_clear(), Some(false));
    }

    #[test]
    fn an_accuracy_on_the_test_data_is_never_compared_with_one_on_the_validation_data() {
        let row = |arm: &str, seed: u64, series: &'static str, last: f64| Row {
            arm: arm.to_owned(),
            seed,
            series,
            state: "done".to_owned(),
            last: Some(last),
            ..Row::default()
        };
        let rows = [
            row("a", 1, "test_accuracy", 0.5),
            row("b", 1, "vote_accuracy", 0.75),
            row("a", 2, "test_accuracy", 0.5),
            row("b", 2, VALIDATION, 1.0),
            row("a", 3, VALIDATION, 0.5),
            row("b", 3, VALIDATION, 0.625),
        ];
        let of = |rows: &[Row]| {
            let found = Comparison::new(rows, ["a", "b"], |_| true);
            (found.last.map(|last| (last.mean, last.n)), found.validation, found.untested)
        };
        assert_eq!(of(&rows), (Some((0.25, 1)), false, 2), "where one seed is tested, only those that are");
        assert_eq!(of(&rows[2..]), (Some((0.125, 1)), true, 1), "else on the validation data");
        assert_eq!(of(&rows[2..4]), (None, false, 1), "never mixed");
    }

    #[test]
    fn without_pairs_the_interval_is_that_of_welch() {
        // Variances 1 and 4 over three values each: error √(5/3), degrees 25/9 / (1/18 + 16/18) = 2.94, so t(2) is used.
        let found = unpaired(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]).unwrap();
        assert_eq!((found.mean, found.n), (2.0, 3));
        assert!((found.half.unwrap() - 4.302_652_73 * (5.0_f64 / 3.0).sqrt()).abs() < 1e-6);
        assert_eq!(unpaired(&[1.0], &[3.0]), Some(Paired { mean: 2.0, half: None, n: 1 }));
        assert_eq!(unpaired(&[], &[1.0]), None);
    }

    #[test]
    fn equal_runs_are_called_identical() {
        let same = paired(&[(1, 0.5), (2, 0.25), (3, 0.75)], &[(1, 0.5), (2, 0.25), (3, 0.75)]).unwrap();
        assert!(same.is_identical());
        assert_eq!(same.identical(), "identical in all 3 seeds");
        assert!(!paired(&[(1, 0.5)], &[(1, 0.75)]).unwrap().is_identical());
    }

    #[test]
    fn one_pair_has_no_interval_and_none_has_no_difference() {
        let one = paired(&[(1, 0.75)], &[(1, 0.5)]).unwrap();
        assert_eq!((one.points().as_str(), one.is_clear()), ("−25.00 points, n = 1", None));
        assert_eq!(paired(&[(1, 0.5)], &[(2, 0.5)]), None);
        assert_eq!(paired(&[(1, f64::NAN)], &[(1, 0.5)]), None);
    }
}
