//! What waits for something: for runs to stop, for earlier results, for an answer.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use eframe::egui;

use super::App;
use super::runner::StartRequest;
use crate::dialogs::{Leaving, Next, PathUse};
use crate::widgets::Tone;

/// The window closes this long after it was asked to, even if a run does not stop.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Something to do as soon as [`App::is_ready`] says so.
pub(super) enum Step {
    /// Start runs, once earlier results and data are known.
    Start(StartRequest),
    /// Rename an untitled document, once no run writes beside the old one; then leave it, if wanted.
    Rename(PathBuf, Option<Leaving>),
    /// Read the records of the document's new folder, once the runs of its old one have ended.
    Reread,
    /// Leave the document, once its runs have stopped; asked for then.
    Leave(Leaving, Instant),
}

impl App {
    /// Does this, now or when it can be done.
    pub(super) fn then(&mut self, step: Step, ctx: &egui::Context) {
        if self.is_ready(&step) {
            return self.carry_out(step, ctx);
        }
        match &step {
            Step::Start(_) => {
                let document = &self.editor.document;
                let reason = self.runner.start_blocked_by(document).unwrap_or_default();
                self.log.info(format!("Runs will start once {reason}"));
            }
            Step::Rename(to, _) => {
                self.steps.retain(|step| !matches!(step, Step::Rename(..)));
                self.log.info(format!("The experiment becomes {} once its runs have ended", to.display()));
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
        self.steps.retain(|step| matches!(step, Step::Leave(..)));
    }

    fn is_ready(&self, step: &Step) -> bool {
        let is_running = self.runner.runs.is_running();
        match step {
            Step::Start(_) => self.runner.start_blocked_by(&self.editor.document).is_none(),
            Step::Rename(..) | Step::Reread => !is_running,
            Step::Leave(leaving, since) => {
                // A question that a step before asked, such as whether to replace a file, is about this document.
                (!is_running && self.shell.dialog.is_none())
                    || (is_running && leaving.to == Next::Quit && since.elapsed() > PATIENCE)
            }
        }
    }

    fn carry_out(&mut self, step: Step, ctx: &egui::Context) {
        match step {
            Step::Start(request) => self.start(request, ctx),
            Step::Rename(path, then) => self.use_path(PathUse::Save(then), path, ctx),
            Step::Reread => self.reread(),
            Step::Leave(leaving, _) => self.proceed(leaving, ctx),
        }
    }

    fn start(&mut self, mut request: StartRequest, ctx: &egui::Context) {
        if let Some(error) = self.editor.document.first_error() {
            return self.log.refuse(Tone::Bad, format!("Nothing started: {error}"));
        }
        if self.editor.document.path().is_none() {
            let before: Vec<String> = self.editor.document.runs().iter().map(|run| run.id.clone()).collect();
            if let Err(why) = self.give_file(ctx) {
                return self.fail("Nothing started", &why);
            }
            // Paths of weight files lead from the new file now, which gives the runs other identities.
            if let StartRequest::These(runs) = &mut request {
                for run in runs {
                    let at = before.iter().position(|known| known == run);
                    if let Some(now) = at.and_then(|at| self.editor.document.runs().get(at)) {
                        run.clone_from(&now.id);
                    }
                }
            }
            return self.then(Step::Start(request), ctx);
        }
        let folder = self.editor.results();
        if self.runner.start(&request, &self.editor.document, &folder, &mut self.log) {
            self.shell.keep_awake(true);
        }
    }

    /// Gives the document a file, if it has none: something is about to be written beside it.
    ///
    /// # Errors
    /// What could not be written.
    pub(super) fn give_file(&mut self, ctx: &egui::Context) -> Result<(), String> {
        if self.editor.document.path().is_some() {
            return Ok(());
        }
        let path = self.editor.give_file()?;
        self.shell.settings.recent.note(&path);
        self.look_at_document();
        for line in self.editor.document.look_at_inputs(&self.editor.results(), ctx) {
            self.log.note(line);
        }
        Ok(())
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
