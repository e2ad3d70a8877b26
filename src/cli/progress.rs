//! The progress of a queue of runs: one line that is rewritten on a terminal, a new line every 10 s elsewhere.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use doc::Run;
use results::number::{duration, fixed};
use results::{Event, RunRecord, RunState};
use run::{Costs, Message, cost};

/// The time between two versions of the line of a terminal.
pub const REDRAW_EVERY: Duration = Duration::from_millis(200);
/// The time between two lines where it cannot be rewritten, as in the log of a cluster.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// Share of the work that has to be done before the line has the time left.
const ENOUGH_FOR_PACE: f64 = 0.005;

/// One run of the progress line.
struct TrackedRun {
    label: String,
    /// Expected work, in multiply-adds.
    size: f64,
    /// From the events of this process, or, of a run that was done, of previous ones.
    record: RunRecord,
    /// The other process that works on it, if one does.
    elsewhere: Option<String>,
    /// Share that was done before this process, once it is known.
    before: Option<f64>,
}

/// The progress of all selected runs.
pub struct ProgressLine {
    runs: BTreeMap<String, TrackedRun>,
    began: Instant,
    drawn: Option<Instant>,
    is_terminal: bool,
}

impl ProgressLine {
    /// Begins the line of these runs. `done` has those that previous processes have done, by identity, and the seconds that they took.
    pub fn new(runs: &[Run], done: &BTreeMap<String, f64>) -> Self {
        let costs = Costs::new(runs, cost);
        let tracked = |run: &Run| {
            // Stopped and failed runs are tried again.
            let done = done.get(&run.id).copied();
            TrackedRun {
                label: format!("{} (seed {})", run.arm, run.seed),
                size: costs.get(run).map_or(1.0, |cost| cost.work.multiply_adds().max(1.0)),
                before: done.map(|_| 1.0),
                record: RunRecord::from_events(done.map(|secs| Event::Finished { secs })),
                elsewhere: None,
            }
        };
        Self {
            runs: runs.iter().map(|run| (run.id.clone(), tracked(run))).collect(),
            began: Instant::now(),
            drawn: None,
            is_terminal: std::io::stderr().is_terminal(),
        }
    }

    pub fn apply(&mut self, message: Message) {
        let Some(run) = self.runs.get_mut(&message.run) else { return };
        run.before = run.before.or(message.event.share_at_start());
        if let Event::Elsewhere { owner } = &message.event {
            run.elsewhere = Some(owner.clone());
        }
        run.record.apply(message.event);
    }

    /// Shows the line if it is time to.
    pub fn draw(&mut self) {
        let every = if self.is_terminal { REDRAW_EVERY } else { LINE_EVERY };
        if self.drawn.is_some_and(|drawn| drawn.elapsed() < every) {
            return;
        }
        self.drawn = Some(Instant::now());
        let text = self.text(self.began.elapsed().as_secs_f64());
        let mut stream = std::io::stderr().lock();
        let _ = if self.is_terminal { write!(stream, "\r\x1b[2K{text}") } else { writeln!(stream, "{text}") };
        let _ = stream.flush();
    }

    pub fn failures(&self) -> BTreeMap<String, String> {
        let failure =
            |(id, run): (&String, &TrackedRun)| Some((id.clone(), run.record.failure()?.to_owned()));
        self.runs.iter().filter_map(failure).collect()
    }

    /// Returns the other processes that work on runs, by the runs' ids.
    pub fn elsewhere(&self) -> BTreeMap<String, String> {
        let owner = |(id, run): (&String, &TrackedRun)| Some((id.clone(), run.elsewhere.clone()?));
        self.runs.iter().filter_map(owner).collect()
    }

    /// Clears the line, so that other text can follow.
    pub fn clear(&mut self) {
        if self.is_terminal && self.drawn.take().is_some() {
            let mut stream = std::io::stderr().lock();
            let _ = write!(stream, "\r\x1b[2K").and_then(|()| stream.flush());
        }
    }

