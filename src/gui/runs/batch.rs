//! The runs started together: how many have ended, their progress, and the time left.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::Runs;
use results::Event;

/// The share of the work that has to be done before the time left is shown.
const LEAST_SHARE: f64 = 0.01;

/// The time left can be shorter than the pace since the start says, and longer, by these shares of it: stages differ, and
/// runs share the machine with others.
const SHORTER: f64 = 0.12;
const LONGER: f64 = 0.25;

/// The pace for the runs started together.
#[derive(Debug, Default)]
pub(super) struct BatchPace {
    /// The share of each run that was done at its start, once it is known; by identity.
    before: BTreeMap<String, f64>,
    /// The start of the runs, moved by the length of pauses.
    began: Option<Instant>,
}

impl BatchPace {
    /// Begins to measure as runs start.
    pub fn begin(&mut self) {
        *self = Self { before: BTreeMap::new(), began: Some(Instant::now()) };
    }

    /// Excludes a pause from the pace.
    pub fn was_held(&mut self, pause: Duration) {
        if let Some(began) = &mut self.began {
            *began += pause;
        }
    }

    /// Notes the share of a run that was done before, once an event tells it.
    pub fn note(&mut self, run: &str, event: &Event) {
        if let Some(share) = event.share_at_start() {
            self.before.entry(run.to_owned()).or_insert(share);
        }
    }

    /// Returns expected seconds to the end after `elapsed` seconds of work. `done` gives the share of a run that is
    /// done; `open` are those of the `all` runs that have not ended. The rest of a failed run does not count.
    fn secs_left<'a>(
        &self,
        elapsed: f64,
        (all, open): (usize, impl Iterator<Item = &'a String>),
        done: impl Fn(&str) -> f64,
    ) -> Option<f64> {
        let gained: f64 = self.before.iter().map(|(run, before)| (done(run) - before).max(0.0)).sum();
        let left: f64 = open.map(|run| 1.0 - done(run)).sum();
        (gained > LEAST_SHARE * all.max(1) as f64).then(|| elapsed / gained * left)
    }
}

impl Runs {
    /// Returns the runs that were started together.
    pub fn batch(&self) -> &[String] {
        &self.batch
    }

    /// Returns the number of started runs that have ended, and of all started runs.
    pub fn batch_count(&self) -> (usize, usize) {
        (self.batch.len() - self.open.len(), self.batch.len())
    }

    /// Returns the runs that have not ended, by identity.
    pub fn open(&self) -> impl Iterator<Item = &String> {
        self.open.iter().chain(self.pending.iter().map(|job| &job.run.id))
    }

    /// Bounds of the seconds to the end, from the pace since the start.
    pub fn secs_left(&self) -> Option<[f64; 2]> {
        let pause = self.paused.map_or(Duration::ZERO, |since| since.elapsed());
        let elapsed = self.pace.began?.elapsed().saturating_sub(pause).as_secs_f64();
        let left = self.pace.secs_left(elapsed, (self.batch.len(), self.open()), |run| self.share_of(run));
        left.map(|secs| [(1.0 - SHORTER) * secs, (1.0 + LONGER) * secs])
    }

    /// Returns the progress of all started runs, from 0 to 1; one that has ended counts as 1.
    pub fn batch_share(&self) -> f64 {
        let share = |run: &String| if self.open.contains(run) { self.share_of(run) } else { 1.0 };
        self.batch.iter().map(share).sum::<f64>() / self.batch.len().max(1) as f64
    }

    fn share_of(&self, run: &str) -> f64 {
        self.records.get(run).map_or(0.0, |record| record.progress().done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::event::Progress;

    fn progress(done: f64) -> Event {
        Event::Progress(Progress { done, ..Progress::default() })
    }

    #[test]
    fn what_a_resumed_run_had_done_before_does_not_make_it_look_fast() {
        let runs = ["resumed", "new"].map(str::to_owned);
        let mut pace = BatchPace::default();
        let started = |resumed| Event::Started { resumed, threads: 1 };
        pace.note("resumed", &started(true));
        let open = || (2, runs.iter());
        let done = |share: f64| move |run: &str| if run == "resumed" { share } else { 0.0 };
        assert_eq!(pace.secs_left(1.0, open(), done(0.5)), None, "it was as far at the start");
        pace.note("resumed", &progress(0.5));
        pace.note("resumed", &progress(0.75));
        // A quarter of a run in 10 seconds; a quarter and a whole one are left.
        assert_eq!(pace.secs_left(10.0, open(), done(0.75)), Some(50.0));
        pace.note("new", &started(false));
        pace.note("new", &progress(0.25));
        let both = |run: &str| if run == "resumed" { 0.75 } else { 0.25 };
        assert_eq!(pace.secs_left(10.0, open(), both), Some(20.0), "all of a new run is work of now");
        let new = (2, runs[1..].iter());
        assert_eq!(pace.secs_left(10.0, new, both), Some(15.0), "what the other has left was given up");
    }
}
