//! How many tasks there are: packed by the expected time of the runs.

use std::path::Path;

use super::error::ClusterError;
use super::settings::ClusterSettings;
use doc::Run;
use form::number::counted;
use run::{
    Costs, Expected, ExpectedTime, Pace, Paces, QueueOptions, RunProgress, Task, cost, expected, parallelism,
    read_records,
};

/// More kinds of mini-batches than these take too long to measure.
const MOST_KINDS: usize = 40;

/// The runs of an experiment, and where they are.
#[derive(Clone, Copy, Debug)]
pub struct Runs<'a> {
    /// All of them, each once.
    pub all: &'a [Run],
    /// The folder of their directories.
    pub folder: &'a Path,
}

/// How runs are dealt out to tasks.
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
    /// The number of tasks that was asked for, or else as many as the time per task needs. `earlier` is what the last
    /// submission of the same runs with the same time per task had: resubmitted tasks then mean the same.
    ///
    /// # Errors
    /// When the number depends on the expected time, and that is not known.
    pub fn of(
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

/// How long all runs would take on the processors of one task, those that are done too.
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
            paces.take(task, options, pace);
        }
    }
    let ExpectedTime::Known(known) = expected(&all, &done, &paces, options) else {
        return Err(unknown("it cannot be measured here"));
    };
    let share = jobs as f64 / cpus.min(runs.all.len()).max(1) as f64;
    Ok(Expected { secs: known.secs * share, range: known.range.map(|secs| secs * share), ..known })
}
