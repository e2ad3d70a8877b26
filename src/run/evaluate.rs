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
    let size = samples.shape.len();
    let batches = samples.values.chunks(batch * size).zip(samples.labels.chunks(batch));
    let answers = batches.map(|(inputs, labels)| (compute.logits(network, inputs, labels.len()), labels));
    score(loss, network.structure().outputs, answers)
}

/// Loss and accuracy of logits, `[samples, outputs]` with the labels of each batch, and the right answers by class.
pub fn score<'a>(
    loss: &LossFunction,
    outputs: usize,
    batches: impl Iterator<Item = (impl AsRef<[f32]>, &'a [u32])>,
) -> (Score, ByClass) {
    let (mut score, mut classes) = (Score::default(), ByClass::new(outputs));
    for (logits, labels) in batches {
        let logits = logits.as_ref();
        let mean = loss.evaluate(logits, labels).mean;
        score.add(labels.len(), mean, classes.add(logits, outputs, labels));
    }
    (score, classes)
}
