//! Opens and closes documents, with the questions in between, and runs that go on at the next start.

use std::path::Path;
use std::time::{Duration, Instant};

use eframe::egui::{self, CentralPanel, Frame, Ui, ViewportCommand};

use super::App;
use super::runner::StartRequest;
use super::steps::{PATIENCE, Step};
use crate::dialogs::{Dialog, Leaving, Next, PathUse};
use crate::document::Document;
use crate::files::{PathRequest, Purpose, absolute};
use crate::recovery::{Leftover, UnsavedEdits};
use crate::selection::Selection;
use crate::start::{StartResponse, start_ui};
use crate::theme;
use doc::file;
use doc::templates::Template;
use results::RunState;
use run::StopKind;

/// The first frame waits this long for the results of earlier runs.
const PATIENCE_FOR_RESULTS: Duration = Duration::from_millis(400);

impl App {
    /// Leaves the document after the questions that it needs.
    pub(super) fn proceed(&mut self, leaving: Leaving, ctx: &egui::Context) {
        self.enter_typed();
        let document = &self.editor.document;
        if document.would_lose() && leaving.discarded.as_deref() != Some(&document.experiment) {
            // What can be saved comes first.
            let typed = if document.is_unsaved() { Vec::new() } else { document.drafts.wrong_texts() };
            self.shell.dialog = Some(Dialog::unsaved(&document.title(), &typed, leaving));
        } else if self.runner.runs.is_running() && leaving.to != Next::ChooseFile && !leaving.is_stopping {
            let comes_back = self.editor.recovery.is_some() && self.unfinished().is_some();
            let runs = self.runner.runs.open().count();
            self.shell.dialog = Some(Dialog::Running { runs, leaving, comes_back });
        } else {
            self.leave(leaving, ctx);
        }
    }

    /// Leaves the document: all questions are answered.
    pub(super) fn leave(&mut self, leaving: Leaving, ctx: &egui::Context) {
        match &leaving.to {
            Next::New(template) => self.take_template(template),
            Next::ChooseFile => {
                let (purpose, folder) = (Purpose::Open, self.folder());
                let request = PathRequest { purpose, folder, name: String::new() };
                self.shell.ask(request, PathUse::Open(leaving), ctx);
            }
            Next::Open(path) => {
                self.open(path);
            }
            Next::Reload => {
                if let Some(path) = self.editor.document.path().map(Path::to_owned) {
                    self.open(&path);
                }
            }
            Next::Quit => {
                self.shell.may_close = true;
                self.back_up(ctx);
                ctx.send_viewport_cmd(ViewportCommand::Close);
            }
        }
    }

    /// Stops the runs, and then leaves.
    pub(super) fn stop_and_leave(&mut self, resumes_later: bool, leaving: Leaving, ctx: &egui::Context) {
        if let Some(kept) = self.unfinished().filter(|_| resumes_later) {
            self.editor.leave(&UnsavedEdits { is_closed: true, ..kept }, &mut self.log);
        }
        // Otherwise they would begin once the others have stopped.
        self.steps.retain(|step| !matches!(step, Step::Start(_)));
        self.runner.runs.stop(StopKind::Now);
        self.then(Step::Leave(Leaving { is_stopping: true, ..leaving }, Instant::now()), ctx);
    }

    /// Answers a request to close the window.
    pub(super) fn watch_closing(&mut self, ctx: &egui::Context) {
        let requested = ctx.input(|input| input.viewport().close_requested());
        if requested {
            self.enter_typed();
        }
        let is_at_work = self.runner.runs.is_running() || self.editor.document.would_lose();
        if requested && is_at_work && !self.shell.may_close {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            self.proceed(Leaving::to(Next::Quit), ctx);
        }
    }

    /// Finishes exports, copies and view settings before the window closes.
    pub(super) fn finish(&mut self) {
        self.finish_writing(PATIENCE);
        self.runner.runs.finish_order(PATIENCE);
        self.workspace.compare.set_folder(&self.editor.results());
        self.workspace.keep_view(0.0, None, &mut self.log);
    }

