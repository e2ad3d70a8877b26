//! Runs in a folder that a document does not list, since its settings have changed.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::SystemTime;

use rayon::prelude::*;

use super::directory::StoredRun;

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
