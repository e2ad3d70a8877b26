//! Why a run ends before its plan does.

use std::path::{Path, PathBuf};

use data::DataError;
use doc::plan::one_value;
use net::DeviceError;
use net::weights_file::WeightFileError;

/// What went wrong in a run, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The data cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A weight file cannot be used.
    #[error(transparent)]
    Weights(#[from] WeightFileError),
    /// What computes is not there.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The loss is NaN or infinite.
    #[error(
        "the loss became {loss} at iteration {iteration} (epoch {epoch:.2}) in {stage}; try a smaller learning rate or a warm-up, or let the run continue: Training details, Non-finite loss, Continue"
    )]
    NonFinite {
        /// NaN or an infinity.
        loss: f64,
        /// Mini-batches before it.
        iteration: u64,
        /// Epochs before it.
        epoch: f64,
        /// The stage: `stage 3.1, round 2 (Train)`.
        stage: String,
    },
    /// A batch norm got one value for each channel.
    #[error("{}", one_value(*batch, [*samples; 2], norm))]
    LonelySample {
        /// Batch size.
        batch: usize,
        /// Size of the training part.
        samples: usize,
        /// The batch norm.
        norm: String,
    },
    /// A stage cannot be carried out.
    #[error("{stage}: {message}")]
    Stage {
        /// The stage: `stage 3.1, round 2 (Train)`.
        stage: String,
        /// What is wrong, and the remedy.
        message: String,
    },
    /// The run directory cannot be used.
    #[error("{source}: {}; fix this and start the run again", path.display())]
    Disk {
        /// File or directory.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Another process works in the directory.
    #[error(
        "{} is in use by {owner}; wait for it, or stop it first. If it is dead, try again two minutes after that sign",
        path.display()
    )]
    Claimed {
        /// The directory.
        path: PathBuf,
        /// Process, host, and the age of its last sign of life.
        owner: String,
    },
    /// Another process took the directory over while this one gave no sign of life.
    #[error(
        "this process has lost {}: {how}. A process without a sign of life for two minutes loses its run: its job was \
            suspended, its computer slept, or its disk did not answer. What it had written is there; start the run again \
            when nobody writes it",
        path.display()
    )]
    Lost {
        /// The directory.
        path: PathBuf,
        /// Who writes it now: "process 7 on there writes it now".
        how: String,
    },
}

impl RunError {
    /// That the system refused access to a file or directory.
    pub fn disk(path: &Path) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::Disk { path: path.to_owned(), source }
    }
}

/// The message of a panic.
pub fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no details").to_owned()
}
