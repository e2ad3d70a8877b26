//! Statistics of campaigns: sample sizes, intervals, quantiles.

use crate::draw::below;
use crate::stream::Stream;

/// A confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    /// Returns half of its width.
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// Returns Wilson's score interval of a share (*Journal of the American Statistical Association* 22, 1927), without
/// continuity correction.
///
/// `share` is a mean over `trials` of numbers in [0, 1], such as the share of images with SDC-1. The numbers need not be 0
/// or 1: their variance is at most p(1 − p), so the interval is conservative. Without trials it is [0, 1]. `confidence` is
/// between 0 and 1.
pub fn wilson(share: f64, trials: u64, confidence: f64) -> Interval {
    if trials == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let (n, z) = (trials as f64, two_sided(confidence));
    let square = z * z;
    let middle = (share + square / (2.0 * n)) / (1.0 + square / n);
    let half = z / (1.0 + square / n) * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    // Only rounding can put an end outside [0, 1], or make those of 0 and 1 inexact.
    let low = if share <= 0.0 { 0.0 } else { (middle - half).max(0.0) };
    let high = if share >= 1.0 { 1.0 } else { (middle + half).min(1.0) };
    Interval { low, high }
}

/// Returns the exact quantile for a two-sided interval: 1.959964 for 0.95.
pub fn two_sided(confidence: f64) -> f64 {
    // The lower tail loses no digits of 1 − confidence.
    -normal_quantile((1.0 - confidence) / 2.0)
}

/// Returns the planned number of trials of Leveugle et al. (*Statistical fault injection: quantified error and
/// confidence*, DATE 2009): N / (1 + e²(N − 1)/(t²·p(1 − p))) with p = ½, rounded to nearest. `sites` is N, the
/// number of possible faults; `margin` is e, the half-width of the interval as a share.
///
/// As in the paper, t is 1.96 for a confidence of 95 % and 2.58 for 99 %; for others it is the exact quantile.
pub fn planned_trials(sites: u64, margin: f64, confidence: f64) -> u64 {
    let t = match confidence {
        0.95 => 1.96,
        0.99 => 2.58,
        other => two_sided(other),
    };
    let n = sites as f64;
    (n / (1.0 + margin * margin * (n - 1.0) / (t * t * 0.25))).round() as u64
}

/// Number of resamples.
pub const RESAMPLES: usize = 2000;

/// Returns the percentile bootstrap interval of a mean (Efron, *The Annals of Statistics* 7, 1979). Each of
/// [`RESAMPLES`] resamples draws as many values with replacement, with one [`below`] for each value; the interval has
/// the (1 − confidence)/2 percentiles of their means as ends. A single value gives an interval without width, no
/// values give NaN. The stream has the purpose `bootstrap`.
pub fn mean_interval(values: &[f64], confidence: f64, rng: &mut Stream) -> Interval {
    let count = values.len();
    let mut one = || {
        let sum: f64 = (0..count).map(|_| values[below(rng, count as u64) as usize]).sum();
        sum / count as f64
    };
    let mut means: Vec<f64> = (0..RESAMPLES).map(|_| one()).collect();
    means.sort_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    Interval { low: percentile_of_sorted(&means, tail), high: percentile_of_sorted(&means, 1.0 - tail) }
}

/// Returns a percentile with linear interpolation, like numpy's default (definition 7 of Hyndman and Fan). `share` is
/// in [0, 1]; NaN if there are no values or any value is NaN.
pub fn percentile(values: &[f64], share: f64) -> f64 {
    if values.iter().any(|value| value.is_nan()) {
        return f64::NAN;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    percentile_of_sorted(&sorted, share)
}

/// Returns the middle value, or the mean of the two in the middle.
pub fn median(values: &[f64]) -> f64 {
    percentile(values, 0.5)
}

fn percentile_of_sorted(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * place.fract()
}

/// Returns the quantile of the standard normal distribution for this probability.
///
/// Wichura's algorithm AS 241, PPND16 (*Applied Statistics* 37(3), 1988, 477–484), with a relative accuracy of about
/// 10⁻¹⁶. Infinite at 0 and 1, NaN outside. The crate `distrs` differs in the last bit of 31 % of confidences, which would
/// change results.
pub fn normal_quantile(probability: f64) -> f64 {
    let q = probability - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(&CENTRE, 0.180_625 - q * q);
    }
    let tail = if q < 0.0 { probability } else { 1.0 - probability };
    if tail == 0.0 {
        return f64::INFINITY.copysign(q);
    }
    let r = (-tail.ln()).sqrt();
    let size = if r <= 5.0 { ratio(&MIDDLE, r - 1.6) } else { ratio(&FAR, r - 5.0) };
    size.copysign(q)
}

