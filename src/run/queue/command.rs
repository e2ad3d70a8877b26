//! What a queue is asked, and what it shows.

use super::{Job, QueueOptions};
use crate::stop::StopKind;

/// A request to a queue. Identities that it does not know change nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Adds runs at the end. A run that waits or goes on stays as it is; one that has ended or was asked to stop gets
    /// another turn. A done run ends that turn at once, unless its results were archived since.
    Add(Vec<Job>),
    /// Moves a run in front of another one, or behind all others.
    Move {
        /// Its identity.
        run: String,
        /// The run that is to follow it.
        before: Option<String>,
    },
    /// Stops one run; one that waits does not start.
    Stop {
        /// Its identity.
        run: String,
        /// When.
        kind: StopKind,
    },
    /// Gives a run that was stopped or has failed another turn; one that still stops gets it afterwards.
    Retry {
        /// Its identity.
        run: String,
    },
    /// Changes how runs share the machine: for runs that start from now on, and, with a moment, for those that go on. They
    /// are then interrupted at that moment where they are too many or have another number of threads, and resume in turn.
    Options {
        /// The new options.
        options: QueueOptions,
        /// When runs that go on are interrupted; never by default.
        interrupt: Option<StopKind>,
    },
    /// Pauses all runs after their present mini-batch, or resumes them.
    Pause(bool),
    /// Stops all runs, which ends the queue.
    StopAll(StopKind),
}

/// A queue at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueView {
    /// How runs share the machine.
    pub options: QueueOptions,
    /// Whether all runs are paused.
    pub is_paused: bool,
    /// How all runs were asked to stop, if they were.
    pub stopping: Option<StopKind>,
    /// Whether it has ended, and takes no more runs.
    pub is_over: bool,
    /// The runs that go on, then those that wait, as they follow each other, then those that have ended.
    pub runs: Vec<QueuedRun>,
}

/// A run in a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedRun {
    /// Its identity.
    pub run: String,
    /// What it does.
    pub state: QueuedState,
}

/// What a run in a queue does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueuedState {
    /// It has not begun, or was interrupted and resumes.
    Waiting {
        /// Its place among those that wait, from 1.
        position: usize,
        /// Why it waits.
        why: WaitReason,
    },
    /// It goes on.
    Running {
        /// How it was asked to stop, if it was.
        stopping: Option<StopKind>,
        /// Whether it waits for another turn after it has stopped.
        returns: bool,
        /// Threads that it computes with.
        threads: usize,
    },
    /// It has ended.
    Ended(Ended),
}

/// Why a run waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// As many runs as may go on side by side do.
    Turn,
    /// All runs are paused.
    Paused,
    /// All runs stop, so it does not start.
    Stopping,
}

impl WaitReason {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Turn => "waits for its turn",
            Self::Paused => "waits for the end of the pause",
            Self::Stopping => "does not start: all runs stop",
        }
    }
}

/// How a run of a queue has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All stages are done.
    Done,
    /// It was stopped, or was to start when it was.
    Stopped,
    /// It failed, for this reason.
    Failed(String),
    /// Another process works on it.
    Elsewhere(String),
}
