//! What can be wrong with data: each message says what, where, and what to do.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use form::number::counted;

#[derive(Debug, Error)]
pub enum DataError {
    /// No folder holds the files.
    #[error("{set} was not found. Needed in one folder: {files}. Looked in:{}\n{remedy}", lines(tried))]
    Missing {
        set: &'static str,
        files: String,
        /// In the order of the search.
        tried: Vec<Tried>,
        remedy: String,
    },

    /// A file is there but is not what it should be: truncated, damaged, or another one.
    #[error("{}: expected {expected}, found {found}. {remedy}", path.display())]
    WrongFile { path: PathBuf, expected: String, found: String, remedy: String },

    /// Something else stands in the place of a file: [`crate::stand_in()`] says what, and the remedy.
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
    /// Makes errors of the operating system about a file or folder.
    pub(crate) fn unreadable(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        move |source| Self::Unreadable { path: path.to_owned(), source }
    }

    pub(crate) fn wrong(
        path: &Path,
        expected: impl Into<String>,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let (path, expected) = (path.to_owned(), expected.into());
        Self::WrongFile { path, expected, found: found.into(), remedy: remedy.into() }
    }

    /// Returns the error of data whose files are not those that a run was made for, or change while they are read.
    pub fn changed(path: &Path) -> Self {
        let remedy =
            "Restore the files, or start the experiment again: with other data its runs are other runs";
        Self::wrong(path, "the data that the run was made for", "other contents", remedy)
    }

    /// Lists the folders that were searched for a known set; none where something else is wrong.
    pub fn searched(&self) -> Option<String> {
        let Self::Missing { files, tried, .. } = self else { return None };
        Some(format!("Needed in one folder: {files}\nLooked in:{}", lines(tried)))
    }

    pub(crate) fn setting(setting: &'static str, problem: impl Into<String>) -> Self {
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

/// Writes a folder to a line, with a note on those that do not exist or hold some of the files.
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

pub(crate) const GIB: f64 = (1_u64 << 30) as f64;

/// GiB that data of the user may take, unless the settings say otherwise.
pub(crate) const DEFAULT_MEMORY: f64 = 2.0;

/// An amount of memory, in GiB.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory(pub f64);

impl Memory {
    /// Refuses samples of `values` numbers in single precision that do not fit, each with its label. With `is_begun` so
    /// many were read, and more follow.
    pub fn check(self, path: &Path, samples: usize, values: usize, is_begun: bool) -> Result<(), DataError> {
        // Four bytes for each number and label.
        let needed = samples as f64 * (values as f64 + 1.0) * 4.0 / GIB;
        if needed <= self.0 {
            return Ok(());
        }
        let allowed = format!("more than the {:.2} GiB", self.0);
        let (first, size, remedy) = if is_begun {
            ("the first ", format!("{allowed} of memory"), "allow more".to_owned())
        } else {
            let enough = (needed * 10.0).ceil() / 10.0;
            ("", format!("{needed:.2} GiB of memory, {allowed}"), format!("write memory: {enough:.1}"))
        };
        let problem = format!(
            "{first}{} of {} in {} take {size} that are allowed; {remedy} if the machine has so much, or make the data \
             smaller",
            counted(samples as u64, "sample"),
            counted(values as u64, "value"),
            path.display(),
        );
        Err(DataError::setting("memory", problem))
    }
}
