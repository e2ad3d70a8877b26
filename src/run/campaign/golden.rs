//! The network without faults on the images of a campaign, and what is kept of it so that a trial can begin at its fault.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::injection_hooks::InjectionHooks;
use data::{DataError, Samples};
use doc::structure::{LayerKind, Op, Parameter, Structure};
use net::{Activations, Channels, Compute, Network, Prepared, Shortcuts};

/// Which of the positions between operations are kept, and what that takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Positions at which trials begin or are compared: in front of these operations.
    points: BTreeSet<usize>,
    /// Bytes that keeping them takes.
    pub bytes: u64,
    /// Whether weights are kept as what computes reads them, too.
    has_weights: bool,
}

impl Cache {
    /// What a campaign with faults in these layers (or in the activations after these operations) needs for so many images.
    pub fn new(structure: &Structure, layers: &[usize], activations: &[usize], images: usize) -> Self {
        let mut points: BTreeSet<usize> = activations.iter().map(|op| op + 1).collect();
        for &layer in layers {
            let at = op_of(structure, layer);
            points.insert(at);
            points.insert(next_unit(structure, at));
        }
        points.remove(&0);
        points.remove(&structure.ops.len());
        let alive = structure.alive();
        let of_image = |point: &usize| alive[*point].iter().map(|shape| shape.len()).sum::<usize>();
        let values: usize = points.iter().map(of_image).sum();
        Self { points, bytes: 4 * (values * images) as u64, has_weights: false }
    }

    /// The same, with weights or without.
    pub fn with_weights(mut self, has_weights: bool) -> Self {
        self.has_weights = has_weights;
        self
    }

    /// Keeps nothing but the images.
    pub const fn nothing() -> Self {
        Self { points: BTreeSet::new(), bytes: 0, has_weights: false }
    }
}

/// Where a trial with faults in a layer begins: in front of its operation, and of the fork before it.
pub fn op_of(structure: &Structure, layer: usize) -> usize {
    let at = structure.ops.iter().position(|op| *op == Op::Layer(layer));
    structure.cut_before(at.expect("every layer is an operation"))
}

/// Where the next convolution or linear layer begins after the one that begins at a position, or the end.
pub fn next_unit(structure: &Structure, begin: usize) -> usize {
    let is_layer = |op: &usize| matches!(structure.ops[*op], Op::Layer(_));
    let end = structure.ops.len();
    let layer = (begin..end).find(is_layer).unwrap_or(end);
    let next = (layer + 1..end).find(|&op| structure.is_unit(&structure.ops[op]));
    next.map_or(end, |next| structure.cut_before(next))
}

/// Some of the images, and their activations without faults.
#[derive(Clone, Debug, PartialEq)]
pub struct GoldenBatch {
    /// Number of the first image.
    pub first: usize,
    /// The images.
    input: Activations,
    /// Activations in front of operations: rounded, not yet protected.
    kept: BTreeMap<usize, Activations>,
    /// `[count, outputs]`.
    pub logits: Vec<f32>,
}

impl GoldenBatch {
    /// Number of images.
    pub const fn count(&self) -> usize {
        self.input.count
    }

    /// The last position up to `op` that is kept, and the activations there.
    pub fn before(&self, op: usize) -> (usize, &Activations) {
        self.kept.range(..=op).next_back().map_or((0, &self.input), |(at, activations)| (*at, activations))
    }

    /// The activations in front of an operation, where they are kept.
    pub fn at(&self, op: usize) -> Option<&Activations> {
        self.kept.get(&op)
    }

    /// The next position after one at which trials are compared again, outside of residual blocks.
    pub fn next_cut(&self, at: usize) -> Option<usize> {
        let is_compared =
            |activations: &Activations| activations.stack.is_empty() && activations.shape.len() <= SHORT;
        self.kept.range(at + 1..).find(|(_, activations)| is_compared(activations)).map(|(at, _)| *at)
    }
}

/// Activations up to this length are compared again on the way to the end; longer ones would often be written for that alone.
const SHORT: usize = 16 * 1024;

