//! The folders of an export: one for each run, and a file that says whose they are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::PublishError;
use doc::Run;
use doc::file::write_atomically;
use doc::file_names::filled;

/// The file that makes a folder one of ours.
pub const MANIFEST: &str = "weightlab-export.json";

/// The most characters of an arm's name in that of a folder: file systems have 255 bytes for it.
const LONGEST: usize = 60;

/// What an export has written, as [`MANIFEST`] keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folders {
    /// What made it.
    format: String,
    /// Identities of runs by their folders, which are relative and have `/` between their parts.
    runs: BTreeMap<String, String>,
}

/// What [`Folders::format`] says.
const FORMAT: &str = "weightlab tensorboard 1";

impl Folders {
    /// The folders of earlier exports to this place, which may be missing or empty.
    ///
    /// # Errors
    /// When something else is there.
    pub fn read(place: &Path) -> Result<Self, PublishError> {
        let foreign = || PublishError::Foreign { path: place.to_owned() };
        let new = || Self { format: FORMAT.to_owned(), runs: BTreeMap::new() };
        let mut files = match std::fs::read_dir(place) {
            Ok(files) => files,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(new()),
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Err(foreign()),
            Err(error) => return Err(PublishError::reading(place)(error)),
        };
        if files.next().is_none() {
            return Ok(new());
        }
        let text = std::fs::read_to_string(place.join(MANIFEST)).map_err(|_| foreign())?;
        let known: Option<Self> = serde_json::from_str(&text).ok();
        known.filter(|known| known.format == FORMAT).ok_or_else(foreign)
    }

    /// Writes what [`read`](Self::read) reads.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write(&self, place: &Path) -> Result<(), PublishError> {
        let path = place.join(MANIFEST);
        let text = serde_json::to_string_pretty(self).expect("names can be written") + "\n";
        write_atomically(&path, text.as_bytes()).map_err(PublishError::writing(&path))
    }

    /// The folder of each run, relative: `ARM/seed-1`. A folder belongs to the run that had it first, also where its arm has
    /// another name now. Another run of an arm and seed that read alike, of another version of the settings for instance,
    /// has its identity behind it. Arms that share a run have a folder each.
    pub fn take(&mut self, runs: &[Run]) -> Vec<PathBuf> {
        let mut found: Vec<Option<String>> = runs.iter().map(|run| self.of_this_name(run)).collect();
        let mut used: BTreeSet<String> = found.iter().flatten().cloned().collect();
        // Some systems do not tell A from a.
        let mut taken: BTreeSet<String> = self.runs.keys().map(|folder| folder.to_lowercase()).collect();
        let mut of_run: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let known = self.runs.clone();
        for (folder, id) in &known {
            of_run.entry(id).or_default().push(folder);
        }
        for (run, folder) in runs.iter().zip(&mut found) {
            if folder.is_some() {
                continue;
            }
            let earlier = of_run.get(run.id.as_str()).into_iter().flatten();
            let name = earlier.copied().find(|folder| !used.contains(*folder)).map(str::to_owned);
            let name = name.unwrap_or_else(|| {
                let [plain, own] = names_of(run);
                if taken.contains(&plain.to_lowercase()) { own } else { plain }
            });
            used.insert(name.clone());
            taken.insert(name.to_lowercase());
            self.runs.insert(name.clone(), run.id.clone());
            *folder = Some(name);
        }
        found.into_iter().flatten().map(PathBuf::from).collect()
    }

    /// The folder that this run of this arm has from an earlier export.
    fn of_this_name(&self, run: &Run) -> Option<String> {
        names_of(run).into_iter().find(|folder| self.runs.get(folder) == Some(&run.id))
    }
}

/// The folder of a run, and the one that it has where another run has that.
fn names_of(run: &Run) -> [String; 2] {
    let plain = folder_name(run);
    let own = format!("{plain}-{}", run.id);
    [plain, own]
}

fn folder_name(run: &Run) -> String {
    let arm: String = filled("{arm}", &run.arm, run.seed).chars().take(LONGEST).collect();
    // Windows drops dots at the end.
    let arm = arm.trim_end_matches('.');
    format!("{}/seed-{}", if arm.is_empty() { "arm" } else { arm }, run.seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use doc::RunSpec;

    fn run(id: &str, arm: &str, seed: u64) -> Run {
        Run {
            id: id.to_owned(),
            arm: arm.to_owned(),
            arm_index: 0,
            is_earlier: false,
            seed,
            spec: RunSpec::default().into(),
        }
    }

    #[test]
    fn names_are_safe_and_no_two_runs_share_a_folder() {
        let long = "x".repeat(300);
        let runs = [
            run("a1", "plain, rate 0.1", 1),
            run("a2", "../../etc", 1),
            run("a3", "PLAIN__rate 0.1", 1),
            run("a4", &long, 2),
            run("a5", "...", 1),
        ];
        let mut folders = Folders::read(Path::new("does-not-exist")).unwrap();
        let found: Vec<String> = folders.take(&runs).iter().map(|path| path.display().to_string()).collect();
        assert_eq!(found[..3], ["plain__rate_0.1/seed-1", "_._.._etc/seed-1", "PLAIN__rate_0.1/seed-1-a3"]);
        assert_eq!((found[3].len(), found[4].as_str()), (60 + "/seed-2".len(), "_/seed-1"));
    }

    #[test]
    fn a_run_of_other_settings_gets_another_folder_and_every_run_keeps_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let mut folders = Folders::read(folder.path()).unwrap();
        assert_eq!(folders.take(&[run("old", "a", 1)]), [Path::new("a/seed-1")]);
        folders.write(folder.path()).unwrap();
        let mut again = Folders::read(folder.path()).unwrap();
        assert_eq!(again, folders);
        let changed = [run("new", "a", 1), run("old", "a", 1)];
        let wanted = ["a/seed-1-new", "a/seed-1"].map(Path::new);
        assert_eq!(again.take(&changed), wanted);
        assert_eq!(again.take(&changed), wanted, "once more");
    }

    #[test]
    fn arms_that_share_a_run_keep_a_folder_each_and_a_renamed_arm_keeps_its_own() {
        let mut folders = Folders::read(Path::new("does-not-exist")).unwrap();
        let shared = [run("same", "a", 1), run("same", "b", 1)];
        let wanted = ["a/seed-1", "b/seed-1"].map(Path::new);
        assert_eq!(folders.take(&shared), wanted);
        assert_eq!(folders.take(&shared), wanted, "once more");
        assert_eq!(folders.take(&[run("same", "b", 1)]), wanted[1..]);
        let renamed = [run("same", "a", 1), run("same", "c", 1)];
        assert_eq!(folders.take(&renamed), wanted);
    }

    #[test]
    fn what_somebody_else_wrote_is_no_place_for_an_export() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("events.out.tfevents.1"), "").unwrap();
        let refusal = Folders::read(folder.path()).unwrap_err().to_string();
        assert!(refusal.contains("holds files that no earlier export has written"), "{refusal}");
        std::fs::write(folder.path().join(MANIFEST), "{\"format\": \"another\", \"runs\": {}}").unwrap();
        assert!(Folders::read(folder.path()).is_err());
        assert!(Folders::read(&folder.path().join(MANIFEST)).is_err(), "a file is no folder");
    }
}
