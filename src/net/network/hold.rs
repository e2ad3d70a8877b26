//! Pruning, freezing and releasing the entries of a network.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Mask, Network};
use doc::structure::LayerKind;
use intervene::Entry;

impl Network {
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

    /// Whether a batch norm uses the statistics of mini-batches in training.
    pub fn has_free_norm(&self) -> bool {
        let mut layers = self.structure.layers.iter().enumerate();
        layers.any(|(position, layer)| {
            layer.kind == LayerKind::BatchNorm && !self.fixed_norms.contains(&position)
        })
    }

    /// The batch norm that cannot train on a mini-batch of so many samples: it would see one value for each channel.
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

    /// Layers of the batch norms that use their running statistics in training too.
    pub const fn fixed_norms(&self) -> &BTreeSet<usize> {
        &self.fixed_norms
    }

    /// How many entries are held, and how many of them differ in their bits from `before`.
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
}
