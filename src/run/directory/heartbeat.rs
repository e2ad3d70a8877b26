//! The heartbeat of a claim, and whether the claim is still that of its writer.

use std::fs::File;
use std::io::{ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use super::claim::DEAD_AFTER;
use super::process::owner_of;
use crate::error::RunError;

/// How often the heartbeat is renewed.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// So long after a heartbeat, a claim counts without a look at the disk: no process takes over one that is younger than two
/// minutes.
const FRESH: Duration = Duration::from_secs(5);

/// The heartbeat of a claim. A thread renews it until this is dropped.
pub struct Heartbeat {
    beat: Arc<Beat>,
    /// The thread, which ends when the channel does.
    thread: Option<(SyncSender<()>, JoinHandle<()>)>,
}

/// What renews a claim, through the file that was opened: at its path there may be the claim of another process by now.
struct Beat {
    path: PathBuf,
    text: String,
    opened: Mutex<Opened>,
}

struct Opened {
    file: File,
    /// The last heartbeat after which the claim was still this one. The first clock stands still while a computer sleeps, and the
    /// second one can be set.
    confirmed: (Instant, SystemTime),
}

impl Heartbeat {
    /// Begins to renew a claim that was just written, with this text, through its file.
    pub fn begin(path: &Path, text: &str, file: File) -> std::io::Result<Self> {
        let confirmed = (Instant::now(), SystemTime::now());
        let opened = Mutex::new(Opened { file, confirmed });
        let beat = Arc::new(Beat { path: path.to_owned(), text: text.to_owned(), opened });
        let thread = Some(renew_every(beat.clone(), HEARTBEAT)?);
        Ok(Self { beat, thread })
    }

    /// Makes sure that the claim is still this one: looks at the disk where the last heartbeat is not fresh.
    ///
    /// # Errors
    /// When it is another process's, or the disk does not answer.
    pub fn confirm(&self) -> Result<(), RunError> {
        self.beat.confirm()
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
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.thread.take() {
            drop(stop);
            let _ = thread.join(); // it returns nothing
        }
    }
}

impl Beat {
    fn confirm(&self) -> Result<(), RunError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.is_younger(FRESH) {
            return Ok(());
        }
        match self.renew(&mut opened) {
            // A disk that refuses once answers the next time, long before another process takes the claim over.
            Err(RunError::Disk { .. }) if opened.is_younger(DEAD_AFTER / 2) => Ok(()),
            renewed => renewed,
        }
    }

    /// Renews the heartbeat, and checks then that the claim is still this one: no process takes it over afterwards.
    fn renew(&self, opened: &mut Opened) -> Result<(), RunError> {
        let now = (Instant::now(), SystemTime::now());
        let file = &mut opened.file;
        // Without the last step, the heartbeat of an open file stays on this host.
        let renewed =
            file.rewind().and_then(|()| file.write_all(self.text.as_bytes())).and_then(|()| file.sync_data());
        let fail = RunError::disk(&self.path);
        match std::fs::read_to_string(&self.path) {
            Ok(found) if found == self.text => {
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
                let directory = self.path.parent().unwrap_or(&self.path).to_owned();
                Err(RunError::Lost { path: directory, how })
            }
        }
    }
}

impl Opened {
    /// Whether the last heartbeat is younger, by both clocks.
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
    use super::super::claim::age;
    use super::*;

    /// A claim of this text in a folder, and its heartbeat.
    fn begun(folder: &tempfile::TempDir) -> (PathBuf, Heartbeat) {
        let path = folder.path().join("claim");
        let mut file = File::create_new(&path).unwrap();
        file.write_all(b"mine").unwrap();
        (path.clone(), Heartbeat::begin(&path, "mine", file).unwrap())
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
