//! Whether a run directory has changed, without reading its log.

use std::path::Path;
use std::time::SystemTime;

use super::claim::Claim;

/// A value that changes with the record of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    len: u64,
    modified: SystemTime,
    /// Whether a process writes there.
    is_alive: bool,
}

impl Stamp {
    /// The stamp of a run; nothing where there is no log.
    pub fn of(folder: &Path, id: &str) -> Option<Self> {
        let path = folder.join(id);
        let about = std::fs::metadata(path.join("events.jsonl")).ok()?;
        let modified = about.modified().ok()?;
        Some(Self { len: about.len(), modified, is_alive: Claim::is_alive(&path) })
    }

    /// Whether something was written after this moment, by the clock of the disk.
    pub fn is_after(&self, moment: SystemTime) -> bool {
        self.modified > moment
    }
}
