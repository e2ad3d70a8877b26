//! The claim of a run directory: a file with the host and process of its writer, renewed by a heartbeat.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use crate::run::error::RunError;

/// A claim whose heartbeat is older is that of a dead process.
const DEAD_AFTER: Duration = Duration::from_mins(2);
/// How often the heartbeat is renewed.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// The claim of this process, released on drop. A thread renews its heartbeat, since one evaluation can take longer than a
/// claim lives.
pub struct Claim {
    path: PathBuf,
    text: String,
    /// The thread, which ends when the channel does.
    heartbeat: Option<(SyncSender<()>, JoinHandle<()>)>,
}

impl Claim {
    /// Claims a directory; takes over the claim of a dead process.
    pub fn take(directory: &Path) -> Result<Self, RunError> {
        let path = directory.join("claim");
        let process = std::process::id();
        let text = format!("{}\n{process}\n{}\n", host(), birth_of(&process.to_string()).unwrap_or_default());
        for _ in 0..3 {
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    file.write_all(text.as_bytes()).map_err(RunError::disk(&path))?;
                    let heartbeat = beat(path.clone(), text.clone(), HEARTBEAT).inspect_err(|_| {
                        let _ = std::fs::remove_file(&path); // nobody would renew it
                    });
                    let heartbeat = Some(heartbeat.map_err(RunError::disk(&path))?);
                    return Ok(Self { path, text, heartbeat });
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    let Some((dead, is_alive)) = read(&path, || time_of_server(directory)) else { continue };
                    if is_alive || !take_away(&path, &dead) {
                        break;
                    }
                }
                Err(error) => return Err(RunError::disk(&path)(error)),
            }
        }
        let owner = std::fs::read_to_string(&path).unwrap_or_default();
        let mut lines = owner.lines();
        let (host, process) = (lines.next().unwrap_or("?"), lines.next().unwrap_or("?"));
        Err(RunError::Claimed { path: directory.to_owned(), owner: format!("process {process} on {host}") })
    }

    /// Whether some process writes the directory, by the clock of this host: to look must not change the directory.
    /// [`Self::is_held`] and [`Self::take`] decide.
    pub fn is_alive(directory: &Path) -> bool {
        read(&directory.join("claim"), SystemTime::now).is_some_and(|(_, is_alive)| is_alive)
    }

    /// Whether some process writes the directory, by the clock of the server of its files.
    pub fn is_held(directory: &Path) -> bool {
        read(&directory.join("claim"), || time_of_server(directory)).is_some_and(|(_, is_alive)| is_alive)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.heartbeat.take() {
            drop(stop);
            let _ = thread.join(); // it returns nothing
        }
        if is_mine(&self.path, &self.text) {
            let _ = std::fs::remove_file(&self.path); // nothing can be done about it here; the claim expires
        }
    }
}

/// The time by the clock that gives files their times, which on a shared folder is the server's: that of a new file. The clock of
/// this host may be minutes ahead of it. Where no file can be made, it is the clock of this host.
fn time_of_server(directory: &Path) -> SystemTime {
    let made = tempfile::Builder::new().prefix("clock-").tempfile_in(directory);
    let modified = made.and_then(|file| file.as_file().metadata()?.modified());
    modified.unwrap_or_else(|_| SystemTime::now())
}

/// The text of a claim, and whether its process lives `now`; nothing where there is none.
fn read(path: &Path, now: impl FnOnce() -> SystemTime) -> Option<(String, bool)> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut lines = text.lines();
    let (owner, process, birth) = (lines.next(), lines.next(), lines.next());
    if owner == Some(host().as_str())
        && let Some(process) = process
        && Path::new("/proc/self/stat").exists()
    {
        // The system reuses process numbers, so the start time counts too.
        let is_alive = birth_of(process).is_some_and(|born| Some(born.as_str()) == birth);
        return Some((text, is_alive));
    }
    let modified = std::fs::metadata(path).and_then(|about| about.modified());
    let is_young = |at| now().duration_since(at).unwrap_or_default() < DEAD_AFTER;
    Some((text, modified.is_ok_and(is_young)))
}

