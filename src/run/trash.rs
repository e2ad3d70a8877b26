//! The trash: a folder next to the runs, from which they can be restored. Nothing is deleted.

use std::path::Path;

use super::directory::{Hold, StoredRun};
use super::error::RunError;

/// The folder in the folder of the runs.
pub const TRASH: &str = ".trash";

/// Moves the directory of a run to the trash, and claims it meanwhile. A run of the same name there gets a number.
///
/// # Errors
/// When a process writes the run, or the system's error; the run is unchanged then.
pub fn archive(folder: &Path, id: &str) -> Result<(), String> {
    let from = folder.join(id);
    let trash = folder.join(TRASH);
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
///
/// # Errors
/// When a run with its settings exists again, or the system's error; nothing has changed then.
pub fn restore(folder: &Path, id: &str) -> Result<(), String> {
    let (from, to) = (folder.join(TRASH).join(id), folder.join(id));
    if to.exists() {
        return Err(format!("{} exists again: archive it first", to.display()));
    }
    std::fs::rename(&from, &to).map_err(|error| format!("{} cannot be restored: {error}", from.display()))
}

/// What is in the trash, in the order of the arms' names.
pub fn trashed(folder: &Path) -> Vec<StoredRun> {
    let trash = folder.join(TRASH);
    let Ok(entries) = std::fs::read_dir(&trash) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let ids = names.filter(|name| !name.contains('.'));
    let mut found: Vec<StoredRun> = ids.filter_map(|id| Some(StoredRun::read(&trash, id)?.0)).collect();
    found.sort_by(|a, b| (&a.arm, a.seed, &a.id).cmp(&(&b.arm, b.seed, &b.id)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

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
