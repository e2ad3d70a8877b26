//! The expected time of runs: by the pace of finished ones, or by a quick measurement.

mod measure;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use measure::upper_median;
pub use measure::{Pace, measure};

use super::program::{Cost, Task, Work};
use super::queue::QueueOptions;
use doc::Run;
use form::number::{counted, grouped};

/// Seconds that reading the data once can take beside the work.
const FIRST_READING: f64 = 2.0;

/// A run that is not done yet.
#[derive(Clone, Copy, Debug)]
pub struct RemainingRun<'a> {
    pub run: &'a Run,
    pub cost: &'a Cost,
    /// The remaining share of it, in [0, 1].
    pub share: f64,
}

/// A run that is done.
#[derive(Clone, Copy, Debug)]
pub struct FinishedRun<'a> {
    pub run: &'a Run,
    pub cost: &'a Cost,
    pub secs: f64,
}

/// Measured paces of tasks.
#[derive(Clone, Debug, Default)]
pub struct Paces(Vec<MeasuredPace>);

/// The pace of a task beside others; none where it cannot be measured, which ends further tries.
#[derive(Clone, Debug)]
pub struct MeasuredPace {
    task: Task,
    options: QueueOptions,
    pub pace: Option<Pace>,
}

impl Paces {
    /// Adds a measurement.
    pub fn add(&mut self, task: Task, options: QueueOptions, pace: Option<Pace>) {
        self.0.retain(|known| (&known.task, known.options) != (&task, options));
        self.0.push(MeasuredPace { task, options, pace });
    }

    /// Finds the measurement of a task; none where it was not measured.
    pub fn find(&self, task: &Task, options: QueueOptions) -> Option<&MeasuredPace> {
        self.0.iter().find(|known| (&known.task, known.options) == (task, options))
    }

    fn get(&self, task: &Task, options: QueueOptions) -> Option<Pace> {
        self.find(task, options)?.pace
    }
}

/// The expected time of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// Seconds until the last one is done.
    pub secs: f64,
    /// The bounds of these seconds, by the spread of what they are based on.
    pub range: [f64; 2],
    pub jobs: usize,
    /// Number of finished runs in the estimate.
    pub done: usize,
    /// Number of measured mini-batches in the estimate.
    pub measured: u64,
}

impl Expected {
    /// Describes the basis: `from the pace of 3 finished runs`, `from a quick measurement of 12 mini-batches`, or both.
    pub fn basis(&self) -> String {
        let done = format!("from the pace of {}", counted(self.done, "finished run"));
        let measured = format!("from a quick measurement of {} mini-batches", grouped(self.measured));
        match (self.done > 0, self.measured > 0) {
            (true, true) => format!("{done}, and {measured}"),
            (true, false) => done,
            (false, _) => measured,
        }
    }

    /// Returns `, 2 runs side by side`, where they are several.
    pub fn side_by_side(&self) -> String {
        if self.jobs > 1 { format!(", {} runs side by side", self.jobs) } else { String::new() }
    }
}

/// The estimate of the remaining time.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpectedTime {
    Known(Expected),
    /// Nothing before these are measured.
    Needs(Vec<Task>),
    /// Nothing: what is needed cannot be measured.
    Unknown,
}

