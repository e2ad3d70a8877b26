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
///
/// # Errors
/// When it cannot be printed.
pub fn completions(arguments: &CompletionsArgs) -> Result<Exit, Failure> {
    print_out(completions_for(arguments.shell).trim_end())?;
    Ok(Exit::Done)
}

/// The script of a shell.
pub fn completions_for(shell: Shell) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "weightlab", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Prints the page of the program, or writes the pages of all commands.
///
/// # Errors
/// What cannot be written.
pub fn man(arguments: &ManArgs) -> Result<Exit, Failure> {
    let pages = pages()?;
    let Some(folder) = &arguments.to else {
        let page = pages.first().map(|(_, page)| String::from_utf8_lossy(page)).unwrap_or_default();
        print_out(page.trim_end())?;
        return Ok(Exit::Done);
    };
    let fail = |error: std::io::Error| {
        Failure::Input(format!("{}: {error}; choose another folder", folder.display()))
    };
    std::fs::create_dir_all(folder).map_err(fail)?;
    for (name, page) in pages {
        std::fs::write(folder.join(name), page).map_err(fail)?;
    }
    Ok(Exit::Done)
}

/// The page of the program, then those of its commands: names of files, and contents.
pub fn pages() -> Result<Vec<(String, Vec<u8>)>, Failure> {
    // The page is the same on every machine; what `--version` prints is not.
    let mut program = Arguments::command().disable_help_subcommand(true).long_version(None);
    program.build();
    let mut commands = vec![program];
    let mut pages = Vec::new();
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands().cloned());
        let page = clap_mangen::Man::new(command);
        let mut text = Vec::new();
        let rendered = page.render(&mut text);
        rendered.map_err(|error| Failure::Input(format!("the man page cannot be written: {error}")))?;
        pages.push((page.get_filename(), text));
    }
    Ok(pages)
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
        let page = std::fs::read_to_string(to.join("weightlab.1")).unwrap();
        assert!(page.contains("Exit status") && !page.contains("processor"), "{page}");
    }
}
