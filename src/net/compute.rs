//! The seam between networks and what computes with them.

use std::ops::Range;

use super::activations::Activations;
use super::network::Network;
use crate::intervene::stream::Stream;

/// Mean and biased variance of one mini-batch, as a batch norm saw them.
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

/// Gradients of the parameters, in the order of the structure; none for what is not trained.
pub type Gradients = Vec<Option<Vec<f32>>>;

/// Where dropout's masks come from; absent when nothing is dropped.
pub type DropoutStream = Option<Stream>;

/// What one pass forward and backward yields.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainPass {
    /// Gradients of the parameters.
    pub gradients: Gradients,
    /// Statistics of every batch norm.
    pub statistics: Vec<BatchStatistics>,
}

/// Looks at what flows behind operations of a pass, and may write into it.
pub trait Tap {
    /// Whether it wants to see what flows behind operation `op` of the structure.
    fn wants(&self, op: usize) -> bool;

    /// Sees what flows behind operation `op`. What it writes is what the next operation receives; a value that it writes
    /// no longer depends on what was there, so that no gradient goes back through it.
    fn write(&mut self, op: usize, activations: &mut Activations);
}

/// Looks at nothing.
pub struct NoTap;

impl Tap for NoTap {
    fn wants(&self, _op: usize) -> bool {
        false
    }

    fn write(&mut self, _op: usize, _flow: &mut Activations) {}
}

/// Computes with networks.
pub trait Compute: Send + Sync {
    /// Logits of `count` samples in evaluation mode (running statistics, no dropout), `[count, outputs]` row by row.
    ///
    /// `inputs` holds the samples one behind the other, each in the structure's input shape.
    fn logits(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<f32>;

    /// Operations `ops` of the structure in evaluation mode: from what flows in front of the first to what flows behind
    /// the last. Operations that are cut into ranges anywhere give the bits of all of them at once, which are those of
    /// [`logits`](Self::logits). Flows that it returns have one layout; it takes [inputs](Flow::of_samples) in PyTorch's
    /// and everything else in its own.
    fn forward(&self, network: &Network, ops: Range<usize>, input: &Activations) -> Activations;

    /// Whether the bits of a sample do not depend on the samples that it is computed with, nor on how many they are.
    fn is_independent_of_batch(&self) -> bool {
        false
    }

    /// Logits of `count` samples in training mode (statistics of the batch, dropout), `[count, outputs]` row by row; the
    /// same bits as those that [`train`](Self::train) hands to its gradient. What can do without going backward does.
    fn training_logits(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
    ) -> Vec<f32> {
        let mut seen = Vec::new();
        let mut gradient = |logits: &[f32]| {
            seen = logits.to_vec();
            vec![0.0; logits.len()]
        };
        self.train(network, inputs, count, dropout, &mut gradient);
        seen
    }

    /// One pass in training mode (statistics of the batch, dropout). `gradient` receives the logits, `[count, outputs]`,
    /// and returns the gradient of the loss with respect to them; the same pass then goes backward.
    fn train(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
        gradient: &mut dyn FnMut(&[f32]) -> Vec<f32>,
    ) -> TrainPass {
        self.train_tapped(network, inputs, count, dropout, &mut NoTap, gradient)
    }

    /// The same pass with somebody who writes into what flows.
    fn train_tapped(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
        tap: &mut dyn Tap,
        gradient: &mut dyn FnMut(&[f32]) -> Vec<f32>,
    ) -> TrainPass;

    /// Takes back the memory of a pass that nobody needs any more.
    fn recycle(&self, _pass: TrainPass) {}
}
