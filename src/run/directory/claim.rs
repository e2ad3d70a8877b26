//! The claim of a run directory: a file that names the process of its writer, renewed by a heartbeat.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use doc::file::new_file;

use super::process::{host, identity, is_alive, owner_of};
use crate::error::RunError;

const FILE: &str = "claim";
/// A claim whose heartbeat is older is that of a dead process, unless the process is seen.
const DEAD_AFTER: Duration = Duration::from_mins(2);

/// A claim without a heartbeat, for what takes less than two minutes; released on drop.
#[derive(Debug)]
pub struct Hold {
    path: PathBuf,
    text: String,
}

/// The claim of a writer, released on drop. A thread renews its heartbeat, since one evaluation can take longer than a claim
/// lives.
pub struct Claim {
    beat: Arc<Beat>,
    thread: Option<(SyncSender<()>, JoinHandle<()>)>,
}

struct Found {
    text: String,
    age: Duration,
    is_alive: bool,
}

impl Hold {
    /// Claims a directory; takes over the claim of a dead process.
    pub fn take(directory: &Path) -> Result<Self, RunError> {
        Self::make(directory).map(|(hold, _)| hold)
    }

    fn make(directory: &Path) -> Result<(Self, File), RunError> {
        let path = directory.join(FILE);
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let text = format!("{}\n{}\n", identity().join("\n"), since.as_nanos());
        let mut owner = "an unknown process".to_owned();
        for _ in 0..3 {
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    file.write_all(text.as_bytes()).map_err(|error| {
                        let _ = std::fs::remove_file(&path); // half a claim names no process
                        RunError::disk(&path)(error)
                    })?;
                    return Ok((Self { path, text }, file));
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    let Some(found) = read(&path, || time_of_server(directory)) else { continue };
                    owner = found.owner();
                    if found.is_alive || !take_away(&path, &found.text) {
                        break;
                    }
                }
                Err(error) => return Err(RunError::disk(&path)(error)),
            }
        }
        Err(RunError::Claimed { path: directory.to_owned(), owner })
    }

    /// Removes the claim from a directory that the claimed one was moved or copied to.
    pub fn release_in(&self, directory: &Path) {
        release(&directory.join(FILE), &self.text);
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        release(&self.path, &self.text);
    }
}

impl Claim {
    /// Claims a directory for a writer; takes over the claim of a dead process.
    pub fn take(directory: &Path) -> Result<Self, RunError> {
        let (hold, file) = Hold::make(directory)?;
        Self::begin(hold, file)
    }

    /// Begins to renew a claim that was just written, through its file.
    fn begin(hold: Hold, file: File) -> Result<Self, RunError> {
        let opened = Mutex::new(Opened { file, confirmed: (Instant::now(), SystemTime::now()) });
        let beat = Arc::new(Beat { opened, hold });
        let thread = renew_every(beat.clone(), HEARTBEAT).map_err(RunError::disk(&beat.hold.path))?;
        Ok(Self { beat, thread: Some(thread) })
    }

    /// Makes sure that the directory is still this process's, before something is written there: looks at the disk where the
    /// last heartbeat is not fresh.
    pub fn confirm(&self) -> Result<(), RunError> {
        let mut opened = self.beat.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.is_younger(FRESH) {
            return Ok(());
        }
        match self.beat.renew(&mut opened) {
            // A disk that refuses once answers the next time, long before another process takes the claim over.
            Err(RunError::Disk { .. }) if opened.is_younger(DEAD_AFTER / 2) => Ok(()),
            renewed => renewed,
        }
    }

    /// Lets the last confirmed heartbeat be half a minute older, by one of its clocks.
    #[cfg(test)]
    pub fn forget(&self, by_day: bool) {
        let mut opened = self.beat.opened.lock().unwrap();
        let ago = Duration::from_secs(30);
        if by_day {
            opened.confirmed.1 -= ago;
        } else {
            opened.confirmed.0 = opened.confirmed.0.checked_sub(ago).unwrap();
        }
    }

    /// Returns true if some process writes the directory, by the clock of this host: to look must not change the directory.
    /// [`writer_of`] and [`Self::take`] decide.
    pub fn is_alive(directory: &Path) -> bool {
        read(&directory.join(FILE), SystemTime::now).is_some_and(|found| found.is_alive)
    }
}

/// Returns the process that writes the directory of a run, with the age of its last sign of life by the clock of the server of
/// its files.
pub fn writer_of(directory: &Path) -> Option<String> {
    let found = read(&directory.join(FILE), || time_of_server(directory))?;
    found.is_alive.then(|| found.owner())
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.thread.take() {
            drop(stop);
            let _ = thread.join(); // it returns nothing
        }
    }
}

impl Found {
    /// Returns the process, with the age of its last heartbeat.
    fn owner(&self) -> String {
        format!("{}, last sign of life {} s ago", owner_of(&self.text), self.age.as_secs())
    }
}

