//! Accuracy during training.

use super::curves::{Series, figure, lines};
use super::remaining::has_pruned;
use super::{ArmRuns, Controls, Plot, x_axis};
use crate::axis::Axis;
use crate::model::Figure;
use results::tiles::Group;
use results::view::{PlotOptions, XAxis};

const TEST: Series<'static> = Series { name: "test_accuracy", suffix: "", dash: None };
const VALIDATION: Series<'static> =
    Series { name: "validation_accuracy", suffix: ", validation", dash: Some(2) };

pub const PLOT: Plot = Plot {
    name: "accuracy",
    title: "Accuracy",
    subject: "test accuracy",
    help: "Accuracy on the test data during training, and on the validation data (dotted) if there are any. \
           Which arm learns fastest, and which ends highest? A line is the mean over the seeds of an arm, \
           with its interval; where intervals overlap, more seeds may separate the arms. Branches of an arm, \
           such as a reinitialized ticket, are dashed. Needs a stage that trains or tests.",
    controls: Controls::ALL,
    build,
    ..Plot::BASE
};

pub const BY_ROUND: Plot = Plot {
    name: "rounds",
    title: "Accuracy by round",
    group: Group::Pruning,
    subject: "test accuracy in each training",
    help: "Accuracy over the epochs of each training, with a line for each level of remaining weights, from \
           light (all weights) to dark (few). Does a sparse network learn as fast as the dense one? rounds \
           chooses the levels that have lines. Needs a stage that prunes and one that trains after it.",
    controls: Controls { own_x: Some("Epochs in this training"), ..Controls::ALL },
    build: |arms, options| build(arms, &PlotOptions { x: XAxis::Training, ..options.clone() }),
    has_data_of: Some(|record| has_pruned(record, "train_loss")),
    lacks: "these runs train nothing after they prune",
    ..Plot::BASE
};

fn build(arms: &[ArmRuns], options: &PlotOptions) -> Figure {
    let of = |series: &Series| arms.iter().flat_map(|arm| lines(arm, series, options)).collect::<Vec<_>>();
    let validation = of(&VALIDATION);
    let (title, test) = if validation.is_empty() {
        ("Test accuracy", TEST)
    } else {
        ("Accuracy", Series { dash: Some(0), ..TEST })
    };
    let drawn = of(&test).into_iter().chain(validation).collect();
    figure(x_axis(&options.x), Axis::percent(title), drawn, options)
}
