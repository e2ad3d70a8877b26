//! A network as data: the values of named parameters and their masks.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use doc::structure::{LayerKind, Parameter, Role, Structure};
use intervene::init::{self, Fans};
use intervene::stream::{Purpose, stream};
use intervene::{BiasInit, Entry, Init, MaskCounts};
use kernels::part::FreeBits;
use sha2::{Digest, Sha256};

use crate::compute::BatchStatistics;
use crate::weights_file::f32_bytes;

const HASHED: usize = 4096;

/// The distributions of initial values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Initialisation {
    pub weights: Init,
    pub biases: BiasInit,
}

/// Counts of the values that a parameter took or dropped.
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
    /// Returns a network with initial values drawn from the seed's stream; `generation` 0 is the first draw, others
    /// are independent of it.
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

    /// Returns layers, parameters and operations.
    #[inline]
    pub fn structure(&self) -> &Arc<Structure> {
        &self.structure
    }

    /// Returns the number of parameters.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns true if there are no parameters.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the values of parameter `index`, flat in PyTorch's layout.
    #[inline]
    pub fn values(&self, index: usize) -> &[f32] {
        &self.values[index]
    }

    /// Returns the state of each entry of parameter `index`; none where all are free.
    #[inline]
    pub fn entries(&self, index: usize) -> Option<&[Entry]> {
        self.masks[index].as_deref().map(|mask| &**mask)
    }

    /// Returns the state of each entry of parameter `index`, all free ones too.
    pub fn all_entries(&self, index: usize) -> Vec<Entry> {
        self.entries(index).map_or_else(|| vec![Entry::Free; self.values(index).len()], <[Entry]>::to_vec)
    }

    /// Counts the entries of parameter `index` by their state.
    pub fn mask_counts(&self, index: usize) -> MaskCounts {
        self.masks[index]
            .as_ref()
            .map_or_else(|| MaskCounts::all_free(self.values(index).len()), |mask| mask.counts())
    }

    /// Returns the share of the weights of convolutions and linear layers that is not pruned, in [0, 1].
    pub fn remaining(&self) -> f64 {
        let weights = (0..self.len()).filter(|&index| self.structure.parameters[index].role == Role::Weight);
        let mask_counts: MaskCounts = weights.map(|index| self.mask_counts(index)).sum();
        mask_counts.surviving() as f64 / (mask_counts.size() as f64).max(1.0)
    }

    /// Returns the multiply-adds of the surviving weights in one sample's forward pass.
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
    pub fn write(&mut self, index: usize, values: &[f32]) -> Written {
        if self.masks[index].is_some() {
            return self.write_inside(index, values, &|_| true);
        }
        Arc::make_mut(&mut self.values[index]).copy_from_slice(values);
        Written { taken: values.len(), dropped: 0 }
    }

    /// Writes new values into the entries of parameter `index` that lie `inside`, and counts only those; held entries keep
    /// theirs.
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

    /// Returns a draw of initial values for parameter `index`; `generation` 0 is the draw that it started from.
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

    /// Returns the shared arrays of the parameters, and their masks; for checkpoints.
    pub fn arrays(&self) -> (&[Arc<Vec<f32>>], &[Option<Arc<Mask>>]) {
        (&self.values, &self.masks)
    }

    /// Returns the same network with other arrays, such as those of a checkpoint.
    ///
    /// # Errors
    /// When they do not fit the structure.
    pub fn with_arrays(
        &self,
        values: Vec<Arc<Vec<f32>>>,
        masks: Vec<Option<Arc<Mask>>>,
    ) -> Result<Self, String> {
        let sizes = self.structure.parameters.iter().map(Parameter::len);
        let fits = values.iter().map(|values| values.len()).eq(sizes)
            && masks.len() == self.len()
            && masks
                .iter()
                .zip(&values)
                .all(|(mask, values)| mask.as_ref().is_none_or(|mask| mask.len() == values.len()));
        if !fits {
            return Err("the arrays do not have the shapes of the network".to_owned());
        }
        Ok(Self { values, masks, ..self.clone() })
    }

    /// Returns a network without masks, with the same parameters and other operations; some pruning criteria are
    /// computed on one.
    pub fn with_structure(&self, structure: Arc<Structure>, values: Vec<Arc<Vec<f32>>>) -> Self {
        assert_eq!(values.len(), structure.parameters.len(), "one array for each parameter");
        let masks = vec![None; values.len()];
        Self { structure, initialisation: self.initialisation, values, masks, fixed_norms: BTreeSet::new() }
    }

    /// Returns the network (1 − t)·self + t·other without masks, batch-norm statistics included; each value is
    /// rounded once, and t = 0 and t = 1 are exactly the two ends.
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

    /// Returns which entries of parameter `index` are free; none where all are.
    pub(super) fn free(&self, index: usize) -> Option<&FreeBits> {
        self.masks[index].as_deref().map(Mask::free)
    }

    /// Returns the values of each parameter for an optimizer, and which entries are free; none where all are.
    pub(super) fn updates(&mut self) -> impl Iterator<Item = (&mut Arc<Vec<f32>>, Option<&FreeBits>)> {
        let free = self.masks.iter().map(|mask| mask.as_deref().map(Mask::free));
        self.values.iter_mut().zip(free)
    }

    /// Prunes entries of parameter `index`: they are held at +0.0.
    pub fn prune(&mut self, index: usize, indices: &[u32]) {
        self.hold(index, indices, Entry::Pruned);
        let values = Arc::make_mut(&mut self.values[index]);
        for &entry in indices {
            values[entry as usize] = 0.0;
        }
    }

    /// Freezes entries of parameter `index` at their present values, or at those given for all entries; pruned entries stay
    /// pruned.
    pub fn freeze(&mut self, index: usize, indices: &[u32], at: Option<&[f32]>) {
        let survives =
            |&&entry: &&u32| self.entries(index).is_none_or(|entries| entries[entry as usize].survives());
        let surviving: Vec<u32> = indices.iter().filter(survives).copied().collect();
        self.hold(index, &surviving, Entry::Frozen);
        let Some(at) = at else { return };
        let values = Arc::make_mut(&mut self.values[index]);
        for &entry in &surviving {
            values[entry as usize] = at[entry as usize];
        }
    }

    /// Releases the entries of parameter `index` that are held in this way and lie `inside`; they continue from their present
    /// value. Returns how many there were.
    pub fn release(&mut self, index: usize, held: Entry, inside: &dyn Fn(usize) -> bool) -> usize {
        let Some(mask) = &mut self.masks[index] else { return 0 };
        let is_released = |(at, entry): &(usize, &Entry)| **entry == held && !held.is_free() && inside(*at);
        let released: Vec<usize> = mask.iter().enumerate().filter(is_released).map(|(at, _)| at).collect();
        let mask = Arc::make_mut(mask);
        for &entry in &released {
            mask.set(entry, Entry::Free);
        }
        if mask.counts().free == mask.len() as u64 {
            self.masks[index] = None;
        }
        released.len()
    }

    /// Makes the batch norms of these layers use their running statistics in training too.
    pub fn fix_norms(&mut self, layers: impl IntoIterator<Item = usize>) {
        self.fixed_norms.extend(layers);
    }

    /// Makes batch norms use the statistics of the mini-batch in training again.
    pub fn free_norms(&mut self, inside: impl Fn(usize) -> bool) {
        self.fixed_norms.retain(|layer| !inside(*layer));
    }

    /// Returns true if a batch norm uses the statistics of mini-batches in training.
    pub fn has_free_norm(&self) -> bool {
        let mut layers = self.structure.layers.iter().enumerate();
        layers.any(|(position, layer)| {
            layer.kind == LayerKind::BatchNorm && !self.fixed_norms.contains(&position)
        })
    }

    /// Returns the batch norm that cannot train on a mini-batch of so many samples: it would see one value for each
    /// channel.
    pub fn norm_of_one_value(&self, samples: usize) -> Option<&str> {
        let mut norms = self.structure.norms_of_one_value().filter(|norm| !self.fixed_norms.contains(norm));
        norms.next().filter(|_| samples == 1).map(|norm| self.structure.layers[norm].name.as_str())
    }

    /// Freezes the running statistics that are held in another network of the same structure, at their present values
    /// here, and makes the batch norms that use their running statistics in training there do so here.
    pub fn hold_statistics_like(&mut self, other: &Self) {
        self.fix_norms(other.fixed_norms.iter().copied());
        let structure = self.structure.clone();
        let statistics = structure.parameters.iter().enumerate();
        for (index, _) in statistics.filter(|(_, parameter)| !parameter.role.is_trained()) {
            let held = other.entries(index).unwrap_or_default().iter().zip(0..);
            let held: Vec<u32> =
                held.filter(|(entry, _)| !entry.is_free()).map(|(_, position)| position).collect();
            self.freeze(index, &held, None);
        }
    }

    /// Returns the layers of the batch norms that use their running statistics in training too.
    pub const fn fixed_norms(&self) -> &BTreeSet<usize> {
        &self.fixed_norms
    }

    /// Counts the entries that are held, and those of them that differ in their bits from `before`.
    pub fn compare_held(&self, before: &Self) -> (u64, u64) {
        let (mut held, mut changed) = (0, 0);
        for index in 0..self.len() {
            let Some(entries) = self.entries(index) else { continue };
            let pairs = self.values(index).iter().zip(before.values(index)).zip(entries);
            for ((now, then), _) in pairs.filter(|(_, entry)| !entry.is_free()) {
                held += 1;
                changed += u64::from(now.to_bits() != then.to_bits());
            }
        }
        (held, changed)
    }

    /// Replaces the mask of parameter `index`, for example by a shuffled one: newly pruned entries become +0.0, entries that
    /// come back keep their present value.
    pub fn set_entries(&mut self, index: usize, entries: Vec<Entry>) {
        assert_eq!(
            entries.len(),
            self.values[index].len(),
            "one state for each entry of {}",
            self.name(index)
        );
        let values = Arc::make_mut(&mut self.values[index]);
        for (value, _) in values.iter_mut().zip(&entries).filter(|(_, entry)| **entry == Entry::Pruned) {
            *value = 0.0;
        }
        self.masks[index] = Mask::new(entries).map(Arc::new);
    }

    /// Takes over the values and the mask of parameter `index` of another network of the same structure; the two share the
    /// arrays until one of them is written.
    pub fn adopt(&mut self, index: usize, from: &Self) {
        self.values[index] = from.values[index].clone();
        self.masks[index].clone_from(&from.masks[index]);
    }

    fn hold(&mut self, index: usize, indices: &[u32], state: Entry) {
        if indices.is_empty() {
            return;
        }
        let size = self.values[index].len();
        let mask = self.masks[index].get_or_insert_with(|| Arc::new(Mask::all_free(size)));
        let mask = Arc::make_mut(mask);
        for &entry in indices {
            mask.set(entry as usize, state);
        }
    }

    /// Returns the same network as a view reads it: with these values, held entries included.
    pub fn reading_as(&self, values: Vec<Arc<Vec<f32>>>) -> Self {
        let sizes = |values: &[Arc<Vec<f32>>]| values.iter().map(|values| values.len()).collect::<Vec<_>>();
        assert_eq!(sizes(&values), sizes(&self.values), "a view has the shapes of the network");
        Self { values, ..self.clone() }
    }

    /// Makes one entry of parameter `index` read as another value, held or not. For views only:
    /// networks that are trained or saved change through [`write`](Self::write).
    pub fn overlay(&mut self, index: usize, entry: usize, value: f32) {
        Arc::make_mut(&mut self.values[index])[entry] = value;
    }

    /// Returns true if both share all arrays, so that any result of one holds for the other.
    pub fn shares_arrays(&self, other: &Self) -> bool {
        let address = |mask: &Option<Arc<Mask>>| mask.as_ref().map(Arc::as_ptr);
        self.len() == other.len()
            && self.values.iter().zip(&other.values).all(|(a, b)| Arc::ptr_eq(a, b))
            && self.masks.iter().zip(&other.masks).all(|(a, b)| address(a) == address(b))
    }

    /// Returns the SHA-256 over the bits of all values, as hexadecimal digits.
    pub fn checksum(&self) -> String {
        let mut hash = Sha256::new();
        for values in self.values.iter().flat_map(|values| values.chunks(HASHED)) {
            hash.update(f32_bytes(values));
        }
        form::number::hexadecimal(&hash.finalize())
    }

    fn name(&self, index: usize) -> &str {
        &self.structure.parameters[index].name
    }
}