/// Returns one polynomial divided by another; coefficients of the highest power first.
fn ratio([numerator, denominator]: &[[f64; 8]; 2], x: f64) -> f64 {
    let polynomial = |coefficients: &[f64; 8]| coefficients.iter().fold(0.0, |sum, next| sum * x + next);
    polynomial(numerator) / polynomial(denominator)
}

/// Numerator and denominator for probabilities from 0.075 to 0.925, in 0.425² − q².
const CENTRE: [[f64; 8]; 2] = [
    [
        2_509.080_928_730_122_7,
        33_430.575_583_588_13,
        67_265.770_927_008_7,
        45_921.953_931_549_87,
        13_731.693_765_509_46,
        1_971.590_950_306_551_3,
        133.141_667_891_784_38,
        3.387_132_872_796_366_5,
    ],
    [
        5_226.495_278_852_854,
        28_729.085_735_721_943,
        39_307.895_800_092_71,
        21_213.794_301_586_597,
        5_394.196_021_424_751,
        687.187_007_492_057_9,
        42.313_330_701_600_91,
        1.0,
    ],
];

/// Numerator and denominator for tails down to e⁻²⁵, in √(−ln tail) − 1.6.
const MIDDLE: [[f64; 8]; 2] = [
    [
        7.745_450_142_783_414e-4,
        0.022_723_844_989_269_184,
        0.241_780_725_177_450_6,
        1.270_458_252_452_368_4,
        3.647_848_324_763_204_5,
        5.769_497_221_460_691,
        4.630_337_846_156_546,
        1.423_437_110_749_683_5,
    ],
    [
        1.050_750_071_644_416_9e-9,
        5.475_938_084_995_345e-4,
        0.015_198_666_563_616_457,
        0.148_103_976_427_480_08,
        0.689_767_334_985_1,
        1.676_384_830_183_803_8,
        2.053_191_626_637_759,
        1.0,
    ],
];

/// Numerator and denominator for smaller tails, in √(−ln tail) − 5.
const FAR: [[f64; 8]; 2] = [
    [
        2.010_334_399_292_288_1e-7,
        2.711_555_568_743_487_6e-5,
        1.242_660_947_388_078_4e-3,
        0.026_532_189_526_576_124,
        0.296_560_571_828_504_87,
        1.784_826_539_917_291_3,
        5.463_784_911_164_114,
        6.657_904_643_501_103,
    ],
    [
        2.044_263_103_389_939_7e-15,
        1.421_511_758_316_446e-7,
        1.846_318_317_510_054_8e-5,
        7.868_691_311_456_133e-4,
        0.014_875_361_290_850_615,
        0.136_929_880_922_735_8,
        0.599_832_206_555_888,
        1.0,
    ],
];

#[cfg(test)]
mod tests {
    use super::normal_quantile;
    use super::*;
    use crate::stream::{Purpose, stream};
    use proptest::prelude::*;

    /// For a margin of 1 % at 99 %, with N of networks in the paper and others.
    #[test]
    fn planned_trials_are_those_of_the_published_table() {
        let table = [
            (27_648, 10_389),
            (147_456, 14_954),
            (294_912, 15_752),
            (589_824, 16_184),
            (1_179_648, 16_410),
            (2_359_296, 16_524),
            (40_960, 11_834),
            (471_304_512, 16_640),
            (8_518_400, 16_609),
        ];
        for (sites, planned) in table {
            assert_eq!(planned_trials(sites, 0.01, 0.99), planned, "{sites}");
        }
    }

    #[test]
    fn planned_trials_of_other_confidences_use_the_exact_quantile() {
        // 0.25·1.96²/0.05² = 384.16, and 0.25·1.6448536²/0.05² = 270.55.
        assert_eq!([0.95, 0.9].map(|confidence| planned_trials(u64::MAX, 0.05, confidence)), [384, 271]);
    }

    #[test]
    fn no_more_trials_are_planned_than_there_are_faults() {
        assert_eq!([0, 1, 10].map(|sites| planned_trials(sites, 1e-4, 0.99)), [0, 1, 10]);
    }

    /// 0.03699 is z²/(100 + z²).
    #[test]
    fn wilson_intervals_have_known_ends() {
        let ends = |share, trials| {
            let Interval { low, high } = wilson(share, trials, 0.95);
            [low, high].map(|end| (end * 1e5).round() / 1e5)
        };
        assert_eq!(ends(0.0, 100), [0.0, 0.03699]);
        assert_eq!(ends(0.05, 100), [0.02154, 0.11175]);
        assert_eq!(ends(1.0, 100), [0.96301, 1.0]);
        assert_eq!(ends(0.5, 0), [0.0, 1.0]);
    }

