//! Where results go when the document gets another file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use eframe::egui;

use super::{App, PATIENCE_FOR_MORE};
use crate::gui::background::{BackgroundTask, TaskState};
use crate::gui::files::{Moved, copy_results, move_results};
use crate::gui::text;

/// Results on their way to another disk.
pub(super) struct Copying {
    /// Where they were.
    pub from: PathBuf,
    /// Where they will be.
    pub to: PathBuf,
    /// How many runs have moved, at the end.
    pub moved: BackgroundTask<std::io::Result<usize>>,
}

impl App {
    /// Keeps results with the old file when the document is saved as another one.
    pub(super) fn keep_results(&mut self, old: &Path, new: &Path) {
        if old.is_dir() {
            let (old, new) = (old.display(), new.display());
            self.log.info(format!("Earlier results stay in {old}; new runs write to {new}"));
        }
        self.reloads = self.runs.is_running();
        if !self.reloads {
            self.reload_records();
        }
    }

    /// Reads the records again, after the document has got another folder of results.
    pub(super) fn reload_records(&mut self) {
        let results = self.results();
        let records = self.parts.worker.read(&results, self.document.runs());
        if let Some(count) = self.runs.read(records, PATIENCE_FOR_MORE) {
            self.log_found(count);
        }
    }

    /// Moves results to a document's new file, as soon as no run writes them.
    pub(super) fn move_results(&mut self, ctx: &egui::Context) {
        if self.runs.is_running() {
            if let Some((from, _)) = &self.moving {
                self.log.info(format!("Results stay in {} until the runs end, then move", from.display()));
            }
            return;
        }
        if self.copying.is_some() {
            return; // one folder after the other
        }
        let Some((from, to)) = self.moving.take() else { return };
        match move_results(&from, &to) {
            Ok(Moved { runs, left }) if left.is_empty() => self.log_moved(runs, &to),
            Ok(Moved { runs, left }) => self.begin_copying((from, to), runs, left, ctx),
            Err(error) => self.log_not_moved(&from, &to, &error.to_string()),
        }
    }

    /// Copies in a thread what cannot be renamed: results can be gigabytes.
    fn begin_copying(
        &mut self,
        places: (PathBuf, PathBuf),
        runs: usize,
        left: Vec<OsString>,
        ctx: &egui::Context,
    ) {
        let (from, to) = places.clone();
        let work = move || copy_results(&from, &to, &left).map(|copied| runs + copied);
        let (from, to) = places;
        self.log.info(format!("Copying results from {} to {}…", from.display(), to.display()));
        match BackgroundTask::begin("results", ctx, work) {
            Some(moved) => self.copying = Some(Copying { from, to, moved }),
            None => self.log_not_moved(&from, &to, "the system refused to start a thread"),
        }
    }

    /// Takes the copied results, and starts the next move.
    pub(super) fn take_copied(&mut self, ctx: &egui::Context) {
        let Some(copying) = &self.copying else { return };
        let moved = match copying.moved.take() {
            TaskState::Running => return,
            TaskState::Done(moved) => moved.map_err(|error| error.to_string()),
            TaskState::Failed(why) => Err(why),
        };
        let Some(Copying { from, to, .. }) = self.copying.take() else { return };
        match moved {
            Ok(moved) => self.log_moved(moved, &to),
            Err(why) => self.log_not_moved(&from, &to, &why),
        }
        if self.results() == to {
            // If the user has opened the file in the meantime, not all of them were there.
            self.runs.read_more(self.parts.worker.read(&to, self.document.runs()), PATIENCE_FOR_MORE);
        }
        self.compare.look_into_trash();
        self.move_results(ctx);
    }

    /// Waits for results that are being copied: after the window closes, nothing would complete the copy.
    pub(super) fn finish_copying(&mut self) {
        if let Some(copying) = self.copying.take() {
            copying.moved.wait(Duration::MAX);
        }
    }

    fn log_moved(&mut self, runs: usize, to: &Path) {
        if runs > 0 {
            self.log.info(format!("Moved results of {} to {}", text::counted(runs, "run"), to.display()));
        }
    }

    fn log_not_moved(&mut self, from: &Path, to: &Path, why: &str) {
        let folder = from.display();
        self.log.error(format!(
            "Results could not be moved from {folder} to {} ({why}). Move them by hand",
            to.display()
        ));
        if self.results() == to {
            self.reload_records();
        }
    }
}
