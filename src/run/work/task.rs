//! What runs have in common that take as long.

use crate::data::{Facts, Shape};
use crate::doc::{Device, Net, RunSpec, Training};
use crate::optimize::UpdateRule;

/// What can be timed once for all runs that do the same: one mini-batch of training, and one evaluated sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// What learns.
    pub net: Net,
    /// Shape of a sample.
    pub shape: Shape,
    /// Number of classes.
    pub classes: usize,
    /// How it learns; what a mini-batch does not depend on has its default.
    pub training: Training,
    /// Whether entries are held, which the step of the optimizer passes over.
    pub holds: bool,
    /// What computes.
    pub device: Device,
}

impl Task {
    pub(super) fn new(spec: &RunSpec, facts: &Facts, training: &Training, holds: bool) -> Self {
        let usual = Training::default();
        let mut training = Training {
            schedule: usual.schedule,
            warm_up: usual.warm_up,
            evaluate: usual.evaluate,
            non_finite: usual.non_finite,
            ..training.clone()
        };
        *training.optimizer.rate_mut() = 0.0;
        let (net, device) = (spec.net.clone(), spec.device.clone());
        Self { net, shape: facts.shape, classes: facts.classes, training, holds, device }
    }
}
