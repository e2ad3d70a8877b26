//! What is known of how runs were made.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;

use super::about::{About, Machine, PROGRAM};
use doc::Run;

/// How a run was made, from its `run.ron`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Provenance {
    /// Name and version of the program: "weightlab 0.1.0".
    pub program: String,
    /// The machine that it ran on last; unknown for runs of earlier versions.
    pub machine: Option<Machine>,
    /// The SHA-256 of its data as it saw them, in hexadecimal; unknown until they were read.
    pub data: Option<String>,
}

impl Provenance {
    /// That of a run that this process makes.
    pub fn here() -> Self {
        Self { program: PROGRAM.to_owned(), machine: Some(Machine::here()), data: None }
    }

    /// That of the run of this identity in a folder.
    ///
    /// # Errors
    /// Why its `run.ron` cannot be read.
    pub fn read(folder: &Path, id: &str) -> Result<Self, String> {
        let About { program, machine, data, .. } = About::read(&folder.join(id))?;
        Ok(Self { program, machine, data })
    }

    /// The program with its commit, where the build knew it: "weightlab 0.1.0 (0123456789ab)".
    pub fn program_and_commit(&self) -> String {
        let program = &self.program;
        let commit = self.machine.as_ref().map_or("", |machine| &machine.commit);
        if commit.is_empty() { program.clone() } else { format!("{program} ({commit})") }
    }
}

/// How these runs were made, by their identity. A run whose `run.ron` cannot be read is left out.
pub fn provenance(folder: &Path, runs: &[Run]) -> BTreeMap<String, Provenance> {
    let one = |run: &Run| Some((run.id.clone(), Provenance::read(folder, &run.id).ok()?));
    runs.par_iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commit_is_told_where_the_build_knew_it() {
        let commit = "0123456789ab".to_owned();
        let machine = Machine { commit, ..Machine::here() };
        assert!(machine.to_string().starts_with(std::env::consts::OS));
        let mut made = Provenance { machine: Some(machine), ..Provenance::here() };
        assert_eq!(made.program_and_commit(), format!("{PROGRAM} (0123456789ab)"));
        made.machine = None;
        assert_eq!(made.program_and_commit(), PROGRAM);
    }
}
