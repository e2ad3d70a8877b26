//! Looking at what runs read: data and files, and what earlier runs know of those that are gone.

use std::collections::BTreeSet;
use std::path::Path;

use rayon::prelude::*;

use super::directory::{is_done, spec_of};
use crate::data::{DataError, Digests, Input, Look};
use crate::doc::{Experiment, Inputs, Run, RunSpec, changed_inputs, inputs_of, inputs_to_look_at};

/// Looks at the inputs that an experiment names and that were not looked at yet; paths are relative to `base`. Where
/// they are gone, the runs in the folder `results` may know what they were. Reads from disk, which may be slow.
pub fn look_at_inputs(experiment: &mut Experiment, base: &Path, results: Option<&Path>) {
    let (inputs, digests) = (inputs_to_look_at(experiment), Digests::open());
    for input in &inputs {
        if experiment.looks.of_input(input).is_none() {
            let look = look_at(input, base, results, &digests);
            experiment.looks.add(input, look);
        }
    }
    if !inputs.is_empty() {
        experiment.looks.note_done(results.map(done_runs).unwrap_or_default());
    }
}

/// As [`look_at_inputs`], for one of them. Files that are there and cannot be used are not those of before.
pub fn look_at(input: &Input, base: &Path, results: Option<&Path>, digests: &Digests) -> Look {
    let look = input.look(base, digests);
    if !input.is_gone(base) {
        return look;
    }
    let before = results.map(|folder| known_before(input, folder)).unwrap_or_default();
    Look { found: before.found, content: before.content, ..look }
}

/// The names of the directories of runs that are done.
pub fn done_runs(folder: &Path) -> BTreeSet<String> {
    let names = std::fs::read_dir(folder).into_iter().flatten();
    let names: Vec<String> = names.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.into_par_iter().filter(|name| is_done(folder, name)).collect()
}

/// What the last run that read it knows of an input.
fn known_before(input: &Input, folder: &Path) -> Look {
    let of_run = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.ok()?;
        let written = entry.path().join("events.jsonl").metadata().ok()?.modified().ok()?;
        let look = recorded(input, &spec_of(folder, entry.file_name().to_str()?).ok()?)?;
        Some((written, look))
    };
    let all = std::fs::read_dir(folder).into_iter().flatten().filter_map(of_run);
    all.max_by_key(|(written, _)| *written).map(|(_, look)| look).unwrap_or_default()
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

/// Checks that what a run reads is what it was made for.
///
/// # Errors
/// What has changed.
pub(super) fn check_inputs(run: &Run, base: &Path, digests: &Digests) -> Result<(), String> {
    for input in inputs_of(&run.spec, &run.arm, run.seed) {
        if let Input::Data(data) = &input
            && data.found().is_some()
            && input.look(base, digests).found.as_ref() != data.found()
        {
            return Err(DataError::changed(&data.place(base).ok().flatten().unwrap_or_default()).to_string());
        }
    }
    let inputs = Inputs::gather(&run.spec, &run.arm, run.seed, |input| input.content(base, digests));
    let now = RunSpec { inputs, ..RunSpec::clone(&run.spec) };
    let Some(changes) = changed_inputs(&run.spec, &now) else { return Ok(()) };
    Err(format!(
        "{changes}: the run was made for other contents; restore the files, or start the experiment again: with other \
         inputs its runs are other runs"
    ))
}
