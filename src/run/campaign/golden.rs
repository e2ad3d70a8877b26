//! The network without faults on the images of a campaign, and what is kept of it so that a trial can begin at its fault.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::thread_map;
use crate::faults::round;
use data::{DataError, Samples};
use doc::fault::{Format, Protect};
use doc::structure::{LayerKind, Op, Parameter, Role, Structure};
use intervene::fault::{Injected, Site};
use net::{Activations, Channels, Compute, Network, Prepared, Shortcuts};

/// Activations up to this length are compared again on the way to the end; longer ones would often be written for that alone.
const SHORT: usize = 16 * 1024;

/// A choice of the positions between operations whose activations are kept beside the images, and what that takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cache {
    /// Positions at which trials begin or are compared: in front of these operations.
    pub points: BTreeSet<usize>,
    pub bytes: u64,
    /// True to keep weights in the form that computing reads, too.
    pub has_weights: bool,
}

impl Cache {
    /// Plans what a campaign keeps of `images` images, with faults in these layers or in the activations after these
    /// operations.
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
}

/// Returns where a trial with faults in a layer begins: in front of its operation, and of the fork before it.
fn op_of(structure: &Structure, layer: usize) -> usize {
    let at = structure.ops.iter().position(|op| *op == Op::Layer(layer));
    structure.cut_before(at.expect("every layer is an operation"))
}

/// Returns where the next convolution or linear layer begins after the one that begins at a position, or the end.
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
    pub first: usize,
    input: Activations,
    /// Activations in front of operations: rounded, not yet protected.
    activations: BTreeMap<usize, Activations>,
    /// `[count, outputs]`.
    pub logits: Vec<f32>,
}

impl GoldenBatch {
    pub const fn count(&self) -> usize {
        self.input.count
    }

    /// Returns the last position up to `op` that is kept, and the activations there.
    pub fn before(&self, op: usize) -> (usize, &Activations) {
        self.activations
            .range(..=op)
            .next_back()
            .map_or((0, &self.input), |(at, activations)| (*at, activations))
    }

    /// Returns the activations in front of an operation, where they are kept.
    pub fn at(&self, op: usize) -> Option<&Activations> {
        self.activations.get(&op)
    }

    /// Returns the next position after one at which trials are compared again, outside of residual blocks.
    pub fn next_cut(&self, at: usize) -> Option<usize> {
        let is_compared =
            |activations: &Activations| activations.stack.is_empty() && activations.shape.len() <= SHORT;
        self.activations.range(at + 1..).find(|(_, activations)| is_compared(activations)).map(|(at, _)| *at)
    }
}

/// Returns the bytes that the weights of convolutions take once more when they are [prepared](Compute::prepare): for whole
/// vectors of sixteen outputs.
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
    pub compute: &'a dyn Compute,
    /// Its values as the format reads them.
    pub network: Network,
    pub hooks: InjectionHooks,
    pub batches: Vec<GoldenBatch>,
    /// Smallest and largest finite value at every position of the cache.
    pub ranges: BTreeMap<usize, [f32; 2]>,
    /// Its weights as what computes reads them; trials share all but those of the faulty layer.
    prepared: Prepared,
}

impl<'a> Golden<'a> {
    /// Passes over samples, `batch` at a time; keeps what `keep` names, and measures the ranges of what `measure` names.
    pub fn new(
        compute: &'a dyn Compute,
        network: Network,
        hooks: InjectionHooks,
        samples: &Samples,
        batch: usize,
        [measure, keep]: [&Cache; 2],
    ) -> Result<Self, String> {
        let (ranges, prepared) = (BTreeMap::new(), Prepared::default());
        let mut golden = Self { compute, network, hooks, batches: Vec::new(), ranges, prepared };
        for (number, part) in samples.batches(batch).enumerate() {
            let (inputs, _) = part.map_err(|error| error.to_string())?;
            let input = Activations::from_samples(samples.shape, inputs.into_owned());
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
        GoldenBatch { first, input, activations: kept, logits }
    }

    /// Returns the channels in front of an operation that are not +0.0 for all images, if at least an eighth of them
    /// is.
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

    pub fn end(&self) -> usize {
        self.network.structure().ops.len()
    }

    /// Returns the logits of all images, `[images, outputs]`.
    pub fn logits(&self) -> Vec<f32> {
        self.batches.iter().flat_map(|batch| &batch.logits).copied().collect()
    }

    /// Returns the logits of all images, from new passes.
    pub fn logits_again(&self) -> Vec<f32> {
        let again = |batch: &GoldenBatch| self.advance(&self.network, 0..self.end(), &batch.input).values;
        self.batches.iter().flat_map(again).collect()
    }

    /// Computes the operations `range` of a network, with rounding and protection between them. What comes in is protected
    /// here, and what goes out is not yet, so that a fault between two ranges comes before the protection.
    pub fn advance(&self, network: &Network, range: Range<usize>, input: &Activations) -> Activations {
        self.advance_channels(network, range, input, None)
    }

    /// Like [`advance`](Self::advance), but computes and returns only the channels `asked`, as
    /// [`Activations::channels`] does.
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
        for op in self.hooks.ops_in(range.clone()) {
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

const NO_RANGE: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];

/// Makes a range as wide as these values, those that are not finite left out.
fn widen([low, high]: &mut [f32; 2], values: &[f32]) {
    for &value in values.iter().filter(|value| value.is_finite()) {
        *low = low.min(value);
        *high = high.max(value);
    }
}

/// The rounding to a format and the protection of activations between two operations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InjectionHooks {
    pub format: Format,
    /// Operations after which they are.
    pub rounded: BTreeSet<usize>,
    pub guards: BTreeMap<usize, Guard>,
}

impl InjectionHooks {
    /// Returns the operations of a range after which something happens, ascending.
    fn ops_in(&self, range: Range<usize>) -> BTreeSet<usize> {
        let ops = self.rounded.iter().chain(self.guards.keys()).copied();
        ops.filter(|op| range.contains(op)).collect()
    }

