//! The events and checkpoints of a run.

use std::time::{Instant, SystemTime};

use super::Session;
use crate::checkpoint::Checkpoint;
use crate::error::RunError;
use crate::evaluate::evaluate;
use crate::members;
use crate::program::ProgramStep;
use crate::state::TrainProgress;
use crate::stop::StopKind;
use crate::tables::Table;
use crate::train::PROGRESS_EVERY;
use net::{Answers, Score};
use results::event::{Clock, Progress, ReportLevel, StageBegan};
use results::{Event, Point, Report};

impl Session<'_> {
    pub(crate) fn emit(&mut self, event: Event) -> Result<(), RunError> {
        if !event.is_transient() && self.clock_after.is_some_and(|pauses| pauses != self.stop.paused_for()) {
            self.emit_clock()?;
        }
        self.listener.event(event)
    }

    /// Emits the time of day; done again after each pause.
    pub(crate) fn emit_clock(&mut self) -> Result<(), RunError> {
        self.clock_after = Some(self.stop.paused_for());
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let utc = since_1970.as_millis() as f64 / 1e3;
        let secs = self.secs();
        self.listener.event(Event::Clock(Clock { utc, secs }))
    }

    pub(crate) fn emit_stage(&mut self, step: &ProgramStep) -> Result<(), RunError> {
        let ProgramStep { op: _, stage, round, branch, label } = step.clone();
        let (number, of) = (self.next, self.program.len());
        self.emit(Event::Stage(StageBegan { number, of, stage, label, round, branch }))
    }

    /// Emits the progress, `done` mini-batches into the present step.
    pub(crate) fn emit_progress(&mut self, done: u64) -> Result<(), RunError> {
        let share = self.work.share(self.next, done);
        let secs = self.secs();
        let position = self.state().position;
        let secs_left = (share > 0.0 && secs > 0.5).then(|| secs * (1.0 - share) / share);
        let epoch = position.epochs(self.data().train.len());
        self.emit(Event::Progress(Progress {
            done: share,
            epoch,
            iteration: position.iteration,
            secs,
            secs_left,
        }))
    }

    /// Emits loss and accuracy on training batches since the last evaluation: of the present network, and of each further
    /// member that trained.
    pub(crate) fn emit_training(&mut self, score: &Score) -> Result<(), RunError> {
        let others = self.state_mut().others.iter_mut();
        let others: Vec<Score> = others.map(|member| std::mem::take(&mut member.score)).collect();
        let is_alone = others.is_empty();
        for (member, score) in std::iter::once(*score).chain(others).enumerate() {
            if score.samples > 0 {
                self.emit_score("train", &score, None, (!is_alone).then_some(member))?;
            }
        }
        Ok(())
    }

    /// Evaluates the validation part, where there is one, and the test part; emits what is recorded of the weights.
    pub(crate) fn evaluate_parts(&mut self) -> Result<(), RunError> {
        if self.state().others.is_empty() {
            self.evaluate_present(false)?;
        } else {
            members::evaluate(self)?;
        }
        self.emit_weights()
    }

    /// The same as a stage: it has progress, and a request to stop ends it before anything is emitted. Returns
    /// whether it came to its end.
    pub(crate) fn evaluate_or_stop(&mut self) -> Result<bool, RunError> {
        if !self.state().others.is_empty() {
            return self.evaluate_parts().map(|()| true);
        }
        let is_done = self.evaluate_present(true)?;
        if is_done {
            self.emit_weights()?;
        }
        Ok(is_done)
    }

    /// Returns whether it came to its end.
    fn evaluate_present(&mut self, is_stage: bool) -> Result<bool, RunError> {
        let (context, data) = (self.context.clone(), self.data());
        let batch = context.spec.train.evaluation_batch;
        let (mut before, mut emitted, mut scores) = (0, Instant::now(), Vec::new());
        for (name, part) in [("validation", &data.validation), ("test", &data.test)] {
            if part.is_empty() {
                continue;
            }
            let (reader, network) = (self.reader(), self.state().network.clone());
            let mut goes_on = |samples: u64| {
                if is_stage && emitted.elapsed() >= PROGRESS_EVERY {
                    emitted = Instant::now();
                    self.emit_progress(before + samples)?;
                }
                Ok(!is_stage || self.stop_requested() != Some(StopKind::Now))
            };
            let Some(tally) = evaluate(&reader, &network, &context.loss, part, batch, &mut goes_on)? else {
                return Ok(false);
            };
            self.put_back(reader)?;
            before += part.len() as u64;
            scores.push((name, tally));
        }
        for (name, tally) in scores {
            self.emit_score(name, &tally.score, Some(&tally.answers), None)?;
        }
        Ok(true)
    }

    /// Emits loss and accuracy of one part of the data, with `answers` those by class and, if the experiment asks for it, among
    /// the largest logits; `member` counts from 0, the present network.
    pub(crate) fn emit_score(
        &mut self,
        part: &str,
        score: &Score,
        answers: Option<&Answers>,
        member: Option<usize>,
    ) -> Result<(), RunError> {
        let classes = answers.map(Answers::accuracies).unwrap_or_default();
        let mut measures = vec![
            ("loss".to_owned(), score.loss(), Vec::new()),
            ("accuracy".to_owned(), score.accuracy(), classes),
        ];
        if let (Some(answers), Some(largest)) = (answers, self.context.spec.train.top) {
            measures.push((format!("top{largest}_accuracy"), answers.among(largest), Vec::new()));
        }
        for (what, value, classes) in measures {
            let point = self.new_point(&format!("{part}_{what}"), value);
            let other = member.filter(|&member| member > 0).map(|member| &self.state().others[member - 1]);
            let remaining = other.map_or(point.remaining, |other| other.network.remaining());
            let member = member.map(|member| member + 1);
            self.emit(Event::Point(Point { member, remaining, classes, ..point }))?;
        }
        Ok(())
    }

    /// Emits one value of one series, at the present position.
    pub(crate) fn point(&mut self, series: &str, value: f64) -> Result<(), RunError> {
        let point = self.new_point(series, value);
        self.emit(Event::Point(point))
    }

    /// One value of one series, at the present position.
    pub(crate) fn new_point(&self, series: &str, value: f64) -> Point {
        let state = self.state();
        Point {
            series: series.to_owned(),
            value,
            stage: self.stage(),
            branch: self.branch(),
            round: self.round(),
            epoch: state.position.epochs(self.data().train.len()),
            iteration: state.position.iteration,
            trained: state.trained,
            remaining: state.network.remaining(),
            secs: self.secs(),
            ..Point::default()
        }
    }

    /// Emits what the present stage did, with its place.
    pub(crate) fn report(&mut self, report: Report) -> Result<(), RunError> {
        let (stage, branch, round) = (self.stage(), self.branch(), self.round());
        let level = if report.passed == Some(false) { ReportLevel::Warning } else { report.level };
        self.emit(Event::Report(Report { stage, branch, round, level, ..report }))
    }

    /// Appends whole lines to a table of the run.
    pub(crate) fn log(&mut self, table: Table, lines: &str) -> Result<(), RunError> {
        self.listener.lines(table, lines)
    }

    /// Keeps the present network in files of these names: its values, and what holds them.
    pub(crate) fn keep_network(&mut self, files: &[String; 2]) -> Result<(), RunError> {
        let network = self.state().network.clone();
        self.listener.network(files, &network)
    }

    /// Whether a stage may write into the run's directory.
    pub(crate) fn may_write(&mut self) -> Result<(), RunError> {
        self.listener.may_write()
    }

    /// Keeps a checkpoint: before the next step, or inside it.
    pub(crate) fn keep(&mut self, inside: Option<TrainProgress>) -> Result<(), RunError> {
        let checkpoint = Checkpoint {
            next: self.next,
            inside,
            campaign: self.campaign.clone(),
            secs: self.secs(),
            stack: self.stack.clone(),
        };
        self.listener.checkpoint(&checkpoint)
    }

    /// Seconds of work so far, without pauses.
    pub(crate) fn secs(&self) -> f64 {
        let paused = self.stop.paused_for().saturating_sub(self.paused_before);
        self.secs_before + self.began.elapsed().saturating_sub(paused).as_secs_f64()
    }
}
