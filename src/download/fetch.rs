//! One file over HTTP, continued where a previous try ended.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::{fs, io};

use flate2::read::GzDecoder;
use tar::Archive;
use ureq::Agent;
use ureq::http::{StatusCode, header};

use super::{DownloadError, Patience};
use data::{Remote, copied};

/// Bytes between two reports of progress.
const CHUNK: usize = 1 << 18;

/// Makes the agent of the connections; proxies are those of the environment.
pub fn agent(patience: Patience) -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(patience.silence))
        .timeout_recv_response(Some(patience.silence))
        .timeout_per_read(Some(patience.silence))
        .user_agent(concat!("weightlab/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

/// Downloads a file into a folder, under the name that it grows with. Yields it, still locked, and its path: all of it is
/// there then, and is what it should be. `report` gets the bytes that are there, and cancels.
///
/// # Errors
/// As [`super::download`].
pub fn fetch(
    agent: &Agent,
    remote: &Remote,
    folder: &Path,
    patience: Patience,
    report: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<(File, PathBuf), DownloadError> {
    let part = remote.part_in(folder);
    let disk = || DownloadError::disk(&part);
    // Windows refuses `set_len` for a file that is open for appending, and a second handle on one that is locked.
    let mut file =
        File::options().create(true).truncate(false).read(true).write(true).open(&part).map_err(disk())?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(DownloadError::Busy { path: part }),
        Err(TryLockError::Error(source)) => return Err(disk()(source)),
    }
    let mut there = file.metadata().map_err(disk())?.len();
    let mut fruitless = 0;
    loop {
        let before = there;
        let broken = attempt(agent, remote, &mut file, &part, &mut there, report)?;
        let Some(detail) = broken else { break };
        fruitless = if there > before { 0 } else { fruitless + 1 };
        if fruitless >= patience.tries {
            return Err(DownloadError::Unreachable { url: remote.url.to_owned(), detail });
        }
        std::thread::sleep(patience.pause * 2u32.pow(fruitless.min(8)));
        cancel_if(report(there))?;
    }
    file.sync_all().map_err(disk())?;
    let found = digest(&mut file, &part)?;
    if found != remote.sha256 {
        drop(file);
        fs::remove_file(&part).map_err(disk())?;
        let (url, expected) = (remote.url.to_owned(), remote.sha256.to_owned());
        return Err(DownloadError::Checksum { url, expected, found });
    }
    Ok((file, part))
}

/// Adds what the server sends to the file; `there` counts what the file holds. Returns why the connection broke, or nothing
/// where the file is complete.
fn attempt(
    agent: &Agent,
    remote: &Remote,
    file: &mut File,
    part: &Path,
    there: &mut u64,
    report: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Option<String>, DownloadError> {
    if *there > remote.bytes {
        restart(file, part, there)?;
    }
    if *there == remote.bytes {
        return Ok(None);
    }
    let url = || remote.url.to_owned();
    let mut request = agent.get(remote.url);
    if *there > 0 {
        request = request.header(header::RANGE, format!("bytes={there}-"));
    }
    let response = match request.call() {
        Ok(response) => response,
        Err(error) => return Ok(Some(error.to_string())),
    };
    let range = response.headers().get(header::CONTENT_RANGE).and_then(|range| range.to_str().ok());
    let begins_here = range.is_some_and(|range| range.starts_with(&format!("bytes {there}-")));
    match response.status() {
        StatusCode::OK => restart(file, part, there)?,
        StatusCode::PARTIAL_CONTENT if begins_here => {}
        StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => {
            restart(file, part, there)?;
            return Ok(Some("the server does not continue the file".to_owned()));
        }
        // The server has too much to do, or is being repaired.
        status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
            return Ok(Some(format!("status {}", status.as_u16())));
        }
        status => return Err(DownloadError::Refused { url: url(), status: status.as_u16() }),
    }
    let wrong_size = |found: String| DownloadError::Size { url: url(), expected: remote.bytes, found };
    if let Some(length) = response.body().content_length()
        && there.checked_add(length) != Some(remote.bytes)
    {
        return Err(wrong_size(there.saturating_add(length).to_string()));
    }
    file.seek(SeekFrom::Start(*there)).map_err(DownloadError::disk(part))?;
    let mut body = response.into_body().into_reader();
    let mut buffer = vec![0; CHUNK];
    loop {
        cancel_if(report(*there))?;
        let count = match body.read(&mut buffer) {
            Ok(0) if *there < remote.bytes => {
                return Ok(Some(format!("the connection ended after {there} bytes")));
            }
            Ok(0) => return Ok(None),
            Ok(count) => count,
            Err(error) => return Ok(Some(error.to_string())),
        };
        if *there + count as u64 > remote.bytes {
            restart(file, part, there)?;
            return Err(wrong_size(format!("more than {}", remote.bytes)));
        }
        file.write_all(&buffer[..count]).map_err(DownloadError::disk(part))?;
        *there += count as u64;
    }
}

fn restart(file: &mut File, part: &Path, there: &mut u64) -> Result<(), DownloadError> {
    file.set_len(0).and_then(|()| file.rewind()).map_err(DownloadError::disk(part))?;
    *there = 0;
    Ok(())
}

fn cancel_if(flow: ControlFlow<()>) -> Result<(), DownloadError> {
    if flow.is_break() { Err(DownloadError::Cancelled) } else { Ok(()) }
}

/// Computes the SHA-256 of an open file, in hexadecimal digits.
///
/// # Errors
/// When it cannot be read.
pub fn digest(file: &mut File, path: &Path) -> Result<String, DownloadError> {
    let digest = file.rewind().and_then(|()| copied(file, &mut io::sink()));
    digest.map(|(_, digest)| digest).map_err(DownloadError::disk(path))
}

/// Takes the files of these names and lengths out of an archive, wherever they are in it, and writes them into the folder;
/// one that is there is left as it is. Nothing else of the archive is written, and none of its paths are followed. The
/// archive is read through its open file, which may be locked.
///
/// # Errors
/// A damaged archive, one that lacks a file or has one of another length, or a folder that cannot be written.
pub fn unpack(
    mut file: File,
    path: &Path,
    members: &[(&str, u64)],
    folder: &Path,
) -> Result<(), DownloadError> {
    let damaged = |detail: String| DownloadError::Archive { path: path.to_owned(), detail };
    file.rewind().map_err(DownloadError::disk(path))?;
    let mut archive = Archive::new(GzDecoder::new(io::BufReader::new(file)));
    let unreadable = |error: io::Error| damaged(format!("the archive is damaged ({error})"));
    for entry in archive.entries().map_err(unreadable)? {
        let mut entry = entry.map_err(unreadable)?;
        let name =
            entry.path().map_err(unreadable)?.file_name().map(|name| name.to_string_lossy().into_owned());
        let is_it = |(member, _): &&(&str, u64)| Some(*member) == name.as_deref();
        let Some((member, bytes)) = members.iter().find(is_it) else { continue };
        let target = folder.join(member);
        if !entry.header().entry_type().is_file() || target.exists() {
            continue;
        }
        if entry.size() != *bytes {
            let found = entry.size();
            return Err(damaged(format!("{member} has {found} bytes in it, and should have {bytes}")));
        }
        let part = folder.join(format!("{member}.part"));
        let mut out = File::create(&part).map_err(DownloadError::disk(&part))?;
        copy(&mut entry, &mut out, &part, &unreadable)?;
        fs::rename(&part, &target).map_err(DownloadError::disk(&target))?;
    }
    let missing: Vec<&str> =
        members.iter().map(|(name, _)| *name).filter(|name| !folder.join(name).is_file()).collect();
    let detail = || format!("the archive has no {}", missing.join(", no "));
    if missing.is_empty() { Ok(()) } else { Err(damaged(detail())) }
}

/// Copies all bytes, and says which side failed.
fn copy(
    from: &mut impl io::Read,
    to: &mut impl io::Write,
    path: &Path,
    unreadable: &dyn Fn(io::Error) -> DownloadError,
) -> Result<(), DownloadError> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = from.read(&mut buffer).map_err(unreadable)?;
        if count == 0 {
            return to.flush().map_err(DownloadError::disk(path));
        }
        to.write_all(&buffer[..count]).map_err(DownloadError::disk(path))?;
    }
}
