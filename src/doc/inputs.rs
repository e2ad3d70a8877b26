//! What runs read: the data and files that their settings name, what is known of them, and their digests, which make results
//! of other contents results of other runs.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Experiment;
use super::plan::files_read;
use super::run_count::{MOST_RUNS, count_runs};
use super::spec::{RunSpec, expand_arms};
use super::stage::Stage;
use data::{Data, Input, Looks};
use form::Overrides;
use form::path::Place;

/// Digests of what a run reads beside data of the user's own, whose content is among their settings: SHA-256 in hexadecimal.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Inputs {
    /// Of the files of known sets, unpacked: of the run's data, then of those of its branches. Empty where they are not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<String>,
    /// Of weights, masks and lists of faults, by their names in the plan.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

impl Inputs {
    /// The digests of what a run reads, as far as `content` knows them.
    pub fn gather(
        spec: &RunSpec,
        arm: &str,
        seed: u64,
        mut content: impl FnMut(&Input) -> Option<String>,
    ) -> Self {
        let mut inputs = Self::default();
        for input in inputs_of(spec, arm, seed) {
            match &input {
                Input::Data(data) if data.needs_look() => {}
                Input::Data(_) => inputs.sets.push(content(&input).unwrap_or_default()),
                Input::File(file) => {
                    inputs.files.extend(content(&input).map(|digest| (file.clone(), digest)));
                }
            }
        }
        if inputs.sets.iter().all(String::is_empty) {
            inputs.sets.clear();
        }
        inputs
    }

    /// What they add to the text that a run's identity is made of: nothing where there are none.
    pub(super) fn text(&self) -> String {
        let Self { sets, files } = self;
        let sets = sets.iter().map(|digest| format!("\nset {digest}"));
        sets.chain(files.iter().map(|(file, digest)| format!("\nfile {digest} {file}"))).collect()
    }

    /// Returns true if nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty() && self.files.is_empty()
    }
}

/// What a run reads, in the order of its plan: its data, those of its branches, and files. Data inside the program are no input.
pub fn inputs_of(spec: &RunSpec, arm: &str, seed: u64) -> Vec<Input> {
    let mut inputs = Vec::new();
    let mut note = |data: &Data| {
        if data.is_in_files() {
            inputs.push(Input::Data(data.clone()));
        }
    };
    note(&spec.data);
    each_branch_data(&spec.plan, &mut note);
    inputs.extend(
        files_read(&spec.plan, arm, seed, &Place::default()).into_iter().map(|(_, file)| Input::File(file)),
    );
    inputs
}

/// The inputs that an experiment names anywhere, each once, in the order of the document and without what was found in them.
pub fn inputs_to_look_at(experiment: &Experiment) -> Vec<Input> {
    let mut found: Vec<Input> = Vec::new();
    let mut files = BTreeSet::new();
    let mut note = |input: Input| {
        let is_new = match &input {
            Input::File(file) => files.insert(file.clone()),
            Input::Data(_) => !found.contains(&input),
        };
        if is_new {
            found.push(input);
        }
    };
    let bare = |data: &Data| Input::Data(data.with_found(None));
    if experiment.data.is_in_files() {
        note(bare(&experiment.data));
    }
    if count_runs(experiment) > MOST_RUNS {
        return found;
    }
    let is_written_out = experiment.arms.iter().any(|arm| reads_more(&arm.plan))
        || overrides(experiment).any(|(path, value)| {
            ["data", "plan", "*"].iter().any(|part| path.contains(part)) || value.contains("data")
        });
    if !is_written_out {
        return found;
    }
    for arm in expand_arms(experiment).unwrap_or_default() {
        let files = |seed| files_read(&arm.spec.plan, &arm.name, seed, &Place::default());
        // Most names of files are the same for all seeds.
        let seeds = if files(0) == files(1) { &[0] } else { &experiment.seeds[..] };
        for input in seeds.iter().flat_map(|seed| inputs_of(&arm.spec, &arm.name, *seed)) {
            note(match input {
                Input::Data(data) => bare(&data),
                Input::File(_) => input,
            });
        }
    }
    found
}

fn overrides(experiment: &Experiment) -> impl Iterator<Item = (&String, &String)> {
    let arms = experiment.arms.iter().flat_map(|arm| [&arm.set, &arm.sweep]);
    [&experiment.set, &experiment.sweep].into_iter().chain(arms).flat_map(|Overrides(pairs)| pairs)
}

/// Returns true if a plan reads files, or other data than the experiment's.
fn reads_more(plan: &[Stage]) -> bool {
    let mut has_data = false;
    each_branch_data(plan, &mut |_| has_data = true);
    has_data || !files_read(plan, "", 0, &Place::default()).is_empty()
}

