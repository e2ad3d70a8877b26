//! Masks: the state of each entry of a parameter, what two masks have in common, and masks with the same counts in other places.

use rand::Rng;

use crate::Scope;
use crate::draw::Sample;

/// The state of an entry of a parameter: trained, or held in some way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Entry {
    /// Trained by the optimizer.
    #[default]
    Free,
    /// Held at +0.0; part of the mask.
    Pruned,
    /// Held at a value; survives, but is no candidate for pruning.
    Frozen,
}

impl TryFrom<u8> for Entry {
    type Error = String;

    /// Returns the state with this number in files, the inverse of `as u8`.
    fn try_from(number: u8) -> Result<Self, String> {
        match number {
            0 => Ok(Self::Free),
            1 => Ok(Self::Pruned),
            2 => Ok(Self::Frozen),
            other => Err(format!("{other} is not a state of an entry")),
        }
    }
}

impl Entry {
    /// Returns true if the optimizer may change the entry.
    #[inline]
    pub fn is_free(self) -> bool {
        self == Self::Free
    }

    /// Returns true if the entry is still part of the network: everything but pruned.
    #[inline]
    pub fn survives(self) -> bool {
        self != Self::Pruned
    }
}

/// Number of entries in each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MaskCounts {
    pub free: u64,
    /// Pruned entries, held at zero.
    pub pruned: u64,
    /// Frozen entries, held at a value.
    pub frozen: u64,
}

impl MaskCounts {
    /// Counts the states of a parameter.
    pub fn new(entries: &[Entry]) -> Self {
        let mut counts = Self::default();
        for entry in entries {
            *counts.count_mut(*entry) += 1;
        }
        counts
    }

    /// Counts a parameter of `size` entries that are all free.
    pub fn all_free(size: usize) -> Self {
        Self { free: size as u64, ..Self::default() }
    }

    /// Counts an entry that changed its state.
    #[inline]
    pub fn change(&mut self, before: Entry, after: Entry) {
        *self.count_mut(before) -= 1;
        *self.count_mut(after) += 1;
    }

    fn count_mut(&mut self, state: Entry) -> &mut u64 {
        match state {
            Entry::Free => &mut self.free,
            Entry::Pruned => &mut self.pruned,
            Entry::Frozen => &mut self.frozen,
        }
    }

    /// Returns all entries.
    pub fn size(self) -> u64 {
        self.free + self.pruned + self.frozen
    }

    /// Returns the entries that are not pruned; reports call them "remaining".
    pub fn surviving(self) -> u64 {
        self.free + self.frozen
    }

    /// Returns true if pruning has removed every entry of a parameter. Such a layer cuts the network in two.
    pub fn is_emptied(self) -> bool {
        self.pruned > 0 && self.surviving() == 0
    }
}

impl std::ops::Add for MaskCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            free: self.free + other.free,
            pruned: self.pruned + other.pruned,
            frozen: self.frozen + other.frozen,
        }
    }
}

impl std::iter::Sum for MaskCounts {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |total, part| total + part)
    }
}

/// The surviving entries of two masks, counted or on average. Frozen entries survive.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Overlap {
    /// Entries that survive in both masks.
    pub both: f64,
    /// Entries that survive in at least one of them.
    pub either: f64,
}

impl Overlap {
    /// Compares two masks of one parameter.
    pub fn new(a: &[Entry], b: &[Entry]) -> Self {
        assert_eq!(a.len(), b.len(), "masks of one parameter are equally long");
        let count = |survives: fn(Entry, Entry) -> bool| {
            a.iter().zip(b).filter(|(a, b)| survives(**a, **b)).count() as f64
        };
        Self {
            both: count(|a, b| a.survives() && b.survives()),
            either: count(|a, b| a.survives() || b.survives()),
        }
    }

