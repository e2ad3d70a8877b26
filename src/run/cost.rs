//! The expected size of a run.

use super::program::program;
use super::work::{Work, steps};
use doc::plan::Sizes;
use doc::{Run, Structure, Training};
use optimize::UpdateRule;

/// Expected size of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Trained parameters.
    pub parameters: usize,
    /// Multiply-adds of one sample forward.
    pub multiply_adds: u64,
    /// Mini-batches of all training stages.
    pub iterations: u64,
    /// Trials of all campaigns, as far as they are drawn and not read from a list.
    pub trials: u64,
    /// Bytes of the network, its gradients, the optimizer's state and the activations of a mini-batch, at most.
    pub bytes: u64,
    /// What is trained and evaluated.
    pub work: Work,
}

/// Bytes that training takes at most: values, gradients, the optimizer's state, and what a mini-batch of `count` samples
/// keeps for the way back.
pub(super) fn training_bytes(structure: &Structure, training: &Training, count: usize) -> u64 {
    let parameters = structure.trained_count() as u64 * (2 + training.optimizer.slots().len() as u64);
    structure.activations().saturating_mul(count as u64).saturating_add(parameters).saturating_mul(4)
}

/// The cost of a run, without reading its data.
///
/// # Errors
/// When the size of the data is not known before they are read, or the network does not fit them.
pub fn cost(run: &Run) -> Result<Cost, String> {
    let spec = &run.spec;
    let facts = spec.data.facts(spec.net.image_side()).ok_or("the size of the data is not known yet")?;
    let structure = spec.structure().map_err(|misfit| misfit.to_string())?;
    let steps = steps(&program(&spec.plan), spec, &structure, Sizes::of_facts(&facts));
    let multiply_adds = structure.multiply_adds();
    let parameters = structure.trained_count();
    let trains = steps.iter().filter(|step| step.trains);
    let work = Work::new(spec, &facts, &structure, &steps);
    Ok(Cost {
        parameters,
        multiply_adds,
        iterations: trains.fold(0, |sum, step| step.units.saturating_add(sum)),
        trials: steps.iter().map(|step| step.trials).sum(),
        bytes: training_bytes(&structure, &spec.train, spec.train.batch),
        work,
    })
}