/// Estimates the time of the remaining runs, in their order and in parallel by the options. A run takes as long as the
/// finished ones of its arm; else, for its work, as long as those with the same task; else as measured.
pub fn expected(
    left: &[RemainingRun<'_>],
    done: &[FinishedRun<'_>],
    paces: &Paces,
    options: QueueOptions,
) -> ExpectedTime {
    let mut basis = Basis::new(done, paces, options);
    let (mut secs, mut needs) = (Vec::new(), Vec::<Task>::new());
    let mut unknown = BTreeSet::new();
    for left in left {
        if let Some(own) = basis.secs(left) {
            secs.push(own.map(|bound| bound * left.share));
            continue;
        }
        if !unknown.insert(left.run.arm.as_str()) {
            continue; // its arm is asked for
        }
        let tasks = left.cost.work.mini_batches.iter().map(|(task, _)| task);
        for task in tasks.filter(|task| paces.find(task, options).is_none()) {
            if !needs.contains(task) {
                needs.push(task.clone());
            }
        }
    }
    if secs.len() == left.len() {
        let first = if basis.runs.is_empty() && basis.expected.measured > 0 { FIRST_READING } else { 0.0 };
        let [least, secs, most] =
            [0, 1, 2].map(|bound| last_end(secs.iter().map(|secs| secs[bound]), options.jobs));
        let (range, done) = ([least, most + first], basis.runs.len());
        ExpectedTime::Known(Expected { secs, range, done, ..basis.expected })
    } else if needs.is_empty() {
        ExpectedTime::Unknown
    } else {
        ExpectedTime::Needs(needs)
    }
}

/// Returns the end of the last of these, `jobs` at a time: the next one begins where one has ended.
fn last_end(secs: impl Iterator<Item = f64>, jobs: usize) -> f64 {
    let mut ends = vec![0.0_f64; jobs.max(1)];
    for secs in secs {
        if let Some(first) = ends.iter_mut().min_by(|a, b| a.total_cmp(b)) {
            *first += secs;
        }
    }
    ends.into_iter().fold(0.0, f64::max)
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RunProgress {
    /// It is done, and took so many seconds.
    Done(f64),
    /// This share of it is done, in [0, 1].
    Share(f64),
}

/// The costs of runs, by arm: the runs of an arm cost the same.
pub struct Costs<'a>(BTreeMap<(usize, &'a str), Result<Cost, String>>);

impl<'a> Costs<'a> {
    /// Computes the costs of these runs; `cost` returns that of one, or why it is unknown.
    pub fn new(
        runs: impl IntoIterator<Item = &'a Run>,
        mut cost: impl FnMut(&Run) -> Result<Cost, String>,
    ) -> Self {
        let mut costs = BTreeMap::new();
        for run in runs {
            costs.entry((run.arm_index, run.arm.as_str())).or_insert_with(|| cost(run));
        }
        Self(costs)
    }

    /// Returns the cost of a run of one of the arms of [`Self::new`], or why it is unknown.
    pub fn get<'b>(&'b self, run: &'b Run) -> Result<&'b Cost, &'b String> {
        self.0[&(run.arm_index, run.arm.as_str())].as_ref()
    }

    /// Returns the costs of all arms, as far as they are known.
    pub fn all(&self) -> impl Iterator<Item = &Cost> {
        self.0.values().filter_map(|cost| cost.as_ref().ok())
    }

    /// Splits runs of the same arms into the finished ones whose cost is known, and the remaining ones.
    pub fn lists<'b>(
        &'b self,
        runs: impl IntoIterator<Item = &'a Run>,
        progress: impl Fn(&Run) -> RunProgress,
    ) -> Result<(Vec<FinishedRun<'b>>, Vec<RemainingRun<'b>>), String> {
        let (mut done, mut left) = (Vec::new(), Vec::new());
        for run in runs {
            match (progress(run), self.get(run)) {
                (RunProgress::Done(secs), Ok(cost)) => done.push(FinishedRun { run, cost, secs }),
                (RunProgress::Done(_), Err(_)) => {}
                (RunProgress::Share(share), cost) => {
                    left.push(RemainingRun { run, cost: cost.map_err(Clone::clone)?, share: 1.0 - share });
                }
            }
        }
        Ok((done, left))
    }
}

/// Runs are not expected to differ less than this from the finished ones: shares of their time.
const LEAST_SPREAD: f64 = 0.1;
/// Least spread where there is one finished run alone.
const SPREAD_OF_ONE: f64 = 0.2;
/// Least spread where other runs show how much longer real ones take than measured ones.
const SPREAD_OF_OTHERS: f64 = 0.3;
/// Real mini-batches can be faster than measured ones by this share, and slower by at least the other one: measured
/// samples are all in the cache.
const FASTER: f64 = 0.15;
const SLOWER: f64 = 0.5;
/// At most so many times as long as measured. What interrupts a fraction of a second says little about hours.
const SLOWEST: f64 = 2.5;
/// Seconds that starting and ending a run can take beside the work.
const START_OF_RUN: f64 = 1.0;

