//! Where a run stands: networks, positions, and what is remembered of earlier ones.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::faults::Faults;
use super::past::Watch;
use crate::doc::intervention::Layers;
use crate::net::{Network, OptimizerState, Score};
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
    pub fn epochs(self, samples: usize) -> f64 {
        self.epoch as f64 + self.sample as f64 / samples.max(1) as f64
    }

    /// The position behind a mini-batch that ends at sample `end` of the present epoch.
    pub fn after(self, end: usize, samples: usize) -> Self {
        let iteration = self.iteration + 1;
        if end >= samples {
            Self { iteration, epoch: self.epoch + 1, sample: 0 }
        } else {
            Self { iteration, sample: end, ..self }
        }
    }

    /// The same position in a training part of `samples`: where the present epoch has no sample left, the next one begins.
    pub fn within(self, samples: usize) -> Self {
        if self.sample < samples { self } else { self.next_epoch() }
    }

    /// The start of the next epoch, or the same position where an epoch starts.
    pub fn next_epoch(self) -> Self {
        if self.sample == 0 { self } else { Self { epoch: self.epoch + 1, sample: 0, ..self } }
    }

    /// What schedules ask about a mini-batch from here to `next`.
    pub fn moment(self, next: Self, samples: usize) -> Moment {
        Moment { iteration: self.iteration, epoch: self.epochs(samples), next_epoch: next.epochs(samples) }
    }
}

/// A network that is remembered under a name, with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Values and statistics. Its pins are not used by grafts.
    pub network: Network,
    /// Where it stood; none for a branch or a member, whose grafts leave the position as it is.
    pub position: Option<Position>,
}

/// A further network of an ensemble; the first one is the present network.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Values and pins.
    pub network: Network,
    /// What its optimizer remembers.
    pub memory: OptimizerState,
    /// Loss and accuracy on training batches since the last evaluation.
    pub score: Score,
}

/// What the training of an ensemble remembers of its shared layers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandOvers {
    /// The first member when the present stretch of a standstill began.
    pub reference: Option<Network>,
    /// Hand-overs that were checked.
    pub checked: u64,
    /// Hand-overs after which a shared layer was not equal bit for bit.
    pub unequal: u64,
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
    /// The network of some steps ago, where it is watched.
    pub watch: Option<Watch>,
    /// Faults through which the network and its members are read.
    pub faults: Faults,
    /// Further members, after an ensemble was trained.
    pub others: Vec<Member>,
    /// Layers that they share.
    pub share: Option<Layers>,
    /// Shared layers of the ensemble.
    pub handovers: HandOvers,
    /// What the networks that train were when the present stage began, the present one first; none between stages, or
    /// where nothing is held.
    pub began_with: Vec<Network>,
}

impl State {
    /// A network at the start of its training.
    pub fn new(network: Network, optimizer: Optimizer) -> Self {
        Self {
            network,
            position: Position::default(),
            trained: 0.0,
            order: 0,
            optimizer,
            memory: OptimizerState::default(),
            kept: BTreeMap::new(),
            watch: None,
            faults: Faults::default(),
            others: Vec::new(),
            share: None,
            handovers: HandOvers::default(),
            began_with: Vec::new(),
        }
    }

    /// The networks of all members, the present one first.
    pub fn members(&self) -> Vec<&Network> {
        std::iter::once(&self.network).chain(self.others.iter().map(|member| &member.network)).collect()
    }

    /// Keeps the network and its position under a name.
    pub fn keep_snapshot(&mut self, name: &str) {
        let snapshot = Snapshot { network: self.network.clone(), position: Some(self.position) };
        self.kept.insert(name.to_owned(), snapshot);
    }

    /// Keeps the first `count` members as they are before a training, where they have held entries to compare afterwards;
    /// a stage that goes on after an interruption has kept them already.
    pub fn begin_training(&mut self, count: usize) {
        let networks: Vec<Network> = self.members().into_iter().take(count).cloned().collect();
        let is_held = |network: &Network| (0..network.len()).any(|index| network.entries(index).is_some());
        if self.began_with.is_empty() && networks.iter().any(is_held) {
            self.began_with = networks;
        }
    }

    /// Lets the optimizers of all members forget what they remember of held entries.
    pub fn forget_held(&mut self) {
        self.memory.forget_held(&self.network);
        for member in &mut self.others {
            member.memory.forget_held(&member.network);
        }
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

    #[test]
    fn a_position_behind_the_last_sample_is_the_start_of_an_epoch() {
        let position = Position { iteration: 3, epoch: 1, sample: 9 };
        assert_eq!(position.within(10), position);
        assert_eq!(position.within(9), Position { iteration: 3, epoch: 2, sample: 0 });
        assert_eq!(Position::default().next_epoch(), Position::default());
    }
}
