//! Why a run ends before its plan does.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use data::DataError;
use doc::plan::one_value;
use net::DeviceError;
use net::weights_file::WeightFileError;

/// A failure of a run: where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Weights(#[from] WeightFileError),
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(
        "the loss became {loss} at iteration {iteration} (epoch {epoch:.2}) in {stage}; try a smaller learning rate or a warm-up, or let the run continue: Training details, Non-finite loss, Continue"
    )]
    NonFinite {
        loss: f64,
        iteration: u64,
        epoch: f64,
        /// The stage: `stage 3.1, round 2 (Train)`.
        stage: String,
    },
    #[error("{}", one_value(*batch, [*samples; 2], norm))]
    LonelySample { batch: usize, samples: usize, norm: String },
    #[error("{stage}: {message}")]
    Stage { stage: String, message: String },
    #[error("{source}: {}; fix this and start the run again", path.display())]
    Disk { path: PathBuf, source: std::io::Error },
    #[error(
        "{} is in use by {owner}; wait for it, or stop it first. If it is dead, try again two minutes after that sign",
        path.display()
    )]
    Claimed {
        path: PathBuf,
        /// Process, host, and the age of its last sign of life.
        owner: String,
    },
    #[error(
        "this process has lost {}: {how}. A process without a sign of life for two minutes loses its run: its job was \
            suspended, its computer slept, or its disk did not answer. What it had written is there; start the run again \
            when nobody writes it",
        path.display()
    )]
    Lost {
        path: PathBuf,
        /// Who writes it now: "process 7 on there writes it now".
        how: String,
    },
}

impl RunError {
    /// Returns why all runs with results in a folder would fail the same way, if so.
    pub fn stops_all(&self, folder: &Path) -> Option<&'static str> {
        let (source, is_refused) = if let Self::Disk { source, path } = self {
            (source, path.parent() == Some(folder) && !path.exists()) // no run's directory can be made
        } else if let Self::Weights(WeightFileError::Io { source, .. }) = self {
            (source, false) // perhaps only read
        } else {
            return None;
        };
        match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some("no space is left on the disk"),
            ErrorKind::PermissionDenied if is_refused => Some("writing is not permitted"),
            ErrorKind::ReadOnlyFilesystem => Some("the disk can only be read"),
            _ => None,
        }
    }

    /// Wraps the system's error about a file or directory.
    pub fn disk(path: &Path) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::Disk { path: path.to_owned(), source }
    }
}

/// Returns the message of a panic.
pub fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no details").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_in_the_directory_of_one_run_does_not_stop_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        std::fs::create_dir(&own).unwrap();
        let fail = |path: &Path, kind: ErrorKind| RunError::disk(path)(kind.into()).stops_all(folder.path());
        for path in [own.clone(), own.join("claim")] {
            assert_eq!(fail(&path, ErrorKind::PermissionDenied), None);
            assert!(fail(&path, ErrorKind::StorageFull).is_some());
        }
        let refused = fail(&folder.path().join("new"), ErrorKind::PermissionDenied);
        assert_eq!(refused, Some("writing is not permitted"));
    }
}
