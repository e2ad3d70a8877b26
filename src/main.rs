//! The program: a window when no command is given, a command without any window otherwise.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use cli::{Arguments, Exit};

fn main() -> ExitCode {
    let Arguments { files, command } = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return cli::explain(&error),
    };
    if let Some(command) = command {
        return cli::execute(&command);
    }
    if let Some(message) = files.iter().find_map(|file| cli::refusal(file)) {
        cli::print_err(&message);
        return Exit::BadInput.into();
    }
    let mut files = files.into_iter();
    let first = files.next();
    for file in files {
        if let Err(error) = open_beside(&file) {
            cli::print_err(&format!("error: cannot open {} in its own window: {error}", file.display()));
        }
    }
    let Err(message) = gui::launch(first) else { return Exit::Done.into() };
    cli::print_err(&format!("error: {message}"));
    Exit::RunFailed.into()
}

/// A window has one experiment: another one gets a process of its own, which goes on when this one ends.
fn open_beside(file: &Path) -> std::io::Result<()> {
    let program: PathBuf = std::env::current_exe()?;
    std::process::Command::new(program).arg(file).spawn().map(drop)
}