/// Writes what is known of the data into the settings of a run.
pub(super) fn fill(spec: &mut RunSpec, looks: &Looks) {
    looks.fill(&mut spec.data);
    change_branch_data(&mut spec.plan, &mut |data| looks.fill(data));
}

/// The digests of a run's inputs, as far as they are known.
pub(super) fn known_inputs(spec: &RunSpec, arm: &str, seed: u64, looks: &Looks) -> Inputs {
    if looks.is_empty() {
        return Inputs::default();
    }
    Inputs::gather(spec, arm, seed, |input| looks.of_input(input)?.content.clone())
}

/// Shows the data of all branches of a plan.
fn each_branch_data<'a>(plan: &'a [Stage], act: &mut dyn FnMut(&'a Data)) {
    for stage in plan {
        if let Stage::Branch(branch) = stage
            && let Some(data) = &branch.data
        {
            act(data);
        }
        if let Some(nested) = stage.nested() {
            each_branch_data(nested.plan, act);
        }
    }
}

/// Changes the data of all branches of a plan.
fn change_branch_data(plan: &mut [Stage], act: &mut dyn FnMut(&mut Data)) {
    for stage in plan {
        if let Stage::Branch(branch) = stage
            && let Some(data) = &mut branch.data
        {
            act(data);
        }
        if let Some(nested) = stage.nested_mut() {
            change_branch_data(nested, act);
        }
    }
}

/// The datasets in files that a run reads, with the digests of their contents; empty where they are not known.
pub fn sets_of(spec: &RunSpec) -> Vec<(&Data, &str)> {
    let (mut all, mut digests) = (Vec::new(), spec.inputs.sets.iter());
    let mut note = |data| {
        let data: &Data = data;
        if data.needs_look() {
            all.push((data, data.found().map_or("", |found| &found.content)));
        } else if data.is_in_files() {
            all.push((data, digests.next().map_or("", String::as_str)));
        }
    };
    note(&spec.data);
    each_branch_data(&spec.plan, &mut note);
    all
}

/// The version of the reader that a user's data were found with.
fn reader_of(data: &Data) -> Option<usize> {
    data.found().map(|found| found.reader)
}

/// Returns true if the content of something that a run reads is not known, or only as earlier versions recorded it.
pub(super) fn is_unrecorded(spec: &RunSpec, arm: &str, seed: u64) -> bool {
    let is_unknown = |(data, digest): &(&Data, &str)| digest.is_empty() || reader_of(data) == Some(0);
    let files = files_read(&spec.plan, arm, seed, &Place::default());
    sets_of(spec).iter().any(is_unknown)
        || files.iter().any(|(_, file)| !spec.inputs.files.contains_key(file))
}

/// Says how the inputs of an earlier run differ from those of one with the same settings: "w.pth has changed (SHA-256 begins
/// 1f2e3d4c then, 9a8b7c6d now)". None where their settings differ, too.
pub fn changed_inputs(then: &RunSpec, now: &RunSpec) -> Option<String> {
    if settings(then) != settings(now) {
        return None;
    }
    let mut parts = Vec::new();
    let mut compare = |name: &str, then: &str, now: &str| {
        if then == now {
            return;
        }
        let short = |digest: &str| digest.get(..8).unwrap_or(digest).to_owned();
        parts.push(if then.is_empty() {
            format!("{name}: not recorded then")
        } else {
            format!("{name} changed (SHA-256 begins {} then, {} now)", short(then), short(now))
        });
    };
    for ((before, then), (data, now)) in sets_of(then).into_iter().zip(sets_of(now)) {
        // An earlier version recorded less of the content, or read it otherwise.
        let then = if reader_of(before) == reader_of(data) { then } else { "" };
        compare(data.user_path().unwrap_or(data.name()), then, now);
    }
    for (file, digest) in &now.inputs.files {
        compare(file, then.inputs.files.get(file).map_or("", String::as_str), digest);
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The same settings without what is known of inputs.
fn settings(spec: &RunSpec) -> RunSpec {
    let mut own = RunSpec { inputs: Inputs::default(), ..spec.clone() };
    let forget = |data: &mut Data| *data = data.without_place().with_found(None);
    forget(&mut own.data);
    change_branch_data(&mut own.plan, &mut |data| forget(data));
    own
}

/// The same settings without digests, as earlier versions identified runs. None for data of the user: these versions recorded
/// less of their content, and read tables and split pictures otherwise.
pub(super) fn earlier(spec: &RunSpec) -> Option<RunSpec> {
    let mut has_own = spec.data.needs_look();
    each_branch_data(&spec.plan, &mut |data| has_own |= data.needs_look());
    (!has_own && !spec.inputs.is_empty()).then(|| RunSpec { inputs: Inputs::default(), ..spec.clone() })
}
