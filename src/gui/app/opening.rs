//! Opens, saves and closes documents, with the questions in between.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eframe::egui::{self, ViewportCommand};

use super::{App, Closing};
use crate::doc::{file, templates};
use crate::gui::dialogs::{Dialog, Next, Reply, dialog_ui};
use crate::gui::document::Document;
use crate::gui::files::{PathAnswer, PathRequest, PendingPath, Purpose, absolute, with_extension};
use crate::gui::selection::Selection;
use crate::gui::views::TrialFilter;
use crate::gui::{plot, text};
use crate::run::StopKind;

/// The first frame waits this long for the results of earlier runs.
const PATIENCE_FOR_RESULTS: Duration = Duration::from_millis(400);

/// The number of recent files above the templates.
const RECENT_ON_START: usize = 4;

impl App {
    /// Shows what can be started from. A new window without a file begins with it.
    pub fn choose_template(&mut self) {
        if self.dialog.is_none() {
            let recent = self.settings.recent.files().iter().take(RECENT_ON_START).cloned().collect();
            self.dialog = Some(Dialog::Templates(recent));
        }
    }

    /// Says what was found in the folder of results.
    pub(super) fn log_found(&mut self, count: usize) {
        let results = self.results();
        let folder = results.display();
        self.log.info(match count {
            0 => format!("Results will go to {folder}"),
            count => format!("Found results of {} in {folder}", text::counted(count, "run")),
        });
        let listed = self.document.runs();
        let empty = listed
            .iter()
            .filter(|run| self.runs.record(&run.id).is_none_or(|record| record.points().is_empty()));
        let wanted = empty.map(|run| (run.arm.clone(), run.seed)).collect();
        self.runs.search(self.parts.worker.search(&results, listed, wanted));
        self.plan_cost();
    }

    /// Says that the folder of results has runs of other settings.
    pub(super) fn log_outdated(&mut self, all: usize, shown: usize) {
        let runs = text::counted(all, "run");
        let use_of_them = if shown == 0 {
            "open the document with their settings to see them".to_owned()
        } else {
            let drawn = if shown == 1 { "is drawn" } else { "are drawn" };
            format!("{shown} {drawn} as \"earlier settings\" until you run again")
        };
        self.log.info(format!("This folder also has {runs} with other settings; {use_of_them}"));
    }

    /// Goes on with `next` after the questions that it needs.
    pub(super) fn proceed(&mut self, next: Next, ctx: &egui::Context) {
        if self.document.is_unsaved() {
            self.dialog = Some(Dialog::Unsaved { title: self.document.title(), next });
            return;
        }
        self.proceed_unless_running(next, ctx);
    }

    /// Continues after a delay, with another question if there are edits that the user was not asked about.
    pub(super) fn go_on(&mut self, next: Next, ctx: &egui::Context) {
        if self.is_unsaved_again() {
            self.proceed(next, ctx);
        } else {
            self.proceed_unless_running(next, ctx);
        }
    }

    /// Whether there are changes that the user has not agreed to lose; takes the agreement.
    pub(super) fn is_unsaved_again(&mut self) -> bool {
        let discarded = self.discarded.take();
        self.document.is_unsaved() && discarded.as_ref() != Some(&self.document.experiment)
    }

    /// Drops the action after a question: the user has cancelled it.
    fn forget_next(&mut self) {
        self.after_saving = None;
        self.discarded = None;
    }

    fn proceed_unless_running(&mut self, next: Next, ctx: &egui::Context) {
        if self.runs.is_running() && next != Next::ChooseFile {
            let (over, all) = self.runs.batch_count();
            let comes_back = self.unfinished().is_some();
            self.dialog = Some(Dialog::Running { runs: all - over, next, comes_back });
            return;
        }
        self.perform(next, ctx);
    }

    /// Performs the action after all questions.
    pub(super) fn perform(&mut self, next: Next, ctx: &egui::Context) {
        match next {
            Next::New(template) => self.take_template(template),
            Next::ChooseFile => {
                let request = PathRequest {
                    purpose: Purpose::Open,
                    folder: self.folder(),
                    name: String::new(),
                    subject: String::new(),
                };
                self.ask(request, ctx);
            }
            Next::Open(path) => {
                self.open(&path);
            }
            Next::Quit => {
                self.closing = Closing::Allowed;
                self.keep_edits(ctx);
                ctx.send_viewport_cmd(ViewportCommand::Close);
            }
        }
    }

