//! Backups of unsaved edits in the app's own folder, offered after a crash at the next start.
//!
//! Every window writes a separate file and holds a lock beside it, so that no window takes another open one for
//! crashed.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use eframe::egui::Context;
use serde::{Deserialize, Serialize};

use super::background::Latest;
use super::form::TypedText;
use doc::file::{remove_if_there, write_atomically};

/// Edits are kept this often, at most.
pub const PACE: Duration = Duration::from_secs(2);

/// A lock of this age that no process holds belongs to no open window.
const NEW: Duration = Duration::from_mins(1);

const KEPT: &str = "json";
const LOCK: &str = "lock";

/// A document with edits that are not in its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsavedEdits {
    pub path: Option<PathBuf>,
    /// Its name in the window.
    pub title: String,
    /// The text of the file as it was opened or last saved.
    pub saved: String,
    /// The text with the edits.
    pub text: String,
    /// Typed texts that are no values.
    #[serde(default)]
    pub typed: Vec<TypedText>,
    /// True if nothing would be lost but where its runs were.
    #[serde(default)]
    pub is_saved: bool,
    /// The runs in progress and those that waited, by identity.
    #[serde(default)]
    pub runs: Vec<String>,
    /// True if the window was closed, and these runs are to go on at the next start.
    #[serde(default)]
    pub is_closed: bool,
}

/// Unsaved edits of a window that crashed.
#[derive(Debug)]
pub struct Leftover {
    pub kept: UnsavedEdits,
    pub written: SystemTime,
    file: PathBuf,
    /// Held, so that no other window offers it too.
    _lock: File,
}

/// Keeps edits of one window.
pub struct Recovery {
    pub(super) pace: Duration,
    folder: PathBuf,
    file: PathBuf,
    /// Held as long as the window lives.
    lock: Option<File>,
    /// The files that are written, or removed where nothing is kept, after those that a thread is busy with.
    waiting: Vec<(PathBuf, Option<UnsavedEdits>)>,
    writing: Latest<(), ()>,
    has_failed: bool,
    /// The state of the document that was kept last, and when: its revision, the number of its runs, and whether it would
    /// lose something.
    last: Option<([u64; 3], Instant)>,
}

impl Recovery {
    /// Begins to keep edits in a folder.
    ///
    /// # Errors
    /// What the system says when the folder cannot be used.
    pub fn new(folder: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        sweep(folder);
        let (file, lock) = free_file(folder)?;
        let (folder, lock) = (folder.to_owned(), Some(lock));
        let (waiting, writing) = (Vec::new(), Latest::default());
        Ok(Self { pace: PACE, folder, file, lock, waiting, writing, has_failed: false, last: None })
    }

