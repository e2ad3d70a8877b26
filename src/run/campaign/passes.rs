//! Passes over the images of a campaign before its first trial.

use std::collections::BTreeMap;

use super::golden::{Cache, Golden, NO_RANGE, widen};
use super::hooks::{Hooks, non_linearities};
use super::parallel;
use crate::data::Samples;
use crate::net::{Activations, Compute, Network};

/// Passes over images without protection.
pub struct Pass<'a, 'b> {
    /// What computes.
    pub compute: &'a dyn Compute,
    /// The network as the format reads it.
    pub network: &'b Network,
    /// Rounding.
    pub hooks: &'b Hooks,
    /// Images of a pass.
    pub batch: usize,
}

impl<'a> Pass<'a, '_> {
    /// The network without faults, with these hooks.
    pub fn golden(&self, hooks: &Hooks, samples: &Samples, caches: [&Cache; 2]) -> Golden<'a> {
        Golden::new(self.compute, self.network.clone(), hooks.clone(), samples, self.batch, caches)
    }
}

/// The smallest and largest finite value behind each non-linearity, over the training part.
pub fn seen(plain: &Pass, train: &Samples) -> BTreeMap<usize, [f32; 2]> {
    let structure = plain.network.structure();
    let ops: Vec<usize> = non_linearities(structure).collect();
    let size = train.shape.len();
    let batch = plain.batch.max(64);
    let chunks: Vec<&[f32]> = train.values.chunks(batch * size).collect();
    let ranges = parallel::map(chunks.len(), |number| {
        let mut activations = Activations::of_samples(train.shape, chunks[number].to_vec());
        let mut at = 0;
        let range = |&op: &usize| {
            activations = plain.compute.forward(plain.network, at..op + 1, &activations);
            plain.hooks.round(op, &mut activations.values);
            at = op + 1;
            let mut range = NO_RANGE;
            widen(&mut range, &activations.values);
            range
        };
        ops.iter().map(range).collect::<Vec<_>>()
    });
    let mut all: BTreeMap<usize, [f32; 2]> = ops.iter().map(|&op| (op, NO_RANGE)).collect();
    for part in ranges {
        all.values_mut().zip(part).for_each(|(range, part)| widen(range, &part));
    }
    all
}

/// The first images of a part; all of them when none or more are asked for.
pub fn first(samples: &Samples, images: Option<usize>) -> Samples {
    let count = images.unwrap_or(samples.len()).min(samples.len());
    Samples {
        shape: samples.shape,
        values: samples.values[..count * samples.shape.len()].to_vec(),
        labels: samples.labels[..count].to_vec(),
    }
}

/// Logits of all samples, by the network as it is.
pub fn raw_logits(compute: &dyn Compute, network: &Network, samples: &Samples, batch: usize) -> Vec<f32> {
    let size = samples.shape.len();
    let batches = samples.values.chunks(batch * size);
    batches.flat_map(|inputs| compute.logits(network, inputs, inputs.len() / size)).collect()
}
