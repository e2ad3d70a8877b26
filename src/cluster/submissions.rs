//! Submissions: one script, one call of `sbatch` and one small file each in the folder of the runs, so that who submits again
//! knows which runs are taken; and where runs are, by their directories and by the queue of Slurm.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::ClusterError;
use super::prepare::{Plan, Runs};
use super::script::logs;
use super::shard::Shard;
use super::slurm::{ClusterTask, Slurm};
use doc::Run;
use doc::file::{read_kept, write_kept};
use form::number::counted;
use results::RunState;
use run::read_states;

/// The folder of scripts, submissions and logs, beside the run directories.
pub const FOLDER: &str = "cluster";

/// A submission that was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Submission {
    pub job: String,
    /// When, in seconds since 1970.
    pub at: u64,
    pub shards: usize,
    /// Minutes per task, where the number of shards follows from them.
    pub minutes: Option<u64>,
    pub cpus: usize,
    /// The indices that were handed out.
    pub tasks: Vec<usize>,
    /// All runs of the experiment by identity, in its order: what the shards are shards of.
    pub runs: Vec<String>,
    /// The name of the script, from that of the file.
    #[serde(skip)]
    pub script: String,
}

impl Submission {
    /// Returns true if a task of Slurm is one of this submission. Its number alone does not tell: another cluster, or this one
    /// after years, has jobs of the same number.
    pub fn has(&self, task: &ClusterTask) -> bool {
        task.job == self.job && task.script.ends_with(&format!("/{FOLDER}/{}", self.script))
    }

    /// Returns the runs of a task.
    pub fn runs_of(&self, index: usize) -> Vec<&str> {
        if (1..=self.shards).contains(&index) {
            Shard { index, of: self.shards }.pick(self.runs.iter().map(String::as_str))
        } else {
            Vec::new()
        }
    }
}

/// Reads all submissions of a folder of runs, the first one first, and names the files that cannot be read. What a damaged file said
/// costs at most a task that finds its runs taken.
pub fn submissions(folder: &Path) -> (Vec<Submission>, Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder.join(FOLDER)).into_iter().flatten().flatten();
    let number = |path: &Path| -> Option<u64> {
        let is_record = path.extension().is_some_and(|ending| ending == "json" || ending == "ron");
        let stem = path.file_stem()?.to_str()?;
        stem.strip_prefix("submit-")?.parse().ok().filter(|_| is_record)
    };
    let files: BTreeMap<u64, PathBuf> =
        entries.map(|entry| entry.path()).filter_map(|path| Some((number(&path)?, path))).collect();
    let is_whole =
        |read: &Submission| !read.job.is_empty() && read.job.bytes().all(|letter| letter.is_ascii_digit());
    let (mut known, mut damaged) = (Vec::new(), Vec::new());
    for (number, path) in files {
        let name = format!("submit-{number}");
        match read_kept(&folder.join(FOLDER), &name).ok().flatten().filter(is_whole) {
            Some(submission) => known.push(Submission { script: name + ".sh", ..submission }),
            None => damaged.push(path),
        }
    }
    (known, damaged)
}

/// Asks Slurm for the tasks of these submissions that are not over, each with its submission.
///
/// # Errors
/// When Slurm is not there or does not answer.
pub(super) fn active_tasks<'a>(
    known: &'a [Submission],
    slurm: &Slurm,
) -> Result<Vec<(&'a Submission, ClusterTask)>, ClusterError> {
    let jobs: Vec<String> = known.iter().map(|submission| submission.job.clone()).collect();
    let tasks = slurm.queue(&jobs)?.into_iter();
    let of = |task: ClusterTask| known.iter().find(|known| known.has(&task)).map(|known| (known, task));
    Ok(tasks.filter_map(of).collect())
}

/// The outcome of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submitted {
    pub job: String,
    pub script: PathBuf,
    pub logs: PathBuf,
}

/// Submits what a plan hands out.
///
/// # Errors
/// When Slurm is not there or refuses it; nothing was submitted then. When the disk refuses; the message says whether
/// the job was submitted.
pub fn submit(plan: Plan, slurm: &Slurm) -> Result<Submitted, ClusterError> {
    if let Some(trouble) = plan.trouble {
        return Err(trouble);
    }
    let folder = &plan.script.folder;
    let script = new_script(folder, &plan.script.text())?;
    let options: Vec<String> = plan.script.options().into_iter().map(|(name, _)| name).collect();
    let job = slurm.submit(&script, &options).inspect_err(|_| {
        let _ = std::fs::remove_file(&script); // of no use, and in nobody's way
    })?;
    let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let record = Submission { job: job.clone(), at, ..plan.record };
    let name = script.file_stem().unwrap_or_default().to_string_lossy();
    write_kept(&folder.join(FOLDER), &name, &record).map_err(|error| {
        let text = format!(
            "job {job} was submitted, but its record was not written ({error}), so that weightlab submit would hand its \
             runs out again; cancel it with scancel {job}"
        );
        ClusterError::disk(&script.with_extension("json"))(std::io::Error::other(text))
    })?;
    Ok(Submitted { job, script, logs: logs(folder) })
}

