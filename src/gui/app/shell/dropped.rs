//! What is dropped on the window.

use std::path::PathBuf;

use eframe::egui;

use super::Shell;
use crate::gui::background::{BackgroundTask, TaskState};
use crate::gui::drop::{self, Dropped};

impl Shell {
    /// Takes dropped paths: identifies them in a thread, and returns what they are once that is known.
    pub fn take_dropped(&mut self, ctx: &egui::Context) -> Option<Vec<Dropped>> {
        let paths: Vec<PathBuf> =
            ctx.input(|input| input.raw.dropped_files.iter().map(|file| file.path().to_owned()).collect());
        if !paths.is_empty() && self.takes_drops() {
            self.dialog = None;
            self.identify(paths, ctx);
        }
        let found = match self.dropping.as_ref()?.take() {
            TaskState::Running => return None,
            TaskState::Done(found) => Some(found),
            TaskState::Failed(_) => None,
        };
        self.dropping = None;
        found
    }

    /// Finds out in a thread what these paths are; then they are used as dropped ones.
    pub fn identify(&mut self, paths: Vec<PathBuf>, ctx: &egui::Context) {
        let work = move || paths.iter().map(|path| drop::identify(path)).collect();
        self.dropping = BackgroundTask::begin("dropped files", ctx, work);
    }

    /// While something is dragged over the window, says what dropping it would do.
    pub fn drop_ui(&self, arm: &str, ctx: &egui::Context) {
        let held: Vec<Option<PathBuf>> =
            ctx.input(|input| input.raw.hovered_files.iter().map(|file| file.path.clone()).collect());
        if !held.is_empty() && self.takes_drops() {
            drop::overlay_ui(ctx, &drop::promise(&held, arm));
        }
    }

    /// Whether something may be dropped: not while a question is open. A dialog that only shows something closes then.
    fn takes_drops(&self) -> bool {
        self.dialog.as_ref().is_none_or(|dialog| !dialog.is_question())
    }
}
