//! Runs in a folder that a document does not list, since its settings or what it reads have changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::SystemTime;

use rayon::prelude::*;

use super::directory::{StoredRun, spec_of};
use crate::doc::{Run, changed_inputs};
use crate::form::number::counted;

/// The runs in a folder that are not among the listed ones, by identity; the last written ones first.
pub fn outdated_runs(folder: &Path, listed: &BTreeSet<String>) -> Vec<StoredRun> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names: Vec<String> = names.filter(|id| !listed.contains(id)).collect();
    let about = |id: String| {
        let written = std::fs::metadata(folder.join(&id).join("events.jsonl")).ok()?.modified().ok()?;
        Some((written, StoredRun::read(folder, id)?))
    };
    let mut found: Vec<(SystemTime, StoredRun)> = names.into_par_iter().filter_map(about).collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
    found.into_iter().map(|(_, run)| run).collect()
}

/// Says of which listed runs a folder has results with the same settings and other inputs, or with inputs that were not
/// recorded, and names the difference: a sentence each. `outdated` is what [`outdated_runs`] found.
pub fn outdated_notes(folder: &Path, runs: &[Run], outdated: &[StoredRun]) -> Vec<String> {
    let by_name: BTreeMap<(&str, u64), &StoredRun> =
        outdated.iter().rev().map(|run| ((run.arm.as_str(), run.seed), run)).collect();
    let difference = |run: &Run| {
        let found = by_name.get(&(run.arm.as_str(), run.seed))?;
        changed_inputs(&spec_of(folder, &found.id).ok()?, &run.spec)
    };
    let differences: Vec<Option<String>> = runs.par_iter().map(difference).collect();
    let mut groups: BTreeMap<String, Vec<&Run>> = BTreeMap::new();
    for (run, difference) in runs.iter().zip(differences) {
        if let Some(difference) = difference {
            groups.entry(difference).or_default().push(run);
        }
    }
    let mut notes: Vec<String> = groups
        .iter()
        .map(|(difference, runs)| {
            format!("{} are outdated: {difference}; they stay in {}", results_of(runs), folder.display())
        })
        .collect();
    let earlier: Vec<&Run> = runs.iter().filter(|run| run.is_of_earlier_version()).collect();
    if !earlier.is_empty() {
        let results = results_of(&earlier);
        notes.push(format!(
            "{results}: inputs not recorded, since an earlier version made them; nobody can tell whether today's files are theirs"
        ));
    }
    notes
}

/// `results of 2 runs of arm "a"`
fn results_of(runs: &[&Run]) -> String {
    let arms: BTreeSet<&str> = runs.iter().map(|run| run.arm.as_str()).collect();
    let of = match arms.first() {
        Some(arm) if arms.len() == 1 => format!("arm \"{arm}\""),
        _ => counted(arms.len() as u64, "arm"),
    };
    format!("results of {} of {of}", counted(runs.len() as u64, "run"))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Duration;

    use super::*;

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
        let found = outdated_runs(folder, &["listed".to_owned()].into());
        let names_and_seeds: Vec<_> =
            found.iter().map(|run| (run.id.as_str(), run.arm.as_str(), run.seed)).collect();
        assert_eq!(names_and_seeds, [("new", "a", 2), ("old", "a", 1)]);
        assert!(outdated_runs(&folder.join("none"), &BTreeSet::new()).is_empty());
    }
}
