use std::path::{Path, PathBuf};

/// Why results were not published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// There is something else where the results are to be written.
    #[error(
        "{} holds files that no earlier export has written; choose an empty folder, or another name",
        path.display()
    )]
    Foreign {
        /// The folder or file.
        path: PathBuf,
    },
    /// A file of an earlier export is not as it was written.
    #[error("{} was changed since it was exported; choose another folder, or move it away", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// No run has begun.
    #[error("there are no results in {} yet; run the experiment first, with weightlab run", folder.display())]
    NoResults {
        /// The folder of runs.
        folder: PathBuf,
    },
    /// A file could not be read or written.
    #[error("cannot {what} {}: {source}; check its permissions and the free space", path.display())]
    Disk {
        /// "read" or "write".
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// Something is wrong with an option.
    #[error("{0}")]
    Option(String),
}

impl PublishError {
    /// Something could not be read.
    pub(super) fn reading(path: &Path) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::Disk { what: "read", path: path.to_owned(), source }
    }

    /// Something could not be written.
    pub(super) fn writing(path: &Path) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::Disk { what: "write", path: path.to_owned(), source }
    }
}
