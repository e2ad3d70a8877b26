//! The task that runs of the same pace share.

use data::{Facts, Shape};
use doc::{Device, Net, RunSpec, Training};

/// One mini-batch of training and one evaluated sample, timed once for all runs that share it.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The network.
    pub net: Net,
    /// Shape of a sample.
    pub shape: Shape,
    /// Number of classes.
    pub classes: usize,
    /// How it trains; settings without effect on a mini-batch have their defaults.
    pub training: Training,
    /// Whether entries are held, which the optimizer's step skips.
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
            record: usual.record,
            ..training.clone()
        };
        *training.optimizer.rate_mut() = 0.0;
        let (net, device) = (spec.net.clone(), spec.device.clone());
        Self { net, shape: facts.shape, classes: facts.classes, training, holds, device }
    }
}
