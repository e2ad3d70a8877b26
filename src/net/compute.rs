//! The interface between networks and the code that computes with them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use doc::structure::Role;
use intervene::stream::Stream;
use kernels::scratch::Aligned;

use crate::activations::Activations;
use crate::network::Network;

/// Mean and biased variance of one mini-batch at a batch norm.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchStatistics {
    /// Position of the batch norm in the structure's layers.
    pub layer: usize,
    pub mean: Vec<f32>,
    /// Variance of each channel around it, divided by `count`.
    pub variance: Vec<f32>,
    /// Number of values of each channel.
    pub count: usize,
}

/// Gradients of the parameters, in the order of the structure; none for parameters that are not trained. Those of held entries
/// may be anything if the pass [leaves them out](Tap::reads_held_gradients).
pub type Gradients = Vec<Option<Vec<f32>>>;

/// Source of dropout's masks; absent when nothing is dropped.
pub type DropoutStream = Option<Stream>;

/// Result of one forward and backward pass.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainPass {
    pub gradients: Gradients,
    pub statistics: Vec<BatchStatistics>,
}

/// Result of a forward pass in training mode.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingOutput {
    /// Logits, `[count, outputs]` row by row.
    pub logits: Vec<f32>,
    /// Statistics of every batch norm that takes them from the mini-batch.
    pub statistics: Vec<BatchStatistics>,
}

/// Reads the activations after operations of a pass, and may overwrite them; and says what the pass must compute.
pub trait Tap {
    /// Returns true if it wants the activations after operation `op` of the structure.
    fn wants(&self, op: usize) -> bool;

    /// Receives the activations after operation `op`; the next operation reads what it leaves there. An overwritten value
    /// no longer depends on earlier operations, so no gradient flows back through it.
    fn write(&mut self, op: usize, activations: &mut Activations);

    /// Returns true if the pass must add up every product. With faults it must: a huge or infinite value then reaches
    /// exactly what depends on it.
    fn needs_exact_sums(&self) -> bool {
        true
    }

    /// Returns true if the gradients of held entries are read. Otherwise they may be anything, also NaN.
    fn reads_held_gradients(&self) -> bool {
        true
    }
}

/// Reads and writes no activations.
pub struct NoTap {
    /// True if something besides an optimizer's step, which leaves held entries as they are, reads their gradients.
    pub reads_held: bool,
}

impl NoTap {
    /// Creates one for a pass of which all gradients are read.
    pub const fn all() -> Self {
        Self { reads_held: true }
    }
}

impl Tap for NoTap {
    fn wants(&self, _op: usize) -> bool {
        false
    }

    fn write(&mut self, _op: usize, _activations: &mut Activations) {}

    fn needs_exact_sums(&self) -> bool {
        false
    }

    fn reads_held_gradients(&self) -> bool {
        self.reads_held
    }
}

/// Channels that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channels {
    /// From the first to before the last.
    pub range: [usize; 2],
    /// Number of channels that there are; after flattening, each is as many values one after the other.
    pub of: usize,
    /// True if these channels alone come out, in PyTorch's order. Otherwise all do, and others may have any values.
    pub alone: bool,
}

/// Ready weights of a pass, and the channels that it need not compute.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shortcuts<'a> {
    pub prepared: Option<&'a Prepared>,
    /// The channels of what comes out that are asked for; `None`: all. All that follows the convolutions of the operations
    /// takes each channel by itself.
    pub channels: Option<Channels>,
}

