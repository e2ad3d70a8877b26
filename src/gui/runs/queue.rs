//! The queue of runs: what it was asked, and what it shows.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Runs;
use super::moves::{moved, moves};
use crate::worker::Worker;
use doc::Run;
use results::RunState;
use run::{Command, Ended, Job, QueueOptions, QueuedRun, QueuedState, RunOrder, StopKind};

/// How runs share the machine; what is not chosen depends on the number of runs and processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sharing {
    /// Runs side by side.
    pub jobs: Option<usize>,
    /// Threads of each run.
    pub threads: Option<usize>,
}

impl Sharing {
    /// The options for this many runs.
    pub fn options(self, runs: usize) -> QueueOptions {
        QueueOptions::chosen(self.jobs, self.threads, runs)
    }
}

/// What can be done with runs of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueAction {
    /// Start them, or add them to the queue: for the first time or after an end that was none.
    Run,
    /// Stop them after their mini-batch; those that wait do not start.
    Stop,
    /// Start them before all others that wait.
    Next,
    /// Let them pass the run before them.
    Up,
    /// Let the run behind them pass.
    Down,
    /// Put them before this one, or behind all others.
    Before(Option<String>),
    /// Give them this priority: runs of the highest one start first.
    Priority(i32),
}

/// What is to be done with which runs, by identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueRequest {
    /// What.
    pub action: QueueAction,
    /// Their identities.
    pub runs: Vec<String>,
}

/// How many of some runs can be started, go on or wait, and wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Neither done nor in the queue.
    pub startable: usize,
    /// Of these, those that were stopped or have failed.
    pub resumable: usize,
    /// Go on or wait for their turn.
    pub open: usize,
    /// Wait for their turn.
    pub waiting: usize,
}

impl Runs {
    /// Starts jobs. Their records stay until they report a new start.
    pub fn start(&mut self, worker: &mut dyn Worker, jobs: Vec<Job>) {
        self.open = jobs.iter().map(|job| job.run.id.clone()).collect();
        self.batch = self.open.iter().cloned().collect();
        self.skipped.retain(|run| !self.open.contains(run));
        self.ended_turn.clear();
        self.work = Some(worker.start(jobs, self.sharing.options(self.open.len())));
        self.stopping = None;
        self.pace.begin();
        self.find_strays();
        self.follow_queue();
        self.revision += 1;
    }

    /// Adds jobs to those that go on. If these have just ended, the jobs wait for [`Self::take_pending`].
    pub fn add(&mut self, jobs: Vec<Job>) {
        let known: BTreeSet<&String> = self.batch.iter().collect();
        let new: Vec<String> = jobs.iter().map(|job| job.run.id.clone()).collect();
        let further: Vec<String> = new.iter().filter(|run| !known.contains(run)).cloned().collect();
        self.batch.extend(further);
        for run in &new {
            self.skipped.remove(run);
            self.ended_turn.remove(run);
        }
        // More runs may go on side by side than before.
        self.share(None, jobs.len());
        if !self.command(Command::Add { jobs: jobs.clone(), priority: 0 }) {
            self.pending.extend(jobs);
        }
        self.revision += 1;
    }

    /// The jobs that were added after the queue had ended, once nothing goes on.
    pub fn take_pending(&mut self) -> Vec<Job> {
        if self.is_running() { Vec::new() } else { std::mem::take(&mut self.pending) }
    }

    /// Changes how runs share the machine. Those that go on are interrupted where that concerns them, and resume.
    pub fn set_sharing(&mut self, sharing: Sharing) {
        self.sharing = sharing;
        self.share(Some(StopKind::Now), 0);
    }

    fn share(&mut self, interrupt: Option<StopKind>, further: usize) {
        let options = self.sharing.options(self.open.len() + further);
        if self.options() != Some(options) {
            self.command(Command::Options { options, interrupt });
        }
    }

    /// How the runs that go on share the machine.
    pub fn options(&self) -> Option<QueueOptions> {
        self.view.as_ref().filter(|_| self.is_running()).map(|view| view.options)
    }