    /// Rounds what an operation yields to the format that it is stored in.
    fn round(&self, op: usize, values: &mut [f32]) {
        if self.rounded.contains(&op) {
            round(self.format, values);
        }
    }

    /// Protects the readers of what an operation yields.
    fn protect(&self, op: usize, values: &mut [f32]) {
        if let Some(guard) = self.guards.get(&op) {
            for value in values {
                *value = guard.apply(*value);
            }
        }
    }
}

/// The protection after one non-linearity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guard {
    /// NaN and infinity become 0.
    pub zero_non_finite: bool,
    /// Values are limited to this range; NaN passes.
    pub range: Option<[f32; 2]>,
}

impl Guard {
    /// Returns the value that the next layer reads.
    fn apply(self, value: f32) -> f32 {
        let value = if self.zero_non_finite && !value.is_finite() { 0.0 } else { value };
        match self.range {
            Some([low, _]) if value < low => low,
            Some([_, high]) if value > high => high,
            _ => value,
        }
    }
}

/// Measures the guards of a protection: the ranges that activations of the training part have without them.
pub fn guards(
    protect: &Protect,
    plain: &Golden,
    batch: usize,
    train: &Samples,
) -> Result<BTreeMap<usize, Guard>, String> {
    let (zero_non_finite, clips) = match protect {
        Protect::Nothing => return Ok(BTreeMap::new()),
        Protect::Clip => (false, true),
        Protect::ZeroNonFinite => (true, false),
        Protect::Both => (true, true),
    };
    let ranges =
        if clips { ranges(plain, batch, train).map_err(|error| error.to_string())? } else { BTreeMap::new() };
    let guard = |op: usize| Guard { zero_non_finite, range: ranges.get(&op).copied() };
    Ok(non_linearities(plain.network.structure()).map(|op| (op, guard(op))).collect())
}

/// Returns the smallest and largest finite value after each non-linearity.
fn ranges(plain: &Golden, batch: usize, train: &Samples) -> Result<BTreeMap<usize, [f32; 2]>, DataError> {
    let ops: Vec<usize> = non_linearities(plain.network.structure()).collect();
    let batch = batch.max(64);
    let ranges = thread_map(train.len().div_ceil(batch), |number| {
        let first = number * batch;
        let values = train.range(first..(first + batch).min(train.len()))?;
        let mut activations = Activations::from_samples(train.shape, values.into_owned());
        let mut at = 0;
        let range = |&op: &usize| {
            activations = plain.compute.forward(&plain.network, at..op + 1, &activations);
            plain.hooks.round(op, &mut activations.values);
            at = op + 1;
            let mut range = NO_RANGE;
            widen(&mut range, &activations.values);
            range
        };
        Ok(ops.iter().map(range).collect::<Vec<_>>())
    });
    let mut all: BTreeMap<usize, [f32; 2]> = ops.iter().map(|&op| (op, NO_RANGE)).collect();
    for part in ranges {
        all.values_mut().zip(part?).for_each(|(range, part)| widen(range, &part));
    }
    Ok(all)
}

/// Iterates over the operations that are non-linearities.
fn non_linearities(structure: &Structure) -> impl Iterator<Item = usize> {
    let ops = structure.ops.iter().enumerate();
    ops.filter(|(_, op)| matches!(op, Op::Activation(_))).map(|(at, _)| at)
}

/// A network with faults, and where they are.
pub struct FaultyNetwork {
    /// With the faults; parameters without any are those of the network without faults.
    pub network: Network,
    /// The first operation whose layer has faults.
    pub first: usize,
    pub last: usize,
    /// The channels with faults, where they are in one layer.
    pub channels: Option<Channels>,
    /// The input channels of that layer that meet a faulty weight, of how many. Nothing where a fault may also change what
    /// comes of inputs that are +0.0.
    inputs: Option<(BTreeSet<usize>, usize)>,
}

