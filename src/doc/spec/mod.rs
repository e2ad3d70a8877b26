//! From an experiment to its runs: one for each arm, each combination of swept values, and each seed; what they read, and
//! their identities.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::arch::Net;
use crate::experiment::{Arm, Device, Experiment, Kernels, Training};
use crate::plan::files_read;
use crate::problem::Problem;
use crate::stage::Stage;
use crate::structure::{Misfit, Structure, Traced};
use data::{Data, Input, Looks};
use form::number::counted;
use form::path::{Place, assign};
use form::{Overrides, Stored, check_ranges};

form::form! {
    /// The settings that a run depends on, and nothing else.
    pub struct RunSpec: "Run" {
        data: Data = Data::default(), "Data", "What the network learns from";
        net: Net = Net::default(), "Network", "The network to train";
        train: Training = Training::default(), "Training", "How to train it";
        plan: Vec<Stage> = Vec::new(), "Plan", "What it does";
        seed: u64 = 1, "Seed", "The origin of its random streams";
        device: Device = Device::Cpu, "Device", "What runs the computations";
    } hidden {
        /// Digests of what it reads; the program finds them, experiment files do not have them.
        inputs: Inputs = Inputs::default();
    }
}

impl RunSpec {
    /// Returns the identity of the run: 16 hexadecimal digits of the SHA-256 of its settings, defaults and the data's place
    /// left out, and of the digests of what it reads.
    pub fn id(&self) -> String {
        identity(&(text(self) + &self.inputs.text()))
    }

    /// Returns the identity that versions gave it which did not record all inputs; none where that is the same, and for data of
    /// the user: these versions recorded less of their content, and read tables and split pictures otherwise.
    pub fn earlier_id(&self) -> Option<String> {
        let is_other = !all_data(self).any(Data::needs_look) && !self.inputs.is_empty();
        is_other.then(|| Self { inputs: Inputs::default(), ..self.clone() }.id())
    }

    /// Returns the structure of the network that the run trains, as far as it follows from the settings.
    ///
    /// # Errors
    /// The first layer that does not fit what comes in.
    pub fn structure(&self) -> Result<Structure, Misfit> {
        let Traced { structure, misfit, .. } = self.trace()?;
        misfit.map_or(Ok(structure), Err)
    }

    /// Returns the structure with the shape behind each layer, up to the first layer that does not fit what comes in.
    ///
    /// # Errors
    /// Before the data of a user were looked at.
    pub fn trace(&self) -> Result<Traced, Misfit> {
        let facts = self.data.facts(self.net.image_side()).ok_or_else(Misfit::unknown_data)?;
        Ok(Structure::trace(&self.net, facts.shape, facts.classes, &self.train.loss))
    }

    /// Returns true if its training may have other bits than exact sums: fast kernels, and convolutions for them.
    pub fn has_fast_convolutions(&self) -> bool {
        let is_fast = self.device == Device::Cpu && self.train.kernels == Kernels::Fast;
        is_fast && self.structure().is_ok_and(|structure| structure.has_wide_convolution())
    }

    /// Names its network with its size: "18 layers, 4,962 parameters".
    pub fn network_name(&self) -> String {
        let Some(facts) = self.data.facts(self.net.image_side()) else {
            return self.net.label().to_owned();
        };
        let name = self.net.rule().name(facts.shape, facts.classes);
        let count = self.structure().map(|structure| counted(structure.trained_count() as u64, "parameter"));
        count.map_or_else(|_| name.clone(), |count| format!("{name}, {count}"))
    }
}

/// One run of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Directory name, from [`RunSpec::id`].
    pub id: String,
    /// Name of the arm, then the swept values.
    pub arm: String,
    pub arm_index: usize,
    /// Its results are those of a version that did not record all that runs read.
    pub is_earlier: bool,
    pub seed: u64,
    /// Shared by copies of the run.
    pub spec: Arc<RunSpec>,
}

/// An arm after its sweeps are written out.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpandedArm {
    /// Name, then the swept values.
    pub name: String,
    pub index: usize,
    /// With the seed of no run.
    pub spec: RunSpec,
}

/// Writes the sweeps of all arms out, in the order of the document.
///
/// # Errors
/// Paths that match nothing and values that do not fit, with their places.
pub fn expand_arms(experiment: &Experiment) -> Result<Vec<ExpandedArm>, Vec<Problem>> {
    let mut expanded = Vec::new();
    let mut problems = Vec::new();
    for (index, arm) in experiment.arms.iter().enumerate() {
        match expand_arm(experiment, arm, index) {
            Ok(arms) => expanded.extend(arms),
            Err(found) => problems.extend(found),
        }
    }
    problems.dedup();
    if problems.is_empty() {
        return Ok(expanded);
    }
    Problem::locate(&mut problems, experiment);
    Err(problems)
}

