//! What is left of each layer as a figure.

use crate::{Axis, Bars, Figure};
use form::number::grouped;
use results::network::{LayerSummary, Vulnerabilities};
use results::number::percent;

/// Bars of what remains and of what is pruned, a bar for each layer with weights; `of` says whose network it is.
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
    use results::network::Vulnerability;

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
            stages: Vec::new(),
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