/// Reads the clock that gives files their times, which on a shared folder is the server's: that of a new file. The clock of
/// this host may be minutes ahead of it. Where no file can be made, it is the clock of this host.
fn time_of_server(directory: &Path) -> SystemTime {
    let modified = new_file(directory).and_then(|file| file.as_file().metadata()?.modified());
    modified.unwrap_or_else(|_| SystemTime::now())
}

/// Reads the claim at a path, and whether its process lives `now`; nothing where there is none. One that cannot be read has an age.
fn read(path: &Path, now: impl FnOnce() -> SystemTime) -> Option<Found> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        read => read.unwrap_or_default(),
    };
    let modified = std::fs::metadata(path).and_then(|about| about.modified()).ok()?;
    let age = now().duration_since(modified).unwrap_or_default();
    let is_alive = is_alive(text.lines()).unwrap_or(age < DEAD_AFTER);
    Some(Found { text, age, is_alive })
}

/// Removes a claim if it has this text.
fn release(path: &Path, text: &str) {
    if std::fs::read_to_string(path).is_ok_and(|found| found == text) {
        let _ = std::fs::remove_file(path); // nothing can be done about it here; the claim expires
    }
}

/// Removes a dead claim: renames it first, so that only one of two processes gets it. Returns whether the place may be free
/// now: the renamed file can be the new claim of a faster process, or its writer has woken up meanwhile; it is restored then.
fn take_away(path: &Path, dead: &str) -> bool {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let aside = path.with_extension(format!("dead-{}-{}-{number}", host(), std::process::id()));
    if std::fs::rename(path, &aside).is_err() {
        return true; // another process has taken it
    }
    let now = || time_of_server(aside.parent().unwrap_or(path));
    let is_dead = read(&aside, now).is_some_and(|found| found.text == dead && !found.is_alive);
    if !is_dead {
        let _ = std::fs::hard_link(&aside, path); // refused where a third process claims by now, which stays
    }
    let _ = std::fs::remove_file(&aside); // a leftover does no harm
    is_dead
}

const HEARTBEAT: Duration = Duration::from_secs(10);
/// So long after a heartbeat, a claim counts without a look at the disk: no process takes over one that is younger than two
/// minutes.
const FRESH: Duration = Duration::from_secs(5);

/// The renewal of a claim, through the file that was opened: at its path there may be the claim of another process by now.
struct Beat {
    opened: Mutex<Opened>, // closed before the claim is removed
    hold: Hold,
}

struct Opened {
    file: File,
    /// The last heartbeat after which the claim was still this one. The first clock stands still while a computer sleeps, and the
    /// second one can be set.
    confirmed: (Instant, SystemTime),
}

impl Beat {
    /// Renews the heartbeat, and checks then that the claim is still this one: no process takes it over afterwards.
    fn renew(&self, opened: &mut Opened) -> Result<(), RunError> {
        let now = (Instant::now(), SystemTime::now());
        let (Hold { path, text }, file) = (&self.hold, &mut opened.file);
        // Without the last step, the heartbeat of an open file stays on this host.
        let renewed =
            file.rewind().and_then(|()| file.write_all(text.as_bytes())).and_then(|()| file.sync_data());
        let fail = RunError::disk(path);
        match std::fs::read_to_string(path) {
            Ok(found) if found == *text => {
                renewed.map_err(fail)?;
                opened.confirmed = now;
                Ok(())
            }
            Err(error) if error.kind() != ErrorKind::NotFound => Err(fail(error)),
            other => {
                let how = other.map_or_else(
                    |_| "its file claim is gone".to_owned(),
                    |text| format!("{} writes it now", owner_of(&text)),
                );
                let directory = path.parent().unwrap_or(path).to_owned();
                Err(RunError::Lost { path: directory, how })
            }
        }
    }
}

impl Opened {
    /// Returns true if the last heartbeat is younger, by both clocks.
    fn is_younger(&self, than: Duration) -> bool {
        self.confirmed.0.elapsed() < than && self.confirmed.1.elapsed().is_ok_and(|age| age < than)
    }
}

