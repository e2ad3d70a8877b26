//! A network with the faults of a trial in its parameters, and what they can reach.

use std::collections::BTreeSet;

use super::golden::{Golden, GoldenBatch, next_unit, op_of};
use doc::structure::{Op, Parameter, Role, Structure};
use intervene::fault::{Injected, Site};
use net::{Channels, Network};

/// A network with faults, and where they are.
pub struct FaultyNetwork {
    /// With the faults; parameters without any are those of the network without faults.
    pub network: Network,
    /// The first operation whose layer has faults.
    pub first: usize,
    /// The last one.
    pub last: usize,
    /// The channels with faults, where they are in one layer.
    pub channels: Option<Channels>,
    /// The input channels of that layer that meet a faulty weight, of how many. Nothing where a fault may also change what
    /// comes of inputs that are +0.0.
    inputs: Option<(BTreeSet<usize>, usize)>,
}

impl FaultyNetwork {
    /// The network with these faults; nothing where they change no value. The network without faults is untouched:
    /// parameters with faults are copies.
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
                match &mut inputs {
                    Some(inputs) if role == Role::Weight && keeps_zero(before, fault.value) => {
                        of_inputs = shape[1];
                        inputs.insert(index / shape[2..].iter().product::<usize>() % shape[1]);
                    }
                    _ => inputs = None,
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

    /// The images of a batch that the faults can change: those with a number other than +0.0 in a channel that meets a
    /// faulty weight, as far as that is known.
    pub fn reached(&self, golden: &Golden, batch: &GoldenBatch) -> Vec<usize> {
        let is_protected = |op: usize| golden.hooks.guards.contains_key(&op);
        let known = batch.at(self.first).filter(|_| !is_protected(self.first - 1)).zip(self.inputs.as_ref());
        let Some((activations, (channels, of))) = known else { return (0..batch.count()).collect() };
        let is_reached =
            |sample: &usize| channels.iter().any(|&channel| activations.is_live(*sample, channel, *of));
        (0..batch.count()).filter(is_reached).collect()
    }
}

/// Whether two weights have the same product with +0.0.
fn keeps_zero(before: f32, after: f32) -> bool {
    before.is_finite() && after.is_finite() && before.is_sign_negative() == after.is_sign_negative()
}

/// Whether the channels of the layer that a trial begins with stay apart until the next layer reads them, and are not among
/// the copies on the stack then.
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
    use super::keeps_zero;

    #[test]
    fn a_sign_and_what_is_not_finite_reach_zeros() {
        assert!(keeps_zero(0.5, 1e30) && keeps_zero(-0.0, -2.0));
        for (before, after) in [(0.5, -0.5), (0.0, -0.0), (1.0, f32::INFINITY), (f32::NAN, 1.0)] {
            assert!(!keeps_zero(before, after), "{before} {after}");
        }
    }
}
