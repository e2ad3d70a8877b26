//! The tables of the view: headings with what they mean, and rows.

use super::OfArm;
use crate::text;
use results::early_stops::Training;
use results::number::{fixed, plus_minus};
use results::statistics::mean_and_deviation;
use results::tickets::{LayerOverlap, MaskOverlap};

/// Headings of the table of overlaps with what they mean.
pub const OVERLAP: [(&str, &str); 6] = [
    ("Arm", "The arm whose seeds are compared"),
    ("Masks", "Final masks, those after a training, or those of a campaign within a round"),
    ("Remaining", "Share of the weights that remain, in the parameters that are pruned"),
    ("Pairs", "Pairs of seeds"),
    (
        "Jaccard ± 95 % CI",
        "Weights that survive in both masks over those that survive in either: mean over pairs of seeds, with the 95 % CI \
         over these pairs (Student's t). Pairs share seeds, so the interval is only a guide",
    ),
    (
        "By chance",
        "The index of random masks that keep as many weights of each layer: Σ ab/n over Σ (a + b − ab/n), where the masks \
         keep a and b of the n weights of a layer. With the same share r in all layers it is r/(2 − r)",
    ),
];

/// A row for each arm and moment.
pub fn overlap_rows(arms: &[OfArm<MaskOverlap>]) -> Vec<[String; 6]> {
    let row = |arm: &str, overlap: &MaskOverlap| {
        [
            arm.to_owned(),
            overlap.moment.clone(),
            text::percent(overlap.remaining),
            overlap.indices.len().to_string(),
            jaccard_text(overlap),
            fixed(overlap.chance, 3),
        ]
    };
    arms.iter().flat_map(|(arm, _, overlaps)| overlaps.iter().map(|overlap| row(arm, overlap))).collect()
}

/// Headings of the table of overlaps by layer with what they mean.
pub const LAYERS: [(&str, &str); 5] = [
    ("Arm", "The arm whose seeds are compared"),
    ("Parameter", "A parameter that is pruned in two seeds"),
    ("Pairs", "Pairs of seeds"),
    OVERLAP[4],
    (
        "By chance",
        "The index of random masks that keep as many weights of the layer: ab/n over a + b − ab/n, where the masks keep a \
         and b of its n weights",
    ),
];

/// A row for each arm and layer at a moment.
pub fn layer_rows(arms: &[OfArm<MaskOverlap>], moment: &str) -> Vec<[String; 5]> {
    let row = |arm: &str, layer: &LayerOverlap| {
        let own = MaskOverlap { indices: layer.indices.clone(), ..MaskOverlap::default() };
        let pairs = layer.indices.len().to_string();
        [arm.to_owned(), layer.parameter.clone(), pairs, jaccard_text(&own), fixed(layer.chance, 3)]
    };
    let here = |(arm, _, overlaps): &OfArm<MaskOverlap>| {
        let own =
            overlaps.iter().filter(|overlap| overlap.moment == moment).flat_map(|overlap| &overlap.layers);
        own.map(|layer| row(arm, layer)).collect::<Vec<_>>()
    };
    arms.iter().flat_map(here).collect()
}

/// "0.317 ± 0.021".
fn jaccard_text(overlap: &MaskOverlap) -> String {
    let half = overlap.half_width().map(|half| plus_minus(half, &fixed(half, 3)));
    let half = half.map_or_else(String::new, |half| format!(" {half}"));
    format!("{}{half}", fixed(overlap.mean(), 3))
}

/// Headings of the table of early stops with what they mean.
pub const STOPS: [(&str, &str); 6] = [
    ("Arm", "The arm"),
    ("Training", "The place of the training in the plan"),
    ("Remaining", "Share of the weights that remain"),
    (
        "Stops at (± SD)",
        "The iteration with the lowest validation loss: mean over seeds ± standard deviation",
    ),
    ("Test accuracy there (± SD)", "Mean over seeds ± standard deviation"),
    ("Seeds", "Seeds with this training"),
];

/// A row for each arm and training.
pub fn stop_rows(arms: &[OfArm<Training>]) -> Vec<[String; 6]> {
    let row = |arm: &str, training: &Training| {
        let accuracy = mean_and_deviation(&training.accuracies(), 100.0, 2);
        [
            arm.to_owned(),
            training.place.clone(),
            text::percent(training.remaining),
            mean_and_deviation(&training.iterations(), 1.0, 0),
            if accuracy == "–" { accuracy } else { format!("{accuracy} %") },
            training.stops.len().to_string(),
        ]
    };
    arms.iter().flat_map(|(arm, _, trainings)| trainings.iter().map(|training| row(arm, training))).collect()
}
