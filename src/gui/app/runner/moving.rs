//! Where results go when the document gets another file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use eframe::egui;

use super::Runner;
use crate::background::{BackgroundTask, TaskState};
use crate::files::{Moved, copy_results, move_results};
use crate::log::Log;
use crate::text;

/// Results on their way to another disk.
pub(in crate::app) struct Copying {
    /// Where they were.
    pub from: PathBuf,
    /// Where they will be.
    pub to: PathBuf,
    /// How many runs have moved, at the end.
    pub moved: BackgroundTask<std::io::Result<usize>>,
}

/// What became of results that should move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app) enum MoveOutcome {
    Moved,
    /// A thread copies them.
    Copying,
    Failed,
}

impl Runner {
    /// Moves results to a document's new file; no run may write them.
    pub fn move_results(
        &mut self,
        from: &Path,
        to: &Path,
        log: &mut Log,
        ctx: &egui::Context,
    ) -> MoveOutcome {
        match move_results(from, to) {
            Ok(Moved { runs, left }) if left.is_empty() => log_moved(runs, to, log),
            Ok(Moved { runs, left }) => self.begin_copying(from, to, (runs, left), log, ctx),
            Err(error) => log_not_moved(from, to, &error.to_string(), log),
        }
    }

    /// Copies in a thread what cannot be renamed: results can be gigabytes.
    fn begin_copying(
        &mut self,
        from: &Path,
        to: &Path,
        (runs, left): (usize, Vec<OsString>),
        log: &mut Log,
        ctx: &egui::Context,
    ) -> MoveOutcome {
        let (from, to) = (from.to_owned(), to.to_owned());
        let work = {
            let (from, to) = (from.clone(), to.clone());
            move || copy_results(&from, &to, &left).map(|copied| runs + copied)
        };
        let Some(moved) = BackgroundTask::begin("results", ctx, work) else {
            return log_not_moved(&from, &to, "the system refused to start a thread", log);
        };
        log.info(format!("Copying results from {} to {}…", from.display(), to.display()));
        self.copying = Some(Copying { from, to, moved });
        MoveOutcome::Copying
    }

    /// Takes results that were copied: where they should be now, and what became of them.
    pub fn take_copied(&mut self, log: &mut Log) -> Option<(PathBuf, MoveOutcome)> {
        let moved = match self.copying.as_ref()?.moved.take() {
            TaskState::Running => return None,
            TaskState::Done(moved) => moved.map_err(|error| error.to_string()),
            TaskState::Failed(why) => Err(why),
        };
        let Copying { from, to, .. } = self.copying.take()?;
        let outcome = match moved {
            Ok(moved) => log_moved(moved, &to, log),
            Err(why) => log_not_moved(&from, &to, &why, log),
        };
        Some((to, outcome))
    }

    /// Waits for results that are being copied: after the window closes, nothing would complete the copy.
    pub fn finish_copying(&mut self) {
        if let Some(copying) = self.copying.take() {
            copying.moved.wait(Duration::MAX);
        }
    }
}

fn log_moved(runs: usize, to: &Path, log: &mut Log) -> MoveOutcome {
    if runs > 0 {
        log.info(format!("Moved results of {} to {}", text::counted(runs, "run"), to.display()));
    }
    MoveOutcome::Moved
}

fn log_not_moved(from: &Path, to: &Path, why: &str, log: &mut Log) -> MoveOutcome {
    let (from, to) = (from.display(), to.display());
    log.error(format!("Results could not be moved from {from} to {to} ({why}). Move them by hand"));
    MoveOutcome::Failed
}
