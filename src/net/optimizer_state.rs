//! The state of an optimizer, and its step over a network.
#![allow(
    clippy::inline_always,
    reason = "a formula must be inlined where the processor's features are enabled"
)]

use std::sync::Arc;

use kernels::parallel::pairs_mut;
use kernels::part::FreeBits;
use kernels::simd::{Kernel, LANES, Simd, Vector, dispatch};
use optimize::{Formula, MOST_SLOTS, Optimizer, UpdateRule, WithFormula};
use serde::{Deserialize, Serialize};

use crate::compute::Gradients;
use crate::network::Network;

/// Entries handled at a time: they fit the first cache. Results do not depend on it.
const BLOCK: usize = 4096;
/// Entries handled at a time where some are held: a block of which all are is left out.
const HELD_BLOCK: usize = 1024;
/// Cost of a step for one entry, in multiply-adds.
const COST: usize = 16;

/// The values that an optimizer keeps for every entry of every parameter, and its number of steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OptimizerState<V = Vec<f32>> {
    /// Steps so far.
    pub steps: u64,
    /// For each slot of the rule and each parameter, one value per entry; none before the parameter's first gradient.
    pub slots: Vec<Vec<Option<V>>>,
}

impl<V> OptimizerState<V> {
    /// Returns the same state with each array converted.
    ///
    /// # Errors
    /// Those of `convert`.
    pub fn with_arrays<U, E>(
        &self,
        mut convert: impl FnMut(&V) -> Result<U, E>,
    ) -> Result<OptimizerState<U>, E> {
        let mut slot = |slot: &Vec<Option<V>>| {
            slot.iter().map(|values| values.as_ref().map(&mut convert).transpose()).collect()
        };
        let slots = self.slots.iter().map(&mut slot).collect::<Result<_, E>>()?;
        Ok(OptimizerState { steps: self.steps, slots })
    }
}

impl OptimizerState {
    /// Takes one step. A held entry keeps its bits, and its slots become zero.
    pub fn step(&mut self, optimizer: &Optimizer, rate: f64, network: &mut Network, gradients: &Gradients) {
        self.step_by(optimizer, rate, network, gradients); // compiled in this crate, which is optimised
    }

    fn step_by(&mut self, rule: &impl UpdateRule, rate: f64, network: &mut Network, gradients: &Gradients) {
        assert!(
            rule.slots().len() <= MOST_SLOTS,
            "an optimizer keeps {MOST_SLOTS} values for each entry at most"
        );
        self.steps += 1;
        self.slots.resize_with(rule.slots().len(), Vec::new);
        for slot in &mut self.slots {
            slot.resize_with(network.len(), || None);
        }
        let mut slots: Vec<_> = self.slots.iter_mut().map(|slot| slot.iter_mut()).collect();
        let mut steps = Vec::with_capacity(gradients.len());
        // Block after block: its values, and the values of each slot.
        let (mut blocks, mut places) = (Vec::new(), Vec::new());
        for (gradient, (values, free)) in gradients.iter().zip(network.updates()) {
            let slots: Vec<_> = slots.iter_mut().filter_map(Iterator::next).collect();
            let Some(gradient) = gradient else { continue };
            let values = Arc::make_mut(values);
            assert_eq!(values.len(), gradient.len(), "one gradient for each entry");
            let length = if free.is_some() { HELD_BLOCK } else { BLOCK };
            places.extend((0..gradient.len()).step_by(length).map(|first| (steps.len(), first)));
            steps.push(Step { gradient, free });
            let mut arrays = vec![values.chunks_mut(length)];
            for slot in slots {
                let slot = slot.get_or_insert_with(|| vec![0.0; gradient.len()]);
                assert_eq!(slot.len(), gradient.len(), "one remembered value for each entry");
                arrays.push(slot.chunks_mut(length));
            }
            for _ in 0..gradient.len().div_ceil(length) {
                blocks.extend(arrays.iter_mut().filter_map(Iterator::next));
            }
        }
        let width = 1 + rule.slots().len();
        rule.with_formula(self.steps, rate, Blocks { steps, arrays: blocks, width, places });
    }

