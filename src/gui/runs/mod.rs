//! The runs of the document and their records, folded from their messages.

mod outdated;
mod queue;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use super::worker::RunningJobs;
use doc::Run;
use outdated::OutdatedRuns;
pub use outdated::{ArmSeed, FoundRun};
pub use queue::{QueueAction, QueueCounts, QueueLine, QueueRequest, Sharing};
use results::{Event, ReportLevel, RunRecord, RunState, has_diverged};
use run::{Job, QueueView, StopKind, StoredRun};

/// Messages are read for at most this long per frame; the rest follows in the next one.
const DRAIN: Duration = Duration::from_millis(4);

/// A change that gets a line in the log.
#[derive(Clone, Debug, PartialEq)]
pub enum RunNews {
    /// A run changed its state.
    State { run: String, state: RunState },
    /// A report of a stage that everybody has to read.
    Report { run: String, summary: String },
    /// Another process works on a run, which was skipped.
    Elsewhere {
        run: String,
        /// The other process, and its host.
        owner: String,
    },
    /// All started runs have ended; why the queue stopped by itself, if it did.
    Over(Option<&'static str>),
    /// All records on disk are read: the number of runs.
    Read(usize),
    /// The records of runs that an edit has made are read.
    ReadMore,
    /// The folder of results has runs that the document does not list.
    Outdated {
        all: usize,
        /// The number of those that are shown for runs without results.
        shown: usize,
        /// Those of the same settings and other inputs.
        changed: Vec<StoredRun>,
    },
}

/// The share of the work that has to be done before the time left is shown.
const LEAST_SHARE: f64 = 0.01;

/// The time left can be shorter than the pace since the start says, and longer, by these shares of it: stages differ, and
/// runs share the machine with others.
const SHORTER: f64 = 0.12;
const LONGER: f64 = 0.25;

/// The pace for the runs started together.
#[derive(Debug, Default)]
struct BatchPace {
    /// The share of each run that was done at its start, once it is known; by identity.
    before: BTreeMap<String, f64>,
    /// The start of the runs, moved by the length of pauses.
    began: Option<Instant>,
}

impl BatchPace {
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

/// Records on disk, as a thread reads them.
struct Reading {
    records: Receiver<(String, RunRecord)>,
    count: usize,
    /// True if an edit has made their runs.
    is_more: bool,
}

/// Records by run, and the work in progress.
#[derive(Default)]
pub struct Runs {
    records: HashMap<String, RunRecord>,
    /// Started runs that have not ended.
    open: BTreeSet<String>,
    /// All runs that were started together, or added since.
    batch: Vec<String>,
    /// Runs whose turn has ended by their messages; the queue may notice it later.
    ended_turn: BTreeSet<String>,
    /// Started runs that were stopped while they waited.
    skipped: BTreeSet<String>,
    /// The last run with points of each arm and seed, which may have had other settings.
    remembered: HashMap<ArmSeed, String>,
    outdated: OutdatedRuns,
    /// Runs whose results are in the archive.
    archived: BTreeSet<String>,
    pace: BatchPace,
    work: Option<RunningJobs>,
    /// The work that has ended, whose order of runs may still be written.
    last_work: Option<RunningJobs>,
    /// The way in which runs share the machine.
    pub sharing: Sharing,
    /// The queue as it was when it was looked at last, at this revision, and the places of its runs.
    view: Option<QueueView>,
    followed: Option<u64>,
    places: BTreeMap<String, usize>,
    /// Jobs that came after the queue had ended.
    pending: Vec<Job>,
    /// The records on disk as threads read them: of all runs, then of those that edits have made.
    reading: Vec<Reading>,
    stopping: Option<StopKind>,
    /// The beginning of a pause.
    paused: Option<Instant>,
    revision: u64,
}

impl Runs {
    /// Forgets an archived run.
    pub fn forget(&mut self, run: &str) {
        self.records.remove(run);
        self.skipped.remove(run);
        self.revision += 1;
    }

    /// Returns the record of a run.
    pub fn record(&self, run: &str) -> Option<&RunRecord> {
        self.records.get(run)
    }

    /// Grows whenever a record changes.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the state of a run; `Waiting` without a record.
    pub fn state(&self, run: &str) -> RunState {
        let known = self.records.get(run).map_or(RunState::Waiting, |record| record.state().clone());
        if self.open.contains(run) && known != RunState::Running { RunState::Waiting } else { known }
    }

