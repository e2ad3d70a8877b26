//! Every command of the window in one table: menus, buttons, keys, the palette and the list of keys are made from it.
//!
//! An entry of [`commands!`] is all that there is to a command: its text, what it does in one sentence, its keys, when it
//! can be used, and how it is carried out. Its place in the table is its place in the menus.

use std::borrow::Cow;

use eframe::egui::{self, Key, KeyboardShortcut, Modifiers, ThemePreference, gui_zoom};

use super::App;
use super::runner::StartRequest;
use super::steps::Step;
use crate::compare::CompareResponse;
use crate::dialogs::{Dialog, Leaving, Next, Share};
use crate::history::History;
use crate::palette::{Choice, PaletteList};
use crate::plan::{self, Action};
use crate::plot::Wanted;
use crate::runs::{QueueAction, QueueCounts, QueueRequest, Sharing};
use crate::text;
use crate::tiles::LayoutChange;
use crate::tree::begin_rename;
use crate::views::TypedSharing;
use doc::Problem;
use results::RunState;
use results::tiles::Side;
use results::view::arm_key;
use run::StopKind;

/// A success, or the reason why a command cannot be used now.
type Enabled = Result<(), Cow<'static, str>>;

/// An entry of the table.
struct Definition {
    text: &'static str,
    tooltip: &'static str,
    run: fn(&mut App, &egui::Context),
    keys: &'static [KeyboardShortcut],
    enabled: fn(&App) -> Enabled,
    needs_document: bool,
    label: fn(&App) -> Option<String>,
    is_on: fn(&App) -> Option<bool>,
}

/// Begins an entry: what menus say, what it does in one sentence, and how.
const fn command(text: &'static str, tooltip: &'static str, run: fn(&mut App, &egui::Context)) -> Definition {
    Definition {
        text,
        tooltip,
        run,
        keys: &[],
        enabled: |_| Ok(()),
        needs_document: true,
        label: |_| None,
        is_on: |_| None,
    }
}

impl Definition {
    /// Gives it keys, the usual one first.
    const fn keys(mut self, keys: &'static [KeyboardShortcut]) -> Self {
        self.keys = keys;
        self
    }

    /// Restricts when it can be used.
    const fn when(mut self, enabled: fn(&App) -> Enabled) -> Self {
        self.enabled = enabled;
        self
    }

    /// Offers it on the start page too, where no document is shown.
    const fn anywhere(mut self) -> Self {
        self.needs_document = false;
        self
    }

    /// Lets menus say what it is about now.
    const fn label(mut self, label: fn(&App) -> Option<String>) -> Self {
        self.label = label;
        self
    }

    /// Ticks it while it is switched on.
    const fn switch(mut self, is_on: fn(&App) -> Option<bool>) -> Self {
        self.is_on = is_on;
        self
    }
}

/// Declares the menus, their groups, which lines separate, and the commands in them.
macro_rules! commands {
    ($($menu:ident { $([$($name:ident: $definition:expr;)*])* })*) => {
        /// A thing to do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // their texts and tooltips say what they do
        pub enum Command {
            $($($($name,)*)*)*
        }

        /// A menu of the bar.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // their names say what they are
        pub enum Menu {
            $($menu,)*
        }

        /// All definitions, in the order of [`Command`].
        static TABLE: &[Definition] = &[$($($($definition,)*)*)*];

        impl Menu {
            pub const ALL: [Self; [$(stringify!($menu)),*].len()] = [$(Self::$menu),*];

            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$menu => stringify!($menu),)*
                }
            }

            /// Returns its commands in groups, which lines separate.
            pub const fn groups(self) -> &'static [&'static [Command]] {
                match self {
                    $(Self::$menu => &[$(&[$(Command::$name,)*]),*],)*
                }
            }
        }
    };
}

const fn ctrl(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}

const fn shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key)
}

/// Returns Ctrl and Tab, also where Cmd is the usual key: there, Cmd and Tab belong to the desktop.
const fn tab(modifiers: Modifiers) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::CTRL.plus(modifiers), Key::Tab)
}

