//! Accuracy while the networks learn.

use super::curves::{Series, figure, lines};
use super::{ArmRuns, Plot};
use crate::figure::model::{Axis, Figure};
use crate::results::view::PlotOptions;

/// Test accuracy, and validation accuracy where data are held out for it.
pub struct Accuracy;

const TEST: Series = Series { name: "test_accuracy", suffix: "", dash: 0 };
const VALIDATION: Series = Series { name: "validation_accuracy", suffix: ", validation", dash: 2 };

impl Plot for Accuracy {
    fn name(&self) -> &'static str {
        "accuracy"
    }

    fn title(&self) -> &'static str {
        "Accuracy"
    }

    fn subject(&self) -> &'static str {
        "test accuracy"
    }

    fn help(&self) -> &'static str {
        "Accuracy on the test data while the networks learn, and on the validation data where some are held out. \
         Which arm learns fastest, and which ends highest? A line is the mean over the seeds of an arm, with its band; \
         where bands overlap, more seeds may tell arms apart. \
         Branches of an arm, such as a ticket that is reinitialised, are dashed. Needs a stage that trains or tests."
    }

    fn build(&self, arms: &[ArmRuns<'_>], options: &PlotOptions) -> Figure {
        let mut drawn: Vec<_> = arms.iter().flat_map(|arm| lines(arm, &TEST, options)).collect();
        let tests = drawn.len();
        drawn.extend(arms.iter().flat_map(|arm| lines(arm, &VALIDATION, options)));
        let title = if drawn.len() == tests { "Test accuracy" } else { "Accuracy" };
        figure(options.x.axis(), Axis::percent(title), drawn, options)
    }
}