/// Writes a script under the next number that is free.
fn new_script(folder: &Path, text: &str) -> Result<PathBuf, ClusterError> {
    let logs = logs(folder);
    std::fs::create_dir_all(&logs).map_err(ClusterError::disk(&logs))?;
    let folder = folder.join(FOLDER);
    for number in 1_u64.. {
        let path = folder.join(format!("submit-{number}.sh"));
        if ["json", "ron"].iter().any(|ending| path.with_extension(ending).exists()) {
            continue;
        }
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                file.write_all(text.as_bytes()).map_err(ClusterError::disk(&path))?;
                return Ok(path);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(ClusterError::disk(&path)(error)),
        }
    }
    Err(ClusterError::Settings("there is no number left for the script".to_owned()))
}

/// The place of a run: with a process, in the queue, or finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunPlace {
    Done,
    Running,
    /// A task of Slurm will.
    Pending,
    Interrupted,
    Failed,
    /// It has not begun, and no task has it.
    NotSubmitted,
}

impl RunPlace {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 6] =
        [Self::Done, Self::Running, Self::Pending, Self::Interrupted, Self::Failed, Self::NotSubmitted];

    /// Returns its name in lists.
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

/// The places of all runs of an experiment.
#[derive(Debug, Default)]
pub struct Status {
    pub places: Vec<RunPlace>,
    /// Tasks of Slurm that are not over.
    pub tasks: Vec<ClusterTask>,
    pub submissions: usize,
    /// Why the queue of Slurm is not known.
    pub trouble: Option<ClusterError>,
    /// Records of submissions that cannot be read.
    pub damaged: Vec<PathBuf>,
}

impl Status {
    /// Looks at the directories and at the queue. Slurm is asked only where something was submitted.
    pub fn read(runs: Runs<'_>, slurm: &Slurm) -> Self {
        let (known, damaged) = submissions(runs.folder);
        // The queue first: a run that ends between both looks is done then, not lost.
        let (active, trouble) = active_tasks(&known, slurm)
            .map_or_else(|error| (Vec::new(), Some(error)), |active| (active, None));
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

    /// Counts the runs by their place.
    pub fn counts(&self) -> BTreeMap<RunPlace, usize> {
        let mut counts = BTreeMap::new();
        for place in &self.places {
            *counts.entry(*place).or_default() += 1;
        }
        counts
    }

    /// Returns `31 done, 4 running, 20 pending`.
    pub fn in_words(&self) -> String {
        let counts = self.counts();
        let word = |(place, count): (&RunPlace, &usize)| format!("{count} {}", place.word());
        counts.iter().map(word).collect::<Vec<_>>().join(", ")
    }

    /// Returns `Slurm: job 12: 3 tasks running, 8 pending (Resources)`, a line a job; or why the queue is not known.
    pub fn queue_in_words(&self) -> Vec<String> {
        if let Some(trouble) = &self.trouble {
            return vec![format!("The queue of Slurm is not known: {trouble}")];
        }
        let mut seen = BTreeSet::new();
        let jobs = self.tasks.iter().map(|task| task.job.as_str()).filter(|job| seen.insert(*job));
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
        jobs.map(line).collect()
    }

    /// Returns true if nothing will change by itself: no process and no task works on the runs. A Slurm that does not answer for a
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

/// Cancels the jobs of an experiment that are not over, and no others; returns those that were cancelled, the first one
/// first. Tasks that run save first.
///
/// # Errors
/// When Slurm is not there or refuses it.
pub fn cancel(folder: &Path, slurm: &Slurm) -> Result<Vec<String>, ClusterError> {
    let (known, _) = submissions(folder);
    let active = active_tasks(&known, slurm)?;
    let is_active = |known: &&Submission| active.iter().any(|(submission, _)| submission.job == known.job);
    let jobs: Vec<String> = known.iter().filter(is_active).map(|known| known.job.clone()).collect();
    if !jobs.is_empty() {
        slurm.cancel(&jobs)?;
    }
    Ok(jobs)
}
