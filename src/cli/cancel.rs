//! `weightlab cancel`: takes the jobs of an experiment out of Slurm's queue.

use std::path::PathBuf;

use clap::Args;

use super::failure::{Exit, Failure};
use super::output::print_out;
use cluster::{Slurm, cancel};
use run::folder_of;

/// Settings of `weightlab cancel`.
#[derive(Debug, Args)]
pub struct CancelArgs {
    /// Experiment file
    file: PathBuf,
    /// Folder with the runs' directories [default: beside the file, FILE.runs]
    #[arg(long, visible_alias = "into", value_name = "DIR")]
    from: Option<PathBuf>,
}

/// Cancels the jobs of the experiment.
///
/// # Errors
/// When there is neither the file nor a folder of runs, and what Slurm refuses.
pub fn cancel_jobs(arguments: &CancelArgs) -> Result<Exit, Failure> {
    let folder = arguments.from.clone().unwrap_or_else(|| folder_of(&arguments.file));
    if !arguments.file.exists() && !folder.exists() {
        let (file, folder) = (arguments.file.display(), folder.display());
        return Err(Failure::Input(format!("there is neither {file} nor {folder}")));
    }
    let jobs = cancel(&folder, &Slurm::default())?;
    print_out(&match jobs.len() {
        0 => "No job of this experiment is in the queue".to_owned(),
        _ => format!("Cancelled job {}; what was running is saved and can be continued", jobs.join(", ")),
    })?;
    Ok(Exit::Done)
}
