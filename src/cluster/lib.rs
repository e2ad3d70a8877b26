//! Runs on a cluster: an experiment as one array of Slurm tasks, each of which carries out a shard of the runs.
//!
//! There is no server of ours. A task is `weightlab run FILE --shard I/K` on a shared folder, and what became of it is
//! in the run directories, as for any other process. So [`prepare`] looks at these and at Slurm's queue, and hands out
//! what neither has; [`submit`] writes one script and calls `sbatch` once; [`status`](Status) folds both again.
//!
//! ```text
//! lottery.runs/cluster/submit-1.sh    the batch script
//!                      submit-1.json  its job, and which runs its tasks have
//!                      logs/          what each task printed
//! ```

mod prepare;
mod script;
mod settings;
mod shard;
mod slurm;
mod submissions;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use prepare::{Packing, Plan, Request, Runs, prepare};
pub use script::words;
pub use settings::ClusterSettings;
pub use shard::Shard;
pub use slurm::{ClusterTask, Slurm};
pub use submissions::{FOLDER, RunPlace, Status, Submission, Submitted, cancel, submissions, submit};

/// A failure about a cluster; each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error(
        "there is no {0} on this computer, so Slurm is not installed here; use weightlab submit on a login node of the \
         cluster"
    )]
    NoSlurm(&'static str),
    #[error("Slurm's {program} refused: {message}")]
    Refused { program: &'static str, message: String },
    #[error(
        "this computer does not reach the controller of Slurm; use weightlab submit on a login node of the cluster ({0})"
    )]
    NoController(String),
    #[error("cannot write {}: {source}", path.display())]
    Disk { path: PathBuf, source: std::io::Error },
    #[error("{0}")]
    Settings(String),
}

impl ClusterError {
    /// Makes the error of a file that could not be written.
    pub(crate) fn disk(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Disk { path: path.to_owned(), source }
    }
}

/// Programs that answer as Slurm does.
#[cfg(any(test, feature = "testing"))]
#[allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests may stop with a panic and say why")]
pub mod testing {
    use std::path::Path;
    use std::process::Command;

    /// Writes a script that can be started at once.
    ///
    /// Another process writes it: a program that a process has open for writing, also one that was just forked, cannot start.
    pub fn program(path: &Path, text: &str) {
        let write =
            "printf '#!/bin/sh\\n%s\\n' \"$2\" >\"$1.new\"; chmod 755 \"$1.new\"; mv \"$1.new\" \"$1\"";
        let status = Command::new("sh").args(["-c", write, "sh"]).arg(path).arg(text).status();
        assert!(status.unwrap().success());
    }
}
