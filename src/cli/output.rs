//! The two streams of a command: results on standard output, everything else on standard error.
//!
//! A reader that went away (`weightlab show x.ron | head -1`) is no failure. Anything else that keeps results from standard
//! output is one; there is no place to say that standard error cannot be written.

use std::io::{Error, ErrorKind, Write};

use super::failure::Failure;

/// Writes a result.
///
/// # Errors
/// When it cannot be written, a reader that went away apart.
pub fn print_out(text: &str) -> Result<(), Failure> {
    written(write(&mut std::io::stdout().lock(), text))
}

/// What became of a result on standard output.
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