    /// Computes the overlap that two independent random masks have on average which keep as many entries of a parameter
    /// as these.
    ///
    /// A mask that keeps a of n entries at random and another that keeps b have |A ∩ B| entries in common, which is
    /// hypergeometric with the mean ab/n; |A ∪ B| = a + b − |A ∩ B|. The level is the sum of the first means over all
    /// parameters by the sum of the second, which the mean Jaccard index approaches as 1/n. With the same share r kept
    /// everywhere it is r²/(2r − r²) = r/(2 − r).
    pub fn by_chance(a: &[Entry], b: &[Entry]) -> Self {
        let kept = |mask: &[Entry]| mask.iter().filter(|entry| entry.survives()).count() as f64;
        let [kept_a, kept_b] = [kept(a), kept(b)];
        let both = kept_a * kept_b / (a.len().max(1) as f64);
        Self { both, either: kept_a + kept_b - both }
    }

    /// Returns the Jaccard index, both/either: 1 for equal masks (also where nothing survives), 0 for masks with no
    /// surviving entry in common.
    pub fn jaccard(self) -> f64 {
        if self.either == 0.0 { 1.0 } else { self.both / self.either }
    }
}

impl std::iter::Sum for Overlap {
    /// Returns the overlap of whole networks, from those of their parameters.
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |total, part| Self {
            both: total.both + part.both,
            either: total.either + part.either,
        })
    }
}

