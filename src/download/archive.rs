//! Files out of a `.tar.gz`.

use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::Path;

use flate2::read::GzDecoder;
use tar::Archive;

use super::DownloadError;

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
            return Err(damaged(format!(
                "{member} has {} bytes in it, and should have {bytes}",
                entry.size()
            )));
        }
        let part = folder.join(format!("{member}.part"));
        let mut out = File::create(&part).map_err(DownloadError::disk(&part))?;
        copy(&mut entry, &mut out, &part, &unreadable)?;
        fs::rename(&part, &target).map_err(DownloadError::disk(&target))?;
    }
    let missing: Vec<&str> =
        members.iter().map(|(name, _)| *name).filter(|name| !folder.join(name).is_file()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(damaged(format!("the archive has no {}", missing.join(", no "))))
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
