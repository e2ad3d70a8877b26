//! The app: a conductor of four owners. Messages come in, commands and replies go to those who carry them out.
//!
//! - [`Editor`]: the open document, its history and its backup.
//! - [`Runner`]: the runs, their worker, what they would take.
//! - [`Workspace`]: plots and views in tiles, the table of runs, the selection.
//! - [`Shell`]: preferences, dialogs, lists, the desktop.
//!
//! What has to wait for something is a [`Step`].

mod browsing;
mod chrome;
pub mod commands;
mod dropped;
mod editor;
mod export;
mod leaving;
mod news;
mod replies;
mod runner;
mod shell;
mod steps;
#[cfg(test)]
mod tests;
mod trash;
mod workspace;

use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Duration;

use eframe::egui;

use super::desktop::Desktop;
use super::dialogs::Dialog;
use super::files::Picker;
use super::form;
use super::history::{EditState, History, UndoTask};
use super::inspector::edited_layer;
use super::log::{Clock, Log};
use super::selection::Selection;
use super::settings::{KEY, Settings};
use super::theme;
use super::views::TypedSharing;
use super::widgets::Tone;
use super::worker::Worker;
use commands::{Command, RunTotals};
use editor::Editor;
use runner::Runner;
use shell::Shell;
use steps::Step;
use workspace::Workspace;

/// While data arrive, the window is redrawn this often.
const PACE: Duration = Duration::from_millis(100);

/// While a field of an experiment with more runs than this is edited, results wait for a pause: following takes
/// several frames.
const MANY_RUNS: usize = 300;

const PAUSE_WHILE_EDITING: f64 = 0.2;

/// Without a pause, results follow after this time, in seconds.
const LONGEST_WAIT: f64 = 1.0;

/// Edits of a field that results do not follow yet.
#[derive(Clone, Copy, Debug)]
struct WaitingEdits {
    field: egui::Id,
    /// The times of the first and the last of them, in seconds.
    first: f64,
    last: f64,
}

/// External services; tests replace them by scripts.
pub struct Parts {
    pub worker: Box<dyn Worker>,
    pub picker: Picker,
    pub desktop: Box<dyn Desktop>,
    /// The folder of untitled experiments.
    pub untitled: PathBuf,
    /// The app's own folder, where edits are kept against a crash; without one, they are not.
    pub home: Option<PathBuf>,
    pub clock: Clock,
}

/// The whole state of the window.
pub struct App {
    editor: Editor,
    runner: Runner,
    workspace: Workspace,
    shell: Shell,
    log: Log,
    /// Steps that wait for something, oldest first.
    steps: VecDeque<Step>,
    edges: chrome::Edges,
    regions: chrome::Regions,
    waiting_edits: Option<WaitingEdits>,
    /// Outdated results are to be looked for, once it is known what runs read.
    seeks_outdated: bool,
    /// Numbers of the runs, and the revisions of the document and of the records that they are of.
    totals: Cell<Option<([u64; 2], RunTotals)>>,
}

impl App {
    /// Creates a window on a file; without one, or when it cannot be opened, on the default document.
    pub fn new(parts: Parts, mut settings: Settings, file: Option<&Path>) -> Self {
        let Parts { worker, picker, desktop, untitled, home, clock } = parts;
        let mut log = Log::new(clock);
        // Version 0.1 had them in its own folder.
        let folders = std::iter::once(untitled.clone()).chain(home.iter().map(|home| home.join("untitled")));
        let folders: BTreeSet<PathBuf> = folders.collect();
        let mut app = Self {
            editor: Editor::new(untitled, home.as_deref(), &mut settings.unfinished, &mut log),
            runner: Runner::new(worker),
            workspace: Workspace::default(),
            shell: Shell::new(picker, desktop, settings),
            log,
            steps: VecDeque::new(),
            edges: chrome::Edges::default(),
            regions: chrome::Regions::default(),
            waiting_edits: None,
            seeks_outdated: false,
            totals: Cell::default(),
        };
        app.runner.runs.sharing = app.shell.settings.sharing;
        app.shell.recent_files.folders = folders.into_iter().collect();
        if !app.open_first(file) {
            app.reset();
            if file.is_some() {
                app.choose_template(); // behind the message that the file cannot be opened
            }
        }
        app
    }

    /// Returns true if nothing is open: no file, no edits, no stopped runs to go on with.
    pub fn is_blank(&self) -> bool {
        self.editor.document.path().is_none()
            && !self.editor.document.is_unsaved()
            && self.editor.resumes.is_none()
    }

    /// Shows the start page. A new window without a file begins with it.
    pub fn choose_template(&mut self) {
        self.shell.is_starting = true;
        self.shell.recent_files.reopen();
    }

    /// Returns true if results of earlier runs are still being read.
    pub const fn is_reading(&self) -> bool {
        self.runner.is_reading()
    }

    /// Returns true if the plot is out of date or its figure is being built.
    pub fn is_drawing(&self) -> bool {
        self.workspace.is_drawing(&self.runner.runs)
    }

