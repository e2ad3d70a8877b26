//! Runs as rows of a table that is sorted, filtered, compared and copied.

pub mod columns;
pub mod copy;
mod delta;
mod differing;
mod facts;
pub mod filter;
pub mod grouped;
mod labels;
mod measure;
mod names;
mod plan_words;
pub mod settings;
pub mod view;

pub use delta::Delta;
pub use differing::Differing;
pub use facts::{LineFacts, facts};
pub use labels::Labels;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::divergence::DIVERGED;
use super::outline::Outline;
use super::{PointRef, RunRecord, RunState, has_diverged};
use columns::Column;
use doc::{ClassNames, Run};
use settings::Settings;

/// What a person noted about a run or an arm. Never part of a run's identity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mark {
    /// Whether it has a star.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub starred: bool,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// A remark.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// One run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Its identity.
    pub run: String,
    /// Its arm, with swept values.
    pub arm: String,
    /// Position of the arm in the document.
    pub arm_index: usize,
    /// The arm's index for [`style_of`](super::style_of).
    pub colour: usize,
    /// The replicate.
    pub seed: u64,
    /// Its state in a word: "done".
    pub state: String,
    /// Whether its training diverged, see [`has_diverged`].
    pub diverged: bool,
    /// The state of an outdated run that plots show in its place; empty without one.
    pub outdated_state: &'static str,
    /// The series of the accuracies: test, else validation; of an ensemble, the vote. Empty without any.
    pub series: &'static str,
    /// Best accuracy, in [0, 1].
    pub best: Option<f64>,
    /// Epochs trained when it was reached.
    pub best_epoch: Option<f64>,
    /// Last accuracy, in [0, 1].
    pub last: Option<f64>,
    /// Share of the prunable weights that remain, in [0, 1].
    pub remaining: Option<f64>,
    /// Epochs trained in all.
    pub epochs: Option<f64>,
    /// Wall time, seconds; 0 before the start.
    pub secs: f64,
    /// Its settings in which runs differ; rows of an arm share them.
    pub settings: Arc<Settings>,
    /// All of its settings; rows of an arm share them.
    pub all: Arc<Settings>,
    /// What the form calls settings and their values; all rows share them.
    pub labels: Arc<Labels>,
    /// What its plan does.
    pub outline: Outline,
    /// Its plan in a few words; rows of an arm share them.
    pub plan: Arc<str>,
    /// The values of columns over series, see [`Row::measured`].
    pub measured: Vec<(Column, Option<f64>)>,
    /// What a person noted about it.
    pub mark: Mark,
    /// The names of its data's classes, in the order of their labels.
    pub classes: ClassNames,
}

/// The series of an ensemble's vote.
pub const VOTE: &str = "vote_accuracy";
/// The series that replaces the test accuracy where nothing was tested.
pub const VALIDATION: &str = "validation_accuracy";

/// The series of a run's test accuracy: the vote while it is an ensemble, that of its network otherwise.
pub fn test_series(record: &RunRecord) -> &'static str {
    const TEST: &str = "test_accuracy";
    let is_one = |point: &PointRef<'_>| {
        let is_test = point.series == VOTE || point.series == TEST;
        is_test && point.branch.is_empty() && point.member.is_none()
    };
    let has_vote = record.latest(VOTE).is_some();
    let last = has_vote.then(|| record.points().iter().rev().find(is_one)).flatten();
    if last.is_some_and(|point| point.series == VOTE) { VOTE } else { TEST }
}

impl Row {
    /// The row of a run with what is known of it.
    pub fn of(run: &Run, record: Option<&RunRecord>, state: &str, colour: usize) -> Self {
        let row = Self::default().called(run, state, colour);
        match record {
            Some(record) => Self { diverged: has_diverged(run, record), ..row.with_results(record) },
            None => row,
        }
    }

    /// The results of this row under what a run is called now, without settings and marks.
    pub fn called(&self, run: &Run, state: &str, colour: usize) -> Self {
        Self {
            run: run.id.clone(),
            arm: run.arm.clone(),
            arm_index: run.arm_index,
            colour,
            seed: run.seed,
            state: state.to_owned(),
            classes: run.spec.data.class_names(),
            diverged: self.diverged,
            series: self.series,
            best: self.best,
            best_epoch: self.best_epoch,
            last: self.last,
            remaining: self.remaining,
            epochs: self.epochs,
            secs: self.secs,
            measured: self.measured.clone(),
            ..Self::default()
        }
    }

    /// Its state in words: "done", "done (diverged)".
    pub fn state_in_words(&self) -> String {
        if self.diverged { format!("{} ({DIVERGED})", self.state) } else { self.state.clone() }
    }

    /// Whether its settings are known; those of outdated runs are not.
    pub fn has_settings(&self) -> bool {
        !(self.settings.is_empty() && self.all.is_empty())
    }

    /// Whether its run is finished, so that a mean counts it while others go on. A failed run is.
    pub fn is_finished(&self) -> bool {
        [RunState::Done, RunState::Failed(String::new())].iter().any(|state| state.word() == self.state)
    }

    fn with_results(mut self, record: &RunRecord) -> Self {
        // On the test data, else on the validation data.
        let accuracies = [test_series(record), VALIDATION];
        if let Some(series) = accuracies.into_iter().find(|series| record.latest(series).is_some()) {
            self.series = series;
            let best = record.best(series);
            self.best = best.map(|point| point.value);
            self.best_epoch = best.map(|point| point.trained);
            self.last = record.latest(series);
        }
        let last = record.points().iter().rev().find(|point| point.branch.is_empty());
        self.remaining = last.map(|point| point.remaining);
        self.epochs = last.map(|point| point.trained);
        self.secs = record.progress().secs.max(last.map_or(0.0, |point| point.secs));
        self
    }
}
