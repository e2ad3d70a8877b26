//! Accuracy during training.

use super::curves::{Series, figure, lines};
use super::{ArmRuns, Controls, Plot};
use crate::figure::axis::Axis;
use crate::figure::model::Figure;
use crate::results::view::PlotOptions;

const TEST: Series<'static> = Series { name: "test_accuracy", suffix: "", dash: 0 };
const VALIDATION: Series<'static> = Series { name: "validation_accuracy", suffix: ", validation", dash: 2 };

/// Test accuracy, and validation accuracy if there is validation data.
pub const PLOT: Plot = Plot {
    name: "accuracy",
    title: "Accuracy",
    subject: "test accuracy",
    help: "Accuracy on the test data during training, and on the validation data if there are any. \
           Which arm learns fastest, and which ends highest? A line is the mean over the seeds of \
           an arm, with its band; where bands overlap, more seeds may separate the arms. Branches \
           of an arm, such as a reinitialized ticket, are dashed. Needs a stage that trains or \
           tests.",
    needs: &[],
    controls: Controls::ALL,
    build,
    ..Plot::BASE
};

fn build(arms: &[ArmRuns<'_>], options: &PlotOptions) -> Figure {
    let mut drawn: Vec<_> = arms.iter().flat_map(|arm| lines(arm, &TEST, options)).collect();
    let tests = drawn.len();
    drawn.extend(arms.iter().flat_map(|arm| lines(arm, &VALIDATION, options)));
    let title = if drawn.len() == tests { "Test accuracy" } else { "Accuracy" };
    figure(options.x.axis(), Axis::percent(title), drawn, options)
}
