//! What holds the entries of a network, and how they are let go.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Network;
use crate::intervene::Entry;

impl Network {
    /// Prunes entries of parameter `index`: they are held at +0.0.
    pub fn prune(&mut self, index: usize, indices: &[u32]) {
        self.pin(index, indices, Entry::Pruned);
        let values = Arc::make_mut(&mut self.values[index]);
        for &entry in indices {
            values[entry as usize] = 0.0;
        }
    }

    /// Freezes entries of parameter `index` at the values that they have, or at those given for all entries; pruned ones
    /// stay pruned.
    pub fn freeze(&mut self, index: usize, indices: &[u32], at: Option<&[f32]>) {
        let survives =
            |&&entry: &&u32| self.entries(index).is_none_or(|entries| entries[entry as usize].survives());
        let surviving: Vec<u32> = indices.iter().filter(survives).copied().collect();
        self.pin(index, &surviving, Entry::Frozen);
        let Some(at) = at else { return };
        let values = Arc::make_mut(&mut self.values[index]);
        for &entry in &surviving {
            values[entry as usize] = at[entry as usize];
        }
    }

    /// Lets entries of parameter `index` go that are held in this way and lie `inside`; they go on from the value that
    /// they have. Returns how many there were.
    pub fn release(&mut self, index: usize, held: Entry, inside: &dyn Fn(usize) -> bool) -> usize {
        let Some(entries) = &mut self.entries[index] else { return 0 };
        let mut released = 0;
        for (at, entry) in Arc::make_mut(entries).iter_mut().enumerate() {
            if *entry == held && held != Entry::Free && inside(at) {
                *entry = Entry::Free;
                released += 1;
            }
        }
        if entries.iter().all(|entry| entry.is_free()) {
            self.entries[index] = None;
        }
        released
    }

    /// Lets batch norms use their running statistics in training too, by their layers.
    pub fn fix_norms(&mut self, layers: impl IntoIterator<Item = usize>) {
        self.fixed_norms.extend(layers);
    }

    /// Lets batch norms use the statistics of the mini-batch in training again.
    pub fn free_norms(&mut self, inside: impl Fn(usize) -> bool) {
        self.fixed_norms.retain(|layer| !inside(*layer));
    }

    /// Layers of batch norms that use their running statistics in training too.
    pub const fn fixed_norms(&self) -> &BTreeSet<usize> {
        &self.fixed_norms
    }

    /// How many entries are held, and how many of them have other bits than in `before`.
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

    /// Replaces what holds the entries of parameter `index`, as a shuffled mask does: newly pruned entries become +0.0,
    /// those that come back keep the value that they have.
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
        self.entries[index] = entries.iter().any(|entry| !entry.is_free()).then(|| Arc::new(entries));
    }

    /// Takes over the values of parameter `index` of another network of the same structure, and what holds them, bit for
    /// bit; the arrays are shared until one of the two is written.
    pub fn adopt(&mut self, index: usize, from: &Self) {
        self.values[index] = from.values[index].clone();
        self.entries[index].clone_from(&from.entries[index]);
    }

    fn pin(&mut self, index: usize, indices: &[u32], state: Entry) {
        if indices.is_empty() {
            return;
        }
        let size = self.values[index].len();
        let entries = self.entries[index].get_or_insert_with(|| Arc::new(vec![Entry::Free; size]));
        let entries = Arc::make_mut(entries);
        for &entry in indices {
            entries[entry as usize] = state;
        }
    }
}
