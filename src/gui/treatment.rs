//! Arms as plots and tables show them: one for each value of a sweep.

use crate::doc::{Experiment, Run};

/// An arm with the values of its sweep written out: what has one line in a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Treatment {
    /// What legends call it.
    pub name: String,
    /// Position of its arm in the document.
    pub arm: usize,
    /// The index of its style in every view and file.
    pub colour: usize,
    /// Its runs.
    pub runs: Vec<Run>,
}

/// The treatments of a document; arms without runs are there too.
pub fn treatments(experiment: &Experiment, runs: &[Run]) -> Vec<Treatment> {
    let mut found: Vec<Treatment> = Vec::new();
    for (arm, settings) in experiment.arms.iter().enumerate() {
        let first = found.len();
        for run in runs.iter().filter(|run| run.arm_index == arm) {
            let known = found[first..].iter_mut().find(|treatment| treatment.name == run.arm);
            if let Some(treatment) = known {
                treatment.runs.push(run.clone());
            } else {
                let (name, colour) = (run.arm.clone(), found.len());
                found.push(Treatment { name, arm, colour, runs: vec![run.clone()] });
            }
        }
        if found.len() == first {
            found.push(Treatment { name: settings.name.clone(), arm, colour: first, runs: Vec::new() });
        }
    }
    found
}
