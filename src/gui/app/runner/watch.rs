//! What other processes do with the runs of the document.

use std::path::{Path, PathBuf};

use eframe::egui;

use super::Runner;
use crate::document::Document;
use crate::log::Log;
use crate::watching::{ChangedRecord, WatchTarget, Watching};
use results::RunState;

/// Looks for results of other processes.
#[derive(Default)]
pub(super) enum Watch {
    #[default]
    NotStarted,
    /// There can be no thread for it.
    Failed,
    /// The thread, and what it watches: the folder of results, the revision of the document, and how many runs go on here.
    Started(Watching, Option<(PathBuf, u64, usize)>),
}

impl Runner {
    /// Takes results written by other processes, and looks for more.
    pub fn watch_others(&mut self, document: &Document, results: &Path, log: &mut Log, ctx: &egui::Context) {
        let Some(every) = self.worker.watch_every() else { return };
        if matches!(self.watch, Watch::NotStarted) {
            let ctx = ctx.clone();
            self.watch = match Watching::new(every, move || ctx.request_repaint()) {
                Ok(watching) => Watch::Started(watching, None),
                Err(error) => {
                    log.error(format!(
                        "Results of other processes will appear only when you reopen the file: {error}"
                    ));
                    Watch::Failed
                }
            };
        }
        let Watch::Started(watching, watched) = &mut self.watch else { return };
        let wanted = (results.to_owned(), document.revision(), self.runs.open().count());
        if watched.as_ref() != Some(&wanted) {
            let mut runs: Vec<String> = document.runs().iter().map(|run| run.id.clone()).collect();
            // All that this process does not run.
            runs.retain(|run| !self.runs.is_open(run));
            runs.sort();
            runs.dedup();
            watching.set_target(WatchTarget { folder: wanted.0.clone(), runs });
            *watched = Some(wanted);
        }
        let found: Vec<_> = watching.found().collect();
        let mut has_news = false;
        for found in found {
            has_news |= self.take_from_others(found, document, results, log);
        }
        if has_news {
            self.plan_cost(document);
        }
    }

    /// Takes a changed record unless it is stale: the document may have another folder or other runs by now, and the run may
    /// be in the trash. Tells whether the state of the run is another one now.
    pub fn take_from_others(
        &mut self,
        found: ChangedRecord,
        document: &Document,
        results: &Path,
        log: &mut Log,
    ) -> bool {
        let ChangedRecord { folder, run, record } = found;
        let is_listed = document.runs().iter().any(|known| known.id == run);
        let is_present = folder == results && folder.join(&run).is_dir();
        if !is_listed || !is_present {
            return false;
        }
        let Some(state) = self.runs.take_from_others(&run, record) else { return false };
        let name = self.name_of(&run, document);
        log.info(match state {
            RunState::Stopped => format!("{name}: stopped; no process is working on it"),
            RunState::Waiting | RunState::Running | RunState::Done | RunState::Failed(_) => {
                format!("{name}: {} in another process", state.word())
            }
        });
        true
    }
}
