use std::path::Path;

use super::about::About;

/// A run by its directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRun {
    /// Its identity.
    pub id: String,
    /// The arm that it was made for, with swept values.
    pub arm: String,
    /// Its seed.
    pub seed: u64,
}

impl StoredRun {
    /// The run of this identity in a folder; `None` where its `run.ron` cannot be read.
    pub(in crate::run) fn read(folder: &Path, id: String) -> Option<Self> {
        let About { arm, seed, .. } = About::read(&folder.join(&id)).ok()?;
        Some(Self { id, arm, seed })
    }
}

/// Where the results of a run come from, by its directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// Name and version of the program, with the commit of a release build.
    pub program: String,
    /// System and processor; nothing for runs of version 0.1.0.
    pub machine: Option<String>,
    /// The SHA-256 of the samples, in hexadecimal, once they were read.
    pub data: Option<String>,
}

impl Provenance {
    /// That of the run of this identity in a folder.
    ///
    /// # Errors
    /// Why its `run.ron` cannot be read.
    pub fn read(folder: &Path, id: &str) -> Result<Self, String> {
        let About { program, machine, data, .. } = About::read(&folder.join(id))?;
        Ok(Self { program, machine, data })
    }
}