    /// Asks all runs to stop.
    pub fn stop(&mut self, kind: StopKind) {
        self.skipped.extend(self.pending.drain(..).map(|job| job.run.id));
        self.revision += 1;
        if self.is_running() {
            self.command(Command::StopAll(kind));
            self.stopping = Some(kind);
            self.end_pause();
        }
    }

    /// Pauses the runs after their mini-batch, or continues them.
    pub fn pause(&mut self, paused: bool) {
        if !self.is_running() {
            return;
        }
        self.command(Command::Pause(paused));
        // The states of runs have another word.
        self.revision += 1;
        if paused {
            self.paused.get_or_insert_with(Instant::now);
        } else {
            self.end_pause();
        }
    }

    pub(super) fn end_pause(&mut self) {
        if let Some(since) = self.paused.take() {
            self.pace.was_held(since.elapsed());
        }
    }

    /// Carries out what was asked for runs in the queue; whether it still goes on.
    pub fn carry_out(&mut self, request: &QueueRequest) -> bool {
        let QueueRequest { action, runs } = request;
        let commands: Vec<Command> = match action {
            QueueAction::Run => Vec::new(), // needs jobs: see `start` and `add`
            QueueAction::Stop => {
                let stop = |run: &String| Command::Stop { run: run.clone(), kind: StopKind::Now };
                runs.iter().filter(|run| self.is_open(run)).map(stop).collect()
            }
            QueueAction::Priority(priority) => {
                let set = |run: &String| Command::Priority { run: run.clone(), priority: *priority };
                runs.iter().filter(|run| self.is_open(run)).map(set).collect()
            }
            QueueAction::Next | QueueAction::Up | QueueAction::Down | QueueAction::Before(_) => {
                moves(&self.waiting(), runs, action)
            }
        };
        commands.into_iter().all(|command| self.command(command))
    }

    /// Moves runs while nothing goes on: the next start follows `queue.ron` in the folder of results.
    ///
    /// # Errors
    /// The system's error, when the file cannot be written.
    pub fn rearrange(
        &mut self,
        request: &QueueRequest,
        listed: &[Run],
        results: &Path,
    ) -> std::io::Result<()> {
        let QueueRequest { action, runs } = request;
        let lines = self.queue_lines(listed, results);
        let mut order: Vec<(&str, i32)> =
            lines.iter().map(|line| (line.run.as_str(), line.priority)).collect();
        let waiting: Vec<&str> = order.iter().map(|(run, _)| *run).collect();
        if let QueueAction::Priority(priority) = action {
            let chosen: BTreeSet<&str> = runs.iter().map(String::as_str).collect();
            for (_, known) in order.iter_mut().filter(|(run, _)| chosen.contains(run)) {
                *known = *priority;
            }
        } else if let Some((movers, before)) = moved(&waiting, runs, action) {
            let moving: BTreeSet<&str> = movers.iter().copied().collect();
            order.retain(|(run, _)| !moving.contains(run));
            let at = before.and_then(|before| order.iter().position(|(run, _)| *run == before));
            let at = at.unwrap_or(order.len());
            // What keeps them there: the priority of the run behind them, or of the last one.
            let priority = order.get(at).or(order.last()).map_or(0, |(_, priority)| *priority);
            order.splice(at..at, movers.into_iter().map(|run| (run, priority)));
        } else {
            return Ok(());
        }
        let mut kept = RunOrder::read(results);
        kept.take_in(order.into_iter());
        self.revision += 1;
        std::fs::create_dir_all(results)?;
        kept.write(results)
    }

    fn command(&mut self, command: Command) -> bool {
        let is_taken = self.work.as_ref().is_some_and(|work| work.queue.command(command));
        self.follow_queue();
        is_taken
    }