/// Returns all runs, in the order of the document: arms, swept values, seeds.
///
/// # Errors
/// As [`expand_arms`].
pub fn runs(experiment: &Experiment) -> Result<Vec<Run>, Vec<Problem>> {
    runs_after(&[], experiment)
}

/// Returns all runs after an edit: those whose settings are the same as `before` keep their identity without computing it.
///
/// # Errors
/// As [`expand_arms`].
pub fn runs_after(before: &[Run], experiment: &Experiment) -> Result<Vec<Run>, Vec<Problem>> {
    let mut runs = Vec::with_capacity(before.len());
    for arm in expand_arms(experiment)? {
        let mut identities = Identities { spec: &arm.spec, text: None };
        let mut own = arm.spec.clone();
        let (mut seen, first) = (BTreeSet::new(), runs.len());
        for &seed in &experiment.seeds {
            if !seen.insert(seed) {
                continue; // an error; its results must not count twice in means
            }
            own.seed = seed;
            own.inputs = known_inputs(&own, &arm.name, seed, &experiment.looks);
            let known = before.get(runs.len()).filter(|run| *run.spec == own && !run.is_earlier);
            let (id, spec) = match known {
                Some(run) => (run.id.clone(), run.spec.clone()),
                None => (identities.of(seed, &own.inputs), Arc::new(own.clone())),
            };
            let is_earlier = experiment.looks.is_done(&id) && is_unrecorded(&own, &arm.name, seed);
            runs.push(Run { id, arm: arm.name.clone(), arm_index: arm.index, is_earlier, seed, spec });
        }
        take_earlier(&mut runs[first..], &experiment.looks);
    }
    Ok(runs)
}

/// Gives the runs of an arm the identities of an earlier version that did not record inputs, if it left results of all of them and
/// there is no later one: they are shown, and say that their inputs were not recorded. Never of some: means over runs of
/// other contents would be of nothing.
fn take_earlier(runs: &mut [Run], looks: &Looks) {
    if !looks.has_done() || runs.iter().any(|run| looks.is_done(&run.id)) {
        return;
    }
    let earlier = |run: &Run| run.spec.earlier_id().filter(|earlier| looks.is_done(earlier));
    if let Some(ids) = runs.iter().map(earlier).collect::<Option<Vec<String>>>() {
        for (run, id) in runs.iter_mut().zip(ids) {
            (run.id, run.is_earlier) = (id, true);
        }
    }
}

/// Identities of runs that differ in their seeds alone: the text of their settings is written once.
struct Identities<'a> {
    spec: &'a RunSpec,
    /// The text before and after the seed.
    text: Option<[String; 2]>,
}

impl Identities<'_> {
    fn of(&mut self, seed: u64, inputs: &Inputs) -> String {
        let default = RunSpec::default().seed;
        let with = |seed: u64| RunSpec { seed, ..self.spec.clone() };
        if seed == default {
            return RunSpec { inputs: inputs.clone(), ..with(seed) }.id(); // defaults are not written
        }
        let text = self.text.get_or_insert_with(|| {
            let mark = default.wrapping_sub(2);
            let text = text(&with(mark));
            // No setting after the seed has numbers.
            let parts = text.rsplit_once(&mark.to_string());
            let (before, after) = parts.expect("a seed that is not the default is written");
            [before.to_owned(), after.to_owned()]
        });
        identity(&format!("{}{seed}{}{}", text[0], text[1], inputs.text()))
    }
}

/// Returns the settings of an arm before sweeps and overrides, and without what is known of the data; those of all arms
/// where none is given. The seed is that of no run.
pub fn settings_of(experiment: &Experiment, arm: Option<&Arm>) -> RunSpec {
    RunSpec {
        data: experiment.data.clone(),
        net: arm.and_then(|arm| arm.net.clone()).unwrap_or_else(|| experiment.net.clone()),
        train: arm.and_then(|arm| arm.train.clone()).unwrap_or_else(|| experiment.train.clone()),
        plan: arm.map(|arm| arm.plan.clone()).unwrap_or_default(),
        seed: 0,
        device: experiment.device.clone(),
        inputs: Inputs::default(),
    }
}

/// Returns the settings of an arm, or those of all arms where none is given, before sweeps. Replacements that do not fit
/// are left out: they are problems of the document.
pub fn planned(experiment: &Experiment, arm: Option<usize>) -> RunSpec {
    let arm = arm.and_then(|arm| experiment.arms.get(arm));
    let mut spec = settings_of(experiment, arm);
    for (path, value) in experiment.set.0.iter().chain(arm.into_iter().flat_map(|arm| &arm.set.0)) {
        let _ = assign(&mut spec, path, value);
    }
    fill(&mut spec, &experiment.looks);
    spec
}

