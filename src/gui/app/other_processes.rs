//! What other processes do with the runs of the document.

use eframe::egui;

use super::App;
use crate::gui::watching::{ChangedRecord, WatchTarget, Watching};
use crate::results::RunState;

impl App {
    /// Takes results written by other processes, and looks for more.
    pub(super) fn watch_others(&mut self, ctx: &egui::Context) {
        let Some(every) = self.parts.worker.watch_every() else { return };
        if self.watching.is_none() && !self.watch_failed {
            let ctx = ctx.clone();
            match Watching::new(every, move || ctx.request_repaint()) {
                Ok(watching) => self.watching = Some(watching),
                Err(error) => {
                    self.watch_failed = true;
                    self.log.error(format!(
                        "Results of other processes will appear only when you reopen the file: {error}"
                    ));
                }
            }
        }
        self.watch_runs();
        let found: Vec<_> = self.watching.iter().flat_map(Watching::found).collect();
        for found in found {
            self.take_from_others(found);
        }
    }

    /// Takes a changed record unless it is stale: the document may have another folder or other runs by now, and the run may
    /// be in the trash.
    pub(super) fn take_from_others(&mut self, found: ChangedRecord) {
        let ChangedRecord { folder, run, record } = found;
        let is_listed = self.document.runs().iter().any(|known| known.id == run);
        let is_present = folder == self.results() && folder.join(&run).is_dir();
        if !is_listed || !is_present {
            return;
        }
        if let Some(state) = self.runs.take_from_others(&run, record) {
            let name = self.name_of(&run);
            self.log.info(match state {
                RunState::Stopped => format!("{name}: stopped; no process is working on it"),
                _ => format!("{name}: {} in another process", state.word()),
            });
            self.plan_cost();
        }
    }

    /// Watches all runs of the document that this process does not run.
    fn watch_runs(&mut self) {
        let Some(watching) = &self.watching else { return };
        let folder = self.results();
        let watched = (folder, self.document.revision(), self.runs.open().count());
        if self.watched.as_ref() == Some(&watched) {
            return;
        }
        let mut runs: Vec<String> = self.document.runs().iter().map(|run| run.id.clone()).collect();
        runs.retain(|run| !self.runs.is_open(run));
        runs.sort();
        runs.dedup();
        watching.set_target(WatchTarget { folder: watched.0.clone(), runs });
        self.watched = Some(watched);
    }
}