    /// Takes in what the queue says now. Its messages may be behind.
    pub(super) fn follow_queue(&mut self) {
        let Some(work) = &self.work else { return };
        let revision = work.queue.revision();
        if self.followed == Some(revision) {
            return;
        }
        self.followed = Some(revision);
        let view = work.queue.view();
        self.places = view.runs.iter().enumerate().map(|(place, run)| (run.run.clone(), place)).collect();
        let mut open = BTreeSet::new();
        for QueuedRun { run, state, .. } in &view.runs {
            match state {
                QueuedState::Waiting { .. } => {
                    self.ended_turn.remove(run);
                    self.skipped.remove(run);
                    open.insert(run.clone());
                }
                QueuedState::Running { .. } if self.ended_turn.contains(run) => {}
                QueuedState::Running { .. } => drop(open.insert(run.clone())),
                QueuedState::Ended(Ended::Stopped) => drop(self.skipped.insert(run.clone())),
                QueuedState::Ended(Ended::Done | Ended::Failed(_) | Ended::Elsewhere(_)) => {}
            }
        }
        self.view = Some(view);
        if open != self.open {
            self.open = open;
            self.find_strays();
        }
        self.revision += 1;
    }

    /// The runs of the queue that goes on, or went on last: those in progress, those that wait, in order, those that ended.
    pub fn queue(&self) -> &[QueuedRun] {
        self.view.as_ref().map_or(&[], |view| &view.runs)
    }

    /// A run in the queue that goes on.
    pub fn queued(&self, run: &str) -> Option<&QueuedRun> {
        let place = self.places.get(run).filter(|_| self.is_running())?;
        self.queue().get(*place)
    }

    /// The place of a run among those that wait, from 1.
    pub fn place(&self, run: &str) -> Option<usize> {
        match self.queued(run)?.state {
            QueuedState::Waiting { position, .. } => Some(position),
            QueuedState::Running { .. } | QueuedState::Ended(_) => None,
        }
    }

    /// Whether a run that goes on was asked to stop, and gets no other turn.
    pub fn is_stopping(&self, run: &str) -> bool {
        let state = self.queued(run).map(|run| &run.state);
        matches!(state, Some(QueuedState::Running { stopping: Some(_), returns: false, .. }))
    }

    /// Whether a run was stopped or has failed since the present runs were started.
    pub fn has_given_up(&self, run: &str) -> bool {
        let state = self.queued(run).map(|run| &run.state);
        matches!(state, Some(QueuedState::Ended(Ended::Stopped | Ended::Failed(_)))) || self.is_stopping(run)
    }

    /// Whether a run makes room for others, and returns.
    pub(super) fn gives_way(&self, run: &str) -> bool {
        match self.queued(run).map(|run| &run.state) {
            Some(QueuedState::Running { returns, .. }) => *returns,
            Some(QueuedState::Waiting { .. }) => true,
            Some(QueuedState::Ended(_)) | None => false,
        }
    }

    /// The runs that wait, in their order.
    fn waiting(&self) -> Vec<&str> {
        let is_waiting = |run: &&QueuedRun| matches!(run.state, QueuedState::Waiting { .. });
        self.queue().iter().filter(is_waiting).map(|run| run.run.as_str()).collect()
    }

    /// What can be done with these runs, each of which counts once.
    pub fn counts<'a>(&self, runs: impl IntoIterator<Item = &'a String>) -> QueueCounts {
        let mut counts = QueueCounts::default();
        for run in runs {
            if self.is_open(run) && !self.is_stopping(run) {
                counts.open += 1;
                let waits = matches!(
                    self.queued(run).map(|run| &run.state),
                    Some(QueuedState::Waiting { .. }) | None
                );
                counts.waiting += usize::from(waits);
            } else if self.state(run) != RunState::Done {
                counts.startable += 1;
                counts.resumable += usize::from(self.is_resumable(run));
            }
        }
        counts
    }

    /// Waits until the order of the runs is on disk: the window closes.
    pub fn finish_order(&self, patience: Duration) {
        if let Some(work) = self.work.as_ref().or(self.last_work.as_ref()) {
            work.queue.finish_order(patience);
        }
    }
}
