//! Figures of tickets, all arms side by side: early-stop iterations, and the overlap of masks between seeds.

use super::axis::Axis;
use super::distinct;
use super::model::{Figure, Line, Note};
use super::palette::{Dash, Marker, Style, style_of};
use super::plots::x_axis;
use form::number::counted;
use results::by_key;
use results::statistics::{Spread, level};
use results::tickets::MaskOverlap;
use results::tickets::Training;
use results::view::XAxis;

/// An arm of a figure: its name, its place among all arms of the document, and what is known of it.
pub type OfArm<'a, T> = (&'a str, usize, &'a [T]);

/// Returns the early-stop iteration over the weights that remain, its mean over seeds within a standard deviation: a line for the
/// rounds of each training of each arm.
pub fn early_stops(arms: &[OfArm<'_, Training>]) -> Figure {
    let mut lines = Vec::new();
    for (arm, place, trainings) in arms {
        let series = by_key(trainings.iter().map(|training| (training.series.as_str(), training)));
        let is_only = series.len() == 1;
        for (index, (own, mut rounds)) in series.into_iter().enumerate() {
            let name = if is_only { (*arm).to_owned() } else { format!("{arm}, {own}") };
            rounds.sort_by(|a, b| b.remaining.total_cmp(&a.remaining));
            let style = Style { dash: style_of(8 * index).dash, ..style_of(*place).with_marker() };
            let levels = rounds
                .into_iter()
                .map(|training| level(training.remaining, &training.iterations(), Spread::StandardDeviation));
            lines.push(Line::from_levels(&name, style, levels));
        }
    }
    let seeds = lines.iter().flat_map(|line| &line.counts).max().copied().unwrap_or_default();
    let has_band = lines.iter().any(|line| !line.band.is_empty());
    let interval = if has_band { "standard deviation".to_owned() } else { String::new() };
    Figure {
        x: x_axis(&XAxis::Remaining),
        y: Axis::new("Early-stop iteration", ""),
        note: Note { interval, ..format!("mean over {}", counted(seeds, "seed")).into() },
        lines,
        ..Figure::default()
    }
}

/// Returns the overlap of the masks of an arm's seeds over the weights that remain, with the 95 % CI over pairs of seeds, and for
/// each arm a dotted line for random masks of the same layer-wise sparsity.
pub fn overlaps(arms: &[OfArm<'_, MaskOverlap>]) -> Figure {
    let mut lines = Vec::new();
    for (arm, place, moments) in arms.iter().filter(|(.., moments)| !moments.is_empty()) {
        let mut moments: Vec<&MaskOverlap> = moments.iter().collect();
        moments.sort_by(|a, b| b.remaining.total_cmp(&a.remaining));
        let style = style_of(*place).with_marker();
        let levels =
            moments.iter().map(|moment| level(moment.remaining, &moment.indices, Spread::Interval95));
        lines.push(Line::from_levels(arm, style, levels));
        let chance = moments.iter().map(|moment| [moment.remaining, moment.chance]).collect();
        let dotted = Style { dash: Dash::Dotted, ..style };
        lines.push(Line::new(&format!("{arm}, by chance"), dotted, chance));
    }
    of_masks(x_axis(&XAxis::Remaining), lines, "mean over pairs of seeds".to_owned(), "each layer")
}

fn of_masks(x: Axis, lines: Vec<Line>, what: String, of: &str) -> Figure {
    let note = Note {
        what,
        interval: "95 % CI over pairs".to_owned(),
        rest: format!("by chance: random masks that keep as many weights of {of}"),
        ..Note::default()
    };
    let y = Axis { range: Some([0.0, 1.0]), ..Axis::new("Jaccard index of the masks", "") };
    Figure { x, y, lines, note, ..Figure::default() }
}

/// The share of a parameter's place that the marks of all arms take.
const FILLED: f64 = 0.6;

/// Returns the overlap of the masks of an arm's seeds in each pruned parameter at one moment, with the 95 % CI over pairs of seeds,
/// and beside each mark a cross for random masks that keep as many weights of the parameter.
pub fn layer_overlaps(arms: &[OfArm<'_, MaskOverlap>], moment: &str) -> Figure {
    let here = |moments: &[MaskOverlap]| moments.iter().find(|known| known.moment == moment).cloned();
    let there: Vec<(&str, usize, MaskOverlap)> =
        arms.iter().filter_map(|(arm, place, moments)| Some((*arm, *place, here(moments)?))).collect();
    let names = distinct(there.iter().flat_map(|(.., own)| &own.layers).map(|layer| layer.parameter.clone()));
    let mut lines = Vec::new();
    for (index, (arm, place, own)) in there.iter().enumerate() {
        let offset = FILLED * ((index as f64 + 0.5) / there.len() as f64 - 0.5);
        let style = style_of(*place).with_marker();
        let mut line = Line::new(arm, style, Vec::new());
        let cross = Style { marker: Marker::Cross, ..style };
        let mut chance = Line::new(&format!("{arm}, by chance"), cross, Vec::new());
        for layer in &own.layers {
            let Some(at) = names.iter().position(|name| *name == layer.parameter) else { continue };
            let level = level(at as f64 + offset, &layer.indices, Spread::Interval95);
            chance.points.push([level.x, layer.chance]);
            line.push(level);
        }
        lines.extend([line, chance]);
    }
    let x = Axis::of_names("Pruned parameter", names);
    of_masks(x, lines, format!("{moment}; mean over pairs of seeds"), "the layer")
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::EarlyStop;
    use results::statistics::Band;
    use results::tickets::LayerOverlap;

    #[test]
    fn the_figure_goes_from_many_weights_to_few_with_the_spread_over_seeds() {
        let training = |series: &str, remaining: f64, iterations: &[u64]| Training {
            place: String::new(),
            series: series.to_owned(),
            remaining,
            stops: iterations.iter().map(|iteration| (1, stop(*iteration))).collect(),
        };
        let rounds = [training("Stage 2", 0.5, &[100]), training("Stage 2", 1.0, &[200, 204, 208])];
        let control = training("Stage 2, control", 0.5, &[150]);
        let both = [rounds[0].clone(), control, rounds[1].clone()];
        let both = early_stops(&[("ticket", 3, &both), ("dense", 0, &rounds[1..])]);
        let names: Vec<_> = both.lines.iter().map(|line| (line.name.as_str(), line.points.len())).collect();
        assert_eq!(names, [("ticket, Stage 2", 2), ("ticket, Stage 2, control", 1), ("dense", 1)]);
        assert_eq!([0, 1, 2].map(|line| both.lines[line].style.colour), [3, 3, 0], "the colours of the arms");
        assert_ne!(both.lines[0].style.dash, both.lines[1].style.dash);
        let figure = early_stops(&[("ticket", 0, &rounds)]);
        let line = &figure.lines[0];
        assert_eq!(
            (line.points.as_slice(), line.counts.as_slice()),
            (&[[1.0, 204.0], [0.5, 100.0]][..], &[3, 1][..])
        );
        assert_eq!(line.band, [Band { x: 1.0, low: 200.0, high: 208.0 }]);
        assert_eq!(figure.note.text("bars"), "mean over 3 seeds, bars: standard deviation");
    }

    fn stop(iteration: u64) -> EarlyStop {
        EarlyStop {
            stage: "1".to_owned(),
            branch: String::new(),
            round: None,
            iteration,
            validation_loss: 0.5,
            test_accuracy: None,
            remaining: 0.5,
        }
    }

    #[test]
    fn every_arm_has_its_overlap_and_the_chance_level_beside_it() {
        let overlap = |remaining, indices: &[f64], chance| MaskOverlap {
            moment: String::new(),
            remaining,
            indices: indices.to_vec(),
            chance,
            layers: Vec::new(),
        };
        let moments = [overlap(0.2, &[0.25], 0.125), overlap(0.5, &[0.5, 0.75], 1.0 / 3.0)];
        let figure = overlaps(&[("a", 2, &moments), ("b", 3, &[])]);
        let shown: Vec<_> =
            figure.lines.iter().map(|line| (line.name.as_str(), line.points.clone())).collect();
        assert_eq!(
            shown,
            [("a", vec![[0.5, 0.625], [0.2, 0.25]]), ("a, by chance", vec![[0.5, 1.0 / 3.0], [0.2, 0.125]])]
        );
        assert_eq!(figure.lines[0].band.len(), 1, "one pair has no interval");
    }

    #[test]
    fn each_pruned_layer_has_its_overlap_and_its_chance_level_at_one_moment() {
        let layer = |name: &str, indices: &[f64], chance| LayerOverlap {
            parameter: name.to_owned(),
            indices: indices.to_vec(),
            chance,
        };
        let overlap = |moment: &str, layers| MaskOverlap {
            moment: moment.to_owned(),
            layers,
            ..MaskOverlap::default()
        };
        let a = [
            overlap("round 1", vec![layer("fc1.weight", &[0.9], 0.8)]),
            overlap("final", vec![layer("fc1.weight", &[0.5, 0.75], 0.25), layer("fc2.weight", &[0.5], 0.5)]),
        ];
        let b = [overlap("final", vec![layer("fc2.weight", &[0.25], 0.125)])];
        let figure = layer_overlaps(&[("a", 2, &a), ("b", 3, &b), ("c", 4, &[])], "final");
        let names: Vec<_> = figure.x.categories.iter().map(|category| category.name.as_str()).collect();
        assert_eq!(names, ["fc1.weight", "fc2.weight"]);
        let shown: Vec<_> =
            figure.lines.iter().map(|line| (line.name.as_str(), line.points.clone())).collect();
        assert_eq!(
            shown,
            [
                ("a", vec![[-0.15, 0.625], [0.85, 0.5]]),
                ("a, by chance", vec![[-0.15, 0.25], [0.85, 0.5]]),
                ("b", vec![[1.15, 0.25]]),
                ("b, by chance", vec![[1.15, 0.125]])
            ]
        );
        assert!(figure.is_of_marks() && figure.lines[0].band.len() == 1);
        assert_eq!(layer_overlaps(&[("a", 2, &a)], "round 1").lines[0].points, [[0.0, 0.9]]);
    }
}