    /// Returns unsaved edits of crashed windows, the newest first.
    pub fn leftovers(&self) -> Vec<Leftover> {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return Vec::new() };
        let paths = entries.flatten().map(|entry| entry.path());
        let mut found: Vec<Leftover> = paths
            .filter(|path| path.extension().is_some_and(|ending| ending == KEPT))
            .filter_map(leftover)
            .collect();
        found.sort_by(|a, b| (b.written, &a.file).cmp(&(a.written, &b.file)));
        found
    }

    /// Keeps the edits when the last time is long enough ago; otherwise how long to wait.
    pub fn keep(&mut self, state: [u64; 3], kept: impl FnOnce() -> Option<UnsavedEdits>) -> Option<Duration> {
        if self.last.is_some_and(|(last, _)| last == state) {
            return None;
        }
        let wait = self.last.map_or(Duration::ZERO, |(_, at)| self.pace.saturating_sub(at.elapsed()));
        if !wait.is_zero() {
            return Some(wait);
        }
        let kept = kept()?;
        self.waiting.retain(|(file, _)| *file != self.file); // earlier edits
        self.waiting.push((self.file.clone(), Some(kept)));
        self.last = Some((state, Instant::now()));
        None
    }

    /// Lets a thread do what waits, unless one is busy: its end wakes the window, which calls this.
    pub fn work(&mut self, ctx: &Context) {
        self.writing.poll();
        if !self.waiting.is_empty() && !self.writing.is_busy() {
            let jobs = self.waiting.clone();
            if self.writing.ask((), ctx, move || carry_out(jobs)) {
                self.waiting.clear(); // else it is tried again: the system has refused a thread
            }
        }
    }

    /// Forgets what was kept: it is saved, or was given up.
    pub fn forget(&mut self) {
        if self.last.take().is_some() {
            self.waiting.push((self.file.clone(), None));
        }
    }

    /// Leaves a document that is not open in this window, to be offered at the next start. It is written at once: the
    /// window may be about to close.
    ///
    /// # Errors
    /// What the system says when it cannot be written.
    pub fn leave(&self, kept: &UnsavedEdits) -> io::Result<()> {
        let (file, _lock) = free_file(&self.folder)?;
        write_atomically(&file, &serde_json::to_vec(kept)?)
    }

    /// Gives up what another window has left, after what was kept before is written.
    pub fn drop_leftover(&mut self, leftover: Leftover) {
        let lock = leftover.file.with_extension(LOCK);
        self.waiting.extend([(leftover.file, None), (lock, None)]);
    }

    /// Returns why edits could not be kept, once.
    pub fn error(&mut self) -> Option<String> {
        self.writing.failure().filter(|_| !std::mem::replace(&mut self.has_failed, true))
    }
}

impl Drop for Recovery {
    fn drop(&mut self) {
        self.writing.wait();
        let _ = carry_out(std::mem::take(&mut self.waiting)); // no log is left to report an error to
        self.lock = None;
        if self.last.is_none() {
            let _ = std::fs::remove_file(self.file.with_extension(LOCK)); // an empty file may stay
        }
    }
}

/// Returns a name that no window has, and its lock.
fn free_file(folder: &Path) -> io::Result<(PathBuf, File)> {
    let secs = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    for number in 0..1_000 {
        let file = folder.join(format!("{secs}-{}-{number}.{KEPT}", std::process::id()));
        let lock = OpenOptions::new().create_new(true).write(true).open(file.with_extension(LOCK));
        match lock {
            Ok(lock) => {
                lock.try_lock().map_err(io::Error::from)?;
                return Ok((file, lock));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(format!("{} is full of locks", folder.display())))
}

/// Removes locks of windows that were killed before they had anything to keep. A new lock may belong to a window that
/// does not hold it yet.
fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let locks = entries.flatten().map(|entry| entry.path());
    let locks = locks.filter(|path| path.extension().is_some_and(|ending| ending == LOCK));
    for path in locks.filter(|path| !path.with_extension(KEPT).exists()) {
        let written = std::fs::metadata(&path).and_then(|data| data.modified());
        let is_old = written.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > NEW));
        if is_old && File::open(&path).is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = remove_if_there(&path); // an empty file may stay
        }
    }
}

/// Returns a file that no window holds; nothing when its window is open, or the file cannot be read.
fn leftover(file: PathBuf) -> Option<Leftover> {
    let lock = file.with_extension(LOCK);
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(lock).ok()?;
    lock.try_lock().ok()?;
    let kept = serde_json::from_slice(&std::fs::read(&file).ok()?).ok()?;
    let written = std::fs::metadata(&file).and_then(|data| data.modified()).ok()?;
    Some(Leftover { kept, written, file, _lock: lock })
}

