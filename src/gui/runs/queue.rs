//! The queue of runs: what it was asked, and what it shows.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{ArmSeed, BatchPace, Runs};
use crate::text;
use crate::worker::Worker;
use doc::{Run, capitalised};
use results::{RunRecord, RunState, end_in_words};
use run::{Command, Ended, Job, QueueOptions, QueuedRun, QueuedState, StopKind};

/// The sharing of the machine by runs; the part that is not chosen depends on the number of runs and processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sharing {
    /// Runs side by side.
    pub jobs: Option<usize>,
    /// Threads of each run.
    pub threads: Option<usize>,
}

impl Sharing {
    /// Returns the options for this many runs.
    pub fn options(self, runs: usize) -> QueueOptions {
        QueueOptions::chosen(self.jobs, self.threads, runs)
    }
}

/// An action on runs of the document.
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
}

/// A request to act on runs, by identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueRequest {
    pub action: QueueAction,
    pub runs: Vec<String>,
}

/// Counts of runs by what can be done with them.
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
        self.pace = BatchPace { began: Some(Instant::now()), ..BatchPace::default() };
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
        if !self.command(Command::Add(jobs.clone())) {
            self.pending.extend(jobs);
        }
        self.revision += 1;
    }

    /// Returns the jobs that were added after the queue had ended, once nothing goes on.
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

    /// Returns how the runs that go on share the machine.
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
        if let (Some(since), Some(began)) = (self.paused.take(), &mut self.pace.began) {
            *began += since.elapsed();
        }
    }

    /// Carries out what was asked for runs in the queue, as long as that goes on.
    pub fn carry_out(&mut self, request: &QueueRequest) {
        let QueueRequest { action, runs } = request;
        let commands: Vec<Command> = match action {
            QueueAction::Run => Vec::new(), // needs jobs: see `start` and `add`
            QueueAction::Stop => {
                let stop = |run: &String| Command::Stop { run: run.clone(), kind: StopKind::Now };
                runs.iter().filter(|run| self.is_open(run)).map(stop).collect()
            }
            QueueAction::Next | QueueAction::Up | QueueAction::Down | QueueAction::Before(_) => {
                moves(&self.waiting(), runs, action)
            }
        };
        for command in commands {
            if !self.command(command) {
                break;
            }
        }
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
        self.stopping = self.stopping.or(view.stopping); // it may stop by itself
        self.view = Some(view);
        if open != self.open {
            self.open = open;
            self.find_strays();
        }
        self.revision += 1;
    }

    /// Returns "2 running, 6 queued, 3 done, 1 failed", for the runs started together.
    pub fn batch_words(&self) -> String {
        let words: Vec<&str> = self.batch.iter().map(|run| self.word(run)).collect();
        let all = ["running", "paused", "queued", "done", "failed", "stopped", "not run"];
        let counts = all.map(|word| (words.iter().filter(|known| **known == word).count() as u64, word));
        let present = counts.iter().filter(|(count, _)| *count > 0);
        present
            .map(|(count, word)| format!("{} {word}", text::grouped(*count)))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Returns the runs of the queue that goes on, or went on last: those in progress, those that wait, in order, those
    /// that ended.
    pub fn queue(&self) -> &[QueuedRun] {
        self.view.as_ref().map_or(&[], |view| &view.runs)
    }

    /// Returns a run in the queue that goes on.
    pub fn queued(&self, run: &str) -> Option<&QueuedRun> {
        let place = self.places.get(run).filter(|_| self.is_running())?;
        self.queue().get(*place)
    }

    /// Returns the place of a run among those that wait, from 1.
    pub fn place(&self, run: &str) -> Option<usize> {
        match self.queued(run)?.state {
            QueuedState::Waiting { position, .. } => Some(position),
            QueuedState::Running { .. } | QueuedState::Ended(_) => None,
        }
    }

    /// Returns true if a run that goes on was asked to stop, and gets no other turn.
    pub fn is_stopping(&self, run: &str) -> bool {
        let state = self.queued(run).map(|run| &run.state);
        matches!(state, Some(QueuedState::Running { stopping: Some(_), returns: false, .. }))
    }

    /// Returns true if a run was stopped or has failed since the present runs were started.
    pub fn has_given_up(&self, run: &str) -> bool {
        let state = self.queued(run).map(|run| &run.state);
        matches!(state, Some(QueuedState::Ended(Ended::Stopped | Ended::Failed(_)))) || self.is_stopping(run)
    }

    /// Returns true if a run makes room for others, and returns.
    pub(super) fn gives_way(&self, run: &str) -> bool {
        match self.queued(run).map(|run| &run.state) {
            Some(QueuedState::Running { returns, .. }) => *returns,
            Some(QueuedState::Waiting { .. }) => true,
            Some(QueuedState::Ended(_)) | None => false,
        }
    }

    /// Returns the runs that wait, in their order.
    fn waiting(&self) -> Vec<&str> {
        let is_waiting = |run: &&QueuedRun| matches!(run.state, QueuedState::Waiting { .. });
        self.queue().iter().filter(is_waiting).map(|run| run.run.as_str()).collect()
    }

    /// Returns what can be done with these runs, each of which counts once.
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

/// A run, by identity, that is in progress, waits, or is not done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueueLine {
    pub run: String,
    /// Its place among those that wait, from 1.
    pub place: Option<usize>,
    /// True if it goes on, and whether it was asked to stop for good.
    pub is_running: bool,
    pub is_stopping: bool,
    /// The threads that it computes with.
    pub threads: Option<usize>,
    /// The state of its record.
    pub state: RunState,
}

