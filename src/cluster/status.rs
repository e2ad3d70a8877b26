//! Where the runs of an experiment are: by their directories, and by the queue of Slurm.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::error::ClusterError;
use super::packing::Runs;
use super::record::{Submission, active_tasks, submissions};
use super::slurm::{ClusterTask, Slurm};
use doc::Run;
use form::number::counted;
use results::RunState;
use run::read_states;

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunPlace {
    /// It is done.
    Done,
    /// Some process works on it.
    Running,
    /// A task of Slurm will.
    Pending,
    /// It has begun, and nothing will continue it.
    Interrupted,
    /// It has failed.
    Failed,
    /// It has not begun, and no task has it.
    NotSubmitted,
}

impl RunPlace {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 6] =
        [Self::Done, Self::Running, Self::Pending, Self::Interrupted, Self::Failed, Self::NotSubmitted];

    /// What lists say.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Running => "running",
            Self::Pending => "pending",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
            Self::NotSubmitted => "not submitted",
        }
    }
}

/// How many runs are where.
pub type Counts = BTreeMap<RunPlace, usize>;

/// Where all runs of an experiment are.
#[derive(Debug, Default)]
pub struct Status {
    /// Where each run is, in the order of the runs.
    pub places: Vec<RunPlace>,
    /// Tasks of Slurm that are not over.
    pub tasks: Vec<ClusterTask>,
    /// Number of submissions so far.
    pub submissions: usize,
    /// Why the queue of Slurm is not known.
    pub trouble: Option<ClusterError>,
    /// Records of submissions that cannot be read.
    pub damaged: Vec<PathBuf>,
}

impl Status {
    /// Looks at the directories and at the queue. Slurm is asked only where something was submitted.
    pub fn of(runs: Runs<'_>, slurm: &Slurm) -> Self {
        let (known, damaged) = submissions(runs.folder);
        // The queue first: a run that ends between both looks is done then, not lost.
        let (active, trouble) = match active_tasks(&known, slurm) {
            Ok(active) => (active, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let of_tasks = |is: fn(&ClusterTask) -> bool| -> BTreeSet<&str> {
            let tasks = active.iter().filter(|(_, task)| is(task));
            tasks.flat_map(|(submission, task)| submission.runs_of(task.index)).collect()
        };
        let (in_running, in_pending) = (of_tasks(ClusterTask::is_running), of_tasks(ClusterTask::is_pending));
        let waits = |id: &str, otherwise| {
            if in_pending.contains(id) || in_running.contains(id) { RunPlace::Pending } else { otherwise }
        };
        let states = read_states(runs.folder, runs.all);
        let place = |run: &Run| match &states[&run.id] {
            RunState::Done => RunPlace::Done,
            RunState::Running => RunPlace::Running,
            // A task that runs has tried it, and one that waits will try it again.
            RunState::Failed(_) if in_pending.contains(run.id.as_str()) => RunPlace::Pending,
            RunState::Failed(_) => RunPlace::Failed,
            RunState::Stopped => waits(&run.id, RunPlace::Interrupted),
            RunState::Waiting => waits(&run.id, RunPlace::NotSubmitted),
        };
        let places = runs.all.iter().map(place).collect();
        let tasks = active.iter().map(|(_, task)| task.clone()).collect();
        Self { places, tasks, submissions: known.len(), trouble, damaged }
    }

    /// How many runs are where.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::new();
        for place in &self.places {
            *counts.entry(*place).or_default() += 1;
        }
        counts
    }

    /// `31 done, 4 running, 20 pending`.
    pub fn in_words(&self) -> String {
        let counts = self.counts();
        let word = |(place, count): (&RunPlace, &usize)| format!("{count} {}", place.word());
        counts.iter().map(word).collect::<Vec<_>>().join(", ")
    }

    /// `Slurm: job 12: 3 tasks running, 8 pending (Resources)`, a line a job; or why the queue is not known.
    pub fn queue_in_words(&self) -> Vec<String> {
        if let Some(trouble) = &self.trouble {
            return vec![format!("The queue of Slurm is not known: {trouble}")];
        }
        let mut jobs: Vec<&str> = Vec::new();
        for task in &self.tasks {
            if !jobs.contains(&task.job.as_str()) {
                jobs.push(&task.job);
            }
        }
        let line = |job: &str| {
            let of_job: Vec<&ClusterTask> = self.tasks.iter().filter(|task| task.job == job).collect();
            let running = of_job.iter().filter(|task| task.is_running()).count();
            let pending: Vec<&&ClusterTask> = of_job.iter().filter(|task| task.is_pending()).collect();
            let reasons: BTreeSet<&str> =
                pending.iter().map(|task| task.reason.as_str()).filter(|reason| *reason != "None").collect();
            let why = reasons.into_iter().collect::<Vec<_>>().join(", ");
            let why = if why.is_empty() { why } else { format!(" ({why})") };
            let mut parts = Vec::new();
            if running > 0 {
                parts.push(format!("{} running", counted(running, "task")));
            }
            if !pending.is_empty() {
                parts.push(format!("{} pending{why}", counted(pending.len(), "task")));
            }
            format!("Slurm: job {job}: {}", parts.join(", "))
        };
        jobs.into_iter().map(line).collect()
    }

    /// Whether nothing will change by itself: no process and no task works on the runs. A Slurm that does not answer for a
    /// while may have tasks of all that is not done.
    pub fn is_over(&self) -> bool {
        let is_silent =
            matches!(self.trouble, Some(ClusterError::Refused { .. } | ClusterError::NoController(_)));
        let goes_on = |place: &RunPlace| match place {
            RunPlace::Running | RunPlace::Pending => true,
            RunPlace::Done => false,
            RunPlace::Interrupted | RunPlace::Failed | RunPlace::NotSubmitted => is_silent,
        };
        self.tasks.is_empty() && !self.places.iter().any(goes_on)
    }
}

/// The jobs of an experiment that are not over, the first one first.
///
/// # Errors
/// When Slurm is not there or does not answer.
pub fn active_jobs(folder: &Path, slurm: &Slurm) -> Result<Vec<String>, ClusterError> {
    let (known, _) = submissions(folder);
    let active = active_tasks(&known, slurm)?;
    let is_active = |known: &&Submission| active.iter().any(|(submission, _)| submission.job == known.job);
    Ok(known.iter().filter(is_active).map(|known| known.job.clone()).collect())
}

/// Cancels the jobs of an experiment, and no others; those that were cancelled. Tasks that run save first.
///
/// # Errors
/// When Slurm is not there or refuses it.
pub fn cancel(folder: &Path, slurm: &Slurm) -> Result<Vec<String>, ClusterError> {
    let jobs = active_jobs(folder, slurm)?;
    if !jobs.is_empty() {
        slurm.cancel(&jobs)?;
    }
    Ok(jobs)
}
