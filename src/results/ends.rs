//! How runs have ended, in words for logs.

use super::divergence::DIVERGED;
use super::number::{Format, duration, fixed, readable};
use super::table::test_series;
use super::{RunRecord, RunState};
use form::number::{counted, grouped};

/// How runs that were started together have ended: `Stopped: 8 done, 2 interrupted, 14 not started`, `24 runs: 22 done, 1
/// diverged, 1 failed`. Each has its state and whether it diverged.
pub fn ends_in_words<'a>(states: impl IntoIterator<Item = (&'a RunState, bool)>) -> String {
    let mut counts = [0_u64; 6];
    for (state, diverged) in states {
        let kind = match state {
            RunState::Done if diverged => 1,
            RunState::Done => 0,
            RunState::Failed(_) => 2,
            RunState::Stopped => 3,
            RunState::Running => 4,
            RunState::Waiting => 5,
        };
        counts[kind] += 1;
    }
    let words = ["done", DIVERGED, "failed", "interrupted", "running elsewhere", "not started"];
    let present = counts.iter().zip(words).filter(|(count, _)| **count > 0);
    let parts: Vec<String> = present.map(|(count, word)| format!("{} {word}", grouped(*count))).collect();
    let head = if counts[3] + counts[5] > 0 {
        "Stopped".to_owned()
    } else {
        counted(counts.iter().sum::<u64>(), "run")
    };
    format!("{head}: {}", parts.join(", "))
}

/// How a run has ended, in one line for a log: `done: test accuracy 97.43 %, 12 s`, `diverged: training loss 1.2×10³⁰, test
/// accuracy 9.80 %, 12 s`. `None` while it has not.
pub fn end_in_words(record: &RunRecord, diverged: bool) -> Option<String> {
    let time = duration(record.progress().secs);
    match record.state() {
        RunState::Waiting | RunState::Running => None,
        RunState::Failed(why) => Some(format!("failed: {why}")),
        RunState::Stopped => Some(format!("interrupted after {time}")),
        RunState::Done => {
            let series = test_series(record);
            let accuracy = record
                .latest(series)
                .map(|value| format!("{} {} %", series.replace('_', " "), fixed(100.0 * value, 2)));
            let loss = record.latest("train_loss").filter(|_| diverged);
            let loss = loss.map(|loss| format!("training loss {}", readable(loss, Format::Number)));
            let results: Vec<String> = loss.into_iter().chain(accuracy).collect();
            let colon = if results.is_empty() { "" } else { ": " };
            let word = if diverged { DIVERGED } else { "done" };
            Some(format!("{word}{colon}{}, {time}", results.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Point};

    #[test]
    fn the_end_of_a_run_is_one_line() {
        let started = || Event::Started { resumed: false, threads: 1 };
        let line = |events: Vec<Event>| end_in_words(&RunRecord::of(events), false);
        let series = "test_accuracy".to_owned();
        let point = || Event::Point(Point { series: series.clone(), value: 0.9743, ..Point::default() });
        let done = line(vec![started(), point(), Event::Finished { secs: 12.0 }]);
        assert_eq!(done.as_deref(), Some("done: test accuracy 97.43 %, 12 s"));
        let loss = Point { series: "train_loss".to_owned(), value: 1.2e30, ..Point::default() };
        let diverged = vec![Event::Point(loss), point(), Event::Finished { secs: 12.0 }];
        let diverged = end_in_words(&RunRecord::of(diverged), true);
        assert_eq!(
            diverged.as_deref(),
            Some("diverged: training loss 1.2×10³⁰, test accuracy 97.43 %, 12 s")
        );
        let stopped = line(vec![started(), Event::Stopped { secs: 12.0 }]);
        assert_eq!(stopped.as_deref(), Some("interrupted after 12 s"));
        assert_eq!(line(vec![started()]), None);
    }

    #[test]
    fn the_end_of_runs_is_counted_by_kind() {
        let states = [(8, RunState::Done), (2, RunState::Stopped), (14, RunState::Waiting)];
        let all = states.iter().flat_map(|(count, state)| std::iter::repeat_n(state, *count));
        let all = all.map(|state| (state, false));
        assert_eq!(ends_in_words(all), "Stopped: 8 done, 2 interrupted, 14 not started");
        let ended =
            [(RunState::Done, false), (RunState::Done, true), (RunState::Failed(String::new()), true)];
        let ended = ended.iter().map(|(state, diverged)| (state, *diverged));
        assert_eq!(ends_in_words(ended), "3 runs: 1 done, 1 diverged, 1 failed");
    }
}
