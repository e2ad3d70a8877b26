//! What is at the place of a crate already. An export replaces an earlier one, and never what somebody has made: it
//! refuses where a file that it had written was changed since.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};
use zip::ZipArchive;

use super::address::path_of;
use super::preview::digest_in;
use super::sink::is_archive;
use super::{METADATA, PREVIEW};
use crate::PublishError;
use crate::digest::{digest, digest_of};
use form::number::hexadecimal;

/// The files of an earlier export, with their digests where they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Existing(BTreeMap<String, Option<String>>);

impl Existing {
    /// Looks at a place.
    ///
    /// # Errors
    /// When something else is there, or files were changed since the earlier export.
    pub fn look(place: &Path) -> Result<Self, PublishError> {
        let about = match std::fs::metadata(place) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(PublishError::reading(place)(error)),
            Ok(about) => about,
        };
        let foreign = || PublishError::Foreign { path: place.to_owned() };
        if is_archive(place) {
            return if about.is_file() { of_archive(place).ok_or_else(foreign) } else { Err(foreign()) };
        }
        if !about.is_dir() {
            return Err(foreign());
        }
        let mut entries = std::fs::read_dir(place).map_err(PublishError::reading(place))?;
        if entries.next().is_none() {
            return Ok(Self::default());
        }
        let read = |name: &str| std::fs::read(place.join(name)).ok();
        let (metadata, preview) = read(METADATA).zip(read(PREVIEW)).ok_or_else(foreign)?;
        let known = listed(&metadata, &preview).ok_or_else(foreign)?;
        known.check(place)?;
        Ok(known)
    }

    /// Whether nothing is there.
    pub fn is_nothing(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the earlier export has written this file.
    pub fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    /// The paths of the files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Refuses where a file has other content than the export gave it. One that is gone is no loss.
    fn check(&self, place: &Path) -> Result<(), PublishError> {
        for (path, digest) in &self.0 {
            let path = place.join(path);
            match digest_of(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(PublishError::reading(&path)(error)),
                Ok(found) if digest.as_ref().is_none_or(|digest| *digest == found) => {}
                Ok(_) => return Err(PublishError::Changed { path }),
            }
        }
        Ok(())
    }
}

/// The files that the metadata of an earlier export list; nothing where they are not as it wrote them.
fn listed(metadata: &[u8], preview: &[u8]) -> Option<Existing> {
    if digest_in(preview)? != hexadecimal(&Sha256::digest(metadata)) {
        return None;
    }
    let metadata: Value = serde_json::from_slice(metadata).ok()?;
    let files = metadata["@graph"].as_array()?.iter().filter(|entity| entity["@type"] == "File");
    let own = files.filter_map(|entity| {
        let path = path_of(entity["@id"].as_str()?)?;
        Some((path, Some(entity["sha256"].as_str()?.to_owned())))
    });
    let always = [METADATA, PREVIEW].map(|name| (name.to_owned(), None));
    Some(Existing(own.chain(always).collect()))
}

/// An archive of an earlier export, to which nothing was added, and in which nothing was changed.
fn of_archive(place: &Path) -> Option<Existing> {
    let mut archive = ZipArchive::new(File::open(place).ok()?).ok()?;
    let mut read = |name: &str| {
        let mut content = Vec::new();
        archive.by_name(name).ok()?.read_to_end(&mut content).ok()?;
        Some(content)
    };
    let (metadata, preview) = read(METADATA).zip(read(PREVIEW))?;
    let known = listed(&metadata, &preview)?;
    for nth in 0..archive.len() {
        let mut file = archive.by_index(nth).ok()?;
        if file.is_dir() {
            continue;
        }
        let wanted = known.0.get(&*file.name().ok()?)?;
        let found = digest(&mut file).ok()?;
        if wanted.as_ref().is_some_and(|wanted| *wanted != found) {
            return None;
        }
    }
    Some(known)
}