const fn plain(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

commands! {
    File {
        [
            New: command("New…", "Starts a new experiment, blank or from a template", |app, _| app.choose_template())
                .keys(&[ctrl(Key::N)]).anywhere();
            Open: command("Open…", "Opens an experiment file", |app, ctx| app.proceed(Leaving::to(Next::ChooseFile), ctx))
                .keys(&[ctrl(Key::O)]).anywhere();
            OpenRecent: command("Open recent…", "Lists recently opened files", |app, _| app.shell.open_list(PaletteList::Files))
                .keys(&[shift(Key::O)]).anywhere();
        ]
        [
            Save: command("Save", "Writes the experiment to its file", |app, ctx| app.save(None, ctx))
                .keys(&[ctrl(Key::S)]).when(|app| require(app.is_unsaved(), "There are no changes to save"));
            SaveAs: command("Save as…", "Writes the experiment to another file", |app, ctx| app.ask_where_to_save(None, ctx))
                .keys(&[shift(Key::S)]);
        ]
        [
            ExportFigure: command("Export figure…", "Writes the last-used plot or view as SVG, PDF, PNG or CSV",
                |app, ctx| app.take_figure(app.workspace.subject(), Wanted::File, ctx)).keys(&[ctrl(Key::E)]).when(has_figure);
            CopyFigure: command("Copy figure", "Copies the last-used figure as an image, at its export size",
                |app, ctx| app.take_figure(app.workspace.subject(), Wanted::Picture, ctx)).keys(&[shift(Key::E)]).when(has_figure);
            CopyValues: command("Copy values as CSV", "Copies the values of the last-used figure",
                |app, ctx| app.take_figure(app.workspace.subject(), Wanted::Values, ctx)).when(has_figure);
        ]
        [
            WriteReport: command("Write report…", "Writes one HTML file with methods, figures, tables and settings, to hand on",
                App::ask_where_to_report).when(has_results);
            ExportTensorBoard: command("Export for TensorBoard…", "Writes all results as event files into a folder",
                |app, ctx| app.ask_where_to_share(Share::TensorBoard, ctx)).when(has_results);
            ExportCrate: command("Export RO-Crate…", "Writes the experiment, its results and where they come from into one folder, for others",
                |app, ctx| app.ask_where_to_share(Share::Crate, ctx)).when(has_results);
        ]
        [
            CopyTable: command("Copy table of runs", "Copies the visible rows of the table of runs, for a spreadsheet",
                App::copy_table).when(has_arms);
            CopyMethods: command("Copy methods text", "Copies a paragraph for a paper's methods section, generated from the document",
                |app, ctx| app.answer(CompareResponse::CopyMethods, ctx));
            CopyResultsFolder: command("Copy path of results", "Copies the path of the results folder",
                App::copy_results_folder).keys(&[shift(Key::C)]);
        ]
        [
            DownloadData: command("Download data…", "Gets MNIST, Fashion-MNIST, CIFAR-10 or CIFAR-100 from its source",
                |app, _| app.open_download()).anywhere();
        ]
        [
            Quit: command("Quit", "Closes the window", |app, ctx| app.proceed(Leaving::to(Next::Quit), ctx))
                .keys(&[ctrl(Key::Q)]).anywhere();
        ]
    }
    Edit {
        [
            Undo: command("Undo", "Undoes the last edit to the experiment or to the way its results are shown", |app, _| app.step_history(History::undo))
                .keys(&[ctrl(Key::Z)]).label(|app| Some(format!("Undo: {}", app.editor.history.undoes()?)))
                .when(|app| require(app.editor.history.undoes().is_some(), "Nothing to undo"));
            Redo: command("Redo", "Redoes the last undone edit", |app, _| app.step_history(History::redo))
                .keys(&[shift(Key::Z), ctrl(Key::Y)]).label(|app| Some(format!("Redo: {}", app.editor.history.redoes()?)))
                .when(|app| require(app.editor.history.redoes().is_some(), "Nothing to redo"));
        ]
        [
            AddArm: command("Add arm", "Adds a copy of the selected arm, or of the last one, whose name can be typed at once", |app, ctx| {
                app.change_arms(Command::AddArm);
                app.rename_arm(ctx);
            }).keys(&[shift(Key::A), shift(Key::D)]);
            RenameArm: command("Rename arm", "Edits the name of the selected arm in the list", App::rename_arm)
                .keys(&[plain(Key::F2)]).when(has_arm);
            MoveArmUp: command("Move arm up", "Moves the selected arm up in the list", |app, _| app.change_arms(Command::MoveArmUp))
                .keys(&[shift(Key::ArrowUp)]).when(|app| {
                    has_arm(app)?;
                    require(app.workspace.selection.arm() != Some(0), "The selected arm is the first one")
                });
            MoveArmDown: command("Move arm down", "Moves the selected arm down in the list", |app, _| app.change_arms(Command::MoveArmDown))
                .keys(&[shift(Key::ArrowDown)]).when(|app| {
                    has_arm(app)?;
                    let next = app.workspace.selection.arm().map_or(0, |arm| arm + 1);
                    require(next < app.editor.document.experiment.arms.len(), "The selected arm is the last one")
                });
        ]
        [
            RemoveArm: command("Remove arm", "Removes the selected arm from the experiment; its results stay on disk",
                |app, _| app.change_arms(Command::RemoveArm)).keys(&[shift(Key::Delete)]).when(has_arm);
            ArchiveArm: command("Archive results of arm…", "Archives all results of the selected arm; nothing is deleted",
                |app, _| app.ask_to_archive()).keys(&[shift(Key::Backspace)]).when(|app| {
                    has_arm(app)?;
                    require(!app.runner.runs.is_running(), "Runs are in progress: stop them or wait until they finish")?;
                    let has_results = app.workspace.selection.arm().is_some_and(|arm| !app.results_of(arm).is_empty());
                    require(has_results, "The selected arm has no results")
                });
            StarArm: command("Star arm", "Stars or unstars the selected arm", |app, _| app.star(app.arm_star()))
                .keys(&[ctrl(Key::B)]).when(has_arm).switch(|app| Some(app.workspace.compare.is_starred(&app.arm_star()?)));
        ]
        [
            DuplicateStage: command("Duplicate stage", "Inserts a copy after the selected stage", |app, _| app.change_stage(Action::Duplicate))
                .when(|app| app.can_change_stage(Action::Duplicate));
            CopyStage: command("Copy stage", "Copies the selected stage as it stands in files", App::copy_stage)
                .when(|app| app.can_change_stage(Action::Duplicate));
            PasteStage: command("Paste stage", "Inserts copied stages after the selected one, or at the end of the selected arm",
                App::paste_stage).when(has_arm);
            ApplyStage: command("Apply stage to all arms", "Gives all other arms the selected stage: in the place of their stage of that kind, or added at the same place",
                |app, _| app.apply_stage()).when(|app| {
                    app.can_change_stage(Action::Duplicate)?;
                    require(app.editor.document.experiment.arms.len() > 1, "There is no other arm")
                });
            RepeatStage: command("Repeat stage", "Wraps the selected stage in a Repeat", |app, _| app.change_stage(Action::Repeat))
                .when(|app| app.can_change_stage(Action::Repeat));
            MoveStageUp: command("Move stage up", "Moves the selected stage up in its plan", |app, _| app.change_stage(Action::MoveUp))
                .when(|app| app.can_change_stage(Action::MoveUp));
            MoveStageDown: command("Move stage down", "Moves the selected stage down in its plan", |app, _| app.change_stage(Action::MoveDown))
                .when(|app| app.can_change_stage(Action::MoveDown));
            RemoveStage: command("Remove stage", "Removes the selected stage from the plan", |app, _| app.change_stage(Action::Remove))
                .when(|app| app.can_change_stage(Action::Remove));
        ]
        [
            StarRun: command("Star run", "Stars or unstars the selected run", |app, _| app.star(app.workspace.selection.run().cloned()))
                .keys(&[shift(Key::B)]).when(has_run)
                .switch(|app| Some(app.workspace.compare.is_starred(app.workspace.selection.run()?)));
            ArchiveRun: command("Archive run…", "Archives the selected run; nothing is deleted", App::ask_to_archive_run)
                .when(|app| {
                    has_run(app)?;
                    let run = app.workspace.selection.run();
                    unless(app.runner.runs.why_not_archive(run))
                });
            RestoreArchived: command("Restore all archived runs", "Brings back the results of all archived runs",
                App::restore_archived).when(|app| require(!app.workspace.compare.archived.is_empty(), "No run is archived"));
        ]
    }
    Run {
        [
            RunAll: command("Run all", "Runs every arm with every seed; finished runs are not repeated. While others go on, it adds new runs",
                |app, ctx| app.then(Step::Start(StartRequest::All), ctx)).keys(&[ctrl(Key::R)]).when(App::can_run_all).label(|app| {
                    let to_add = app.totals().to_add;
                    (app.runner.runs.is_running() && to_add > 0).then(|| format!("Add {}", text::counted(to_add, "run")))
                });
            RunSelected: command("Run selected", "Runs what is ticked in the table of runs, or the selected run, setting or arm",
                |app, ctx| app.queue_chosen(QueueAction::Run, ctx)).keys(&[shift(Key::R)])
                .label(|app| Some(format!("Run selected: {}", app.chosen_runs()?.0))).when(|app| {
                    can_start(app)?;
                    app.require_chosen(|counts| counts.startable, "They are done, archived, or in the queue already")
                });
            RetryFailed: command("Retry failed", "Runs what has failed once more, from its last checkpoint",
                |app, ctx| app.then(Step::Start(StartRequest::Failed), ctx)).when(|app| {
                    can_start(app)?;
                    require(app.totals().failed > 0, "No run has failed")
                });
            Pause: command("Pause", "Pauses all runs after their current mini-batch", |app, _| app.runner.runs.pause(true))
                .keys(&[ctrl(Key::P)]).anywhere().when(|app| {
                    can_stop(app)?;
                    require(!app.runner.runs.is_paused(), "The runs are already paused; press Resume to continue")
                });
            Resume: command("Resume", "Continues runs that were paused or stopped, or that failed", App::resume)
                .keys(&[ctrl(Key::G)]).anywhere().when(|app| {
                    if app.runner.runs.is_paused() {
                        return Ok(());
                    }
                    has_document(app)?;
                    can_start(app)?;
                    require(app.totals().resumable > 0, "No run is stopped or failed")
                });
        ]
        [
            StopSelected: command("Stop selected", "Stops the ticked or selected runs alone; those that wait do not start",
                |app, ctx| app.queue_chosen(QueueAction::Stop, ctx))
                .label(|app| Some(format!("Stop selected: {}", app.chosen_runs()?.0))).when(|app| {
                    can_stop_now(app)?;
                    app.require_chosen(|counts| counts.open, "None of them is running or waits")
                });
            StopAfterStage: command("Stop after this stage", "Lets every run finish its current stage, then stops",
                |app, _| app.runner.runs.stop(StopKind::AfterStage)).keys(&[shift(Key::Period)]).anywhere().when(can_stop);
            StopNow: command("Stop now", "Stops after the current mini-batch; Resume continues from there",
                |app, _| app.runner.runs.stop(StopKind::Now)).keys(&[ctrl(Key::Period)]).anywhere().when(can_stop_now);
        ]
        [
            Sharing: command("Runs side by side and threads…", "Shows the queue, where both can be changed at any time", |app, _| {
                app.workspace.tiles.change(LayoutChange::Show("queue"));
                app.workspace.views.store.of::<TypedSharing>().wants_focus = true;
            });
        ]
        [
            Notify: command("Notify at the end", "Shows a desktop notification when runs of a minute or longer end",
                |app, _| app.shell.settings.notify ^= true)
                .keys(&[shift(Key::N)]).anywhere().switch(|app| Some(app.shell.settings.notify));
            KeepAwake: command("Keep the computer awake", "Keeps the computer from sleeping while runs are in progress", |app, _| {
                app.shell.settings.keep_awake ^= true;
                app.shell.keep_awake(app.runner.runs.is_running());
            }).keys(&[shift(Key::K)]).anywhere().switch(|app| Some(app.shell.settings.keep_awake));
        ]
    }
    View {
        [
            ToggleTree: command("Arms and runs", "Shows or hides the list of arms and runs", |app, _| app.toggle_side(0))
                .keys(&[ctrl(Key::Num1)]).switch(|app| Some(app.sides()[0]));
            TogglePlan: command("Plan of the arm", "Shows or hides the plan of the selected arm", |app, _| app.shell.settings.shows_plan ^= true)
                .keys(&[ctrl(Key::Num2)]).switch(|app| Some(app.shell.settings.shows_plan));
            ToggleInspector: command("Inspector", "Shows or hides the settings of the selection", |app, _| app.toggle_side(1))
                .keys(&[ctrl(Key::Num3)]).switch(|app| Some(app.sides()[1]));
            ToggleLog: command("Log", "Shows or hides all messages since the window opened", |app, _| app.shell.settings.shows_log ^= true)
                .keys(&[ctrl(Key::Num4)]).switch(|app| Some(app.shell.settings.shows_log));
        ]
        [
            OpenMenu: command("Open menu", "Opens the first menu; the arrow keys go on from there", |app, ctx| {
                app.regions.opens_menu = true;
                ctx.request_repaint();
            })
                .keys(&[plain(Key::F10)]).anywhere();
            NextRegion: command("Next region", "Gives the keyboard to the next of bar, arms, plan, views and settings",
                |app, ctx| app.regions.step(ctx, 1)).keys(&[plain(Key::F6)]);
            PreviousRegion: command("Previous region", "Gives the keyboard to the one before of these regions",
                |app, ctx| app.regions.step(ctx, -1)).keys(&[KeyboardShortcut::new(Modifiers::SHIFT, Key::F6)]);
        ]
        [
            ThemeSystem: command("System theme", "Follows the system: light or dark", |app, ctx| app.take_theme(ThemePreference::System, ctx))
                .anywhere().switch(|app| Some(app.shell.settings.theme == ThemePreference::System));
            ThemeLight: command("Light theme", "Dark text on a light background", |app, ctx| app.take_theme(ThemePreference::Light, ctx))
                .anywhere().switch(|app| Some(app.shell.settings.theme == ThemePreference::Light));
            ThemeDark: command("Dark theme", "Light text on a dark background", |app, ctx| app.take_theme(ThemePreference::Dark, ctx))
                .anywhere().switch(|app| Some(app.shell.settings.theme == ThemePreference::Dark));
        ]
        [
            ZoomIn: command("Zoom in", "Makes everything larger", |_, ctx| gui_zoom::zoom_in(ctx))
                .keys(&[ctrl(Key::Plus), ctrl(Key::Equals)]).anywhere();
            ZoomOut: command("Zoom out", "Makes everything smaller", |_, ctx| gui_zoom::zoom_out(ctx)).keys(&[ctrl(Key::Minus)]).anywhere();
            ZoomReset: command("Normal size", "Resets the zoom", |_, ctx| ctx.set_zoom_factor(1.0)).keys(&[ctrl(Key::Num0)]).anywhere();
        ]
        [
            Filter: command("Filter runs", "Focuses the filter of the table of runs, which also filters the plots", |app, _| {
                app.workspace.tiles.change(LayoutChange::Show("runs"));
                app.workspace.compare.wants_filter = true;
            }).keys(&[ctrl(Key::F)]);
            FitFigure: command("Fit figure", "Zooms out to all data of the plot", |app, _| app.workspace.plot.fit(app.workspace.plot.plot()))
                .keys(&[shift(Key::F)]).when(|app| require(app.totals().has_points, "There are no curves yet: press Run"));
        ]
        [
            SplitRight: command("Split right", "Opens another view of the group on the right",
                |app, _| app.workspace.tiles.change(LayoutChange::Split(Side::Right))).keys(&[ctrl(Key::T)]).when(has_view);
            SplitDown: command("Split down", "Opens another view of the group below",
                |app, _| app.workspace.tiles.change(LayoutChange::Split(Side::Below))).keys(&[shift(Key::T)]).when(has_view);
            Maximize: command("Maximize view", "Shows only the last-used view, or all tiles again",
                |app, _| app.workspace.tiles.change(LayoutChange::Maximize)).keys(&[ctrl(Key::M)])
                .when(|app| require(app.workspace.tiles.layout().count() > 1, "There is only one tile; Split makes another"))
                .switch(|app| Some(app.workspace.tiles.layout()).filter(|layout| layout.count() > 1).map(|layout| layout.maximized));
        ]
        [
            NextView: command("Next view", "Shows the next view of the group in the last-used tile",
                |app, _| app.workspace.tiles.change(LayoutChange::Cycle(true)))
                .keys(&[tab(Modifiers::NONE), ctrl(Key::PageDown)]).when(has_view);
            PreviousView: command("Previous view", "Shows the previous view of the group in the last-used tile",
                |app, _| app.workspace.tiles.change(LayoutChange::Cycle(false)))
                .keys(&[tab(Modifiers::SHIFT), ctrl(Key::PageUp)]).when(has_view);
        ]
        [
            CloseView: command("Close view", "Closes the last-used view; reopen it from the View menu",
                |app, _| app.workspace.tiles.change(LayoutChange::CloseActive)).keys(&[ctrl(Key::W)]).when(has_view);
            ResetLayout: command("Reset layout", "Restores the default layout of the group",
                |app, _| app.workspace.tiles.change(LayoutChange::Reset)).keys(&[shift(Key::M)]);
        ]
    }
    Help {
        [
            Guide: command("User guide", "Explains the window, each kind of experiment, and every setting", |app, _| app.shell.guide.open(false))
                .keys(&[KeyboardShortcut::new(Modifiers::SHIFT, Key::F1)]).anywhere();
            Palette: command("Command palette…", "Finds a command by a few letters of its name", |app, _| app.shell.open_list(PaletteList::Commands))
                .keys(&[shift(Key::P)]).anywhere();
            Shortcuts: command("Keyboard shortcuts", "Lists the keys of all commands", |app, _| app.shell.dialog = Some(Dialog::Shortcuts))
                .keys(&[plain(Key::F1)]).anywhere();
            CopyLog: command("Copy log", "Copies all lines of the log", |app, ctx| ctx.copy_text(app.log.full_text()))
                .keys(&[shift(Key::L)]).anywhere();
        ]
        [
            Licences: command("Licences", "Lists what Weightlab contains, with licences and their texts", |app, _| app.shell.guide.open(true)).anywhere();
            About: command("About Weightlab", "Version and licence", |app, _| app.shell.dialog = Some(Dialog::About)).anywhere();
        ]
    }
}

fn require(holds: bool, otherwise: &'static str) -> Enabled {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}

/// Refuses for a reason, if there is one.
fn unless(why_not: Option<impl Into<Cow<'static, str>>>) -> Enabled {
    why_not.map_or(Ok(()), |why| Err(why.into()))
}

fn has_document(app: &App) -> Enabled {
    require(!app.shell.is_starting, "No experiment is open: choose one on this page")
}

fn has_results(app: &App) -> Enabled {
    require(app.totals().has_points, "There are no results yet: press Run")
}

fn has_figure(app: &App) -> Enabled {
    unless(app.workspace.why_no_figure(app.totals().has_points))
}

fn has_arms(app: &App) -> Enabled {
    require(!app.editor.document.experiment.arms.is_empty(), "There are no arms yet: add one on the left")
}

fn has_arm(app: &App) -> Enabled {
    require(app.workspace.selection.arm().is_some(), "Select an arm in the list on the left first")
}

fn has_run(app: &App) -> Enabled {
    require(app.workspace.selection.run().is_some(), "Select a run in the list on the left first")
}

fn has_view(app: &App) -> Enabled {
    require(app.workspace.tiles.layout().count() > 0, "No view is open: open one from the View menu")
}

fn has_no_error(app: &App) -> Enabled {
    let error = app.editor.document.first_error();
    let said = |error: &Problem| {
        if error.is_unset { error.to_string() } else { format!("The document has an error: {error}") }
    };
    unless(error.map(said))
}

fn can_start(app: &App) -> Enabled {
    let stops = app.runner.runs.is_running() && app.runner.runs.stopping().is_some();
    require(!stops, "The runs are stopping: start others once they have stopped")?;
    has_no_error(app)?;
    let is_looking = app.editor.document.is_looking();
    require(!is_looking, "The files that the runs read are being looked at: wait a moment")
}

fn is_running(app: &App) -> Enabled {
    if app.runner.runs.is_running() {
        return Ok(());
    }
    has_document(app)?;
    Err("Nothing is running".into())
}

fn can_stop(app: &App) -> Enabled {
    is_running(app)?;
    require(app.runner.runs.stopping().is_none(), "The runs are already stopping")
}

fn can_stop_now(app: &App) -> Enabled {
    is_running(app)?;
    require(app.runner.runs.stopping() != Some(StopKind::Now), "The runs are already stopping")
}

impl Command {
    fn definition(self) -> &'static Definition {
        &TABLE[self as usize]
    }

    pub fn text(self) -> &'static str {
        self.definition().text
    }

    pub fn tooltip(self) -> &'static str {
        self.definition().tooltip
    }

    pub fn shortcuts(self) -> &'static [KeyboardShortcut] {
        self.definition().keys
    }

    pub fn shortcut(self) -> Option<KeyboardShortcut> {
        self.shortcuts().first().copied()
    }
}