    /// Opens a template, and asks for the folder of its data, if these are missing.
    fn take_template(&mut self, template: &Template) {
        match Document::untitled(template.name, template.text) {
            Ok(document) => self.take_document(document),
            Err(error) => return self.fail("The template cannot be opened", &error.to_string()),
        }
        self.ask_if_missing();
    }

    /// Opens a file, or shows why it cannot be opened. Returns true if it did.
    pub(super) fn open(&mut self, path: &Path) -> bool {
        let path = absolute(path);
        match Document::open(&path) {
            Ok(document) => {
                self.log.info(format!("Opened {}", path.display()));
                self.shell.settings.recent.note(&path);
                self.take_document(document);
                true
            }
            Err(error) => {
                self.fail("The file cannot be opened", &error.to_string());
                false
            }
        }
    }

    fn take_document(&mut self, document: Document) {
        self.editor.document = document;
        self.reset();
    }

    /// Resets the window to the current document: loads its results, clears the selection.
    pub(super) fn reset(&mut self) {
        self.shell.is_starting = false;
        self.shell.dropping.abandon();
        self.runner.last_batch = None;
        self.steps.retain(|step| matches!(step, Step::Leave(..))); // the others are about another document
        self.editor.looked = None;
        self.log.see(); // errors so far are of another document
        self.editor.document.refresh();
        self.take_known_folder();
        let results = self.editor.results();
        let records = self.runner.worker.read(&results, self.editor.document.runs());
        match self.runner.runs.read(records, PATIENCE_FOR_RESULTS, false) {
            Some(count) => self.log_found(count),
            None => self.log.info(format!("Reading results in {}…", results.display())),
        }
        self.workspace.load(&results, &self.editor.document.experiment.name, &mut self.log);
        self.take_archived();
        self.take_treatments();
        self.editor.begin_history(self.workspace.shown());
        let is_empty = self.workspace.treatments.is_empty();
        self.workspace.selection = if is_empty { Selection::Experiment } else { Selection::Arm(0) };
        self.runner.plan_cost(&self.editor.document);
        let document = &self.editor.document;
        for (path, problem) in
            document.path().into_iter().flat_map(|path| document.problems().iter().map(move |it| (path, it)))
        {
            self.log.info(file::describe(problem, path, document.text()));
        }
    }

    /// Returns a note to go on with the present runs at the next start; none when the document cannot be kept.
    pub(super) fn unfinished(&self) -> Option<UnsavedEdits> {
        let document = &self.editor.document;
        let mut runs: Vec<String> = self.runner.runs.open().cloned().collect();
        for step in &self.steps {
            if let Step::Start(request) = step {
                let requested = self.runner.requested(request, document).into_iter().map(|run| run.id);
                let known = &self.runner.runs;
                runs.extend(
                    requested.filter(|run| known.state(run) != RunState::Done && !known.is_open(run)),
                );
            }
        }
        Some(UnsavedEdits { runs, ..document.to_keep()? })
    }

    /// Opens what the window begins with: a file, or the document whose runs were stopped when the last window was closed;
    /// whether there is one. Of that document the edits come back too, unless a crash since then has left newer ones, which are
    /// asked about first; going on with its runs is offered afterwards.
    pub(super) fn open_first(&mut self, file: Option<&Path>) -> bool {
        let file = file.map(absolute);
        let is_wanted = |left: &Leftover| file.is_none() || left.kept.path == file;
        let Some(at) = self.editor.closed.iter().rposition(is_wanted) else {
            return file.is_some_and(|file| self.open(&file));
        };
        let mut noted = self.editor.closed.remove(at);
        let is_newer = |left: &Leftover| left.kept.path == noted.kept.path && left.written > noted.written;
        if noted.kept.is_saved || self.editor.leftovers.iter().any(is_newer) {
            if !noted.kept.path.as_deref().is_some_and(|path| self.open(path)) {
                self.editor.take_over(noted);
                return false;
            }
        } else {
            match Document::recovered(&noted.kept) {
                Ok(document) => self.take_document(document),
                Err(error) => {
                    self.fail("The experiment with the stopped runs cannot be opened", &error.to_string());
                    return file.is_some_and(|file| self.open(&file));
                }
            }
        }
        self.editor.drop_closed(noted.kept.path.as_deref());
        noted.kept.path = self.editor.document.path().map(Path::to_owned);
        self.editor.resumes = Some(noted);
        true
    }

