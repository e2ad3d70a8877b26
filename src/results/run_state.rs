//! The state of a run, and of several in words.

use crate::form::number::{counted, grouped};

/// The state of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RunState {
    /// Not started.
    #[default]
    Waiting,
    /// Under way.
    Running,
    /// Stopped; it resumes where it was when it is started again.
    Stopped,
    /// All stages are done.
    Done,
    /// It failed, for this reason.
    Failed(String),
}

impl RunState {
    /// One word for it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Waiting => "queued",
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Done => "done",
            Self::Failed(_) => "failed",
        }
    }
}

/// How runs that were started together have ended: `Stopped: 8 done, 2 interrupted, 14 not started`, `24 runs: 23 done, 1
/// failed`.
pub fn ends_in_words<'a>(states: impl IntoIterator<Item = &'a RunState>) -> String {
    let mut counts = [0_u64; 5];
    for state in states {
        let kind = match state {
            RunState::Done => 0,
            RunState::Failed(_) => 1,
            RunState::Stopped => 2,
            RunState::Running => 3,
            RunState::Waiting => 4,
        };
        counts[kind] += 1;
    }
    let words = ["done", "failed", "interrupted", "running elsewhere", "not started"];
    let present = counts.iter().zip(words).filter(|(count, _)| **count > 0);
    let parts: Vec<String> = present.map(|(count, word)| format!("{} {word}", grouped(*count))).collect();
    let head = if counts[2] + counts[4] > 0 {
        "Stopped".to_owned()
    } else {
        counted(counts.iter().sum::<u64>(), "run")
    };
    format!("{head}: {}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_runs_is_counted_by_kind() {
        let states = [(8, RunState::Done), (2, RunState::Stopped), (14, RunState::Waiting)];
        let all = states.iter().flat_map(|(count, state)| std::iter::repeat_n(state, *count));
        assert_eq!(ends_in_words(all), "Stopped: 8 done, 2 interrupted, 14 not started");
        let failed = [RunState::Done, RunState::Failed("no room".to_owned())];
        assert_eq!(ends_in_words(&failed), "2 runs: 1 done, 1 failed");
    }
}
