//! The test loop: counts over a part of the data, in evaluation mode.

use crate::data::Samples;
use crate::net::{Compute, Criterion, Network, Score, correct};

/// Loss and accuracy of a network over samples, `batch` at a time.
pub fn evaluate(
    compute: &dyn Compute,
    network: &Network,
    criterion: &Criterion,
    samples: &Samples,
    batch: usize,
) -> Score {
    let outputs = network.structure().outputs;
    let size = samples.shape.len();
    let mut score = Score::default();
    for (inputs, labels) in samples.values.chunks(batch * size).zip(samples.labels.chunks(batch)) {
        let logits = compute.logits(network, inputs, labels.len());
        let loss = criterion.evaluate(&logits, labels).mean;
        score.add(labels.len(), loss, correct(&logits, outputs, labels));
    }
    score
}