    /// Returns true if all stages of a run are done.
    pub fn is_done(&self, run: &str) -> bool {
        self.records.get(run).is_some_and(RunRecord::is_done) && !self.open.contains(run)
    }

    /// Notes whose results are in the archive.
    pub fn set_archived(&mut self, archived: BTreeSet<String>) {
        self.revision += u64::from(archived != self.archived);
        self.archived = archived;
    }

    /// Returns true if the results of a run are in the archive, and it has no others.
    pub fn is_archived(&self, run: &str) -> bool {
        self.archived.contains(run) && !self.records.contains_key(run) && !self.open.contains(run)
    }

    /// Returns true if a run is still to be done: those in the archive were done once.
    pub fn is_left(&self, run: &str) -> bool {
        !self.is_done(run) && !self.is_archived(run)
    }

    /// Returns true if the training of a run diverged, so far.
    pub fn has_diverged(&self, run: &Run) -> bool {
        self.records.get(&run.id).is_some_and(|record| has_diverged(run, record))
    }

    /// Returns true if a run was started and has not ended.
    pub fn is_open(&self, run: &str) -> bool {
        self.open.contains(run)
    }

    /// Returns why these runs cannot be archived, if so.
    pub fn why_not_archive<'a>(&self, runs: impl IntoIterator<Item = &'a String>) -> Option<&'static str> {
        let mut has_results = false;
        for run in runs {
            if self.is_open(run) {
                return Some("These runs are active or queued: stop them first");
            }
            has_results |= self.records.contains_key(run);
        }
        (!has_results).then_some("These runs have no results")
    }