    /// Says `3/12 runs, 41 %, 1 min 20 s left, winning ticket (seed 2) at epoch 24.0`.
    fn text(&self, secs: f64) -> String {
        let runs = || self.runs.values();
        let count = |is: fn(&TrackedRun) -> bool| runs().filter(|run| is(run)).count();
        let total = runs().map(|run| run.size).sum::<f64>().max(1.0);
        let share = runs().map(|run| run.record.progress().done * run.size).sum::<f64>() / total;
        let before = runs().map(|run| run.before.unwrap_or_default() * run.size).sum::<f64>() / total;
        let percent = fixed((share * 100.0).floor(), 0);
        let mut parts = vec![
            format!("{}/{} runs", count(|run| run.record.is_done()), self.runs.len()),
            format!("{percent} %"),
        ];
        let gained = share - before;
        if gained > ENOUGH_FOR_PACE && share < 1.0 {
            parts.push(format!("{} left", duration(secs * (1.0 - share) / gained)));
        }
        let failed = count(|run| run.record.failure().is_some());
        if failed > 0 {
            parts.push(format!("{failed} failed"));
        }
        let elsewhere = count(|run| run.elsewhere.is_some());
        if elsewhere > 0 {
            parts.push(format!("{elsewhere} running elsewhere"));
        }
        let running: Vec<&TrackedRun> =
            runs().filter(|run| *run.record.state() == RunState::Running).collect();
        match running.as_slice() {
            [] => {}
            [run] => parts.push(format!("{} at {}", run.label, run.record.position())),
            several => parts.push(format!("{} running", several.len())),
        }
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doc::RunSpec;
    use results::event::Progress;

    fn run(id: &str, seed: u64) -> Run {
        let spec = RunSpec { seed, ..RunSpec::default() };
        Run {
            id: id.to_owned(),
            arm: "dense".to_owned(),
            arm_index: 0,
            is_earlier: false,
            seed,
            spec: spec.into(),
        }
    }

    fn progress(id: &str, done: f64) -> Message {
        let event = Event::Progress(Progress { done, epoch: 12.0 * done, ..Progress::default() });
        Message { run: id.to_owned(), event }
    }

    #[test]
    fn time_left_follows_from_the_work_of_this_process() {
        let done = BTreeMap::from([("a".to_owned(), 9.0)]);
        let mut line = ProgressLine::new(&[run("a", 1), run("b", 2)], &done);
        assert_eq!(line.text(0.0), "1/2 runs, 50 %");
        line.apply(Message { run: "b".to_owned(), event: Event::Started { resumed: false, threads: 1 } });
        line.apply(progress("b", 0.25));
        assert_eq!(line.text(20.0), "1/2 runs, 62 %, 1 min left, dense (seed 2) at epoch 3.0");
        line.apply(Message { run: "b".to_owned(), event: Event::Finished { secs: 80.0 } });
        assert_eq!(line.text(80.0), "2/2 runs, 100 %");
    }

    #[test]
    fn what_a_resumed_run_had_done_before_does_not_make_it_look_fast() {
        let mut line = ProgressLine::new(&[run("a", 1)], &BTreeMap::new());
        line.apply(Message { run: "a".to_owned(), event: Event::Started { resumed: true, threads: 1 } });
        line.apply(progress("a", 0.5));
        line.apply(progress("a", 0.75));
        assert_eq!(line.text(20.0), "0/1 runs, 75 %, 20 s left, dense (seed 1) at epoch 9.0");
    }

    #[test]
    fn a_run_of_another_process_is_no_failure() {
        let mut line = ProgressLine::new(&[run("a", 1)], &BTreeMap::new());
        let owner = "process 7 on here".to_owned();
        line.apply(Message { run: "a".to_owned(), event: Event::Elsewhere { owner: owner.clone() } });
        assert_eq!(line.text(1.0), "0/1 runs, 0 %, 1 running elsewhere");
        assert_eq!(
            (line.failures(), line.elsewhere()),
            (BTreeMap::new(), BTreeMap::from([("a".to_owned(), owner)]))
        );
    }

    #[test]
    fn failures_are_counted() {
        let mut line = ProgressLine::new(&[run("a", 1)], &BTreeMap::new());
        line.apply(Message { run: "a".to_owned(), event: Event::Failed { message: "no data".to_owned() } });
        assert_eq!(line.text(1.0), "0/1 runs, 0 %, 1 failed");
        assert_eq!(line.failures(), BTreeMap::from([("a".to_owned(), "no data".to_owned())]));
    }
}
