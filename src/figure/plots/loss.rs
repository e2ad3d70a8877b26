//! Loss while the networks learn.

use super::curves::{Series, figure, lines};
use super::{ArmRuns, Plot};
use crate::figure::model::{Axis, Figure};
use crate::results::view::PlotOptions;

/// Loss on the training and the test data.
pub struct Loss;

const TEST: Series = Series { name: "test_loss", suffix: ", test", dash: 0 };
const TRAIN: Series = Series { name: "train_loss", suffix: ", training", dash: 2 };

impl Plot for Loss {
    fn name(&self) -> &'static str {
        "loss"
    }

    fn title(&self) -> &'static str {
        "Loss"
    }

    fn subject(&self) -> &'static str {
        "the loss"
    }

    fn help(&self) -> &'static str {
        "Loss on the training data (dotted) and on the test data. Where the test loss rises while the training loss \
         falls, a network learns its training data by heart. A logarithmic axis shows the late epochs better. \
         Needs a stage that trains."
    }

    fn build(&self, arms: &[ArmRuns<'_>], options: &PlotOptions) -> Figure {
        let both = |arm| [lines(arm, &TEST, options), lines(arm, &TRAIN, options)];
        let drawn = arms.iter().flat_map(both).flatten().collect();
        figure(options.x.axis(), Axis::new("Loss", ""), drawn, options)
    }
}
