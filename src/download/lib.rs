//! Getting the files of known datasets from their sources: only when the user asks for it.
//!
//! A file grows under the name `….part`. What has arrived is kept when the connection breaks or the user cancels, and the
//! next try continues from there. A file gets its name after its size and its SHA-256 were found right; an archive is
//! unpacked then, and never gets one. No file that is there is written over.

mod fetch;
#[cfg(any(test, feature = "testing"))]
#[allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests may stop with a panic and say why")]
pub mod server;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::Agent;

use data::Remote;

/// The progress of a download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that are there, those of previous tries included.
    pub done: u64,
    /// Bytes of all files.
    pub total: u64,
}

/// Tries of a broken connection, and waits between them.
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
            get(&agent, file, folder, patience, &mut report)?;
        }
        before += file.bytes;
    }
    let _ = on_progress(Progress { done: total, total }); // there is nothing left to cancel
    Ok(())
}

/// Gets one file. An archive is unpacked: the user's own where it is there, which stays, or the one that is downloaded,
/// which never gets its name and is removed.
fn get(
    agent: &Agent,
    file: &Remote,
    folder: &Path,
    patience: Patience,
    report: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<(), DownloadError> {
    let path = folder.join(file.name());
    if path.exists() {
        let archive = checked(file, &path)?;
        // A file that is no archive has arrived since it was looked for.
        let is_archive = !file.members.is_empty();
        return if is_archive { fetch::unpack(archive, &path, file.members, folder) } else { Ok(()) };
    }
    let (whole, part) = fetch::fetch(agent, file, folder, patience, report)?;
    if file.members.is_empty() {
        return std::fs::rename(&part, &path).map_err(DownloadError::disk(&path));
    }
    fetch::unpack(whole, &part, file.members, folder)?;
    std::fs::remove_file(&part).map_err(DownloadError::disk(&part))
}

/// Returns true if a file need not be downloaded.
///
/// # Errors
/// When another file has its name, or that of a member: it is never written over.
fn is_done(file: &Remote, folder: &Path) -> Result<bool, DownloadError> {
    for (name, bytes) in file.members {
        let path = folder.join(name);
        if path.metadata().is_ok_and(|about| !about.is_file() || about.len() != *bytes) {
            return Err(DownloadError::InTheWay { path });
        }
    }
    if !file.is_in(folder) {
        return Ok(false);
    }
    if file.members.is_empty() {
        checked(file, &folder.join(file.name()))?;
    }
    Ok(true)
}

/// Opens the file at a path, and refuses it where it is another one.
fn checked(file: &Remote, path: &Path) -> Result<File, DownloadError> {
    let mut there = File::open(path).map_err(DownloadError::disk(path))?;
    let is_right = fetch::digest(&mut there, path)? == file.sha256;
    if is_right { Ok(there) } else { Err(DownloadError::InTheWay { path: path.to_owned() }) }
}

/// The reason why a download failed.
#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    #[error(
        "{url} cannot be reached ({detail}). Check the connection (HTTPS_PROXY names a proxy) and try again: what has \
         arrived is kept"
    )]
    Unreachable { url: String, detail: String },
    #[error(
        "{url}: the server answers with status {status}. Try again later, or get the files from the dataset's page"
    )]
    Refused { url: String, status: u16 },
    #[error(
        "{url} has {found} bytes; the known file has {expected}. The file at the source has changed, or something between \
         here and there answers in its place: get it from the dataset's page"
    )]
    Size { url: String, expected: u64, found: String },
    #[error(
        "{url} has another checksum than the known file (SHA-256 {found}, expected {expected}). It was removed; try again, \
         or get it from the dataset's page"
    )]
    Checksum { url: String, expected: String, found: String },
    #[error("{} is there already and is another file. Move it away, or choose another folder", path.display())]
    InTheWay { path: PathBuf },
    #[error("another process downloads {} at this moment; wait for it", path.display())]
    Busy { path: PathBuf },
    #[error("{}: {detail}. Remove it and try again, or get the files from the dataset's page", path.display())]
    Archive { path: PathBuf, detail: String },
    #[error("{}: {source}. Check the free space and the permissions, or choose another folder", path.display())]
    Disk { path: PathBuf, source: io::Error },
    #[error("the download was cancelled; what has arrived is kept, and the next try continues")]
    Cancelled,
}

impl DownloadError {
    /// Makes the error of a path that could not be read or written.
    pub(crate) fn disk(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Disk { path: path.to_owned(), source }
    }
}
