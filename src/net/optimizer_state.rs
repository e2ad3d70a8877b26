//! What an optimizer remembers, and its step over a network.

use rayon::prelude::*;

use super::compute::Gradients;
use super::network::Network;
use crate::intervene::Entry;
use crate::optimize::Rule;

/// Entries handled at a time: small enough for the first cache, a result does not depend on it.
const BLOCK: usize = 4096;

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
        rule: &(dyn Rule + Sync),
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
            let remembered: Vec<&mut [f32]> = self
                .slots
                .iter_mut()
                .map(|slot| slot[index].get_or_insert_with(|| vec![0.0; gradient.len()]).as_mut_slice())
                .collect();
            let step = Step { rule, count: self.steps, rate };
            step.parameter(values, gradient, remembered, entries);
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

struct Step<'a> {
    rule: &'a (dyn Rule + Sync),
    count: u64,
    rate: f64,
}

impl Step<'_> {
    fn parameter(
        &self,
        values: &mut [f32],
        gradient: &[f32],
        slots: Vec<&mut [f32]>,
        entries: Option<&[Entry]>,
    ) {
        let mut slots: Vec<_> = slots.into_iter().map(|slot| slot.chunks_mut(BLOCK)).collect();
        let blocks: Vec<_> = values
            .chunks_mut(BLOCK)
            .zip(gradient.chunks(BLOCK))
            .enumerate()
            .map(|(block, (values, gradient))| {
                let slots: Vec<&mut [f32]> = slots.iter_mut().filter_map(Iterator::next).collect();
                let entries = entries.map(|entries| &entries[block * BLOCK..block * BLOCK + values.len()]);
                (values, gradient, slots, entries)
            })
            .collect();
        if blocks.len() < 8 {
            for (values, gradient, slots, entries) in blocks {
                self.block(values, gradient, slots, entries);
            }
        } else {
            blocks
                .into_par_iter()
                .for_each(|(values, gradient, slots, entries)| self.block(values, gradient, slots, entries));
        }
    }

    fn block(
        &self,
        values: &mut [f32],
        gradient: &[f32],
        mut slots: Vec<&mut [f32]>,
        entries: Option<&[Entry]>,
    ) {
        let Some(entries) = entries else {
            return self.rule.update(self.count, self.rate, values, gradient, &mut slots);
        };
        let before = values.to_vec();
        self.rule.update(self.count, self.rate, values, gradient, &mut slots);
        for (at, _) in entries.iter().enumerate().filter(|(_, entry)| !entry.is_free()) {
            values[at] = before[at];
            for slot in &mut slots {
                slot[at] = 0.0;
            }
        }
    }
}
