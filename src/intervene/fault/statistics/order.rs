/// A percentile with linear interpolation, like numpy's default (definition 7 of Hyndman and Fan). `share` is in [0, 1];
/// NaN if there are no values or any value is NaN.
pub fn percentile(values: &[f64], share: f64) -> f64 {
    if values.iter().any(|value| value.is_nan()) {
        return f64::NAN;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    of_sorted(&sorted, share)
}

/// The middle value, or the mean of the two in the middle.
pub fn median(values: &[f64]) -> f64 {
    percentile(values, 0.5)
}

/// The percentile of sorted values.
pub(super) fn of_sorted(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
