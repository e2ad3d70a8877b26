//! The test loop: counts over a part of the data, in evaluation mode.

use crate::data::Samples;
use crate::net::{ByClass, Compute, LossFunction, Network, Score};

/// Loss and accuracy of a network over samples, `batch` at a time, and its right answers by class.
pub fn evaluate(
    compute: &dyn Compute,
    network: &Network,
    loss: &LossFunction,
    samples: &Samples,
    batch: usize,
) -> (Score, ByClass) {
    let outputs = network.structure().outputs;
    let size = samples.shape.len();
    let (mut score, mut classes) = (Score::default(), ByClass::new(outputs));
    for (inputs, labels) in samples.values.chunks(batch * size).zip(samples.labels.chunks(batch)) {
        let logits = compute.logits(network, inputs, labels.len());
        let mean = loss.evaluate(&logits, labels).mean;
        score.add(labels.len(), mean, classes.add(&logits, outputs, labels));
    }
    (score, classes)
}
