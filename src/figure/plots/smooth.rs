//! Smoothing that does not start at zero.

/// Replaces each y by the exponential moving average with the weight `past` in [0, 1), divided by the sum of weights so
/// far, so that the first value is unchanged (the bias correction of Kingma and Ba 2015, section 3).
///
/// Values that are not finite stay as they are and do not enter the average.
pub fn smooth<'a>(points: impl Iterator<Item = &'a mut [f64; 2]>, past: f64) {
    if past <= 0.0 {
        return;
    }
    let past = past.min(0.9999);
    let (mut sum, mut weight) = (0.0, 0.0);
    for [_, y] in points.filter(|point| point[1].is_finite()) {
        sum = past * sum + (1.0 - past) * *y;
        weight = past * weight + (1.0 - past);
        *y = sum / weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smoothed(ys: &[f64], past: f64) -> Vec<f64> {
        let mut points: Vec<_> = ys.iter().map(|&y| [0.0, y]).collect();
        smooth(points.iter_mut(), past);
        points.iter().map(|point| point[1]).collect()
    }

    #[test]
    fn the_first_value_is_itself_and_a_level_stays_a_level() {
        assert_eq!(smoothed(&[3.0, 3.0, 3.0], 0.5), [3.0, 3.0, 3.0]);
    }

    #[test]
    fn half_of_the_past_counts_twice_the_half_before() {
        // (0·¼ + 3·½) / ¾
        assert_eq!(smoothed(&[0.0, 3.0], 0.5), [0.0, 2.0]);
        assert_eq!(smoothed(&[0.0, 3.0], 0.0), [0.0, 3.0]);
    }

    #[test]
    fn a_gap_stays_a_gap_and_does_not_spoil_what_follows() {
        let values = smoothed(&[0.0, f64::NAN, 3.0], 0.5);
        assert!(values[1].is_nan());
        assert!((values[2] - 2.0).abs() < 1e-12);
    }
}
