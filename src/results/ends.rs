//! How runs have ended, in words for logs.

use super::number::{duration, fixed};
use super::table::test_series;
use super::{RunRecord, RunState};
use crate::form::number::{counted, grouped};

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

/// How a run has ended, in one line for a log: `done: test accuracy 97.43 %, 12 s`. `None` while it has not.
pub fn end_in_words(record: &RunRecord) -> Option<String> {
    let time = duration(record.progress().secs);
    match record.state() {
        RunState::Waiting | RunState::Running => None,
        RunState::Failed(why) => Some(format!("failed: {why}")),
        RunState::Stopped => Some(format!("interrupted after {time}")),
        RunState::Done => {
            let series = test_series(record);
            let accuracy = record
                .latest(series)
                .map(|value| format!(": {} {} %", series.replace('_', " "), fixed(100.0 * value, 2)));
            Some(format!("done{}, {time}", accuracy.unwrap_or_default()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Event, Point};

    #[test]
    fn the_end_of_a_run_is_one_line() {
        let started = || Event::Started { resumed: false, threads: 1 };
        let line = |events: Vec<Event>| end_in_words(&RunRecord::of(events));
        let series = "test_accuracy".to_owned();
        let point = || Event::Point(Point { series: series.clone(), value: 0.9743, ..Point::default() });
        let done = line(vec![started(), point(), Event::Finished { secs: 12.0 }]);
        assert_eq!(done.as_deref(), Some("done: test accuracy 97.43 %, 12 s"));
        let stopped = line(vec![started(), Event::Stopped { secs: 12.0 }]);
        assert_eq!(stopped.as_deref(), Some("interrupted after 12 s"));
        assert_eq!(line(vec![started()]), None);
    }

    #[test]
    fn the_end_of_runs_is_counted_by_kind() {
        let states = [(8, RunState::Done), (2, RunState::Stopped), (14, RunState::Waiting)];
        let all = states.iter().flat_map(|(count, state)| std::iter::repeat_n(state, *count));
        assert_eq!(ends_in_words(all), "Stopped: 8 done, 2 interrupted, 14 not started");
        let failed = [RunState::Done, RunState::Failed("no room".to_owned())];
        assert_eq!(ends_in_words(&failed), "2 runs: 1 done, 1 failed");
    }
}
