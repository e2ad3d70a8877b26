//! The states of runs without their logs: by the marks in their directories, and whether anything has changed there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::SystemTime;

use rayon::prelude::*;

use super::claim::Claim;
use crate::folder::names;
use doc::Run;
use results::RunState;

/// Reads the states of these runs from the marks in their directories, by id, for callers that only count thousands of runs. They are
/// the states of the [records](super::read_records) with two exceptions: a run is running as soon as a process has claimed
/// it, and a mark of its end counts even if the log is damaged. A run that was not started waits.
pub fn read_states(folder: &Path, runs: &[Run]) -> BTreeMap<String, RunState> {
    // One listing of the folder replaces a look for each run that was not started.
    let present: BTreeSet<String> = names(folder).into_iter().collect();
    let state = |run: &Run| {
        let is_present = present.contains(&run.id);
        (run.id.clone(), if is_present { state_of(&folder.join(&run.id)) } else { RunState::Waiting })
    };
    runs.par_iter().map(state).collect()
}

fn state_of(directory: &Path) -> RunState {
    let is_done = || directory.join("DONE").exists();
    if is_done() {
        return RunState::Done;
    }
    if Claim::is_alive(directory) {
        return RunState::Running;
    }
    // A process has written its marks before it releases its claim: it may have done both meanwhile.
    if is_done() {
        return RunState::Done;
    }
    if let Ok(message) = std::fs::read_to_string(directory.join("FAILED")) {
        return RunState::Failed(message);
    }
    let has_begun = std::fs::metadata(directory.join("events.jsonl")).is_ok_and(|log| log.len() > 0);
    if has_begun { RunState::Stopped } else { RunState::Waiting }
}

/// A value that changes with the record of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    len: u64,
    modified: SystemTime,
    is_alive: bool,
}

impl Stamp {
    /// Reads the stamp of a run; `None` where there is no log.
    pub fn read(folder: &Path, id: &str) -> Option<Self> {
        let path = folder.join(id);
        let about = std::fs::metadata(path.join("events.jsonl")).ok()?;
        let modified = about.modified().ok()?;
        Some(Self { len: about.len(), modified, is_alive: Claim::is_alive(&path) })
    }

    /// Returns true if something was written after this moment, by the clock of the disk.
    pub fn is_after(&self, moment: SystemTime) -> bool {
        self.modified > moment
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RunDirectory, read_records};
    use doc::RunSpec;

    const STARTED: &str = "{\"event\":\"started\",\"resumed\":false,\"threads\":1}\n";
    const FINISHED: &str = "{\"event\":\"finished\",\"secs\":1.0}\n";
    const FAILED: &str = "{\"event\":\"failed\",\"message\":\"no data\"}\n";

    fn run(id: &str) -> Run {
        let spec = RunSpec::default();
        Run {
            id: id.to_owned(),
            arm: "a".to_owned(),
            arm_index: 0,
            is_earlier: false,
            seed: 1,
            spec: spec.into(),
        }
    }

    #[test]
    fn marks_tell_what_records_tell() {
        let folder = tempfile::tempdir().unwrap();
        let write = |id: &str, log: &str, marks: &[(&str, &str)]| {
            let directory = folder.path().join(id);
            std::fs::create_dir_all(&directory).unwrap();
            std::fs::write(directory.join("events.jsonl"), log).unwrap();
            for (name, text) in marks {
                std::fs::write(directory.join(name), text).unwrap();
            }
        };
        let dead = "nobody's\n1\n1\n";
        write("done", &format!("{STARTED}{FINISHED}"), &[("DONE", "")]);
        write("stopped", STARTED, &[]);
        write("killed", STARTED, &[("claim", dead)]);
        let claim = std::fs::File::options().write(true).open(folder.path().join("killed/claim")).unwrap();
        claim.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        write("failed", &format!("{STARTED}{FAILED}"), &[("FAILED", "no data")]);
        write("full disk", &format!("{STARTED}{FINISHED}"), &[("FAILED", "no space")]);
        write("unmarked", &format!("{STARTED}{FINISHED}"), &[]);
        write("empty", "", &[]);
        let alive = RunDirectory::claim(folder.path(), &run("alive"), Box::new(|_| {})).unwrap();
        write("alive", STARTED, &[]);
        let ids =
            ["done", "stopped", "killed", "failed", "full disk", "unmarked", "empty", "alive", "not begun"];
        let runs = ids.map(run);
        let records = read_records(folder.path(), &runs);
        let by_records = ids.map(|id| {
            let state = records.get(id).map_or(RunState::Waiting, |record| record.state().clone());
            (id.to_owned(), state)
        });
        let states = read_states(folder.path(), &runs);
        assert_eq!(states, BTreeMap::from(by_records));
        assert_eq!(states["killed"], RunState::Stopped);
        assert_eq!(states["alive"], RunState::Running);
        drop(alive);
        assert_eq!(read_states(folder.path(), &runs)["alive"], RunState::Stopped);
        assert_eq!(read_states(&folder.path().join("none"), &runs)["done"], RunState::Waiting);
    }
}