    /// Does what a command says, or logs why it cannot be done now.
    pub fn execute(&mut self, command: Command, ctx: &egui::Context) {
        self.enter_typed();
        if let Some(reason) = self.refusal(command) {
            return self.log.refuse(Tone::Info, format!("{}: {reason}", command.text()));
        }
        self.act(command, ctx);
        if self.has_many_runs() {
            // The focus of a field must not hold up what a command has changed.
            self.follow_edits();
        }
    }

    /// Takes typed values that wait to be entered, and edits that wait to be looked at: what follows is about them too.
    fn enter_typed(&mut self) {
        self.editor.document.enter_typed();
        if self.waiting_edits.is_some() {
            self.follow_edits();
        }
        self.look_at_document();
        let mut sharing = self.runner.runs.sharing;
        self.workspace.views.store.of::<TypedSharing>().enter(&mut sharing);
        if sharing != self.runner.runs.sharing {
            self.set_sharing(sharing);
        }
    }

    /// Carries out the commands of the pressed keys. The export dialog leaves Undo and Redo, which its settings have too.
    fn take_keys(&mut self, ctx: &egui::Context) {
        if self.shell.dialog.is_none() && self.shell.palette.is_none() && self.shell.download.is_none() {
            let is_exporting = self.shell.exporting.is_some();
            for command in commands::pressed(ctx) {
                if !is_exporting || matches!(command, Command::Undo | Command::Redo) {
                    self.execute(command, ctx);
                }
            }
        }
    }

    /// Follows what was edited, at once or after a pause.
    fn refresh(&mut self, ctx: &egui::Context) {
        self.look_at_inputs(ctx);
        self.editor.document.check_files(ctx);
        let field = form::edited(ctx).or_else(|| ctx.dragged_id()).or_else(|| ctx.drag_stopped_id());
        let now = ctx.input(|input| input.time);
        if self.waiting_edits.is_some_and(|waiting| Some(waiting.field) != field) {
            self.follow_edits(); // as edits of the field that was left
        }
        self.editor.history.at(field, now);
        if let Some(wait) = field.and_then(|field| self.wait_for_pause(field, ctx)) {
            ctx.request_repaint_after(wait);
        } else {
            self.follow_edits();
            self.seek_outdated(ctx);
            if !self.runner.is_reading() {
                self.runner.measure(&self.editor.document, ctx);
            }
        }
        self.back_up(ctx);
    }

    fn has_many_runs(&self) -> bool {
        self.editor.document.runs().len() > MANY_RUNS
    }

    /// Returns how long the edits of a field still wait before results follow them.
    fn wait_for_pause(&mut self, field: egui::Id, ctx: &egui::Context) -> Option<Duration> {
        if !self.has_many_runs() || !self.editor.document.has_changed() {
            return None;
        }
        let (now, is_busy) = ctx.input(|input| (input.time, !input.events.is_empty()));
        let waiting = self.waiting_edits.get_or_insert(WaitingEdits { field, first: now, last: now });
        if is_busy {
            waiting.last = now;
        }
        let left = (waiting.last + PAUSE_WHILE_EDITING).min(waiting.first + LONGEST_WAIT) - now;
        (left > 0.0).then(|| Duration::from_secs_f64(left))
    }

    /// Looks at the document again if it was edited, and notes what can be undone.
    fn follow_edits(&mut self) {
        self.waiting_edits = None;
        self.look_at_document();
        self.editor.note_edits(self.workspace.shown());
    }

    /// Looks at the document again if it has changed. Returns true if it had.
    fn look_at_document(&mut self) -> bool {
        if !self.editor.document.has_changed() {
            return false;
        }
        self.runner.runs.remember(self.editor.document.runs());
        let before = (!self.steps.is_empty()).then(|| self.editor.document.runs().to_vec());
        self.editor.document.refresh();
        self.take_known_folder();
        if let Some(before) = before {
            self.rename_waiting(&before);
        }
        if self.editor.document.first_error().is_none() {
            self.log.settle();
        }
        self.runner.read_more(&self.editor.results(), self.editor.document.runs());
        self.take_treatments();
        self.runner.plan_cost(&self.editor.document);
        true
    }

    /// Takes what was found in the inputs of runs, and looks at those that are new or have changed.
    fn look_at_inputs(&mut self, ctx: &egui::Context) {
        let results = self.editor.results();
        for line in self.editor.document.look_at_inputs(&results, ctx) {
            self.log.note(line);
        }
    }

    fn take_treatments(&mut self) {
        self.runner.runs.list(self.editor.document.runs());
        self.workspace.take_treatments(&self.editor.document);
    }

    fn update_workspace(&mut self, ctx: &egui::Context) {
        if self.workspace.compare.set_folder(&self.editor.results()) {
            self.take_archived();
            self.runner.plan_cost(&self.editor.document);
        }
        self.workspace.update(&self.runner.runs, &mut self.log, ctx);
    }

