//! The runs of the document: started, watched, estimated, and moved with their document.

mod estimate;
mod moving;
mod watch;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::bar::Status;
use crate::document::Document;
use crate::log::Log;
use crate::runs::{Runs, jobs};
use crate::text;
use crate::worker::Worker;
use doc::Run;
use estimate::Estimate;
pub(super) use moving::{Copying, MoveOutcome};
use results::{RunState, ends_in_words};
use run::{Job, StopKind};
use watch::Watch;

/// A frame after an edit waits this long for results of the runs that the edit has made.
pub(super) const PATIENCE_FOR_MORE: Duration = Duration::from_millis(2);

/// Runs, their worker, and what is known about their time.
pub(super) struct Runner {
    pub worker: Box<dyn Worker>,
    pub runs: Runs,
    /// What the runs that are left would take.
    estimate: Estimate,
    /// When the runs that go on were started.
    pub batch_began: Option<Instant>,
    /// How many runs ended when runs went on last, and how long that took.
    pub last_batch: Option<(usize, Duration)>,
    /// Results that are being copied to another disk.
    pub copying: Option<Copying>,
    watch: Watch,
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
}

impl Runner {
    pub fn new(worker: Box<dyn Worker>) -> Self {
        let (runs, estimate, watch) = (Runs::default(), Estimate::default(), Watch::default());
        Self { worker, runs, estimate, batch_began: None, last_batch: None, copying: None, watch }
    }

    /// Whether results of earlier runs are still being read.
    pub const fn is_reading(&self) -> bool {
        self.runs.is_reading() || self.runs.is_searching()
    }

    /// The name of a run by its identity.
    pub fn name_of(&self, run: &str, document: &Document) -> String {
        let known = document.runs().iter().find(|known| known.id == run);
        match (known, self.runs.name(run)) {
            (Some(run), _) => format!("{}, seed {}", run.arm, run.seed),
            (None, Some(name)) => format!("{name} (outdated)"),
            (None, None) => format!("run {run}"),
        }
    }

    /// What earlier results need before runs can start: which ones are done is known only then.
    pub fn start_blocked_by(&self) -> Option<&'static str> {
        if self.runs.is_reading() {
            Some("have been read")
        } else {
            self.copying.as_ref().map(|_| "have been moved")
        }
    }

    /// Starts the requested runs that are not done, or adds them to those that go on; whether there are any.
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

    /// The runs that are meant; some may be done, or in the queue.
    pub fn requested(&self, request: &StartRequest, document: &Document) -> Vec<Run> {
        let these = match request {
            StartRequest::These(runs) => runs.iter().collect(),
            StartRequest::All | StartRequest::Resumable | StartRequest::Failed => BTreeSet::new(),
        };
        let is_wanted = |run: &&Run| match request {
            StartRequest::All => !self.runs.has_given_up(&run.id) && !self.runs.is_archived(&run.id),
            StartRequest::Resumable => self.runs.is_resumable(&run.id),
            StartRequest::Failed => matches!(self.runs.state(&run.id), RunState::Failed(_)),
            StartRequest::These(_) => these.contains(&run.id),
        };
        document.runs().iter().filter(is_wanted).cloned().collect()
    }

    fn begin(&mut self, jobs: Vec<Job>) {
        self.estimate.stop_measuring(); // it would slow the runs down, and they it
        self.runs.start(self.worker.as_mut(), jobs);
        self.batch_began = Some(Instant::now());
    }

    /// Starts the jobs that were added just when the queue had ended; whether there are any.
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
            self.runs.read_more(self.worker.read(folder, &unknown), PATIENCE_FOR_MORE);
        }
    }

    /// Whether a run of the document diverged, by its identity.
    pub fn has_diverged(&self, run: &str, document: &Document) -> bool {
        let known = document.runs().iter().find(|known| known.id == run);
        known.is_some_and(|run| self.runs.has_diverged(run))
    }

    /// `24 runs: 23 done, 1 failed`, `Stopped: 8 done, 2 interrupted, 14 not started`, and whether something went wrong.
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

    /// "3 done, 1 failed, 2 running, 6 queued", for the runs started together.
    fn batch_summary(&self) -> String {
        let states: Vec<RunState> = self.runs.batch().iter().map(|run| self.runs.state(run)).collect();
        let count = |is: fn(&RunState) -> bool| states.iter().filter(|state| is(state)).count();
        let parts = [
            (count(|state| *state == RunState::Done), "done"),
            (count(|state| matches!(state, RunState::Failed(_))), "failed"),
            (count(|state| *state == RunState::Stopped), "interrupted"),
            (
                count(|state| *state == RunState::Running),
                if self.runs.is_paused() { "paused" } else { "running" },
            ),
            (count(|state| *state == RunState::Waiting), "queued"),
        ];
        let present = parts.iter().filter(|(count, _)| *count > 0);
        present.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
    }

    /// Notes that the runs in progress are over; when they began.
    pub fn end_batch(&mut self) -> Option<Instant> {
        let began = self.batch_began.take();
        let is_over = |run: &&String| matches!(self.runs.state(run), RunState::Done | RunState::Failed(_));
        let over = self.runs.batch().iter().filter(is_over).count();
        self.last_batch = began.map(|began| (over, began.elapsed())).filter(|_| over > 0);
        began
    }

    /// What the line at the bottom says of the runs: "12 runs", or after work "12 runs in 39 min".
    pub fn fact(&self, document: &Document) -> String {
        match self.last_batch.filter(|_| !self.runs.is_running()) {
            Some((runs, took)) => {
                format!("{} in {}", text::counted(runs, "run"), text::duration(took.as_secs_f64()))
            }
            None => text::counted(document.runs().len(), "run"),
        }
    }

    /// What the bar at the top says.
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
            detail: self.batch_summary(),
            share: Some(self.runs.batch_share() as f32),
        }
    }
}
