//! What other processes do with the runs of the document.

use eframe::egui;

use super::App;
use crate::gui::watching::{ChangedRecord, WatchTarget, Watching};
use crate::results::RunState;

impl App {
    /// Takes in results that other processes have written, and looks for more.
    pub(super) fn watch_others(&mut self, ctx: &egui::Context) {
        let Some(every) = self.parts.worker.watch_every() else { return };
        if self.watching.is_none() && !self.watch_failed {
            let ctx = ctx.clone();
            match Watching::new(every, move || ctx.request_repaint()) {
                Ok(watching) => self.watching = Some(watching),
                Err(error) => {
                    self.watch_failed = true;
                    self.log.error(format!(
                        "Results of other processes appear when the file is opened again: {error}"
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

    /// Takes what was found, unless that is of the past: since then the document may have got another folder or other
    /// runs, and the run may have been put away.
    pub(super) fn take_from_others(&mut self, found: ChangedRecord) {
        let ChangedRecord { folder, run, record } = found;
        let is_listed = self.document.runs().iter().any(|known| known.id == run);
        let is_present = folder == self.document.results(&self.parts.untitled) && folder.join(&run).is_dir();
        if !is_listed || !is_present {
            return;
        }
        if let Some(state) = self.runs.take_from_others(&run, record) {
            let name = self.name_of(&run);
            self.log.info(match state {
                RunState::Stopped => format!("{name}: stopped, and no process works at it now"),
                _ => format!("{name}: {} elsewhere", state.word()),
            });
            self.plan_cost();
        }
    }

    /// Watches all runs of the document that are not carried out here.
    fn watch_runs(&mut self) {
        let Some(watching) = &self.watching else { return };
        let folder = self.document.results(&self.parts.untitled);
        let watched = (folder, self.document.revision(), self.runs.open_count());
        if self.watched.as_ref() == Some(&watched) {
            return;
        }
        let mut runs: Vec<String> = self.document.runs().iter().map(|run| run.id.clone()).collect();
        runs.retain(|run| !self.runs.is_open(run));
        runs.sort();
        runs.dedup();
        watching.look_at(WatchTarget { folder: watched.0.clone(), runs });
        self.watched = Some(watched);
    }
}
