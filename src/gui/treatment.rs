//! The arms of a document with their sweeps written out: what has one line in a plot.

use std::collections::BTreeMap;

use doc::{Experiment, Run, label_of};
use form::Overrides;
use results::by_key;

/// An arm with the values of its sweep written out.
#[derive(Clone, Debug, PartialEq)]
pub struct Treatment {
    /// What legends call it.
    pub name: String,
    pub arm: usize,
    /// The index of its style in every view and file.
    pub colour: usize,
    /// The values of the swept settings, in the order of the sweep; empty without a sweep.
    pub values: Vec<String>,
    pub runs: Vec<Run>,
}

/// Returns the treatments of a document; arms without runs are there too.
pub fn treatments(experiment: &Experiment, runs: &[Run]) -> Vec<Treatment> {
    let mut found: Vec<Treatment> = Vec::new();
    let mut of_arm: BTreeMap<usize, Vec<&Run>> = BTreeMap::new();
    for run in runs {
        of_arm.entry(run.arm_index).or_default().push(run);
    }
    for (arm, settings) in experiment.arms.iter().enumerate() {
        let (first, own) = (found.len(), of_arm.remove(&arm).unwrap_or_default());
        let mut named = by_key(own.into_iter().map(|run| (run.arm.as_str(), run.clone())));
        if named.is_empty() {
            named.push((&settings.name, Vec::new()));
        }
        for (name, runs) in named {
            let (name, colour) = (name.to_owned(), found.len());
            found.push(Treatment { name, arm, colour, values: Vec::new(), runs });
        }
        give_values(experiment, arm, &mut found[first..]);
    }
    found
}

/// Returns the paths of the settings that an arm sweeps, with their values, in the order in which the sweep is written out.
fn sweeps(experiment: &Experiment, arm: usize) -> Vec<(String, Vec<String>)> {
    let of_arm = experiment.arms.get(arm).map(|arm| &arm.sweep.0);
    let all = experiment.sweep.0.iter().chain(of_arm.into_iter().flatten());
    all.filter_map(|(path, list)| Some((path.clone(), Overrides::items(list).ok()?))).collect()
}

/// Fills in the values of each treatment of an arm. While the sweep has an error, they are what names say.
fn give_values(experiment: &Experiment, arm: usize, treatments: &mut [Treatment]) {
    let sweeps = sweeps(experiment, arm);
    let count: usize = sweeps.iter().map(|(_, values)| values.len()).product();
    if count == treatments.len() && !sweeps.is_empty() {
        let mut each = count;
        for (_, values) in &sweeps {
            each /= values.len();
            for (index, treatment) in treatments.iter_mut().enumerate() {
                treatment.values.push(values[index / each % values.len()].clone());
            }
        }
    } else if treatments.len() > 1 {
        let name = &experiment.arms[arm].name;
        for treatment in treatments {
            let rest = treatment.name.strip_prefix(name.as_str()).unwrap_or(&treatment.name);
            treatment.values.push(rest.trim_start_matches(", ").to_owned());
        }
    }
}

/// Returns the labels of the settings that an arm sweeps, for [`Treatment::values`].
pub fn swept_labels(experiment: &Experiment, arm: usize) -> Vec<String> {
    let sweeps = sweeps(experiment, arm);
    if sweeps.is_empty() {
        return Vec::new();
    }
    let mut experiment = experiment.clone();
    let label = |(path, _): (String, Vec<String>)| {
        label_of(&mut experiment, Some(arm), &path).map_or(path, |label| label.to_lowercase())
    };
    sweeps.into_iter().map(label).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use doc::{file::parse, runs};

    #[test]
    fn treatments_of_a_sweep_know_their_values() {
        let text = "(sweep: { \"train.optimizer.rate\": [0.1, 0.2] }, seeds: [1, 2], arms: [(name: \"a\", plan: [Test]),
            (name: \"b\", sweep: { \"train.batch\": [8, 16] }, plan: [Test])])";
        let mut experiment = parse(text, Path::new("x.ron")).unwrap();
        let all = runs(&experiment).unwrap();
        let found = treatments(&experiment, &all);
        let of = |arm: usize| -> Vec<String> {
            let of_arm = found.iter().filter(|treatment| treatment.arm == arm);
            of_arm.map(|treatment| treatment.values.join(" ")).collect()
        };
        assert_eq!(of(0), ["0.1", "0.2"]);
        assert_eq!(of(1), ["0.1 8", "0.1 16", "0.2 8", "0.2 16"]);
        assert_eq!(swept_labels(&experiment, 1), ["learning rate", "batch size"]);
        experiment.sweep.0.insert("train.optimizer.rate".to_owned(), "0.1".to_owned());
        let kept = treatments(&experiment, &all);
        assert_eq!(kept[0].values, ["rate 0.1"], "the sweep has a mistake");
    }

    #[test]
    fn runs_are_in_the_treatment_of_their_arm_in_any_order() {
        let text = "(seeds: [1, 2], arms: [(name: \"a\", sweep: { \"train.batch\": [8, 16] }, plan: [Test]), (name: \"none\", plan: []),
            (name: \"a\", sweep: { \"train.batch\": [8, 32] }, plan: [Test])])";
        let experiment = parse(text, Path::new("x.ron")).unwrap();
        let mut all = runs(&experiment).unwrap();
        all.retain(|run| run.arm != "none");
        for _ in 0..all.len() {
            all.rotate_left(3);
            all.swap(0, 5);
            let found = treatments(&experiment, &all);
            let arms: Vec<usize> = found.iter().map(|treatment| treatment.arm).collect();
            assert_eq!(arms, [0, 0, 1, 2, 2]);
            for treatment in &found {
                let own = |run: &&Run| run.arm_index == treatment.arm && run.arm == treatment.name;
                assert!(treatment.runs.iter().eq(all.iter().filter(own)), "{treatment:?}");
            }
        }
    }
}
