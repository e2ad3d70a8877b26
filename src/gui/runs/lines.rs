//! The queue as a list: one line for each run that is not done.

use std::collections::BTreeSet;
use std::path::Path;

use super::{ArmSeed, Runs};
use crate::text;
use doc::{Run, capitalised};
use results::{RunRecord, RunState, end_in_words};
use run::{QueuedRun, QueuedState, RunOrder};

/// A run in progress, one that waits, or one that is not done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueueLine {
    /// Its identity.
    pub run: String,
    /// Its place among those that wait, or, while nothing goes on, among those that *Run* would start; from 1.
    pub place: Option<usize>,
    /// Whether it waits in a queue that goes on.
    pub is_queued: bool,
    /// Whether it goes on, and whether it was asked to stop for good.
    pub is_running: bool,
    pub is_stopping: bool,
    /// The highest one is next.
    pub priority: i32,
    /// The threads that it computes with.
    pub threads: Option<usize>,
    /// What its record says.
    pub state: RunState,
}

impl QueueLine {
    /// Whether it goes on or waits.
    pub const fn is_open(&self) -> bool {
        self.is_running || self.is_queued
    }

    /// Its state in a few words, and more about it.
    pub fn words(&self, runs: &Runs) -> (String, String) {
        let record = runs.record(&self.run);
        let progress = record.map(RunRecord::progress).unwrap_or_default();
        let done = text::whole_percent(progress.done);
        if self.is_queued {
            let priority =
                if self.priority == 0 { String::new() } else { format!(" · priority {:+}", self.priority) };
            let so_far = if progress.done > 0.0 { format!(" · {done} done") } else { String::new() };
            let word = if runs.is_paused() { "paused" } else { "waiting" };
            return (format!("{word}{so_far}{priority}"), String::new());
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
    /// The lines of the queue: runs in progress, those that wait in their order, then other runs of the document that are not
    /// done; while nothing goes on, all of these in the order in which they would start.
    pub fn queue_lines(&self, listed: &[Run], results: &Path) -> Vec<QueueLine> {
        let queue = if self.is_running() { self.queue() } else { &[] };
        let open = queue.iter().filter(|run| self.is_open(&run.run));
        let mut lines: Vec<QueueLine> = open.map(|run| self.line(run)).collect();
        let mut seen: BTreeSet<String> = lines.iter().map(|line| line.run.clone()).collect();
        for run in listed.iter().filter(|run| self.is_left(&run.id)) {
            if seen.insert(run.id.clone()) {
                let state = self.state(&run.id);
                lines.push(QueueLine { run: run.id.clone(), state, ..QueueLine::default() });
            }
        }
        if !self.is_running() {
            let order = RunOrder::read(results);
            order.sort(&mut lines, |line| &line.run);
            for line in &mut lines {
                line.priority = order.priority(&line.run);
            }
            lines.sort_by_key(|line| std::cmp::Reverse(line.priority)); // stable
            for (place, line) in (1..).zip(&mut lines) {
                line.place = Some(place);
            }
        }
        lines
    }

    fn line(&self, queued: &QueuedRun) -> QueueLine {
        let QueuedRun { run, priority, state } = queued;
        let (place, threads) = match state {
            QueuedState::Waiting { position, .. } => (Some(*position), None),
            QueuedState::Running { threads, .. } => (None, Some(*threads)),
            QueuedState::Ended(_) => (None, None),
        };
        QueueLine {
            run: run.clone(),
            place,
            is_queued: place.is_some(),
            is_running: threads.is_some(),
            is_stopping: self.is_stopping(run),
            priority: *priority,
            threads,
            state: self.state(run),
        }
    }

    /// Arm and seed of a run that is, or was, in the document.
    pub fn arm_seed(&self, run: &str) -> Option<&ArmSeed> {
        self.outdated.names.get(run)
    }
}