    /// Finishes exports, copies and view settings before the window closes.
    pub(super) fn finish(&mut self) {
        self.finish_exports();
        self.finish_copying();
        self.compare.set_folder(&self.results());
        self.keep_view(0.0, true);
    }

    fn take_template(&mut self, position: usize) {
        let all = templates::all();
        let Some(template) = all.get(position) else { return };
        match Document::untitled(template.name, template.text) {
            Ok(document) => {
                self.document = document;
                self.take_document();
            }
            Err(error) => self.fail("The template cannot be opened", &error.to_string()),
        }
    }

    /// Opens a file, or shows why it cannot be opened; returns whether it did.
    pub(super) fn open(&mut self, path: &Path) -> bool {
        let path = absolute(path);
        match Document::open(&path) {
            Ok(document) => {
                self.document = document;
                self.log.info(format!("Opened {}", path.display()));
                self.settings.recent.note(&path);
                self.take_document();
                true
            }
            Err(error) => {
                self.fail("The file cannot be opened", &error.to_string());
                false
            }
        }
    }

    /// Resets the window to the current document: loads its results, clears the selection.
    pub(super) fn take_document(&mut self) {
        self.document.refresh();
        (self.discarded, self.start_request) = (None, None);
        let results = self.results();
        let folder = results.display();
        let records = self.parts.worker.read(&results, self.document.runs());
        match self.runs.read(records, PATIENCE_FOR_RESULTS) {
            Some(count) => self.log_found(count),
            None => self.log.info(format!("Reading results in {folder}…")),
        }
        self.focus = None;
        self.keep_view(0.0, true);
        let options = self.plot.options.clone();
        self.plot = plot::PlotState::default();
        self.plot.options = options;
        self.views.show_trials(TrialFilter::default());
        self.load_view();
        self.take_treatments();
        self.begin_history();
        self.selection = if self.treatments.is_empty() { Selection::Experiment } else { Selection::Arm(0) };
        self.plan_cost();
        for problem in self.document.problems() {
            let path = self.document.path().unwrap_or(Path::new(""));
            if self.document.path().is_some() {
                self.log.info(file::describe(problem, path, self.document.text()));
            }
        }
    }

    /// Saves under the known path, or asks for one.
    pub(super) fn save_document(&mut self, ctx: &egui::Context) {
        let Some(path) = self.document.path().map(Path::to_owned) else { return self.ask_where_to_save(ctx) };
        if self.document.is_changed_elsewhere() {
            self.dialog = Some(Dialog::Changed(path));
            return;
        }
        if self.document.would_lose_comments(&path) {
            self.dialog = Some(Dialog::Comments(path));
            return;
        }
        self.save_to(&path, ctx);
    }

    pub(super) fn ask_where_to_save(&mut self, ctx: &egui::Context) {
        let name = self.document.suggested_file_name();
        let subject = String::new();
        self.ask(PathRequest { purpose: Purpose::Save, folder: self.folder(), name, subject }, ctx);
    }

    fn save_to(&mut self, path: &Path, ctx: &egui::Context) {
        let path = absolute(path);
        let had_file = self.document.path().is_some();
        let results = self.results();
        if let Err(error) = self.document.save(&path) {
            self.after_saving = None;
            return self.fail("The experiment was not saved", &error.to_string());
        }
        self.log.info(format!("Saved {}", path.display()));
        self.settings.recent.note(&path);
        let new_results = self.results();
        if new_results != results {
            if had_file {
                self.keep_results(&results, &new_results);
            } else {
                self.moving = Some((results, new_results));
                self.move_results(ctx);
            }
        }
        if let Some(next) = self.after_saving.take() {
            self.proceed_unless_running(next, ctx);
        }
    }

    /// Where file dialogs begin: beside the document, or among the user's documents.
    pub(super) fn folder(&self) -> PathBuf {
        let own = self.document.path().and_then(Path::parent).map(Path::to_owned);
        let users = || {
            let folders = directories::UserDirs::new()?;
            Some(folders.document_dir().unwrap_or_else(|| folders.home_dir()).to_owned())
        };
        own.or_else(users).unwrap_or_else(|| self.document.base())
    }

