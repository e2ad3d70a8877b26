//! The runs in a folder: those that a document does not list, since its settings or what it reads have changed, and those in
//! the trash, from which they can be restored. Nothing is deleted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::SystemTime;

use rayon::prelude::*;

use super::directory::{Hold, StoredRun};
use super::error::RunError;
use doc::{Run, changed_inputs};
use form::number::counted;

/// Lists the names in a folder; none where it cannot be read.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}

/// Returns when the last event of a run was written.
pub(super) fn last_written(folder: &Path, id: &str) -> Option<SystemTime> {
    folder.join(id).join("events.jsonl").metadata().ok()?.modified().ok()
}

/// Finds the runs in a folder that are not among the listed ones, by identity; the last written ones first. Those of a
/// listed arm and seed know how their inputs differ, if nothing else does.
pub fn outdated_runs(folder: &Path, listed: &[Run]) -> Vec<StoredRun> {
    let ids: BTreeSet<&str> = listed.iter().map(|run| run.id.as_str()).collect();
    let by_name: BTreeMap<(&str, u64), &Run> =
        listed.iter().map(|run| ((run.arm.as_str(), run.seed), run)).collect();
    let about = |id: String| {
        let written = last_written(folder, &id)?;
        let (found, spec) = StoredRun::read(folder, id)?;
        let now = by_name.get(&(found.arm.as_str(), found.seed));
        let difference = now.and_then(|now| changed_inputs(&spec, &now.spec));
        Some((written, StoredRun { difference, ..found }))
    };
    let others = names(folder).into_par_iter().filter(|id| !ids.contains(id.as_str()));
    let mut found: Vec<(SystemTime, StoredRun)> = others.filter_map(about).collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
    found.into_iter().map(|(_, run)| run).collect()
}

/// Says which results belong to other inputs than those of today, and names the difference, and which ones are of a version
/// that did not record inputs: a sentence each. `outdated` is what [`outdated_runs`] found for these runs.
pub fn outdated_notes(outdated: &[StoredRun], runs: &[Run]) -> Vec<String> {
    let mut groups: BTreeMap<&str, BTreeSet<(&str, u64)>> = BTreeMap::new();
    for run in outdated {
        if let Some(difference) = &run.difference {
            groups.entry(difference).or_default().insert((&run.arm, run.seed));
        }
    }
    let of = |group: &BTreeSet<(&str, u64)>| {
        let arms: BTreeSet<&str> = group.iter().map(|(arm, _)| *arm).collect();
        let of = match arms.first() {
            Some(arm) if arms.len() == 1 => format!("arm \"{arm}\""),
            _ => counted(arms.len() as u64, "arm"),
        };
        format!("results of {} of {of}", counted(group.len() as u64, "run"))
    };
    let outdated = groups.iter().map(|(difference, group)| {
        format!(
            "{} are outdated: {difference}; they are kept, and not shown as those of today's files",
            of(group)
        )
    });
    let earlier = runs.iter().filter(|run| run.is_earlier);
    let earlier: BTreeSet<(&str, u64)> = earlier.map(|run| (run.arm.as_str(), run.seed)).collect();
    let unknown = (!earlier.is_empty()).then(|| {
        format!(
            "{}: inputs not recorded, since an earlier version made them; nobody can tell whether today's files are theirs",
            of(&earlier)
        )
    });
    outdated.chain(unknown).collect()
}

/// The folder in the folder of the runs.
const TRASH: &str = ".trash";

/// Moves the directory of a run to the trash, and claims it meanwhile. A run of the same name there gets a number.
pub fn archive(folder: &Path, id: &str) -> Result<(), String> {
    let (from, trash) = (folder.join(id), folder.join(TRASH));
    let fail = |error: std::io::Error| format!("{} cannot be archived: {error}", from.display());
    let hold = Hold::take(&from).map_err(|error| match error {
        RunError::Disk { source, .. } => fail(source),
        claimed => claimed.to_string(),
    })?;
    std::fs::create_dir_all(&trash).map_err(fail)?;
    let to = trash.join(id);
    if to.exists() {
        let entries = std::fs::read_dir(&trash).map_err(fail)?.count();
        let mut names = (2..entries + 3).map(|number| trash.join(format!("{id}.{number}")));
        let older = names.find(|path| !path.exists()).expect("there are more names than entries");
        std::fs::rename(&to, older).map_err(fail)?;
    }
    std::fs::rename(&from, &to).map_err(fail)?;
    hold.release_in(&to);
    Ok(())
}

/// Restores a run from the trash.
pub fn restore(folder: &Path, id: &str) -> Result<(), String> {
    let (from, to) = (folder.join(TRASH).join(id), folder.join(id));
    if to.exists() {
        return Err(format!("{} exists again: archive it first", to.display()));
    }
    std::fs::rename(&from, &to).map_err(|error| format!("{} cannot be restored: {error}", from.display()))
}

