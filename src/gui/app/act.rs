//! What each command does.

use eframe::egui::{self, ThemePreference, gui_zoom};

use super::App;
use super::exporting::Export;
use crate::doc::{Arm, Run};
use crate::gui::commands::Command;
use crate::gui::compare::CompareResponse;
use crate::gui::dialogs::{Dialog, Next};
use crate::gui::palette::{Choice, PaletteList};
use crate::gui::plan::{self, Action};
use crate::gui::runs::jobs;
use crate::gui::selection::Selection;
use crate::gui::tiles::LayoutChange;
use crate::gui::tree::begin_rename;
use crate::gui::{menu, text};
use crate::results::tiles::Side;
use crate::results::view::arm_key;
use crate::run::StopKind;

/// The runs to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StartRequest {
    All,
    /// Those of the arm at this position.
    Arm(Option<usize>),
    /// Those that were stopped or failed.
    Resumable,
    /// These, by identity.
    These(Vec<String>),
}

impl App {
    /// Carries out a command that can be used now.
    pub(super) fn act(&mut self, command: Command, ctx: &egui::Context) {
        use Command as C;
        match command {
            C::New => self.choose_template(),
            C::Open => self.proceed(Next::ChooseFile, ctx),
            C::OpenRecent => self.open_list(PaletteList::Files),
            C::ClearRecent => self.settings.recent.clear(),
            C::Save => self.save_document(ctx),
            C::SaveAs => self.ask_where_to_save(ctx),
            C::ExportFigure => self.ask_where_to_export(self.subject(), ctx),
            C::CopyFigure => self.begin_export(Export::Picture, self.subject(), ctx),
            C::CopyValues => self.begin_export(Export::Values, self.subject(), ctx),
            C::CopyTable => self.answer(self.compare.copy('\t'), ctx),
            C::CopyMethods => self.answer(CompareResponse::CopyMethods, ctx),
            C::Quit => self.proceed(Next::Quit, ctx),
            C::Undo => self.undo(),
            C::Redo => self.redo(),
            C::AddArm | C::DuplicateArm | C::RemoveArm | C::MoveArmUp | C::MoveArmDown => {
                self.change_arms(command);
            }
            C::RenameArm => {
                let arm = self.selection.arm().filter(|arm| *arm < self.document.experiment.arms.len());
                if let Some(arm) = arm {
                    self.settings.panels_mut().tree = true;
                    begin_rename(ctx, arm, &self.document.experiment.arms[arm].name);
                }
            }
            C::ArchiveArm => self.ask_to_archive(),
            C::StarArm | C::StarRun => {
                if let Some(key) = self.star_key(command) {
                    self.compare.star(&key);
                }
            }
            C::ArchiveRun => {
                let run = self.selection.run().cloned();
                self.archive(run.as_slice());
            }
            C::MoveStageUp => self.change_stage(Action::MoveUp),
            C::MoveStageDown => self.change_stage(Action::MoveDown),
            C::DuplicateStage => self.change_stage(Action::Duplicate),
            C::RepeatStage => self.change_stage(Action::Repeat),
            C::RemoveStage => self.change_stage(Action::Remove),
            C::RunAll => self.start(StartRequest::All),
            C::RunArm => self.start(StartRequest::Arm(self.selection.arm())),
            C::Pause => self.runs.pause(true),
            C::Resume if self.runs.is_paused() => self.runs.pause(false),
            C::Resume => self.start(StartRequest::Resumable),
            C::StopAfterStage => self.runs.stop(StopKind::AfterStage),
            C::StopNow => self.runs.stop(StopKind::Now),
            C::Notify => self.settings.notify ^= true,
            C::KeepAwake => {
                self.settings.keep_awake ^= true;
                self.keep_awake_as_set();
            }
            C::ToggleTree => self.settings.panels_mut().tree ^= true,
            C::TogglePlan => self.settings.panels_mut().plan ^= true,
            C::ToggleProperties => self.settings.panels_mut().properties ^= true,
            C::ToggleLog => self.settings.panels_mut().log ^= true,
            C::ThemeSystem => self.take_theme(ThemePreference::System, ctx),
            C::ThemeLight => self.take_theme(ThemePreference::Light, ctx),
            C::ThemeDark => self.take_theme(ThemePreference::Dark, ctx),
            C::ZoomIn => gui_zoom::zoom_in(ctx),
            C::ZoomOut => gui_zoom::zoom_out(ctx),
            C::ZoomReset => ctx.set_zoom_factor(1.0),
            C::SplitRight => self.tiles.change(LayoutChange::Split(Side::Right)),
            C::SplitDown => self.tiles.change(LayoutChange::Split(Side::Below)),
            C::Maximise => self.tiles.change(LayoutChange::Maximise),
            C::CloseView => self.tiles.change(LayoutChange::CloseActive),
            C::CloseTile => self.tiles.change(LayoutChange::CloseTile),
            C::NextTab => self.tiles.change(LayoutChange::Cycle(true)),
            C::PreviousTab => self.tiles.change(LayoutChange::Cycle(false)),
            C::ResetLayout => self.tiles.change(LayoutChange::Reset),
            C::Filter => {
                self.tiles.change(LayoutChange::Show("runs"));
                self.compare.go_to_filter();
            }
            C::FitFigure => self.plot.fit(),
            C::CopyResultsFolder => self.copy_results_folder(ctx),
            C::CopyLog => ctx.copy_text(self.log.full_text()),
            C::Palette => self.open_list(PaletteList::Commands),
            C::Shortcuts => self.dialog = Some(Dialog::Shortcuts),
            C::About => self.dialog = Some(Dialog::About),
        }
    }

