//! Accuracy during training.

use super::curves::{Series, figure, lines};
use super::{ArmRuns, Controls, Plot};
use crate::figure::axis::Axis;
use crate::figure::model::Figure;
use crate::results::view::PlotOptions;

const TEST: Series<'static> = Series { name: "test_accuracy", suffix: "", dash: None };
const VALIDATION: Series<'static> =
    Series { name: "validation_accuracy", suffix: ", validation", dash: Some(2) };

/// Test accuracy, and validation accuracy if there is validation data.
pub const PLOT: Plot = Plot {
    name: "accuracy",
    title: "Accuracy",
    subject: "test accuracy",
    help: "Accuracy on the test data during training, and on the validation data (dotted) if there are any. \
           Which arm learns fastest, and which ends highest? A line is the mean over the seeds of \
           an arm, with its interval; where intervals overlap, more seeds may separate the arms. Branches \
           of an arm, such as a reinitialized ticket, are dashed. Needs a stage that trains or \
           tests.",
    needs: &[],
    controls: Controls::ALL,
    build,
    ..Plot::BASE
};

fn build(arms: &[ArmRuns<'_>], options: &PlotOptions) -> Figure {
    let of = |series: &Series| arms.iter().flat_map(|arm| lines(arm, series, options)).collect::<Vec<_>>();
    let validation = of(&VALIDATION);
    let (title, test) = if validation.is_empty() {
        ("Test accuracy", TEST)
    } else {
        ("Accuracy", Series { dash: Some(0), ..TEST })
    };
    let drawn = of(&test).into_iter().chain(validation).collect();
    figure(options.x.axis(), Axis::percent(title), drawn, options)
}
