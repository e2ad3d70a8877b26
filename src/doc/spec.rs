//! From an experiment to its runs: one for each arm, each combination of swept values, and each seed.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::experiment::{Arm, Device, Experiment};
use super::network::Net;
use super::problem::Problem;
use super::stage::Stage;
use super::training::Training;
use crate::data::Data;
use crate::form::path::{Place, assign};
use crate::form::{Overrides, Stored};

crate::form! {
    /// All that a run depends on, nothing else.
    pub struct RunSpec: "Run" {
        data: Data = Data::default(), "Data", "What is learned";
        net: Net = Net::default(), "Network", "What learns";
        train: Training = Training::default(), "Training", "How it learns";
        plan: Vec<Stage> = Vec::new(), "Plan", "What it does";
        seed: u64 = 1, "Seed", "What its random streams are derived from";
        device: Device = Device::Flex, "Device", "What computes";
    }
}

impl RunSpec {
    /// Identity of the run: 16 hexadecimal digits of the SHA-256 of its settings, defaults and the data's place left out.
    #[must_use]
    pub fn id(&self) -> String {
        let spec = Self { data: self.data.without_place(), ..self.clone() };
        let digest = Sha256::digest(spec.to_ron());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// One run of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Directory name, from [`RunSpec::id`].
    pub id: String,
    /// Name of the arm, with the swept values behind it.
    pub arm: String,
    /// Position of the arm in the document.
    pub arm_index: usize,
    /// The replicate.
    pub seed: u64,
    /// What it does.
    pub spec: RunSpec,
}

/// An arm after its sweeps are written out.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpandedArm {
    /// Name, with the swept values behind it.
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
    if problems.is_empty() { Ok(expanded) } else { Err(problems) }
}

/// All runs, in the order of the document: arms, swept values, seeds.
///
/// # Errors
/// As [`expand_arms`].
pub fn runs(experiment: &Experiment) -> Result<Vec<Run>, Vec<Problem>> {
    let mut runs = Vec::new();
    for arm in expand_arms(experiment)? {
        for &seed in &experiment.seeds {
            let spec = RunSpec { seed, ..arm.spec.clone() };
            runs.push(Run { id: spec.id(), arm: arm.name.clone(), arm_index: arm.index, seed, spec });
        }
    }
    Ok(runs)
}

fn expand_arm(experiment: &Experiment, arm: &Arm, index: usize) -> Result<Vec<ExpandedArm>, Vec<Problem>> {
    let mut spec = RunSpec {
        data: experiment.data.clone(),
        net: arm.net.clone().unwrap_or_else(|| experiment.net.clone()),
        train: arm.train.clone().unwrap_or_else(|| experiment.train.clone()),
        plan: arm.plan.clone(),
        seed: 0,
        device: experiment.device.clone(),
    };
    let here = Place::default().key("arms").index(index);
    apply(&mut spec, &experiment.set, &Place::default().key("set"))?;
    apply(&mut spec, &arm.set, &here.key("set"))?;
    let mut arms = vec![ExpandedArm { name: arm.name.clone(), index, spec }];
    sweep(&mut arms, &experiment.sweep, &Place::default().key("sweep"))?;
    sweep(&mut arms, &arm.sweep, &here.key("sweep"))?;
    Ok(arms)
}

fn apply(spec: &mut RunSpec, overrides: &Overrides, place: &Place) -> Result<(), Vec<Problem>> {
    for (path, text) in &overrides.0 {
        assign(spec, path, text).map_err(|error| vec![Problem::error(place.key(path), error.to_string())])?;
    }
    Ok(())
}

fn sweep(arms: &mut Vec<ExpandedArm>, overrides: &Overrides, place: &Place) -> Result<(), Vec<Problem>> {
    for (path, list) in &overrides.0 {
        let fail = |message: String| vec![Problem::error(place.key(path), message)];
        let values = Overrides::items(list).map_err(&fail)?;
        let mut next = Vec::with_capacity(arms.len() * values.len());
        for arm in arms.iter() {
            for value in &values {
                let mut arm = arm.clone();
                assign(&mut arm.spec, path, value).map_err(|error| fail(error.to_string()))?;
                let setting = path.rsplit('.').next().unwrap_or(path);
                arm.name = format!("{}, {setting} {value}", arm.name);
                next.push(arm);
            }
        }
        *arms = next;
    }
    Ok(())
}

/// Groups runs by identity: equal arms share a run.
#[must_use]
pub fn by_id(runs: &[Run]) -> BTreeMap<&str, Vec<&Run>> {
    let mut groups: BTreeMap<&str, Vec<&Run>> = BTreeMap::new();
    for run in runs {
        groups.entry(&run.id).or_default().push(run);
    }
    groups
}