    /// The state of what a command switches; nothing for a command that switches nothing.
    pub(super) fn is_on(&self, command: Command) -> Option<bool> {
        match command {
            Command::Notify => Some(self.settings.notify),
            Command::KeepAwake => Some(self.settings.keep_awake),
            Command::ToggleTree => Some(self.settings.panels().tree),
            Command::TogglePlan => Some(self.settings.panels().plan),
            Command::ToggleProperties => Some(self.settings.panels().properties),
            Command::ToggleLog => Some(self.settings.panels().log),
            Command::ThemeSystem => Some(self.settings.theme == ThemePreference::System),
            Command::ThemeLight => Some(self.settings.theme == ThemePreference::Light),
            Command::ThemeDark => Some(self.settings.theme == ThemePreference::Dark),
            Command::StarArm | Command::StarRun => Some(self.compare.is_starred(&self.star_key(command)?)),
            Command::Maximise if self.tiles.layout().count() > 1 => Some(self.tiles.layout().maximised),
            _ => None,
        }
    }

    /// Whether a plot or view has a tab.
    pub(super) fn has_view(&self, name: &str) -> bool {
        self.tiles.layout().views().contains(&name)
    }

    /// Carries out a choice from a menu or a list.
    pub(super) fn choose(&mut self, choice: Choice, ctx: &egui::Context) {
        match choice {
            Choice::Command(command) => self.execute(command, ctx),
            Choice::Show(view) => self.tiles.change(LayoutChange::Show(view)),
            Choice::AddStage(label) => self.add_stage_of(label),
            Choice::File(path) => self.proceed(Next::Open(path), ctx),
        }
    }

    fn take_theme(&mut self, theme: ThemePreference, ctx: &egui::Context) {
        self.settings.theme = theme;
        ctx.set_theme(theme);
    }

    fn copy_results_folder(&mut self, ctx: &egui::Context) {
        let folder = self.results().display().to_string();
        self.log.info(format!("Copied: {folder}"));
        ctx.copy_text(folder);
    }

    /// Starts the requested runs that are not done. Which ones are done is known only once earlier results have been read
    /// and moved, so the start waits for that.
    fn start(&mut self, start_request: StartRequest) {
        if let Some(reason) = self.start_blocked_by() {
            self.log.info(format!("Runs will start once earlier results {reason}"));
            self.start_request = Some(start_request);
            return;
        }
        let is_wanted = |run: &&Run| match &start_request {
            StartRequest::All => true,
            StartRequest::Arm(arm) => Some(run.arm_index) == *arm,
            StartRequest::Resumable => self.runs.is_resumable(&run.id),
            StartRequest::These(runs) => runs.contains(&run.id),
        };
        let chosen: Vec<Run> = self.document.runs().iter().filter(is_wanted).cloned().collect();
        let folder = self.results();
        let jobs = jobs(&chosen, &self.runs, &folder, &self.document.base());
        if jobs.is_empty() {
            return self.log.info("Nothing to start: all of these runs are done");
        }
        self.log.info(format!(
            "Started {}; writing results to {}",
            text::counted(jobs.len(), "run"),
            folder.display()
        ));
        self.stop_measuring(); // it would slow the runs down, and they it
        self.runs.start(self.parts.worker.as_mut(), jobs);
        self.on_start();
    }