fn expand_arm(experiment: &Experiment, arm: &Arm, index: usize) -> Result<Vec<ExpandedArm>, Vec<Problem>> {
    let mut spec = settings_of(experiment, Some(arm));
    let here = Place::default().key("arms").index(index);
    apply(&mut spec, &experiment.set, &Place::default().key("set"))?;
    apply(&mut spec, &arm.set, &here.key("set"))?;
    if let Some(path) = arm.sweep.0.keys().find(|path| experiment.sweep.0.contains_key(*path)) {
        let message = "the experiment sweeps this setting too; sweep it in one of the two";
        return Err(vec![Problem::error(here.key("sweep").key(path), message)]);
    }
    let mut arms = vec![ExpandedArm { name: arm.name.clone(), index, spec }];
    sweep(&mut arms, &experiment.sweep, &Place::default().key("sweep"))?;
    sweep(&mut arms, &arm.sweep, &here.key("sweep"))?;
    for arm in &mut arms {
        fill(&mut arm.spec, &experiment.looks);
    }
    Ok(arms)
}

fn apply(spec: &mut RunSpec, overrides: &Overrides, place: &Place) -> Result<(), Vec<Problem>> {
    overrides.0.iter().try_for_each(|(path, text)| put(spec, path, text, place))
}

/// Assigns one value, and checks that it is in the range of its setting; `place` is that of the overrides. A seed is
/// refused: it comes from the list of seeds.
fn put(spec: &mut RunSpec, path: &str, text: &str, place: &Place) -> Result<(), Vec<Problem>> {
    let fail = |message: String| Problem::error(place.key(path), message);
    if path == "seed" {
        return Err(vec![fail("seeds are listed in seeds: […], for all arms".to_owned())]);
    }
    assign(spec, path, text).map_err(|error| vec![fail(error.to_string())])?;
    let found = check_ranges(spec);
    if found.is_empty() {
        return Ok(());
    }
    Err(found.into_iter().map(|problem| fail(problem.message)).collect())
}

fn sweep(arms: &mut Vec<ExpandedArm>, overrides: &Overrides, place: &Place) -> Result<(), Vec<Problem>> {
    for (path, list) in &overrides.0 {
        let fail = |message: String| vec![Problem::error(place.key(path), message)];
        let values = Overrides::items(list).map_err(fail)?;
        let mut next = Vec::with_capacity(arms.len() * values.len());
        for arm in arms.iter() {
            for value in &values {
                let mut arm = arm.clone();
                put(&mut arm.spec, path, value, place)?;
                let setting = path.rsplit('.').next().unwrap_or(path);
                arm.name = format!("{}, {setting} {value}", arm.name);
                next.push(arm);
            }
        }
        *arms = next;
    }
    Ok(())
}

pub(crate) fn identity(text: &str) -> String {
    form::number::hexadecimal(&Sha256::digest(text)[..8])
}

/// Writes the settings that the identity of a run is made of, as earlier versions wrote them, defaults left out.
///
/// To leave the kernels out has meant exact training since before there was a default that is faster: results of that time
/// must not pass for those of fast kernels, and stay those of every run whose bits the kernels do not change.
pub(crate) fn text(spec: &RunSpec) -> String {
    let mut own = RunSpec { data: spec.data.without_place(), inputs: Inputs::default(), ..spec.clone() };
    let has_batch_norm = || spec.structure().is_ok_and(|structure| structure.has_batch_norm());
    each_stage(&mut own.plan, &mut |stage| {
        if let Stage::Branch(branch) = stage {
            branch.data = branch.data.as_ref().map(Data::without_place);
        } else if let Stage::Connect(connect) = stage
            && has_batch_norm()
        {
            connect.statistics = connect.statistics.in_identities();
        }
    });
    if spec.has_fast_convolutions() {
        own.train.kernels = Kernels::Exact; // written, since it is no default
        return own.to_ron().replacen(EXACT, WINOGRAD, 1);
    }
    if spec.device == Device::Cpu && spec.train.kernels == Kernels::Burn {
        own.device = Device::Ndarray; // the same computation, and not that of Burn's flex backend in earlier versions
    }
    own.train.kernels = Kernels::Fast; // other devices take Burn's in any case
    own.to_ron()
}

