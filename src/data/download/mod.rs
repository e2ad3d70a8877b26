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
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use error::DownloadError;

/// Where the files of a dataset come from.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The page about it.
    pub page: &'static str,
    /// Its licence, in a few words.
    pub licence: &'static str,
    /// What is downloaded.
    pub files: &'static [Remote<'static>],
}

impl Origin {
    /// Bytes of all its files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

/// A file on a server.
#[derive(Clone, Copy, Debug)]
pub struct Remote<'a> {
    /// Its address.
    pub url: &'a str,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: &'a str,
    /// The files that are taken out of it, where it is a `.tar.gz`; empty where it is kept as it is.
    pub members: &'a [&'a str],
}

impl Remote<'_> {
    /// Its name: the last part of the address.
    pub fn name(&self) -> &str {
        self.url.rsplit('/').next().unwrap_or_default()
    }

    /// The names of the files that it becomes in the folder.
    fn results(&self) -> Vec<&str> {
        if self.members.is_empty() { vec![self.name()] } else { self.members.to_vec() }
    }

    /// Whether a folder has what a previous try left of it.
    pub fn has_part_in(&self, folder: &Path) -> bool {
        self.part_in(folder).is_file()
    }

    /// Where it grows.
    fn part_in(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.part", self.name()))
    }

    /// Whether a folder has all that it becomes.
    pub fn is_in(&self, folder: &Path) -> bool {
        self.results().iter().all(|name| folder.join(name).is_file())
    }
}

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
