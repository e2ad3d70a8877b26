//! Where a run stands: networks, positions, and what is remembered of earlier ones.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::net::{Network, OptimizerState};
use crate::optimize::{Moment, Optimizer};

/// Where a training stands in the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Mini-batches so far.
    pub iteration: u64,
    /// Whole epochs so far.
    pub epoch: u64,
    /// Samples of the present epoch so far.
    pub sample: usize,
}

impl Position {
    /// Epochs so far with the fraction of the present one, when an epoch has `samples`.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // far below 2^53
    pub fn epochs(self, samples: usize) -> f64 {
        self.epoch as f64 + self.sample as f64 / samples.max(1) as f64
    }

    /// The position behind a mini-batch that ends at sample `end` of the present epoch.
    #[must_use]
    pub fn after(self, end: usize, samples: usize) -> Self {
        let iteration = self.iteration + 1;
        if end >= samples {
            Self { iteration, epoch: self.epoch + 1, sample: 0 }
        } else {
            Self { iteration, sample: end, ..self }
        }
    }

    /// What schedules ask about a mini-batch from here to `next`.
    #[must_use]
    pub fn moment(self, next: Self, samples: usize) -> Moment {
        Moment { iteration: self.iteration, epoch: self.epochs(samples), next_epoch: next.epochs(samples) }
    }
}

/// A network that is remembered under a name, with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Values and statistics. Its pins are not used by grafts.
    pub network: Network,
    /// Where it stood.
    pub position: Position,
}

/// A network with all that goes with it.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Values and pins.
    pub network: Network,
    /// Where it stands; goes back when it is rewound.
    pub position: Position,
    /// Epochs trained in all; never goes back.
    pub trained: f64,
    /// Which order of data it sees; 0 is the seed's own.
    pub order: u64,
    /// The settings that made the optimizer's state.
    pub optimizer: Optimizer,
    /// What the optimizer remembers.
    pub memory: OptimizerState,
    /// Snapshots and branches by name.
    pub kept: BTreeMap<String, Snapshot>,
}

impl State {
    /// A network at the start of its training.
    #[must_use]
    pub fn new(network: Network, optimizer: Optimizer) -> Self {
        Self {
            network,
            position: Position::default(),
            trained: 0.0,
            order: 0,
            optimizer,
            memory: OptimizerState::default(),
            kept: BTreeMap::new(),
        }
    }

    /// What a name would remember now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { network: self.network.clone(), position: self.position }
    }

    /// Forgets what the optimizer remembers.
    pub fn restart_optimizer(&mut self) {
        self.memory = OptimizerState::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_ends_with_its_last_smaller_batch() {
        let start = Position { iteration: 3, epoch: 0, sample: 9 };
        let next = start.after(10, 10);
        assert_eq!(next, Position { iteration: 4, epoch: 1, sample: 0 });
        assert_eq!(start.epochs(10), 0.9);
        assert_eq!(start.moment(next, 10).next_epoch, 1.0);
    }
}
