//! The command line: subcommands over the same engine as the window.
//!
//! A subcommand is one file with its arguments ([`clap::Args`]) and its work. None of them opens a display. All of them end
//! through [`execute`], which prints errors and picks the exit status.

mod check;
mod cluster;
mod data;
mod document;
mod export;
mod found;
mod inspect;
mod install;
mod licences;
mod output;
mod progress;
mod replay;
mod report;
mod run;
mod show;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use ::run::{processor_features, vectors};
use doc::Device;
pub use output::{Exit, Failure, print_err};

/// What the program was started with.
#[derive(Debug, Parser)]
#[command(name = "weightlab", version, long_version = long_version(), about, args_conflicts_with_subcommands = true, after_help = EXIT_HELP)]
pub struct Arguments {
    /// Experiments to open, each in its own window
    pub files: Vec<PathBuf>,
    /// What to do without a window
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXIT_HELP: &str = "Without a command, the window opens.\n\nExit status: 0 all done, 1 a run failed \
    or results cannot be printed, 2 the input is wrong,\n3 other processes work on some of the runs, 130 interrupted (run again to resume).";

/// Writes what `--version` prints: the version, the commit of a release build, the devices, and the processor.
fn long_version() -> String {
    let commit = match env!("WEIGHTLAB_COMMIT") {
        "" => String::new(),
        commit => format!("\ncommit: {commit}"),
    };
    let devices: Vec<&str> =
        Device::all().iter().filter(|device| device.is_built()).map(Device::key).collect();
    let (devices, features) = (devices.join(", "), processor_features().join(", "));
    let (version, architecture, vectors) = (env!("CARGO_PKG_VERSION"), std::env::consts::ARCH, vectors());
    let features = if features.is_empty() { String::new() } else { format!(" with {features}") };
    format!(
        "{version}{commit}\ndevices: {devices}\nprocessor: {architecture}{features}; the kernels use {vectors}"
    )
}

/// What can be done without a window.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run what is not done, and resume what was interrupted
    Run(run::RunArgs),
    /// Hand what is missing to Slurm, as one array of tasks
    Submit(cluster::SubmitArgs),
    /// Show where runs are: done, running, pending, failed
    Status(cluster::StatusArgs),
    /// Cancel the jobs of an experiment in Slurm; progress is kept
    Cancel(cluster::CancelArgs),
    /// List the errors of a file, or its size and expected time
    Check(check::CheckArgs),
    /// Show the table of runs
    Show(show::ShowArgs),
    /// Inject the logged faults of a run again, and compare the logits bit for bit
    Replay(replay::ReplayArgs),
    /// Write points, a figure or weights to a file, or all results for others
    Export(Box<export::ExportArgs>),
    /// Write a report: one HTML file with methods, figures, tables and settings
    Report(report::ReportArgs),
    /// Print what a weight file holds: names, shapes, statistics, and the network that it is of
    Inspect(inspect::InspectArgs),
    /// Download a dataset, or list those that can be downloaded
    Data(data::DataArgs),
    /// Print what completes commands and options in a shell
    Completions(install::CompletionsArgs),
    /// Print the man page
    Man(install::ManArgs),
    /// List what the program contains, and under which licences
    Licences(licences::LicencesArgs),
    /// Add menu entry, icons, file type, man pages and completions to Linux
    Install(install::InstallArgs),
    /// Remove what install made
    Uninstall(install::InstallArgs),
}

/// Says what is wrong with the file for the window: a mistyped command looks like a file.
pub fn refusal(file: &Path) -> Option<String> {
    let message =
        || format!("error: there is no file or command \"{}\"; see weightlab --help", file.display());
    (!file.exists()).then(message)
}

/// Carries out a command, with its errors on standard error.
pub fn execute(command: &Command) -> ExitCode {
    let result = match command {
        Command::Run(arguments) => run::run(arguments),
        Command::Submit(arguments) => cluster::submit_runs(arguments),
        Command::Status(arguments) => cluster::status(arguments),
        Command::Cancel(arguments) => cluster::cancel_jobs(arguments),
        Command::Check(arguments) => check::check(arguments),
        Command::Show(arguments) => show::show(arguments),
        Command::Replay(arguments) => replay::replay(arguments),
        Command::Export(arguments) => export::export(arguments),
        Command::Report(arguments) => report::report(arguments),
        Command::Inspect(arguments) => inspect::inspect_file(arguments),
        Command::Data(arguments) => data::data(arguments),
        Command::Completions(arguments) => install::completions(arguments),
        Command::Man(arguments) => install::man(arguments),
        Command::Licences(arguments) => licences::licences(arguments),
        Command::Install(arguments) => install::install(arguments),
        Command::Uninstall(arguments) => install::uninstall(arguments),
    };
    let exit = result.unwrap_or_else(|failure| {
        output::print_err(&failure.to_string());
        failure.exit()
    });
    exit.into()
}

/// Prints help, the version, or what is wrong with the arguments.
pub fn explain(error: &clap::Error) -> ExitCode {
    let printed = error.print();
    match output::written(printed) {
        Err(failure) if !error.use_stderr() => {
            output::print_err(&failure.to_string());
            failure.exit().into()
        }
        Ok(()) | Err(_) => u8::try_from(error.exit_code()).map_or(Exit::BadInput.into(), ExitCode::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_files_open_and_a_command_is_no_file() {
        let files =
            |arguments: &[&str]| Arguments::try_parse_from(arguments).map(|arguments| arguments.files);
        assert_eq!(files(&["weightlab", "a.ron", "b.ron"]).unwrap(), ["a.ron", "b.ron"].map(PathBuf::from));
        assert!(files(&["weightlab", "install", "--user"]).unwrap().is_empty());
        assert!(files(&["weightlab", "install"]).unwrap_err().to_string().contains("--user|--prefix"));
        assert!(files(&["weightlab", "install", "--user", "--prefix", "/x"]).is_err());
    }

    #[test]
    fn the_version_tells_devices_and_what_the_kernels_use_of_the_processor() {
        let text = long_version();
        assert!(text.starts_with(env!("CARGO_PKG_VERSION")) && text.contains("\ndevices: "), "{text}");
        let processor = text.lines().find(|line| line.starts_with("processor: ")).unwrap();
        let (has, used) = processor.split_once("; the kernels use ").unwrap();
        assert!(has.contains(std::env::consts::ARCH), "{text}");
        for (vectors, feature) in [("AVX-512", "avx512f"), ("AVX2", "avx2"), ("NEON", "neon")] {
            assert!(used != vectors || has.contains(feature), "{text}");
        }
    }
}