/// The state of each entry of a parameter with held entries, and the number of entries in each state.
///
/// The counts and the bits are kept up to date with every change, so that neither a report nor a step scans the entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    entries: Vec<Entry>,
    counts: MaskCounts,
    free: FreeBits,
}

impl Mask {
    /// Returns the mask of these entries; nothing where all are free.
    pub fn new(entries: Vec<Entry>) -> Option<Self> {
        let counts = MaskCounts::new(&entries);
        (counts.free < counts.size()).then(|| {
            let free = FreeBits::new(entries.len(), |entry| entries[entry].is_free());
            Self { entries, counts, free }
        })
    }

    /// Returns a mask of `size` free entries, some of which are about to be held.
    pub(super) fn all_free(size: usize) -> Self {
        let (counts, free) = (MaskCounts::all_free(size), FreeBits::new(size, |_| true));
        Self { entries: vec![Entry::Free; size], counts, free }
    }

    pub const fn counts(&self) -> MaskCounts {
        self.counts
    }

    /// Puts an entry into a state.
    pub(super) fn set(&mut self, entry: usize, state: Entry) {
        let before = std::mem::replace(&mut self.entries[entry], state);
        self.counts.change(before, state);
        self.free.set(entry, state.is_free());
    }

    /// Returns which entries are free.
    pub(crate) const fn free(&self) -> &FreeBits {
        &self.free
    }
}

impl Deref for Mask {
    type Target = [Entry];

    fn deref(&self) -> &[Entry] {
        &self.entries
    }
}

/// Returns initial values of a parameter. Each parameter has its own stream, so changing one layer leaves the initial
/// values of the others as they were.
fn initial_values(
    structure: &Structure,
    initialisation: Initialisation,
    index: usize,
    seed: u64,
    generation: u64,
) -> Vec<f32> {
    let parameter = &structure.parameters[index];
    let mut rng = stream(seed, Purpose::Init, &[generation, index as u64]);
    match parameter.role {
        Role::Weight => init::weight(initialisation.weights, &parameter.shape, &mut rng),
        Role::Bias => {
            let weight = structure.weight(parameter.layer).expect("a layer with a bias has a weight");
            let fan_in = Fans::new(&weight.shape).fan_in;
            init::bias(initialisation.biases, initialisation.weights, parameter.len(), fan_in, &mut rng)
        }
        Role::Scale | Role::RunningVariance => vec![1.0; parameter.len()],
        Role::Shift | Role::RunningMean => vec![0.0; parameter.len()],
    }
}
