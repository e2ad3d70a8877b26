//! Carries out the program of a run step by step; what each stage does is in `run/stages/`.

use super::error::RunError;
use super::program::{Op, Step};
use super::session::{Outcome, Session, StageEnd};
use super::stages;
use super::state::TrainProgress;
use crate::results::Event;

impl Session<'_> {
    /// Carries out what is left of the program.
    ///
    /// # Errors
    /// What ended it; it was emitted as an event already.
    pub fn run(&mut self) -> Result<Outcome, RunError> {
        let result = self.steps();
        match &result {
            Ok(Outcome::Done) => self.emit(Event::Finished { secs: self.secs() })?,
            Ok(Outcome::Stopped) => self.emit(Event::Stopped { secs: self.secs() })?,
            Err(error) => self.emit(Event::Failed { message: error.to_string() })?,
        }
        result
    }

    fn steps(&mut self) -> Result<Outcome, RunError> {
        let resumed = self.next > 0 || self.inside.is_some();
        self.emit(Event::Started { resumed, threads: self.threads })?;
        self.find_data()?;
        while self.next < self.program.len() {
            if self.stop_requested().is_some() {
                return self.stopped(None);
            }
            let step = self.program[self.next].clone();
            let inside = self.inside.take();
            if inside.is_none() {
                self.emit_stage(&step)?;
            }
            if let StageEnd::Interrupted(progress) = self.step(&step, inside.unwrap_or_default())? {
                return self.stopped(Some(progress));
            }
            self.next += 1;
            self.emit_progress(0)?;
            self.keep(None)?;
        }
        Ok(Outcome::Done)
    }

    fn stopped(&mut self, inside: Option<TrainProgress>) -> Result<Outcome, RunError> {
        self.keep(inside)?;
        Ok(Outcome::Stopped)
    }

    fn step(&mut self, step: &Step, inside: TrainProgress) -> Result<StageEnd, RunError> {
        match &step.op {
            Op::Stage(stage) => stages::carry_out(self, stage, inside),
            Op::Enter(branch) => self.enter(branch).map(|()| StageEnd::Done),
            Op::Leave(name) => self.leave(name).map(|()| StageEnd::Done),
        }
    }
}
