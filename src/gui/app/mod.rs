//! The app: what it knows, and what it does in every frame.

mod act;
mod comparing;
mod desktop;
mod dropped;
mod edits;
mod estimate;
mod exporting;
mod facts;
mod layout;
mod lists;
mod opening;
mod other_processes;
mod panels;
mod recover;
mod results;
mod resume;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eframe::egui::{self, ViewportCommand};

use super::background::BackgroundTask;
use super::commands::Command;
use super::compare::Compare;
use super::desktop::Desktop;
use super::dialogs::{Dialog, Next};
use super::document::Document;
use super::drop::Dropped;
use super::files::{PendingPath, Picker};
use super::history::History;
use super::log::Log;
use super::palette::Palette;
use super::plot::{PlotInput, PlotState};
use super::recent::Presence;
use super::recovery::{Leftover, Recovery};
use super::runs::{RunNews, Runs};
use super::selection::Selection;
use super::settings::{KEY, Settings};
use super::tiles::Tiling;
use super::treatments::Treatment;
use super::views::{DryRun, Views};
use super::watching::Watching;
use super::worker::Worker;
use super::{memory, text, theme};
use crate::doc::{Experiment, templates};
use crate::form::path::Place;
use crate::results::RunState;
use act::StartRequest;
use estimate::Estimate;
use exporting::{Exporting, Subject};
use results::Copying;

/// While data arrive, the window is redrawn this often.
const PACE: Duration = Duration::from_millis(100);

/// A frame after an edit waits this long for results of the runs that the edit has made.
const PATIENCE_FOR_MORE: Duration = Duration::from_millis(2);

/// The window closes this long after it was asked to, even if a run does not stop.
const PATIENCE: Duration = Duration::from_secs(10);

/// External services; tests replace them by scripts.
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
    history: History,
    runs: Runs,
    log: Log,
    settings: Settings,
    selection: Selection,
    /// The arm whose plan is shown: the one that was selected last.
    plan_arm: usize,
    /// The setting to scroll to after a click on its problem.
    focus: Option<Place>,
    treatments: Vec<Treatment>,
    /// What the runs that are left would take.
    estimate: Estimate,
    plot: PlotState,
    /// What the plots show, as long as nothing about it has changed.
    shown: Option<PlotInput>,
    exports: Vec<Exporting>,
    /// What to export once the path is known.
    pending_export: Option<Subject>,
    /// A view to show, requested while views are drawn.
    view_to_show: Option<&'static str>,
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
    /// Unsaved edits of crashed windows, the newest last.
    leftovers: Vec<Leftover>,
    /// Dropped paths that are being identified.
    dropping: Option<BackgroundTask<Vec<Dropped>>>,
    /// Runs to start once earlier results have been read.
    start_request: Option<StartRequest>,
    /// When the runs that go on were started.
    batch_began: Option<Instant>,
    asked: Option<PendingPath>,
    /// What comes after saving.
    after_saving: Option<Next>,
    /// The edits that the user agreed to lose; the window asks again about later ones.
    discarded: Option<Experiment>,
    /// Whether to reread the records when the runs end, because the document has another folder now.
    reloads: bool,
    /// What comes when the runs have stopped.
    after_stopping: Option<Next>,
    /// Results that move to a new place as soon as nothing writes there.
    moving: Option<(PathBuf, PathBuf)>,
    /// Results that are being copied to another disk.
    copying: Option<Copying>,
    closing: Closing,
    title: String,
    edges: layout::Edges,
    /// Looks for results of other processes.
    watching: Option<Watching>,
    /// Whether watching could not start.
    watch_failed: bool,
    /// What is watched: the folder of results, the revision of the document, and how many runs go on here.
    watched: Option<(PathBuf, u64, usize)>,
    /// Whether the templates follow the message that the first file cannot be opened.
    start_page_pending: bool,
}

/// How far the window is with closing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Closing {
    Open,
    /// Waits for runs to stop.
    Waiting(Instant),
    /// Nothing left to ask.
    Allowed,
}

