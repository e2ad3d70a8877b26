//! The mean of several runs, and its spread.

use serde::{Deserialize, Serialize};

use super::number::{fixed, plus_minus};

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
            Self::Interval95 => "95 % CI",
            Self::MinMax => "min to max",
        }
    }
}

/// The mean and spread of several runs at one x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Where.
    pub x: f64,
    /// The mean; NaN as soon as one run has no finite value here, so that a failure shows as a gap.
    pub mean: f64,
    /// The band; `None` for fewer than two runs, or a mean that is not finite.
    pub band: Option<Band>,
    /// How many runs have a value here.
    pub n: usize,
}

/// The level of these values.
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

/// The 97.5 % quantile of Student's t: half the width of a 95 % CI in standard errors.
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

/// Mean of some numbers and their sample standard deviation, times `scale`: `104 ± 4`, `97.12`, `–` without any.
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
}
