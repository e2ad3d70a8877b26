//! Records read from disk: of past runs, and of other processes.

#[cfg(test)]
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::{DRAIN, Runs};
use results::{RunRecord, RunState};

impl Runs {
    /// Runs with these records.
    #[cfg(test)]
    pub fn of(records: BTreeMap<String, RunRecord>) -> Self {
        Self { records: records.into_iter().collect(), revision: 1, ..Self::default() }
    }

    fn forget_all(&mut self) {
        self.records.clear();
        self.more.clear();
        self.remembered.clear();
        self.give_up_search();
        self.skipped.clear();
        self.revision += 1;
    }

    /// Forgets all records and takes those that a thread reads, as they arrive. Waits at most `patience`, so that small
    /// results are complete at once.
    pub fn read(&mut self, records: Receiver<(String, RunRecord)>, patience: Duration) -> Option<usize> {
        self.forget_all();
        self.reading = Some((records, 0));
        self.take_read(patience)
    }

    /// Whether threads still read records.
    pub const fn is_reading(&self) -> bool {
        self.reading.is_some() || !self.more.is_empty()
    }

    /// Takes records of runs without a record, as a thread reads them. Waits at most `patience`.
    pub fn read_more(&mut self, records: Receiver<(String, RunRecord)>, patience: Duration) {
        self.more.push(records);
        self.take_more(patience);
    }

    /// Takes the records of further runs that arrive within `patience`; returns whether those were all.
    pub(super) fn take_more(&mut self, patience: Duration) -> bool {
        let began = Instant::now();
        while let Some(records) = self.more.first() {
            match records.recv_timeout(patience.saturating_sub(began.elapsed())) {
                Ok((run, record)) => {
                    self.records.entry(run).or_insert(record);
                    self.revision += 1;
                }
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => drop(self.more.remove(0)),
            }
        }
        true
    }

    /// Takes the records that arrive within `patience`; returns the number of all runs after the last one.
    pub(super) fn take_read(&mut self, patience: Duration) -> Option<usize> {
        let began = Instant::now();
        loop {
            let (records, count) = self.reading.as_mut()?;
            match records.recv_timeout(patience.saturating_sub(began.elapsed())) {
                Ok((run, record)) => {
                    *count += 1;
                    // A record from a run in progress is newer than that on disk.
                    self.records.entry(run).or_insert(record);
                    self.revision += 1;
                    if began.elapsed() > patience.max(DRAIN) {
                        return None;
                    }
                }
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => {
                    let (_, count) = self.reading.take()?;
                    self.revision += 1;
                    return Some(count);
                }
            }
        }
    }

    /// Takes the record of a run in another process; returns its state if that has changed.
    pub fn take_from_others(&mut self, run: &str, record: RunRecord) -> Option<RunState> {
        if self.open.contains(run) {
            return None; // the record here is newer
        }
        let has_news = |known: &RunRecord| {
            *known.state() != *record.state() || known.points().len() != record.points().len()
        };
        // The reason of a failure here is known even if the disk had no space for it.
        let knows_why = |known: &RunRecord| {
            matches!(known.state(), RunState::Failed(_)) && known.points().len() >= record.points().len()
        };
        if *record.state() == RunState::Stopped && self.records.get(run).is_some_and(knows_why) {
            return None;
        }
        let is_over = *record.state() != RunState::Running;
        if is_over && self.records.get(run).is_some_and(|known| !has_news(known)) {
            return None; // such as a run that has just ended here, whose record also has its progress
        }
        let before = self.state(run);
        self.records.insert(run.to_owned(), record);
        self.revision += 1;
        Some(self.state(run)).filter(|state| *state != before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::{Event, Point};

    #[test]
    fn why_a_run_has_failed_stays_until_the_disk_has_more_to_tell() {
        let started = || Event::Started { resumed: false, threads: 1 };
        let stopped = || Event::Stopped { secs: 1.0 };
        let failed = RunState::Failed("no room".to_owned());
        let heard = RunRecord::of([started(), Event::Failed { message: "no room".to_owned() }]);
        let mut runs = Runs::of(BTreeMap::from([("run".to_owned(), heard)]));
        assert_eq!(runs.take_from_others("run", RunRecord::of([started(), stopped()])), None);
        assert_eq!(runs.state("run"), failed);
        let went_on = RunRecord::of([started(), Event::Point(Point::default()), stopped()]);
        assert_eq!(runs.take_from_others("run", went_on), Some(RunState::Stopped));
        let done = RunRecord::of([started(), Event::Finished { secs: 1.0 }]);
        assert_eq!(runs.take_from_others("run", done), Some(RunState::Done));
    }
}