/// Returns all commands, in the order of the menus.
pub fn all() -> impl Iterator<Item = Command> {
    Menu::ALL.into_iter().flat_map(|menu| menu.groups().iter().copied().flatten().copied())
}

/// Returns all keys, with their commands.
pub fn keys() -> impl Iterator<Item = (Command, KeyboardShortcut)> {
    all().flat_map(|command| command.shortcuts().iter().map(move |key| (command, *key)))
}

/// Writes a key: with signs where egui has names for them.
pub fn key_text(ctx: &egui::Context, key: KeyboardShortcut) -> String {
    let signs = [("Period", "."), ("Equals", "="), ("Plus", "+"), ("Minus", "-")];
    signs.iter().fold(ctx.format_shortcut(&key), |text, (name, sign)| text.replace(name, sign))
}

/// Takes the commands whose keys were pressed; those that cannot be used now are taken too, and refused with a reason.
pub fn pressed(ctx: &egui::Context) -> Vec<Command> {
    let mut found: Vec<(Command, KeyboardShortcut)> =
        keys().filter(|(command, key)| !is_for_text(ctx, *command, *key)).collect();
    // Ctrl+Shift+S would also count as Ctrl+S.
    found.sort_by_key(|(_, shortcut)| !shortcut.modifiers.shift);
    ctx.input_mut(|input| {
        found
            .into_iter()
            .filter(|(_, shortcut)| input.consume_shortcut(shortcut))
            .map(|(command, _)| command)
            .collect()
    })
}

