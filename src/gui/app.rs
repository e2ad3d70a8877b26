//! The app: what it knows, and what it does in every frame.

mod act;
mod around;
mod comparing;
mod dropped;
mod exporting;
mod flow;
mod layout;
mod lists;
mod recover;
mod results;
mod room;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use eframe::egui::{self, ViewportCommand};

use super::commands::{Command, Facts};
use super::compare::Compare;
use super::desktop::Desktop;
use super::dialogs::{Dialog, Next};
use super::document::Document;
use super::drop::Dropped;
use super::files::{Asked, Picker};
use super::log::Log;
use super::menu;
use super::palette::Palette;
use super::plot::{PlotInput, PlotState};
use super::recent::Presence;
use super::recovery::{Leftover, Recovery};
use super::runs::{News, Runs};
use super::selection::Selection;
use super::settings::{KEY, Settings};
use super::tiles::Tiling;
use super::tree::Treatment;
use super::views::{DryRun, Views};
use super::worker::Worker;
use super::{form, text, theme};
use crate::doc::{Experiment, RunState, templates};
use crate::form::path::Place;
use crate::run::StopKind;
use act::Wanted;
use exporting::Exporting;

/// While data arrive, the window is drawn anew this often.
const PACE: Duration = Duration::from_millis(100);

/// A frame after an edit waits this long for results of the runs that the edit has made.
const PATIENCE_FOR_MORE: Duration = Duration::from_millis(2);

/// The window closes this long after it was asked to, even if a run does not stop.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the app needs from outside; tests hand in scripts.
pub struct Parts {
    /// What does the work.
    pub worker: Box<dyn Worker>,
    /// Who is asked for paths.
    pub picker: Picker,
    /// The desktop around the window.
    pub desktop: Box<dyn Desktop>,
    /// Folder for the results of documents without a file.
    pub untitled: PathBuf,
    /// The app's own folder, where edits are kept against a crash; without one, they are not.
    pub home: Option<PathBuf>,
}

/// The whole state of the window.
pub struct App {
    parts: Parts,
    document: Document,
    runs: Runs,
    log: Log,
    settings: Settings,
    selection: Selection,
    /// The arm whose plan is shown: the one that was selected last.
    plan_arm: usize,
    /// A setting to show, since somebody clicked on its problem.
    focus: Option<Place>,
    treatments: Vec<Treatment>,
    /// What the runs that are left would take.
    planned: menu::Status,
    plot: PlotState,
    /// What the plots show, as long as nothing about it has changed.
    shown: Option<PlotInput>,
    exports: Vec<Exporting>,
    compare: Compare,
    views: Views,
    /// Where plots and views are.
    tiles: Tiling,
    dry_run: DryRun,
    dialog: Option<Dialog>,
    /// The list that is open.
    palette: Option<Palette>,
    /// Which recent files are still there.
    presence: Presence,
    recovery: Option<Recovery>,
    /// What windows that crashed have left, the newest last.
    leftovers: Vec<Leftover>,
    /// What was dropped on the window and is being looked at.
    dropping: Option<Receiver<Vec<Dropped>>>,
    /// Runs that start as soon as earlier results are read.
    wanted: Option<Wanted>,
    /// When the runs that go on were started.
    batch_began: Option<Instant>,
    asked: Option<Asked>,
    /// What comes after saving.
    after_saving: Option<Next>,
    /// What the user agreed to lose: edits that come later are asked about again.
    discarded: Option<Experiment>,
    /// Whether the records are to be read anew when the runs are over, since the document has another folder by now.
    reloads: bool,
    /// What comes when the runs have stopped.
    after_stopping: Option<Next>,
    /// Results that move to a new place as soon as nothing writes there.
    moving: Option<(PathBuf, PathBuf)>,
    closing: Closing,
    title: String,
}

/// How far the window is with closing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Closing {
    Open,
    /// Waits for runs to stop.
    Waiting(Instant),
    /// Nothing stands in the way.
    Allowed,
}

