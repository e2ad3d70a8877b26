//! Parallel coordinates: positions on vertical axes, and the runs that pass the ranges brushed on them.

use super::axis::Axis;
use super::model::{Figure, Trace};
use results::view::Brushes;

/// The height of a value on an axis: 0 at the lower end, 1 at the upper end; `None` if it cannot be shown.
pub fn height(axis: &Axis, value: f64) -> Option<f64> {
    let [low, high] = axis.range.unwrap_or([0.0, 1.0]).map(|end| axis.scale.forward(end));
    Some((axis.scale.forward(value)? - low?) / (high? - low?))
}

/// The value at a height of an axis: the inverse of [`height`].
pub fn value_at(axis: &Axis, height: f64) -> f64 {
    let [low, high] = axis.range.unwrap_or([0.0, 1.0]).map(|end| axis.scale.forward(end).unwrap_or_default());
    axis.scale.inverse(low + height * (high - low))
}

/// The positions of a run across the axes, `[axis, height]`; the height is NaN where it has no value.
pub fn places(figure: &Figure, trace: &Trace) -> Vec<[f64; 2]> {
    let place = |(axis, [x, y]): (&Axis, &[f64; 2])| [*x, height(axis, *y).unwrap_or(f64::NAN)];
    figure.parallel.iter().zip(&trace.points).map(place).collect()
}

/// Whether a run lies within all brushed ranges. Ranges of axes that the figure lacks are ignored.
pub fn passes(figure: &Figure, trace: &Trace, brushes: &Brushes) -> bool {
    brushes.is_empty()
        || figure.parallel.iter().zip(&trace.points).all(|(axis, [_, value])| {
            brushes.get(&axis.label()).is_none_or(|[low, high]| (*low..=*high).contains(value))
        })
}

/// Removes the runs that do not pass, and arms without any run left.
pub fn brush(figure: &mut Figure, brushes: &Brushes) {
    if brushes.is_empty() {
        return;
    }
    let mut lines = std::mem::take(&mut figure.lines);
    for line in &mut lines {
        line.traces.retain(|trace| passes(figure, trace, brushes));
    }
    lines.retain(|line| !line.traces.is_empty());
    figure.lines = lines;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Line, style_of};

    fn figure() -> Figure {
        let axis = |title, range| Axis { range: Some(range), ..Axis::new(title, "") };
        let trace = |name: &str, points: [f64; 2]| Trace {
            name: name.to_owned(),
            points: vec![[0.0, points[0]], [1.0, points[1]]],
        };
        let line = |name, traces| Line { traces, ..Line::new(name, style_of(0), Vec::new()) };
        Figure {
            parallel: vec![axis("rate", [0.01, 1.0]).log(), axis("best", [0.0, 4.0])],
            lines: vec![
                line("a", vec![trace("1", [0.1, 1.0]), trace("2", [1.0, 3.0])]),
                line("b", vec![trace("1", [0.01, f64::NAN])]),
            ],
            ..Figure::default()
        }
    }

    #[test]
    fn heights_follow_the_scale_of_their_axis() {
        let figure = figure();
        assert_eq!(places(&figure, &figure.lines[0].traces[0]), [[0.0, 0.5], [1.0, 0.25]]);
        assert!(places(&figure, &figure.lines[1].traces[0])[1][1].is_nan());
        assert!((value_at(&figure.parallel[0], 0.5) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn runs_outside_of_a_chosen_range_are_taken_out_with_arms_of_which_none_is_left() {
        let left = |brushes: Brushes| -> Vec<(String, usize)> {
            let mut whole = figure();
            brush(&mut whole, &brushes);
            whole.lines.iter().map(|line| (line.name.clone(), line.traces.len())).collect()
        };
        let [a, b] = ["a", "b"].map(str::to_owned);
        let gone = Brushes::from([("gone".to_owned(), [0.0, 0.1])]);
        assert_eq!(left(gone), [(a.clone(), 2), (b, 1)], "an axis that is no longer there chooses nothing");
        let best = Brushes::from([("best".to_owned(), [2.0, 4.0])]);
        assert_eq!(left(best), [(a, 1)], "what has no value lies in no range");
    }
}
