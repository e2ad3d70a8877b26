//! Where the files of a dataset can be downloaded from. Nothing here does it.

use std::path::{Path, PathBuf};

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
    /// The files that are taken out of it, where it is a `.tar.gz`, and their lengths in bytes; empty where it is kept as it
    /// is.
    pub members: &'a [(&'a str, u64)],
}

impl Remote<'_> {
    /// Its name: the last part of the address.
    pub fn name(&self) -> &str {
        self.url.rsplit('/').next().unwrap_or_default()
    }

    /// The names of the files that it becomes in the folder.
    pub fn results(&self) -> Vec<&str> {
        if self.members.is_empty() {
            vec![self.name()]
        } else {
            self.members.iter().map(|(name, _)| *name).collect()
        }
    }

    /// Whether a folder has what a previous try left of it.
    pub fn has_part_in(&self, folder: &Path) -> bool {
        self.part_in(folder).is_file()
    }

    /// Where it grows.
    pub fn part_in(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.part", self.name()))
    }

    /// Whether a folder has all that it becomes.
    pub fn is_in(&self, folder: &Path) -> bool {
        self.results().iter().all(|name| folder.join(name).is_file())
    }
}
