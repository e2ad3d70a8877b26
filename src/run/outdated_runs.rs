//! Runs in a folder that a document does not list, since its settings or what it reads have changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::SystemTime;

use rayon::prelude::*;

use super::directory::StoredRun;
use doc::{Run, changed_inputs};
use form::number::counted;

/// The runs in a folder that are not among the listed ones, by identity; the last written ones first. Those of a listed arm
/// and seed know how their inputs differ, if nothing else does.
pub fn outdated_runs(folder: &Path, listed: &[Run]) -> Vec<StoredRun> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let ids: BTreeSet<&str> = listed.iter().map(|run| run.id.as_str()).collect();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names: Vec<String> = names.filter(|id| !ids.contains(id.as_str())).collect();
    let by_name: BTreeMap<(&str, u64), &Run> =
        listed.iter().map(|run| ((run.arm.as_str(), run.seed), run)).collect();
    let about = |id: String| {
        let written = std::fs::metadata(folder.join(&id).join("events.jsonl")).ok()?.modified().ok()?;
        let (found, spec) = StoredRun::read(folder, id)?;
        let now = by_name.get(&(found.arm.as_str(), found.seed));
        let difference = now.and_then(|now| changed_inputs(&spec, &now.spec));
        Some((written, StoredRun { difference, ..found }))
    };
    let mut found: Vec<(SystemTime, StoredRun)> = names.into_par_iter().filter_map(about).collect();
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
}
