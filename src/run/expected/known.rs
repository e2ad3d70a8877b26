//! What is known of the time of runs: from finished ones, and from measurements.

use std::collections::{BTreeMap, BTreeSet};

use super::{Expected, FinishedRun, Pace, Paces, RemainingRun};
use crate::queue::QueueOptions;
use crate::work::{Task, Work};

/// Runs are not expected to differ less than this from the finished ones: shares of their time.
const LEAST_SPREAD: f64 = 0.1;
/// The same where there is one finished run alone.
const SPREAD_OF_ONE: f64 = 0.2;
/// The same where other runs show how much longer real ones take than measured ones.
const SPREAD_OF_OTHERS: f64 = 0.3;
/// Real mini-batches can be faster than measured ones by this share, and slower by at least the other one: measured
/// samples are all in the cache.
const FASTER: f64 = 0.15;
const SLOWER: f64 = 0.5;
/// At most so many times as long as measured. What interrupts a fraction of a second says little about hours.
const SLOWEST: f64 = 2.5;
/// What starting and ending a run can take beside the work, in seconds.
pub(super) const START_OF_RUN: f64 = 1.0;

/// What the estimate is based on, and how much of it was used.
pub(super) struct Known<'a> {
    /// Finished runs that took time here, by arm: a run of another process took none.
    done: BTreeMap<&'a str, Vec<&'a FinishedRun<'a>>>,
    paces: &'a Paces,
    options: QueueOptions,
    pub expected: Expected,
    /// Tasks whose measurement is counted.
    tasks: Vec<&'a Task>,
    /// Finished runs in the estimate, by identity.
    pub runs: BTreeSet<&'a str>,
    /// Seconds of a run of each arm.
    arms: BTreeMap<&'a str, Option<Bounds>>,
    /// The finished runs with each task, once they are asked for.
    by_task: Option<Vec<(&'a Task, Group<'a>)>>,
    /// How many times as long as measured finished runs took, once that was asked for.
    #[allow(clippy::option_option)] // what nobody has asked for is not unknown
    ratio: Option<Option<f64>>,
}

/// The least, the expected and the most seconds of a run.
type Bounds = [f64; 3];

