use std::path::Path;

use super::about::About;
use doc::RunSpec;

/// A run by its directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRun {
    /// Its identity.
    pub id: String,
    /// The arm that it was made for, with swept values.
    pub arm: String,
    /// Its seed.
    pub seed: u64,
    /// How its inputs differ from those of today's run of this arm and seed, if their settings are the same.
    pub difference: Option<String>,
}

impl StoredRun {
    /// The run of this identity in a folder, with its settings; `None` where its `run.ron` cannot be read.
    pub(crate) fn read(folder: &Path, id: String) -> Option<(Self, RunSpec)> {
        let about = About::read(&folder.join(&id)).ok()?;
        let run = Self { arm: about.arm.clone(), seed: about.seed, difference: None, id };
        let spec = about.into_spec(&run.id);
        Some((run, spec))
    }
}
