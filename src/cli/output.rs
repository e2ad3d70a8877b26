//! The two streams of a command: results on standard output, everything else on standard error.
//!
//! A reader that went away (`weightlab show x.ron | head -1`) is no failure, so what cannot be written is dropped.

use std::io::Write;

/// Writes a result.
pub fn print_out(text: &str) {
    write(&mut std::io::stdout().lock(), text);
}

/// Writes what a person should notice: errors, notes, progress.
pub fn print_err(text: &str) {
    write(&mut std::io::stderr().lock(), text);
}

fn write(stream: &mut impl Write, text: &str) {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let _ = write!(stream, "{text}{end}").and_then(|()| stream.flush());
}
