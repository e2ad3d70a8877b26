//! What a submission would hand out: what is not done and not in the queue already.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::ClusterError;
use super::script::Script;
use super::settings::ClusterSettings;
use super::shard::Shard;
use super::slurm::Slurm;
use super::submissions::{Submission, active_tasks, submissions};
use doc::Run;
use form::number::counted;
use results::RunState;
use results::number::duration_range;
use run::{
    Costs, Expected, ExpectedTime, Pace, Paces, QueueOptions, RunProgress, Task, cost, expected, parallelism,
    read_records, read_states,
};

/// A request to submit runs.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The runs of the experiment, and their folder.
    pub runs: Runs<'a>,
    /// The file of the experiment.
    pub file: &'a Path,
    /// Settings of the command line.
    pub set: &'a [(String, String)],
    /// The program that the tasks start.
    pub program: &'a Path,
    pub settings: &'a ClusterSettings,
}

/// A submission that has not been made.
#[derive(Debug)]
pub struct Plan {
    pub script: Script,
    /// How the runs are dealt out.
    pub packing: Packing,
    /// Runs that are done.
    pub done: usize,
    /// Runs that are not done and whose tasks are in the queue.
    pub held: usize,
    /// Runs that are handed out.
    pub left: usize,
    /// Records of earlier submissions that cannot be read.
    pub damaged: Vec<PathBuf>,
    /// Why nothing can be submitted here.
    pub trouble: Option<ClusterError>,
    pub(super) record: Submission,
}

/// Looks at the runs and at the queue, and writes the script, on no disk yet. `measure` measures a pace, for the expected
/// time. Without Slurm, the plan says so and is as if the queue were empty.
///
/// # Errors
/// Settings that do not fit, and an expected time that is needed and not known.
pub fn prepare(
    request: &Request<'_>,
    slurm: &Slurm,
    measure: &dyn Fn(&Task, QueueOptions) -> Option<Pace>,
) -> Result<Plan, ClusterError> {
    let Request { runs, settings, .. } = *request;
    settings.check()?;
    if let Some(path) =
        [request.program, request.file, runs.folder].iter().find(|path| path.to_str().is_none())
    {
        return Err(ClusterError::Settings(format!(
            "{} is no UTF-8, which a batch script must be; rename it",
            path.display()
        )));
    }
    let (known, damaged) = submissions(runs.folder);
    let asked = slurm.largest_index().and_then(|most| Ok((most, active_tasks(&known, slurm)?)));
    let ((largest_index, active), trouble) =
        asked.map_or_else(|error| ((None, Vec::new()), Some(error)), |queue| (queue, None));
    let ids: Vec<String> = runs.all.iter().map(|run| run.id.clone()).collect();
    let (minutes, cpus) = (Some(settings.minutes), settings.cpus);
    let is_same =
        |earlier: &&Submission| earlier.runs == ids && earlier.minutes == minutes && earlier.cpus == cpus;
    let earlier = known.iter().rev().find(is_same).map(|earlier| earlier.shards);
    let packing = Packing::choose(runs, settings, earlier, largest_index, measure)?;

    let held: BTreeSet<&str> =
        active.iter().flat_map(|(submission, task)| submission.runs_of(task.index)).collect();
    let states = read_states(runs.folder, runs.all);
    let is_done: Vec<bool> = ids.iter().map(|id| states[id] == RunState::Done).collect();
    let is_left = |at: &usize| !is_done[*at] && !held.contains(ids[*at].as_str());
    let of = packing.shards;
    let left_of =
        |index: usize| Shard { index, of }.pick(0..ids.len()).iter().filter(|at| is_left(at)).count();
    let tasks: Vec<usize> = (1..=of).filter(|index| left_of(*index) > 0).collect();
    let done = is_done.iter().filter(|done| **done).count();
    let left = (0..ids.len()).filter(is_left).count();
    let held = ids.len() - done - left;
    let minutes = minutes.filter(|_| settings.shards.is_none());
    let record =
        Submission { shards: of, minutes, cpus, tasks: tasks.clone(), runs: ids, ..Submission::default() };
    let script = Script {
        program: request.program.to_owned(),
        file: request.file.to_owned(),
        set: request.set.to_owned(),
        folder: runs.folder.to_owned(),
        runs: record.runs.len(),
        shards: of,
        tasks,
        settings: settings.clone(),
    };
    Ok(Plan { script, packing, done, held, left, damaged, trouble, record })
}

