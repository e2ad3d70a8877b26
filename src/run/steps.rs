//! Carries out the program of a run step by step; the stages are in `run/stages/`.

use super::error::RunError;
use super::program::{Op, ProgramStep};
use super::session::{RunEnd, Session, StageEnd};
use super::stages;
use super::state::TrainProgress;
use results::Event;

impl Session<'_> {
    /// Carries out the remaining steps.
    ///
    /// # Errors
    /// What ended the run; its event was emitted already.
    pub fn run(&mut self) -> Result<RunEnd, RunError> {
        let result = self.steps();
        match &result {
            Ok(RunEnd::Done) => self.emit(Event::Finished { secs: self.secs() })?,
            Ok(RunEnd::Stopped) => self.emit(Event::Stopped { secs: self.secs() })?,
            Err(error) => self.emit(Event::Failed { message: error.to_string() })?,
        }
        result
    }

    fn steps(&mut self) -> Result<RunEnd, RunError> {
        let resumed = self.next > 0 || self.inside.is_some();
        self.emit(Event::Started { resumed, threads: self.threads })?;
        self.emit_clock()?;
        self.find_data()?;
        while self.next < self.program.len() {
            if self.stop_requested().is_some() {
                self.keep(None)?;
                return Ok(RunEnd::Stopped);
            }
            let step = self.program[self.next].clone();
            let inside = self.inside.take();
            if inside.is_none() {
                self.emit_stage(&step)?;
            }
            if let StageEnd::Interrupted(progress) = self.step(&step, inside.unwrap_or_default())? {
                self.keep(Some(progress))?;
                return Ok(RunEnd::Stopped);
            }
            self.next += 1;
            self.emit_progress(0)?;
            self.keep(None)?;
        }
        Ok(RunEnd::Done)
    }

    fn step(&mut self, step: &ProgramStep, inside: TrainProgress) -> Result<StageEnd, RunError> {
        match &step.op {
            Op::Stage(stage) => stages::carry_out(self, stage, inside),
            Op::Enter(branch) => self.enter(branch).map(|()| StageEnd::Done),
            Op::Leave(name) => self.leave(name).map(|()| StageEnd::Done),
        }
    }
}