/// The basis of an estimate, and how much of it was used.
struct Basis<'a> {
    /// Finished runs that took time here, by arm: a run of another process took none.
    done: BTreeMap<&'a str, Vec<&'a FinishedRun<'a>>>,
    paces: &'a Paces,
    options: QueueOptions,
    expected: Expected,
    /// Tasks whose measurement is counted.
    tasks: Vec<&'a Task>,
    runs: BTreeSet<&'a str>,
    arms: BTreeMap<&'a str, Option<Bounds>>,
    /// The paces of finished runs with each task that was asked for.
    by_task: Vec<(&'a Task, Option<Bounds>)>,
    /// Time of finished runs over their measured time, once that was asked for.
    #[allow(clippy::option_option)] // not asked yet differs from unknown
    ratio: Option<Option<f64>>,
}

/// The least, the expected and the most seconds of a run.
type Bounds = [f64; 3];

impl<'a> Basis<'a> {
    fn new(done: &'a [FinishedRun<'a>], paces: &'a Paces, options: QueueOptions) -> Self {
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
            by_task: Vec::new(),
            ratio: None,
        }
    }

    /// Estimates the seconds of a run; none where they are not known.
    fn secs(&mut self, left: &RemainingRun<'a>) -> Option<Bounds> {
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

    /// Returns the paces of the finished runs with this task, which are in the estimate from then on.
    fn paces_of_task(&mut self, task: &'a Task) -> Option<Bounds> {
        if let Some((_, paces)) = self.by_task.iter().find(|(known, _)| *known == task) {
            return *paces;
        }
        // The runs of an arm share their cost.
        let arms = self.done.values().filter(|of_arm| of_arm[0].cost.work.main() == task);
        let known: Vec<&FinishedRun<'_>> = arms.flatten().copied().collect();
        let paces = paces_of(&known);
        self.by_task.push((task, paces));
        self.runs.extend(known.iter().filter(|_| paces.is_some()).map(|taken| taken.run.id.as_str()));
        paces
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

    /// Returns the seconds of a run's work by measurements, if there are some of all its tasks.
    fn measured_secs(&self, work: &Work) -> Option<f64> {
        let (mut secs, mut sample) = (0.0, None);
        for (task, count) in &work.mini_batches {
            let pace = self.paces.get(task, self.options)?;
            secs += count * pace.mini_batch;
            sample.get_or_insert(pace.sample);
        }
        Some(secs + work.evaluated * sample.unwrap_or_default())
    }

    /// Returns how many times as long as measured the finished runs took, where they were measured too.
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

/// Returns the paces of finished runs, in seconds for each multiply-add.
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::cost;
    use doc::file::parse;
    use doc::runs;

    /// Arms of the same network with one and two epochs, and one of another network.
    fn all() -> Vec<(Run, Cost)> {
        let text = "(data: Digits(limit_train: 640, limit_test: 64), seeds: [1, 2], arms: [
            (name: \"one\", plan: [Train(\"1ep\")]), (name: \"two\", plan: [Train(\"2ep\")]),
            (name: \"other\", net: Mlp(hidden: [4]), plan: [Train(\"1ep\")])])";
        let runs = runs(&parse(text, Path::new("x.ron")).unwrap()).unwrap();
        runs.into_iter().map(|run| (run.clone(), cost(&run).unwrap())).collect()
    }

    fn left(all: &[(Run, Cost)]) -> Vec<RemainingRun<'_>> {
        all.iter().map(|(run, cost)| RemainingRun { run, cost, share: 1.0 }).collect()
    }

    const ALONE: QueueOptions = QueueOptions { jobs: 1, threads: 1 };

    fn known(time: &ExpectedTime) -> Expected {
        let ExpectedTime::Known(expected) = time else { panic!("{time:?}") };
        *expected
    }

    #[test]
    fn runs_that_are_done_tell_of_their_arm_and_of_those_that_do_the_same() {
        let all = all();
        let (run, cost) = &all[0];
        let done = [FinishedRun { run, cost, secs: 3.0 }];
        let nothing = Paces::default();
        let own = known(&expected(&left(&all[1..2]), &done, &nothing, ALONE));
        assert_eq!((own.secs, own.done, own.measured), (3.0, 1, 0));
        let twice = known(&expected(&left(&all[2..4]), &done, &nothing, ALONE));
        assert!((twice.secs - 12.0).abs() < 1e-9, "two runs of two epochs: {twice:?}");
        let half = [RemainingRun { share: 0.5, ..left(&all)[1] }];
        assert_eq!(known(&expected(&half, &done, &nothing, ALONE)).secs, 1.5);
        let other = expected(&left(&all[1..]), &done, &nothing, ALONE);
        assert_eq!(other, ExpectedTime::Needs(vec![all[4].1.work.main().clone()]));
        let idle = [FinishedRun { run, cost, secs: 0.0 }];
        assert!(matches!(expected(&left(&all[1..2]), &idle, &nothing, ALONE), ExpectedTime::Needs(_)));
    }

    #[test]
    fn what_was_measured_is_multiplied_by_what_is_done() {
        let all = all();
        let mut paces = Paces::default();
        let task = all[0].1.work.main().clone();
        // 10 mini-batches and one evaluation of 64 samples; twice both; two seeds each.
        let mut expected_of = |jobs| {
            let options = QueueOptions { jobs, ..ALONE };
            paces.add(
                task.clone(),
                options,
                Some(Pace { mini_batch: 0.5, sample: 0.125, interrupted: 2.0, measured: 4 }),
            );
            known(&expected(&left(&all[..4]), &[], &paces, options))
        };
        let found = expected_of(1);
        assert_eq!((found.secs, found.jobs, found.done, found.measured), (78.0, 1, 0, 4));
        // Twice as long with interruptions, four starts, and the data once.
        assert_eq!(found.range[1], 2.0 * 78.0 + 4.0 * START_OF_RUN + FIRST_READING);
        assert!((found.range[0] - 0.85 * 78.0).abs() < 1e-9);
        assert_eq!(expected_of(2).secs, 39.0);
        assert_eq!(expected_of(64).secs, 26.0, "no run is shared");
        paces.add(task, ALONE, None);
        assert_eq!(expected(&left(&all[..4]), &[], &paces, ALONE), ExpectedTime::Unknown);
    }

    #[test]
    fn the_upper_end_is_at_most_a_few_times_the_expected_time_and_narrows_with_the_first_real_run() {
        let all = all();
        let mut paces = Paces::default();
        let [task, other] = [0, 4].map(|at: usize| all[at].1.work.main().clone());
        // A minute in all: six runs, two of them of twice the length, on a machine that does other things too.
        for task in [task, other] {
            let pace = Pace { mini_batch: 0.75, sample: 0.0, interrupted: 8.0, measured: 4 };
            paces.add(task, ALONE, Some(pace));
        }
        let first = known(&expected(&left(&all), &[], &paces, ALONE));
        assert_eq!(first.secs, 60.0);
        let most = first.range[1] / first.secs;
        assert!((2.0..3.0).contains(&most), "{first:?}");
        // A real run takes 1.5 times as long as measured: those of the other network do too.
        let (run, cost) = &all[0];
        let done = [FinishedRun { run, cost, secs: 11.25 }];
        let later = known(&expected(&left(&all[4..]), &done, &paces, ALONE));
        assert_eq!((later.secs, later.done, later.measured), (22.5, 1, 4));
        assert!((later.range[1] - 1.3 * 22.5).abs() < 1e-9, "{later:?}");
        let both = known(&expected(&left(&all[1..]), &done, &paces, ALONE));
        assert!(both.range[1] < 1.3 * both.secs && both.range[0] > 0.7 * both.secs, "{both:?}");
    }

    #[test]
    fn arms_without_a_finished_run_share_those_with_the_same_task() {
        let text = "(data: Digits(limit_train: 640, limit_test: 64), seeds: [1, 2, 3], sweep: { \"train.batch\": [8, 16] }, arms: [
            (name: \"a\", plan: [Train(\"1ep\")]), (name: \"b\", plan: [Train(\"2ep\")]), (name: \"c\", plan: [Train(\"3ep\")])])";
        let all = runs(&parse(text, Path::new("x.ron")).unwrap()).unwrap();
        let all: Vec<(Run, Cost)> = all.into_iter().map(|run| (run.clone(), cost(&run).unwrap())).collect();
        let (first, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(run, _)| run.arm_index == 0);
        let done = first.iter().enumerate().map(|(nth, (run, cost))| FinishedRun {
            run,
            cost,
            secs: 1.0 + 0.125 * (nth * nth) as f64,
        });
        let done: Vec<FinishedRun<'_>> = done.collect();
        let time = known(&expected(&left(&others), &done, &Paces::default(), ALONE));
        let alone = |(run, cost): &(Run, Cost)| {
            let same = |done: &&FinishedRun<'_>| done.cost.work.main() == cost.work.main();
            let same: Vec<FinishedRun<'_>> = done.iter().filter(same).copied().collect();
            assert_eq!(same.len(), 3, "{} of one batch", run.arm);
            let left = [RemainingRun { run, cost, share: 1.0 }];
            known(&expected(&left, &same, &Paces::default(), ALONE)).secs
        };
        assert_eq!((time.secs, time.done), (others.iter().map(alone).sum::<f64>(), 6));
    }

    #[test]
    fn the_next_run_begins_where_one_has_ended() {
        assert_eq!(last_end([3.0, 1.0, 1.0, 2.0].into_iter(), 2), 4.0);
        assert_eq!(last_end(std::iter::empty(), 3), 0.0);
    }

    #[test]
    fn bounds_enclose_the_spread_of_finished_runs_and_more_work_takes_longer() {
        let all = all();
        let done: Vec<FinishedRun<'_>> = [(0, 3.0), (1, 5.0)]
            .map(|(at, secs): (usize, f64)| FinishedRun { run: &all[at].0, cost: &all[at].1, secs })
            .to_vec();
        let nothing = Paces::default();
        let one = known(&expected(&left(&all[..1]), &done, &nothing, ALONE));
        assert_eq!((one.secs, one.range), (4.0, [3.0, 5.0]));
        let alone = known(&expected(&left(&all[1..2]), &done[..1], &nothing, ALONE));
        assert!(alone.range[0] < 2.5 && alone.range[1] > 3.5, "one run has no spread: {alone:?}");
        let mut last = [0.0; 3];
        for count in 1..=4 {
            let more = known(&expected(&left(&all[..count]), &done, &nothing, ALONE));
            let bounds = [more.range[0], more.secs, more.range[1]];
            assert!(bounds.is_sorted() && (0..3).all(|bound| bounds[bound] > last[bound]), "{bounds:?}");
            last = bounds;
        }
    }

    #[test]
    fn runs_are_done_or_left_and_a_cost_that_is_not_known_counts_for_what_is_left_only() {
        let text = "(data: Digits(limit_train: 64), seeds: [1, 2], arms: [
            (name: \"a\", plan: [Test]), (name: \"b\", plan: [Test])])";
        let runs = runs(&parse(text, Path::new("x.ron")).unwrap()).unwrap();
        let for_one = |run: &Run| if run.arm == "a" { cost(run) } else { Err("no size".to_owned()) };
        let costs = Costs::new(&runs, for_one);
        let far = |run: &Run| match (run.arm.as_str(), run.seed) {
            ("a", 1) => RunProgress::Share(0.25),
            _ => RunProgress::Done(3.0),
        };
        let (done, left) = costs.lists(&runs, far).unwrap();
        assert_eq!((done.len(), done[0].secs), (1, 3.0), "the cost of b is not known");
        assert_eq!((left.len(), left[0].share), (1, 0.75));
        assert_eq!(costs.lists(&runs, |_| RunProgress::Share(0.0)).unwrap_err(), "no size");
    }
}
