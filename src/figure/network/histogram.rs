//! The histogram of a parameter: what is left, what is held, what is pruned, and what it was when it was dense.

use crate::{Axis, Bars, Figure, Line, Style};
use form::number::counted;
use results::network::{Histogram, ParameterSummary, shape_text};

/// What the legend calls the outline of the dense network.
const DENSE: &str = "initial distribution (same area)";
/// Colours of what is trained, held (those of the image), and of the dense network.
const TRAINED: usize = 0;
const HELD: usize = 4;
const OUTLINE: usize = 6;

/// The histogram as a figure, for the screen and for files.
pub fn histogram(parameter: &ParameterSummary) -> Figure {
    let counts = &parameter.histogram;
    let sum = |counts: &[u64]| counts.iter().sum::<u64>();
    let parts = [
        ("trained", Some(TRAINED), &counts.free),
        ("frozen", Some(HELD), &counts.frozen),
        ("pruned", None, &counts.pruned),
    ];
    let mut figure = Figure {
        x: Axis::new("Value", ""),
        y: Axis::new("Entries", ""),
        bins: counts.edges.clone(),
        note: format!("{}, {}", parameter.name, shape_text(&parameter.shape)).into(),
        ..Figure::default()
    };
    for (name, colour, part) in parts.into_iter().filter(|(_, _, part)| sum(part) > 0) {
        let values = part.iter().map(|count| whole(*count)).collect();
        figure.bars.push(Bars { name: name.to_owned(), colour, values, ..Bars::default() });
        figure.details.insert(name.to_owned(), counted(sum(part), "weight"));
    }
    let outline = outline(counts);
    let highest = outline.iter().map(|point| point[1]).fold(whole(highest(counts)), f64::max);
    let top = 1.05 * highest;
    if counts.pruned.iter().any(|count| whole(*count) > top) {
        figure.note.what += "; bar of pruned weights truncated";
    }
    figure.y.range = Some([0.0, top]);
    if !outline.is_empty() {
        let style = Style { colour: OUTLINE, ..Style::default() };
        figure.lines.push(Line::new(DENSE, style, outline));
    }
    figure
}

fn whole(count: u64) -> f64 {
    count as f64
}

/// The steps of the dense network, with the area of the surviving entries: few survivors would be flat beside it.
fn outline(histogram: &Histogram) -> Vec<[f64; 2]> {
    let sum = |counts: &[u64]| whole(counts.iter().sum());
    let (dense, surviving) = (sum(&histogram.dense), sum(&histogram.free) + sum(&histogram.frozen));
    if dense == 0.0 {
        return Vec::new();
    }
    let share = surviving.max(1.0) / dense;
    let step = |(ends, count): (&[f64], &u64)| [ends[0], ends[1]].map(|edge| [edge, whole(*count) * share]);
    histogram.edges.windows(2).zip(&histogram.dense).flat_map(step).collect()
}

/// The highest bar of surviving entries; that of the pruned ones where nothing survives.
fn highest(histogram: &Histogram) -> u64 {
    let surviving = histogram.free.iter().zip(&histogram.frozen).map(|(free, frozen)| free + frozen).max();
    let pruned = || histogram.pruned.iter().copied().max();
    surviving.filter(|most| *most > 0).or_else(pruned).unwrap_or(0).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv::csv;
    use results::network::Entry::{self, Free, Frozen, Pruned};

    fn parameter(values: &[f32], entries: &[Entry], dense: &[f32]) -> ParameterSummary {
        ParameterSummary {
            name: "fc1.weight".to_owned(),
            shape: vec![2, values.len() / 2],
            minimum: 0.0,
            maximum: 1.0,
            histogram: Histogram::of(values, entries, dense).0,
            pruned: 0,
            frozen: 0,
        }
    }

    #[test]
    fn pruned_entries_do_not_flatten_the_bars_of_those_that_are_left() {
        let figure = histogram(&parameter(&[0.0, 0.0, 0.0, 1.0], &[Pruned, Pruned, Pruned, Free], &[]));
        assert_eq!(figure.y.range, Some([0.0, 1.05]));
        assert!(figure.note.what.ends_with("bar of pruned weights truncated"), "{:?}", figure.note);
        assert_eq!(highest(&Histogram::of(&[0.0, 0.0], &[Pruned, Pruned], &[]).0), 2);
    }

    #[test]
    fn the_table_has_the_counts_of_every_bin_and_the_outline_to_the_same_area() {
        let summary = parameter(
            &[-1.0, 0.5, 0.5, 1.0],
            &[Free, Frozen, Free, Free],
            &[-1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        );
        let figure = histogram(&summary);
        let table = csv(&figure);
        let bins = summary.histogram.free.len();
        assert_eq!(table.lines().filter(|line| line.starts_with("bin,trained,")).count(), bins);
        let sum = |name: &str| -> f64 {
            let rows = table.lines().filter(|line| line.starts_with(name));
            rows.map(|line| line.rsplit(',').nth(2).unwrap().parse::<f64>().unwrap()).sum()
        };
        assert!((sum("bin,trained,") - 3.0).abs() < 1e-12 && (sum("bin,frozen,") - 1.0).abs() < 1e-12);
        // A step has two ends.
        assert!((sum(&format!("line,{DENSE},")) - 2.0 * 4.0).abs() < 1e-9, "{table}");
        assert_eq!(figure.details["frozen"], "1 weight");
    }
}