/// Returns true if a text field takes this key while somebody types. Undo and Redo are the window's where it undoes the
/// edits of the field.
fn is_for_text(ctx: &egui::Context, command: Command, shortcut: KeyboardShortcut) -> bool {
    use egui::Key as K;
    let edits = match shortcut.logical_key {
        K::Z | K::Y => matches!(command, Command::Undo | Command::Redo) && !crate::form::is_editing(ctx),
        K::Delete | K::Backspace | K::ArrowUp | K::ArrowDown | K::ArrowLeft | K::ArrowRight => true,
        K::W => !shortcut.modifiers.shift,
        _ => false,
    };
    edits && ctx.text_edit_focused()
}

/// A command as menus, buttons and the palette offer it now.
#[derive(Clone, Debug)]
pub struct CommandState {
    pub command: Command,
    /// What menus say now: what would be undone or run, too.
    pub label: String,
    /// Why it cannot be used now; nothing when it can.
    pub refusal: Option<Cow<'static, str>>,
    /// The state of what it switches; nothing for a command that switches nothing.
    pub is_on: Option<bool>,
}

impl CommandState {
    /// Returns the check mark of what is switched on, and the key.
    pub fn mark_and_key(&self, ctx: &egui::Context) -> String {
        let mark = (self.is_on == Some(true)).then(|| "✓".to_owned());
        let key = self.command.shortcut().map(|key| key_text(ctx, key));
        mark.into_iter().chain(key).collect::<Vec<_>>().join("   ")
    }