/// Writes and removes files, in order.
///
/// # Errors
/// What failed first.
fn carry_out(files: Vec<(PathBuf, Option<UnsavedEdits>)>) -> Result<(), String> {
    let done = files.into_iter().map(|(file, kept)| {
        let text = kept.map(|kept| serde_json::to_vec(&kept)).transpose();
        let done = text.map_err(io::Error::from).and_then(|text| match text {
            Some(text) => write_atomically(&file, &text),
            None => remove_if_there(&file),
        });
        done.map_err(|error| format!("{}: {error}", file.display()))
    });
    done.fold(Ok(()), Result::and)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> UnsavedEdits {
        let (title, text) = ("x".to_owned(), text.to_owned());
        let (path, saved, typed, is_saved, runs) = (None, String::new(), Vec::new(), false, Vec::new());
        UnsavedEdits { path, title, saved, text, typed, is_saved, runs, is_closed: false }
    }

    /// Waits for the thread, a second at most.
    fn eventually(is_so: impl Fn() -> bool) -> bool {
        let begun = Instant::now();
        while !is_so() && begun.elapsed() < Duration::from_secs(1) {
            std::thread::yield_now();
        }
        is_so()
    }

    #[test]
    fn edits_of_a_window_that_is_gone_are_found_and_those_of_an_open_one_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let mut crashed = Recovery::new(folder.path()).unwrap();
        assert_eq!(crashed.keep([1, 0, 1], || Some(kept("a"))), None);
        crashed.work(&Context::default());
        let file = crashed.file.clone();
        assert!(eventually(|| file.exists()));
        let other = Recovery::new(folder.path()).unwrap();
        assert!(other.leftovers().is_empty(), "its window is open");
        drop(crashed);
        let found = other.leftovers();
        assert_eq!(found.iter().map(|left| left.kept.text.as_str()).collect::<Vec<_>>(), ["a"]);
        let third = Recovery::new(folder.path()).unwrap();
        assert!(third.leftovers().is_empty(), "another window offers it");
    }

    #[test]
    fn what_is_left_by_a_window_is_offered_by_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let window = Recovery::new(folder.path()).unwrap();
        window.leave(&kept("a")).unwrap();
        window.leave(&kept("b")).unwrap();
        drop(window);
        let found = Recovery::new(folder.path()).unwrap().leftovers();
        let mut texts: Vec<&str> = found.iter().map(|left| left.kept.text.as_str()).collect();
        texts.sort_unstable();
        assert_eq!(texts, ["a", "b"]);
    }

    #[test]
    fn what_is_saved_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let mut recovery = Recovery::new(folder.path()).unwrap();
        recovery.keep([1, 0, 1], || Some(kept("a")));
        recovery.forget();
        drop(recovery);
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
    }

    #[test]
    fn old_locks_that_nobody_holds_are_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let lock = |name: &str, age: u64| {
            let path = folder.path().join(name);
            let file = File::create(&path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
            (path, file)
        };
        let (killed, _) = lock("1-1-0.lock", 100);
        let (new, _) = lock("2-1-0.lock", 1);
        let (crashed, _) = lock("3-1-0.lock", 100);
        std::fs::write(crashed.with_extension(KEPT), "{}").unwrap();
        let (held, file) = lock("4-1-0.lock", 100);
        file.lock().unwrap();
        let window = Recovery::new(folder.path()).unwrap();
        assert!(!killed.exists(), "its window had nothing to keep");
        assert!(new.exists() && crashed.exists() && held.exists());
        let own = window.file.with_extension(LOCK);
        assert!(own.exists());
        drop(window);
        assert!(!own.exists());
    }

    #[test]
    fn edits_are_kept_once_and_not_too_often() {
        let folder = tempfile::tempdir().unwrap();
        let mut recovery = Recovery::new(folder.path()).unwrap();
        recovery.pace = Duration::from_secs(100);
        assert_eq!(recovery.keep([1, 0, 1], || Some(kept("a"))), None);
        assert_eq!(recovery.keep([1, 0, 1], || panic!("it is kept already")), None);
        assert!(recovery.keep([1, 1, 1], || panic!("too early")).is_some());
        assert!(recovery.keep([1, 0, 0], || panic!("too early")).is_some(), "it was saved");
    }
}
