//! Watches for results of other processes, such as cluster nodes: a thread looks every few seconds and wakes the window.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
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

/// The thread, as the window has it; it ends with this.
pub struct Watching {
    targets: Sender<(WatchTarget, SystemTime)>,
    found: Receiver<ChangedRecord>,
}

impl Watching {
    /// Begins to look every so often; `wake` is called when something was found.
    ///
    /// # Errors
    /// What the system says when there can be no thread.
    pub fn new(every: Duration, wake: impl Fn() + Send + 'static) -> std::io::Result<Self> {
        let (send, found) = sync_channel(READ_AHEAD);
        #[expect(
            clippy::disallowed_methods,
            reason = "a target is small, and the window never waits for the thread"
        )]
        let (targets, wanted) = channel();
        let mut watcher = Watcher { target: None, is_fresh: false, send, seen: BTreeMap::new() };
        let work = move || watcher.work(&wanted, every, &wake);
        std::thread::Builder::new().name("watcher".to_owned()).spawn(work)?;
        Ok(Self { targets, found })
    }

    /// Looks there from now on.
    pub fn set_target(&self, target: WatchTarget) {
        let _ = self.targets.send((target, SystemTime::now())); // it has ended only if the program has an error
    }

    /// Returns the records found since the last time.
    pub fn found(&self) -> impl Iterator<Item = ChangedRecord> {
        self.found.try_iter()
    }
}

/// The thread.
struct Watcher {
    /// Where to look, and since when written files are news there.
    target: Option<(WatchTarget, SystemTime)>,
    /// True until somebody looks there.
    is_fresh: bool,
    send: SyncSender<ChangedRecord>,
    /// The stamps of runs when they were looked at last: also of those that are carried out here meanwhile.
    seen: BTreeMap<(PathBuf, String), Option<Stamp>>,
}

impl Watcher {
    fn work(&mut self, wanted: &Receiver<(WatchTarget, SystemTime)>, every: Duration, wake: &dyn Fn()) {
        let mut next = Instant::now() + every;
        loop {
            match wanted.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(target) => self.follow(target),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    let began = Instant::now();
                    if self.check(wake).is_err() {
                        return; // the window has gone
                    }
                    next = Instant::now() + every.max(began.elapsed().div_f64(SHARE));
                }
            }
        }
    }

    /// Takes another target. Files written since the first target that was not checked yet are news.
    fn follow(&mut self, (target, now): (WatchTarget, SystemTime)) {
        let since = self.target.take().filter(|_| self.is_fresh).map_or(now, |(_, since)| since);
        (self.target, self.is_fresh) = (Some((target, since)), true);
    }

    /// Looks once; an error when nobody listens any more.
    fn check(&mut self, wake: &dyn Fn()) -> Result<(), ()> {
        self.is_fresh = false;
        let Some((WatchTarget { folder, runs }, since)) = &self.target else { return Ok(()) };
        self.seen.retain(|(known, _), _| known == folder);
        for run in runs {
            let stamp = Stamp::read(folder, run);
            let key = (folder.clone(), run.clone());
            let is_news = match self.seen.get(&key) {
                Some(last) => *last != stamp,
                None => stamp.is_some_and(|stamp| stamp.is_after(*since - DOUBT)),
            };
            if is_news && let Some(record) = read_record(folder, run) {
                let found = ChangedRecord { folder: folder.clone(), run: run.clone(), record };
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
        let target = Some((WatchTarget { folder: folder.to_owned(), runs }, since));
        (Watcher { target, is_fresh: true, send, seen: BTreeMap::new() }, found)
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
        watcher.target = None;
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
