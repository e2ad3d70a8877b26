//! What must hold before anything runs: ranges, names, and that stages find what they refer to.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::arch::{Output, place_of};
use crate::experiment::{Experiment, Loss, NO_STEP};
use crate::plan::{Check, Left};
use crate::problem::Problem;
use crate::spec::{ExpandedArm, MOST_RUNS, Run, RunSpec, count_runs, expand_arms, is_unrecorded};
use crate::stage::{check_plan, count_steps};
use crate::structure::Structure;
use data::{Data, Facts};
use form::number::grouped;
use form::path::Place;
use form::{Overrides, check_ranges};
use optimize::UpdateRule;

/// Returns everything that is wrong with a document, or worth knowing, in the order of the document.
pub fn validate(experiment: &Experiment) -> Vec<Problem> {
    let mut problems = found(experiment);
    Problem::locate(&mut problems, experiment);
    problems
}

fn found(experiment: &Experiment) -> Vec<Problem> {
    let ranges = check_ranges(&mut experiment.clone()).into_iter();
    let mut problems: Vec<Problem> =
        ranges.map(|problem| Problem::error(problem.place, problem.message)).collect();
    names(experiment, &mut problems);
    if !problems.is_empty() {
        return problems;
    }
    let runs = count_runs(experiment);
    if runs > MOST_RUNS {
        let message = format!(
            "seeds and sweeps make {} runs, more than {}; use fewer seeds or values, or split the file",
            grouped(runs as u64),
            grouped(MOST_RUNS as u64)
        );
        let is_swept =
            !experiment.sweep.0.is_empty() || experiment.arms.iter().any(|arm| !arm.sweep.0.is_empty());
        let key = if is_swept { "sweep" } else { "seeds" };
        return vec![Problem::error(Place::default().key(key), message)];
    }
    match expand_arms(experiment) {
        Err(found) => problems.extend(found),
        Ok(arms) => {
            let mut known: Vec<&Data> = Vec::new();
            for arm in &arms {
                if !known.contains(&&arm.spec.data) {
                    known.push(&arm.spec.data);
                    let place = Place::default().key("data");
                    problems.extend(Problem::notes_on_data(&arm.spec.data, &experiment.looks, &place));
                }
                spec(experiment, arm, &mut problems);
            }
        }
    }
    let mut seen = Vec::new();
    problems.retain(|problem| {
        !seen.contains(problem) && {
            seen.push(problem.clone());
            true
        }
    });
    problems
}

/// The most steps of one run: more are typing errors, and would fill the memory.
const MOST_STEPS: u64 = 1_000_000;
/// The most rounds of repetitions that are looked at after their first ones.
const MOST_ROUNDS: usize = 1000;

fn names(experiment: &Experiment, problems: &mut Vec<Problem>) {
    let arms = Place::default().key("arms");
    if experiment.arms.is_empty() {
        let message = "there is no arm; add one with a plan, such as Train and Test";
        problems.push(Problem::error(arms.clone(), message));
    }
    let mut seen = BTreeMap::new();
    for (index, arm) in experiment.arms.iter().enumerate() {
        let place = arms.index(index).key("name");
        if arm.name.trim().is_empty() {
            problems.push(Problem::error(place, "the arm has no name; legends and tables need one"));
        } else if let Some(first) = seen.insert(arm.name.as_str(), index) {
            let message =
                format!("\"{}\" is also the name of arm {}; give each arm its own name", arm.name, first + 1);
            problems.push(Problem::error(place, message));
        }
    }
    let seeds = Place::default().key("seeds");
    if experiment.seeds.is_empty() {
        let message = "there is no seed, so nothing would run; add one or more, such as 1, 2 and 3";
        problems.push(Problem::error(seeds.clone(), message));
    }
    let mut seen = BTreeSet::new();
    for (index, seed) in experiment.seeds.iter().enumerate() {
        if !seen.insert(seed) {
            let message = format!("seed {seed} is listed twice; remove one");
            problems.push(Problem::error(seeds.index(index), message));
        }
    }
}

/// Checks the settings of an arm: its own where it has them, the experiment's otherwise.
fn spec(experiment: &Experiment, arm: &ExpandedArm, problems: &mut Vec<Problem>) {
    let here = Place::default().key("arms").index(arm.index);
    let own = &experiment.arms[arm.index];
    let at = |owned: bool, key: &str| if owned { here.key(key) } else { Place::default().key(key) };
    let (net, train) = (at(own.net.is_some(), "net"), at(own.train.is_some(), "train"));
    let plan = here.key("plan");
    let place_of_data = Place::default().key("data");
    if let Some(problem) = Problem::of_data(&arm.spec.data, &experiment.looks, &place_of_data) {
        return problems.push(problem);
    }
    device(&arm.spec, problems);
    let structure = network(&arm.spec, &net, problems);
    training(&arm.spec, &net, &train, problems);
    let steps = count_steps(&arm.spec.plan);
    if steps > MOST_STEPS {
        let message = format!(
            "the plan has {steps} steps including repetitions, more than {MOST_STEPS}; repeat less often"
        );
        problems.push(Problem::error(plan, message));
        return;
    }
    if arm.spec.plan.is_empty() {
        let message = format!("add a stage to the plan of \"{}\", such as Train", arm.name);
        problems.push(Problem::error(plan.clone(), message));
    }
    let Some(structure) = structure else { return };
    let (spec, looks, structure) = (&arm.spec, &experiment.looks, &structure);
    let samples = spec.data.facts(spec.net.image_side()).map_or(0, |facts| facts.train_samples);
    let (left, rounds) = (Left { samples, ..Left::default() }, MOST_ROUNDS);
    let mut check = Check { arm: &arm.name, spec, looks, structure, rounds, left, problems };
    check_plan(&spec.plan, &mut check, &plan);
}