/// Lists the runs in the trash, in the order of the arms' names.
pub fn trashed(folder: &Path) -> Vec<StoredRun> {
    let trash = folder.join(TRASH);
    let ids = names(&trash).into_iter().filter(|name| !name.contains('.'));
    let mut found: Vec<StoredRun> = ids.filter_map(|id| Some(StoredRun::read(&trash, id)?.0)).collect();
    found.sort_by(|a, b| (&a.arm, a.seed, &a.id).cmp(&(&b.arm, b.seed, &b.id)));
    found
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use doc::RunSpec;

    #[test]
    fn runs_of_other_settings_are_found_by_arm_and_seed_the_last_one_first() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let now = SystemTime::now();
        for (id, seed, age) in [("listed", 1, 0), ("old", 1, 20), ("new", 2, 10)] {
            std::fs::create_dir_all(folder.join(id)).unwrap();
            let about = format!("(arm: \"a\", seed: {seed}, program: \"weightlab\", spec: ())");
            std::fs::write(folder.join(id).join("run.ron"), about).unwrap();
            let log = File::create(folder.join(id).join("events.jsonl")).unwrap();
            log.set_modified(now - Duration::from_secs(age)).unwrap();
        }
        std::fs::create_dir_all(folder.join(".trash/away")).unwrap();
        std::fs::create_dir_all(folder.join("half")).unwrap();
        std::fs::write(folder.join("half/run.ron"), "(arm: \"a\"").unwrap();
        std::fs::write(folder.join("view.ron"), "()").unwrap();
        let spec = Arc::new(RunSpec::default());
        let listed = Run {
            id: "listed".to_owned(),
            arm: "a".to_owned(),
            arm_index: 0,
            is_earlier: false,
            seed: 1,
            spec,
        };
        let found = outdated_runs(folder, &[listed]);
        let names_and_seeds: Vec<_> =
            found.iter().map(|run| (run.id.as_str(), run.arm.as_str(), run.seed)).collect();
        assert_eq!(names_and_seeds, [("new", "a", 2), ("old", "a", 1)]);
        assert!(outdated_runs(&folder.join("none"), &[]).is_empty());
    }

    #[test]
    fn notes_name_what_changed_and_what_was_not_recorded() {
        let found = |seed: u64, arm: &str, difference: Option<&str>| StoredRun {
            id: "0".to_owned(),
            arm: arm.to_owned(),
            seed,
            difference: difference.map(str::to_owned),
        };
        let changed = Some("w.pth changed");
        let outdated =
            [found(1, "a", changed), found(2, "a", changed), found(2, "a", changed), found(1, "b", None)];
        assert_eq!(
            outdated_notes(&outdated, &[]),
            [
                "results of 2 runs of arm \"a\" are outdated: w.pth changed; they are kept, and not shown as those of today's files"
            ]
        );
        let spec = Arc::new(RunSpec::default());
        let earlier = |arm: &str| Run {
            id: arm.to_owned(),
            arm: arm.to_owned(),
            arm_index: 0,
            is_earlier: true,
            seed: 1,
            spec: spec.clone(),
        };
        let notes = outdated_notes(&[], &[earlier("a"), earlier("b")]);
        assert!(
            notes[0].starts_with("results of 2 runs of 2 arms: inputs not recorded, since an earlier"),
            "{notes:?}"
        );
    }

    fn run(folder: &Path, id: &str, text: &str) {
        std::fs::create_dir_all(folder.join(id)).unwrap();
        std::fs::write(folder.join(id).join("run.ron"), text).unwrap();
    }

    const ABOUT: &str = "(arm: \"a\", seed: 3, program: \"weightlab\", spec: ())";

    #[test]
    fn a_run_goes_to_the_trash_and_comes_back_whole() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        run(folder, "ab", ABOUT);
        std::fs::write(folder.join("ab/claim"), "elsewhere\n7\n1\n").unwrap();
        let message = archive(folder, "ab").unwrap_err();
        assert!(message.contains("is in use by process 7 on elsewhere, last sign of life"), "{message}");
        std::fs::remove_file(folder.join("ab/claim")).unwrap();
        archive(folder, "ab").unwrap();
        assert!(!folder.join("ab").exists() && !folder.join(TRASH).join("ab/claim").exists());
        let expected = StoredRun { id: "ab".to_owned(), arm: "a".to_owned(), seed: 3, difference: None };
        assert_eq!(trashed(folder), [expected]);
        restore(folder, "ab").unwrap();
        assert_eq!(std::fs::read_to_string(folder.join("ab/run.ron")).unwrap(), ABOUT);
        assert!(trashed(folder).is_empty());
        assert!(restore(folder, "ab").unwrap_err().contains("exists again"));
    }

    #[test]
    fn a_second_run_of_one_name_replaces_nothing_in_the_trash() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for _ in 0..3 {
            run(folder, "ab", ABOUT);
            archive(folder, "ab").unwrap();
        }
        assert_eq!(std::fs::read_dir(folder.join(TRASH)).unwrap().count(), 3);
        assert_eq!(trashed(folder).len(), 1);
        assert!(archive(folder, "none").unwrap_err().contains("none cannot be archived"));
    }
}
