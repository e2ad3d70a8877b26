//! What a run says, and what it keeps to go on from.

use super::{Session, TrainProgress};
use crate::doc::event::{Progress, StageBegan};
use crate::doc::{Event, Point, Report};
use crate::net::Score;
use crate::run::checkpoint::Checkpoint;
use crate::run::error::RunError;
use crate::run::evaluate::evaluate;
use crate::run::program::Step;

impl Session<'_> {
    pub(in crate::run) fn say(&mut self, event: Event) -> Result<(), RunError> {
        self.listener.event(event)
    }

    pub(super) fn say_stage(&mut self, step: &Step) -> Result<(), RunError> {
        let Step { op: _, stage, round, branch, label } = step.clone();
        let (number, of) = (self.next, self.program.len());
        self.say(Event::Stage(StageBegan { number, of, stage, label, round, branch }))
    }

    /// Says how far the run is, `done` mini-batches into the present step.
    pub(in crate::run) fn say_progress(&mut self, done: u64) -> Result<(), RunError> {
        let share = self.work.share(self.next, done);
        let secs = self.secs();
        let position = self.state().position;
        let secs_left = (share > 0.0 && secs > 0.5).then(|| secs * (1.0 - share) / share);
        let epoch = position.epochs(self.place.data.train.len());
        self.say(Event::Progress(Progress {
            done: share,
            epoch,
            iteration: position.iteration,
            secs,
            secs_left,
        }))
    }

    pub(in crate::run) fn say_training(&mut self, score: &Score) -> Result<(), RunError> {
        self.point("train_loss", score.loss())?;
        self.point("train_accuracy", score.accuracy())
    }

    /// Evaluates the validation part, where there is one, and the test part.
    pub(in crate::run) fn evaluate_parts(&mut self) -> Result<(), RunError> {
        let place = self.place.clone();
        for (name, part) in [("validation", &place.data.validation), ("test", &place.data.test)] {
            if part.is_empty() {
                continue;
            }
            let batch = place.spec.train.evaluation_batch;
            let score =
                evaluate(place.compute.as_ref(), &self.state().network, &place.criterion, part, batch);
            self.point(&format!("{name}_loss"), score.loss())?;
            self.point(&format!("{name}_accuracy"), score.accuracy())?;
        }
        Ok(())
    }

    /// Says one value of one series, at the present position.
    pub(in crate::run) fn point(&mut self, series: &str, value: f64) -> Result<(), RunError> {
        let step = &self.program[self.next];
        let state = self.state();
        let point = Point {
            series: series.to_owned(),
            value,
            stage: step.stage.clone(),
            branch: step.branch.clone(),
            member: None,
            round: step.round,
            epoch: state.position.epochs(self.place.data.train.len()),
            iteration: state.position.iteration,
            trained: state.trained,
            remaining: state.network.remaining(),
            rate: None,
            bit: None,
            layer: None,
            secs: self.secs(),
        };
        self.say(Event::Point(point))
    }

    /// Says what the present stage did; its place is filled in.
    pub(in crate::run) fn report(&mut self, report: Report) -> Result<(), RunError> {
        let Step { stage, branch, round, .. } = self.program[self.next].clone();
        self.say(Event::Report(Report { stage, branch, round, ..report }))
    }

    /// Leaves a checkpoint: before the next step, or inside it.
    pub(in crate::run) fn keep(&mut self, inside: Option<TrainProgress>) -> Result<(), RunError> {
        let checkpoint = Checkpoint { next: self.next, inside, secs: self.secs(), stack: self.stack.clone() };
        self.listener.checkpoint(&checkpoint)
    }

    pub(super) fn secs(&self) -> f64 {
        self.secs_before + self.began.elapsed().as_secs_f64()
    }
}