impl App {
    /// A window on a file; without one, or when it cannot be opened, on the default document.
    ///
    /// # Panics
    /// Never: a test opens every template.
    #[must_use]
    pub fn new(parts: Parts, settings: Settings, file: Option<&Path>) -> Self {
        let template = &templates::all()[0];
        let document = Document::untitled(template.name, template.text).expect("a test opens every template");
        let mut app = Self {
            parts,
            document,
            runs: Runs::default(),
            log: Log::default(),
            settings,
            selection: Selection::default(),
            plan_arm: 0,
            focus: None,
            treatments: Vec::new(),
            planned: menu::Status::default(),
            plot: PlotState::default(),
            shown: None,
            exports: Vec::new(),
            compare: Compare::default(),
            views: Views::default(),
            tiles: Tiling::default(),
            dry_run: DryRun::default(),
            dialog: None,
            palette: None,
            presence: Presence::default(),
            recovery: None,
            leftovers: Vec::new(),
            dropping: None,
            wanted: None,
            batch_began: None,
            asked: None,
            after_saving: None,
            discarded: None,
            reloads: false,
            after_stopping: None,
            moving: None,
            closing: Closing::Open,
            title: String::new(),
        };
        let unfinished = app.settings.unfinished.take();
        if !file.or(unfinished.as_deref()).is_some_and(|path| app.open(path)) {
            app.take_document();
        }
        app.offer_to_go_on(unfinished.as_deref());
        app.begin_recovery();
        app
    }