impl Plan {
    /// Returns true if there is nothing to hand out.
    pub const fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Says what is handed out, and what is not, a sentence a line.
    pub fn summary(&self) -> Vec<String> {
        let all = counted(self.record.runs.len(), "run");
        let mut lines = Vec::new();
        if self.is_empty() {
            lines.push(match self.held {
                0 => format!("Nothing is missing: {all}, all done"),
                held => {
                    format!("Nothing is missing: of {all}, {} are done and {held} in the queue", self.done)
                }
            });
        } else {
            let tasks = counted(self.script.tasks.len(), "task");
            let of = if self.script.tasks.len() < self.packing.shards {
                format!("{tasks} of {}", self.packing.shards)
            } else {
                tasks
            };
            let left = counted(self.left, "run");
            let [done, held] = [(self.done, "done"), (self.held, "in the queue")]
                .map(|(count, what)| (count > 0).then(|| format!("{count} {what}")));
            let others: Vec<String> = done.into_iter().chain(held).collect();
            lines.push(if others.is_empty() {
                format!("{of} for {left}")
            } else {
                format!("{of} for {left} (of {all}, {})", others.join(", "))
            });
            if let Some(expected) = self.packing.expected.filter(|_| self.left == self.record.runs.len()) {
                let tasks = self.packing.shards as f64;
                let range = duration_range(expected.range.map(|secs| secs / tasks));
                lines.push(format!("A task takes {range}, {}", expected.basis()));
            }
        }
        lines.extend(self.packing.lowered.clone());
        lines.extend(self.damaged.iter().map(|path| {
            format!("{} cannot be read: tasks of that submission may be handed out again", path.display())
        }));
        lines
    }
}

/// More kinds of mini-batches than these take too long to measure.
const MOST_KINDS: usize = 40;

/// The runs of an experiment, and where they are.
#[derive(Clone, Copy, Debug)]
pub struct Runs<'a> {
    /// All of them, each once.
    pub all: &'a [Run],
    pub folder: &'a Path,
}

/// The division of runs among tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packing {
    /// Number of tasks.
    pub shards: usize,
    /// The expected time of all runs one task after the other, where it was needed.
    pub expected: Option<Expected>,
    /// Why there are fewer tasks than asked for.
    pub lowered: Option<String>,
}

impl Packing {
    /// Chooses the number of tasks that was asked for, or else as many as the time per task needs. `earlier` is what the last
    /// submission of the same runs with the same time per task had: resubmitted tasks then mean the same.
    ///
    /// # Errors
    /// When the number depends on the expected time, and that is not known.
    pub fn choose(
        runs: Runs<'_>,
        settings: &ClusterSettings,
        earlier: Option<usize>,
        largest_index: Option<usize>,
        measure: &dyn Fn(&Task, QueueOptions) -> Option<Pace>,
    ) -> Result<Self, ClusterError> {
        let (wanted, expected) = match (settings.shards, earlier) {
            (Some(shards), _) | (None, Some(shards)) => (shards, None),
            (None, None) => {
                let expected = all_on_a_task(runs, settings.cpus, measure)?;
                ((expected.secs / (settings.minutes as f64 * 60.0)).ceil() as usize, Some(expected))
            }
        };
        let mut packing = Self { shards: wanted.clamp(1, runs.all.len().max(1)), expected, lowered: None };
        if settings.shards.is_some_and(|asked| asked > packing.shards) {
            packing.lowered = Some(format!(
                "{} instead of {wanted}: there are no more runs",
                counted(packing.shards, "task")
            ));
        }
        if let Some(most) = largest_index.filter(|most| *most < packing.shards) {
            packing.lowered = Some(format!(
                "{} instead of {}: MaxArraySize of this cluster allows no index above {most}; a task has more runs \
                 instead",
                counted(most.max(1), "task"),
                packing.shards
            ));
            packing.shards = most.max(1);
        }
        Ok(packing)
    }
}

/// Estimates how long all runs would take on the processors of one task, those that are done too.
fn all_on_a_task(
    runs: Runs<'_>,
    cpus: usize,
    measure: &dyn Fn(&Task, QueueOptions) -> Option<Pace>,
) -> Result<Expected, ClusterError> {
    let unknown = |why: &str| {
        ClusterError::Settings(format!(
            "the number of tasks follows from the expected time of the runs, which is not known ({why}); give the number \
             of tasks instead (--shards)"
        ))
    };
    // What this computer has fewer processors for is measured with those that it has.
    let jobs = cpus.min(parallelism()).min(runs.all.len()).max(1);
    let options = QueueOptions { jobs, threads: 1 };
    let records = read_records(runs.folder, runs.all);
    let costs = Costs::new(runs.all, cost);
    let far = |run: &Run| match records.get(&run.id) {
        Some(record) if record.is_done() => RunProgress::Done(record.progress().secs),
        _ => RunProgress::Share(0.0),
    };
    let (done, _) = costs.lists(runs.all, far).map_err(|why| unknown(&why))?;
    let (_, all) = costs.lists(runs.all, |_| RunProgress::Share(0.0)).map_err(|why| unknown(&why))?;
    let mut paces = Paces::default();
    if let ExpectedTime::Needs(tasks) = expected(&all, &done, &paces, options) {
        if tasks.len() > MOST_KINDS {
            return Err(unknown(&format!("{} kinds of mini-batches would have to be measured", tasks.len())));
        }
        for task in tasks {
            let pace = measure(&task, options);
            paces.add(task, options, pace);
        }
    }
    let ExpectedTime::Known(known) = expected(&all, &done, &paces, options) else {
        return Err(unknown("it cannot be measured here"));
    };
    let share = jobs as f64 / cpus.min(runs.all.len()).max(1) as f64;
    Ok(Expected { secs: known.secs * share, range: known.range.map(|secs| secs * share), ..known })
}