/// Begins to renew a claim, until the sender is dropped.
fn renew_every(beat: Arc<Beat>, every: Duration) -> std::io::Result<(SyncSender<()>, JoinHandle<()>)> {
    let (stop, stopped): (_, Receiver<()>) = sync_channel(0);
    let work = move || {
        while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
            let mut opened = beat.opened.lock().unwrap_or_else(PoisonError::into_inner);
            // One that fails is renewed the next time; the writer learns of it before it writes.
            let _ = beat.renew(&mut opened);
        }
    };
    let thread = std::thread::Builder::new().name("heartbeat".to_owned()).spawn(work)?;
    Ok((stop, thread))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a claim two minutes older than it may be.
    fn age(path: &Path) {
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - 2 * DEAD_AFTER).unwrap();
    }

    fn claim_file(folder: &tempfile::TempDir) -> PathBuf {
        folder.path().join(FILE)
    }

    #[test]
    fn a_directory_has_one_writer_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let claim = Claim::take(folder.path()).unwrap();
        let Err(error) = Claim::take(folder.path()) else { panic!("it is claimed") };
        let message = error.to_string();
        let owner =
            format!("is in use by process {} on {}, last sign of life 0 s ago", std::process::id(), host());
        assert!(message.contains(&owner) && message.contains("stop it first"), "{message}");
        drop(claim);
        assert!(Claim::take(folder.path()).is_ok());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing stays");
    }

    #[test]
    fn a_claim_that_was_renewed_or_replaced_meanwhile_is_not_taken_for_the_dead_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = claim_file(&folder);
        std::fs::write(&path, "dead").unwrap();
        age(&path);
        // Between reading and renaming, another process has taken it over.
        assert!(take_away(&path, "dead"));
        std::fs::write(&path, "new").unwrap();
        age(&path);
        assert!(!take_away(&path, "dead"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new", "it is back");
        std::fs::write(&path, "new").unwrap();
        assert!(!take_away(&path, "new"), "its writer has woken up");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing stays aside");
    }

    #[test]
    fn the_age_of_a_claim_of_another_host_is_that_on_the_server() {
        let folder = tempfile::tempdir().unwrap();
        let path = claim_file(&folder);
        std::fs::write(&path, "elsewhere\n1\n1\n").unwrap();
        let server = time_of_server(folder.path());
        let is_alive = |now: SystemTime| read(&path, || now).unwrap().is_alive;
        assert!(is_alive(server));
        // By a clock that is ahead it would be dead, and it is not taken.
        assert!(!is_alive(server + 2 * DEAD_AFTER));
        assert!(matches!(Claim::take(folder.path()), Err(RunError::Claimed { .. })));
        age(&path);
        assert!(Claim::take(folder.path()).is_ok());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing else stays");
    }

    #[test]
    fn a_claim_of_this_host_is_taken_over_at_once_only_where_its_process_is_dead_for_sure() {
        let folder = tempfile::tempdir().unwrap();
        let path = claim_file(&folder);
        let [host, _, _, realm] = identity();
        let is_taken = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Claim::take(folder.path()).is_ok()
        };
        if !realm.is_empty() {
            assert!(is_taken(&format!("{host}\n999999999\n1\n{realm}\n5\n")));
            assert!(
                is_taken(&format!("{host}\n1\nlong ago\n{realm}\n5\n")),
                "the number of another process now"
            );
        }
        // Another container has the same name and other processes; earlier versions did not say where they ran.
        for text in [
            format!("{host}\n999999999\n1\nelsewhere\n5\n"),
            format!("{host}\n999999999\n1\n"),
            String::new(),
        ] {
            assert!(!is_taken(&text), "{text}");
            age(&path);
            assert!(Claim::take(folder.path()).is_ok(), "its heartbeat is old: {text}");
        }
    }

    /// A claim in a folder, with its path.
    fn begun(folder: &tempfile::TempDir) -> (PathBuf, Claim) {
        let path = folder.path().join("claim");
        let mut file = File::create_new(&path).unwrap();
        file.write_all(b"mine").unwrap();
        let hold = Hold { path: path.clone(), text: "mine".to_owned() };
        (path, Claim::begin(hold, file).unwrap())
    }

    fn is_old(path: &Path) -> bool {
        std::fs::metadata(path).unwrap().modified().unwrap() < SystemTime::now() - DEAD_AFTER
    }

    #[test]
    fn a_claim_is_renewed_while_nothing_is_said_and_never_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let (path, claim) = begun(&folder);
        age(&path);
        let (stop, thread) = renew_every(claim.beat.clone(), Duration::from_millis(1)).unwrap();
        while is_old(&path) {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::fs::rename(&path, folder.path().join("aside")).unwrap();
        std::fs::write(&path, "another's").unwrap();
        age(&path);
        std::thread::sleep(Duration::from_millis(20));
        drop(stop);
        thread.join().unwrap();
        assert!(is_old(&path));
    }

    #[test]
    fn a_writer_that_lost_its_claim_learns_it_before_it_writes() {
        let folder = tempfile::tempdir().unwrap();
        let (path, claim) = begun(&folder);
        claim.confirm().unwrap();
        for by_day in [false, true] {
            claim.forget(by_day);
            age(&path);
            claim.confirm().unwrap();
            assert!(!is_old(&path), "it was renewed");
        }
        std::fs::remove_file(&path).unwrap();
        claim.confirm().unwrap();
        claim.forget(true); // as after a night with the lid closed
        let message = claim.confirm().unwrap_err().to_string();
        assert!(message.contains("its file claim is gone"), "{message}");
        std::fs::write(&path, "there\n7\n").unwrap();
        let message = claim.confirm().unwrap_err().to_string();
        assert!(
            message.contains("process 7 on there writes it now. A process without a sign of life"),
            "{message}"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "there\n7\n");
    }
}
