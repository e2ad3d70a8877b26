//! Why a command did not do what it was asked for, and the exit status that says so.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::doc::file::FileError;
use crate::figure::ExportError;
use crate::form::path::PathError;

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything that was asked for is done.
    Done = 0,
    /// A run failed.
    RunFailed = 1,
    /// The input is wrong.
    BadInput = 2,
    /// No run failed, but other processes work on some of them.
    Elsewhere = 3,
    /// Interrupted by the user; started again, it goes on.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// What went wrong before, or apart from, the runs. Every one of these is an input that has to change.
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
        /// What the system says.
        source: std::io::Error,
    },
}

impl Failure {
    /// The exit status that says it.
    pub const fn exit(&self) -> Exit {
        Exit::BadInput
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
