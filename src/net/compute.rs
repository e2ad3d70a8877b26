//! The seam between networks and what computes with them.

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

/// Computes with networks.
pub trait Compute: Send + Sync {
    /// Logits of `count` samples in evaluation mode (running statistics, no dropout), `[count, outputs]` row by row.
    ///
    /// `inputs` holds the samples one behind the other, each in the structure's input shape.
    fn logits(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<f32>;

    /// Logits of `count` samples in training mode (statistics of the batch, dropout), `[count, outputs]` row by row; the
    /// same bits as those that [`train`](Self::train) hands to its slope. Nothing goes backward and nothing is kept.
    fn training_logits(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
    ) -> Vec<f32>;

    /// One pass in training mode (statistics of the batch, dropout). `slope` receives the logits, `[count, outputs]`,
    /// and returns the gradient of the loss with respect to them; the same pass then goes backward.
    fn train(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
        slope: &mut dyn FnMut(&[f32]) -> Vec<f32>,
    ) -> TrainPass;
}
