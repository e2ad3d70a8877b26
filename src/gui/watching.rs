//! Watches for results of other processes, such as cluster nodes: a thread looks every few seconds and wakes the window.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use results::RunRecord;
use run::{Stamp, read_record};

/// Records that were read and that the window has not taken yet.
const READ_AHEAD: usize = 16;

/// Looking and reading take at most this share of the thread's time.
const SHARE: f64 = 0.1;

/// Files written this long before the first look may have been missed by who read them then: clocks of disks are
/// coarse, and those of servers differ.
const DOUBT: Duration = Duration::from_secs(2);

/// A record that has changed.
#[derive(Debug)]
pub struct ChangedRecord {
    /// The folder that it was found in: the window may look at another one by now.
    pub folder: PathBuf,
    /// Its run, by identity.
    pub run: String,
    pub record: RunRecord,
}

/// The place to look at.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchTarget {
    pub folder: PathBuf,
    /// Runs that this process does not carry out, by identity.
    pub runs: Vec<String>,
}

/// The target, as the thread has it.
#[derive(Clone, Debug)]
struct WatchState {
    target: Option<WatchTarget>,
    /// Files that were written there since then are news.
    since: SystemTime,
    /// True until somebody looks.
    is_fresh: bool,
}

/// The thread, as the window has it; it ends with this.
pub struct Watching {
    state: Arc<Mutex<WatchState>>,
    found: Receiver<ChangedRecord>,
    /// Never sent to: the thread ends when it is dropped.
    _stop: SyncSender<()>,
}

impl Watching {
    /// Begins to look every so often; `wake` is called when something was found.
    ///
    /// # Errors
    /// What the system says when there can be no thread.
    pub fn new(every: Duration, wake: impl Fn() + Send + 'static) -> std::io::Result<Self> {
        let state = WatchState { target: None, since: SystemTime::now(), is_fresh: false };
        let state = Arc::new(Mutex::new(state));
        let (send, found) = sync_channel(READ_AHEAD);
        let (stop, stopped) = sync_channel(0);
        let mut watcher = Watcher { state: state.clone(), send, seen: BTreeMap::new() };
        let work = move || watcher.work(&stopped, every, &wake);
        std::thread::Builder::new().name("watcher".to_owned()).spawn(work)?;
        Ok(Self { state, found, _stop: stop })
    }

    /// Looks there from now on.
    pub fn set_target(&self, target: WatchTarget) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.target = Some(target);
        if !state.is_fresh {
            (state.since, state.is_fresh) = (SystemTime::now(), true);
        }
    }

    /// Returns the records found since the last time.
    pub fn found(&self) -> impl Iterator<Item = ChangedRecord> {
        self.found.try_iter()
    }
}

/// The thread.
struct Watcher {
    state: Arc<Mutex<WatchState>>,
    send: SyncSender<ChangedRecord>,
    /// The stamps of runs when they were looked at last: also of those that are carried out here meanwhile.
    seen: BTreeMap<(PathBuf, String), Option<Stamp>>,
}

impl Watcher {
    fn work(&mut self, stopped: &Receiver<()>, every: Duration, wake: &dyn Fn()) {
        let mut pause = every;
        while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
            let began = Instant::now();
            if self.check(wake).is_err() {
                return; // the window has gone
            }
            pause = every.max(began.elapsed().div_f64(SHARE));
        }
    }

    /// Looks once; an error when nobody listens any more.
    fn check(&mut self, wake: &dyn Fn()) -> Result<(), ()> {
        let WatchState { target, since, .. } = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut state.is_fresh);
            state.clone()
        };
        let Some(WatchTarget { folder, runs }) = target else { return Ok(()) };
        self.seen.retain(|(known, _), _| *known == folder);
        for run in runs {
            let stamp = Stamp::read(&folder, &run);
            let key = (folder.clone(), run);
            let is_news = match self.seen.get(&key) {
                Some(last) => *last != stamp,
                None => stamp.is_some_and(|stamp| stamp.is_after(since - DOUBT)),
            };
            if is_news && let Some(record) = read_record(&folder, &key.1) {
                let found = ChangedRecord { folder: folder.clone(), run: key.1.clone(), record };
                self.send.send(found).map_err(drop)?;
                wake();
            }
            self.seen.insert(key, stamp);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use results::RunState;

    const STARTED: &str = "{\"event\":\"started\",\"resumed\":false,\"threads\":1}\n";
    const FINISHED: &str = "{\"event\":\"finished\",\"secs\":1.0}\n";

    fn write(folder: &Path, run: &str, text: &str) {
        std::fs::create_dir_all(folder.join(run)).unwrap();
        std::fs::write(folder.join(run).join("events.jsonl"), text).unwrap();
    }

    fn watcher(folder: &Path, runs: &[&str], since: SystemTime) -> (Watcher, Receiver<ChangedRecord>) {
        let (send, found) = sync_channel(READ_AHEAD);
        let runs = runs.iter().map(|&run| run.to_owned()).collect();
        let target = Some(WatchTarget { folder: folder.to_owned(), runs });
        let state = WatchState { target, since, is_fresh: true };
        (Watcher { state: Arc::new(Mutex::new(state)), send, seen: BTreeMap::new() }, found)
    }

    #[test]
    fn what_another_process_writes_is_read_once_and_what_lay_there_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "old", &format!("{STARTED}{FINISHED}"));
        let future = SystemTime::now() + Duration::from_mins(1);
        let (mut watcher, found) = watcher(folder.path(), &["old", "new", "never"], future);
        let news = |watcher: &mut Watcher| -> Vec<(String, RunState)> {
            watcher.check(&|| ()).unwrap();
            found.try_iter().map(|found| (found.run, found.record.state().clone())).collect()
        };
        assert_eq!(news(&mut watcher), []);
        write(folder.path(), "new", STARTED);
        assert_eq!(news(&mut watcher), [("new".to_owned(), RunState::Stopped)], "no process claims it");
        assert_eq!(news(&mut watcher), []);
        write(folder.path(), "new", &format!("{STARTED}{FINISHED}"));
        assert_eq!(
            news(&mut watcher),
            [("new".to_owned(), RunState::Stopped)],
            "its directory says no such thing"
        );
        std::fs::write(folder.path().join("new/DONE"), "").unwrap();
        write(folder.path(), "new", &format!("{STARTED}{STARTED}{FINISHED}"));
        assert_eq!(news(&mut watcher), [("new".to_owned(), RunState::Done)]);
        watcher.state.lock().unwrap().target = None;
        assert_eq!(news(&mut watcher), []);
    }

    #[test]
    fn what_was_written_while_results_were_read_is_not_missed() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "run", STARTED);
        let (mut watcher, found) = watcher(folder.path(), &["run"], SystemTime::now());
        watcher.check(&|| ()).unwrap();
        assert_eq!(found.try_iter().count(), 1);
    }

    #[test]
    fn the_thread_wakes_the_window_and_ends_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let (woken, waits) = sync_channel(1);
        let wake = move || {
            let _ = woken.try_send(()); // one waking is enough
        };
        let watching = Watching::new(Duration::from_millis(1), wake).unwrap();
        watching.set_target(WatchTarget { folder: folder.path().to_owned(), runs: vec!["run".to_owned()] });
        write(folder.path(), "run", STARTED);
        waits.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(watching.found().next().unwrap().run, "run");
        drop(watching);
        let ended =
            || matches!(waits.recv_timeout(Duration::from_secs(20)), Err(RecvTimeoutError::Disconnected));
        assert!(ended() || ended(), "the thread has dropped its end");
    }
}
