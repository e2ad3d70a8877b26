//! Figures of the network that a run trains: what is left of its layers, and the values of a parameter.

pub mod image;

use super::axis::Category;
use super::cells::Cells;
use super::{Axis, Bars, Figure, Line, Style};
use form::number::{counted, grouped};
use results::network::{Histogram, LayerSummary, ParameterSummary, Vulnerabilities, shape_text};
use results::number::{fixed, percent, without_zeros};
use results::rounds::level_text;
use results::weights::{HISTOGRAM_BINS, WeightHistogram};

const DENSE: &str = "initial distribution (same area)";
/// Colours of what is trained, held (those of the image), and of the dense network.
const TRAINED: usize = 0;
const HELD: usize = 4;
const OUTLINE: usize = 6;

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
        let values = part.iter().map(|count| *count as f64).collect();
        figure.bars.push(Bars { name: name.to_owned(), colour, values, ..Bars::default() });
        figure.details.insert(name.to_owned(), counted(sum(part), "weight"));
    }
    let outline = outline(counts);
    let highest = outline.iter().map(|point| point[1]).fold(highest(counts) as f64, f64::max);
    let top = 1.05 * highest;
    if counts.pruned.iter().any(|count| *count as f64 > top) {
        figure.note.what += "; bar of pruned weights truncated";
    }
    figure.y.range = Some([0.0, top]);
    if !outline.is_empty() {
        let style = Style { colour: OUTLINE, ..Style::default() };
        figure.lines.push(Line::new(DENSE, style, outline));
    }
    figure
}

/// Returns the steps of the dense network, with the area of the surviving entries: few survivors would be flat beside it.
fn outline(histogram: &Histogram) -> Vec<[f64; 2]> {
    let sum = |counts: &[u64]| counts.iter().sum::<u64>() as f64;
    let (dense, surviving) = (sum(&histogram.dense), sum(&histogram.free) + sum(&histogram.frozen));
    if dense == 0.0 {
        return Vec::new();
    }
    let share = surviving.max(1.0) / dense;
    let step = |(ends, count): (&[f64], &u64)| [ends[0], ends[1]].map(|edge| [edge, *count as f64 * share]);
    histogram.edges.windows(2).zip(&histogram.dense).flat_map(step).collect()
}

/// Returns the highest bar of surviving entries; that of the pruned ones where nothing survives.
fn highest(histogram: &Histogram) -> u64 {
    let surviving = histogram.free.iter().zip(&histogram.frozen).map(|(free, frozen)| free + frozen).max();
    let pruned = || histogram.pruned.iter().copied().max();
    surviving.filter(|most| *most > 0).or_else(pruned).unwrap_or(0).max(1)
}

/// The colours go down to this share of the largest one; fewer weights have the colour of none.
const FAINTEST: f64 = 1e-3;

/// Returns the parameters that have histograms, in their order.
pub fn histogram_parameters(recorded: &[WeightHistogram]) -> Vec<String> {
    crate::distinct(recorded.iter().map(|histogram| histogram.parameter.clone()))
}

/// Returns a column for each evaluation of the main branch (of an ensemble, its first member) and a row for each range of values;
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
        name: without_zeros(&fixed(histogram.trained, 2)).to_owned(),
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

/// Returns the ends of all values; half a unit around a single one.
fn range(shown: &[&WeightHistogram]) -> [f64; 2] {
    let low = shown.iter().map(|histogram| f64::from(histogram.low)).fold(f64::INFINITY, f64::min);
    let high = shown.iter().map(|histogram| f64::from(histogram.high)).fold(f64::NEG_INFINITY, f64::max);
    if low < high { [low, high] } else { [low - 0.5, high + 0.5] }
}

/// Returns the share of the weights in each of [`HISTOGRAM_BINS`] rows of this range. A bin that several rows overlap is divided
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

