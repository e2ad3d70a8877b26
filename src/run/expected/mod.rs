//! The expected time of runs: by the pace of finished ones, or by a quick measurement.

mod known;
mod lists;
mod measure;

use std::collections::BTreeSet;

pub use lists::{Costs, RunProgress};
pub use measure::{Pace, measure};

use super::cost::Cost;
use super::queue::QueueOptions;
use super::work::Task;
use doc::Run;
use form::number::{counted, grouped};
use known::Known;

/// What reading the data once can take beside the work, in seconds.
const FIRST_READING: f64 = 2.0;

/// A run that is not done yet.
#[derive(Clone, Copy, Debug)]
pub struct RemainingRun<'a> {
    /// What it is.
    pub run: &'a Run,
    /// Its cost.
    pub cost: &'a Cost,
    /// The remaining share of it, in [0, 1].
    pub share: f64,
}

/// A run that is done.
#[derive(Clone, Copy, Debug)]
pub struct FinishedRun<'a> {
    /// What it is.
    pub run: &'a Run,
    /// Its cost.
    pub cost: &'a Cost,
    /// How long it took, in seconds.
    pub secs: f64,
}

/// Measured paces of tasks.
#[derive(Clone, Debug, Default)]
pub struct Paces(Vec<(Task, QueueOptions, Option<Pace>)>);

impl Paces {
    /// Adds a measurement; `None` where a task cannot be measured, which ends further tries.
    pub fn take(&mut self, task: Task, options: QueueOptions, pace: Option<Pace>) {
        self.0.retain(|(known, shared, _)| (known, *shared) != (&task, options));
        self.0.push((task, options, pace));
    }

    /// The measurement of a task; nothing where nobody has tried.
    pub fn find(&self, task: &Task, options: QueueOptions) -> Option<&(Task, QueueOptions, Option<Pace>)> {
        self.0.iter().find(|(known, shared, _)| (known, *shared) == (task, options))
    }

    /// The pace of a task, if it was measured and can be.
    fn get(&self, task: &Task, options: QueueOptions) -> Option<Pace> {
        self.find(task, options).and_then(|(.., pace)| *pace)
    }
}

/// The expected time of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// Seconds until the last one is done.
    pub secs: f64,
    /// The bounds of these seconds, by the spread of what they are based on.
    pub range: [f64; 2],
    /// Number of runs in parallel.
    pub jobs: usize,
    /// Number of finished runs in the estimate.
    pub done: usize,
    /// Number of measured mini-batches in the estimate.
    pub measured: u64,
}

impl Expected {
    /// The basis of the estimate: `from the pace of 3 finished runs`, `from a quick measurement of 12 mini-batches`, or both.
    pub fn basis(&self) -> String {
        let done = format!("from the pace of {}", counted(self.done, "finished run"));
        let measured = format!("from a quick measurement of {} mini-batches", grouped(self.measured));
        match (self.done > 0, self.measured > 0) {
            (true, true) => format!("{done}, and {measured}"),
            (true, false) => done,
            (false, _) => measured,
        }
    }

    /// `, 2 runs side by side`, where they are several.
    pub fn side_by_side(&self) -> String {
        if self.jobs > 1 { format!(", {} runs side by side", self.jobs) } else { String::new() }
    }
}

/// The estimate of the remaining time.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpectedTime {
    /// The estimate.
    Known(Expected),
    /// Nothing before these are measured.
    Needs(Vec<Task>),
    /// Nothing: what is needed cannot be measured.
    Unknown,
}

/// The expected time of the remaining runs, in their order and in parallel by the options. A run takes as long as the
/// finished ones of its arm; else, for its work, as long as those with the same task; else as measured.
pub fn expected(
    left: &[RemainingRun<'_>],
    done: &[FinishedRun<'_>],
    paces: &Paces,
    options: QueueOptions,
) -> ExpectedTime {
    let mut known = Known::new(done, paces, options);
    let (mut secs, mut needs) = (Vec::new(), Vec::<Task>::new());
    let mut unknown = BTreeSet::new();
    for left in left {
        if let Some(own) = known.secs(left) {
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
        let first = if known.runs.is_empty() && known.expected.measured > 0 { FIRST_READING } else { 0.0 };
        let [least, secs, most] =
            [0, 1, 2].map(|bound| last_end(secs.iter().map(|secs| secs[bound]), options.jobs));
        let (range, done) = ([least, most + first], known.runs.len());
        ExpectedTime::Known(Expected { secs, range, done, ..known.expected })
    } else if needs.is_empty() {
        ExpectedTime::Unknown
    } else {
        ExpectedTime::Needs(needs)
    }
}

/// The end of the last of these, `jobs` at a time: the next one begins where one has ended.
fn last_end(secs: impl Iterator<Item = f64>, jobs: usize) -> f64 {
    let mut ends = vec![0.0_f64; jobs.max(1)];
    for secs in secs {
        if let Some(first) = ends.iter_mut().min_by(|a, b| a.total_cmp(b)) {
            *first += secs;
        }
    }
    ends.into_iter().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::known::START_OF_RUN;
    use super::*;
    use crate::cost;
    use doc::{file::parse, runs};

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
            paces.take(
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
        paces.take(task, ALONE, None);
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
            paces.take(task, ALONE, Some(pace));
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
}
