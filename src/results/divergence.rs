//! Runs whose training went wrong without an error: they end, and their accuracy alone looks like a weak result.

use super::RunRecord;
use doc::{Loss, Run};

/// What the window says of such a run.
pub const DIVERGED: &str = "diverged";
/// The definition of [`has_diverged`], for people.
pub const DEFINITION: &str = "Diverged: the last training loss is not a number or infinite, or the training loss exceeded \
    10 times that of guessing uniformly and ended no better than such a guess.";

/// A training loss of more than this many times that of a uniform guess has exploded.
const EXPLODED: f64 = 10.0;
/// A training loss below this share of that of a uniform guess has recovered: the network predicts something.
const RECOVERED: f64 = 0.95;

/// Whether the training of a run diverged: its last training loss is not finite; or one of its training losses exceeded ten
/// times the loss of a uniform guess over the classes, and the last one is not below 95 % of that of the guess. The second
/// part also finds networks that die in the explosion and predict the same for every input from then on.
///
/// Only the main branch counts, and only training: faults and pruning may raise the loss of a sound network in a test.
pub fn has_diverged(run: &Run, record: &RunRecord) -> bool {
    const TRAINING: &str = "train_loss";
    let points = record.points();
    let (Some(last), guess) = (points.latest(TRAINING), uniform_guess(run)) else { return false };
    let exploded = points.highest(TRAINING).is_some_and(|loss| loss > EXPLODED * guess);
    !last.is_finite() || (exploded && last >= RECOVERED * guess)
}

/// The loss of a network that gives every class the same probability.
fn uniform_guess(run: &Run) -> f64 {
    let classes = run.spec.data.class_names().len().max(2) as f64;
    match run.spec.train.loss {
        Loss::CrossEntropy => classes.ln(),
        Loss::BinaryCrossEntropy => std::f64::consts::LN_2,
        // The mean over the outputs of (1/C − one-hot)².
        Loss::SquaredError => (classes - 1.0) / (classes * classes),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{Event, Point};

    fn diverged(data: &str, losses: &[f64]) -> bool {
        let text = format!("(data: {data}, arms: [(name: \"a\", plan: [Train()])])");
        let experiment = doc::file::parse(&text, Path::new("x.ron")).unwrap();
        let run = &doc::runs(&experiment).unwrap()[0];
        let series = "train_loss".to_owned();
        let point =
            |value: &f64| Event::Point(Point { series: series.clone(), value: *value, ..Point::default() });
        has_diverged(run, &RunRecord::of(losses.iter().map(point)))
    }

    #[test]
    fn a_run_diverged_if_its_training_loss_exploded_and_never_came_back() {
        let digits = |losses: &[f64]| diverged("Digits()", losses);
        let guess = std::f64::consts::LN_10;
        assert!(digits(&[0.5, f64::NAN]) && digits(&[f64::INFINITY]), "not finite at the end");
        assert!(digits(&[1.2e30, 1.1e30]) && digits(&[2.0, 24.0]), "huge at the end");
        assert!(digits(&[900.0, guess]), "dead since then: as good as a guess");
        assert!(!digits(&[900.0, 0.4]) && !digits(&[f64::NAN, 0.4]), "recovered");
        assert!(!digits(&[2.4, guess]) && !digits(&[2.0, 22.0]), "weak, but it did not explode");
        assert!(!digits(&[]), "not trained");
    }
}
