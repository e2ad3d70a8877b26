//! The runs of the document: started, estimated, and watched where other processes carry them out.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui;

use crate::background::BackgroundTask;
use crate::bar::Status;
use crate::document::Document;
use crate::log::Log;
use crate::runs::{Runs, jobs};
use crate::text;
use crate::watching::{ChangedRecord, WatchTarget, Watching};
use crate::worker::Worker;
use doc::{Run, RunSpec};
use results::{RunRecord, RunState, ends_in_words};
use run::{
    Cost, Costs, ExpectedTime, Job, Pace, Paces, QueueOptions, RemainingRun, RunProgress, StopFlag, StopKind,
    Task, expected,
};

/// A frame after an edit waits this long for results of the runs that the edit has made.
pub(super) const PATIENCE_FOR_MORE: Duration = Duration::from_millis(2);

/// Runs, their worker, and what is known about their time.
pub(super) struct Runner {
    pub worker: Box<dyn Worker>,
    pub runs: Runs,
    estimate: Estimate,
    /// The start of the runs that go on.
    pub batch_began: Option<Instant>,
    /// The number of runs that ended when runs went on last, and the time that took.
    pub last_batch: Option<(usize, Duration)>,
    /// The thread that looks for results of other processes, once it was started, if there can be one.
    watching: OnceCell<Option<Watching>>,
    /// What it watches: the folder of results, the revision of the document, and how many runs go on here.
    watched: Option<(PathBuf, u64, usize)>,
}

/// The runs to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StartRequest {
    /// But those that were stopped or have failed since the others were started.
    All,
    /// Those that were stopped or failed.
    Resumable,
    Failed,
    /// These, by identity.
    These(Vec<String>),
    /// These, before all others that wait.
    Next(Vec<String>),
}

/// The text of the bar while nothing runs, and the measurements for it.
#[derive(Default)]
struct Estimate {
    status: Status,
    paces: Paces,
    /// Costs of the runs of each arm, with the settings of one of them: an edit leaves most arms as they are.
    costs: KnownCosts,
    needed: Option<MeasureRequest>,
    measuring: Option<Measuring>,
}

/// The cost of a run, and its settings, by the position of its arm and what that is called with its swept values.
type KnownCosts = BTreeMap<(usize, String), (Arc<RunSpec>, Result<Cost, String>)>;

/// A task, and how the runs that do it will share the machine.
type MeasureRequest = (Task, QueueOptions);

/// A measurement; dropping this stops it.
struct Measuring {
    question: MeasureRequest,
    stop: StopFlag,
    background: BackgroundTask<Option<Pace>>,
}

impl Drop for Measuring {
    fn drop(&mut self) {
        self.stop.request(StopKind::Now);
    }
}

impl Runner {
    pub fn new(worker: Box<dyn Worker>) -> Self {
        let (runs, estimate) = (Runs::default(), Estimate::default());
        let (watching, watched) = (OnceCell::new(), None);
        Self { worker, runs, estimate, batch_began: None, last_batch: None, watching, watched }
    }

    /// Returns true if results of earlier runs are still being read.
    pub const fn is_reading(&self) -> bool {
        self.runs.is_reading() || self.runs.is_searching()
    }

    /// Returns the name of a run by its identity.
    pub fn name_of(&self, run: &str, document: &Document) -> String {
        match (document.run(run), self.runs.name(run)) {
            (Some(run), _) => doc::named(&run.arm, run.seed),
            (None, Some(name)) => format!("{name} (outdated)"),
            (None, None) => format!("run {run}"),
        }
    }

