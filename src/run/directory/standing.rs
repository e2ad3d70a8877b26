//! How far a run is, by the marks in its directory: its log may be long, and there may be thousands of runs.

use std::path::Path;

use rayon::prelude::*;

use super::claim::Claim;

/// How far a run is, as its directory has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing has been written.
    Absent,
    /// It has begun, and no process writes it.
    Interrupted,
    /// A process writes it.
    Running,
    /// It has failed.
    Failed,
    /// It is done.
    Done,
}

impl Standing {
    /// Those of runs, in their order. On a shared folder each look takes a while, so several go on at once.
    pub fn of_all(folder: &Path, ids: &[&str]) -> Vec<Self> {
        ids.par_iter().map(|id| Self::of(folder, id)).collect()
    }

    /// That of a run. Unlike [`read_record`](super::read_record), it believes the marks.
    pub fn of(folder: &Path, id: &str) -> Self {
        let path = folder.join(id);
        // In this order: a process has written everything before it releases its claim.
        let is_alive = Claim::is_alive(&path);
        let has = |name: &str| path.join(name).exists();
        if has("DONE") {
            Self::Done
        } else if is_alive {
            Self::Running
        } else if has("FAILED") {
            Self::Failed
        } else if has("events.jsonl") {
            Self::Interrupted
        } else {
            Self::Absent
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_tell_how_far_a_run_is() {
        let folder = tempfile::tempdir().unwrap();
        let of = || Standing::of(folder.path(), "run");
        let write = |name: &str| std::fs::write(folder.path().join("run").join(name), "").unwrap();
        assert_eq!(of(), Standing::Absent);
        std::fs::create_dir(folder.path().join("run")).unwrap();
        assert_eq!(of(), Standing::Absent);
        write("events.jsonl");
        assert_eq!(of(), Standing::Interrupted);
        write("FAILED");
        assert_eq!(of(), Standing::Failed);
        let claim = Claim::take(&folder.path().join("run")).unwrap();
        assert_eq!(of(), Standing::Running);
        drop(claim);
        write("DONE");
        assert_eq!(of(), Standing::Done);
    }
}
