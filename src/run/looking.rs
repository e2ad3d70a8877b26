//! Looking at what runs read: data and files, and what earlier runs know of those that are gone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use rayon::prelude::*;

use super::directory::{is_done, spec_of};
use data::{Digests, Input, Look};
use doc::{Experiment, Inputs, Run, RunSpec, changed_inputs, inputs_to_look_at};

/// Looks at inputs. Reads from disk, which may be slow.
pub struct Looker {
    base: PathBuf,
    results: PathBuf,
    digests: Digests,
    /// The settings of the runs in the folder of results, with the time of their last event; read when they are needed.
    specs: OnceLock<Vec<(SystemTime, RunSpec)>>,
}

impl Looker {
    /// Looks at inputs whose paths are relative to `base`; what is gone, runs in the folder `results` may know.
    pub fn new(base: PathBuf, results: PathBuf) -> Self {
        Self { base, results, digests: Digests::open(), specs: OnceLock::new() }
    }

    /// Looks at the inputs that an experiment names and that were not looked at yet.
    pub fn look_at_all(&self, experiment: &mut Experiment) {
        let inputs = inputs_to_look_at(experiment);
        for input in &inputs {
            if experiment.looks.of_input(input).is_none() {
                experiment.looks.add(input, self.look(input));
            }
        }
        if !inputs.is_empty() {
            experiment.looks.note_done(self.done_runs());
        }
    }

    /// Looks at one of them. What is gone is what the last run that read it knows of it; files that are there and cannot be
    /// used are not those of before.
    pub fn look(&self, input: &Input) -> Look {
        let look = input.look(&self.base, &self.digests);
        if !input.is_gone(&self.base) {
            return look;
        }
        let known = self.specs().iter().filter_map(|(written, spec)| Some((written, recorded(input, spec)?)));
        let before = known.max_by_key(|(written, _)| **written).map(|(_, look)| look).unwrap_or_default();
        Look { found: before.found, content: before.content, ..look }
    }

    /// The names of the directories of runs that are done.
    pub fn done_runs(&self) -> BTreeSet<String> {
        names(&self.results).into_par_iter().filter(|name| is_done(&self.results, name)).collect()
    }

    fn specs(&self) -> &[(SystemTime, RunSpec)] {
        self.specs.get_or_init(|| {
            let read = |name: String| {
                let log = self.results.join(&name).join("events.jsonl");
                Some((log.metadata().ok()?.modified().ok()?, spec_of(&self.results, &name).ok()?))
            };
            names(&self.results).into_par_iter().filter_map(read).collect()
        })
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}

fn recorded(input: &Input, spec: &RunSpec) -> Option<Look> {
    match input {
        Input::File(file) => {
            Some(Look { content: Some(spec.inputs.files.get(file)?.clone()), ..Look::default() })
        }
        Input::Data(data) if spec.data.with_found(None) != *data => None,
        Input::Data(data) if data.needs_look() => {
            Some(Look { found: Some(spec.data.found()?.clone()), ..Look::default() })
        }
        Input::Data(_) => Some(Look { content: Some(spec.inputs.sets.first()?.clone()), ..Look::default() }),
    }
}

/// Checks that the known sets and files that a run reads are those that it was made for. Readers of users' data compare
/// these themselves.
///
/// # Errors
/// What has changed.
pub(super) fn check_inputs(run: &Run, base: &Path, digests: &Digests) -> Result<(), String> {
    let inputs = Inputs::gather(&run.spec, &run.arm, run.seed, |input| input.content(base, digests));
    let now = RunSpec { inputs, ..RunSpec::clone(&run.spec) };
    let Some(changes) = changed_inputs(&run.spec, &now) else { return Ok(()) };
    Err(format!(
        "{changes}: the run was made for other contents; restore the files, or start the experiment again: with other \
         inputs its runs are other runs"
    ))
}