impl QueueLine {
    /// Returns its state in a few words, and more about it.
    pub fn words(&self, runs: &Runs) -> (String, String) {
        let record = runs.record(&self.run);
        let progress = record.map(RunRecord::progress).unwrap_or_default();
        let done = text::whole_percent(progress.done);
        if self.place.is_some() {
            let so_far = if progress.done > 0.0 { format!(" · {done} done") } else { String::new() };
            let word = if runs.is_paused() { "paused" } else { "waiting" };
            return (format!("{word}{so_far}"), String::new());
        }
        if self.is_running {
            let stage = record.and_then(RunRecord::stage).map_or("starting", |stage| stage.label.as_str());
            let left = progress.secs_left.filter(|_| !runs.is_paused());
            let left = left.map(|secs| format!(" · {} left", text::duration(secs))).unwrap_or_default();
            let word = if self.is_stopping {
                "stopping…"
            } else if runs.is_paused() {
                "paused"
            } else {
                stage
            };
            let position = record.map_or_else(|| "starting".to_owned(), RunRecord::position);
            let threads = self.threads.map(|threads| text::counted(threads, "thread")).unwrap_or_default();
            return (
                format!("{done}{left} · {word}"),
                format!("{stage}\n{}, {threads}", capitalised(&position)),
            );
        }
        let end =
            record.and_then(|record| end_in_words(record, false)).unwrap_or_else(|| "not started".to_owned());
        (text::first_line(&end).to_owned(), end)
    }
}

impl Runs {
    /// Returns the lines of the queue: runs in progress, those that wait in their order, then other runs of the
    /// document that are not done. While nothing goes on, there are none.
    pub fn queue_lines(&self, listed: &[Run]) -> Vec<QueueLine> {
        if !self.is_running() {
            return Vec::new();
        }
        let open = self.queue().iter().filter(|run| self.is_open(&run.run));
        let mut lines: Vec<QueueLine> = open.map(|run| self.line(run)).collect();
        let mut seen: BTreeSet<String> = lines.iter().map(|line| line.run.clone()).collect();
        for run in listed.iter().filter(|run| self.is_left(&run.id)) {
            if seen.insert(run.id.clone()) {
                let state = self.state(&run.id);
                lines.push(QueueLine { run: run.id.clone(), state, ..QueueLine::default() });
            }
        }
        lines
    }