/// Draws new states for the masks of several parameters, each given with the number of its layer: each layer (or all of them
/// together) has as many pruned entries as before, in places where every choice is equally likely. Frozen entries stay as they
/// are and where they are. It is the control for "it is the place that matters".
pub fn shuffle_masks(masks: &[(usize, &[Entry])], scope: Scope, rng: &mut impl Rng) -> Vec<Vec<Entry>> {
    let mut shuffled: Vec<Vec<Entry>> = masks.iter().map(|(_, entries)| entries.to_vec()).collect();
    for group in scope.groups(masks.iter().map(|(layer, _)| *layer).enumerate()) {
        let counts: MaskCounts = group.iter().map(|&position| MaskCounts::new(masks[position].1)).sum();
        let mut sample = Sample::new(counts.pruned, counts.pruned + counts.free);
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
    use proptest::prelude::*;

    use super::*;
    use crate::stream::{Purpose, stream};

    #[test]
    fn frozen_entries_survive_and_pruned_ones_do_not() {
        let counts = MaskCounts::new(&[Entry::Free, Entry::Pruned, Entry::Frozen, Entry::Pruned]);
        assert_eq!(counts, MaskCounts { free: 1, pruned: 2, frozen: 1 });
        assert_eq!((counts.size(), counts.surviving()), (4, 2));
    }

    #[test]
    fn a_state_is_its_number_in_a_file() {
        for state in [Entry::Free, Entry::Pruned, Entry::Frozen] {
            assert_eq!(Entry::try_from(state as u8), Ok(state));
        }
        assert_eq!(Entry::try_from(3).unwrap_err(), "3 is not a state of an entry");
    }

    #[test]
    fn an_entry_that_changes_is_counted_where_it_went() {
        let mut counts = MaskCounts::all_free(3);
        counts.change(Entry::Free, Entry::Pruned);
        counts.change(Entry::Free, Entry::Frozen);
        counts.change(Entry::Frozen, Entry::Frozen);
        assert_eq!(counts, MaskCounts { free: 1, pruned: 1, frozen: 1 });
    }

    #[test]
    fn a_parameter_is_emptied_when_everything_is_pruned_and_not_when_it_never_had_entries() {
        assert!(MaskCounts::new(&[Entry::Pruned]).is_emptied());
        assert!(!MaskCounts::new(&[Entry::Pruned, Entry::Frozen]).is_emptied());
        assert!(!MaskCounts::new(&[]).is_emptied());
    }

    #[test]
    fn counts_add_up_over_parameters() {
        let total: MaskCounts =
            [MaskCounts::new(&[Entry::Free; 3]), MaskCounts::new(&[Entry::Pruned; 2])].into_iter().sum();
        assert_eq!(total, MaskCounts { free: 3, pruned: 2, frozen: 0 });
    }

    const FREE: Entry = Entry::Free;
    const PRUNED: Entry = Entry::Pruned;
    const FROZEN: Entry = Entry::Frozen;

    #[test]
    fn the_index_is_the_share_of_common_survivors() {
        let overlap = Overlap::new(&[FREE, FREE, PRUNED, PRUNED], &[FREE, PRUNED, FROZEN, PRUNED]);
        assert_eq!(overlap, Overlap { both: 1.0, either: 3.0 });
        assert!((overlap.jaccard() - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn equal_masks_overlap_fully_and_so_do_empty_ones() {
        assert_eq!(Overlap::new(&[FREE, PRUNED], &[FROZEN, PRUNED]).jaccard(), 1.0);
        assert_eq!(Overlap::new(&[PRUNED], &[PRUNED]).jaccard(), 1.0);
        assert_eq!(Overlap::new(&[FREE, PRUNED], &[PRUNED, FREE]).jaccard(), 0.0);
    }

    /// The first `kept` of `count` entries survive, then they are shuffled.
    fn random(count: usize, kept: usize, draw: u64) -> Vec<Entry> {
        let mut mask: Vec<Entry> = (0..count).map(|at| if at < kept { FREE } else { PRUNED }).collect();
        let mut state = draw;
        for at in (1..count).rev() {
            // SplitMix64.
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mask.swap(at, ((mixed ^ (mixed >> 31)) % (at as u64 + 1)) as usize);
        }
        mask
    }

    #[test]
    fn random_masks_overlap_as_much_as_the_chance_level_says() {
        // Two parameters that keep different shares: not r/(2 − r) of the whole.
        let layers = [(400, 40, 60), (100, 90, 80)];
        let draws = 400;
        let mut sum = 0.0;
        for draw in 0..draws {
            let pair = |at: u64, (count, a, b): (usize, usize, usize)| {
                [
                    random(count, a, 1_000_003 * (4 * draw + at)),
                    random(count, b, 1_000_003 * (4 * draw + at + 1)),
                ]
            };
            let pairs = [pair(0, layers[0]), pair(2, layers[1])];
            sum += pairs.iter().map(|[a, b]| Overlap::new(a, b)).sum::<Overlap>().jaccard();
        }
        let parts =
            layers.map(|(count, a, b)| Overlap::by_chance(&random(count, a, 0), &random(count, b, 1)));
        let level = parts.into_iter().sum::<Overlap>().jaccard();
        // (6 + 72)/(94 + 98)
        assert!((level - 78.0 / 192.0).abs() < 1e-12, "{level}");
        assert!((sum / draws as f64 - level).abs() < 0.003, "{} and {level}", sum / draws as f64);
        let half = Overlap::by_chance(&random(100, 20, 0), &random(100, 20, 1)).jaccard();
        assert!((half - 0.2 / 1.8).abs() < 1e-12, "r/(2 − r)");
    }

    #[test]
    fn the_total_weighs_parameters_by_their_entries() {
        let parts = [Overlap { both: 1.0, either: 1.0 }, Overlap { both: 0.0, either: 3.0 }];
        assert_eq!(parts.into_iter().sum::<Overlap>().jaccard(), 0.25);
    }

    fn numbered(layers: &[Vec<Entry>]) -> Vec<(usize, &[Entry])> {
        layers.iter().map(Vec::as_slice).enumerate().collect()
    }

    #[test]
    fn across_layers_the_pruned_entries_spread_out() {
        let layers = [vec![Entry::Pruned; 100], vec![Entry::Free; 100]];
        let shuffled = shuffle_masks(&numbered(&layers), Scope::Global, &mut stream(0, Purpose::Mask, &[]));
        let pruned: Vec<u64> = shuffled.iter().map(|entries| MaskCounts::new(entries).pruned).collect();
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
                let shuffled = shuffle_masks(&numbered(&layers), scope, &mut stream(seed, Purpose::Mask, &[]));
                let count = |layers: &[Vec<Entry>]| layers.iter().map(|l| MaskCounts::new(l)).collect::<Vec<_>>();
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
