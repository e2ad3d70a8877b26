//! The program: a window when no command is given, a command without any window otherwise.

use std::process::ExitCode;

use clap::Parser;
use weightlab::cli::{self, Arguments, Exit};
use weightlab::gui;

fn main() -> ExitCode {
    let Arguments { file, command } = Arguments::parse();
    if let Some(command) = command {
        return cli::execute(&command);
    }
    if let Some(message) = file.as_deref().and_then(cli::refusal) {
        cli::complain(&message);
        return Exit::BadInput.into();
    }
    let Err(message) = gui::launch(file) else { return Exit::Done.into() };
    cli::complain(&format!("error: {message}"));
    Exit::RunFailed.into()
}