impl<'a> Known<'a> {
    pub fn new(done: &'a [FinishedRun<'a>], paces: &'a Paces, options: QueueOptions) -> Self {
        let mut by_arm = BTreeMap::<&str, Vec<&FinishedRun<'_>>>::new();
        for taken in done.iter().filter(|taken| taken.secs > 0.0) {
            by_arm.entry(taken.run.arm.as_str()).or_default().push(taken);
        }
        Self {
            done: by_arm,
            paces,
            options,
            expected: Expected { jobs: options.jobs, ..Expected::default() },
            tasks: Vec::new(),
            runs: BTreeSet::new(),
            arms: BTreeMap::new(),
            by_task: None,
            ratio: None,
        }
    }

    /// The seconds of a run; nothing where they are not known.
    pub fn secs(&mut self, left: &RemainingRun<'a>) -> Option<Bounds> {
        let arm = left.run.arm.as_str();
        if let Some(known) = self.arms.get(arm) {
            return *known;
        }
        let secs = self.secs_of_arm(left);
        self.arms.insert(arm, secs);
        secs
    }

    fn secs_of_arm(&mut self, left: &RemainingRun<'a>) -> Option<Bounds> {
        let work = &left.cost.work;
        let paces = match self.done.get(left.run.arm.as_str()) {
            Some(of_arm) => {
                let paces = paces_of(of_arm);
                let runs = of_arm.iter().filter(|_| paces.is_some());
                self.runs.extend(runs.map(|taken| taken.run.id.as_str()));
                paces
            }
            None => self.paces_of_task(work.main()),
        };
        match paces {
            Some(paces) => Some(paces.map(|pace| pace * work.multiply_adds())),
            None => self.measured(work),
        }
    }

    /// The paces of the finished runs with this task, which are in the estimate from then on.
    fn paces_of_task(&mut self, task: &Task) -> Option<Bounds> {
        let groups = self.by_task.get_or_insert_with(|| by_task(self.done.values().flatten().copied()));
        let (_, group) = groups.iter_mut().find(|(known, _)| *known == task)?;
        let paces = group.paces?;
        self.runs.extend(group.runs.drain(..));
        Some(paces)
    }

    fn measured(&mut self, work: &'a Work) -> Option<Bounds> {
        let known = work.mini_batches.iter().map(|(task, _)| self.paces.get(task, self.options));
        let paces = known.collect::<Option<Vec<Pace>>>()?;
        for ((task, _), pace) in work.mini_batches.iter().zip(&paces) {
            if !self.tasks.contains(&task) {
                self.tasks.push(task);
                self.expected.measured += pace.measured;
            }
        }
        let secs = self.measured_secs(work)?;
        if let Some(ratio) = self.real_to_measured() {
            let secs = ratio * secs;
            return Some([(1.0 - SPREAD_OF_OTHERS) * secs, secs, (1.0 + SPREAD_OF_OTHERS) * secs]);
        }
        let interrupted = paces.iter().map(|pace| pace.interrupted).fold(1.0, f64::max);
        let slowest = interrupted.clamp(1.0 + SLOWER, SLOWEST);
        Some([(1.0 - FASTER) * secs, secs, slowest * secs + START_OF_RUN])
    }

    /// Seconds of a run's work by measurements, if there are some of all its tasks.
    fn measured_secs(&self, work: &Work) -> Option<f64> {
        let (mut secs, mut sample) = (0.0, None);
        for (task, count) in &work.mini_batches {
            let pace = self.paces.get(task, self.options)?;
            secs += count * pace.mini_batch;
            sample.get_or_insert(pace.sample);
        }
        Some(secs + work.evaluated * sample.unwrap_or_default())
    }

    /// How many times as long as measured the finished runs took, where they were measured too.
    fn real_to_measured(&mut self) -> Option<f64> {
        if let Some(known) = self.ratio {
            return known;
        }
        let (mut real, mut measured) = (0.0, 0.0);
        for taken in self.done.values().flatten() {
            if let Some(secs) = self.measured_secs(&taken.cost.work) {
                self.runs.insert(taken.run.id.as_str());
                (real, measured) = (real + taken.secs, measured + secs);
            }
        }
        *self.ratio.insert((measured > 0.0).then(|| real / measured))
    }
}

/// Finished runs of one task.
struct Group<'a> {
    /// Those that are not in the estimate yet, by identity.
    runs: Vec<&'a str>,
    paces: Option<Bounds>,
}

/// Finished runs by their tasks.
fn by_task<'a>(done: impl Iterator<Item = &'a FinishedRun<'a>>) -> Vec<(&'a Task, Group<'a>)> {
    let mut found: Vec<(&Task, Vec<&FinishedRun<'_>>)> = Vec::new();
    let mut last: Option<(&Task, usize)> = None;
    for taken in done {
        let own = taken.cost.work.main();
        // The runs of an arm share their cost.
        let place = match last.filter(|(known, _)| std::ptr::eq(*known, own)) {
            Some((_, place)) => Some(place),
            None => found.iter().position(|(known, _)| *known == own),
        };
        let place = place.unwrap_or_else(|| {
            found.push((own, Vec::new()));
            found.len() - 1
        });
        found[place].1.push(taken);
        last = Some((own, place));
    }
    let group = |(task, taken): (&'a Task, Vec<&'a FinishedRun<'a>>)| {
        let runs = taken.iter().map(|taken| taken.run.id.as_str()).collect();
        (task, Group { runs, paces: paces_of(&taken) })
    };
    found.into_iter().map(group).collect()
}

/// The paces of finished runs, in seconds for each multiply-add.
fn paces_of(known: &[&FinishedRun<'_>]) -> Option<Bounds> {
    let secs: f64 = known.iter().map(|taken| taken.secs).sum();
    let done: f64 = known.iter().map(|taken| taken.cost.work.multiply_adds()).sum();
    if known.is_empty() || done == 0.0 {
        return None;
    }
    let pace = |taken: &&FinishedRun<'_>| taken.secs / taken.cost.work.multiply_adds().max(1.0);
    let (mean, spread) = (secs / done, if known.len() == 1 { SPREAD_OF_ONE } else { LEAST_SPREAD });
    let least = known.iter().map(pace).fold(mean * (1.0 - spread), f64::min);
    let most = known.iter().map(pace).fold(mean * (1.0 + spread), f64::max);
    Some([least, mean, most])
}
