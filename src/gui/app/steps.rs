//! What waits for something: for runs to stop, for earlier results, for an answer.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use eframe::egui;

use super::App;
use super::runner::{PATIENCE_FOR_MORE, StartRequest};
use crate::dialogs::{Leaving, Next, PathUse};
use crate::runs::{QueueAction, QueueRequest};
use crate::widgets::Tone;
use doc::Run;

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
        let is_start = matches!(step, Step::Start(_));
        self.steps.push_back(step);
        if is_start {
            self.follow_all_edits(ctx);
        }
        let Some(step) = self.steps.pop_back() else { return };
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
        if self.steps.iter().any(|step| matches!(step, Step::Start(_)) && self.is_ready(step)) {
            self.follow_all_edits(ctx);
        }
        for _ in 0..self.steps.len() {
            let Some(step) = self.steps.pop_front() else { return };
            if self.is_ready(&step) {
                self.carry_out(step, ctx);
            } else {
                self.steps.push_back(step);
            }
        }
    }

    /// Follows edits and what was found in inputs, where runs are to start: results wait for a pause while a field is
    /// edited, but both give runs other identities.
    fn follow_all_edits(&mut self, ctx: &egui::Context) {
        self.look_at_inputs(ctx);
        while self.look_at_document() {
            self.look_at_inputs(ctx);
        }
    }

    /// Gives runs that are to start the identities that they have now; `before` are those of the document before.
    pub(super) fn rename_waiting(&mut self, before: &[Run]) {
        let now = self.editor.document.runs().iter();
        let now: HashMap<_, _> = now.map(|run| ((&run.arm, run.seed), &run.id)).collect();
        for step in &mut self.steps {
            let Step::Start(StartRequest::These(runs) | StartRequest::Next(runs)) = step else { continue };
            for run in runs {
                let known = before.iter().find(|known| known.id == *run);
                if let Some(id) = known.and_then(|known| now.get(&(&known.arm, known.seed))) {
                    (*id).clone_into(run);
                }
            }
        }
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
            Step::Reread => {
                let results = self.editor.results();
                let records = self.runner.worker.read(&results, self.editor.document.runs());
                if let Some(count) = self.runner.runs.read(records, PATIENCE_FOR_MORE, false) {
                    self.log_found(count);
                }
            }
            Step::Leave(leaving, _) => self.proceed(leaving, ctx),
        }
    }

    fn start(&mut self, request: StartRequest, ctx: &egui::Context) {
        if let Some(error) = self.editor.document.first_error() {
            return self.log.refuse(Tone::Bad, format!("Nothing started: {error}"));
        }
        if self.editor.document.path().is_none() {
            // Paths of weight files lead from the new file then, which gives the runs other identities.
            self.steps.push_back(Step::Start(request));
            let given = self.give_file(ctx);
            let step = self.steps.pop_back();
            return match (given, step) {
                (Ok(()), Some(step)) => self.then(step, ctx),
                (Ok(()), None) => {}
                (Err(why), _) => self.fail("Nothing started", &why),
            };
        }
        self.note_data_folder();
        let folder = self.editor.results();
        if self.runner.start(&request, &self.editor.document, &folder, &mut self.log) {
            self.shell.keep_awake(true);
        }
        if let StartRequest::Next(runs) = request {
            self.runner.runs.carry_out(&QueueRequest { action: QueueAction::Next, runs });
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
        self.look_at_inputs(ctx);
        Ok(())
    }
}