/// Computes with networks.
pub trait Compute: Send + Sync {
    /// Computes the logits of `count` samples in evaluation mode (running statistics, no dropout), `[count, outputs]`
    /// row by row.
    ///
    /// `inputs` holds sample after sample, each in the structure's input shape.
    fn logits(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<f32>;

    /// Computes operations `ops` of the structure in evaluation mode, from the activations before the first to those
    /// after the last. Wherever the operations are divided into ranges, the bits are those of a single pass, as in
    /// [`logits`](Self::logits). It returns activations in one layout; it takes [inputs](Activations::from_samples) in
    /// PyTorch's and everything else in its own.
    fn forward(&self, network: &Network, ops: Range<usize>, input: &Activations) -> Activations;

    /// Computes as [`forward`](Self::forward), the same bits on a shorter way where the backend knows one.
    fn forward_with(
        &self,
        network: &Network,
        ops: Range<usize>,
        input: &Activations,
        shortcuts: &Shortcuts,
    ) -> Activations {
        let all = self.forward(network, ops, input);
        match shortcuts.channels {
            Some(Channels { range, of, alone: true }) => all.channels(range, of),
            Some(_) | None => all,
        }
    }

    /// Prepares the weights of a network for many passes over it. `live` has, for the convolution that is operation
    /// `op`, the channels of its input that are not +0.0 in nearly all passes, or nothing where those are most.
    fn prepare(&self, _network: &Network, _live: &dyn Fn(usize) -> Option<Vec<usize>>) -> Prepared {
        Prepared::default()
    }

    /// Returns true if the result of a sample is the same bits whatever other samples are in its batch.
    fn is_independent_of_batch(&self) -> bool {
        false
    }

    /// Returns what a GPU and its driver call themselves; nothing where the processor computes.
    fn hardware(&self) -> Option<&str> {
        None
    }

    /// Passes `count` samples forward in training mode (statistics of the batch, dropout); the same bits as those of
    /// [`train`](Self::train). What can do without going backward does.
    fn training_forward(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
    ) -> TrainingOutput {
        let mut seen = Vec::new();
        let mut gradient = |logits: &[f32]| {
            seen = logits.to_vec();
            vec![0.0; logits.len()]
        };
        let TrainPass { statistics, .. } = self.train(network, inputs, count, dropout, &mut gradient);
        TrainingOutput { logits: seen, statistics }
    }

    /// Makes one pass in training mode (statistics of the batch, dropout). `gradient` receives the logits, `[count,
    /// outputs]`, and returns the gradient of the loss with respect to them, from which the pass goes backward.
    fn train(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
        gradient: &mut dyn FnMut(&[f32]) -> Vec<f32>,
    ) -> TrainPass {
        self.train_tapped(network, inputs, count, dropout, &mut NoTap::all(), gradient)
    }

    /// Makes the same pass with a tap on its activations.
    fn train_tapped(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
        tap: &mut dyn Tap,
        gradient: &mut dyn FnMut(&[f32]) -> Vec<f32>,
    ) -> TrainPass;

    /// Takes back the memory of a pass that is no longer needed.
    fn recycle(&self, _pass: TrainPass) {}
}

/// Weights of a network in the order in which a backend reads them. They count for every network that shares an array with
/// that one; other arrays, such as copies with faults, are not found here.
#[derive(Debug, Default)]
pub struct Prepared {
    weights: BTreeMap<usize, Packed>,
}

/// One weight of a convolution.
#[derive(Debug)]
pub(super) struct Packed {
    /// The array that it was packed from; while it is held here, nothing can write it.
    source: Arc<Vec<f32>>,
    /// The input channels that have rows, ascending; `None`: all.
    pub inputs: Option<Vec<usize>>,
    /// As the kernel packs them.
    pub values: Aligned,
}

impl Prepared {
    /// Adds the weight that is parameter `index` of a network.
    pub(super) fn add(
        &mut self,
        network: &Network,
        index: usize,
        inputs: Option<Vec<usize>>,
        values: Aligned,
    ) {
        let source = network.arrays().0[index].clone();
        self.weights.insert(index, Packed { source, inputs, values });
    }

