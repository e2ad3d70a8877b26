//! Opens and closes documents, with the questions in between, and runs that go on at the next start.

use std::path::Path;
use std::time::{Duration, Instant};

use eframe::egui::{self, CentralPanel, Frame, Ui, ViewportCommand};

use super::App;
use super::commands::Command;
use super::steps::{PATIENCE, Step};
use crate::dialogs::{Dialog, Leaving, Next, PathUse};
use crate::document::Document;
use crate::files::{PathRequest, Purpose, absolute};
use crate::selection::Selection;
use crate::settings::Unfinished;
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
            let (runs, comes_back) = (self.runner.runs.open().count(), self.unfinished().is_some());
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
        self.note_unfinished(resumes_later);
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
        self.workspace.load(&results, &mut self.log);
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
    fn unfinished(&self) -> Option<Unfinished> {
        let document = &self.editor.document;
        let path = document.path().map(Path::to_owned);
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
        let is_in_file = path.is_some() && !document.would_lose();
        let kept = if is_in_file { None } else { Some(document.to_keep()?) };
        Some(Unfinished { path, kept, runs })
    }

    /// Notes whether the present runs go on at the next start. Runs of another document that are noted already still do
    /// so, unless these take their place.
    fn note_unfinished(&mut self, goes_on: bool) {
        let own = self.editor.document.path();
        let is_replaced =
            |noted: &mut Unfinished| goes_on || (noted.path.is_some() && noted.path.as_deref() == own);
        let replaced = self.shell.settings.unfinished.take_if(is_replaced);
        if goes_on {
            self.shell.settings.unfinished = self.unfinished();
        }
        if let Some(kept) = replaced.and_then(|replaced| replaced.kept) {
            self.editor.leave(&kept, &mut self.log);
        }
    }

    /// Opens what the window begins with: a file, or the document whose runs were stopped when the last window was closed;
    /// whether there is one. Of that document the edits come back too, and going on with its runs is offered.
    pub(super) fn open_first(&mut self, file: Option<&Path>) -> bool {
        let file = file.map(absolute);
        let is_wanted = |noted: &mut Unfinished| file.is_none() || noted.path == file;
        let noted = self.shell.settings.unfinished.take_if(is_wanted);
        let Some(Unfinished { path, kept, runs }) = noted else {
            return file.is_some_and(|file| self.open(&file));
        };
        let is_open = match kept.as_ref().map(|kept| (kept, Document::recovered(kept))) {
            None => path.is_some_and(|path| self.open(&path)),
            Some((_, Ok(document))) => {
                self.take_document(document);
                true
            }
            Some((kept, Err(error))) => {
                self.editor.leave(kept, &mut self.log);
                self.fail("The experiment with the stopped runs cannot be opened", &error.to_string());
                false
            }
        };
        if is_open {
            self.offer_resume(&runs);
        }
        is_open || (kept.is_some() && file.is_some_and(|file| self.open(&file)))
    }

    /// Offers to go on with those of these runs that are left to do.
    fn offer_resume(&mut self, runs: &[String]) {
        let document = &self.editor.document;
        let is_left =
            |id: &&String| document.run(id).is_some() && self.runner.runs.state(id) != RunState::Done;
        let runs: Vec<String> = runs.iter().filter(is_left).cloned().collect();
        if !runs.is_empty() && document.first_error().is_none() {
            self.shell.dialog = Some(Dialog::resume(&document.title(), runs));
        }
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
            Some(StartResponse::Open) => self.execute(Command::Open, &ctx),
            Some(StartResponse::Guide) => self.execute(Command::Guide, &ctx),
            Some(StartResponse::Keys) => self.execute(Command::Shortcuts, &ctx),
            Some(StartResponse::Back) => self.shell.is_starting = false,
        }
    }
}
