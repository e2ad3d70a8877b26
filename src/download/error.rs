//! What can go wrong with a download: each message says what, where, and what to do.

use std::io;
use std::path::{Path, PathBuf};

/// Why a download failed.
#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    /// No connection, or a broken one, after several tries.
    #[error(
        "{url} cannot be reached ({detail}). Check the connection (HTTPS_PROXY names a proxy) and try again: what has \
         arrived is kept"
    )]
    Unreachable {
        /// The address.
        url: String,
        /// What the network says.
        detail: String,
    },
    /// The server refuses.
    #[error(
        "{url}: the server answers with status {status}. Try again later, or get the files from the dataset's page"
    )]
    Refused {
        /// The address.
        url: String,
        /// The status of HTTP.
        status: u16,
    },
    /// The file has another size than the known one.
    #[error(
        "{url} has {found} bytes; the known file has {expected}. The file at the source has changed, or something between \
         here and there answers in its place: get it from the dataset's page"
    )]
    Size {
        /// The address.
        url: String,
        /// Bytes of the known file.
        expected: u64,
        /// Bytes of what arrived, or what the server promises: "12", or "more than 12".
        found: String,
    },
    /// The file has another content than the known one.
    #[error(
        "{url} has another checksum than the known file (SHA-256 {found}, expected {expected}). It was removed; try again, \
         or get it from the dataset's page"
    )]
    Checksum {
        /// The address.
        url: String,
        /// SHA-256 of the known file.
        expected: String,
        /// SHA-256 of what arrived.
        found: String,
    },
    /// A file of the same name is there already.
    #[error("{} is there already and is another file. Move it away, or choose another folder", path.display())]
    InTheWay {
        /// The file.
        path: PathBuf,
    },
    /// Another process downloads the same file.
    #[error("another process downloads {} at this moment; wait for it", path.display())]
    Busy {
        /// The unfinished file.
        path: PathBuf,
    },
    /// An archive lacks files that it should have, or is damaged.
    #[error("{}: {detail}. Remove it and try again, or get the files from the dataset's page", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// The operating system refuses to read or write.
    #[error("{}: {source}. Check the free space and the permissions, or choose another folder", path.display())]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The user cancelled.
    #[error("the download was cancelled; what has arrived is kept, and the next try continues")]
    Cancelled,
}

impl DownloadError {
    /// That a path could not be read or written.
    pub(super) fn disk(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Disk { path: path.to_owned(), source }
    }
}
