//! A network as data: values of named parameters, and what holds each entry.

mod initial;
mod masks;
#[cfg(test)]
mod tests;
mod view;

use std::collections::BTreeSet;
use std::sync::Arc;

use initial::initial_values;
use sha2::{Digest, Sha256};

use super::compute::BatchStatistics;
use crate::doc::structure::{Role, Structure};
use crate::intervene::{BiasInit, Entry, Init, MaskCounts};

/// How initial values are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Initialisation {
    /// Distribution of the weights.
    pub weights: Init,
    /// Values of the biases.
    pub biases: BiasInit,
}

/// What became of values that were written into a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Entries that took the new value.
    pub taken: usize,
    /// Entries that are held, and kept theirs.
    pub dropped: usize,
}

impl std::ops::AddAssign for Written {
    fn add_assign(&mut self, other: Self) {
        self.taken += other.taken;
        self.dropped += other.dropped;
    }
}

/// Values of the parameters of a [`Structure`], and what holds each entry.
///
/// A held entry keeps its bits until it is released: [`write`](Self::write) and the optimizer pass over it. A pruned
/// entry is +0.0. Clones share their arrays until one of them is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    structure: Arc<Structure>,
    initialisation: Initialisation,
    values: Vec<Arc<Vec<f32>>>,
    /// Absent where every entry is free.
    entries: Vec<Option<Arc<Vec<Entry>>>>,
    /// Batch norms that use their running statistics in training too.
    fixed_norms: BTreeSet<usize>,
}

impl Network {
    /// A network with initial values drawn from the seed's stream; `generation` 0 is the first draw, others are
    /// independent of it.
    pub fn new(
        structure: Arc<Structure>,
        initialisation: Initialisation,
        seed: u64,
        generation: u64,
    ) -> Self {
        let values = (0..structure.parameters.len())
            .map(|index| Arc::new(initial_values(&structure, initialisation, index, seed, generation)))
            .collect();
        let entries = vec![None; structure.parameters.len()];
        Self { structure, initialisation, values, entries, fixed_norms: BTreeSet::new() }
    }

    /// Layers, parameters and operations.
    pub fn structure(&self) -> &Arc<Structure> {
        &self.structure
    }

    /// Number of parameters.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no parameters.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Values of parameter `index`, flat in PyTorch's layout.
    pub fn values(&self, index: usize) -> &[f32] {
        &self.values[index]
    }

    /// What holds the entries of parameter `index`; nothing where all are free.
    pub fn entries(&self, index: usize) -> Option<&[Entry]> {
        self.entries[index].as_ref().map(|entries| entries.as_slice())
    }

    /// What holds each entry of parameter `index`.
    pub fn all_entries(&self, index: usize) -> Vec<Entry> {
        self.entries(index).map_or_else(|| vec![Entry::Free; self.values(index).len()], <[Entry]>::to_vec)
    }

    /// How many entries of parameter `index` are in which state.
    pub fn mask_counts(&self, index: usize) -> MaskCounts {
        self.entries(index).map_or(
            MaskCounts { free: self.values(index).len() as u64, pruned: 0, frozen: 0 },
            MaskCounts::of,
        )
    }

    /// Share of the weights of convolutions and linear layers that is not pruned, in [0, 1].
    pub fn remaining(&self) -> f64 {
        let weights = (0..self.len()).filter(|&index| self.structure.parameters[index].role == Role::Weight);
        let mask_counts: MaskCounts = weights.map(|index| self.mask_counts(index)).sum();
        mask_counts.surviving() as f64 / (mask_counts.size() as f64).max(1.0)
    }

    /// Multiply-adds of one sample forward that surviving weights take part in.
    pub fn surviving_multiply_adds(&self) -> u64 {
        let layers = self.structure.layers.iter().filter(|layer| layer.multiply_adds > 0);
        layers
            .map(|layer| {
                let mask_counts = self.mask_counts(layer.parameters[0]);
                layer.multiply_adds / mask_counts.size().max(1) * mask_counts.surviving()
            })
            .sum()
    }

    /// Writes new values into parameter `index`; entries that are held keep theirs.
    ///
    /// # Panics
    /// When there is not one value for each entry.
    pub fn write(&mut self, index: usize, values: &[f32]) -> Written {
        if self.entries[index].is_some() {
            return self.write_inside(index, values, &|_| true);
        }
        Arc::make_mut(&mut self.values[index]).copy_from_slice(values);
        Written { taken: values.len(), dropped: 0 }
    }

