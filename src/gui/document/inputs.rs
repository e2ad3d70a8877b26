//! Looking at the weight files and lists of faults that runs read, in a thread: when the document is edited, and when one of
//! the files changes.

use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use eframe::egui::Context;

use super::{Document, LOOK_FOR_DATA};
use crate::doc::Problem;
use crate::gui::background::{BackgroundTask, TaskState};
use crate::run::inputs_of;

/// What is known of the inputs of runs.
#[derive(Default)]
pub(super) struct Inputs {
    /// What is wrong with them.
    pub problems: Vec<Problem>,
    /// The edit that they were looked at for.
    revision: Option<u64>,
    /// Lengths and times of the files then.
    stamps: Stamps,
    task: Option<BackgroundTask<Option<(Vec<Problem>, Stamps)>>>,
    begun: Option<Instant>,
}

type Stamps = Vec<(PathBuf, Option<(u64, Option<SystemTime>)>)>;

impl Document {
    /// Takes what was found, and begins to look where the runs or their files have changed.
    pub fn look_at_inputs(&mut self, ctx: &Context) {
        if let Some(task) = &self.inputs.task {
            let found = match task.take() {
                TaskState::Running => return,
                TaskState::Done(found) => found,
                TaskState::Failed(_) => None, // the run itself will say why
            };
            self.inputs.task = None;
            if let Some((problems, stamps)) = found {
                self.inputs.stamps = stamps;
                if self.inputs.problems != problems {
                    self.inputs.problems = problems;
                    self.look_again();
                }
            }
        }
        let is_new = self.inputs.revision != Some(self.revision);
        let rests = self.inputs.begun.is_some_and(|begun| begun.elapsed() < LOOK_FOR_DATA);
        if self.is_behind() || !is_new && (rests || self.inputs.stamps.is_empty()) {
            return;
        }
        self.inputs.revision = Some(self.revision);
        self.inputs.begun = Some(Instant::now());
        let (runs, base) = (self.runs().to_vec(), self.base());
        let known = (!is_new).then(|| self.inputs.stamps.clone());
        let look = move || {
            if known.is_some_and(|known| known.iter().all(|(path, stamp)| stamp_of(path) == *stamp)) {
                return None;
            }
            let (problems, files) = inputs_of(&runs, &base);
            let stamped = |path: PathBuf| {
                let stamp = stamp_of(&path);
                (path, stamp)
            };
            Some((problems, files.into_iter().map(stamped).collect()))
        };
        self.inputs.task = BackgroundTask::begin("inputs", ctx, look);
    }
}

fn stamp_of(path: &Path) -> Option<(u64, Option<SystemTime>)> {
    let about = path.metadata().ok()?;
    Some((about.len(), about.modified().ok()))
}
