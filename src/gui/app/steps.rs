//! What waits for something: for runs to stop, for earlier results, for an answer.

use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use eframe::egui;

use super::App;
use super::runner::{MoveOutcome, StartRequest};
use crate::dialogs::{Leaving, Next};
use crate::files::{forget_move, note_move};
use crate::widgets::Tone;

/// The window closes this long after it was asked to, even if a run does not stop.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Something to do as soon as [`App::is_ready`] says so.
pub(super) enum Step {
    /// Start runs, once earlier results are known.
    Start(StartRequest),
    /// Move results, once no run writes them and no others are on their way. Until then a locked note in their folder says
    /// so, for the next start after a crash.
    MoveResults { from: PathBuf, to: PathBuf, note: Option<File> },
    /// Read the records of the document's new folder, once the runs of its old one have ended.
    Reread,
    /// Leave the document, once its runs have stopped; asked for then.
    Leave(Leaving, Instant),
}

impl Step {
    /// Whether another document ends it.
    const fn is_of_document(&self) -> bool {
        matches!(self, Self::Start(_) | Self::Reread)
    }
}

impl App {
    /// Does this, now or when it can be done.
    pub(super) fn then(&mut self, mut step: Step, ctx: &egui::Context) {
        if self.is_ready(&step) {
            return self.carry_out(step, ctx);
        }
        match &mut step {
            Step::Start(_) => {
                let reason = self.runner.start_blocked_by().unwrap_or_default();
                self.log.info(format!("Runs will start once earlier results {reason}"));
            }
            Step::MoveResults { from, to, note } => {
                match note_move(from, to) {
                    Ok(file) => *note = Some(file),
                    Err(error) => self.log.error(format!("{} cannot be written: {error}", from.display())),
                }
                self.log.info(format!("Results stay in {} until the runs end, then move", from.display()));
            }
            Step::Reread | Step::Leave(..) => {}
        }
        self.steps.push_back(step);
    }

    /// Does what can be done now of what waits.
    pub(super) fn advance(&mut self, ctx: &egui::Context) {
        for step in std::mem::take(&mut self.steps) {
            if self.is_ready(&step) {
                self.carry_out(step, ctx);
            } else {
                self.steps.push_back(step);
            }
        }
    }

    /// Forgets what was to be done with the document before this one.
    pub(super) fn forget_steps(&mut self) {
        self.steps.retain(|step| !step.is_of_document());
    }

    fn is_ready(&self, step: &Step) -> bool {
        let is_running = self.runner.runs.is_running();
        match step {
            Step::Start(_) => self.runner.start_blocked_by().is_none(),
            Step::MoveResults { .. } => !is_running && self.runner.copying.is_none(),
            Step::Reread => !is_running,
            Step::Leave(leaving, since) => {
                !is_running || (leaving.to == Next::Quit && since.elapsed() > PATIENCE)
            }
        }
    }

    fn carry_out(&mut self, step: Step, ctx: &egui::Context) {
        match step {
            Step::Start(request) => self.start(&request),
            Step::MoveResults { from, to, note } => {
                drop(note);
                forget_move(&from);
                let outcome = self.runner.move_results(&from, &to, &mut self.log, ctx);
                if outcome == MoveOutcome::Failed && self.editor.results() == to {
                    self.reread();
                }
            }
            Step::Reread => self.reread(),
            Step::Leave(leaving, _) => self.proceed(leaving, ctx),
        }
    }

    fn start(&mut self, request: &StartRequest) {
        if let Some(error) = self.editor.document.first_error() {
            return self.log.refuse(Tone::Bad, format!("Nothing started: {error}"));
        }
        let folder = self.editor.results();
        self.editor.keep_untitled();
        if self.runner.start(request, &self.editor.document, &folder, &mut self.log) {
            self.shell.keep_awake(true);
        }
    }

    /// Reads the records again, after the document has got another folder of results.
    fn reread(&mut self) {
        let results = self.editor.results();
        let records = self.runner.worker.read(&results, self.editor.document.runs());
        if let Some(count) = self.runner.runs.read(records, super::runner::PATIENCE_FOR_MORE) {
            self.log_found(count);
        }
    }
}