    /// Sets the slots of held entries to 0, so that an entry that is released before the next step starts from 0.
    pub fn forget_held(&mut self, network: &Network) {
        for (index, remembered) in self.slots.iter_mut().flat_map(|slot| slot.iter_mut().enumerate()) {
            let (Some(remembered), Some(entries)) = (remembered, network.entries(index)) else { continue };
            for (value, _) in remembered.iter_mut().zip(entries).filter(|(_, entry)| !entry.is_free()) {
                *value = 0.0;
            }
        }
    }
}

struct Step<'a> {
    gradient: &'a [f32],
    free: Option<&'a FreeBits>,
}

struct Blocks<'a, 'b> {
    steps: Vec<Step<'a>>,
    /// The values of each block and those of each slot, `width` arrays.
    arrays: Vec<&'b mut [f32]>,
    width: usize,
    /// The step and the first entry of each block.
    places: Vec<(usize, usize)>,
}

impl WithFormula for Blocks<'_, '_> {
    type Result = ();

    fn run(mut self, formula: &impl Formula) {
        let (steps, work) = (&self.steps, self.places.len() * BLOCK * COST);
        pairs_mut((&mut self.arrays, self.width), (&mut self.places, 1), work, |_, block, place| {
            let [values, slots @ ..] = block else { unreachable!("a block has values") };
            let (step, first) = place[0];
            dispatch(Block { formula, step: &steps[step], first, values, slots });
        });
    }
}

/// Some entries of a parameter. The formula is compiled for each kind of vectors and rounds the same way with all of them.
struct Block<'a, 'b, F> {
    formula: &'a F,
    step: &'a Step<'a>,
    first: usize,
    values: &'a mut [f32],
    slots: &'a mut [&'b mut [f32]],
}

impl<F: Formula> Kernel for Block<'_, '_, F> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let formula = self.formula;
        let gradient = &self.step.gradient[self.first..][..self.values.len()];
        let Some(free) = self.step.free else {
            return formula.update(self.values, gradient, self.slots);
        };
        let free = &free.words(self.first)[..self.values.len().div_ceil(LANES)];
        if free.iter().fold(0, |any, free| any | free) == 0 {
            return self.slots.iter_mut().for_each(|slot| slot.fill(0.0));
        }
        let held = Held { formula, gradient, free };
        match self.slots {
            [] => held.update(simd, self.values, []),
            [a] => held.update(simd, self.values, [a]),
            [a, b] => held.update(simd, self.values, [a, b]),
            [a, b, c] => held.update(simd, self.values, [a, b, c]),
            _ => unreachable!("a step has checked how many there are"),
        }
    }
}

struct Held<'a, F> {
    formula: &'a F,
    gradient: &'a [f32],
    free: &'a [u16],
}

