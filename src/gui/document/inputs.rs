//! What is wrong with the weight files and lists of faults that runs read: found in a thread after every edit, and after every
//! change of the files.

use eframe::egui::Context;

use super::Document;
use crate::doc::Problem;
use crate::gui::background::{BackgroundTask, TaskState};
use crate::run::input_problems;

/// What is known of the files.
#[derive(Default)]
pub(super) struct Inputs {
    /// What is wrong with them.
    pub problems: Vec<Problem>,
    /// The edit that they were looked at for.
    revision: Option<u64>,
    task: Option<BackgroundTask<Vec<Problem>>>,
}

impl Document {
    /// Takes what was found, and begins to look again where the document has changed, or what is known of its inputs.
    pub fn check_files(&mut self, ctx: &Context) {
        if let Some(task) = &self.inputs.task {
            let found = match task.take() {
                TaskState::Running => return,
                TaskState::Done(found) => found,
                TaskState::Failed(_) => Vec::new(), // the run itself will say why
            };
            self.inputs.task = None;
            if self.inputs.problems != found {
                self.inputs.problems = found;
                self.look_again();
            }
        }
        if self.inputs.revision != Some(self.revision) && !self.is_behind() && self.checked.is_some() {
            self.inputs.revision = Some(self.revision);
            let (runs, base) = (self.runs().to_vec(), self.base());
            self.inputs.task = BackgroundTask::begin("inputs", ctx, move || input_problems(&runs, &base));
        }
    }
}