/// Bytes that the weights of convolutions take once more when they are [prepared](Compute::prepare): for whole vectors of
/// sixteen outputs.
pub fn prepared_bytes(structure: &Structure) -> u64 {
    let layers = structure.layers.iter().enumerate();
    let convolutions = layers.filter(|(_, layer)| matches!(layer.kind, LayerKind::Convolution(_)));
    let weights = convolutions.filter_map(|(position, _)| structure.weight(position));
    let bytes = |weight: &Parameter| {
        let outputs = weight.shape[0].max(1);
        4 * (weight.len() / outputs * outputs.next_multiple_of(16)) as u64
    };
    weights.map(bytes).sum()
}

/// A network without faults, and its passes over the images of a campaign.
pub struct Golden<'a> {
    /// What computes.
    pub compute: &'a dyn Compute,
    /// Its values as the format reads them.
    pub network: Network,
    /// Rounding and protection.
    pub hooks: InjectionHooks,
    /// Its images.
    pub batches: Vec<GoldenBatch>,
    /// Smallest and largest finite value at every position of the cache.
    pub ranges: BTreeMap<usize, [f32; 2]>,
    /// Its weights as what computes reads them; trials share all but those of the faulty layer.
    prepared: Prepared,
}

impl<'a> Golden<'a> {
    /// Passes over the first `images` samples, `batch` at a time; keeps what `keep` names, and measures the ranges of what
    /// `measure` names.
    ///
    /// # Errors
    /// A picture that cannot be read.
    pub fn new(
        compute: &'a dyn Compute,
        network: Network,
        hooks: InjectionHooks,
        samples: &Samples,
        batch: usize,
        [measure, keep]: [&Cache; 2],
    ) -> Result<Self, DataError> {
        let (ranges, prepared) = (BTreeMap::new(), Prepared::default());
        let mut golden = Self { compute, network, hooks, batches: Vec::new(), ranges, prepared };
        for (number, part) in samples.batches(batch).enumerate() {
            let input = Activations::of_samples(samples.shape, part?.0.into_owned());
            let batch = golden.pass(number * batch, input, [measure, keep]);
            golden.batches.push(batch);
        }
        if keep.has_weights {
            golden.prepared = compute.prepare(&golden.network, &|op| golden.live_channels(op));
        }
        Ok(golden)
    }

    fn pass(&mut self, first: usize, input: Activations, [measure, keep]: [&Cache; 2]) -> GoldenBatch {
        let mut kept = BTreeMap::new();
        let (mut at, mut activations) = (0, Cow::Borrowed(&input));
        for &point in &measure.points {
            let next = self.advance(&self.network, at..point, &activations);
            widen(self.ranges.entry(point).or_insert(NO_RANGE), &next.values);
            if keep.points.contains(&point) {
                kept.insert(point, next.clone());
            }
            (at, activations) = (point, Cow::Owned(next));
        }
        let logits = self.advance(&self.network, at..self.end(), &activations).values;
        drop(activations);
        GoldenBatch { first, input, kept, logits }
    }

    /// The channels in front of an operation that are not +0.0 for all images, if at least an eighth of them is.
    fn live_channels(&self, op: usize) -> Option<Vec<usize>> {
        let cut = self.network.structure().cut_before(op);
        if cut > 0 && self.hooks.guards.contains_key(&(cut - 1)) {
            return None; // the protection may change any of them
        }
        let mut all = BTreeSet::new();
        for batch in &self.batches {
            all.extend(batch.at(cut)?.live_channels()?);
        }
        let channels = self.network.structure().shapes()[cut].channels;
        (all.len() + channels / 8 <= channels).then(|| all.into_iter().collect())
    }

    /// Number of operations.
    pub fn end(&self) -> usize {
        self.network.structure().ops.len()
    }

    /// Logits of all images, `[images, outputs]`.
    pub fn logits(&self) -> Vec<f32> {
        self.batches.iter().flat_map(|batch| &batch.logits).copied().collect()
    }

    /// Logits of all images, from new passes.
    pub fn logits_again(&self) -> Vec<f32> {
        let again = |batch: &GoldenBatch| self.advance(&self.network, 0..self.end(), &batch.input).values;
        self.batches.iter().flat_map(again).collect()
    }

    /// Operations `range` of a network, with rounding and protection between them. What comes in is protected here, and
    /// what goes out is not yet, so that a fault between two ranges comes before the protection.
    pub fn advance(&self, network: &Network, range: Range<usize>, input: &Activations) -> Activations {
        self.advance_channels(network, range, input, None)
    }

