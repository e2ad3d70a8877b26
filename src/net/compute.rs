//! The interface between networks and the code that computes with them.

use std::ops::Range;

use super::activations::Activations;
use super::network::Network;
use super::prepared::Prepared;
use intervene::stream::Stream;

/// Mean and biased variance of one mini-batch at a batch norm.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchStatistics {
    /// Position of the batch norm in the structure's layers.
    pub layer: usize,
    /// Mean of each channel.
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
    /// Gradients of the parameters.
    pub gradients: Gradients,
    /// Statistics of every batch norm.
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
    /// Whether it wants the activations after operation `op` of the structure.
    fn wants(&self, op: usize) -> bool;

    /// Receives the activations after operation `op`; the next operation reads what it leaves there. An overwritten value
    /// no longer depends on earlier operations, so no gradient flows back through it.
    fn write(&mut self, op: usize, activations: &mut Activations);

    /// Whether the pass must add up every product. With faults it must: a huge or infinite value then reaches exactly what
    /// depends on it.
    fn needs_exact_sums(&self) -> bool {
        true
    }

    /// Whether the gradients of held entries are read. Otherwise they may be anything, also NaN.
    fn reads_held_gradients(&self) -> bool {
        true
    }
}

/// Reads and writes no activations.
pub struct NoTap {
    /// Whether something besides an optimizer's step, which leaves held entries as they are, reads their gradients.
    pub reads_held: bool,
}

impl NoTap {
    /// For a pass of which all gradients are read.
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
    /// Whether these channels alone come out, in PyTorch's order. Otherwise all do, and others may have any values.
    pub alone: bool,
}

/// What a pass finds ready, and what it need not compute.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shortcuts<'a> {
    /// Weights of the network.
    pub prepared: Option<&'a Prepared>,
    /// The channels of what comes out that are asked for; `None`: all. All that follows the convolutions of the operations
    /// takes each channel by itself.
    pub channels: Option<Channels>,
}

/// Computes with networks.
pub trait Compute: Send + Sync {
    /// Logits of `count` samples in evaluation mode (running statistics, no dropout), `[count, outputs]` row by row.
    ///
    /// `inputs` holds sample after sample, each in the structure's input shape.
    fn logits(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<f32>;

    /// Operations `ops` of the structure in evaluation mode, from the activations before the first to those after the last.
    /// Wherever the operations are divided into ranges, the bits are those of a single pass, as in
    /// [`logits`](Self::logits). It returns activations in one layout; it takes [inputs](Activations::of_samples) in
    /// PyTorch's and everything else in its own.
    fn forward(&self, network: &Network, ops: Range<usize>, input: &Activations) -> Activations;

    /// As [`forward`](Self::forward), the same bits on a shorter way where the backend knows one.
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

    /// Weights of a network for many passes over it. `live` has, for the convolution that is operation `op`, the channels of
    /// its input that are not +0.0 in nearly all passes, or nothing where those are most.
    fn prepare(&self, _network: &Network, _live: &dyn Fn(usize) -> Option<Vec<usize>>) -> Prepared {
        Prepared::default()
    }

    /// Whether the result of a sample is the same bits whatever other samples are in its batch.
    fn is_independent_of_batch(&self) -> bool {
        false
    }

    /// What computes, where that is not the processor: what a GPU and its driver call themselves.
    fn hardware(&self) -> Option<&str> {
        None
    }

    /// `count` samples forward in training mode (statistics of the batch, dropout); the same bits as those of
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

    /// The logits of [`training_forward`](Self::training_forward).
    fn training_logits(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
    ) -> Vec<f32> {
        self.training_forward(network, inputs, count, dropout).logits
    }

    /// One pass in training mode (statistics of the batch, dropout). `gradient` receives the logits, `[count, outputs]`,
    /// and returns the gradient of the loss with respect to them, from which the pass goes backward.
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

    /// The same pass with a tap on its activations.
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
