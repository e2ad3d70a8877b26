//! The files of the contract: the file format by example. They lie beside the project and may be missing.

use std::path::{Path, PathBuf};

use doc::{file, runs, validate};

/// The contract's files; nothing where they are missing.
fn contract() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/contract");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: {} is not there", folder.display());
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "ron"));
    files.sort();
    assert!(!files.is_empty(), "{} holds no file", folder.display());
    files
}

#[test]
fn every_file_opens_and_is_valid() {
    for path in contract() {
        let opened = file::open(&path).unwrap_or_else(|error| panic!("{error}"));
        let problems = validate(&opened.experiment);
        let lines = problems.iter().map(|problem| file::describe(problem, &path, &opened.text));
        assert!(problems.is_empty(), "{}", lines.collect::<Vec<_>>().join("\n"));
        assert!(!runs(&opened.experiment).unwrap().is_empty(), "{}", path.display());
    }
}

#[test]
fn every_file_keeps_its_meaning_when_it_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    for path in contract() {
        let opened = file::open(&path).unwrap();
        let copy = folder.path().join(path.file_name().unwrap());
        file::save(&opened.experiment, &opened.text, &copy).unwrap();
        let again = file::open(&copy).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.experiment, opened.experiment, "{}", path.display());
        assert_eq!(file::header(&again.text), file::header(&opened.text));
        let ids = |experiment| runs(experiment).unwrap().into_iter().map(|run| run.id).collect::<Vec<_>>();
        assert_eq!(
            ids(&again.experiment),
            ids(&opened.experiment),
            "saving orphans no run: {}",
            path.display()
        );
    }
}

#[test]
fn every_stage_has_a_sentence() {
    for path in contract() {
        for arm in &file::open(&path).unwrap().experiment.arms {
            for stage in &arm.plan {
                let sentence = stage.sentence();
                assert!(sentence.starts_with(char::is_uppercase) && !sentence.ends_with('.'), "{sentence}");
                assert!(sentence.len() <= 160, "{sentence}");
            }
        }
    }
}

#[test]
fn the_grid_has_eight_arms_and_sixteen_runs() {
    let Some(path) = contract().into_iter().find(|path| path.ends_with("sweep_digits.ron")) else { return };
    let runs = runs(&file::open(&path).unwrap().experiment).unwrap();
    let arms: std::collections::BTreeSet<&str> = runs.iter().map(|run| run.arm.as_str()).collect();
    assert_eq!((arms.len(), runs.len()), (8, 16));
}
