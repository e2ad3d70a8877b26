//! What can be wrong with data: each message says what, where, and what to do.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

#[derive(Debug, Error)]
pub enum DataError {
    /// No folder holds the files.
    #[error("{set} was not found. Needed in one folder: {files}. Looked in:{}\n{remedy}", lines(tried))]
    Missing {
        set: &'static str,
        /// The names of the files that are needed.
        files: String,
        /// Every folder that was searched, in that order.
        tried: Vec<Tried>,
        remedy: String,
    },

    /// A file is there but is not what it should be: truncated, damaged, or another one.
    #[error("{}: expected {expected}, found {found}. {remedy}", path.display())]
    WrongFile { path: PathBuf, expected: String, found: String, remedy: String },

    /// Something else stands in the place of a file: [`super::stand_in()`] says what, and the remedy.
    #[error("{} is {what}", path.display())]
    StandIn { path: PathBuf, what: &'static str },

    /// A file or folder of the user is not where the experiment says.
    #[error("{}: cannot be found ({source}). Correct the path in the settings of the data, relative to the experiment file", path.display())]
    NotThere { path: PathBuf, source: io::Error },

    /// The operating system refuses to read a file.
    #[error("{}: cannot be read ({source}). Check its permissions and its disk", path.display())]
    Unreadable { path: PathBuf, source: io::Error },

    /// A setting of the experiment does not fit the data.
    #[error("{setting}: {problem}")]
    Setting { setting: &'static str, problem: String },
}

impl DataError {
    /// A file that is not what it should be.
    pub(super) fn wrong(
        path: &Path,
        expected: impl Into<String>,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let (path, expected) = (path.to_owned(), expected.into());
        Self::WrongFile { path, expected, found: found.into(), remedy: remedy.into() }
    }

    /// Data whose files are not those that a run was made for, or change while they are read.
    pub fn changed(path: &Path) -> Self {
        let remedy =
            "Restore the files, or start the experiment again: with other data its runs are other runs";
        Self::wrong(path, "the data that the run was made for", "other contents", remedy)
    }

    /// A setting that does not fit the data.
    pub(super) fn setting(setting: &'static str, problem: impl Into<String>) -> Self {
        Self::Setting { setting, problem: problem.into() }
    }
}

/// A folder that was searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    pub folder: PathBuf,
    /// Needed files that it does not hold.
    pub missing: Vec<&'static str>,
    /// Needed files that it holds.
    pub there: Vec<&'static str>,
}

/// One folder per line, with a note on those that do not exist or hold some of the files.
fn lines(tried: &[Tried]) -> String {
    let line = |Tried { folder, missing, there }: &Tried| {
        let note = if !folder.is_dir() {
            " (no such folder)".to_owned()
        } else if there.is_empty() {
            String::new()
        } else {
            format!(" (missing: {}; there: {})", missing.join(", "), there.join(", "))
        };
        format!("\n  {}{note}", folder.display())
    };
    tried.iter().map(line).collect()
}
