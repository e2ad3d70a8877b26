//! The recorded histograms of a parameter, from one evaluation to the next.

use crate::axis::Category;
use crate::cells::Cells;
use crate::{Axis, Figure};
use results::number::fixed;
use results::rounds::level_text;
use results::weights::{HISTOGRAM_BINS, WeightHistogram};

/// The colours go down to this share of the largest one; fewer weights have the colour of none.
const FAINTEST: f64 = 1e-3;

/// The parameters that have histograms, in their order.
pub fn parameters(recorded: &[WeightHistogram]) -> Vec<String> {
    crate::distinct::distinct(recorded.iter().map(|histogram| histogram.parameter.clone()))
}

/// A column for each evaluation of the main branch (of an ensemble, its first member) and a row for each range of values;
/// colours are the share of the remaining weights in it. `of` says whose parameter it is.
pub fn histograms(recorded: &[WeightHistogram], parameter: &str, of: &str) -> Figure {
    let is_shown = |histogram: &&WeightHistogram| {
        histogram.parameter == parameter
            && histogram.branch.is_empty()
            && histogram.member.is_none_or(|member| member == 1)
    };
    let mut shown: Vec<&WeightHistogram> = recorded.iter().filter(is_shown).collect();
    // A `Test` right after a training finds the same weights again.
    shown.dedup_by(|next, last| {
        let of = |own: &WeightHistogram| {
            (own.trained.to_bits(), own.low.to_bits(), own.high.to_bits(), own.pruned)
        };
        of(next) == of(last) && next.counts == last.counts
    });
    if shown.is_empty() {
        return Figure::default();
    }
    let range = range(&shown);
    let columns: Vec<Vec<f64>> = shown.iter().map(|histogram| shares(histogram, range)).collect();
    let values: Vec<Vec<f64>> =
        (0..HISTOGRAM_BINS).map(|row| columns.iter().map(|column| column[row]).collect()).collect();
    let most = values.iter().flatten().copied().fold(f64::MIN_POSITIVE, f64::max);
    let axis = Axis::percent("Share of the remaining weights").log();
    let evaluation = |histogram: &&WeightHistogram| Category {
        name: epochs(histogram.trained),
        group: level_text(histogram.remaining),
        ..Category::default()
    };
    Figure {
        x: Axis::named("Epochs trained, by weights remaining", shown.iter().map(evaluation).collect()),
        y: Axis { range: Some(range), ..Axis::new("Value", "") },
        cells: Some(Cells {
            axis: Axis { range: Some([FAINTEST * most, most]), ..axis },
            values,
            span: Some(range),
            ..Cells::default()
        }),
        note: format!("{parameter} of {of}; pruned weights are left out").into(),
        ..Figure::default()
    }
}

/// Epochs with as many digits as they need: "2", "0.25".
fn epochs(trained: f64) -> String {
    let text = fixed(trained, 2);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The ends of all values; half a unit around a single one.
fn range(shown: &[&WeightHistogram]) -> [f64; 2] {
    let low = shown.iter().map(|histogram| f64::from(histogram.low)).fold(f64::INFINITY, f64::min);
    let high = shown.iter().map(|histogram| f64::from(histogram.high)).fold(f64::NEG_INFINITY, f64::max);
    if low < high { [low, high] } else { [low - 0.5, high + 0.5] }
}

/// The share of the weights in each of [`HISTOGRAM_BINS`] rows of this range. A bin that several rows overlap is divided
/// among them by length.
fn shares(histogram: &WeightHistogram, [low, high]: [f64; 2]) -> Vec<f64> {
    let rows = HISTOGRAM_BINS as f64;
    let place = |value: f64| ((value - low) / (high - low) * rows).clamp(0.0, rows);
    let all = histogram.counts.iter().sum::<u64>().max(1) as f64;
    let mut shares = vec![0.0; HISTOGRAM_BINS];
    for (ends, count) in histogram.edges().windows(2).zip(&histogram.counts).filter(|(_, count)| **count > 0)
    {
        let share = *count as f64 / all;
        let [from, to] = [place(ends[0]), place(ends[1])];
        let first = (from as usize).min(HISTOGRAM_BINS - 1);
        if to <= from {
            shares[first] += share;
            continue;
        }
        for (row, sum) in shares.iter_mut().enumerate().skip(first) {
            let overlap = to.min(row as f64 + 1.0) - from.max(row as f64);
            if overlap <= 0.0 {
                break;
            }
            *sum += share * overlap / (to - from);
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv::csv;

    fn histogram(values: &[f32], trained: f64, remaining: f64) -> WeightHistogram {
        WeightHistogram {
            parameter: "fc1.weight".to_owned(),
            trained,
            remaining,
            ..WeightHistogram::of(values, None)
        }
    }

    #[test]
    fn every_column_adds_up_to_all_remaining_weights_on_common_bins() {
        // From −1 to 1 in 64 rows, 1/32 each: the second evaluation has values of one half only.
        let wide: Vec<f32> = (0..=64).map(|at| -1.0 + at as f32 / 32.0).collect();
        let recorded = [
            histogram(&wide, 0.0, 1.0),
            histogram(&[0.0, 0.5, 0.5, 1.0], 1.5, 1.0),
            WeightHistogram { stage: "2".to_owned(), ..histogram(&[0.0, 0.5, 0.5, 1.0], 1.5, 1.0) },
            histogram(&[0.5; 3], 1.5, 0.328),
            WeightHistogram { branch: "control".to_owned(), ..histogram(&[9.0], 2.0, 1.0) },
        ];
        let figure = histograms(&recorded, "fc1.weight", "ticket, seed 1");
        let cells = figure.cells.as_ref().unwrap();
        assert_eq!((cells.size(), cells.span), ([64, 3], Some([-1.0, 1.0])));
        for column in 0..3 {
            let sum: f64 = cells.values.iter().map(|row| row[column]).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{column}: {sum}");
        }
        assert!((cells.values[10][0] - 1.0 / 65.0).abs() < 1e-12);
        // A bin of 1/64 is half of a row: 0.5 begins a row, and both its weights are in that one.
        assert_eq!([31, 32, 48, 63].map(|row| cells.values[row][1]), [0.0, 0.25, 0.5, 0.25]);
        assert_eq!((cells.values[48][2], cells.values[47][2]), (1.0, 0.0));
        let names: Vec<_> = figure.x.categories.iter().map(|c| (c.name.as_str(), c.group.as_str())).collect();
        assert_eq!(names, [("0", "100 %"), ("1.5", "100 %"), ("1.5", "32.8 %")]);
        let table = csv(&figure);
        let row = table.lines().find(|line| line.ends_with(",0.5")).unwrap();
        assert_eq!(row, "cell,Share of the remaining weights,,1.5,0.515625,0.5,0.53125,0.5");
        assert!(!histograms(&recorded, "fc9.weight", "").has_data());
    }
}
