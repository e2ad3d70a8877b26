//! Looking at the user's data in a thread: when the document is opened, when it names other data, and when their files
//! change. What is found is no edit.

use std::path::{Path, PathBuf};
use std::time::Instant;

use eframe::egui::Context;

use super::{Document, LOOK_FOR_DATA};
use crate::data::{Data, Look, Looks, Stamp};
use crate::doc::data_to_look_at;
use crate::gui::background::{BackgroundTask, TaskState};
use crate::run::look_at;

/// What is known of the user's data, and what is being looked at.
#[derive(Default)]
pub(super) struct Looking {
    looks: Looks,
    /// The folder that paths are relative to.
    base: PathBuf,
    /// The edit that `wanted` belongs to.
    revision: u64,
    wanted: Vec<Data>,
    /// The state of the files of those that were looked at; none where that failed.
    stamps: Vec<(Data, Option<Stamp>)>,
    task: Option<BackgroundTask<Vec<Seen>>>,
    /// When the files were compared with their stamps.
    compared: Option<Instant>,
}

type Seen = (Data, Option<Stamp>, Look);

impl Document {
    /// Takes what was found in the user's data, and begins to look at those that are new or have changed. `results` is the
    /// folder of the runs, which may know data that are gone.
    pub fn look_at_data(&mut self, results: &Path, ctx: &Context) {
        self.take_looks();
        let base = self.base();
        if self.looking.revision != self.revision || self.looking.base != base {
            if self.looking.base != base {
                self.looking = Looking { base, ..Looking::default() };
            }
            self.looking.revision = self.revision;
            self.looking.wanted = data_to_look_at(&self.experiment);
            let Looking { looks, wanted, .. } = &mut self.looking;
            looks.keep(wanted);
        }
        // An earlier state of the experiment may know less.
        if !self.experiment.looks.is(&self.looking.looks) {
            self.experiment.looks = self.looking.looks.clone();
            self.look_again();
        }
        if self.looking.wanted.is_empty() || self.looking.task.is_some() {
            return;
        }
        let due = self.due();
        if !due.is_empty() {
            let (base, results) = (self.looking.base.clone(), results.to_owned());
            // The files may be many and on a slow disk, so they are compared here, too.
            let look = move |(data, known): (Data, Option<Stamp>)| {
                let stamp = data.stamp(&base);
                if known.as_ref() == Some(&stamp) {
                    return None;
                }
                let look = look_at(&data, &base, Some(&results));
                Some((data, Some(stamp), look))
            };
            let work = move || due.into_iter().filter_map(look).collect();
            self.looking.task = BackgroundTask::begin("data", ctx, work);
        }
    }

    /// Whether data of the user are still being looked at.
    pub fn is_looking(&self) -> bool {
        let Looking { wanted, stamps, .. } = &self.looking;
        wanted.iter().any(|data| stamps.iter().all(|(known, _)| known != data))
    }

    /// Looks at all data again: a run may have failed because a file in their depth has changed, which no stamp shows.
    pub fn forget_stamps(&mut self) {
        self.looking.stamps.clear();
    }

    /// Data that were not looked at yet and, after a while, all others with the state of their files.
    fn due(&mut self) -> Vec<(Data, Option<Stamp>)> {
        let Looking { wanted, stamps, compared, .. } = &mut self.looking;
        let is_time = compared.is_none_or(|at| at.elapsed() >= LOOK_FOR_DATA);
        if is_time {
            *compared = Some(Instant::now());
        }
        let due = |data: &Data| match stamps.iter().find(|(known, _)| known == data) {
            None => Some((data.clone(), None)),
            Some((_, stamp)) => stamp.clone().filter(|_| is_time).map(|stamp| (data.clone(), Some(stamp))),
        };
        wanted.iter().filter_map(due).collect()
    }

    fn take_looks(&mut self) {
        let Some(task) = &self.looking.task else { return };
        let found = match task.take() {
            TaskState::Running => return,
            TaskState::Done(found) => found,
            TaskState::Failed(error) => {
                let failed = |data: &Data| {
                    let look = Look { error: Some(error.clone()), ..Look::default() };
                    (data.clone(), None, look)
                };
                self.looking.wanted.iter().map(failed).collect()
            }
        };
        self.looking.task = None;
        if found.is_empty() {
            return;
        }
        for (data, stamp, look) in found {
            self.looking.stamps.retain(|(known, _)| *known != data);
            self.looking.looks.add(&data, look);
            self.looking.stamps.push((data, stamp));
        }
        self.experiment.looks = self.looking.looks.clone();
        self.look_again();
    }

    /// Checks the experiment again, although it has not changed.
    pub(super) fn look_again(&mut self) {
        if let Some(checked) = &mut self.checked {
            checked.is_stale = true;
        }
    }
}
