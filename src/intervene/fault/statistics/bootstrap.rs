use super::{Interval, order};
use crate::draw::below;
use crate::stream::Stream;

/// Number of resamples.
pub const RESAMPLES: usize = 2000;

/// The percentile bootstrap interval of a mean (Efron, *The Annals of Statistics* 7, 1979). Each of [`RESAMPLES`] resamples
/// draws as many values with replacement, with one [`below`] for each value; the interval has the (1 − confidence)/2
/// percentiles of their means as ends. A single value gives an interval without width, no values give NaN. The stream has
/// the purpose `bootstrap`.
pub fn mean_interval(values: &[f64], confidence: f64, rng: &mut Stream) -> Interval {
    let count = values.len();
    let mut one = || {
        let sum: f64 = (0..count).map(|_| values[below(rng, count as u64) as usize]).sum();
        sum / count as f64
    };
    let mut means: Vec<f64> = (0..RESAMPLES).map(|_| one()).collect();
    means.sort_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    Interval { low: order::of_sorted(&means, tail), high: order::of_sorted(&means, 1.0 - tail) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Purpose, stream};

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
}
