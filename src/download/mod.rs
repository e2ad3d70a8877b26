//! Getting the files of known datasets from their sources: only when the user asks for it.
//!
//! A file grows under the name `….part`. What has arrived is kept when the connection breaks or the user cancels, and the
//! next try continues from there. A file gets its name after its size and its SHA-256 were found right.

mod archive;
mod error;
mod fetch;
#[cfg(test)]
pub mod server;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

pub use error::DownloadError;

use crate::data::Remote;

/// How far a download is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that are there, those of previous tries included.
    pub done: u64,
    /// Bytes of all files.
    pub total: u64,
}

/// How often a broken connection is tried again, and how long to wait before.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Tries in a row that bring nothing, after which the download fails.
    pub tries: u32,
    /// The wait before the second try; each further wait is twice as long.
    pub pause: Duration,
    /// How long a server may say nothing.
    pub silence: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { tries: 4, pause: Duration::from_secs(1), silence: Duration::from_secs(30) }
    }
}

/// Downloads files into a folder, which is made where it is missing. `on_progress` is called a few times per megabyte, and
/// cancels by [`ControlFlow::Break`].
///
/// # Errors
/// What went wrong, with the address or the path, and what to do; what has arrived is kept.
pub fn download(
    files: &[Remote],
    folder: &Path,
    patience: Patience,
    on_progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<(), DownloadError> {
    std::fs::create_dir_all(folder).map_err(DownloadError::disk(folder))?;
    let agent = fetch::agent(patience);
    let total = files.iter().map(|file| file.bytes).sum();
    let mut before = 0;
    for file in files {
        let mut report = |done: u64| on_progress(Progress { done: before + done, total });
        if !is_done(file, folder)? {
            let path = fetch::fetch(&agent, file, folder, patience, &mut report)?;
            if !file.members.is_empty() {
                archive::unpack(&path, file.members, folder)?;
                std::fs::remove_file(&path).map_err(DownloadError::disk(&path))?;
            }
        }
        before += file.bytes;
    }
    match on_progress(Progress { done: total, total }) {
        ControlFlow::Continue(()) | ControlFlow::Break(()) => Ok(()),
    }
}

/// Whether a file need not be downloaded.
///
/// # Errors
/// When another file has its name: it is never written over.
fn is_done(file: &Remote, folder: &Path) -> Result<bool, DownloadError> {
    if !file.is_in(folder) {
        return Ok(false);
    }
    if file.members.is_empty() {
        let path = folder.join(file.name());
        if fetch::digest(&path)? != file.sha256 {
            return Err(DownloadError::InTheWay { path });
        }
    }
    Ok(true)
}
