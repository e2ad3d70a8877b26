//! The checkpoint of a run on the disk, and an older one that has certainly reached it.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::checkpoint::Lengths;
use crate::error::RunError;

const FOLDER: &str = "checkpoint";
const NEWEST: &str = "state.safetensors";
const OLDER: &str = "state.older.safetensors";

/// A run waits for the disk this often at most,
const WAIT_EVERY: Duration = Duration::from_secs(5);
/// and for one part in so many of its time: flushing may take seconds.
const WAIT_SHARE: u32 = 50;

/// The checkpoints of a run directory. After a crash of the process, the newest one is there; after a power cut, at least the
/// last one that the run has waited for.
pub struct Generations {
    folder: PathBuf,
    has_landed: bool,
    waited: Option<(Instant, Duration)>,
}

impl Generations {
    /// Finds those of a run directory.
    pub fn new(directory: &Path) -> Self {
        Self { folder: directory.join(FOLDER), has_landed: false, waited: None }
    }

    /// Returns their paths, the newest one first.
    pub fn paths(&self) -> [PathBuf; 2] {
        [NEWEST, OLDER].map(|name| self.folder.join(name))
    }

    /// Returns the moment at which a wait for the disk begins, if it is time for one. What a checkpoint builds on has to be on the disk
    /// before it.
    pub fn wait_begins(&self) -> Option<Instant> {
        let is_due = |(last, took): (Instant, Duration)| last.elapsed() >= WAIT_EVERY.max(WAIT_SHARE * took);
        self.waited.is_none_or(is_due).then(Instant::now)
    }

    /// Replaces the newest checkpoint, and waits for the disk if a `wait` has begun. An older one that has reached the disk
    /// stays. `may_write` is asked once more before anything is replaced, since the disk may have stalled for minutes.
    pub fn replace(
        &mut self,
        bytes: &[u8],
        wait: Option<Instant>,
        may_write: impl FnOnce() -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let [newest, older] = self.paths();
        let fail = RunError::disk(&newest);
        std::fs::create_dir_all(&self.folder).map_err(&fail)?;
        let new = newest.with_extension("new");
        let written = write(&new, bytes, wait.is_some()).map_err(&fail).and_then(|()| may_write());
        written.inspect_err(|_| {
            let _ = std::fs::remove_file(&new); // half a file is of no use, least of all on a full disk
        })?;
        if self.has_landed {
            std::fs::rename(&newest, &older).map_err(&fail)?;
        }
        std::fs::rename(&new, &newest).map_err(&fail)?;
        self.has_landed = wait.is_some();
        if let Some(began) = wait {
            flush_folder(&self.folder);
            self.waited = Some((Instant::now(), began.elapsed()));
        }
        Ok(())
    }

    /// Removes all of them: of a run that is done, or whose checkpoints are of no use.
    pub fn remove(&self) {
        let _ = std::fs::remove_dir_all(&self.folder); // one that stays is not read, or found to be of no use again
    }
}

/// Refuses lengths that the log and the tables of a run directory do not have: after a power cut, their last lines can be missing.
pub fn check_lengths(directory: &Path, lengths: &Lengths) -> Result<(), String> {
    const LOG: &str = "events.jsonl";
    let tables = lengths.tables.iter().map(|(name, length)| (name.as_str(), *length));
    for (name, length) in std::iter::once((LOG, lengths.events)).chain(tables) {
        let there = std::fs::metadata(directory.join(name)).map_or(0, |about| about.len());
        if there < length {
            return Err(format!(
                "{name} has {there} of the {length} bytes that it had at the last checkpoint"
            ));
        }
    }
    let log = std::fs::read(directory.join(LOG)).unwrap_or_default(); // one that cannot be read fails at once
    let log = usize::try_from(lengths.events).ok().and_then(|length| log.get(..length)).unwrap_or_default();
    // Blocks that a disk has reserved and not written are zeros.
    if log.contains(&0) || !log.is_empty() && !log.ends_with(b"\n") {
        return Err(format!("{LOG} is damaged before the place of the last checkpoint"));
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8], waits: bool) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    if waits { file.sync_all() } else { Ok(()) }
}

/// Waits until the names of a folder's files are on the disk, where the system can.
pub fn flush_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all(); // some systems and shared folders cannot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_older_checkpoint_is_one_that_has_reached_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let mut kept = Generations::new(folder.path());
        let [newest, older] = kept.paths();
        let now = Some(Instant::now());
        assert!(kept.wait_begins().is_some(), "the first one");
        for (text, wait, expected) in [
            ("1", now, None),
            ("2", None, Some("1")),
            ("3", None, Some("1")),
            ("4", now, Some("1")),
            ("5", None, Some("4")),
            ("6", now, Some("4")),
            ("7", now, Some("6")),
        ] {
            kept.replace(text.as_bytes(), wait, || Ok(())).unwrap();
            assert_eq!(std::fs::read_to_string(&newest).unwrap(), text);
            assert_eq!(std::fs::read_to_string(&older).ok().as_deref(), expected, "beside {text}");
        }
        assert!(kept.wait_begins().is_none(), "not more often than every few seconds");
        kept.waited = Some((Instant::now().checked_sub(2 * WAIT_EVERY).unwrap(), WAIT_EVERY));
        assert!(kept.wait_begins().is_none(), "not for more than a fiftieth of the time");
        let lost = || Err(RunError::Lost { path: PathBuf::new(), how: String::new() });
        assert!(kept.replace(b"8", None, lost).is_err());
        assert_eq!(std::fs::read_to_string(&newest).unwrap(), "7");
        assert_eq!(std::fs::read_dir(newest.parent().unwrap()).unwrap().count(), 2, "nothing stays");
        kept.remove();
        assert!(!newest.exists() && !older.exists());
    }
}
