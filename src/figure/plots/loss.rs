//! Loss during training.

use super::curves::{Series, figure, lines};
use super::{ArmRuns, Controls, Plot, x_axis};
use crate::axis::Axis;
use crate::model::Figure;
use results::view::PlotOptions;

const TEST: Series<'static> = Series { name: "test_loss", suffix: ", test", dash: Some(0) };
const TRAIN: Series<'static> = Series { name: "train_loss", suffix: ", training", dash: Some(2) };

pub const PLOT: Plot = Plot {
    name: "loss",
    title: "Loss",
    subject: "the loss",
    help: "Loss on the training data (dotted) and on the test data. If the test loss rises while \
           the training loss falls, the network overfits. A logarithmic axis shows late epochs \
           better; where a run diverged, the axis is logarithmic at first. Needs a stage that trains.",
    controls: Controls::ALL,
    build,
    ..Plot::BASE
};

fn build(arms: &[ArmRuns], options: &PlotOptions) -> Figure {
    let both = |arm| [lines(arm, &TEST, options), lines(arm, &TRAIN, options)];
    let drawn = arms.iter().flat_map(both).flatten().collect();
    // On a linear axis, one loss of 1e20 would press all other lines onto 0.
    let has_diverged = arms.iter().any(|arm| arm.rows.iter().any(|row| row.diverged));
    let axis = Axis::new("Loss", "").positive();
    figure(x_axis(&options.x), if has_diverged { axis.log() } else { axis }, drawn, options)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{arm, at, record, rows};
    use super::*;
    use crate::axis::Scale;
    use results::table::Row;

    #[test]
    fn the_loss_of_a_diverged_run_does_not_hide_the_others() {
        let lost = record([at("train_loss", 1.0, 1e20)]);
        let scale = |diverged| {
            let row = Row { diverged, ..Row::default() };
            let arm = ArmRuns { rows: rows([&row]), ..arm("", 0, [&lost]) };
            build(&[arm], &PlotOptions::default()).y.scale
        };
        assert_eq!([false, true].map(scale), [Scale::Linear, Scale::Log10]);
    }
}
