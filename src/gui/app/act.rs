//! What each command does, and what is dropped on the window.

use std::path::Path;

use eframe::egui::{self, ThemePreference, gui_zoom};

use super::App;
use super::editor::of_data;
use super::runner::StartRequest;
use super::steps::Step;
use crate::commands::Command;
use crate::compare::CompareResponse;
use crate::dialogs::{Dialog, FittingWeights, Leaving, Next, OtherNetwork, Share};
use crate::drop::{self, Dropped, DroppedWeights};
use crate::palette::{Choice, PaletteList};
use crate::plan::Action;
use crate::runs::{QueueAction, QueueRequest, Sharing};
use crate::tiles::LayoutChange;
use crate::tree::begin_rename;
use crate::views::Wanted;
use data::Recognised;
use form::path::Place;
use results::tiles::Side;
use results::view::arm_key;
use run::StopKind;
use run::weight_files::{Fit, Naming, Scaling};

impl App {
    /// Carries out a command that can be used now.
    pub(super) fn act(&mut self, command: Command, ctx: &egui::Context) {
        use Command as C;
        match command {
            C::New => self.shell.choose_template(),
            C::Guide => self.shell.guide.open(),
            C::Open => self.proceed(Leaving::to(Next::ChooseFile), ctx),
            C::OpenRecent => self.shell.open_list(PaletteList::Files),
            C::ClearRecent => self.shell.settings.recent.clear(),
            C::Save => self.save(None, ctx),
            C::SaveAs => self.ask_where_to_save(None, ctx),
            C::ExportFigure => self.take_figure(self.workspace.subject(), Wanted::File, ctx),
            C::CopyFigure => self.take_figure(self.workspace.subject(), Wanted::Picture, ctx),
            C::CopyValues => self.take_figure(self.workspace.subject(), Wanted::Values, ctx),
            C::WriteReport => self.ask_where_to_report(ctx),
            C::ExportTensorBoard => self.ask_where_to_share(Share::TensorBoard, ctx),
            C::ExportCrate => self.ask_where_to_share(Share::Crate, ctx),
            C::CopyTable => self.copy_table(ctx),
            C::CopyMethods => self.answer(CompareResponse::CopyMethods, ctx),
            C::DownloadData => self.open_download(),
            C::Quit => self.proceed(Leaving::to(Next::Quit), ctx),
            C::Undo => self.undo(),
            C::Redo => self.redo(),
            C::AddArm | C::DuplicateArm | C::RemoveArm | C::MoveArmUp | C::MoveArmDown => {
                let selected = self.editor.change_arms(command, &self.workspace.selection);
                self.select(selected);
            }
            C::RenameArm => self.rename_arm(ctx),
            C::ArchiveArm => self.ask_to_archive(),
            C::StarArm | C::StarRun => self.star(command),
            C::ArchiveRun => self.ask_to_archive_run(ctx),
            C::RestoreArchived => self.restore_archived(ctx),
            C::MoveStageUp => self.change_stage(Action::MoveUp),
            C::MoveStageDown => self.change_stage(Action::MoveDown),
            C::DuplicateStage => self.change_stage(Action::Duplicate),
            C::RepeatStage => self.change_stage(Action::Repeat),
            C::RemoveStage => self.change_stage(Action::Remove),
            C::RunAll => self.then(Step::Start(StartRequest::All), ctx),
            C::RunSelected => self.queue_chosen(QueueAction::Run, ctx),
            C::StopSelected => self.queue_chosen(QueueAction::Stop, ctx),
            C::RunNext => self.queue_chosen(QueueAction::Next, ctx),
            C::QueueUp => self.queue_chosen(QueueAction::Up, ctx),
            C::QueueDown => self.queue_chosen(QueueAction::Down, ctx),
            C::RetryFailed => self.then(Step::Start(StartRequest::Failed), ctx),
            C::Sharing => self.show_sharing(),
            C::Pause => self.runner.runs.pause(true),
            C::Resume if self.runner.runs.is_paused() => self.runner.runs.pause(false),
            C::Resume => self.then(Step::Start(StartRequest::Resumable), ctx),
            C::StopAfterStage => self.runner.runs.stop(StopKind::AfterStage),
            C::StopNow => self.runner.runs.stop(StopKind::Now),
            C::Notify => self.shell.settings.notify ^= true,
            C::KeepAwake => {
                self.shell.settings.keep_awake ^= true;
                self.shell.keep_awake(self.runner.runs.is_running());
            }
            C::ToggleTree => self.toggle_side(0),
            C::TogglePlan => self.shell.settings.shows_plan ^= true,
            C::ToggleInspector => self.toggle_side(1),
            C::ToggleLog => self.shell.settings.shows_log ^= true,
            C::ThemeSystem => self.take_theme(ThemePreference::System, ctx),
            C::ThemeLight => self.take_theme(ThemePreference::Light, ctx),
            C::ThemeDark => self.take_theme(ThemePreference::Dark, ctx),
            C::ZoomIn => gui_zoom::zoom_in(ctx),
            C::ZoomOut => gui_zoom::zoom_out(ctx),
            C::ZoomReset => ctx.set_zoom_factor(1.0),
            C::SplitRight => self.workspace.tiles.change(LayoutChange::Split(Side::Right)),
            C::SplitDown => self.workspace.tiles.change(LayoutChange::Split(Side::Below)),
            C::Maximize => self.workspace.tiles.change(LayoutChange::Maximize),
            C::CloseView => self.workspace.tiles.change(LayoutChange::CloseActive),
            C::NextView => self.workspace.tiles.change(LayoutChange::Cycle(true)),
            C::PreviousView => self.workspace.tiles.change(LayoutChange::Cycle(false)),
            C::ResetLayout => self.workspace.tiles.change(LayoutChange::Reset),
            C::Filter => self.go_to_filter(),
            C::FitFigure => self.workspace.plot.fit(),
            C::CopyResultsFolder => self.copy_results_folder(ctx),
            C::CopyLog => ctx.copy_text(self.log.full_text()),
            C::Palette => self.shell.open_list(PaletteList::Commands),
            C::Shortcuts => self.shell.dialog = Some(Dialog::Shortcuts),
            C::Licences => self.shell.licences.open(),
            C::About => self.shell.dialog = Some(Dialog::About),
        }
    }