    /// Returns what has to come before runs can start: which ones are done, and what a run is, is known only then.
    pub fn start_blocked_by(&self, document: &Document) -> Option<&'static str> {
        if self.runs.is_reading() {
            return Some("earlier results have been read");
        }
        let waits = document.is_looking() || document.is_checking_files();
        waits.then_some("the data and files have been looked at")
    }

    /// Starts the requested runs that are not done, or adds them to those that go on. Returns true if there are any.
    pub fn start(
        &mut self,
        request: &StartRequest,
        document: &Document,
        folder: &Path,
        log: &mut Log,
    ) -> bool {
        let jobs = jobs(&self.requested(request, document), &self.runs, folder, &document.base());
        if jobs.is_empty() {
            log.info("Nothing to start: all of these runs are done, archived or in the queue");
            return false;
        }
        let count = text::counted(jobs.len(), "run");
        if self.runs.is_running() {
            log.info(format!("Added {count} to the queue"));
            self.runs.add(jobs);
        } else {
            log.info(format!("Started {count}; writing results to {}", folder.display()));
            self.begin(jobs);
        }
        true
    }

    /// Returns the requested runs; some may be done, or in the queue.
    pub fn requested(&self, request: &StartRequest, document: &Document) -> Vec<Run> {
        let these = match request {
            StartRequest::These(runs) | StartRequest::Next(runs) => runs.iter().collect(),
            StartRequest::All | StartRequest::Resumable | StartRequest::Failed => BTreeSet::new(),
        };
        let is_wanted = |run: &&Run| match request {
            StartRequest::All => !self.runs.has_given_up(&run.id) && !self.runs.is_archived(&run.id),
            StartRequest::Resumable => self.runs.is_resumable(&run.id),
            StartRequest::Failed => matches!(self.runs.state(&run.id), RunState::Failed(_)),
            StartRequest::These(_) | StartRequest::Next(_) => these.contains(&run.id),
        };
        document.runs().iter().filter(is_wanted).cloned().collect()
    }

    fn begin(&mut self, jobs: Vec<Job>) {
        self.estimate.measuring = None; // it would slow the runs down, and they it
        self.runs.start(self.worker.as_mut(), jobs);
        self.batch_began = Some(Instant::now());
    }

    /// Starts the jobs that were added just when the queue had ended. Returns true if there are any.
    pub fn start_pending(&mut self) -> bool {
        let jobs = self.runs.take_pending();
        let is_any = !jobs.is_empty();
        if is_any {
            self.begin(jobs);
        }
        is_any
    }

    /// Reads results of the document's runs that are not known yet.
    pub fn read_more(&mut self, folder: &Path, runs: &[Run]) {
        let unknown: Vec<Run> =
            runs.iter().filter(|run| self.runs.record(&run.id).is_none()).cloned().collect();
        if !unknown.is_empty() {
            self.runs.read(self.worker.read(folder, &unknown), PATIENCE_FOR_MORE, true);
        }
    }

    /// Returns true if a run of the document diverged, by its identity.
    pub fn has_diverged(&self, run: &str, document: &Document) -> bool {
        document.run(run).is_some_and(|run| self.runs.has_diverged(run))
    }

    /// Returns `24 runs: 23 done, 1 failed`, `Stopped: 8 done, 2 interrupted, 14 not started`, and whether something
    /// went wrong.
    pub fn end_summary(&self, document: &Document) -> (String, bool) {
        let diverged: BTreeSet<&str> = document
            .runs()
            .iter()
            .filter(|run| self.runs.has_diverged(run))
            .map(|run| run.id.as_str())
            .collect();
        let batch = self.runs.batch().iter();
        let ends: Vec<(RunState, bool)> =
            batch.map(|run| (self.runs.state(run), diverged.contains(run.as_str()))).collect();
        let is_bad = |(state, diverged): &(RunState, bool)| *diverged || matches!(state, RunState::Failed(_));
        let summary = ends_in_words(ends.iter().map(|(state, diverged)| (state, *diverged)));
        (summary, ends.iter().any(is_bad))
    }

    /// Notes that the runs in progress are over; when they began.
    pub fn end_batch(&mut self) -> Option<Instant> {
        let began = self.batch_began.take();
        let is_over = |run: &&String| matches!(self.runs.state(run), RunState::Done | RunState::Failed(_));
        let over = self.runs.batch().iter().filter(is_over).count();
        self.last_batch = began.map(|began| (over, began.elapsed())).filter(|_| over > 0);
        began
    }

    /// Returns the text about the runs in the line at the bottom: "12 runs", or after work "12 runs in 39 min".
    pub fn fact(&self, document: &Document) -> String {
        match self.last_batch.filter(|_| !self.runs.is_running()) {
            Some((runs, took)) => {
                format!("{} in {}", text::counted(runs, "run"), text::duration(took.as_secs_f64()))
            }
            None => text::counted(document.runs().len(), "run"),
        }
    }

    /// Returns the status for the bar at the top.
    pub fn status(&self) -> Status {
        if !self.runs.is_running() {
            return self.estimate.status.clone();
        }
        let (over, all) = self.runs.batch_count();
        let left = match self.runs.stopping() {
            _ if self.runs.is_paused() => "paused".to_owned(),
            Some(StopKind::Now) => "stopping…".to_owned(),
            Some(StopKind::AfterStage) => "stopping after this stage…".to_owned(),
            None => match self.runs.secs_left() {
                Some(range) => format!("{} left", text::duration_range(range)),
                None => "estimating…".to_owned(),
            },
        };
        Status {
            text: format!("{} of {} · {left}", text::grouped(over as u64), text::counted(all, "run")),
            detail: self.runs.batch_words(),
            share: Some(self.runs.batch_share() as f32),
        }
    }

    /// Estimates the remaining runs, for the bar at the top.
    pub fn plan_cost(&mut self, document: &Document) {
        let (status, needed) = self.estimate_rest(document);
        let estimate = &mut self.estimate;
        // The document may have changed since this was asked for.
        drop(estimate.measuring.take_if(|measuring| Some(&measuring.question) != needed.as_ref()));
        (estimate.status, estimate.needed) = (status, needed);
    }

    fn estimate_rest(&mut self, document: &Document) -> (Status, Option<MeasureRequest>) {
        let status_of = |text: &str| Status { text: text.to_owned(), ..Status::default() };
        if document.experiment.arms.is_empty() {
            return (status_of("No arm yet"), None);
        }
        // The problems are listed beside it: what is to do follows once they are mended.
        if let Some(problem) = document.first_error() {
            return (Status { detail: problem.to_string(), ..status_of("") }, None);
        }
        let mut seen = BTreeSet::new();
        let mut runs: Vec<&Run> = document.runs().iter().filter(|run| seen.insert(&run.id)).collect();
        let all = runs.len();
        runs.retain(|run| !self.runs.is_archived(&run.id));
        let far = |run: &Run| {
            let progress = self.runs.record(&run.id).map(RunRecord::progress).unwrap_or_default();
            let is_done = self.runs.is_done(&run.id);
            if is_done { RunProgress::Done(progress.secs) } else { RunProgress::Share(progress.done) }
        };
        let count = runs.iter().filter(|run| !self.runs.is_done(&run.id)).count();
        if count == 0 {
            let words = if runs.len() < all { "All runs are done or archived" } else { "All runs are done" };
            return (status_of(words), None);
        }
        let count = format!("{} to do", text::counted(count, "run"));
        let mut before = std::mem::take(&mut self.estimate.costs);
        let costs = Costs::new(runs.iter().copied(), |run| {
            let key = (run.arm_index, run.arm.clone());
            let is_same = |known: &Arc<RunSpec>| Arc::ptr_eq(known, &run.spec) || **known == *run.spec;
            let known = before.remove(&key).filter(|(spec, _)| is_same(spec));
            let now = || (run.spec.clone(), self.worker.cost(run));
            self.estimate.costs.entry(key).or_insert_with(|| known.unwrap_or_else(now)).1.clone()
        });
        let (done, left) = match costs.lists(runs.iter().copied(), far) {
            Ok(lists) => lists,
            Err(reason) => return (Status { detail: reason, ..status_of(&count) }, None),
        };
        let options = self.runs.sharing.options(left.len());
        let expected_time = expected(&left, &done, &self.estimate.paces, options);
        let needed = match &expected_time {
            ExpectedTime::Needs(tasks) => tasks.first().map(|task| (task.clone(), options)),
            ExpectedTime::Known(_) | ExpectedTime::Unknown => None,
        };
        (status(&count, &left, &expected_time), needed)
    }

    /// Takes the measurements that the estimate needs, one at a time, while nothing else runs.
    pub fn measure(&mut self, document: &Document, ctx: &egui::Context) {
        if let Some(measuring) = &self.estimate.measuring {
            let Some(pace) = measuring.background.take() else { return };
            let pace = pace.unwrap_or_default(); // where it failed, a run would fail the same way, and report it
            let (task, options) = measuring.question.clone();
            self.estimate.paces.add(task, options, pace);
            self.estimate.measuring = None;
            self.plan_cost(document);
        }
        if self.runs.is_running() || self.is_reading() {
            return;
        }
        let Some(question) = self.estimate.needed.clone() else { return };
        let stop = StopFlag::new();
        let (task, options) = question.clone();
        match self.worker.measure(task, options, stop.clone(), ctx) {
            Some(background) => self.estimate.measuring = Some(Measuring { question, stop, background }),
            None => self.estimate.needed = None,
        }
    }

    /// Takes results written by other processes, and looks for more.
    pub fn watch_others(&mut self, document: &Document, results: &Path, log: &mut Log, ctx: &egui::Context) {
        let Some(every) = self.worker.watch_every() else { return };
        let begin = || {
            let ctx = ctx.clone();
            let begun = Watching::new(every, move || ctx.request_repaint());
            let fail = |error| {
                log.error(format!(
                    "Results of other processes will appear only when you reopen the file: {error}"
                ));
            };
            begun.map_err(fail).ok()
        };
        let Some(watching) = self.watching.get_or_init(begin) else { return };
        let wanted = (results.to_owned(), document.revision(), self.runs.open().count());
        if self.watched.as_ref() != Some(&wanted) {
            let mut runs: Vec<String> = document.runs().iter().map(|run| run.id.clone()).collect();
            // All that this process does not run.
            runs.retain(|run| !self.runs.is_open(run));
            runs.sort();
            runs.dedup();
            watching.set_target(WatchTarget { folder: wanted.0.clone(), runs });
            self.watched = Some(wanted);
        }
        let found: Vec<_> = watching.found().collect();
        let mut has_news = false;
        for found in found {
            has_news |= self.take_from_others(found, document, results, log);
        }
        if has_news {
            self.plan_cost(document);
        }
    }

    /// Takes a changed record unless it is stale: the document may have another folder or other runs by now, and the run may
    /// be in the trash. Tells whether the state of the run is another one now.
    pub fn take_from_others(
        &mut self,
        found: ChangedRecord,
        document: &Document,
        results: &Path,
        log: &mut Log,
    ) -> bool {
        let ChangedRecord { folder, run, record } = found;
        let is_present = folder == results && folder.join(&run).is_dir();
        if document.run(&run).is_none() || !is_present {
            return false;
        }
        let Some(state) = self.runs.take_from_others(&run, record) else { return false };
        let name = self.name_of(&run, document);
        log.info(match state {
            RunState::Stopped => format!("{name}: stopped; no process is working on it"),
            RunState::Waiting | RunState::Running | RunState::Done | RunState::Failed(_) => {
                format!("{name}: {} in another process", state.word())
            }
        });
        true
    }
}

