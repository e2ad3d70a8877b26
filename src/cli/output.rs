//! What a command prints and how it ends: results on standard output, everything else on standard error, tables, failures, exit
//! statuses.
//!
//! A reader that went away (`weightlab show x.ron | head -1`) is no failure. Anything else that keeps results from standard
//! output is one; there is no place to say that standard error cannot be written.

use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use doc::file::FileError;
use figure::ExportError;
use form::path::PathError;

/// Writes a result.
///
/// # Errors
/// When it cannot be written, a reader that went away apart.
pub fn print_out(text: &str) -> Result<(), Failure> {
    written(write(&mut std::io::stdout().lock(), text))
}

/// Judges the writing of a result on standard output.
///
/// # Errors
/// When it was not written, a reader that went away apart.
pub fn written(result: Result<(), Error>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes what a person should notice: errors, notes, progress.
pub fn print_err(text: &str) {
    let _ = write(&mut std::io::stderr().lock(), text);
}

fn write(stream: &mut impl Write, text: &str) -> Result<(), Error> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    write!(stream, "{text}{end}").and_then(|()| stream.flush())
}

/// An exit status.
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
    #[error("{}", file_error(.0))]
    File(#[from] FileError),
    #[error("{}", .0.join("\n"))]
    Problems(Vec<String>),
    #[error("error: --set: {0}")]
    Set(#[from] PathError),
    #[error("error: {0}")]
    Input(String),
    #[error("error: {0}")]
    Figure(#[from] ExportError),
    #[error("error: cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error(
        "error: cannot write to standard output: {0}; not all of the results were printed: free some space, or send them to \
        another disk"
    )]
    Output(std::io::Error),
}

/// Refuses the input.
///
/// # Errors
/// Always.
pub fn refuse<T>(why: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Input(why.into()))
}

impl Failure {
    /// Returns the exit status: all but one have another input as their remedy.
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

    /// Makes the error of a file that could not be written.
    pub fn write(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Write { path: path.to_owned(), source }
    }
}

/// Writes an error; those with a position are written as compilers do, `file:line:column: error: …`, so that editors can jump there.
fn file_error(error: &FileError) -> String {
    match error {
        FileError::Syntax { path, line, column, message, .. } => {
            format!("{}:{line}:{column}: error: {message}", path.display())
        }
        other => format!("error: {other}"),
    }
}

/// Writes the lines of a table with its head; the first `left` columns are aligned at the left, the others at the right.
pub fn table(head: &[&str], rows: &[Vec<String>], left: usize) -> String {
    let width_of = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..head.len()).map(width_of).collect();
    let line = |cells: &[&str]| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column < left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        padded.collect::<Vec<_>>().join("   ").trim_end().to_owned() + "\n"
    };
    let mut text = line(head);
    for row in rows {
        text += &line(&row.iter().map(String::as_str).collect::<Vec<_>>());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_at_the_left_and_numbers_at_the_right() {
        let rows = [vec!["dense".to_owned(), "9 %".to_owned()], vec!["ticket".to_owned(), "10 %".to_owned()]];
        assert_eq!(table(&["arm", "best"], &rows, 1), "arm      best\ndense     9 %\nticket   10 %\n");
    }
}