/// Begins to renew a claim, until the sender is dropped.
fn beat(path: PathBuf, text: String, every: Duration) -> std::io::Result<(SyncSender<()>, JoinHandle<()>)> {
    let (stop, stopped): (_, Receiver<()>) = sync_channel(0);
    let work = move || {
        while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
            // A heartbeat that fails once is renewed the next time.
            if is_mine(&path, &text) {
                let _ = std::fs::write(&path, &text);
            }
        }
    };
    let thread = std::thread::Builder::new().name("heartbeat".to_owned()).spawn(work)?;
    Ok((stop, thread))
}

/// Whether a claim still has this text.
fn is_mine(path: &Path, text: &str) -> bool {
    std::fs::read_to_string(path).is_ok_and(|found| found == text)
}

fn host() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

/// The start time of a process of this host, in the system's ticks; `None` where it is dead or the system has no `/proc`.
fn birth_of(process: &str) -> Option<String> {
    let about = std::fs::read_to_string(Path::new("/proc").join(process).join("stat")).ok()?;
    // The name in brackets may hold spaces; the start time is the 20th field after it.
    about.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

/// Removes a dead claim: renames it first, so that only one of two processes gets it. Returns whether the place may be free
/// now: the renamed file can be the new claim of a faster process, which is restored.
fn take_away(path: &Path, dead: &str) -> bool {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let aside = path.with_extension(format!("dead-{}-{}-{number}", host(), std::process::id()));
    if std::fs::rename(path, &aside).is_err() {
        return true; // another process has taken it
    }
    let is_dead = is_mine(&aside, dead);
    if !is_dead {
        let _ = std::fs::hard_link(&aside, path); // refused where a third process claims by now, which stays
    }
    let _ = std::fs::remove_file(&aside); // a leftover does no harm
    is_dead
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn a_directory_has_one_writer_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let claim = Claim::take(folder.path()).unwrap();
        assert!(matches!(Claim::take(folder.path()), Err(RunError::Claimed { .. })));
        drop(claim);
        assert!(Claim::take(folder.path()).is_ok());
    }

    #[test]
    fn a_claim_is_renewed_while_nothing_is_said_and_never_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("claim");
        std::fs::write(&path, "mine").unwrap();
        let long_ago = SystemTime::now() - 2 * DEAD_AFTER;
        let age = || File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
        let is_old =
            || std::fs::metadata(&path).unwrap().modified().unwrap() < SystemTime::now() - DEAD_AFTER;
        age();
        let (stop, thread) = beat(path.clone(), "mine".to_owned(), Duration::from_millis(1)).unwrap();
        while is_old() {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(stop);
        thread.join().unwrap();
        age();
        let (stop, thread) = beat(path.clone(), "another".to_owned(), Duration::from_millis(1)).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        drop(stop);
        thread.join().unwrap();
        assert!(is_old());
    }

    #[test]
    fn a_new_claim_is_not_taken_for_the_dead_one_that_it_has_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("claim");
        std::fs::write(&path, "dead").unwrap();
        let dead = std::fs::read_to_string(&path).unwrap();
        // Between reading and renaming, another process has taken it over.
        assert!(take_away(&path, "dead"));
        std::fs::write(&path, "new").unwrap();
        assert!(!take_away(&path, &dead));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new", "it is back");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing stays aside");
    }

    #[test]
    fn the_age_of_a_claim_of_another_host_is_that_on_the_server() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("claim");
        std::fs::write(&path, "elsewhere\n1\n1\n").unwrap();
        let server = time_of_server(folder.path());
        let is_alive = |now: SystemTime| read(&path, || now).unwrap().1;
        assert!(is_alive(server));
        // By a clock that is ahead it would be dead, and it is not taken.
        assert!(!is_alive(server + 2 * DEAD_AFTER));
        assert!(matches!(Claim::take(folder.path()), Err(RunError::Claimed { .. })));
        File::options().write(true).open(&path).unwrap().set_modified(server - 2 * DEAD_AFTER).unwrap();
        assert!(Claim::take(folder.path()).is_ok());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing else stays");
    }

    #[test]
    fn the_claim_of_a_dead_process_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("claim"), format!("{}\n999999999\n", host())).unwrap();
        if Path::new("/proc/self").exists() {
            assert!(Claim::take(folder.path()).is_ok());
            // The number of a living process, but of another one that had it before.
            std::fs::write(folder.path().join("claim"), format!("{}\n1\nlong ago\n", host())).unwrap();
            assert!(Claim::take(folder.path()).is_ok());
        }
    }
}
