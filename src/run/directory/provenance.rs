//! What is known of how runs were made.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;

use super::about::{About, Machine};
use crate::doc::Run;

/// How a run was made, from its `run.ron`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Provenance {
    /// Name and version of the program: "weightlab 0.1.0".
    pub program: String,
    /// The machine that it ran on last; unknown for runs of earlier versions.
    pub machine: Option<Machine>,
    /// The SHA-256 of its data as it saw them; unknown until they were read.
    pub data: Option<String>,
}

/// How these runs were made, by their identity. A run whose `run.ron` cannot be read is left out.
pub fn provenance(folder: &Path, runs: &[Run]) -> BTreeMap<String, Provenance> {
    let one = |run: &Run| {
        let About { program, machine, data, .. } = About::read(&folder.join(&run.id)).ok()?;
        Some((run.id.clone(), Provenance { program, machine, data }))
    };
    runs.par_iter().filter_map(one).collect()
}
