//! The state of a run, and which runs a mean is over while some go on.

use super::RunRecord;
use super::number::{Format, duration, fixed, readable};
use super::statistics::Spread;
use super::table::test_series;
use doc::{Loss, Run};
use form::number::{counted, grouped};

#[derive(Clone, Debug, Default, PartialEq)]
pub enum RunState {
    /// Not started.
    #[default]
    Waiting,
    /// Under way.
    Running,
    /// Stopped; it resumes where it was when it is started again.
    Stopped,
    /// All stages are done.
    Done,
    /// It failed, for this reason.
    Failed(String),
}

impl RunState {
    /// Returns true if it has begun and is not done: its last values are those of an unfinished stage.
    pub const fn is_partial(&self) -> bool {
        match self {
            Self::Running | Self::Stopped | Self::Failed(_) => true,
            Self::Waiting | Self::Done => false,
        }
    }

    /// Returns true if it has begun and gets further points.
    pub const fn goes_on(&self) -> bool {
        matches!(self, Self::Running | Self::Stopped)
    }

    /// Returns one word for it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Waiting => "queued",
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Done => "done",
            Self::Failed(_) => "failed",
        }
    }
}

/// The values of a mean and those beside it, while some runs of an arm are finished and others are not: the values of
/// finished runs, else all that there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Split<T> {
    /// The values of the mean.
    pub averaged: Vec<T>,
    /// The values of unfinished runs beside a mean of finished ones.
    pub beside: Vec<T>,
    /// True if the mean is of finished runs.
    pub is_of_finished: bool,
}

impl<T> Split<T> {
    /// Splits the values of runs by whether their runs are unfinished. A failed run is finished: it gets no further values.
    pub fn new(values: impl IntoIterator<Item = T>, is_unfinished: impl Fn(&T) -> bool) -> Self {
        let (unfinished, finished): (Vec<T>, Vec<T>) = values.into_iter().partition(is_unfinished);
        if finished.is_empty() {
            let is_of_finished = unfinished.is_empty();
            return Self { averaged: unfinished, beside: Vec::new(), is_of_finished };
        }
        Self { averaged: finished, beside: unfinished, is_of_finished: true }
    }

    /// Returns the interval around the mean: values in the middle of a training have none.
    pub const fn spread(&self, chosen: Spread) -> Spread {
        if self.is_of_finished { chosen } else { Spread::None }
    }

    /// Returns how many finished runs the mean is over.
    pub const fn finished(&self) -> usize {
        if self.is_of_finished { self.averaged.len() } else { 0 }
    }
}

/// Says how runs that were started together have ended: `Stopped: 8 done, 2 interrupted, 14 not started`, `24 runs: 22 done, 1
/// diverged, 1 failed`. Each has its state and whether it diverged.
pub fn ends_in_words<'a>(states: impl IntoIterator<Item = (&'a RunState, bool)>) -> String {
    let mut counts = [0_u64; 6];
    for (state, diverged) in states {
        let kind = match state {
            RunState::Done if diverged => 1,
            RunState::Done => 0,
            RunState::Failed(_) => 2,
            RunState::Stopped => 3,
            RunState::Running => 4,
            RunState::Waiting => 5,
        };
        counts[kind] += 1;
    }
    let words = ["done", DIVERGED, "failed", "interrupted", "running elsewhere", "not started"];
    let present = counts.iter().zip(words).filter(|(count, _)| **count > 0);
    let parts: Vec<String> = present.map(|(count, word)| format!("{} {word}", grouped(*count))).collect();
    let head = if counts[3] + counts[5] > 0 {
        "Stopped".to_owned()
    } else {
        counted(counts.iter().sum::<u64>(), "run")
    };
    format!("{head}: {}", parts.join(", "))
}

/// Says how a run has ended, in one line for a log: `done: test accuracy 97.43 %, 12 s`, `diverged: training loss 1.2×10³⁰, test
/// accuracy 9.80 %, 12 s`. `None` while it has not.
pub fn end_in_words(record: &RunRecord, diverged: bool) -> Option<String> {
    let time = duration(record.progress().secs);
    match record.state() {
        RunState::Waiting | RunState::Running => None,
        RunState::Failed(why) => Some(format!("failed: {why}")),
        RunState::Stopped => Some(format!("interrupted after {time}")),
        RunState::Done => {
            let series = test_series(record);
            let accuracy = record
                .points()
                .latest(series)
                .map(|value| format!("{} {} %", series.replace('_', " "), fixed(100.0 * value, 2)));
            let loss = record.points().latest("train_loss").filter(|_| diverged);
            let loss = loss.map(|loss| format!("training loss {}", readable(loss, Format::Number)));
            let results: Vec<String> = loss.into_iter().chain(accuracy).collect();
            let colon = if results.is_empty() { "" } else { ": " };
            let word = if diverged { DIVERGED } else { "done" };
            Some(format!("{word}{colon}{}, {time}", results.join(", ")))
        }
    }
}

