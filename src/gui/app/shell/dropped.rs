//! What is dropped on the window.

use std::path::{Path, PathBuf};

use eframe::egui;

use super::Shell;
use crate::background::{BackgroundTask, TaskState};
use crate::drop::{self, Dropped};
use data::{Data, recognise};

impl Shell {
    /// Takes dropped paths: identifies them in a thread, and returns what they are once that is known. `wanted` are the data
    /// of the experiment.
    pub fn take_dropped(&mut self, wanted: &Data, ctx: &egui::Context) -> Option<Vec<Dropped>> {
        let paths: Vec<PathBuf> =
            ctx.input(|input| input.raw.dropped_files.iter().map(|file| file.path().to_owned()).collect());
        if !paths.is_empty() && self.takes_drops() {
            self.dialog = None;
            let wanted = wanted.clone();
            self.identify(paths, move |path| drop::identify(path, &wanted), ctx);
        }
        let found = match self.dropping.as_ref()?.take() {
            TaskState::Running => return None,
            TaskState::Done(found) => Some(found),
            TaskState::Failed(_) => None,
        };
        self.dropping = None;
        found
    }

    /// Finds out in a thread what the folder is that was chosen for these data.
    pub fn identify_chosen(&mut self, path: PathBuf, wanted: &Data, ctx: &egui::Context) {
        let wanted = wanted.clone();
        let found = move |path: &Path| Dropped::Chosen(path.to_owned(), recognise(path, &wanted));
        self.identify(vec![path], found, ctx);
    }

    fn identify(
        &mut self,
        paths: Vec<PathBuf>,
        what: impl Fn(&Path) -> Dropped + Send + 'static,
        ctx: &egui::Context,
    ) {
        let work = move || paths.iter().map(|path| what(path)).collect();
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