/// Finds sweeps whose values change no run: two of them make runs with one identity, which would be shown as two results.
/// Says nothing before the inputs of the runs were looked at.
pub fn idle_sweeps(experiment: &Experiment, runs: &[Run]) -> Vec<Problem> {
    let Some(seed) = runs.first().map(|run| run.seed) else { return Vec::new() };
    let mut problems = Vec::new();
    // Of each arm, where runs are among those that it makes, and the next place.
    let mut arms: BTreeMap<usize, (BTreeMap<&str, usize>, usize)> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.seed == seed) {
        let (known, next) = arms.entry(run.arm_index).or_default();
        let at = *next;
        *next += 1;
        if let Some(other) = known.insert(&run.id, at)
            && !is_unrecorded(&run.spec, &run.arm, run.seed)
        {
            let problem = idle_value(experiment, run.arm_index, [other, at]);
            problems.extend(problem.filter(|problem| !problems.contains(problem)));
        }
    }
    problems
}

/// Names two values of a sweep, by the positions of their arms among those that the arm makes.
fn idle_value(experiment: &Experiment, arm: usize, positions: [usize; 2]) -> Option<Problem> {
    let own = Place::default().key("arms").index(arm).key("sweep");
    let of_all = experiment.sweep.0.iter().map(|pair| (pair, Place::default().key("sweep")));
    let swept: Vec<_> =
        of_all.chain(experiment.arms[arm].sweep.0.iter().map(|pair| (pair, own.clone()))).collect();
    let [mut first, mut second] = positions;
    // The last list varies fastest.
    for ((path, list), place) in swept.into_iter().rev() {
        let values = Overrides::items(list).ok()?;
        let [one, other] = [first, second].map(|position| position % values.len());
        if one != other {
            let message = format!(
                "{} and {} give the same runs, since nothing that a run depends on differs between them; remove one of them",
                values[one], values[other]
            );
            return Some(Problem::error(place.key(path), message));
        }
        (first, second) = (first / values.len(), second / values.len());
    }
    None
}

/// Refuses a device that this build does not have, and notes what a GPU does not promise.
fn device(spec: &RunSpec, problems: &mut Vec<Problem>) {
    let place = Place::default().key("device");
    problems.extend(spec.device.refusal().map(|refusal| Problem::error(place.clone(), refusal)));
    problems.extend(spec.device.caution().map(|caution| Problem::note(place, caution)));
}

/// Checks a network; returns its structure, if there is one.
fn network(spec: &RunSpec, place: &Place, problems: &mut Vec<Problem>) -> Option<Structure> {
    let RunSpec { net, data, .. } = spec;
    let place = place.variant(net.key());
    let wrong = net.rule().problems();
    let is_known = wrong.is_empty();
    problems.extend(wrong.into_iter().map(|(key, message)| Problem::error(place.key(key), message)));
    let facts = data.facts(net.image_side())?;
    if let Some((setting, message)) = data.problem() {
        let place = Place::default().key("data").variant(data.key()).key(setting);
        problems.push(Problem::error(place, message));
    }
    if let Some(message) = net.rule().problem_of_input(facts.shape) {
        problems.push(Problem::error(Place::default().key("data").variant(data.key()), message));
        return None;
    }
    if let Some(classes) = net.rule().classes().filter(|classes| *classes < facts.classes) {
        let message = format!(
            "the network knows {classes} classes, and the data have {}; leave out classes, or give it more",
            facts.classes
        );
        problems.push(Problem::error(place.key("classes"), message));
        return None;
    }
    match spec.structure() {
        Ok(structure) => is_known.then_some(structure),
        Err(misfit) if is_known => {
            let problem = match net.rule().written() {
                Some(layers) => Problem::error(place_of(&place, layers, &misfit.path), misfit.message),
                None => Problem::error(place, format!("the network does not fit the data: {misfit}")),
            };
            problems.push(problem);
            None
        }
        Err(_) => None,
    }
}

fn training(spec: &RunSpec, net_place: &Place, place: &Place, problems: &mut Vec<Problem>) {
    let RunSpec { net, data, train, .. } = spec;
    let Some(Facts { classes, shape, .. }) = data.facts(net.image_side()) else { return };
    if train.loss == Loss::BinaryCrossEntropy && classes != 2 {
        let message = format!(
            "binary cross-entropy needs two classes, and the data have {classes}; label them as even or odd, or \
                choose cross-entropy"
        );
        problems.push(Problem::error(place.key("loss"), message));
    }
    if train.loss == Loss::BinaryCrossEntropy && net.rule().output() == Output::Tanh {
        let place = net_place.variant(net.key()).key("output");
        problems.push(Problem::note(place, "with a tanh output, binary cross-entropy takes p = (1 + y) / 2"));
    }
    if !train.augment.is_empty() && !shape.is_image() {
        let message = "these data are not images, so there is nothing to flip or crop; remove augment";
        problems.push(Problem::error(place.key("augment"), message));
    }
    if let Some((setting, message)) = train.optimizer.problem() {
        let place = place.key("optimizer").variant(train.optimizer.key()).key(setting);
        problems.push(Problem::error(place, message));
    }
    if train.optimizer.rate() == 0.0 {
        let place = place.key("optimizer").variant(train.optimizer.key()).key("rate");
        problems.push(Problem::note(place, NO_STEP));
    }
    if train.evaluate.count == 0 {
        let message = "evaluating every 0 steps never ends; write 1ep or 100it";
        problems.push(Problem::error(place.key("evaluate"), message));
    }
}