    /// The same, of which only some channels are asked for; they alone come out, as in [`Activations::channels`].
    pub fn advance_channels(
        &self,
        network: &Network,
        range: Range<usize>,
        input: &Activations,
        asked: Option<Channels>,
    ) -> Activations {
        let forward = |ops: Range<usize>, input: &Activations| {
            let alone = ops.end == range.end;
            let channels = asked.map(|asked| Channels { alone, ..asked });
            let shortcuts = Shortcuts { prepared: Some(&self.prepared), channels };
            self.compute.forward_with(network, ops, input, &shortcuts)
        };
        if range.is_empty() {
            return input.clone();
        }
        let mut activations = Cow::Borrowed(input);
        if range.start > 0 && self.hooks.guards.contains_key(&(range.start - 1)) {
            self.hooks.protect(range.start - 1, &mut activations.to_mut().values);
        }
        let mut at = range.start;
        for op in self.hooks.of(range.clone()) {
            let mut next = forward(at..op + 1, &activations);
            self.hooks.round(op, &mut next.values);
            at = op + 1;
            if at == range.end {
                return next;
            }
            self.hooks.protect(op, &mut next.values);
            activations = Cow::Owned(next);
        }
        forward(at..range.end, &activations)
    }
}

/// The range of no values.
pub const NO_RANGE: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];

/// Makes a range as wide as these values, those that are not finite left out.
pub fn widen([low, high]: &mut [f32; 2], values: &[f32]) {
    for &value in values.iter().filter(|value| value.is_finite()) {
        *low = low.min(value);
        *high = high.max(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use data::Shape;
    use doc::{Loss, Net, Vgg};

    #[test]
    fn a_trial_begins_at_its_layer_and_is_compared_behind_the_pooling() {
        let net = Net::Vgg(Vgg { depth: 11, width: 4, ..Vgg::default() });
        let structure =
            Structure::new(&net, Shape { channels: 1, height: 32, width: 32 }, 10, &Loss::CrossEntropy)
                .unwrap();
        // features.0, its norm, ReLU, pooling, features.4, …
        let cache = Cache::new(&structure, &[0, 2], &[], 10);
        assert_eq!(cache.points.iter().copied().collect::<Vec<_>>(), [4, 8]);
        assert_eq!(cache.bytes, 4 * 10 * (4 * 16 * 16 + 8 * 8 * 8));
        let norm = Cache::new(&structure, &[1], &[], 1);
        assert_eq!(norm.points.iter().copied().collect::<Vec<_>>(), [1, 4]);
    }

    #[test]
    fn a_trial_in_a_block_begins_before_the_fork_and_keeps_the_stack() {
        let layers = "Conv(channels: 3), Residual(body: [Conv(channels: 4), BatchNorm(), Relu, Conv(channels: 4)], \
            shortcut: Project()), Flatten, Linear()";
        let net: Net = form::ron_text::from_str(&format!("Sequential(layers: [{layers}])")).unwrap();
        let structure = Structure::new(&net, Shape::new(1, 8, 8), 10, &Loss::CrossEntropy).unwrap();
        // 0 conv, 1 fork, 2 conv, 3 norm, 4 ReLU, 5 conv, 6 swap, 7 projection, 8 its norm, 9 addition, 10 flatten, 11 linear.
        let layer = |name: &str| structure.layers.iter().position(|layer| layer.name == name).unwrap();
        let begins = ["0", "1.0", "1.1", "1.3", "1.shortcut.0", "1.shortcut.1", "3"]
            .map(|name| op_of(&structure, layer(name)));
        assert_eq!(begins, [0, 1, 3, 5, 7, 8, 11]);
        let next = [0, 1, 5, 7, 11].map(|begin| next_unit(&structure, begin));
        assert_eq!(next, [1, 5, 7, 11, 12]);
        let cache = Cache::new(&structure, &[layer("1.0")], &[], 10);
        assert_eq!(cache.points.iter().copied().collect::<Vec<_>>(), [1, 5]);
        // In front of the fork the present activations; inside, those of 4 channels and the 3 on the stack.
        assert_eq!(cache.bytes, 4 * 10 * 64 * (3 + (4 + 3)));
        assert_eq!((1..4).map(|op| structure.cut_before(op)).collect::<Vec<_>>(), [1, 1, 3]);
    }
}