/// Draws the remaining and the pruned share of each layer with weights as a bar; `of` says whose network it is.
pub fn layers(layers: &[LayerSummary], found: &Vulnerabilities, of: &str) -> Figure {
    let layers: Vec<&LayerSummary> = layers.iter().filter(|layer| layer.weights > 0).collect();
    let share = |part: u64, layer: &LayerSummary| part as f64 / layer.weights as f64;
    let bars = |name: &str, colour: Option<usize>, part: fn(&LayerSummary) -> u64| Bars {
        name: name.to_owned(),
        colour,
        values: layers.iter().map(|layer| share(part(layer), layer)).collect(),
        ..Bars::default()
    };
    let sum = |part: fn(&LayerSummary) -> u64| layers.iter().map(|layer| part(layer)).sum::<u64>();
    let details = [
        ("remaining", sum(|layer| layer.remaining)),
        ("pruned", sum(|layer| layer.weights - layer.remaining)),
    ];
    let details = details.map(|(name, count)| (name.to_owned(), format!("{} weights", grouped(count))));
    let worst = found.by_layer.iter().max_by(|a, b| a.1.share.total_cmp(&b.1.share));
    let worst = worst.filter(|(_, found)| found.share > 0.0).map_or_else(String::new, |(name, worst)| {
        let share = percent(worst.share);
        format!(
            "; most vulnerable ({}): {name}, a single fault changes the class of {share} of the images",
            found.subject
        )
    });
    Figure {
        x: Axis { range: Some([0.0, 1.0]), ..Axis::percent("Weights of the layer") },
        y: Axis { reversed: true, ..Axis::of_names("Layer", layers.iter().map(|layer| layer.name.clone())) },
        bars: vec![
            bars("remaining", Some(0), |layer| layer.remaining),
            bars("pruned", None, |layer| layer.weights - layer.remaining),
        ],
        details: details.into(),
        note: format!("{of}{worst}").into(),
        ..Figure::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv::csv;
    use results::network::Entry::{Free, Frozen, Pruned};
    use results::network::{Entry, Vulnerability};

    fn parameter(values: &[f32], entries: &[Entry], dense: &[f32]) -> ParameterSummary {
        ParameterSummary {
            name: "fc1.weight".to_owned(),
            shape: vec![2, values.len() / 2],
            minimum: 0.0,
            maximum: 1.0,
            histogram: Histogram::measure(values, entries, dense).0,
            pruned: 0,
            frozen: 0,
        }
    }

    #[test]
    fn pruned_entries_do_not_flatten_the_bars_of_those_that_are_left() {
        let figure = histogram(&parameter(&[0.0, 0.0, 0.0, 1.0], &[Pruned, Pruned, Pruned, Free], &[]));
        assert_eq!(figure.y.range, Some([0.0, 1.05]));
        assert!(figure.note.what.ends_with("bar of pruned weights truncated"), "{:?}", figure.note);
        assert_eq!(highest(&Histogram::measure(&[0.0, 0.0], &[Pruned, Pruned], &[]).0), 2);
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

    fn recorded(values: &[f32], trained: f64, remaining: f64) -> WeightHistogram {
        WeightHistogram {
            parameter: "fc1.weight".to_owned(),
            trained,
            remaining,
            ..WeightHistogram::new(values, None)
        }
    }

    #[test]
    fn every_column_adds_up_to_all_remaining_weights_on_common_bins() {
        // From −1 to 1 in 64 rows, 1/32 each: the second evaluation has values of one half only.
        let wide: Vec<f32> = (0..=64).map(|at| -1.0 + at as f32 / 32.0).collect();
        let all = [
            recorded(&wide, 0.0, 1.0),
            recorded(&[0.0, 0.5, 0.5, 1.0], 1.5, 1.0),
            WeightHistogram { stage: "2".to_owned(), ..recorded(&[0.0, 0.5, 0.5, 1.0], 1.5, 1.0) },
            recorded(&[0.5; 3], 1.5, 0.328),
            WeightHistogram { branch: "control".to_owned(), ..recorded(&[9.0], 2.0, 1.0) },
        ];
        let figure = histograms(&all, "fc1.weight", "ticket, seed 1");
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
        assert!(!histograms(&all, "fc9.weight", "").has_data());
    }

    #[test]
    fn a_layer_has_what_remains_and_what_is_pruned_and_a_batch_norm_is_left_out() {
        let layer = |name: &str, weights: u64, remaining: u64| LayerSummary {
            name: name.to_owned(),
            kind: "Linear",
            shape: String::new(),
            parameters: weights,
            weights,
            remaining,
            frozen: 0,
            multiply_adds: 0,
            surviving_multiply_adds: 0,
        };
        let of_layers = [layer("fc1", 8, 2), layer("norm", 0, 0), layer("fc2", 4, 4)];
        let worst = Vulnerability { share: 0.4, low: 0.1, high: 0.8, trials: 4 };
        let found = Vulnerabilities {
            by_layer: [("fc1".to_owned(), worst)].into(),
            subject: "dense, seeds 1, 2".to_owned(),
            campaigns: Vec::new(),
        };
        let figure = layers(&of_layers, &found, "dense, seed 1, final weights");
        let table = csv(&figure);
        let rows: Vec<&str> = table.lines().skip(1).collect();
        assert_eq!(
            rows,
            [
                "bar,remaining,,0.25,fc1,,",
                "bar,pruned,,0.75,fc1,,",
                "bar,remaining,,1,fc2,,",
                "bar,pruned,,0,fc2,,"
            ]
        );
        assert_eq!(figure.details["remaining"], "6 weights");
        assert!(
            figure.note.what.ends_with("most vulnerable (dense, seeds 1, 2): fc1, a single fault changes the class of 40.00 % of the images"),
            "{:?}",
            figure.note
        );
    }
}