    #[test]
    fn half_a_width_is_that_of_the_interval() {
        assert_eq!(Interval { low: 0.25, high: 0.75 }.half_width(), 0.25);
    }

    proptest! {
        /// By Wilson's definition, an end e of the interval solves |p − e| = z·√(e(1 − e)/n).
        #[test]
        fn the_ends_solve_wilsons_equation(share in 0.001..0.999, trials in 1_u64..100_000, confidence in 0.5..0.999) {
            let Interval { low, high } = wilson(share, trials, confidence);
            prop_assert!(0.0 <= low && low <= share && share <= high && high <= 1.0);
            for end in [low, high] {
                let allowed = two_sided(confidence) * (end * (1.0 - end) / trials as f64).sqrt();
                prop_assert!(((share - end).abs() - allowed).abs() < 1e-9);
            }
        }

        #[test]
        fn more_trials_and_less_confidence_make_it_narrower(share in 0.0..=1.0, trials in 1_u64..10_000) {
            let width = |trials, confidence| wilson(share, trials, confidence).half_width();
            prop_assert!(width(trials + 1, 0.95) < width(trials, 0.95));
            prop_assert!(width(trials, 0.9) < width(trials, 0.95));
        }
    }

    fn interval(values: &[f64], confidence: f64) -> Interval {
        mean_interval(values, confidence, &mut stream(0, Purpose::Bootstrap, &[]))
    }

    /// From an independent implementation in Python.
    #[test]
    fn the_interval_of_four_values_never_changes() {
        let Interval { low, high } = interval(&[0.5, 0.7, 0.9, 1.0], 0.95);
        assert!((low - 0.6).abs() < 1e-12 && (high - 0.95).abs() < 1e-12, "{low} {high}");
    }

    /// The mean of 0…99 has a standard error of 28.87/10; the normal interval is ± 1.96 times that.
    #[test]
    fn many_values_have_nearly_the_normal_interval() {
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        let Interval { low, high } = interval(&values, 0.95);
        assert!((low - 43.84).abs() < 0.5 && (high - 55.16).abs() < 0.5, "{low} {high}");
        let narrower = interval(&values, 0.5);
        assert!(low < narrower.low && narrower.high < high);
    }

    #[test]
    fn equal_values_have_no_width_and_no_values_no_interval() {
        assert_eq!(interval(&[0.5; 3], 0.95), Interval { low: 0.5, high: 0.5 });
        assert!(interval(&[], 0.95).low.is_nan());
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(&[7.0]), 7.0);
        assert!(median(&[]).is_nan() && median(&[1.0, f64::NAN]).is_nan());
    }

    /// `numpy.percentile([0, 10, 20, 30], [0, 12.5, 25, 50, 100])`.
    #[test]
    fn percentiles_lie_between_their_neighbours() {
        let values = [30.0, 0.0, 20.0, 10.0];
        let percentiles = [0.0, 0.125, 0.25, 0.5, 1.0].map(|share| percentile(&values, share));
        assert_eq!(percentiles, [0.0, 3.75, 7.5, 15.0, 30.0]);
    }

    /// Roots of the distribution function, computed with 60 digits.
    #[test]
    fn quantiles_are_right_to_the_last_digits_of_a_double() {
        let known = [
            (0.975, 1.959_963_984_540_053_8),
            (0.995, 2.575_829_303_548_900_4),
            (0.9, 1.281_551_565_544_600_6),
            (0.6, 0.253_347_103_135_799_7),
            (0.001, -3.090_232_306_167_813_6),
            (1e-6, -4.753_424_308_822_899),
            (1e-10, -6.361_340_902_404_057),
            (1e-12, -7.034_483_825_301_132),
            (1e-300, -37.047_096_299_361_2),
        ];
        for (probability, quantile) in known {
            let error: f64 = normal_quantile(probability) / quantile - 1.0;
            assert!(error.abs() < 1e-15, "{probability}: {error}");
        }
        assert_eq!(normal_quantile(0.5), 0.0);
    }

    #[test]
    fn both_tails_are_alike_and_end_at_infinity() {
        for probability in [0.25, 0.0625, 2.0_f64.powi(-20), 2.0_f64.powi(-50)] {
            assert_eq!(normal_quantile(probability), -normal_quantile(1.0 - probability));
        }
        assert_eq!([0.0, 1.0].map(normal_quantile), [f64::NEG_INFINITY, f64::INFINITY]);
        assert!([-0.1, 1.1, f64::NAN].iter().all(|&outside| normal_quantile(outside).is_nan()));
    }
}
