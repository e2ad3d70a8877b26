//! The claim of a run directory: a file that names the process of its writer, renewed by a heartbeat.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use super::heartbeat::Heartbeat;
use super::process::{host, identity, is_alive, owner_of};
use crate::error::RunError;
use doc::file::new_file;

/// The file in a run directory.
const FILE: &str = "claim";
/// A claim whose heartbeat is older is that of a dead process, unless the process is seen.
pub const DEAD_AFTER: Duration = Duration::from_mins(2);

/// A claim without a heartbeat, for what takes less than two minutes; released on drop.
#[derive(Debug)]
pub struct Hold {
    path: PathBuf,
    text: String,
}

/// The claim of a writer, released on drop. A thread renews its heartbeat, since one evaluation can take longer than a claim
/// lives.
pub struct Claim {
    heartbeat: Heartbeat,
    _hold: Hold,
}

/// The content of a claim file.
struct Found {
    text: String,
    /// Since its last heartbeat.
    age: Duration,
    is_alive: bool,
}

impl Hold {
    /// Claims a directory; takes over the claim of a dead process.
    ///
    /// # Errors
    /// When another process has claimed it, or the disk refuses.
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
    ///
    /// # Errors
    /// When another process has claimed it, or the disk refuses.
    pub fn take(directory: &Path) -> Result<Self, RunError> {
        let (hold, file) = Hold::make(directory)?;
        let heartbeat = Heartbeat::begin(&hold.path, &hold.text, file).map_err(RunError::disk(&hold.path))?;
        Ok(Self { heartbeat, _hold: hold })
    }

    /// Makes sure that the directory is still this process's, before something is written there.
    ///
    /// # Errors
    /// When it is another's, or the disk does not answer.
    pub fn confirm(&self) -> Result<(), RunError> {
        self.heartbeat.confirm()
    }

    /// Lets the last heartbeat be so old that the next question leads to the disk.
    #[cfg(test)]
    pub fn forget(&self) {
        self.heartbeat.forget(false);
    }

    /// Whether some process writes the directory, by the clock of this host: to look must not change the directory.
    /// [`Self::writer`] and [`Self::take`] decide.
    pub fn is_alive(directory: &Path) -> bool {
        read(&directory.join(FILE), SystemTime::now).is_some_and(|found| found.is_alive)
    }

    /// The process that writes the directory, by the clock of the server of its files.
    pub fn writer(directory: &Path) -> Option<String> {
        let found = read(&directory.join(FILE), || time_of_server(directory))?;
        found.is_alive.then(|| found.owner())
    }
}

impl Found {
    /// The process, with the age of its last heartbeat.
    fn owner(&self) -> String {
        format!("{}, last sign of life {} s ago", owner_of(&self.text), self.age.as_secs())
    }
}

/// The time by the clock that gives files their times, which on a shared folder is the server's: that of a new file. The clock of
/// this host may be minutes ahead of it. Where no file can be made, it is the clock of this host.
fn time_of_server(directory: &Path) -> SystemTime {
    let modified = new_file(directory).and_then(|file| file.as_file().metadata()?.modified());
    modified.unwrap_or_else(|_| SystemTime::now())
}

/// The claim at a path, and whether its process lives `now`; nothing where there is none. One that cannot be read has an age.
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

/// Makes a claim two minutes older than it may be.
#[cfg(test)]
pub fn age(path: &Path) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - 2 * DEAD_AFTER).unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
