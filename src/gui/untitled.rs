//! Untitled experiments that have results: what they are is kept beside these, so that the start page can list them.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::document::Document;
use super::recovery::UnsavedEdits;
use doc::templates;
use doc::{self, Run, file};
use results::{RunRecord, RunState};
use run::{self, read_record};

/// Reading records takes time, so that only so many are.
const LOOKED_AT: usize = 32;

/// The extension of what is kept.
const KEPT: &str = "json";

/// An untitled experiment with results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UntitledExperiment {
    /// What it is.
    pub kept: UnsavedEdits,
    /// When its results were written last.
    pub written: SystemTime,
    /// How many of its runs are done.
    pub done: usize,
    /// How many runs it has.
    pub all: usize,
    /// Whether one of them has failed; looked at only where none is done.
    pub has_failed: bool,
}

/// Keeps what an experiment without a file is, in the folder for their results.
///
/// # Errors
/// An error of the operating system.
pub fn keep(untitled: &Path, kept: &UnsavedEdits) -> std::io::Result<()> {
    std::fs::create_dir_all(untitled)?;
    let path = untitled.join(format!("{}.{KEPT}", kept.identity));
    file::write_atomically(&path, &serde_json::to_vec(kept)?)
}

/// The untitled experiments with results, the latest first: those that were kept, and templates that were run before
/// this was so.
pub fn with_results(untitled: &Path) -> Vec<UntitledExperiment> {
    let entries = std::fs::read_dir(untitled).ok();
    let paths = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    let read = |path: PathBuf| {
        let is_kept = path.extension().is_some_and(|ending| ending == KEPT);
        serde_json::from_slice::<UnsavedEdits>(&std::fs::read(path).ok().filter(|_| is_kept)?).ok()
    };
    let mut found: Vec<UnsavedEdits> = paths.filter_map(read).collect();
    for template in templates::all() {
        let document = Document::of_template(template.name, template.text).ok();
        if let Some(kept) = document.and_then(|document| document.to_keep())
            && found.iter().all(|known| known.identity != kept.identity)
        {
            found.push(kept);
        }
    }
    let mut found: Vec<_> = found.into_iter().filter_map(|kept| results_of(untitled, kept)).collect();
    found.sort_by_key(|one| std::cmp::Reverse(one.written));
    found
}

/// The results of what was kept; nothing without any.
fn results_of(untitled: &Path, kept: UnsavedEdits) -> Option<UntitledExperiment> {
    let folder = untitled.join(format!("{}.runs", kept.identity));
    let written = |path: &Path| std::fs::metadata(path).and_then(|about| about.modified()).ok();
    written(&folder)?;
    let experiment = file::parse(&kept.text, Path::new("what was kept")).ok()?;
    let runs = doc::runs(&experiment).ok()?;
    let last = runs.iter().filter_map(|run| written(&folder.join(&run.id))).max()?;
    let done = runs.iter().filter(|listed| run::is_marked_done(&folder, &listed.id)).count();
    let has_failed = done == 0 && has_failed(&folder, &runs);
    Some(UntitledExperiment { kept, written: last, done, all: runs.len(), has_failed })
}

/// Whether one of the first runs that have begun in a folder has failed.
pub fn has_failed(folder: &Path, runs: &[Run]) -> bool {
    let begun = runs.iter().filter(|run| folder.join(&run.id).is_dir()).take(LOOKED_AT);
    let is_failed = |record: RunRecord| matches!(record.state(), RunState::Failed(_));
    begun.filter_map(|run| read_record(folder, &run.id)).any(is_failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::testing::write_done;

    #[test]
    fn an_untitled_experiment_is_listed_once_it_has_results() {
        let folder = tempfile::tempdir().unwrap();
        let template = &templates::all()[0];
        let mut document = Document::untitled(template.name, template.text).unwrap();
        document.experiment.seeds = vec![7];
        let kept = document.to_keep().unwrap();
        keep(folder.path(), &kept).unwrap();
        assert!(with_results(folder.path()).is_empty(), "nothing has run");
        let runs = doc::runs(&document.experiment).unwrap();
        for run in &runs[..2] {
            write_done(&document.results(folder.path()), run);
        }
        let found = with_results(folder.path());
        assert_eq!((found.len(), found[0].done, found[0].all), (1, 2, runs.len()));
        assert_eq!(Document::recovered(&found[0].kept).unwrap().experiment.seeds, [7]);
    }

    #[test]
    fn two_experiments_from_one_template_have_an_entry_and_results_each() {
        let folder = tempfile::tempdir().unwrap();
        let template = &templates::all()[0];
        for seed in [1, 2] {
            let mut document = Document::untitled(template.name, template.text).unwrap();
            document.experiment.seeds = vec![seed];
            keep(folder.path(), &document.to_keep().unwrap()).unwrap();
            let results = document.results(folder.path());
            assert!(!results.exists(), "results of the other one");
            write_done(&results, &doc::runs(&document.experiment).unwrap()[0]);
        }
        let found = with_results(folder.path());
        let mut seeds: Vec<_> = found.iter().map(|one| Document::recovered(&one.kept).unwrap()).collect();
        seeds.sort_by_key(|document| document.experiment.seeds.clone());
        let seeds: Vec<&[u64]> = seeds.iter().map(|document| &*document.experiment.seeds).collect();
        assert_eq!(seeds, [[1], [2]]);
    }

    #[test]
    fn a_template_that_was_run_by_an_earlier_version_is_listed_too() {
        let folder = tempfile::tempdir().unwrap();
        let template = &templates::all()[0];
        let document = Document::of_template(template.name, template.text).unwrap();
        write_done(&document.results(folder.path()), &doc::runs(&document.experiment).unwrap()[0]);
        let found = with_results(folder.path());
        assert_eq!((found.len(), found[0].done), (1, 1));
        assert_eq!(found[0].kept.title, document.title());
    }
}