impl FaultyNetwork {
    /// Copies the parameters with faults; none where the faults change no value.
    pub fn new(golden: &Golden, injected: &[Injected]) -> Option<Self> {
        let mut network = golden.network.clone();
        let structure = network.structure().clone();
        let (mut ops, mut channels) = (BTreeSet::new(), BTreeSet::new());
        let mut inputs = Some(BTreeSet::new());
        let mut of_inputs = 0;
        for fault in injected {
            let Site { parameter, index, .. } = fault.site;
            network.overlay(parameter, index, fault.value);
            if fault.is_fault() {
                let Parameter { layer, ref shape, role, .. } = structure.parameters[parameter];
                ops.insert(op_of(&structure, layer));
                channels.insert((index / shape[1..].iter().product::<usize>(), shape[0]));
                let before = golden.network.values(parameter)[index];
                inputs = inputs.filter(|_| role == Role::Weight && keeps_zero(before, fault.value));
                if let Some(inputs) = &mut inputs {
                    of_inputs = shape[1];
                    inputs.insert(index / shape[2..].iter().product::<usize>() % shape[1]);
                }
            }
        }
        let (first, last) = (*ops.first()?, *ops.last()?);
        let ((least, of), (most, _)) = (channels.first().copied()?, channels.last().copied()?);
        let is_in_one = first == last && channels.iter().all(|(_, other)| *other == of);
        let faulty = Channels { range: [least, most + 1], of, alone: true };
        let channels = (is_in_one && stay_apart(&structure, first)).then_some(faulty);
        let inputs = inputs.filter(|_| is_in_one).map(|inputs| (inputs, of_inputs));
        Some(Self { network, first, last, channels, inputs })
    }

    /// Returns the images of a batch that the faults can change: those with a number other than +0.0 in a channel that
    /// meets a faulty weight, as far as that is known.
    pub fn reached(&self, golden: &Golden, batch: &GoldenBatch) -> Vec<usize> {
        let is_protected = |op: usize| golden.hooks.guards.contains_key(&op);
        let known = batch.at(self.first).filter(|_| !is_protected(self.first - 1)).zip(self.inputs.as_ref());
        let Some((activations, (channels, of))) = known else { return (0..batch.count()).collect() };
        let is_reached =
            |sample: &usize| channels.iter().any(|&channel| activations.is_live(*sample, channel, *of));
        (0..batch.count()).filter(is_reached).collect()
    }
}

/// Returns true if two weights have the same product with +0.0.
fn keeps_zero(before: f32, after: f32) -> bool {
    before.is_finite() && after.is_finite() && before.is_sign_negative() == after.is_sign_negative()
}

/// Returns true if the channels of the layer that a trial begins with stay apart until the next layer reads them, and
/// are not among the copies on the stack then.
fn stay_apart(structure: &Structure, begin: usize) -> bool {
    let end = next_unit(structure, begin);
    let layer = (begin..end).find(|op| matches!(structure.ops[*op], Op::Layer(_))).unwrap_or(end);
    let mut is_on_stack = false;
    for op in &structure.ops[layer..end] {
        match op {
            Op::Fork => return false,
            Op::Swap => is_on_stack = true,
            Op::Add(_) => is_on_stack = false,
            Op::Layer(_)
            | Op::Activation(_)
            | Op::MaxPool(_)
            | Op::AveragePool(_)
            | Op::AdaptiveAveragePool(_)
            | Op::Subsample { .. }
            | Op::Flatten
            | Op::Dropout(_) => {}
        }
    }
    !is_on_stack
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

    #[test]
    fn nan_passes_a_clip_and_zero_on_nan_is_a_switch_of_its_own() {
        let apply = |zero_non_finite, range| {
            let guard = Guard { zero_non_finite, range };
            [f32::NAN, f32::INFINITY, -5.0, 0.5].map(|value| guard.apply(value).to_string())
        };
        assert_eq!(apply(false, Some([0.0, 2.0])), ["NaN", "2", "0", "0.5"]);
        assert_eq!(apply(true, None), ["0", "0", "-5", "0.5"]);
        assert_eq!(apply(true, Some([1.0, 2.0])), ["1"; 4]);
    }

    #[test]
    fn a_sign_and_what_is_not_finite_reach_zeros() {
        assert!(keeps_zero(0.5, 1e30) && keeps_zero(-0.0, -2.0));
        for (before, after) in [(0.5, -0.5), (0.0, -0.0), (1.0, f32::INFINITY), (f32::NAN, 1.0)] {
            assert!(!keeps_zero(before, after), "{before} {after}");
        }
    }
}
