//! From an experiment to its runs: one for each arm, each combination of swept values, and each seed.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::arch::Net;
use super::device::Device;
use super::experiment::{Arm, Experiment};
use super::identity::{identity, text};
use super::inputs::{Inputs, earlier, fill, is_unrecorded, known_inputs};
use super::problem::Problem;
use super::stage::Stage;
use super::structure::{Misfit, Structure, Traced};
use super::training::{Kernels, Training};
use data::{Data, Looks};
use form::number::counted;
use form::path::{Place, assign};
use form::{Overrides, check_ranges};

form::form! {
    /// All that a run depends on, nothing else.
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
    /// Identity of the run: 16 hexadecimal digits of the SHA-256 of its settings, defaults and the data's place left out, and of
    /// the digests of what it reads.
    pub fn id(&self) -> String {
        identity(&(text(self) + &self.inputs.text()))
    }

    /// The identity that versions gave it which did not record all inputs; none where that is the same.
    pub fn earlier_id(&self) -> Option<String> {
        earlier(self).map(|earlier| earlier.id())
    }

    /// The structure of the network that the run trains, as far as it follows from the settings.
    ///
    /// # Errors
    /// The first layer that does not fit what comes in.
    pub fn structure(&self) -> Result<Structure, Misfit> {
        let Traced { structure, misfit, .. } = self.trace()?;
        misfit.map_or(Ok(structure), Err)
    }

    /// The same, with the shape behind each layer; up to the first layer that does not fit what comes in.
    ///
    /// # Errors
    /// Before the data of a user were looked at.
    pub fn trace(&self) -> Result<Traced, Misfit> {
        let facts = self.data.facts(self.net.image_side()).ok_or_else(Misfit::of_unknown_data)?;
        Ok(Structure::trace(&self.net, facts.shape, facts.classes, &self.train.loss))
    }

    /// Whether its training may have other bits than exact sums: fast kernels, and convolutions for them.
    pub fn has_fast_convolutions(&self) -> bool {
        let is_fast = self.device == Device::Cpu && self.train.kernels == Kernels::Fast;
        is_fast && self.structure().is_ok_and(|structure| structure.has_wide_convolution())
    }

    /// Its network in a few words, with its size: "18 layers, 4,962 parameters".
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
    /// Position of the arm in the document.
    pub arm_index: usize,
    /// Its results are those of a version that did not record all that runs read.
    pub is_earlier: bool,
    /// The replicate.
    pub seed: u64,
    /// What it does; copies of a run share it.
    pub spec: Arc<RunSpec>,
}

/// An arm after its sweeps are written out.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpandedArm {
    /// Name, then the swept values.
    pub name: String,
    /// Position of the arm in the document.
    pub index: usize,
    /// Its settings; the seed is that of no run yet.
    pub spec: RunSpec,
}

/// All arms with their sweeps written out, in the order of the document.
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

/// All runs, in the order of the document: arms, swept values, seeds.
///
/// # Errors
/// As [`expand_arms`].
pub fn runs(experiment: &Experiment) -> Result<Vec<Run>, Vec<Problem>> {
    runs_after(&[], experiment)
}

/// As [`runs`], after an edit: those whose settings are the same as `before` keep their identity without computing it.
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
    /// What is written before and after the seed.
    text: Option<[String; 2]>,
}

impl Identities<'_> {
    /// As [`RunSpec::id`].
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

/// The settings of an arm before sweeps and overrides, and without what is known of the data; those of all arms where none is given. The seed is that of no run.
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

/// The settings of an arm, or those of all arms where none is given, before sweeps. Replacements that do not fit are left
/// out: they are problems of the document.
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

#[cfg(test)]
mod tests;
