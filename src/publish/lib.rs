//! Results in the forms that others read, without this program.

mod points;
pub mod report;
pub mod ro_crate;
pub mod tensorboard;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use doc::{Experiment, Run};
pub use points::write_points;
use results::RunRecord;

/// The runs of an experiment that are published, with their records.
#[derive(Clone, Copy, Debug)]
pub struct Selected<'a> {
    pub experiment: &'a Experiment,
    pub file: &'a Path,
    pub text: &'a str,
    /// All runs of the experiment: differing settings follow from them.
    pub all: &'a [Run],
    /// The selected ones.
    pub runs: &'a [Run],
    /// What is known of them, by identity.
    pub records: &'a BTreeMap<String, RunRecord>,
    pub folder: &'a Path,
}

impl<'a> Selected<'a> {
    /// Returns the selected runs that have begun, with their records.
    pub fn begun(&self) -> impl Iterator<Item = (&'a Run, &'a RunRecord)> {
        self.runs.iter().filter_map(|run| Some((run, self.records.get(&run.id)?)))
    }
}

/// The reason why results were not published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    #[error(
        "{} holds files that no earlier export has written; choose an empty folder, or another name",
        path.display()
    )]
    Foreign { path: PathBuf },
    #[error("{} is not empty; choose a new or an empty folder", path.display())]
    NotEmpty { path: PathBuf },
    #[error("there are no results in {} yet; run the experiment first, with weightlab run", folder.display())]
    NoResults { folder: PathBuf },
    #[error("cannot {what} {}: {source}; check its permissions and the free space", path.display())]
    Disk { what: &'static str, path: PathBuf, source: std::io::Error },
    #[error("{0}")]
    Option(String),
}

impl PublishError {
    /// Makes the error of something that could not be read.
    pub(crate) fn reading(path: &Path) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::Disk { what: "read", path: path.to_owned(), source }
    }

    /// Makes the error of something that could not be written.
    pub(crate) fn writing(path: &Path) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::Disk { what: "write", path: path.to_owned(), source }
    }
}