fn status(count: &str, left: &[RemainingRun<'_>], expected_time: &ExpectedTime) -> Status {
    let costs = || left.iter().map(|left| left.cost);
    let work = costs().map(|cost| cost.work.training_multiply_adds() as f64).sum();
    let parameters = costs().map(|cost| cost.parameters).max().unwrap_or_default() as u64;
    let bytes = costs().map(|cost| cost.bytes).max().unwrap_or_default();
    let sum = |of: fn(&Cost) -> u64| text::grouped(costs().map(of).fold(0, u64::saturating_add));
    let mut lines = vec![
        format!("{} parameters", text::grouped(parameters)),
        format!("{} mini-batches over all runs", sum(|cost| cost.iterations)),
        format!("{} multiply-adds for training", text::short(work)),
        format!(
            "up to {} MB per network with its optimizer and a mini-batch",
            text::grouped(bytes.div_ceil(1_000_000))
        ),
    ];
    if costs().any(|cost| cost.trials > 0) {
        lines.insert(2, format!("{} fault trials over all runs", sum(|cost| cost.trials)));
    }
    let time = match expected_time {
        ExpectedTime::Known(known) => {
            lines.push(format!("Time {}{}", known.basis(), known.side_by_side()));
            text::duration_range(known.range)
        }
        ExpectedTime::Needs(_) => "estimating…".to_owned(),
        ExpectedTime::Unknown => {
            lines.push(
                "The time is not known: the network takes too much memory to be measured quickly".to_owned(),
            );
            "time unknown".to_owned()
        }
    };
    Status { text: format!("{count} · {time}"), detail: lines.join("\n"), share: None }
}