    /// Returns what it does, and why it cannot be done now if so.
    pub fn explanation(&self) -> String {
        let tooltip = self.command.tooltip();
        self.refusal.as_ref().map_or_else(|| tooltip.to_owned(), |why| format!("{tooltip}. {why}"))
    }
}

/// The numbers of the document's runs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RunTotals {
    /// Those that are neither done nor archived.
    left: usize,
    /// Of these, those that were neither started nor given up.
    to_add: usize,
    failed: usize,
    /// Those that were stopped or failed.
    resumable: usize,
    archived: usize,
    has_points: bool,
}

impl App {
    /// Returns the label, the refusal and the switch of a command.
    pub fn state_of(&self, command: Command) -> CommandState {
        let definition = command.definition();
        CommandState {
            command,
            label: (definition.label)(self).unwrap_or_else(|| definition.text.to_owned()),
            refusal: self.refusal(command),
            is_on: (definition.is_on)(self),
        }
    }

    /// Returns why a command cannot be used now; nothing when it can.
    pub fn refusal(&self, command: Command) -> Option<Cow<'static, str>> {
        let Definition { enabled, needs_document, .. } = command.definition();
        let document = if *needs_document { has_document(self) } else { Ok(()) };
        document.and_then(|()| enabled(self)).err()
    }

    pub(super) fn act(&mut self, command: Command, ctx: &egui::Context) {
        (command.definition().run)(self, ctx);
    }

    /// Carries out a choice from a menu or a list.
    pub(super) fn choose(&mut self, choice: Choice, ctx: &egui::Context) {
        match choice {
            Choice::Command(command) => self.execute(command, ctx),
            Choice::Show(view) => self.workspace.tiles.change(LayoutChange::Show(view)),
            Choice::AddStage(label) => {
                let selected = self.editor.add_stage_of(label, &self.workspace.selection);
                self.select(selected);
            }
            Choice::File(path) => self.proceed(Leaving::to(Next::Open(path)), ctx),
        }
    }

    /// Returns true if there is something to save.
    pub(super) fn is_unsaved(&self) -> bool {
        self.editor.document.is_unsaved() || self.editor.document.path().is_none()
    }

    fn can_run_all(&self) -> Enabled {
        can_start(self)?;
        let RunTotals { left, to_add, archived, .. } = self.totals();
        // Seeds that are typed and not entered yet may be more.
        let is_left = left > 0 || self.editor.document.drafts.is_pending();
        require(
            is_left || archived == 0,
            "All runs are done or archived: restore those, change a setting or add a seed",
        )?;
        require(is_left, "All runs are done: change a setting or add a seed to run more")?;
        require(to_add > 0, "All runs are in the queue: change a setting or add a seed to run more")
    }

    fn require_chosen(&self, count: fn(QueueCounts) -> usize, otherwise: &'static str) -> Enabled {
        let (_, runs) =
            self.chosen_runs().ok_or("Select an arm or a run on the left, or tick runs in the table")?;
        require(count(self.runner.runs.counts(runs)) > 0, otherwise)
    }

    /// Returns the runs that commands are about, by identity, with what they are called: what is ticked in the table while
    /// that is seen, else the selected run or those of the selected setting or arm.
    fn chosen_runs(&self) -> Option<(String, Vec<&String>)> {
        let (compare, selection) = (&self.workspace.compare, &self.workspace.selection);
        if self.workspace.tiles.layout().seen().contains(&"runs") {
            let ticked = compare.ticked_runs();
            if !ticked.is_empty() {
                let name = format!("{} ticked", text::counted(ticked.len(), "run"));
                return Some((name, ticked.into_iter().collect()));
            }
        }
        let document = &self.editor.document;
        if let Some(id) = selection.run() {
            let run = document.run(id)?;
            return Some((doc::named(&run.arm, run.seed), vec![&run.id]));
        }
        let arm = document.experiment.arms.get(selection.arm()?)?;
        let name = selection.setting().unwrap_or(&arm.name).clone();
        // Archived ones come back or run again only if they are chosen themselves.
        let known = &self.runner.runs;
        let covered = document.runs().iter().filter(|run| selection.covers_run(run));
        Some((name, covered.map(|run| &run.id).filter(|run| !known.is_archived(run)).collect()))
    }

    /// Returns the totals of the runs: with thousands of them, counted when something has changed and not in every frame.
    fn totals(&self) -> RunTotals {
        let revisions = [self.editor.document.revision(), self.runner.runs.revision()];
        if let Some((_, totals)) = self.totals.get().filter(|(of, _)| *of == revisions) {
            return totals;
        }
        let known = &self.runner.runs;
        let mut totals = RunTotals::default();
        for run in self.editor.document.runs() {
            totals.has_points |= known.shown(run).is_some_and(|record| !record.points().is_empty());
            totals.archived += usize::from(known.is_archived(&run.id));
            if !known.is_left(&run.id) {
                continue;
            }
            totals.left += 1;
            totals.to_add += usize::from(!known.is_open(&run.id) && !known.has_given_up(&run.id));
            totals.failed += usize::from(matches!(known.state(&run.id), RunState::Failed(_)));
            totals.resumable += usize::from(known.is_resumable(&run.id));
        }
        self.totals.set(Some((revisions, totals)));
        totals
    }

    fn change_arms(&mut self, command: Command) {
        let selected = self.editor.change_arms(command, &self.workspace.selection);
        self.select(selected);
    }

    fn rename_arm(&mut self, ctx: &egui::Context) {
        let arm = self.workspace.arm();
        if let Some(settings) = self.editor.document.experiment.arms.get(arm) {
            begin_rename(ctx, arm, &settings.name);
            if !self.sides()[0] {
                self.toggle_side(0);
            }
        }
    }

    fn star(&mut self, key: Option<String>) {
        if let Some(key) = key {
            self.workspace.compare.star(&key);
        }
    }

    /// Returns the key of the marks of the selected arm.
    fn arm_star(&self) -> Option<String> {
        let selection = &self.workspace.selection;
        let arm = selection.arm()?;
        let name = match (selection.run(), selection.setting()) {
            // An arm with a sweep has several names.
            (Some(id), _) => &self.editor.document.run(id)?.arm,
            (None, Some(name)) => name,
            (None, None) => &self.workspace.treatments.iter().find(|treatment| treatment.arm == arm)?.name,
        };
        Some(arm_key(name))
    }

    fn can_change_stage(&self, action: Action) -> Enabled {
        let selected = self.workspace.selection.stage();
        let arm = selected.and_then(|(arm, _)| self.editor.document.experiment.arms.get(arm));
        let plan = arm.map_or(&[][..], |arm| &arm.plan);
        unless(action.why_not(plan, selected.map(|(_, path)| path)))
    }

    fn copy_stage(&mut self, ctx: &egui::Context) {
        if let Some((arm, path)) = self.workspace.selection.stage()
            && let Some(arm) = self.editor.document.experiment.arms.get_mut(arm)
        {
            plan::copy(ctx, &mut arm.plan, path);
        }
    }

    /// Gives the selected stage to all arms, and says what became of it.
    fn apply_stage(&mut self) {
        if let Some(done) = self.editor.apply_to_all(&self.workspace.selection) {
            self.log.info(done);
        }
    }

    /// Asks for the contents of the clipboard, which come to the plan as a paste.
    fn paste_stage(&mut self, ctx: &egui::Context) {
        let [_, right] = self.sides();
        self.shell.settings.set_sides(self.workspace.tiles.group(), [true, right]);
        self.shell.settings.shows_plan = true;
        plan::follow_with_keyboard(ctx);
        ctx.send_viewport_cmd(egui::ViewportCommand::RequestPaste);
        ctx.request_repaint();
    }

    fn change_stage(&mut self, action: Action) {
        if let Some(selection) = self.editor.change_stage(action, &self.workspace.selection) {
            self.workspace.selection = selection;
        }
    }

    fn resume(&mut self, ctx: &egui::Context) {
        if self.runner.runs.is_paused() {
            self.runner.runs.pause(false);
        } else {
            self.then(Step::Start(StartRequest::Resumable), ctx);
        }
    }

    fn queue_chosen(&mut self, action: QueueAction, ctx: &egui::Context) {
        let chosen = self.chosen_runs().map(|(_, runs)| runs.into_iter().cloned().collect());
        if let Some(runs) = chosen {
            self.queue(&QueueRequest { action, runs }, ctx);
        }
    }

    /// Does something with runs in the queue; those that are not in it are added first where that is needed.
    pub(super) fn queue(&mut self, request: &QueueRequest, ctx: &egui::Context) {
        let runs = request.runs.clone();
        if request.action == QueueAction::Run {
            return self.then(Step::Start(StartRequest::These(runs)), ctx);
        }
        if request.action == QueueAction::Next && self.runner.runs.counts(&runs).startable > 0 {
            return self.then(Step::Start(StartRequest::Next(runs)), ctx);
        }
        self.runner.runs.carry_out(request);
    }

    /// Changes how runs share the machine, those that go on too.
    pub(super) fn set_sharing(&mut self, sharing: Sharing) {
        self.shell.settings.sharing = sharing;
        self.runner.runs.set_sharing(sharing);
        self.runner.plan_cost(&self.editor.document);
    }

    fn take_theme(&mut self, theme: ThemePreference, ctx: &egui::Context) {
        self.shell.settings.theme = theme;
        ctx.set_theme(theme);
    }

    fn copy_results_folder(&mut self, ctx: &egui::Context) {
        let folder = self.editor.results().display().to_string();
        self.log.info(format!("Copied: {folder}"));
        ctx.copy_text(folder);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_command_has_a_text_and_a_tooltip_of_its_own() {
        assert!(all().map(|command| command as usize).eq(0..TABLE.len()));
        let texts: BTreeSet<&str> = all().map(Command::text).collect();
        let tooltips: BTreeSet<&str> = all().map(Command::tooltip).collect();
        assert_eq!((texts.len(), tooltips.len()), (TABLE.len(), TABLE.len()));
    }

    #[test]
    fn no_two_commands_share_a_key() {
        let keys: Vec<KeyboardShortcut> = keys().map(|(_, key)| key).collect();
        for (position, key) in keys.iter().enumerate() {
            assert!(!keys[..position].contains(key), "{key:?}");
        }
    }

    #[test]
    fn every_key_means_its_command_alone() {
        for (command, key) in keys() {
            let ctx = egui::Context::default();
            let event = egui::Event::Key {
                key: key.logical_key,
                physical_key: None,
                pressed: true,
                repeat: false,
                modifiers: key.modifiers,
            };
            ctx.input_mut(|input| input.events.push(event));
            assert_eq!(pressed(&ctx), [command], "{key:?}");
        }
    }

    #[test]
    fn a_text_field_keeps_the_keys_that_edit_it() {
        let ctx = egui::Context::default();
        let mut text = String::new();
        let mut output = ctx.run_ui(egui::RawInput::default(), |ui| {
            ui.text_edit_singleline(&mut text).request_focus();
            let kept = keys().filter(|(command, key)| is_for_text(ui.ctx(), *command, *key));
            let kept: Vec<&str> = kept.map(|(command, _)| command.text()).collect();
            assert_eq!(
                kept,
                [
                    "Undo",
                    "Redo",
                    "Redo",
                    "Move arm up",
                    "Move arm down",
                    "Remove arm",
                    "Archive results of arm…",
                    "Close view"
                ]
            );
        });
        output.textures_delta.clear();
    }

    #[test]
    fn keys_are_written_as_they_are_engraved() {
        let key = |command: Command| key_text(&egui::Context::default(), command.shortcut().unwrap());
        assert!(key(Command::StopNow).ends_with('.') && key(Command::ZoomIn).ends_with('+'));
    }
}
