use std::collections::BTreeMap;
use std::path::Path;

use doc::{Experiment, Run};
use results::RunRecord;

/// The runs of an experiment that are published, with their records.
#[derive(Clone, Copy, Debug)]
pub struct Selected<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Its file.
    pub file: &'a Path,
    /// The text of the file.
    pub text: &'a str,
    /// All runs of the experiment: differing settings follow from them.
    pub all: &'a [Run],
    /// The selected ones.
    pub runs: &'a [Run],
    /// What is known of them, by identity.
    pub records: &'a BTreeMap<String, RunRecord>,
    /// The folder of their directories.
    pub folder: &'a Path,
}

impl<'a> Selected<'a> {
    /// The selected runs that have begun, with their records.
    pub fn begun(&self) -> impl Iterator<Item = (&'a Run, &'a RunRecord)> {
        self.runs.iter().filter_map(|run| Some((run, self.records.get(&run.id)?)))
    }
}
