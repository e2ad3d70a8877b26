use super::{Interval, normal_quantile};

/// Wilson's score interval of a share (*Journal of the American Statistical Association* 22, 1927), without continuity
/// correction.
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

/// The exact quantile for a two-sided interval: 1.959964 for 0.95.
pub fn two_sided(confidence: f64) -> f64 {
    // The lower tail loses no digits of 1 − confidence.
    -normal_quantile((1.0 - confidence) / 2.0)
}

/// The planned number of trials of Leveugle et al. (*Statistical fault injection: quantified error and confidence*, DATE
/// 2009): N / (1 + e²(N − 1)/(t²·p(1 − p))) with p = ½, rounded to nearest. `sites` is N, the number of possible faults;
/// `margin` is e, the half-width of the interval as a share.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
}