    /// Asks about the edits of a window that crashed, once nothing else is asked and restoring them would take no
    /// document from under its runs; then whether to go on with runs of the document that were stopped.
    pub(super) fn ask_at_start(&mut self, ctx: &egui::Context) {
        let mut steps = self.steps.iter();
        let starts_or_leaves = steps.any(|step| matches!(step, Step::Start(_) | Step::Leave(..)));
        if starts_or_leaves || self.runner.runs.is_running() || self.shell.may_close {
            return;
        }
        if self.shell.dialog.as_ref().is_some_and(Dialog::offers_to_restore) {
            self.shell.dialog = self.editor.leftover_question(); // which says how old it is
            return ctx.request_repaint_after(Duration::from_secs(1));
        }
        if self.shell.dialog.is_none() && !self.editor.document.would_lose() {
            self.shell.dialog = self.editor.leftover_question();
        }
        if self.shell.dialog.is_none() && !self.runner.runs.is_reading() {
            self.offer_resume();
        }
    }

    /// Offers to go on with the runs of the document that were stopped and are left to do.
    fn offer_resume(&mut self) {
        let document = &self.editor.document;
        let is_own = |left: &mut Leftover| left.kept.path.as_deref() == document.path();
        let Some(leftover) = self.editor.resumes.take_if(is_own) else { return };
        let is_left =
            |id: &&String| document.run(id).is_some() && self.runner.runs.state(id) != RunState::Done;
        let runs: Vec<String> = leftover.kept.runs.iter().filter(is_left).cloned().collect();
        if !runs.is_empty() && document.first_error().is_none() {
            self.shell.dialog = Some(Dialog::resume(&document.title(), runs, None));
        }
        self.editor.take_over(leftover);
    }

    /// Restores what a crash has interrupted: edits, whose runs are asked about then, or the runs alone.
    pub(super) fn restore(&mut self, ctx: &egui::Context) {
        let Some(mut leftover) = self.editor.leftovers.pop() else { return };
        match Document::recovered(&leftover.kept) {
            Err(error) => return self.fail("The unsaved edits cannot be restored", &error.to_string()),
            Ok(document) => self.take_document(document),
        }
        if leftover.kept.is_saved {
            let runs = leftover.kept.runs.clone();
            self.editor.take_over(leftover);
            return self.then(Step::Start(StartRequest::These(runs)), ctx);
        }
        self.log.info(format!("Restored the unsaved edits to {}; save to keep them", leftover.kept.title));
        leftover.kept.path = self.editor.document.path().map(Path::to_owned);
        self.editor.resumes = Some(leftover);
    }

    /// Draws the start page while no document is open, and does what was chosen.
    pub(super) fn start_page_ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        let recent = self.shell.recent_files.of(self.shell.settings.recent.files(), &ctx);
        let document = &self.editor.document;
        // If somebody has opened, edited or run it.
        let back = (document.path().is_some() || document.is_unsaved()).then(|| document.title());
        let frame = Frame::new().fill(theme::present(ui).canvas);
        let chosen =
            CentralPanel::default().frame(frame).show(ui, |ui| start_ui(ui, &recent, back.as_deref()));
        match chosen.inner {
            None => {}
            Some(StartResponse::New(template)) => self.proceed(Leaving::to(Next::New(template)), &ctx),
            Some(StartResponse::Recent(path)) => self.proceed(Leaving::to(Next::Open(path)), &ctx),
            Some(StartResponse::Do(command)) => self.execute(command, &ctx),
            Some(StartResponse::Back) => self.shell.is_starting = false,
        }
    }
}
