//! What a thread sees for the dialog: the plan of a submission, and where the runs are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::ClusterInput;
use cluster::{ClusterSettings, Plan, Request, Runs, Slurm, Status, prepare};
use doc::Run;
use run::{Pace, Paces, QueueOptions, StopFlag, Task, measure};

/// Paces that were measured, for all threads: settings change often, and the network rarely.
#[derive(Clone, Default)]
pub struct SharedPaces(Arc<Mutex<Paces>>);

impl SharedPaces {
    fn measure(&self, task: &Task, options: QueueOptions) -> Option<Pace> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().find(task, options) {
            return known.pace;
        }
        let pace = measure(task, options, &StopFlag::new());
        known().add(task.clone(), options, pace);
        pace
    }
}

/// What is looked at.
#[derive(Clone)]
pub struct Subject {
    file: PathBuf,
    folder: PathBuf,
    runs: Vec<Run>,
    settings: ClusterSettings,
}

/// What was seen.
pub struct Looked {
    /// The plan of a submission, where that was asked for.
    pub plan: Option<Result<Plan, String>>,
    /// Where the runs are.
    pub status: Status,
}

impl Subject {
    /// What the dialog is about now; equal runs once.
    pub fn of(file: &Path, settings: &ClusterSettings, input: ClusterInput<'_>) -> Self {
        let mut seen = BTreeSet::new();
        let runs = input.runs.iter().filter(|run| seen.insert(&run.id)).cloned().collect();
        let (file, folder) = (file.to_owned(), input.folder.to_owned());
        Self { file, folder, runs, settings: settings.clone() }
    }

    /// Whether it is what the dialog is about. While the dialog is open, the experiment itself cannot be edited.
    pub fn is_of(&self, file: &Path, settings: &ClusterSettings, input: ClusterInput<'_>) -> bool {
        self.file == file && self.folder == input.folder && self.settings == *settings
    }

    /// Looks at the directories and at the queue.
    pub fn look(&self, slurm: &Slurm, paces: &SharedPaces, needs_plan: bool) -> Looked {
        let runs = Runs { all: &self.runs, folder: &self.folder };
        let plan = needs_plan.then(|| {
            let program = std::env::current_exe();
            let program =
                program.map_err(|error| format!("the path of weightlab itself is not known: {error}"))?;
            let settings = &self.settings;
            let request = Request { runs, file: &self.file, set: &[], program: &program, settings };
            let measure = |task: &Task, options| paces.measure(task, options);
            prepare(&request, slurm, &measure).map_err(|error| error.to_string())
        });
        Looked { plan, status: Status::of(runs, slurm) }
    }
}
