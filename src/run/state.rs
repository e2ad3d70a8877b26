//! The state of a run: networks, positions, snapshots, and the progress of a training.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::faults::Faults;
use super::interventions::Watch;
use doc::intervention::Layers;
use net::{Network, OptimizerState, Score, bits};
use optimize::{Moment, Optimizer};

/// A position of a training in the data.
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
    /// Returns the epochs so far with the fraction of the present one, when an epoch has `samples`.
    pub fn epochs(self, samples: usize) -> f64 {
        self.epoch as f64 + self.sample as f64 / samples.max(1) as f64
    }

    /// Returns the position after a mini-batch that ends at sample `end` of the present epoch.
    pub fn after(self, end: usize, samples: usize) -> Self {
        let iteration = self.iteration + 1;
        if end >= samples {
            Self { iteration, epoch: self.epoch + 1, sample: 0 }
        } else {
            Self { iteration, sample: end, ..self }
        }
    }

    /// Returns the same position in a training set of `samples`: where the present epoch has no sample left, the next
    /// one begins.
    pub fn within(self, samples: usize) -> Self {
        if self.sample < samples { self } else { self.next_epoch() }
    }

    /// Returns the start of the next epoch, or the same position where an epoch starts.
    pub fn next_epoch(self) -> Self {
        if self.sample == 0 { self } else { Self { epoch: self.epoch + 1, sample: 0, ..self } }
    }

    /// Returns the moment of a mini-batch from here to `next`, for schedules.
    pub fn moment(self, next: Self, samples: usize) -> Moment {
        Moment { iteration: self.iteration, epoch: self.epochs(samples), next_epoch: next.epochs(samples) }
    }
}

/// The progress of a training stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainProgress {
    pub done: u64,
    pub score: Score,
}

/// A network that is kept under a name, with its position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot<N = Network> {
    /// Values and statistics. Its masks are not used by grafts.
    pub network: N,
    /// Its position; none for a branch or a member, whose grafts leave the position as it is.
    pub position: Option<Position>,
}

/// A further network of an ensemble; the first one is the present network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member<N = Network, V = Vec<f32>> {
    pub network: N,
    pub memory: OptimizerState<V>,
    pub score: Score,
}

/// Counts of checks of the shared layers of an ensemble.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HandOvers<N = Network> {
    /// The first member at the start of the present pause in which the shared layers do not train.
    pub reference: Option<N>,
    pub checked: u64,
    /// Hand-overs after which a shared layer was not equal bit for bit.
    pub unequal: u64,
}

impl<N> Default for HandOvers<N> {
    fn default() -> Self {
        Self { reference: None, checked: 0, unequal: 0 }
    }
}

/// A network with everything that belongs to it.
///
/// The type parameters are its networks, arrays and faults: in memory the real ones, in a checkpoint their form in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State<N = Network, V = Vec<f32>, F = Faults> {
    pub network: N,
    /// Its position in the data; rewinding takes it back.
    pub position: Position,
    /// Epochs trained in total; never decreases.
    #[serde(rename = "trained_bits", with = "bits")]
    pub trained: f64,
    /// Which order of data it sees; 0 is the seed's own.
    pub order: u64,
    pub optimizer: Optimizer,
    pub memory: OptimizerState<V>,
    #[serde(rename = "kept")]
    pub snapshots: BTreeMap<String, Snapshot<N>>,
    pub watch: Option<Watch<N>>,
    #[serde(default)]
    pub faults: F,
    /// Further members, after an ensemble was trained.
    pub others: Vec<Member<N, V>>,
    #[serde(default)]
    pub share: Option<Layers>,
    pub handovers: HandOvers<N>,
    /// The networks in training at the start of the present stage, the present one first; none between stages, or where
    /// nothing is held.
    #[serde(default)]
    pub began_with: Vec<N>,
}

impl State {
    /// Starts the training of a network.
    pub fn new(network: Network, optimizer: Optimizer) -> Self {
        Self {
            network,
            position: Position::default(),
            trained: 0.0,
            order: 0,
            optimizer,
            memory: OptimizerState::default(),
            snapshots: BTreeMap::new(),
            watch: None,
            faults: Faults::default(),
            others: Vec::new(),
            share: None,
            handovers: HandOvers::default(),
            began_with: Vec::new(),
        }
    }

    /// Returns the networks of all members, the present one first.
    pub fn members(&self) -> Vec<&Network> {
        std::iter::once(&self.network).chain(self.others.iter().map(|member| &member.network)).collect()
    }

    /// Remembers the first `count` members as they are before a training, if they have held entries to compare afterwards; a
    /// stage that resumes after an interruption has remembered them already.
    pub fn begin_training(&mut self, count: usize) {
        let networks: Vec<Network> = self.members().into_iter().take(count).cloned().collect();
        let is_held = |network: &Network| (0..network.len()).any(|index| network.entries(index).is_some());
        if self.began_with.is_empty() && networks.iter().any(is_held) {
            self.began_with = networks;
        }
    }

    /// Resets the state of all members' optimizers for held entries.
    pub fn forget_held(&mut self) {
        self.memory.forget_held(&self.network);
        for member in &mut self.others {
            member.memory.forget_held(&member.network);
        }
    }

    /// Resets the state of the optimizer.
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
    fn a_position_after_the_last_sample_is_the_start_of_an_epoch() {
        let position = Position { iteration: 3, epoch: 1, sample: 9 };
        assert_eq!(position.within(10), position);
        assert_eq!(position.within(9), Position { iteration: 3, epoch: 2, sample: 0 });
        assert_eq!(Position::default().next_epoch(), Position::default());
    }
}
