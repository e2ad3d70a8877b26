//! What a run will take, known before it starts.

use super::campaign::planned;
use super::program::{Op, Step, program};
use super::train::{batches_per_epoch, settings};
use crate::data::Dataset;
use crate::doc::fault::Campaign;
use crate::doc::{Run, RunSpec, Structure};
use crate::optimize::Rule;

/// Expected size of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Trained parameters.
    pub parameters: usize,
    /// Multiply-adds of one sample forward.
    pub multiply_adds: u64,
    /// Mini-batches of all training stages.
    pub iterations: u64,
    /// Trials of all campaigns, as far as they are drawn and not read from a list.
    pub trials: u64,
    /// Multiply-adds of the whole training, forward and backward (three times forward).
    pub training_multiply_adds: u64,
    /// Bytes of the network, its gradients and what the optimizer remembers.
    pub bytes: u64,
}

/// The cost of a run, without reading its data.
///
/// # Errors
/// When the size of the data is not known before they are read.
pub fn cost(run: &Run) -> Result<Cost, String> {
    let spec = &run.spec;
    let facts = spec.data.facts(spec.net.image_side());
    let structure = Structure::new(&spec.net, facts.shape, facts.classes, &spec.train.loss);
    let program = program(&spec.plan);
    let sizes = training_sizes(&program, spec, facts.train_samples);
    let mut iterations = 0;
    let mut seen = 0;
    for (step, samples) in program.iter().zip(sizes) {
        let (batches, passes, batch) = training(&step.op, spec, samples);
        iterations = batches.saturating_add(iterations);
        seen = batches.saturating_mul(passes).saturating_mul(batch as u64).saturating_add(seen);
    }
    let trials = program.iter().map(|step| match &step.op {
        Op::Campaign(campaign) => planned(campaign, &structure).iter().map(|cell| cell.trials).sum(),
        _ => 0,
    });
    let multiply_adds = structure.multiply_adds();
    let parameters = structure.trained_count();
    let slots = spec.train.optimizer.slots().len() as u64;
    Ok(Cost {
        parameters,
        multiply_adds,
        iterations,
        trials: trials.sum(),
        training_multiply_adds: seen.saturating_mul(3 * multiply_adds),
        bytes: 4 * parameters as u64 * (2 + slots),
    })
}

/// Mini-batches of a step, passes for each of them, and samples of one; nothing where it does not train.
fn training(op: &Op, spec: &RunSpec, samples: usize) -> (u64, u64, usize) {
    match op {
        Op::Train(train) => {
            let batch = settings(train, &spec.train).batch;
            (train.steps.to_iterations(batches_per_epoch(samples, batch)), 1, batch)
        }
        Op::Ensemble(ensemble) => {
            let batch = spec.train.batch;
            let batches = ensemble.steps.to_iterations(batches_per_epoch(samples, batch));
            (batches, (ensemble.members * ensemble.local_steps) as u64, batch)
        }
        _ => (0, 0, 0),
    }
}

/// Size of the training part that each step sees: branches may have data of their own.
fn training_sizes(program: &[Step], spec: &RunSpec, samples: usize) -> Vec<usize> {
    let mut stack = vec![samples];
    let size = |step: &Step| {
        let present = stack.last().copied().unwrap_or(samples);
        match &step.op {
            Op::Enter(branch) => {
                let own = branch.data.as_ref().map(|data| data.facts(spec.net.image_side()).train_samples);
                stack.push(own.unwrap_or(present));
            }
            Op::Leave(_) => drop(stack.pop()),
            _ => {}
        }
        present
    };
    program.iter().map(size).collect()
}

/// The expected work of every step, for progress.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkPlan {
    /// Work before each step, and in all at the end; in passes over a mini-batch.
    before: Vec<f64>,
    /// Passes of each step for one unit of its progress.
    unit: Vec<f64>,
}

/// The work of a program: mini-batches of training, and an evaluation as a few of them.
#[allow(clippy::cast_precision_loss)] // far below 2^53
pub fn work_plan(program: &[Step], spec: &RunSpec, data: &Dataset) -> WorkPlan {
    let sizes = training_sizes(program, spec, data.train.len());
    let test = data.test.len() as f64 / spec.train.batch.max(1) as f64 / 3.0;
    let evaluated = test + data.validation.len() as f64 / spec.train.batch.max(1) as f64 / 3.0;
    let mut before = vec![0.0];
    let mut unit = Vec::new();
    let mut total = 0.0;
    for (step, samples) in program.iter().zip(sizes) {
        let (count, passes) = match &step.op {
            Op::Test => (1.0, evaluated),
            Op::Connect(line) => (line.points as f64, test),
            Op::Campaign(campaign) => trials(campaign, spec, data),
            op @ (Op::Train(_) | Op::Ensemble(_)) => {
                let (batches, passes, _) = training(op, spec, samples);
                (batches as f64, passes as f64)
            }
            _ => (1.0, 0.1),
        };
        total += count * passes;
        unit.push(passes);
        before.push(total);
    }
    WorkPlan { before, unit }
}

/// Trials of a campaign, and what one takes: half of a pass over its images, since it begins at its fault.
fn trials(campaign: &Campaign, spec: &RunSpec, data: &Dataset) -> (f64, f64) {
    let structure = Structure::new(&spec.net, data.shape(), data.classes, &spec.train.loss);
    let trials: u64 = planned(campaign, &structure).iter().map(|cell| cell.trials).sum();
    let images = campaign.images.unwrap_or(data.test.len()).min(data.test.len());
    (trials.max(1) as f64, images as f64 / spec.train.batch.max(1) as f64 / 6.0)
}

impl WorkPlan {
    /// Share of the work that is done, `done` mini-batches or networks of a line into step `next`.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn share(&self, next: usize, done: u64) -> f64 {
        let total = self.before.last().copied().unwrap_or_default().max(f64::MIN_POSITIVE);
        let before = self.before.get(next).copied().unwrap_or(total);
        let unit = self.unit.get(next).copied().unwrap_or(1.0);
        let end = self.before.get(next + 1).copied().unwrap_or(total);
        ((before + done as f64 * unit).min(end) / total).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_grow_with_steps_and_stay_within_them() {
        let plan = WorkPlan { before: vec![0.0, 10.0, 20.0], unit: vec![1.0, 1.0] };
        assert_eq!(
            (plan.share(0, 5), plan.share(1, 0), plan.share(1, 99), plan.share(2, 0)),
            (0.25, 0.5, 1.0, 1.0)
        );
    }
}
