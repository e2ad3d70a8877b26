//! Where a crate is written: a folder or a ZIP archive. Files are copied in pieces, and hashed on the way, so that the
//! digest is that of what was written even where a run goes on. All of it is in place at once, at the end.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::existing::Existing;
use super::files::media_type;
use crate::PublishError;
use crate::digest::{copied, digest_of};
use doc::file::new_file;

/// What was written of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its path in the crate, with `/` between the parts.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
}

/// A crate that is being written.
#[derive(Debug)]
pub enum Sink {
    /// A folder, which grows beside its place.
    Folder {
        /// Its place.
        place: PathBuf,
        /// Where it grows.
        growing: TempDir,
        /// What an earlier export has left at its place.
        existing: Existing,
        /// The files so far.
        paths: Vec<String>,
    },
    /// An archive, likewise.
    Zip {
        /// Its place.
        place: PathBuf,
        /// Where it grows.
        writer: Box<ZipWriter<NamedTempFile>>,
        /// The folders that have an entry: validators look for one where the metadata name a folder.
        folders: BTreeSet<String>,
    },
}

impl Sink {
    /// A crate at a place: an archive if its name ends with `.zip`, a folder otherwise.
    ///
    /// # Errors
    /// When something else is there, or the disk refuses.
    pub fn new(place: &Path) -> Result<Self, PublishError> {
        let existing = Existing::look(place)?;
        let fail = PublishError::writing(place);
        let place = place.to_owned();
        let beside = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if is_archive(&place) {
            let file = new_file(beside).map_err(&fail)?;
            let writer = Box::new(ZipWriter::new(file));
            return Ok(Self::Zip { place, writer, folders: BTreeSet::new() });
        }
        let growing = tempfile::Builder::new().prefix(".weightlab-").tempdir_in(beside).map_err(&fail)?;
        std::fs::create_dir(growing.path().join("crate")).map_err(&fail)?;
        Ok(Self::Folder { place, growing, existing, paths: Vec::new() })
    }

    /// Adds a file.
    ///
    /// # Errors
    /// When it cannot be read, or the disk refuses.
    pub fn add(&mut self, path: &str, content: &mut dyn Read) -> Result<Stored, PublishError> {
        match self {
            Self::Folder { place, growing, paths, .. } => {
                let fail = PublishError::writing(place);
                let file = growing.path().join("crate").join(path);
                if let Some(folder) = file.parent() {
                    std::fs::create_dir_all(folder).map_err(&fail)?;
                }
                paths.push(path.to_owned());
                stored(path, copied(content, &mut File::create(file).map_err(&fail)?)).map_err(&fail)
            }
            Self::Zip { place, writer, folders } => {
                let fail = PublishError::writing(place);
                for (end, _) in path.match_indices('/') {
                    let folder = &path[..=end];
                    if folders.insert(folder.to_owned()) {
                        let made = writer.add_directory(folder, options(folder).unix_permissions(0o755));
                        made.map_err(|error| fail(error.into()))?;
                    }
                }
                writer.start_file(path, options(path)).map_err(|error| fail(error.into()))?;
                stored(path, copied(content, writer)).map_err(&fail)
            }
        }
    }

    /// Puts the crate into its place.
    ///
    /// # Errors
    /// When somebody's own file is in the way, or the disk refuses.
    pub fn finish(self) -> Result<(), PublishError> {
        match self {
            Self::Folder { place, growing, existing, paths } => {
                let fail = PublishError::writing(&place);
                let from = growing.path().join("crate");
                keep_others(&from, &place, &existing, &paths)?;
                put(&from, &place, &existing, &paths).map_err(&fail)
            }
            Self::Zip { place, writer, .. } => {
                let fail = PublishError::writing(&place);
                let file = writer.finish().map_err(|error| fail(error.into()))?;
                file.as_file().sync_all().map_err(&fail)?;
                file.persist(&place).map(drop).map_err(|error| fail(error.error))
            }
        }
    }
}

/// Whether a crate at this place is a ZIP archive.
pub fn is_archive(place: &Path) -> bool {
    place.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip"))
}

/// Weights do not compress. Without a time of its own, an entry has the earliest one, so equal content is equal bytes.
fn options(path: &str) -> SimpleFileOptions {
    let is_packed = media_type(path) != "application/octet-stream";
    let method = if is_packed { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    SimpleFileOptions::default()
        .compression_method(method)
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644)
        .large_file(true)
}

fn stored(path: &str, copied: std::io::Result<(u64, String)>) -> std::io::Result<Stored> {
    copied.map(|(bytes, sha256)| Stored { path: path.to_owned(), bytes, sha256 })
}

/// Refuses where a file of the crate would replace one that the earlier export has not written: somebody's own, unless it
/// is the same.
fn keep_others(from: &Path, place: &Path, existing: &Existing, paths: &[String]) -> Result<(), PublishError> {
    for path in paths.iter().filter(|path| !existing.has(path)) {
        let [own, new] = [place.join(path), from.join(path)];
        let is_same = || Some(digest_of(&own).ok()? == digest_of(&new).ok()?);
        if own.symlink_metadata().is_ok() && is_same() != Some(true) {
            return Err(PublishError::Changed { path: own });
        }
    }
    Ok(())
}

/// Moves a whole crate to its place: as a folder where nothing is there, else file by file. Files of an earlier export that
/// are no part of it any more are removed.
fn put(from: &Path, place: &Path, existing: &Existing, paths: &[String]) -> std::io::Result<()> {
    if existing.is_nothing() {
        // An empty folder gives way.
        let _ = std::fs::remove_dir(place);
        return std::fs::rename(from, place);
    }
    for path in paths {
        let to = place.join(path);
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::rename(from.join(path), to)?;
    }
    for path in existing.files().filter(|old| !paths.iter().any(|new| new == old)) {
        std::fs::remove_file(place.join(path))?;
        let above = Path::new(path).ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        // Those that hold something else stay.
        above.for_each(|folder| drop(std::fs::remove_dir(place.join(folder))));
    }
    Ok(())
}