    /// Returns the parameter `index` of a network, if it is one of the arrays that were packed.
    pub(super) fn get(&self, network: &Network, index: usize) -> Option<&Packed> {
        self.weights.get(&index).filter(|packed| Arc::ptr_eq(&packed.source, &network.arrays().0[index]))
    }
}

/// The mean of the statistics of mini-batches, in which each sample has the same weight.
///
/// Like running statistics, it has the means of the mini-batches and their unbiased variances, each around the mean of its
/// mini-batch. PyTorch has the same with `momentum=None`, except that a smaller mini-batch has the weight of a full one
/// there.
#[derive(Clone, Debug, Default)]
pub struct AverageStatistics {
    /// Of each batch norm, by its layer.
    sums: BTreeMap<usize, Sums>,
}

/// Sums over mini-batches, weighted by their number of values.
#[derive(Clone, Debug, Default)]
struct Sums {
    mean: Vec<f64>,
    variance: Vec<f64>,
    count: f64,
}

impl AverageStatistics {
    /// Adds a mini-batch.
    pub fn add(&mut self, statistics: &[BatchStatistics]) {
        for BatchStatistics { layer, mean, variance, count } in statistics {
            let count = *count as f64;
            let unbiased = count / (count - 1.0).max(1.0);
            let sums = self.sums.entry(*layer).or_default();
            add(&mut sums.mean, mean, count);
            add(&mut sums.variance, variance, count * unbiased);
            sums.count += count;
        }
    }

    /// Writes the means into the running statistics of a network; held entries keep theirs.
    pub fn write(&self, network: &mut Network) {
        for (layer, Sums { mean, variance, count }) in &self.sums {
            for (role, sums) in [(Role::RunningMean, mean), (Role::RunningVariance, variance)] {
                let position = network.structure().position(*layer, role);
                let values: Vec<f32> = sums.iter().map(|sum| (sum / count) as f32).collect();
                network.write(position.expect("a batch norm has running statistics"), &values);
            }
        }
    }
}

fn add(sums: &mut Vec<f64>, values: &[f32], weight: f64) {
    sums.resize(values.len(), 0.0);
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += weight * f64::from(*value);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Initialisation;
    use data::Shape;
    use doc::structure::{LayerKind, Structure};
    use doc::{Loss, Net, Vgg};
    use intervene::{BiasInit, Init};

    /// A network with two channels in its first batch norm, the layer of that, and the positions of its statistics.
    fn network() -> (Network, usize, [usize; 2]) {
        let net = Net::Vgg(Vgg { depth: 11, width: 2, ..Vgg::default() });
        let structure =
            Structure::new(&net, Shape { channels: 1, height: 32, width: 32 }, 10, &Loss::CrossEntropy)
                .unwrap();
        let layer = structure.layers.iter().position(|layer| layer.kind == LayerKind::BatchNorm).unwrap();
        let places =
            [Role::RunningMean, Role::RunningVariance].map(|role| structure.position(layer, role).unwrap());
        let initialisation = Initialisation { weights: Init::KaimingNormal, biases: BiasInit::Usual };
        (Network::new(Arc::new(structure), initialisation, 1, 0), layer, places)
    }

    fn of_batches(layer: usize) -> AverageStatistics {
        let mut average = AverageStatistics::default();
        for (mean, variance, count) in [([1.0, 4.0], [6.0, 0.0], 3), ([5.0, 0.0], [2.0, 4.0], 1)] {
            let (mean, variance) = (mean.to_vec(), variance.to_vec());
            average.add(&[BatchStatistics { layer, mean, variance, count }]);
        }
        average
    }

    #[test]
    fn each_sample_has_the_same_weight_and_variances_are_unbiased() {
        let (mut network, layer, [mean, variance]) = network();
        of_batches(layer).write(&mut network);
        assert_eq!(network.values(mean), [2.0, 3.0]);
        // 6 · 3/2 for three values; one value has no variance, and nothing corrects what it reports.
        assert_eq!(network.values(variance), [(3.0 * 9.0 + 2.0) / 4.0, 1.0]);
    }

    #[test]
    fn held_entries_and_other_batch_norms_keep_theirs() {
        let (mut network, layer, [mean, variance]) = network();
        let before = network.clone();
        network.freeze(mean, &[1], None);
        of_batches(layer).write(&mut network);
        assert_eq!(network.values(mean), [2.0, 0.0]);
        let others = (0..network.len()).filter(|index| ![mean, variance].contains(index));
        others.for_each(|index| assert_eq!(network.values(index), before.values(index)));
    }
}