/// The word for such a run in the window.
pub const DIVERGED: &str = "diverged";
/// The definition of [`has_diverged`], for people.
pub const DEFINITION: &str = "Diverged: the last training loss is not a number or infinite, or the training loss exceeded \
    10 times that of guessing uniformly and ended no better than such a guess.";

/// A training loss of more than this many times that of a uniform guess has exploded.
const EXPLODED: f64 = 10.0;
/// A training loss below this share of that of a uniform guess has recovered: the network predicts something.
const RECOVERED: f64 = 0.95;

/// Returns true if the training of a run diverged: its last training loss is not finite; or one of its training losses
/// exceeded ten times the loss of a uniform guess over the classes, and the last one is not below 95 % of that of the
/// guess. The second part also finds networks that die in the explosion and predict the same for every input from then
/// on.
///
/// Only the main branch counts, and only training: faults and pruning may raise the loss of a sound network in a test.
pub fn has_diverged(run: &Run, record: &RunRecord) -> bool {
    const TRAINING: &str = "train_loss";
    let points = record.points();
    let (Some(last), guess) = (points.latest(TRAINING), uniform_guess(run)) else { return false };
    let exploded = points.highest(TRAINING).is_some_and(|loss| loss > EXPLODED * guess);
    !last.is_finite() || (exploded && last >= RECOVERED * guess)
}

/// Returns the loss of a network that gives every class the same probability.
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

    #[test]
    fn a_mean_is_over_what_is_finished_else_over_all() {
        let split = |values: &[i32]| Split::new(values.to_vec(), |value| *value < 0);
        let some = split(&[1, -2, 3]);
        assert_eq!(
            (some.averaged.as_slice(), some.beside.as_slice(), some.finished()),
            (&[1, 3][..], &[-2][..], 2)
        );
        let none = split(&[-1, -2]);
        assert_eq!((none.averaged.len(), none.beside.len(), none.finished()), (2, 0, 0));
        assert!(!none.is_of_finished && split(&[]).is_of_finished);
        assert_eq!([some, none].map(|split| split.spread(Spread::MinMax)), [Spread::MinMax, Spread::None]);
    }

    #[test]
    fn the_end_of_a_run_is_one_line() {
        let started = || Event::Started { resumed: false, threads: 1 };
        let line = |events: Vec<Event>| end_in_words(&RunRecord::from_events(events), false);
        let series = "test_accuracy".to_owned();
        let point = || Event::Point(Point { series: series.clone(), value: 0.9743, ..Point::default() });
        let done = line(vec![started(), point(), Event::Finished { secs: 12.0 }]);
        assert_eq!(done.as_deref(), Some("done: test accuracy 97.43 %, 12 s"));
        let loss = Point { series: "train_loss".to_owned(), value: 1.2e30, ..Point::default() };
        let diverged = vec![Event::Point(loss), point(), Event::Finished { secs: 12.0 }];
        let diverged = end_in_words(&RunRecord::from_events(diverged), true);
        assert_eq!(
            diverged.as_deref(),
            Some("diverged: training loss 1.2×10³⁰, test accuracy 97.43 %, 12 s")
        );
        let stopped = line(vec![started(), Event::Stopped { secs: 12.0 }]);
        assert_eq!(stopped.as_deref(), Some("interrupted after 12 s"));
        assert_eq!(line(vec![started()]), None);
    }

    #[test]
    fn the_end_of_runs_is_counted_by_kind() {
        let states = [(8, RunState::Done), (2, RunState::Stopped), (14, RunState::Waiting)];
        let all = states.iter().flat_map(|(count, state)| std::iter::repeat_n(state, *count));
        let all = all.map(|state| (state, false));
        assert_eq!(ends_in_words(all), "Stopped: 8 done, 2 interrupted, 14 not started");
        let ended =
            [(RunState::Done, false), (RunState::Done, true), (RunState::Failed(String::new()), true)];
        let ended = ended.iter().map(|(state, diverged)| (state, *diverged));
        assert_eq!(ends_in_words(ended), "3 runs: 1 done, 1 diverged, 1 failed");
    }

    fn diverged(data: &str, losses: &[f64]) -> bool {
        let text = format!("(data: {data}, arms: [(name: \"a\", plan: [Train()])])");
        let experiment = doc::file::parse(&text, Path::new("x.ron")).unwrap();
        let run = &doc::runs(&experiment).unwrap()[0];
        let series = "train_loss".to_owned();
        let point =
            |value: &f64| Event::Point(Point { series: series.clone(), value: *value, ..Point::default() });
        has_diverged(run, &RunRecord::from_events(losses.iter().map(point)))
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
