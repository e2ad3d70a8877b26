//! Thins long lines without changing the picture.
//!
//! Within a column of pixels, only the first, lowest, highest and last points are visible (Jugel et al., "M4: a
//! visualization-oriented time series data aggregation", VLDB 2014).

/// The visible points, in their order.
///
/// `column` gives the column of pixels of an x. A point whose y is not finite is a gap: it is kept with the points before
/// and after it. Order is kept too, so lines that go back stay correct.
pub fn thin(points: &[[f64; 2]], column: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
    // A gap belongs to no column, and NaN differs from every number and from itself.
    let key = |point: &[f64; 2]| if point[1].is_finite() { column(point[0]) } else { f64::NAN };
    let mut kept = Vec::new();
    for group in points.chunk_by(|a, b| key(a).total_cmp(&key(b)).is_eq() && key(a).is_finite()) {
        keep_deciding(group, &mut kept);
    }
    kept
}

fn keep_deciding(group: &[[f64; 2]], kept: &mut Vec<[f64; 2]>) {
    let last = group.len() - 1;
    let height = |index: &usize| group[*index][1];
    let lowest = (0..group.len()).min_by(|a, b| height(a).total_cmp(&height(b)));
    let highest = (0..group.len()).max_by(|a, b| height(a).total_cmp(&height(b)));
    let mut indices = [0, lowest.unwrap_or(0), highest.unwrap_or(0), last];
    indices.sort_unstable();
    for (position, &index) in indices.iter().enumerate() {
        if position == 0 || indices[position - 1] != index {
            kept.push(group[index]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_column_keeps_first_lowest_highest_and_last() {
        let points = [[0.0, 5.0], [0.1, 9.0], [0.2, 6.0], [0.3, 1.0], [0.4, 5.0], [1.0, 5.0]];
        assert_eq!(thin(&points, f64::floor), [[0.0, 5.0], [0.1, 9.0], [0.3, 1.0], [0.4, 5.0], [1.0, 5.0]]);
    }

    #[test]
    fn gaps_stay_where_they_are() {
        let points = [[0.0, 1.0], [0.1, f64::NAN], [0.2, f64::NAN], [0.3, 2.0]];
        let thinned = thin(&points, f64::floor);
        assert_eq!(thinned.len(), 4);
        assert!(thinned[1][1].is_nan() && thinned[2][1].is_nan());
    }

    #[test]
    fn a_hundred_thousand_points_become_four_for_each_column() {
        let points: Vec<_> = (0..100_000).map(|i| [f64::from(i), f64::from(i).sin()]).collect();
        assert!(thin(&points, |x| (x / 1000.0).floor()).len() <= 400);
        assert!(thin(&[], f64::floor).is_empty());
    }

    proptest! {
        #[test]
        fn extremes_and_ends_survive(ys in prop::collection::vec(-1e3..1e3_f64, 1..300), width in 1.0..50.0_f64) {
            let points: Vec<_> = ys.iter().enumerate().map(|(i, &y)| [f64::from(u32::try_from(i).unwrap()), y]).collect();
            let thinned = thin(&points, |x| (x / width).floor());
            let low = |points: &[[f64; 2]]| points.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
            let high = |points: &[[f64; 2]]| points.iter().map(|p| p[1]).fold(f64::NEG_INFINITY, f64::max);
            prop_assert!((low(&points) - low(&thinned)).abs() < f64::EPSILON);
            prop_assert!((high(&points) - high(&thinned)).abs() < f64::EPSILON);
            prop_assert_eq!(points.first(), thinned.first());
            prop_assert_eq!(points.last(), thinned.last());
            prop_assert!(thinned.windows(2).all(|pair| pair[0][0] < pair[1][0]), "each point at most once, in order");
        }
    }
}
