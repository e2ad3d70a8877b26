//! `weightlab completions SHELL` and `weightlab man`: what a shell and `man` know of the program. Packages install both.

use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Arguments;
use super::failure::{Exit, Failure};
use super::output::print_out;

/// Settings of `weightlab completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Settings of `weightlab man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write a page for each command into this folder
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

/// Prints what completes commands and options in a shell.
pub fn completions(arguments: &CompletionsArgs) -> Exit {
    print_out(completions_for(arguments.shell).trim_end());
    Exit::Done
}

fn completions_for(shell: Shell) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "weightlab", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Prints the page of the program, or writes the pages of all commands.
///
/// # Errors
/// What cannot be written.
pub fn man(arguments: &ManArgs) -> Result<Exit, Failure> {
    let command = Arguments::command();
    let Some(folder) = &arguments.to else {
        let mut page = Vec::new();
        let rendered = clap_mangen::Man::new(command).render(&mut page);
        rendered.map_err(|error| Failure::Input(format!("the page cannot be written: {error}")))?;
        print_out(String::from_utf8_lossy(&page).trim_end());
        return Ok(Exit::Done);
    };
    let fail = |error: std::io::Error| {
        Failure::Input(format!("{}: {error}; choose another folder", folder.display()))
    };
    std::fs::create_dir_all(folder).map_err(fail)?;
    clap_mangen::generate_to(command, folder).map_err(fail)?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn all_shells_complete_all_commands() {
        for &shell in Shell::value_variants() {
            let text = completions_for(shell);
            for command in Arguments::command().get_subcommands() {
                assert!(text.contains(command.get_name()), "{shell}: {}", command.get_name());
            }
        }
    }

    #[test]
    fn every_command_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("man1");
        man(&ManArgs { to: Some(to.clone()) }).unwrap();
        for command in Arguments::command().get_subcommands() {
            let page =
                std::fs::read_to_string(to.join(format!("weightlab-{}.1", command.get_name()))).unwrap();
            assert!(page.contains(".SH DESCRIPTION"), "{}", command.get_name());
        }
        assert!(std::fs::read_to_string(to.join("weightlab.1")).unwrap().contains("Exit status"));
    }
}