    fn line(&self, queued: &QueuedRun) -> QueueLine {
        let QueuedRun { run, state } = queued;
        let (place, threads) = match state {
            QueuedState::Waiting { position, .. } => (Some(*position), None),
            QueuedState::Running { threads, .. } => (None, Some(*threads)),
            QueuedState::Ended(_) => (None, None),
        };
        QueueLine {
            run: run.clone(),
            place,
            is_running: threads.is_some(),
            is_stopping: self.is_stopping(run),
            threads,
            state: self.state(run),
        }
    }

    /// Returns arm and seed of a run that is, or was, in the document.
    pub fn arm_seed(&self, run: &str) -> Option<&ArmSeed> {
        self.outdated.names.get(run)
    }
}

/// Finds where `chosen` runs go: those that move, in their order, and the run that is to follow them, if one does. `None` where
/// the move changes nothing.
fn moved<'a>(
    waiting: &[&'a str],
    chosen: &[String],
    action: &QueueAction,
) -> Option<(Vec<&'a str>, Option<&'a str>)> {
    let chosen: BTreeSet<&str> = chosen.iter().map(String::as_str).collect();
    let is_chosen = |run: &&str| chosen.contains(*run);
    let (first, last) = (waiting.iter().position(is_chosen)?, waiting.iter().rposition(is_chosen)?);
    let (movers, others): (Vec<&str>, Vec<&str>) = waiting.iter().copied().partition(is_chosen);
    let at = match action {
        QueueAction::Next => 0,
        QueueAction::Up => first.saturating_sub(1),
        QueueAction::Down => (last + 2 - movers.len()).min(others.len()),
        QueueAction::Before(other) => match other {
            Some(other) => others.iter().position(|run| run == other)?,
            None => others.len(),
        },
        QueueAction::Run | QueueAction::Stop => return None,
    };
    let order = [&others[..at], &movers, &others[at..]].concat();
    (order != waiting).then(|| (movers, others.get(at).copied()))
}

/// Returns the commands that move `chosen` runs among those that wait; their order among themselves stays.
fn moves(waiting: &[&str], chosen: &[String], action: &QueueAction) -> Vec<Command> {
    let Some((movers, before)) = moved(waiting, chosen, action) else { return Vec::new() };
    let before = before.map(str::to_owned);
    movers.into_iter().map(|run| Command::Move { run: run.to_owned(), before: before.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the order after the moves.
    fn order_after(chosen: &str, action: &QueueAction) -> String {
        let letters = |text: &str| -> Vec<String> { text.chars().map(String::from).collect() };
        let mut order = letters("abcde");
        let waiting: Vec<&str> = order.iter().map(String::as_str).collect();
        for command in moves(&waiting, &letters(chosen), action) {
            let Command::Move { run, before } = command else { panic!("{command:?}") };
            order.retain(|known| *known != run);
            let at =
                before.map_or(order.len(), |before| order.iter().position(|run| *run == before).unwrap());
            order.insert(at, run);
        }
        order.concat()
    }

    #[test]
    fn runs_move_together_and_keep_their_order() {
        use QueueAction as A;
        for (chosen, action, expected) in [
            ("c", A::Next, "cabde"),
            ("db", A::Next, "bdace"),
            ("abcde", A::Next, "abcde"),
            ("c", A::Up, "acbde"),
            ("a", A::Up, "abcde"),
            ("cd", A::Up, "acdbe"),
            ("ab", A::Up, "abcde"),
            ("c", A::Down, "abdce"),
            ("d", A::Down, "abced"),
            ("e", A::Down, "abcde"),
            ("bc", A::Down, "adbce"),
            ("e", A::Before(Some("b".to_owned())), "aebcd"),
            ("a", A::Before(None), "bcdea"),
            ("x", A::Next, "abcde"),
        ] {
            assert_eq!(order_after(chosen, &action), expected, "{chosen} {action:?}");
        }
    }
}