    /// Writes new values into the entries of parameter `index` that lie `inside`, and counts those alone; entries that
    /// are held keep theirs.
    ///
    /// # Panics
    /// When there is not one value for each entry.
    pub fn write_inside(&mut self, index: usize, values: &[f32], inside: &dyn Fn(usize) -> bool) -> Written {
        assert_eq!(
            values.len(),
            self.values[index].len(),
            "one value for each entry of {}",
            self.name(index)
        );
        let target = Arc::make_mut(&mut self.values[index]);
        let entries = self.entries[index].as_ref();
        let mut written = Written::default();
        for (at, (old, new)) in target.iter_mut().zip(values).enumerate().filter(|(at, _)| inside(*at)) {
            if entries.is_none_or(|entries| entries[at].is_free()) {
                *old = *new;
                written.taken += 1;
            } else {
                written.dropped += 1;
            }
        }
        written
    }

    /// Initial values that parameter `index` could have had; `generation` 0 are those that it had.
    pub fn initial_values(&self, index: usize, seed: u64, generation: u64) -> Vec<f32> {
        initial_values(&self.structure, self.initialisation, index, seed, generation)
    }

    /// Lets the running statistics follow those of a mini-batch, as PyTorch does: a tenth of the way, with the unbiased
    /// variance. Statistics that are held stay.
    pub fn follow(&mut self, statistics: &[BatchStatistics]) {
        for BatchStatistics { layer, mean, variance, count } in statistics {
            let parameters = self.structure.layers[*layer].parameters.clone();
            let unbiased = *count as f32 / (*count as f32 - 1.0).max(1.0);
            for (index, batch, factor) in [(parameters[2], mean, 1.0), (parameters[3], variance, unbiased)] {
                let old = self.values[index].iter();
                let new: Vec<f32> =
                    old.zip(batch).map(|(old, batch)| 0.9 * old + 0.1 * (batch * factor)).collect();
                self.write(index, &new);
            }
        }
    }

    /// The shared arrays behind the parameters, and behind what holds them; for checkpoints.
    pub fn arrays(&self) -> (&[Arc<Vec<f32>>], &[Option<Arc<Vec<Entry>>>]) {
        (&self.values, &self.entries)
    }

    /// The same network with other arrays, as a checkpoint has them.
    ///
    /// # Errors
    /// When they do not fit the structure.
    pub fn with_arrays(
        &self,
        values: Vec<Arc<Vec<f32>>>,
        entries: Vec<Option<Arc<Vec<Entry>>>>,
    ) -> Result<Self, String> {
        let fits = values.len() == self.len()
            && entries.len() == self.len()
            && values
                .iter()
                .zip(&self.structure.parameters)
                .all(|(values, parameter)| values.len() == parameter.len())
            && entries
                .iter()
                .zip(&values)
                .all(|(entries, values)| entries.as_ref().is_none_or(|e| e.len() == values.len()));
        if !fits {
            return Err("the arrays do not have the shapes of the network".to_owned());
        }
        Ok(Self { values, entries, ..self.clone() })
    }

    /// A network of free entries with the same parameters and other operations, as a criterion looks at one.
    ///
    /// # Panics
    /// When the values are not those of as many parameters.
    pub fn with_structure(&self, structure: Arc<Structure>, values: Vec<Arc<Vec<f32>>>) -> Self {
        assert_eq!(values.len(), structure.parameters.len(), "one array for each parameter");
        let entries = vec![None; values.len()];
        Self { structure, initialisation: self.initialisation, values, entries, fixed_norms: BTreeSet::new() }
    }

    /// The network (1 − t)·self + t·other of free entries, batch-norm statistics included; each value is rounded once, and
    /// t = 0 and t = 1 are exactly the two ends.
    ///
    /// # Panics
    /// When the networks do not have the same parameters.
    pub fn between(&self, other: &Self, t: f64) -> Self {
        assert_eq!(self.len(), other.len(), "networks on a line have the same parameters");
        let blend = |(a, b): (&f32, &f32)| match t {
            0.0 => *a,
            1.0 => *b,
            _ => ((1.0 - t) * f64::from(*a) + t * f64::from(*b)) as f32,
        };
        let pairs = self.values.iter().zip(&other.values);
        let values = pairs.map(|(a, b)| Arc::new(a.iter().zip(b.iter()).map(blend).collect::<Vec<f32>>()));
        self.with_structure(self.structure.clone(), values.collect())
    }

    /// Hands the values of parameter `index` to an optimizer, with what holds them.
    pub(super) fn update(&mut self, index: usize) -> (&mut [f32], Option<&[Entry]>) {
        let entries = self.entries[index].as_ref().map(|entries| entries.as_slice());
        (Arc::make_mut(&mut self.values[index]).as_mut_slice(), entries)
    }

    /// SHA-256 over the bits of all values, as hexadecimal digits.
    pub fn checksum(&self) -> String {
        let mut hash = Sha256::new();
        for values in &self.values {
            for value in values.iter() {
                hash.update(value.to_bits().to_le_bytes());
            }
        }
        crate::doc::hexadecimal(&hash.finalize())
    }

    fn name(&self, index: usize) -> &str {
        &self.structure.parameters[index].name
    }
}
