//! Why a command failed, and its exit status.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use doc::file::FileError;
use figure::ExportError;
use form::path::PathError;

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The command is done.
    Done = 0,
    /// A run failed, or the results could not be printed.
    RunFailed = 1,
    /// The input is wrong.
    BadInput = 2,
    /// No run failed, but other processes work on some of them.
    Elsewhere = 3,
    /// Interrupted by the user; the next start resumes.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error outside the runs.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The file could not be opened.
    #[error("{}", file_error(.0))]
    File(#[from] FileError),
    /// The file was opened, and something in it is wrong: one line for each problem, positions included.
    #[error("{}", .0.join("\n"))]
    Problems(Vec<String>),
    /// `--set` does not fit.
    #[error("error: --set: {0}")]
    Set(#[from] PathError),
    /// The arguments do not fit the file.
    #[error("error: {0}")]
    Input(String),
    /// A figure could not be written.
    #[error("error: {0}")]
    Figure(#[from] ExportError),
    /// A file could not be written.
    #[error("error: cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Results could not be printed.
    #[error(
        "error: cannot write to standard output: {0}; not all of the results were printed: free some space, or send them to \
        another disk"
    )]
    Output(std::io::Error),
}

impl Failure {
    /// The exit status: all but one have another input as their remedy.
    pub const fn exit(&self) -> Exit {
        match self {
            Self::Output(_) => Exit::RunFailed,
            Self::File(_)
            | Self::Problems(_)
            | Self::Set(_)
            | Self::Input(_)
            | Self::Figure(_)
            | Self::Write { .. } => Exit::BadInput,
        }
    }

    /// That a file could not be written.
    pub fn write(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Write { path: path.to_owned(), source }
    }
}

/// Errors with a position are written as compilers do, `file:line:column: error: …`, so that editors can jump there.
fn file_error(error: &FileError) -> String {
    match error {
        FileError::Syntax { path, line, column, message } => {
            format!("{}:{line}:{column}: error: {message}", path.display())
        }
        other => format!("error: {other}"),
    }
}