    /// Keeps edits that are not saved against a crash, and which runs are in progress.
    fn back_up(&mut self, ctx: &egui::Context) {
        let Some(mut recovery) = self.editor.recovery.take() else { return };
        if let Some(error) = recovery.error() {
            self.log.error(format!("Unsaved edits could not be backed up: {error}"));
        }
        let (document, runs) = (&self.editor.document, self.runner.runs.open().count() as u64);
        let would_lose = document.would_lose();
        if (would_lose || runs > 0) && !self.shell.may_close {
            let state = [document.revision(), runs, would_lose.into()];
            if let Some(wait) = recovery.keep(state, || self.unfinished()) {
                ctx.request_repaint_after(wait);
            }
        } else {
            recovery.forget();
        }
        recovery.work(ctx);
        self.editor.recovery = Some(recovery);
    }

    /// Undoes or redoes an edit.
    fn step_history(&mut self, step: fn(&mut History) -> Option<UndoTask>) {
        self.editor.note_edits(self.workspace.shown());
        match step(&mut self.editor.history) {
            None => {}
            Some(UndoTask::Take(state)) => self.take_state(state),
            Some(UndoTask::Archive(runs)) => drop(self.move_to_trash(&runs)),
            Some(UndoTask::Restore(runs)) => drop(self.move_from_trash(&runs)),
        }
    }

    fn take_state(&mut self, state: EditState) {
        let layer = edited_layer(&self.editor.document.experiment, &state.experiment);
        if let Some(selection) = self.editor.take_experiment(&state.experiment, &self.workspace.selection) {
            self.workspace.selection = selection;
        }
        if let Some(layer) = layer {
            self.workspace.open_layer(layer);
        }
        self.workspace.take_shown(&state.view, state.tiles);
        self.editor.document.take_typed(&state.typed);
        if !self.look_at_document() {
            self.take_treatments();
        }
        self.editor.adopt_edits(self.workspace.shown()); // arms that were not there have got their colours
    }

    /// Selects something and shows its settings.
    fn select(&mut self, selection: Option<Selection>) {
        if let Some(selection) = selection {
            self.workspace.selection = selection;
            self.open_inspector();
        }
    }

    fn open_inspector(&mut self) {
        let [left, _] = self.sides();
        self.shell.settings.set_sides(self.workspace.tiles.chosen(), [left, true]);
    }

    /// Returns true if the panels at the left and at the right are open.
    fn sides(&self) -> [bool; 2] {
        self.shell.settings.sides(self.workspace.tiles.chosen())
    }

    fn toggle_side(&mut self, side: usize) {
        let mut sides = self.sides();
        sides[side] ^= true;
        self.shell.settings.set_sides(self.workspace.tiles.chosen(), sides);
    }

    fn fail(&mut self, title: &str, text: &str) {
        self.log.error(format!("{title}: {text}"));
        self.shell.dialog = Some(Dialog::Message { title: title.to_owned(), text: text.to_owned() });
    }
}

impl eframe::App for App {
    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        self.drain(ctx);
        self.take_answer(ctx);
        self.take_written(ctx);
        self.advance(ctx);
        self.refresh(ctx);
        self.ask_at_start(ctx);
        self.shell.log_failures(&mut self.log);
        self.watch_closing(ctx);
        let mark = if self.editor.document.is_unsaved() { "● " } else { "" };
        let title = if self.shell.is_starting {
            "Weightlab".to_owned()
        } else {
            format!("{mark}{} – Weightlab", self.editor.document.title())
        };
        self.shell.show_title(title, ctx);
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        let lines = self.log.count();
        self.take_keys(&ctx);
        let wanted = &self.editor.document.experiment.data;
        if let Some(found) = self.shell.take_dropped(wanted, &ctx) {
            self.use_dropped(found, &ctx);
        }
        self.layout_ui(ui);
        self.export_ui(&ctx);
        self.download_ui(&ctx);
        self.dialog_ui(&ctx);
        self.shell.guide.ui(&ctx);
        self.list_ui(&ctx);
        self.drop_ui(&ctx);
        self.note_copied(&ctx, lines);
        self.refresh(&ctx);
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, KEY, &self.shell.settings);
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
    keep_freed();
    theme::install(ctx);
    ctx.set_theme(settings.theme);
    // What was typed is entered before the click that ends it does something.
    let presses = egui::SurrenderFocusOn::Presses;
    ctx.options_mut(|options| options.input_options.surrender_focus_on = presses);
}

/// Makes the allocator keep the memory that a frame frees, for the next one. The triangles of many curves are some
/// megabytes; glibc gives free memory at the end of the heap back to the system as soon as it is twice as large as the
/// largest block that was mapped and freed, 128 KB at first (`mallopt(3)`), and every page of it costs a fault in the next
/// frame. Nothing is written to this block, so it costs nothing itself; elsewhere it has no effect.
fn keep_freed() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(8 << 20)));
}