    fn go_to_filter(&mut self) {
        self.workspace.tiles.change(LayoutChange::Show("runs"));
        self.workspace.compare.go_to_filter();
    }

    fn show_sharing(&mut self) {
        self.workspace.tiles.change(LayoutChange::Show("queue"));
        self.workspace.views.choose_sharing();
    }

    fn queue_chosen(&mut self, action: QueueAction, ctx: &egui::Context) {
        let chosen = self.chosen_runs().map(|(_, runs)| runs.into_iter().cloned().collect());
        if let Some(runs) = chosen {
            self.queue(&QueueRequest { action, runs }, ctx);
        }
    }

    /// Does something with runs in the queue; those that are not in it are added first where that is needed.
    pub(super) fn queue(&mut self, request: &QueueRequest, ctx: &egui::Context) {
        if matches!(request.action, QueueAction::Run | QueueAction::Next) {
            let counts = self.runner.runs.counts(&request.runs);
            if counts.startable > 0 || request.action == QueueAction::Run {
                self.then(Step::Start(StartRequest::These(request.runs.clone())), ctx);
            }
        }
        if self.runner.runs.is_running() {
            self.runner.runs.carry_out(request);
            return;
        }
        if !matches!(request.action, QueueAction::Run | QueueAction::Stop)
            && let Err(why) = self.give_file(ctx)
        {
            return self.fail("The runs were not moved", &why);
        }
        let results = self.editor.results();
        if let Err(error) = self.runner.runs.rearrange(request, self.editor.document.runs(), &results) {
            self.log
                .error(format!("The order of the runs was not written to {} ({error})", results.display()));
        }
    }

