//! The test loop: counts over a part of the data, in evaluation mode.

use super::error::RunError;
use data::{DataError, Samples};
use net::{Answers, Compute, LossFunction, Network, Score};

/// Loss and accuracy of a network over samples, `batch` at a time, and its right answers by class and by rank.
///
/// After each batch, `goes_on` receives the number of samples so far. Where that returns false, the evaluation ends without a
/// result.
///
/// # Errors
/// A picture that cannot be read, and those of `goes_on`.
pub fn evaluate(
    compute: &dyn Compute,
    network: &Network,
    loss: &LossFunction,
    samples: &Samples,
    batch: usize,
    goes_on: &mut dyn FnMut(u64) -> Result<bool, RunError>,
) -> Result<Option<Tally>, RunError> {
    let mut tally = Tally::new(network.structure().outputs);
    for part in samples.batches(batch) {
        let (inputs, labels) = part?;
        tally.add(loss, &compute.logits(network, &inputs, labels.len()), labels);
        if !goes_on(tally.score.samples as u64)? {
            return Ok(None);
        }
    }
    Ok(Some(tally))
}

/// Logits of all samples in evaluation mode, `[samples, outputs]`.
///
/// # Errors
/// A picture that cannot be read.
pub fn logits(
    compute: &dyn Compute,
    network: &Network,
    samples: &Samples,
    batch: usize,
) -> Result<Vec<f32>, DataError> {
    let mut logits = Vec::new();
    for part in samples.batches(batch) {
        let (inputs, labels) = part?;
        logits.extend(compute.logits(network, &inputs, labels.len()));
    }
    Ok(logits)
}

/// Loss and answers over the samples so far.
pub struct Tally {
    outputs: usize,
    /// Loss and accuracy.
    pub score: Score,
    /// Right answers by class and by rank.
    pub answers: Answers,
}

impl Tally {
    /// Of no samples yet, for a network with this many outputs.
    pub fn new(outputs: usize) -> Self {
        Self { outputs, score: Score::default(), answers: Answers::new(outputs) }
    }

    /// Adds a batch with logits `[samples, outputs]`.
    pub fn add(&mut self, loss: &LossFunction, logits: &[f32], labels: &[u32]) {
        let mean = loss.evaluate(logits, labels).mean;
        self.score.add(labels.len(), mean, self.answers.add(logits, self.outputs, labels));
    }
}