impl<F: Formula> Held<'_, F> {
    /// Updates vector by vector, so that what was there before stays in a register.
    #[inline(always)]
    fn update<S: Simd, const N: usize>(self, simd: S, values: &mut [f32], mut slots: [&mut [f32]; N]) {
        for (at, (values, free)) in values.chunks_mut(LANES).zip(self.free).enumerate() {
            let part = at * LANES..at * LANES + values.len();
            let before = simd.load_most(values);
            let gradient = simd.load_most(&self.gradient[part.clone()]).to_array();
            let slots = slots.each_mut().map(|slot| &mut slot[part.clone()]);
            // In local arrays, which the compiler knows not to overlap.
            let mut after = before.to_array();
            let mut state = slots.each_ref().map(|slot| simd.load_most(slot).to_array());
            self.formula.update(&mut after, &gradient, &mut state.each_mut().map(|state| &mut state[..]));
            simd.load(&after).where_bits(*free, before).store_part(values);
            for (slot, state) in slots.into_iter().zip(&state) {
                simd.load(state).where_bits(*free, simd.splat(0.0)).store_part(slot);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Initialisation;
    use data::Shape;
    use doc::{Loss, Net, Structure};
    use intervene::{BiasInit, Init};
    use kernels::testing::{assert_same_bits, level};

    /// 4 inputs, 300 and 100 hidden units, 3 outputs.
    fn toy() -> Network {
        let shape = Shape { channels: 4, height: 1, width: 1 };
        let structure = Structure::new(&Net::default(), shape, 3, &Loss::CrossEntropy).unwrap();
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

    /// Remembers the last three gradients, and steps along the oldest.
    struct Delayed;

    impl UpdateRule for Delayed {
        fn slots(&self) -> &'static [&'static str] {
            &["newest", "middle", "oldest"]
        }

        fn with_formula<W: WithFormula>(&self, _: u64, rate: f64, work: W) -> W::Result {
            work.run(&AlongOldest(rate as f32))
        }
    }

    /// With its learning rate.
    struct AlongOldest(f32);

    impl Formula for AlongOldest {
        fn update(&self, weights: &mut [f32], gradients: &[f32], state: &mut [&mut [f32]]) {
            let [newest, middle, oldest] = state else { panic!("three slots") };
            oldest.copy_from_slice(middle);
            middle.copy_from_slice(newest);
            newest.copy_from_slice(gradients);
            weights.iter_mut().zip(oldest.iter()).for_each(|(weight, old)| *weight -= self.0 * old);
        }
    }

    #[test]
    fn an_optimizer_may_remember_three_values() {
        let mut network = toy();
        let size = network.values(2).len();
        assert!(size > 2 * BLOCK && !size.is_multiple_of(BLOCK), "several blocks, the last of them smaller");
        network.write(2, &vec![0.0; size]);
        let mut memory = OptimizerState::default();
        for gradient in [1.0, 10.0, 100.0, 1000.0] {
            let gradients = (0..network.len()).map(|index| Some(vec![gradient; network.values(index).len()]));
            let gradients = gradients.collect();
            memory.step_by(&Delayed, 1.0, &mut network, &gradients);
        }
        let remembered = memory.slots.iter().map(|slot| slot[2].clone().unwrap());
        assert_eq!(remembered.collect::<Vec<_>>(), [1000.0, 100.0, 10.0].map(|value| vec![value; size]));
        assert_eq!(network.values(2), vec![-11.0; size]);
        network.freeze(2, &[1, size as u32 - 1], None);
        let gradients = (0..network.len()).map(|index| Some(vec![5.0; network.values(index).len()]));
        let gradients = gradients.collect();
        memory.step_by(&Delayed, 1.0, &mut network, &gradients);
        let ends = |values: &[f32]| [values[0], values[1], values[size - 2], values[size - 1]];
        assert_eq!(ends(network.values(2)), [-111.0, -11.0, -111.0, -11.0]);
        let remembered = memory.slots.iter().map(|slot| ends(slot[2].as_ref().unwrap()));
        assert_eq!(
            remembered.collect::<Vec<_>>(),
            [5.0, 1000.0, 100.0].map(|value| [value, 0.0, value, 0.0])
        );
    }

    #[test]
    fn held_entries_are_forgotten_and_free_ones_remembered() {
        let mut network = toy();
        network.prune(1, &[0]);
        network.freeze(1, &[2], None);
        let all = || (0..network.len()).map(|index| Some(vec![3.0; network.values(index).len()])).collect();
        let mut memory = OptimizerState { steps: 1, slots: vec![all(), all()] };
        memory.forget_held(&network);
        for slot in &memory.slots {
            assert_eq!(slot[1].as_ref().unwrap()[..4], [0.0, 3.0, 0.0, 3.0]);
            assert!(slot[0].as_ref().unwrap().iter().all(|&value| value == 3.0), "nothing is held there");
        }
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
