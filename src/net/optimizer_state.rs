//! What an optimizer remembers, and its step over a network.
#![allow(unsafe_code, reason = "tasks write disjoint blocks of the arrays of a parameter")]
#![allow(
    clippy::inline_always,
    reason = "a formula must land where the processor's features are switched on"
)]

use super::compute::Gradients;
use super::kernels::parallel::{Shared, tasks};
use super::kernels::simd::{Kernel, Simd, dispatch};
use super::network::Network;
use crate::intervene::Entry;
use crate::optimize::Rule;

/// Entries handled at a time: small enough for the first cache, a result does not depend on it.
const BLOCK: usize = 4096;
/// What a step costs for an entry, in multiply-adds.
const COST: usize = 16;

/// Remembered values of every entry of every parameter, and the number of steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OptimizerState {
    /// Steps so far.
    pub steps: u64,
    /// For each slot of the rule, for each parameter (none before its first gradient), one value per entry.
    pub slots: Vec<Vec<Option<Vec<f32>>>>,
}

impl OptimizerState {
    /// Changes the network by one step. An entry that is held keeps its bits, and is remembered as zero.
    pub fn step(
        &mut self,
        rule: &(impl Rule + Sync),
        rate: f64,
        network: &mut Network,
        gradients: &Gradients,
    ) {
        self.steps += 1;
        self.slots.resize_with(rule.slots().len(), Vec::new);
        for slot in &mut self.slots {
            slot.resize_with(network.len(), || None);
        }
        for (index, gradient) in gradients.iter().enumerate() {
            let Some(gradient) = gradient else { continue };
            let (values, entries) = network.update(index);
            let slots: Vec<Shared> = self
                .slots
                .iter_mut()
                .map(|slot| Shared::new(slot[index].get_or_insert_with(|| vec![0.0; gradient.len()])))
                .collect();
            let step = Step { rule, count: self.steps, rate, gradient, slots: &slots, entries };
            step.parameter(values);
        }
    }
}

impl OptimizerState {
    /// Sets what is remembered of held entries to 0, so that an entry that is released before the next step begins at 0.
    pub fn forget_held(&mut self, network: &Network) {
        for (index, remembered) in self.slots.iter_mut().flat_map(|slot| slot.iter_mut().enumerate()) {
            let (Some(remembered), Some(entries)) = (remembered, network.entries(index)) else { continue };
            for (value, _) in remembered.iter_mut().zip(entries).filter(|(_, entry)| !entry.is_free()) {
                *value = 0.0;
            }
        }
    }
}

/// A step of one parameter.
struct Step<'a, R> {
    rule: &'a R,
    count: u64,
    rate: f64,
    gradient: &'a [f32],
    slots: &'a [Shared<'a>],
    entries: Option<&'a [Entry]>,
}

impl<R: Rule + Sync> Step<'_, R> {
    fn parameter(&self, values: &mut [f32]) {
        assert_eq!(values.len(), self.gradient.len(), "one gradient for each entry");
        let size = values.len();
        let values = Shared::new(values);
        tasks(size.div_ceil(BLOCK), size * COST, |block| {
            let (first, len) = (block * BLOCK, BLOCK.min(size - block * BLOCK));
            // SAFETY: every task has a block of its own, of every array.
            let values = unsafe { values.slice(first, len) };
            // SAFETY: as above.
            let slots = self.slots.iter().map(|slot| unsafe { slot.slice(first, len) });
            let mut slots: Vec<&mut [f32]> = slots.collect();
            dispatch(Block { step: self, first, values, slots: &mut slots });
        });
    }
}

/// Some entries of a parameter. The rule is compiled for every kind of processor; it rounds alike on all of them.
struct Block<'a, 'b, R> {
    step: &'a Step<'a, R>,
    first: usize,
    values: &'a mut [f32],
    slots: &'a mut [&'b mut [f32]],
}

impl<R: Rule + Sync> Kernel for Block<'_, '_, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Step { rule, count, rate, .. } = *self.step;
        let gradient = &self.step.gradient[self.first..][..self.values.len()];
        let Some(entries) = self.step.entries else {
            return rule.update(count, rate, self.values, gradient, self.slots);
        };
        let entries = &entries[self.first..][..self.values.len()];
        let mut before = [0.0; BLOCK];
        before[..self.values.len()].copy_from_slice(self.values);
        rule.update(count, rate, self.values, gradient, self.slots);
        for ((value, before), entry) in self.values.iter_mut().zip(&before).zip(entries) {
            *value = if entry.is_free() { *value } else { *before };
        }
        for slot in self.slots {
            for (value, entry) in slot.iter_mut().zip(entries) {
                *value = if entry.is_free() { *value } else { 0.0 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::Shape;
    use crate::doc::{Loss, Net, Structure};
    use crate::intervene::{BiasInit, Init};
    use crate::net::Initialisation;
    use crate::net::kernels::parallel::testing::assert_same_bits;
    use crate::net::kernels::simd::level;
    use crate::optimize::Optimizer;

    /// 4 inputs, 300 and 100 hidden units, 3 outputs.
    fn toy() -> Network {
        let shape = Shape { channels: 4, height: 1, width: 1 };
        let structure = Structure::new(&Net::default(), shape, 3, &Loss::CrossEntropy);
        let initialisation = Initialisation { weights: Init::XavierNormal, biases: BiasInit::Usual };
        Network::new(Arc::new(structure), initialisation, 1, 0)
    }

    /// Weights and memory after a few steps, some entries held.
    fn trained(optimizer: &Optimizer, hold: bool) -> (Network, OptimizerState) {
        let mut network = toy();
        if hold {
            network.prune(0, &[1, 3]);
            network.freeze(0, &[0], None);
        }
        let mut memory = OptimizerState::default();
        for step in 1..4u8 {
            let gradient = |index: usize| {
                let values = network.values(index).iter().enumerate();
                Some(values.map(|(at, value)| value * 0.3 + f32::from(step) / (at as f32 + 0.7)).collect())
            };
            let gradients: Gradients = (0..network.len()).map(gradient).collect();
            memory.step(optimizer, 0.01, &mut network, &gradients);
        }
        (network, memory)
    }

    /// All weights, and all that is remembered.
    fn bits((network, memory): &(Network, OptimizerState)) -> Vec<u32> {
        let weights = (0..network.len()).map(|index| network.values(index));
        let remembered = memory.slots.iter().flatten().flatten().map(Vec::as_slice);
        weights.chain(remembered).flatten().map(|value| value.to_bits()).collect()
    }

    #[test]
    fn threads_change_no_bit() {
        for optimizer in Optimizer::all() {
            assert_same_bits(|| [true, false].map(|hold| bits(&trained(&optimizer, hold))));
        }
    }

    #[test]
    fn a_step_is_the_same_on_every_processor_and_leaves_held_entries_alone() {
        for optimizer in Optimizer::all() {
            let results = level::each(|| [false, true].map(|hold| trained(&optimizer, hold)));
            let (_, [(free, _), (held, memory)]) = &results[0];
            for (level, result) in &results {
                assert!(
                    result.each_ref().map(bits) == results[0].1.each_ref().map(bits),
                    "{} with {level:?}",
                    optimizer.key()
                );
            }
            let before = toy();
            assert_eq!(held.values(0)[..2], [before.values(0)[0], 0.0]);
            assert_eq!(held.values(0)[2].to_bits(), free.values(0)[2].to_bits());
            assert!(
                memory.slots.iter().all(|slot| slot[0].as_ref().is_some_and(|slot| slot[..2] == [0.0; 2]))
            );
        }
    }
}
