//! A network as data: the values of named parameters and their masks.

mod hold;
mod initial;
mod mask;
#[cfg(test)]
mod tests;
mod view;

use std::collections::BTreeSet;
use std::sync::Arc;

use initial::initial_values;
pub use mask::Mask;
use sha2::{Digest, Sha256};

use super::compute::BatchStatistics;
use super::kernels::free::FreeBits;
use doc::structure::{Role, Structure};
use intervene::{BiasInit, Entry, Init, MaskCounts};

/// Values that are hashed at once.
const HASHED: usize = 4096;

/// How initial values are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Initialisation {
    /// Distribution of the weights.
    pub weights: Init,
    /// Values of the biases.
    pub biases: BiasInit,
}

/// How many of the values that were written into a parameter it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Entries that took the new value.
    pub taken: usize,
    /// Held entries, which kept theirs.
    pub dropped: usize,
}

impl std::ops::AddAssign for Written {
    fn add_assign(&mut self, other: Self) {
        self.taken += other.taken;
        self.dropped += other.dropped;
    }
}

/// Values of the parameters of a [`Structure`], and their masks.
///
/// A held entry keeps its bits until it is released: [`write`](Self::write) and the optimizer skip it. A pruned entry is
/// +0.0. Clones share their arrays until one of them is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    structure: Arc<Structure>,
    initialisation: Initialisation,
    values: Vec<Arc<Vec<f32>>>,
    /// Absent where every entry is free.
    masks: Vec<Option<Arc<Mask>>>,
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
        let masks = vec![None; structure.parameters.len()];
        Self { structure, initialisation, values, masks, fixed_norms: BTreeSet::new() }
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

    /// State of each entry of parameter `index`; none where all are free.
    pub fn entries(&self, index: usize) -> Option<&[Entry]> {
        self.masks[index].as_deref().map(|mask| &**mask)
    }

    /// State of each entry of parameter `index`, all free ones too.
    pub fn all_entries(&self, index: usize) -> Vec<Entry> {
        self.entries(index).map_or_else(|| vec![Entry::Free; self.values(index).len()], <[Entry]>::to_vec)
    }

    /// How many entries of parameter `index` are in which state.
    pub fn mask_counts(&self, index: usize) -> MaskCounts {
        self.masks[index]
            .as_ref()
            .map_or_else(|| MaskCounts::all_free(self.values(index).len()), |mask| mask.counts())
    }

    /// Share of the weights of convolutions and linear layers that is not pruned, in [0, 1].
    pub fn remaining(&self) -> f64 {
        let weights = (0..self.len()).filter(|&index| self.structure.parameters[index].role == Role::Weight);
        let mask_counts: MaskCounts = weights.map(|index| self.mask_counts(index)).sum();
        mask_counts.surviving() as f64 / (mask_counts.size() as f64).max(1.0)
    }

    /// Multiply-adds of the surviving weights in one sample's forward pass.
    pub fn surviving_multiply_adds(&self) -> u64 {
        let layers = self.structure.layers.iter().enumerate();
        layers
            .filter_map(|(position, layer)| {
                let weight = self.structure.position(position, Role::Weight)?;
                Some(layer.multiply_adds(self.mask_counts(weight).surviving()))
            })
            .sum()
    }

    /// Writes new values into parameter `index`; held entries keep theirs.
    ///
    /// # Panics
    /// When there is not one value for each entry.
    pub fn write(&mut self, index: usize, values: &[f32]) -> Written {
        if self.masks[index].is_some() {
            return self.write_inside(index, values, &|_| true);
        }
        Arc::make_mut(&mut self.values[index]).copy_from_slice(values);
        Written { taken: values.len(), dropped: 0 }
    }

    /// Writes new values into the entries of parameter `index` that lie `inside`, and counts only those; held entries keep
    /// theirs.
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
        let entries = self.masks[index].as_deref();
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

    /// A draw of initial values for parameter `index`; `generation` 0 is the draw that it started from.
    pub fn initial_values(&self, index: usize, seed: u64, generation: u64) -> Vec<f32> {
        initial_values(&self.structure, self.initialisation, index, seed, generation)
    }

    /// Updates the running statistics with those of a mini-batch, as PyTorch does: momentum 0.1, unbiased variance. Held
    /// statistics stay as they are.
    pub fn follow(&mut self, statistics: &[BatchStatistics]) {
        for BatchStatistics { layer, mean, variance, count } in statistics {
            let unbiased = *count as f32 / (*count as f32 - 1.0).max(1.0);
            let running = [(Role::RunningMean, mean, 1.0), (Role::RunningVariance, variance, unbiased)];
            for (role, batch, factor) in running {
                let index =
                    self.structure.position(*layer, role).expect("a batch norm has running statistics");
                let old = self.values[index].iter();
                let new: Vec<f32> =
                    old.zip(batch).map(|(old, batch)| 0.9 * old + 0.1 * (batch * factor)).collect();
                self.write(index, &new);
            }
        }
    }

    /// The shared arrays of the parameters, and their masks; for checkpoints.
    pub fn arrays(&self) -> (&[Arc<Vec<f32>>], &[Option<Arc<Mask>>]) {
        (&self.values, &self.masks)
    }

    /// The same network with other arrays, such as those of a checkpoint.
    ///
    /// # Errors
    /// When they do not fit the structure.
    pub fn with_arrays(
        &self,
        values: Vec<Arc<Vec<f32>>>,
        masks: Vec<Option<Arc<Mask>>>,
    ) -> Result<Self, String> {
        let fits = values.len() == self.len()
            && masks.len() == self.len()
            && values
                .iter()
                .zip(&self.structure.parameters)
                .all(|(values, parameter)| values.len() == parameter.len())
            && masks
                .iter()
                .zip(&values)
                .all(|(mask, values)| mask.as_ref().is_none_or(|mask| mask.len() == values.len()));
        if !fits {
            return Err("the arrays do not have the shapes of the network".to_owned());
        }
        Ok(Self { values, masks, ..self.clone() })
    }

    /// A network without masks, with the same parameters and other operations; some pruning criteria are computed on one.
    ///
    /// # Panics
    /// When there is not one array for each parameter.
    pub fn with_structure(&self, structure: Arc<Structure>, values: Vec<Arc<Vec<f32>>>) -> Self {
        assert_eq!(values.len(), structure.parameters.len(), "one array for each parameter");
        let masks = vec![None; values.len()];
        Self { structure, initialisation: self.initialisation, values, masks, fixed_norms: BTreeSet::new() }
    }

    /// The network (1 − t)·self + t·other without masks, batch-norm statistics included; each value is rounded once, and
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

    /// Which entries of parameter `index` are free; none where all are.
    pub(super) fn free(&self, index: usize) -> Option<&FreeBits> {
        self.masks[index].as_deref().map(Mask::free)
    }

    /// The values of each parameter for an optimizer, and which entries are free; none where all are.
    pub(super) fn updates(&mut self) -> impl Iterator<Item = (&mut Arc<Vec<f32>>, Option<&FreeBits>)> {
        let free = self.masks.iter().map(|mask| mask.as_deref().map(Mask::free));
        self.values.iter_mut().zip(free)
    }

    /// SHA-256 over the bits of all values, as hexadecimal digits.
    pub fn checksum(&self) -> String {
        let mut hash = Sha256::new();
        let mut bytes = Vec::with_capacity(4 * HASHED);
        for values in self.values.iter().flat_map(|values| values.chunks(HASHED)) {
            bytes.clear();
            bytes.extend(values.iter().flat_map(|value| value.to_bits().to_le_bytes()));
            hash.update(&bytes);
        }
        form::number::hexadecimal(&hash.finalize())
    }

    fn name(&self, index: usize) -> &str {
        &self.structure.parameters[index].name
    }
}
