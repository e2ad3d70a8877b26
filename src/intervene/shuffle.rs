//! The control for "it is the place that matters": as many pruned entries, in other places.

use super::draw::Sample;
use super::{Entry, MaskCounts, Scope};
use rand::Rng;

/// A parameter whose mask may be moved.
#[derive(Debug, Clone, Copy)]
pub struct Region<'a> {
    /// The layer that it belongs to, counted in the order of the network.
    pub layer: usize,
    /// What holds each entry.
    pub entries: &'a [Entry],
}

/// New states for every region: each layer (or all of them together) has as many pruned entries as before, in places
/// where every choice is equally likely. Frozen entries stay as they are and where they are.
pub fn shuffle(regions: &[Region], scope: Scope, rng: &mut impl Rng) -> Vec<Vec<Entry>> {
    let mut shuffled: Vec<Vec<Entry>> = regions.iter().map(|region| region.entries.to_vec()).collect();
    for group in scope.groups(regions.iter().map(|region| region.layer).enumerate()) {
        let mask_counts: MaskCounts =
            group.iter().map(|&position| MaskCounts::of(regions[position].entries)).sum();
        let mut sample = Sample::new(mask_counts.pruned, mask_counts.pruned + mask_counts.free);
        for &position in &group {
            for entry in shuffled[position].iter_mut().filter(|entry| **entry != Entry::Frozen) {
                *entry = if sample.takes(rng) { Entry::Pruned } else { Entry::Free };
            }
        }
    }
    shuffled
}

#[cfg(test)]
mod tests {
    use super::{Region, shuffle};
    use crate::stream::{Purpose, stream};
    use crate::{Entry, MaskCounts, Scope};
    use proptest::prelude::*;

    fn regions(layers: &[Vec<Entry>]) -> Vec<Region<'_>> {
        layers.iter().enumerate().map(|(layer, entries)| Region { layer, entries }).collect()
    }

    #[test]
    fn across_layers_the_pruned_entries_spread_out() {
        let layers = [vec![Entry::Pruned; 100], vec![Entry::Free; 100]];
        let shuffled = shuffle(&regions(&layers), Scope::Global, &mut stream(0, Purpose::Mask, &[]));
        let pruned: Vec<u64> = shuffled.iter().map(|entries| MaskCounts::of(entries).pruned).collect();
        assert_eq!(pruned.iter().sum::<u64>(), 100);
        assert!((30..70).contains(&pruned[0]), "{pruned:?}");
    }

    fn any_entries() -> impl Strategy<Value = Vec<Entry>> {
        let entry = prop_oneof![Just(Entry::Free), Just(Entry::Pruned), Just(Entry::Frozen)];
        prop::collection::vec(entry, 0..40)
    }

    proptest! {
        #[test]
        fn counts_stay_and_frozen_entries_do_not_move(
            layers in prop::collection::vec(any_entries(), 0..4),
            seed: u64,
        ) {
            for scope in [Scope::PerLayer, Scope::Global] {
                let shuffled = shuffle(&regions(&layers), scope, &mut stream(seed, Purpose::Mask, &[]));
                let count = |layers: &[Vec<Entry>]| layers.iter().map(|l| MaskCounts::of(l)).collect::<Vec<_>>();
                let (before, after) = (count(&layers), count(&shuffled));
                match scope {
                    Scope::PerLayer => prop_assert_eq!(before, after),
                    Scope::Global => prop_assert_eq!(
                        before.into_iter().sum::<MaskCounts>(), after.into_iter().sum::<MaskCounts>()
                    ),
                }
                for (was, is) in layers.iter().flatten().zip(shuffled.iter().flatten()) {
                    prop_assert_eq!(*was == Entry::Frozen, *is == Entry::Frozen);
                }
            }
        }
    }
}
