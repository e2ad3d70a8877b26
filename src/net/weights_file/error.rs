//! Why a weight file could not be read or written.

use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use doc::file_names::weight_endings;

/// Why a weight file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum WeightFileError {
    /// The operating system refused.
    #[error("{}: {source}; {}", path.display(), io_remedy(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: Error,
    },
    /// It is a folder, a pipe or a device.
    #[error("{} is {what}; choose a file that ends in {}", path.display(), weight_endings())]
    NoFile {
        /// The path.
        path: PathBuf,
        /// What is there.
        what: &'static str,
    },
    /// Something else is in its place.
    #[error("{} is {what}", path.display())]
    StandIn {
        /// The file.
        path: PathBuf,
        /// What it is, and the remedy.
        what: &'static str,
    },
    /// It is damaged or not a safetensors file.
    #[error("{} is not a readable safetensors file ({detail}); write it again, or choose another one", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The parser's message.
        detail: String,
    },
    /// A checkpoint of PyTorch that is damaged, or holds what is not read.
    #[error("{} is not a readable PyTorch checkpoint ({detail}); {remedy}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        detail: String,
        /// What to do.
        remedy: &'static str,
    },
    /// No weight file.
    #[error(
        "{} is no weight file: it starts with {start}. Choose a .safetensors file, or one that torch.save wrote",
        path.display()
    )]
    Unknown {
        /// The file.
        path: PathBuf,
        /// Its first bytes.
        start: String,
    },
}

/// What is wrong with a file, and the remedy.
pub type Refusal = (String, &'static str);

/// What to do about an error of the operating system.
fn io_remedy(source: &Error) -> &'static str {
    match source.kind() {
        ErrorKind::NotFound => "check the path",
        ErrorKind::StorageFull => "make room on the disk",
        _ => "check the path and the permissions",
    }
}

/// The remedy for a damaged checkpoint.
pub const AGAIN: &str = "get it again, or choose another one";
/// The remedy for a checkpoint with more in it than weights.
pub const STATE_DICT: &str =
    "in Python, load it and save its weights alone: torch.save(model.state_dict(), \"weights.pth\")";

impl WeightFileError {
    pub(super) fn checkpoint(path: &Path, detail: &str, remedy: &'static str) -> Self {
        Self::Checkpoint { path: path.to_owned(), detail: detail.to_owned(), remedy }
    }

    /// A file that starts with these bytes.
    pub(super) fn unknown(path: &Path, start: &[u8]) -> Self {
        let first = &start[..start.len().min(16)];
        let is_text = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
        let start = match first {
            [] => "nothing (it is empty)".to_owned(),
            text if text.iter().all(is_text) => format!("“{}”", String::from_utf8_lossy(text)),
            bytes => {
                let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("the bytes {}", bytes.join(" "))
            }
        };
        Self::Unknown { path: path.to_owned(), start }
    }
}