/// The kernels that are no default, and the fast ones as earlier versions wrote them.
const EXACT: &str = "kernels: Exact";
const WINOGRAD: &str = "kernels: Winograd";

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
    /// Gathers the digests of what a run reads, as far as `content` knows them.
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

    /// Returns what they add to the text that a run's identity is made of: nothing where there are none.
    pub(crate) fn text(&self) -> String {
        let Self { sets, files } = self;
        let sets = sets.iter().map(|digest| format!("\nset {digest}"));
        sets.chain(files.iter().map(|(file, digest)| format!("\nfile {digest} {file}"))).collect()
    }

    /// Returns true if nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty() && self.files.is_empty()
    }
}

/// Returns what a run reads, in the order of its plan: its data, those of its branches, and files. Data inside the program
/// are no input.
pub fn inputs_of(spec: &RunSpec, arm: &str, seed: u64) -> Vec<Input> {
    let data = all_data(spec).filter(|data| data.is_in_files()).map(|data| Input::Data(data.clone()));
    let files = files_read(&spec.plan, arm, seed, &Place::default());
    data.chain(files.into_iter().map(|(_, file)| Input::File(file))).collect()
}

/// Returns the inputs that an experiment names anywhere, each once, in the order of the document and without what was found
/// in them.
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
    !branch_data(plan).is_empty() || !files_read(plan, "", 0, &Place::default()).is_empty()
}

/// Writes what is known of the data into the settings of a run.
pub(crate) fn fill(spec: &mut RunSpec, looks: &Looks) {
    change_data(spec, &|data| looks.fill(data));
}

/// Returns the digests of a run's inputs, as far as they are known.
pub(crate) fn known_inputs(spec: &RunSpec, arm: &str, seed: u64, looks: &Looks) -> Inputs {
    if looks.is_empty() {
        return Inputs::default();
    }
    Inputs::gather(spec, arm, seed, |input| looks.of_input(input)?.content.clone())
}

/// Returns the data of a run, then those of its branches.
fn all_data(spec: &RunSpec) -> impl Iterator<Item = &Data> {
    std::iter::once(&spec.data).chain(branch_data(&spec.plan))
}

fn branch_data(plan: &[Stage]) -> Vec<&Data> {
    let plans = plan.iter().filter_map(Stage::nested);
    let data = plans.flat_map(|nested| {
        let own = nested.branch.and_then(|branch| branch.data.as_ref());
        own.into_iter().chain(branch_data(nested.plan))
    });
    data.collect()
}

fn change_data(spec: &mut RunSpec, act: &dyn Fn(&mut Data)) {
    act(&mut spec.data);
    each_stage(&mut spec.plan, &mut |stage| {
        if let Stage::Branch(branch) = stage {
            branch.data.iter_mut().for_each(act);
        }
    });
}

/// Changes the stages of a plan, outer ones first.
fn each_stage(plan: &mut [Stage], act: &mut dyn FnMut(&mut Stage)) {
    for stage in plan {
        act(stage);
        if let Some(nested) = stage.nested_mut() {
            each_stage(nested, act);
        }
    }
}

/// Returns the datasets in files that a run reads, with the digests of their contents; empty where they are not known.
pub fn sets_of(spec: &RunSpec) -> Vec<(&Data, &str)> {
    let (mut all, mut digests) = (Vec::new(), spec.inputs.sets.iter());
    for data in all_data(spec) {
        if data.needs_look() {
            all.push((data, data.found().map_or("", |found| found.content.as_str())));
        } else if data.is_in_files() {
            all.push((data, digests.next().map_or("", String::as_str)));
        }
    }
    all
}

fn reader_of(data: &Data) -> Option<usize> {
    data.found().map(|found| found.reader)
}

/// Returns true if the content of something that a run reads is not known, or only as earlier versions recorded it.
pub(crate) fn is_unrecorded(spec: &RunSpec, arm: &str, seed: u64) -> bool {
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

/// Forgets what is known of inputs.
fn settings(spec: &RunSpec) -> RunSpec {
    let mut own = RunSpec { inputs: Inputs::default(), ..spec.clone() };
    change_data(&mut own, &|data| *data = data.without_place().with_found(None));
    own
}

/// The most runs of one experiment: more are typing errors, and would fill the memory.
pub(crate) const MOST_RUNS: usize = 100_000;

/// Counts the runs of sweeps and seeds, without making them.
pub(crate) fn count_runs(experiment: &Experiment) -> usize {
    let values = |overrides: &Overrides| -> usize {
        let counts = overrides.0.values().map(|list| Overrides::items(list).map_or(1, |items| items.len()));
        counts.fold(1, usize::saturating_mul)
    };
    let arms = experiment.arms.iter().map(|arm| values(&arm.sweep)).fold(0, usize::saturating_add);
    arms.saturating_mul(values(&experiment.sweep)).saturating_mul(experiment.seeds.len())
}
