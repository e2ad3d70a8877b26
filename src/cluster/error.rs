//! Why a cluster does not take or show runs.

use std::path::{Path, PathBuf};

/// Why something about a cluster failed; each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// A program of Slurm is not there.
    #[error(
        "there is no {0} on this computer, so Slurm is not installed here; use weightlab submit on a login node of the \
         cluster"
    )]
    NoSlurm(&'static str),
    /// A program of Slurm said no.
    #[error("Slurm's {program} refused: {message}")]
    Refused {
        /// The program.
        program: &'static str,
        /// What it said.
        message: String,
    },
    /// Slurm is installed, and its controller cannot be reached.
    #[error(
        "this computer does not reach the controller of Slurm; use weightlab submit on a login node of the cluster ({0})"
    )]
    NoController(String),
    /// A file could not be read or written.
    #[error("cannot write {}: {source}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A setting does not fit, or something needed for it is not known.
    #[error("{0}")]
    Settings(String),
}

impl ClusterError {
    /// That a file could not be written.
    pub(super) fn disk(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Disk { path: path.to_owned(), source }
    }
}
