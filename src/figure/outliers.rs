//! A vertical range that ignores a few extreme values.

use super::model::{Figure, Line};

/// The share of values ignored at each end, but at least one value.
const SHARE: f64 = 0.01;

/// The range of the visible y values without the outermost 1 % at each end; `None` with too few values, or if nothing
/// would lie outside.
pub fn inner_range(figure: &Figure) -> Option<[f64; 2]> {
    const FEWEST: usize = 20;
    let [low, high] = figure.x.range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    let points = figure.lines.iter().flat_map(Line::polylines).flatten();
    let seen = points.filter(|point| (low..=high).contains(&point[0])).map(|point| point[1]);
    let mut values: Vec<f64> = seen.filter(|value| figure.y.scale.forward(*value).is_some()).collect();
    if values.len() < FEWEST {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    let left_out = ((last as f64 * SHARE).round() as usize).max(1);
    let ends = [values[left_out], values[last - left_out]];
    let cuts = values[0] < ends[0] || ends[1] < values[last];
    (cuts && ends[0] < ends[1]).then_some(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style_of;

    fn figure(ys: impl IntoIterator<Item = f64>) -> Figure {
        let points = ys.into_iter().zip(0..).map(|(y, x)| [f64::from(x), y]).collect();
        Figure { lines: vec![Line::new("a", style_of(0), points)], ..Figure::default() }
    }

    #[test]
    fn one_wild_value_of_hundreds_does_not_decide_the_range() {
        let ys = (0..200).map(|i| if i == 7 { 1e9 } else { f64::from(i) });
        assert_eq!(inner_range(&figure(ys)), Some([2.0, 198.0]));
        assert_eq!(inner_range(&figure([1.0, f64::NAN, 1e9])), None, "too few to tell");
        assert_eq!(inner_range(&figure((0..100).map(|_| 1.0))), None);
    }

    #[test]
    fn of_a_few_values_the_outermost_ones_are_left_out() {
        let ys = |wild: f64| (0..36).map(move |i| if i == 7 { wild } else { f64::from(i) });
        assert_eq!(inner_range(&figure(ys(1e9))), Some([1.0, 35.0]));
        let alike = (0..36).map(|i| f64::from(i / 9));
        assert_eq!(inner_range(&figure(alike)), None, "nothing lies outside");
    }
}