    /// What earlier results need before runs can start.
    fn start_blocked_by(&self) -> Option<&'static str> {
        if self.runs.is_reading() {
            Some("have been read")
        } else {
            self.copying.as_ref().map(|_| "have been moved")
        }
    }

    /// Starts the runs that waited for earlier results.
    pub(super) fn start_queued(&mut self) {
        if self.start_blocked_by().is_some() {
            return;
        }
        let Some(start_request) = self.start_request.take() else { return };
        match self.document.first_error() {
            None => self.start(start_request),
            Some(error) => self.log.error(format!("Nothing started: {error}")),
        }
    }

    /// What the bar at the top says.
    pub(super) fn status(&self) -> menu::Status {
        if !self.runs.is_running() {
            return self.estimate.status.clone();
        }
        let (over, all) = self.runs.batch_count();
        let left = match self.runs.stopping() {
            _ if self.runs.is_paused() => "paused".to_owned(),
            Some(StopKind::Now) => "stopping…".to_owned(),
            Some(StopKind::AfterStage) => "stopping after this stage…".to_owned(),
            None => match self.runs.secs_left() {
                Some(range) => format!("{} left", text::duration_range(range)),
                None => "estimating…".to_owned(),
            },
        };
        menu::Status {
            text: format!("{} of {} · {left}", text::grouped(over as u64), text::counted(all, "run")),
            detail: self.batch_summary(),
            share: Some(self.runs.batch_share() as f32),
        }
    }

    /// The key of the marks of the selected arm or run.
    fn star_key(&self, command: Command) -> Option<String> {
        if command == Command::StarRun {
            return self.selection.run().cloned();
        }
        let arm = self.selection.arm()?;
        let name = match self.selection.run() {
            // An arm with a sweep has several names.
            Some(id) => &self.document.runs().iter().find(|run| run.id == *id)?.arm,
            None => &self.treatments.iter().find(|treatment| treatment.arm == arm)?.name,
        };
        Some(arm_key(name))
    }

    fn change_stage(&mut self, action: Action) {
        let Some((index, path)) = self.selection.stage() else { return };
        let Some(arm) = self.document.experiment.arms.get_mut(index) else { return };
        self.selection = match plan::act(&mut arm.plan, path, action) {
            Some(path) => Selection::Stage { arm: index, path },
            None => Selection::Arm(index),
        };
    }

    fn add_stage_of(&mut self, label: &str) {
        let Some(index) = self.selection.arm() else { return };
        let Some(arm) = self.document.experiment.arms.get_mut(index) else { return };
        let selected = self.selection.stage().map(|(_, path)| path);
        if let Some(path) = plan::add(&mut arm.plan, selected, label) {
            self.select(Selection::Stage { arm: index, path });
        }
    }

    fn change_arms(&mut self, command: Command) {
        let arms = &mut self.document.experiment.arms;
        let selected = self.selection.arm().filter(|arm| *arm < arms.len());
        let arm = match (command, selected) {
            (Command::AddArm, _) => {
                // Without a plan: that of another arm would show the results of that arm.
                arms.push(Arm { name: free_name(arms, "new arm"), ..Arm::default() });
                arms.len() - 1
            }
            (Command::DuplicateArm, Some(arm)) => {
                let name = free_name(arms, &format!("{} copy", arms[arm].name));
                // At the end, so that the others keep their colours.
                arms.push(Arm { name, ..arms[arm].clone() });
                arms.len() - 1
            }
            (Command::RemoveArm, Some(arm)) => {
                arms.remove(arm);
                arm.min(arms.len().saturating_sub(1))
            }
            (Command::MoveArmUp, Some(arm)) if arm > 0 => {
                arms.swap(arm, arm - 1);
                arm - 1
            }
            (Command::MoveArmDown, Some(arm)) if arm + 1 < arms.len() => {
                arms.swap(arm, arm + 1);
                arm + 1
            }
            _ => return,
        };
        let is_empty = arms.is_empty();
        self.select(if is_empty { Selection::Experiment } else { Selection::Arm(arm) });
    }

    /// Selects something and shows its settings.
    pub(super) fn select(&mut self, selection: Selection) {
        self.selection = selection;
        self.settings.panels_mut().properties = true;
    }
}

fn free_name(arms: &[Arm], wanted: &str) -> String {
    let is_taken = |name: &str| arms.iter().any(|arm| arm.name == name);
    if !is_taken(wanted) {
        return wanted.to_owned();
    }
    (2..=arms.len() + 2)
        .map(|number| format!("{wanted} {number}"))
        .find(|name| !is_taken(name))
        .unwrap_or_default()
}