    /// Changes how runs share the machine, those that go on too.
    pub(super) fn set_sharing(&mut self, sharing: Sharing) {
        self.shell.settings.sharing = sharing;
        self.runner.runs.set_sharing(sharing);
        self.runner.plan_cost(&self.editor.document);
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

    /// The state of what a command switches; nothing for a command that switches nothing.
    pub(super) fn is_on(&self, command: Command) -> Option<bool> {
        match command {
            Command::Notify => Some(self.shell.settings.notify),
            Command::KeepAwake => Some(self.shell.settings.keep_awake),
            Command::ToggleTree => Some(self.sides()[0]),
            Command::TogglePlan => Some(self.shell.settings.shows_plan),
            Command::ToggleInspector => Some(self.sides()[1]),
            Command::ToggleLog => Some(self.shell.settings.shows_log),
            Command::ThemeSystem => Some(self.shell.settings.theme == ThemePreference::System),
            Command::ThemeLight => Some(self.shell.settings.theme == ThemePreference::Light),
            Command::ThemeDark => Some(self.shell.settings.theme == ThemePreference::Dark),
            Command::StarArm | Command::StarRun => {
                Some(self.workspace.compare.is_starred(&self.star_key(command)?))
            }
            Command::Maximize if self.workspace.tiles.layout().count() > 1 => {
                Some(self.workspace.tiles.layout().maximized)
            }
            _ => None,
        }
    }

    fn change_stage(&mut self, action: Action) {
        if let Some(selection) = self.editor.change_stage(action, &self.workspace.selection) {
            self.workspace.selection = selection;
        }
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

    fn take_theme(&mut self, theme: ThemePreference, ctx: &egui::Context) {
        self.shell.settings.theme = theme;
        ctx.set_theme(theme);
    }

    fn copy_results_folder(&mut self, ctx: &egui::Context) {
        let folder = self.editor.results().display().to_string();
        self.log.info(format!("Copied: {folder}"));
        ctx.copy_text(folder);
    }

    /// Uses what was dropped on the window.
    pub(super) fn use_dropped(&mut self, found: Vec<Dropped>, ctx: &egui::Context) {
        let mut others = Vec::new();
        let (mut experiment, mut weights) = (None, None);
        for dropped in found {
            match dropped {
                Dropped::Experiment(path) if experiment.is_none() => experiment = Some(path),
                Dropped::Experiment(path) => {
                    others.push(format!("{} was not opened: a window holds one experiment", path.display()));
                }
                Dropped::Weights(found) if weights.is_none() => weights = Some(*found),
                Dropped::Weights(found) => {
                    others.push(format!("{}: drop one weight file at a time", found.path.display()));
                }
                Dropped::Data(found) => self.use_or_ask(found),
                Dropped::Chosen(path, found) => self.take_chosen(&path, found.as_ref()),
                Dropped::Other(what) => others.push(what),
            }
        }
        if !others.is_empty() {
            let use_of = format!(
                "Drop an experiment (.ron), a weight file ({}) or data (a folder, a table .csv or arrays .npz).",
                doc::file_names::weight_endings()
            );
            self.fail("Weightlab cannot use this", &format!("{}.\n{use_of}", others.join(".\n")));
        }
        match (experiment, weights) {
            (Some(path), _) => self.proceed(Leaving::to(Next::Open(path)), ctx),
            (None, Some(found)) => self.offer_import(found),
            (None, None) => {}
        }
    }

    /// Uses data of the experiment's dataset, and asks before they replace it by another one.
    fn use_or_ask(&mut self, found: Recognised) {
        let data = &self.editor.document.experiment.data;
        if drop::is_same(&found, data) {
            return self.use_data(&found);
        }
        let (of, present) = (Box::new(found), data.name().to_owned());
        self.shell.dialog = Some(Dialog::OtherData { found: of, present });
    }

    /// Uses the folder that was chosen for data that were not found, or says why it is of no use.
    fn take_chosen(&mut self, path: &Path, found: Option<&Recognised>) {
        let data = &self.editor.document.experiment.data;
        if let Some(found) = found.filter(|found| drop::is_same(found, data)) {
            return self.use_data(found);
        }
        let (title, text) = drop::why_not(path, found, data);
        self.ask_about_missing(title, text);
    }

    /// Makes a folder of data the data of the experiment.
    pub(super) fn use_data(&mut self, found: &Recognised) {
        self.editor.use_data(found, &mut self.log);
        self.show_setting(Place::default().key("data"));
    }

    /// Offers to import weights; where they do not fit the network of the arm exactly, the network that they are of.
    fn offer_import(&mut self, DroppedWeights { path, shapes, guess }: DroppedWeights) {
        let arm = self.workspace.arm();
        let document = &self.editor.document;
        let Some(name) = document.experiment.arms.get(arm).map(|arm| arm.name.clone()) else {
            let why = "There is no arm to import them into. Add one first.";
            return self.fail("The weights were not imported", why);
        };
        // While the document has an error, the runs are those of earlier settings.
        let runs = if document.is_behind() { &[] } else { document.runs() };
        let run = runs.iter().find(|run| run.arm_index == arm);
        let structure = run.and_then(|run| run.spec.structure().ok());
        let naming = structure.as_ref().map(|structure| Naming::new(structure, &shapes)).unwrap_or_default();
        let fit = structure.map(|structure| Fit::whole(&structure, &naming.apply(shapes.shapes.clone())));
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let (scaling, data) = (Scaling::new(&shapes), &document.experiment.data);
        self.shell.dialog = Some(match fit {
            Some(fit) if fit.is_exact() || fit.fits() && guess.is_err() => {
                let notes =
                    fit.unused(&file).into_iter().chain(naming.doubts).chain(scaling.note(&file, data));
                Dialog::Import(FittingWeights { path, arm, name, notes: notes.collect() })
            }
            fit => {
                let whose = self.editor.whose_network(arm);
                let notes = guess.as_ref().map_or_else(
                    |_| Vec::new(),
                    |guess| {
                        let taken = guess.data(data);
                        let note = scaling.note(&file, taken.as_ref().unwrap_or(data));
                        [of_data(&taken, data)].into_iter().chain(note).collect()
                    },
                );
                Dialog::OtherNetwork(OtherNetwork { path, arm, name, whose, fit, guess, notes })
            }
        });
    }

    fn star(&mut self, command: Command) {
        if let Some(key) = self.star_key(command) {
            self.workspace.compare.star(&key);
        }
    }

    /// The key of the marks of the selected arm or run.
    fn star_key(&self, command: Command) -> Option<String> {
        if command == Command::StarRun {
            return self.workspace.selection.run().cloned();
        }
        let arm = self.workspace.selection.arm()?;
        let selection = &self.workspace.selection;
        let name = match (selection.run(), selection.setting()) {
            // An arm with a sweep has several names.
            (Some(id), _) => &self.editor.document.runs().iter().find(|run| run.id == *id)?.arm,
            (None, Some(name)) => name,
            (None, None) => &self.workspace.treatments.iter().find(|treatment| treatment.arm == arm)?.name,
        };
        Some(arm_key(name))
    }
}