    /// Whether nothing is open yet that somebody chose, and nothing is asked.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.document.path().is_none()
            && !self.document.is_unsaved()
            && self.dialog.is_none()
            && self.leftovers.is_empty()
    }

    /// What decides which commands can be used.
    fn facts(&self) -> Facts {
        let runs = self.document.runs();
        let arm = self.selection.arm();
        let left = |arm: Option<usize>| {
            let chosen = runs.iter().filter(|run| arm.is_none_or(|arm| run.arm_index == arm));
            chosen.filter(|run| self.runs.state(&run.id) != RunState::Done).count()
        };
        Facts {
            running: self.runs.is_running(),
            paused: self.runs.is_paused(),
            stopping: self.runs.stopping().is_some(),
            stopping_now: self.runs.stopping() == Some(StopKind::Now),
            error: self.document.first_error().map(ToString::to_string),
            left: left(None),
            left_of_arm: arm.map(|arm| left(Some(arm))),
            results_of_arm: arm.map_or(0, |arm| self.results_of(arm).len()),
            resumable: runs.iter().filter(|run| self.runs.is_resumable(&run.id)).count(),
            arm,
            arms: self.document.experiment.arms.len(),
            unsaved: self.document.is_unsaved() || self.document.path().is_none(),
            can_undo: self.document.history().can_undo(),
            can_redo: self.document.history().can_redo(),
            has_recent: !self.settings.recent.files().is_empty(),
            has_figure: runs
                .iter()
                .any(|run| self.runs.shown(run).is_some_and(|record| !record.points().is_empty())),
            tabs: self.tiles.layout().tabs(&self.tiles.layout().active),
            tiles: self.tiles.layout().count(),
            views: self.tiles.layout().views().len(),
        }
    }

    /// Takes in messages of runs.
    fn drain(&mut self, ctx: &egui::Context) {
        if self.runs.is_running() {
            self.shown = None; // records that nobody shares grow in place
        }
        for news in self.runs.drain() {
            self.tell(news, ctx);
        }
        self.start_what_waits();
        if self.runs.is_reading() || (self.runs.is_running() && !self.runs.is_paused()) {
            ctx.request_repaint_after(PACE);
        }
    }

    fn tell(&mut self, news: News, ctx: &egui::Context) {
        match news {
            News::State { run, state } => {
                let name = self.name_of(&run);
                let sign = text::sign(&state);
                match &state {
                    RunState::Failed(why) => self.log.error(format!("{sign} {name} failed: {why}")),
                    _ => self.log.info(format!("{sign} {name}: {}", state.word())),
                }
            }
            News::Report { run, summary } => {
                let name = self.name_of(&run);
                self.log.info(format!("{name}: {summary}"));
            }
            News::Read(count) => self.tell_read(count),
            News::ReadMore => self.plan_cost(),
            News::Over => {
                let (over, all) = self.runs.batch_count();
                self.log.info(format!("{over} of {} over", text::counted(all, "run")));
                self.note_end();
                self.plan_cost();
                self.move_results();
                if std::mem::take(&mut self.reloads) {
                    self.reload_records();
                }
                if let Some(next) = self.after_stopping.take() {
                    self.go_on(next, ctx);
                }
            }
        }
    }

    fn name_of(&self, run: &str) -> String {
        let known = self.document.runs().iter().find(|known| known.id == run);
        known.map_or_else(|| format!("run {run}"), |run| format!("{}, seed {}", run.arm, run.seed))
    }

    /// Looks at the document again if it was edited.
    fn refresh(&mut self, ctx: &egui::Context) {
        let typing = ctx.memory(egui::Memory::focused).filter(|_| form::is_editing(ctx));
        self.document.at(typing.or_else(|| ctx.dragged_id()));
        if self.document.has_changed() {
            self.runs.remember(self.document.runs());
            self.document.refresh();
            let results = self.document.results(&self.parts.untitled);
            let unknown: Vec<_> = self
                .document
                .runs()
                .iter()
                .filter(|run| self.runs.record(&run.id).is_none())
                .cloned()
                .collect();
            let records = self.parts.worker.read(&results, &unknown);
            self.runs.read_more(records, PATIENCE_FOR_MORE);
            self.take_treatments();
            self.selection.limit(self.document.experiment.arms.len());
            self.plan_cost();
        }
    }

    /// Answers a request to close the window.
    fn watch_closing(&mut self, ctx: &egui::Context) {
        if let Closing::Waiting(since) = self.closing
            && (!self.runs.is_running() || since.elapsed() > PATIENCE)
        {
            self.closing = Closing::Open;
            if self.is_unsaved_again() {
                self.proceed(Next::Quit, ctx);
            } else {
                self.perform(Next::Quit, ctx);
            }
        }
        let requested = ctx.input(|input| input.viewport().close_requested());
        let is_free = !self.document.is_unsaved() && !self.runs.is_running();
        if requested && !is_free && self.closing != Closing::Allowed {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            self.proceed(Next::Quit, ctx);
        }
    }

    /// Gives the window the name of the document.
    fn show_title(&mut self, ctx: &egui::Context) {
        let mark = if self.document.is_unsaved() { "● " } else { "" };
        let title = format!("{mark}{} – Weightlab", self.document.title());
        if title != self.title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    fn take_keys(&mut self, ctx: &egui::Context) {
        if self.dialog.is_some() || self.palette.is_some() {
            return;
        }
        for command in menu::pressed(ctx) {
            self.execute(command, ctx);
        }
    }

    /// Does what a command says, or logs why it cannot be done now.
    pub fn execute(&mut self, command: Command, ctx: &egui::Context) {
        match command.refusal(&self.facts()) {
            Some(reason) => self.log.info(format!("{}: {reason}", command.text())),
            None => self.act(command, ctx),
        }
    }
}

impl eframe::App for App {
    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        self.drain(ctx);
        self.take_answer(ctx);
        self.take_exports(ctx);
        self.refresh(ctx);
        self.keep_edits(ctx);
        self.ask_about_leftovers();
        self.watch_closing(ctx);
        self.show_title(ctx);
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.take_keys(&ctx);
        self.take_dropped(&ctx);
        self.layout_ui(ui);
        self.dialog_ui(&ctx);
        self.list_ui(&ctx);
        self.drop_ui(&ctx);
        self.refresh(&ctx);
        self.keep_edits(&ctx);
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, KEY, &self.settings);
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        visuals.panel_fill.to_normalized_gamma_f32()
    }
}

/// Gives a context the look of the app and the settings of the user.
pub fn prepare(ctx: &egui::Context, settings: &Settings) {
    theme::install(ctx);
    ctx.set_theme(egui::ThemePreference::from(settings.theme));
}