    /// Returns the state in words; a run that was never started is not queued.
    pub fn word(&self, run: &str) -> &'static str {
        match self.state(run) {
            RunState::Waiting if self.is_archived(run) => "archived",
            RunState::Waiting if !self.open.contains(run) => "not run",
            RunState::Running if self.paused.is_some() => "paused",
            state => state.word(),
        }
    }

    /// Returns true if a run was started, or waited for its start, and did not finish.
    pub fn is_resumable(&self, run: &str) -> bool {
        match self.state(run) {
            RunState::Stopped | RunState::Failed(_) => true,
            RunState::Waiting => self.skipped.contains(run),
            RunState::Running | RunState::Done => false,
        }
    }

    /// Returns true if runs are in progress.
    pub const fn is_running(&self) -> bool {
        self.work.is_some()
    }

    /// Returns how the runs were asked to stop, if they were.
    pub const fn stopping(&self) -> Option<StopKind> {
        self.stopping
    }

    /// Returns true if the runs are paused.
    pub const fn is_paused(&self) -> bool {
        self.paused.is_some()
    }

    /// Takes new messages from the runs.
    pub fn drain(&mut self) -> Vec<RunNews> {
        let mut news = Vec::new();
        for mut reading in std::mem::take(&mut self.reading) {
            if self.take_read(&mut reading, Duration::ZERO) {
                news.push(if reading.is_more { RunNews::ReadMore } else { RunNews::Read(reading.count) });
            } else {
                self.reading.push(reading);
            }
        }
        news.extend(self.take_found());
        let began = Instant::now();
        while began.elapsed() < DRAIN {
            let Some(work) = &self.work else { break };
            match work.messages.try_recv() {
                Ok(message) => news.extend(self.apply(message.run, message.event)),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => news.extend(self.end()),
            }
        }
        self.follow_queue();
        news
    }

    fn apply(&mut self, run: String, event: Event) -> Option<RunNews> {
        self.revision += 1;
        if let Event::Elsewhere { owner } = event {
            self.end_turn(&run);
            return Some(RunNews::Elsewhere { run, owner });
        }
        self.pace.note(&run, &event);
        let news = match &event {
            // The others are in the view of reports.
            Event::Report(report) if report.level == ReportLevel::Warning => {
                Some(RunNews::Report { run: run.clone(), summary: report.summary.clone() })
            }
            _ => None,
        };
        let gives_way = matches!(event, Event::Stopped { .. }) && self.gives_way(&run);
        // By the event: the record of a resumed run still has the state of the stopped run at its first event.
        if matches!(event, Event::Finished { .. } | Event::Stopped { .. } | Event::Failed { .. })
            && !gives_way
        {
            self.end_turn(&run);
        } else if matches!(event, Event::Started { .. }) {
            self.ended_turn.remove(&run);
        }
        let record = self.records.entry(run.clone()).or_default();
        let before = record.state().clone();
        record.apply(event);
        let state = record.state().clone();
        if state == before || gives_way { news } else { Some(RunNews::State { run, state }) }
    }

    fn end_turn(&mut self, run: &str) {
        self.open.remove(run);
        self.ended_turn.insert(run.to_owned());
    }

    /// Ends the work once the channel has closed: a run without an end event was lost with its thread.
    fn end(&mut self) -> Vec<RunNews> {
        let mut news = Vec::new();
        self.follow_queue();
        for run in std::mem::take(&mut self.open) {
            if self.records.get(&run).is_none_or(|record| *record.state() != RunState::Running) {
                self.skipped.insert(run);
            } else {
                let message =
                    "The worker ended unexpectedly. Press Resume to continue from the last finished stage.";
                let record = self.records.entry(run.clone()).or_default();
                record.apply(Event::Failed { message: message.to_owned() });
                news.push(RunNews::State { run, state: record.state().clone() });
            }
        }
        self.last_work = self.work.take();
        self.followed = None;
        self.stopping = None;
        self.paused = None;
        self.pace = BatchPace::default();
        self.revision += 1;
        news.push(RunNews::Over(self.view.as_ref().and_then(|view| view.halted)));
        news
    }

    /// Returns runs with these records.
    #[cfg(test)]
    pub fn from_records(records: BTreeMap<String, RunRecord>) -> Self {
        Self { records: records.into_iter().collect(), revision: 1, ..Self::default() }
    }

    /// Takes records as a thread reads them: those of further runs, or of all after forgetting what is known. Waits at
    /// most `patience`, so that small results are complete at once; returns their number, if they are.
    pub fn read(
        &mut self,
        records: Receiver<(String, RunRecord)>,
        patience: Duration,
        is_more: bool,
    ) -> Option<usize> {
        if !is_more {
            self.records.clear();
            self.reading.clear();
            self.remembered.clear();
            self.outdated.search = None;
            self.skipped.clear();
            self.revision += 1;
        }
        let mut reading = Reading { records, count: 0, is_more };
        if self.take_read(&mut reading, patience) {
            return Some(reading.count);
        }
        self.reading.push(reading);
        None
    }

    /// Returns true if threads still read records.
    pub const fn is_reading(&self) -> bool {
        !self.reading.is_empty()
    }

    /// Takes the records that arrive within `patience`. Returns true after the last one.
    fn take_read(&mut self, reading: &mut Reading, patience: Duration) -> bool {
        let began = Instant::now();
        while began.elapsed() <= patience.max(DRAIN) {
            match reading.records.recv_timeout(patience.saturating_sub(began.elapsed())) {
                Ok((run, record)) => {
                    reading.count += 1;
                    // A record from a run in progress is newer than that on disk.
                    self.records.entry(run).or_insert(record);
                    self.revision += 1;
                }
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => {
                    self.revision += 1;
                    return true;
                }
            }
        }
        false
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

/// Returns the jobs for the runs that are neither done nor in the queue, each identity once; runs that still stop get
/// another turn.
pub fn jobs(runs: &[Run], known: &Runs, folder: &Path, base: &Path) -> Vec<Job> {
    let mut seen = BTreeSet::new();
    let is_left = |run: &Run| !known.is_done(&run.id);
    let is_free = |run: &Run| !known.is_open(&run.id) || known.is_stopping(&run.id);
    runs.iter()
        .filter(|run| seen.insert(&run.id) && is_left(run) && is_free(run))
        .map(|run| Job { run: run.clone(), folder: folder.to_owned(), base: base.to_owned() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::Point;
    use results::event::Progress;

    #[test]
    fn why_a_run_has_failed_stays_until_the_disk_has_more_to_tell() {
        let started = || Event::Started { resumed: false, threads: 1 };
        let stopped = || Event::Stopped { secs: 1.0 };
        let failed = RunState::Failed("no room".to_owned());
        let heard = RunRecord::from_events([started(), Event::Failed { message: "no room".to_owned() }]);
        let mut runs = Runs::from_records(BTreeMap::from([("run".to_owned(), heard)]));
        assert_eq!(runs.take_from_others("run", RunRecord::from_events([started(), stopped()])), None);
        assert_eq!(runs.state("run"), failed);
        let went_on = RunRecord::from_events([started(), Event::Point(Point::default()), stopped()]);
        assert_eq!(runs.take_from_others("run", went_on), Some(RunState::Stopped));
        let done = RunRecord::from_events([started(), Event::Finished { secs: 1.0 }]);
        assert_eq!(runs.take_from_others("run", done), Some(RunState::Done));
    }

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
