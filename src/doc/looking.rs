//! The user's data that an experiment names, and what is known of them.

use super::Experiment;
use super::known_data::each_branch_data;
use super::run_count::{MOST_RUNS, count_runs};
use super::spec::expand_arms;
use crate::data::Data;
use crate::form::Overrides;

/// The user's data that an experiment names anywhere, in the order of the document and without what was found in them.
pub fn data_to_look_at(experiment: &Experiment) -> Vec<Data> {
    let mut found: Vec<Data> = Vec::new();
    let mut note = |data: &Data| {
        let data = if data.needs_look() { data.with_found(None) } else { return };
        if !found.contains(&data) {
            found.push(data);
        }
    };
    note(&experiment.data);
    for arm in &experiment.arms {
        each_branch_data(&mut arm.plan.clone(), &mut |data| note(data));
    }
    let names_data = |overrides: &Overrides| {
        overrides
            .0
            .iter()
            .any(|(path, value)| path.contains("data") || path.contains('*') || value.contains("data"))
    };
    let all = [&experiment.set, &experiment.sweep].into_iter();
    let mut all = all.chain(experiment.arms.iter().flat_map(|arm| [&arm.set, &arm.sweep]));
    if all.any(names_data) && count_runs(experiment) <= MOST_RUNS {
        for mut arm in expand_arms(experiment).unwrap_or_default() {
            note(&arm.spec.data);
            each_branch_data(&mut arm.spec.plan, &mut |data| note(data));
        }
    }
    found
}