impl App {
    /// A window on a file; without one, or when it cannot be opened, on the default document.
    ///
    /// # Panics
    /// Never: a test opens every template.
    pub fn new(parts: Parts, settings: Settings, file: Option<&Path>) -> Self {
        let template = &templates::all()[0];
        let document = Document::untitled(template.name, template.text).expect("a test opens every template");
        let mut app = Self {
            parts,
            document,
            history: History::default(),
            runs: Runs::default(),
            log: Log::default(),
            settings,
            selection: Selection::default(),
            plan_arm: 0,
            focus: None,
            treatments: Vec::new(),
            estimate: Estimate::default(),
            plot: PlotState::default(),
            shown: None,
            exports: Vec::new(),
            pending_export: None,
            view_to_show: None,
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
            start_request: None,
            batch_began: None,
            asked: None,
            after_saving: None,
            discarded: None,
            reloads: false,
            after_stopping: None,
            moving: None,
            copying: None,
            closing: Closing::Open,
            title: String::new(),
            edges: layout::Edges::default(),
            watching: None,
            watch_failed: false,
            watched: None,
            start_page_pending: false,
        };
        app.begin_recovery();
        if !app.open_first(file) {
            app.take_document();
            app.start_page_pending = file.is_some();
        }
        app
    }

    /// Whether the window is empty: no file, no edits, no question.
    pub fn is_blank(&self) -> bool {
        self.document.path().is_none()
            && !self.document.is_unsaved()
            && self.dialog.is_none()
            && self.leftovers.is_empty()
    }

    /// The folder of the document's results.
    fn results(&self) -> PathBuf {
        self.document.results(&self.parts.untitled)
    }

    /// Takes in messages of runs.
    fn drain(&mut self, ctx: &egui::Context) {
        if self.runs.is_running() {
            self.shown = None; // records that nobody shares grow in place
        }
        for news in self.runs.drain() {
            self.take_news(news, ctx);
        }
        self.watch_others(ctx);
        self.take_copied(ctx);
        self.start_queued();
        if self.is_reading() || (self.runs.is_running() && !self.runs.is_paused()) {
            ctx.request_repaint_after(PACE);
        }
    }

    fn take_news(&mut self, news: RunNews, ctx: &egui::Context) {
        match news {
            RunNews::State { run, state } => {
                let name = self.name_of(&run);
                let sign = text::sign(&state);
                match &state {
                    RunState::Failed(why) => self.log.error(format!("{sign} {name} failed: {why}")),
                    _ => self.log.info(format!("{sign} {name}: {}", state.word())),
                }
            }
            RunNews::Report { run, summary } => {
                let name = self.name_of(&run);
                self.log.info(format!("{name}: {summary}"));
            }
            RunNews::Elsewhere { run, owner } => {
                let name = self.name_of(&run);
                self.log.info(format!("{name}: already running in another process ({owner}); skipped"));
            }
            RunNews::Read(count) => self.log_found(count),
            RunNews::ReadMore => self.plan_cost(),
            RunNews::Outdated { all, shown } => self.log_outdated(all, shown),
            RunNews::Over => {
                self.log.info(self.end_summary());
                self.on_end();
                self.plan_cost();
                self.move_results(ctx);
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
        match (known, self.runs.name(run)) {
            (Some(run), _) => format!("{}, seed {}", run.arm, run.seed),
            (None, Some(name)) => format!("{name} (earlier settings)"),
            (None, None) => format!("run {run}"),
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
        let is_free = !self.document.is_unsaved() && !self.runs.is_running() && self.copying.is_none();
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
        for command in super::menu::pressed(ctx) {
            self.execute(command, ctx);
        }
    }

    /// Does what a command says, or logs why it cannot be done now.
    pub fn execute(&mut self, command: Command, ctx: &egui::Context) {
        match command.refusal(&self.command_context()) {
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
        self.log_desktop_failures();
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

    fn on_exit(&mut self, _gl: Option<&eframe::glow::Context>) {
        self.finish();
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        visuals.panel_fill.to_normalized_gamma_f32()
    }
}

/// Applies the app's theme and the user's settings.
pub fn prepare(ctx: &egui::Context, settings: &Settings) {
    memory::keep_freed();
    theme::install(ctx);
    ctx.set_theme(settings.theme);
}
