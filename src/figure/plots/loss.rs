//! Loss during training.

use super::curves::{Series, figure, lines};
use super::{ArmRuns, Controls, Plot};
use crate::figure::axis::Axis;
use crate::figure::model::Figure;
use crate::results::view::PlotOptions;

const TEST: Series<'static> = Series { name: "test_loss", suffix: ", test", dash: Some(0) };
const TRAIN: Series<'static> = Series { name: "train_loss", suffix: ", training", dash: Some(2) };

/// Loss on the training and the test data.
pub const PLOT: Plot = Plot {
    name: "loss",
    title: "Loss",
    subject: "the loss",
    help: "Loss on the training data (dotted) and on the test data. If the test loss rises while \
           the training loss falls, the network overfits. A logarithmic axis shows late epochs \
           better. Needs a stage that trains.",
    needs: &[],
    controls: Controls::ALL,
    build,
    ..Plot::BASE
};

fn build(arms: &[ArmRuns<'_>], options: &PlotOptions) -> Figure {
    let both = |arm| [lines(arm, &TEST, options), lines(arm, &TRAIN, options)];
    let drawn = arms.iter().flat_map(both).flatten().collect();
    figure(options.x.axis(), Axis::new("Loss", ""), drawn, options)
}
