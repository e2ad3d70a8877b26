//! From single runs to a mean and the spread around it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::number::fixed;

/// The spread at one x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// Where.
    pub x: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What the band around a mean shows.
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

    /// The band of a name on the command line.
    ///
    /// # Errors
    /// What names there are.
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

    /// What menus and notes call it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::StandardDeviation => "standard deviation",
            Self::StandardError => "standard error",
            Self::Interval95 => "95 % interval",
            Self::MinMax => "min to max",
        }
    }
}

/// What several runs say about one x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Where.
    pub x: f64,
    /// The mean; NaN as soon as one run has no finite value here, so that a failure shows as a gap.
    pub mean: f64,
    /// Lower end of the band; `None` without a band: fewer than two runs, or a mean that is not finite.
    pub low: Option<f64>,
    /// Upper end of the band.
    pub high: Option<f64>,
    /// How many runs have a value here.
    pub n: usize,
}

impl Level {
    /// The band at a place of x; nothing without one.
    pub fn band_at(&self, x: f64) -> Option<Band> {
        let (low, high) = self.low.zip(self.high)?;
        Some(Band { x, low, high })
    }
}

/// The mean and spread of traces at every x that any of them has, in the order of x.
///
/// Values belong together where their x are equal, bit by bit. Where a trace has an x twice, the later value counts;
/// a point whose x is NaN belongs nowhere.
pub fn summarise<T: AsRef<[[f64; 2]]>>(traces: &[T], spread: Spread) -> Vec<Level> {
    let mut columns: BTreeMap<i64, (f64, BTreeMap<usize, f64>)> = BTreeMap::new();
    for (index, trace) in traces.iter().enumerate() {
        for &[x, y] in trace.as_ref().iter().filter(|point| !point[0].is_nan()) {
            let x = x + 0.0; // −0 and 0 are one place
            let (_, ys) = columns.entry(order_key(x)).or_insert_with(|| (x, BTreeMap::new()));
            ys.insert(index, y);
        }
    }
    let level =
        |(x, ys): (f64, BTreeMap<usize, f64>)| level(x, &ys.into_values().collect::<Vec<_>>(), spread);
    columns.into_values().map(level).collect()
}

/// An integer in the order of the doubles, as in [`f64::total_cmp`].
fn order_key(x: f64) -> i64 {
    let bits = x.to_bits().cast_signed();
    bits ^ (((bits >> 63).cast_unsigned()) >> 1).cast_signed()
}

/// The level of these values.
pub fn level(x: f64, values: &[f64], spread: Spread) -> Level {
    let n = values.len();
    let mean = mean(values);
    let ends = if mean.is_finite() { band(values, mean, spread) } else { None };
    Level { x, mean, low: ends.map(|ends| ends[0]), high: ends.map(|ends| ends[1]), n }
}

fn mean(values: &[f64]) -> f64 {
    if values.iter().any(|value| !value.is_finite()) {
        return f64::NAN;
    }
    values.iter().sum::<f64>() / count(values)
}

fn band(values: &[f64], mean: f64, spread: Spread) -> Option<[f64; 2]> {
    let deviation = standard_deviation(values)?;
    let error = deviation / count(values).sqrt();
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

/// The sample standard deviation, with n − 1; `None` for fewer than two values.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (count(values) - 1.0)).sqrt())
}

fn count(values: &[f64]) -> f64 {
    values.len() as f64
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

/// The 97.5 % quantile of Student's t: half the width of a 95 % interval in standard errors.
///
/// Up to 30 degrees of freedom from a table; beyond, the expansion by Cornish and Fisher (Abramowitz and Stegun,
/// 26.7.5), which is then right to seven digits. Infinite for 0 degrees of freedom: one value says nothing.
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

/// Mean of some numbers and their sample standard deviation, times `scale`: `104 ± 4`, `97.12`, `–` without any.
pub fn mean_and_deviation(values: &[f64], scale: f64, decimals: usize) -> String {
    if values.is_empty() {
        return "–".to_owned();
    }
    let text = |value: f64| fixed(value * scale, decimals);
    let mean = text(level(0.0, values, Spread::None).mean);
    standard_deviation(values)
        .map_or_else(|| mean.clone(), |deviation| format!("{mean} ± {}", text(deviation)))
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
            let level = level(0.0, &[1.0, 2.0, 3.0], spread);
            (level.low.unwrap(), level.high.unwrap())
        };
        assert_eq!(ends(Spread::StandardDeviation), (1.0, 3.0));
        assert_eq!(ends(Spread::MinMax), (1.0, 3.0));
        assert!(near(ends(Spread::StandardError).1, 2.0 + 1.0 / 3f64.sqrt(), 1e-12));
        // 4.302653 / √3 = 2.484138
        assert!(near(ends(Spread::Interval95).0, 2.0 - 2.484_138, 1e-6));
        assert_eq!(level(0.0, &[1.0, 2.0], Spread::None).low, None);
    }

    #[test]
    fn one_run_has_no_band() {
        for spread in Spread::ALL {
            let level = level(0.0, &[5.0], spread);
            assert_eq!((level.mean, level.low, level.high, level.n), (5.0, None, None, 1));
        }
    }

    #[test]
    fn runs_are_aligned_on_x_also_where_some_have_ended() {
        let traces =
            [vec![[0.0, 1.0], [1.0, 2.0], [2.0, 9.0]], vec![[-0.0, 3.0], [1.0, 4.0]], vec![[-1.0, 7.0]]];
        let levels = summarise(&traces, Spread::MinMax);
        let brief: Vec<_> = levels.iter().map(|level| (level.x, level.mean, level.n)).collect();
        assert_eq!(brief, [(-1.0, 7.0, 1), (0.0, 2.0, 2), (1.0, 3.0, 2), (2.0, 9.0, 1)]);
        assert_eq!((levels[1].low, levels[1].high), (Some(1.0), Some(3.0)));
    }

    #[test]
    fn a_run_that_fails_makes_a_gap_and_is_not_left_out() {
        let levels = summarise(&[[[0.0, 1.0]], [[0.0, f64::NAN]]], Spread::Interval95);
        assert!(levels[0].mean.is_nan());
        assert_eq!((levels[0].low, levels[0].n), (None, 2));
    }

    #[test]
    fn the_later_value_at_an_x_counts() {
        assert!(near(summarise(&[[[0.0, 1.0], [0.0, 5.0]]], Spread::None)[0].mean, 5.0, 1e-12));
        assert!(summarise(&[[[f64::NAN, 1.0]]], Spread::None).is_empty());
    }

    #[test]
    fn a_mean_is_written_with_the_deviation_of_the_sample() {
        assert_eq!(mean_and_deviation(&[100.0, 104.0, 108.0], 1.0, 0), "104 ± 4");
        assert_eq!(mean_and_deviation(&[0.9712], 100.0, 2), "97.12");
        assert_eq!(mean_and_deviation(&[], 1.0, 0), "–");
    }
}
