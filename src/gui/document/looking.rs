//! Looking at the inputs of runs in a thread: when the document is opened, when it names others, and when their files
//! change. What is found is no edit.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use eframe::egui::Context;

use super::{Document, LOOK_FOR_DATA};
use crate::data::{Digests, Input, Inventory, Look, Looks, Stamp};
use crate::doc::inputs_to_look_at;
use crate::gui::background::{BackgroundTask, TaskState};
use crate::run::{done_runs, look_at};

/// What is known of the inputs, and what is being looked at.
#[derive(Default)]
pub(super) struct Looking {
    looks: Looks,
    /// The folder that paths are relative to.
    base: PathBuf,
    /// The edit that `wanted` belongs to.
    revision: u64,
    wanted: Vec<Input>,
    /// The state of the files of those that were looked at; none where that failed.
    stamps: Vec<(Input, Option<Stamp>)>,
    task: Option<BackgroundTask<(Vec<Seen>, BTreeSet<String>)>>,
    /// When the files were compared with their stamps.
    compared: Option<Instant>,
    /// The known set of the experiment, or none for data of the user; nothing before the first look.
    known_set: Option<Option<String>>,
    /// What is to be said of data that were found or have changed.
    news: Vec<String>,
}

type Seen = (Input, Option<Stamp>, Look);

impl Document {
    /// Takes what was found in the inputs, and begins to look at those that are new or have changed. `results` is the
    /// folder of the runs, which may know data that are gone. Returns a line for each dataset that is new or has changed.
    pub fn look_at_inputs(&mut self, results: &Path, ctx: &Context) -> Vec<String> {
        self.follow_looks(results, ctx);
        std::mem::take(&mut self.looking.news)
    }

    fn follow_looks(&mut self, results: &Path, ctx: &Context) {
        self.take_looks();
        let base = self.base();
        if self.looking.revision != self.revision || self.looking.base != base {
            if self.looking.base != base {
                self.looking = Looking { base, ..Looking::default() };
            }
            self.looking.revision = self.revision;
            self.looking.wanted = inputs_to_look_at(&self.experiment);
            let Looking { looks, wanted, .. } = &mut self.looking;
            looks.keep(wanted);
            self.tell_known_set();
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
            let work = move || {
                let digests = OnceCell::new();
                // The files may be many and on a slow disk, so they are compared here, too.
                let look = |(input, known): (Input, Option<Stamp>)| {
                    let stamp = input.stamp(&base);
                    if known.as_ref() == Some(&stamp) {
                        return None;
                    }
                    let look = look_at(&input, &base, Some(&results), digests.get_or_init(Digests::open));
                    Some((input, Some(stamp), look))
                };
                let seen: Vec<Seen> = due.into_iter().filter_map(look).collect();
                let done = if seen.is_empty() { BTreeSet::new() } else { done_runs(&results) };
                (seen, done)
            };
            self.looking.task = BackgroundTask::begin("data", ctx, work);
        }
    }

    /// Returns true while inputs are still being looked at.
    pub fn is_looking(&self) -> bool {
        let Looking { wanted, stamps, .. } = &self.looking;
        wanted.iter().any(|input| stamps.iter().all(|(known, _)| known != input))
    }

    /// Looks at all inputs again: a run may have failed because a file in their depth has changed, which no stamp shows.
    pub fn forget_stamps(&mut self) {
        self.looking.stamps.clear();
    }

    /// Inputs that were not looked at yet and, after a while, all others with the state of their files.
    fn due(&mut self) -> Vec<(Input, Option<Stamp>)> {
        let Looking { wanted, stamps, compared, .. } = &mut self.looking;
        let is_time = compared.is_none_or(|at| at.elapsed() >= LOOK_FOR_DATA);
        if is_time {
            *compared = Some(Instant::now());
        }
        let due = |input: &Input| match stamps.iter().find(|(known, _)| known == input) {
            None => Some((input.clone(), None)),
            Some((_, stamp)) => stamp.clone().filter(|_| is_time).map(|stamp| (input.clone(), Some(stamp))),
        };
        wanted.iter().filter_map(due).collect()
    }

    fn take_looks(&mut self) {
        let Some(task) = &self.looking.task else { return };
        let (found, done) = match task.take() {
            TaskState::Running => return,
            TaskState::Done(found) => found,
            TaskState::Failed(error) => {
                let failed = |input: &Input| {
                    let look = Look { error: Some(error.clone()), ..Look::default() };
                    (input.clone(), None, look)
                };
                (self.looking.wanted.iter().map(failed).collect(), BTreeSet::new())
            }
        };
        self.looking.task = None;
        if found.is_empty() {
            return;
        }
        for (input, stamp, look) in found {
            let Looking { looks, news, .. } = &mut self.looking;
            if let Input::Data(data) = &input
                && look.found.is_some()
                && look.error.is_none()
                && looks.of(data) != Some(&look)
            {
                let found = Inventory::of(&data.with_found(look.found.clone()), None, &look.details);
                news.extend(found.map(|found| found.summary()));
            }
            self.looking.stamps.retain(|(known, _)| *known != input);
            self.looking.looks.add(&input, look);
            self.looking.stamps.push((input, stamp));
        }
        self.looking.looks.note_done(done);
        self.experiment.looks = self.looking.looks.clone();
        self.look_again();
    }

    /// Tells a known set when it takes the place of other data, and not when a document is opened. Data of the user are told
    /// when they were looked at.
    fn tell_known_set(&mut self) {
        let (data, net) = (&self.experiment.data, &self.experiment.net);
        let name = (!data.needs_look()).then(|| data.name().to_owned());
        let before = self.looking.known_set.replace(name.clone());
        if name.is_some() && before.is_some_and(|before| before != name) {
            let found = self.looking.looks.inventory(data, net.image_side());
            self.looking.news.extend(found.map(|found| found.summary()));
        }
    }

    /// Checks the experiment again, although it has not changed.
    pub(super) fn look_again(&mut self) {
        if let Some(checked) = &mut self.checked {
            checked.is_stale = true;
        }
    }
}