    /// Asks for a path.
    pub(super) fn ask(&mut self, request: PathRequest, ctx: &egui::Context) {
        let answer = (self.parts.picker)(&request, ctx);
        self.asked = Some(PendingPath { request, answer });
    }

    /// Takes the answer of the system's dialog, if there is one.
    pub(super) fn take_answer(&mut self, ctx: &egui::Context) {
        let Some(answer) = self.asked.as_ref().and_then(PendingPath::poll) else { return };
        let Some(asked) = self.asked.take() else { return };
        match answer {
            // The system's dialog has asked about a file that is there, but it did not know the extension.
            PathAnswer::Path(path) => {
                let purpose = asked.request.purpose;
                let named = with_extension(path.clone(), purpose);
                if named == path || !named.exists() {
                    self.take_path(purpose, named, ctx);
                } else {
                    self.dialog = Some(Dialog::Overwrite { path: named, purpose });
                }
            }
            PathAnswer::Cancelled => self.forget_next(),
            PathAnswer::Unavailable => self.dialog = Some(Dialog::path_field(asked.request)),
        }
    }

    fn take_path(&mut self, purpose: Purpose, path: PathBuf, ctx: &egui::Context) {
        match purpose {
            Purpose::Open => self.go_on(Next::Open(path), ctx),
            Purpose::Save => self.save_to(&path, ctx),
            Purpose::Export => self.export(&path, ctx),
        }
    }

    /// Draws the open dialog, and carries out the decision.
    pub(super) fn dialog_ui(&mut self, ctx: &egui::Context) {
        let Some(reply) = self.dialog.as_mut().and_then(|dialog| dialog_ui(ctx, dialog)) else { return };
        self.dialog = None;
        self.take_reply(reply, ctx);
    }

    fn take_reply(&mut self, reply: Reply, ctx: &egui::Context) {
        match reply {
            Reply::Close if std::mem::take(&mut self.start_page_pending) => self.choose_template(),
            Reply::Cancel | Reply::Close => self.forget_next(),
            Reply::Restore => self.restore(),
            Reply::DropEdits => self.give_up_leftover(),
            Reply::AskAgain => drop(self.leftovers.pop()), // they stay for the next start
            Reply::Import { path, arm } => self.import(&path, arm),
            Reply::Archive(runs) => self.archive(&runs),
            Reply::Resume(runs) => self.start_runs(runs),
            Reply::Proceed(next) => self.proceed(next, ctx),
            Reply::Save(next) => {
                self.after_saving = Some(next);
                self.save_document(ctx);
            }
            Reply::Discard(next) => {
                self.discarded = Some(self.document.experiment.clone());
                self.proceed_unless_running(next, ctx);
            }
            Reply::Stop(next) => {
                self.note_unfinished(false);
                self.stop_and(next, ctx);
            }
            Reply::StopAndResumeLater(next) => {
                self.note_unfinished(true);
                self.stop_and(next, ctx);
            }
            Reply::SaveTo(path) => self.save_to(&path, ctx),
            Reply::SaveAs => self.ask_where_to_save(ctx),
            Reply::Path(purpose, path) if purpose != Purpose::Open && path.exists() => {
                self.dialog = Some(Dialog::Overwrite { path, purpose });
            }
            Reply::Path(purpose, path) | Reply::Overwrite(purpose, path) => {
                self.take_path(purpose, path, ctx);
            }
        }
    }

    fn stop_and(&mut self, next: Next, ctx: &egui::Context) {
        if !self.runs.is_running() {
            return self.go_on(next, ctx);
        }
        self.runs.stop(StopKind::Now);
        if next == Next::Quit {
            self.closing = Closing::Waiting(Instant::now());
        } else {
            self.after_stopping = Some(next);
        }
    }

    /// Shows what went wrong, and logs it.
    pub(super) fn fail(&mut self, title: &str, text: &str) {
        self.log.error(format!("{title}: {text}"));
        self.dialog = Some(Dialog::Message { title: title.to_owned(), text: text.to_owned() });
    }
}
