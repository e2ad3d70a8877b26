//! What is dropped on the window.

use std::path::{Path, PathBuf};

use eframe::egui;

use super::App;
use crate::data::Recognised;
use crate::doc::intervention::{Import, WeightFile};
use crate::doc::{Intervention, Stage};
use crate::form::path::Place;
use crate::gui::background::{BackgroundTask, TaskState};
use crate::gui::dialogs::{Dialog, Next};
use crate::gui::drop::{self, Dropped};
use crate::gui::selection::Selection;

impl App {
    /// Takes dropped paths: identifies them in a thread, then uses them.
    pub(super) fn take_dropped(&mut self, ctx: &egui::Context) {
        let paths: Vec<PathBuf> =
            ctx.input(|input| input.raw.dropped_files.iter().map(|file| file.path().to_owned()).collect());
        if !paths.is_empty() && self.takes_drops() {
            self.dialog = None;
            let work = move || paths.iter().map(|path| drop::identify(path)).collect();
            self.dropping = BackgroundTask::begin("dropped files", ctx, work);
        }
        match self.dropping.as_ref().map(BackgroundTask::take) {
            None | Some(TaskState::Running) => {}
            Some(TaskState::Done(found)) => {
                self.dropping = None;
                self.use_dropped(found, ctx);
            }
            Some(TaskState::Failed(_)) => self.dropping = None,
        }
    }

    /// While something is dragged over the window, says what dropping it would do.
    pub(super) fn drop_ui(&self, ctx: &egui::Context) {
        let held: Vec<Option<PathBuf>> =
            ctx.input(|input| input.raw.hovered_files.iter().map(|file| file.path.clone()).collect());
        if !held.is_empty() && self.takes_drops() {
            drop::overlay_ui(ctx, &drop::promise(&held, self.arm_of_plan()));
        }
    }

    /// Whether something may be dropped: not while a question is open. A dialog that only shows something closes then.
    fn takes_drops(&self) -> bool {
        use Dialog as D;
        matches!(self.dialog, None | Some(D::Templates(_) | D::Message { .. } | D::Shortcuts | D::About))
    }

    fn arm_of_plan(&self) -> &str {
        let arm = self.selection.arm().unwrap_or(self.plan_arm);
        self.document.experiment.arms.get(arm).map_or("the first arm", |arm| &arm.name)
    }

    fn use_dropped(&mut self, found: Vec<Dropped>, ctx: &egui::Context) {
        let mut others = Vec::new();
        let (mut experiment, mut weights) = (None, None);
        for dropped in found {
            match dropped {
                Dropped::Experiment(path) if experiment.is_none() => experiment = Some(path),
                Dropped::Experiment(path) => {
                    others.push(format!("{} was not opened: a window holds one experiment", path.display()));
                }
                Dropped::Weights(path) if weights.is_none() => weights = Some(path),
                Dropped::Weights(path) => {
                    others.push(format!("{}: drop one weight file at a time", path.display()));
                }
                Dropped::Data(found) => self.use_data(&found),
                Dropped::Other(what) => others.push(what),
            }
        }
        if !others.is_empty() {
            let use_of = "Drop an experiment (.ron), a weight file (.safetensors) or a dataset folder.";
            self.fail("Weightlab cannot use this", &format!("{}.\n{use_of}", others.join(".\n")));
        }
        match (experiment, weights) {
            (Some(path), _) => self.proceed(Next::Open(path), ctx),
            (None, Some(path)) => self.offer_import(&path),
            (None, None) => {}
        }
    }

    fn use_data(&mut self, found: &Recognised) {
        let dir = drop::as_written(&found.folder, &self.document.base());
        let data = drop::data_in(found, dir, &self.document.experiment.data);
        let (set, folder) = (data.file_set().unwrap_or_default(), found.folder.display());
        self.document.experiment.data = data;
        self.log.info(match found.others.as_slice() {
            [] => format!("The experiment now uses {set} in {folder}"),
            others => format!(
                "The experiment now uses {folder} as {set}. Its files may also be {}: if so, choose that under Data",
                others.join(" or ")
            ),
        });
        self.show_setting(Place::default().key("data"));
    }

    fn offer_import(&mut self, path: &Path) {
        let arm = self.selection.arm().unwrap_or(self.plan_arm);
        let Some(name) = self.document.experiment.arms.get(arm).map(|arm| arm.name.clone()) else {
            return self.fail(
                "The weights were not imported",
                "There is no arm to import them into. Add one first.",
            );
        };
        self.dialog = Some(Dialog::Import { path: path.to_owned(), arm, name });
    }

    /// Adds the stage that reads a weight file to a plan: after the selected stage, or first.
    pub(super) fn import(&mut self, path: &Path, arm: usize) {
        let file = drop::as_written(path, &self.document.base());
        let selected = self.selection.stage().filter(|(selected, _)| *selected == arm);
        let after = selected.and_then(|(_, path)| path.first()).map(|at| at + 1);
        let Some(plan) = self.document.experiment.arms.get_mut(arm).map(|arm| &mut arm.plan) else { return };
        let at = after.unwrap_or(0).min(plan.len());
        let import = Import(WeightFile { file, ..WeightFile::default() });
        plan.insert(at, Stage::Do(Intervention::Import(import)));
        self.select(Selection::Stage { arm, path: vec![at] });
        self.log.info(format!("Added a stage that imports {}", path.display()));
    }
}
