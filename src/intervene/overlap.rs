//! Overlap of two masks: between rounds, or between seeds.

use super::Entry;

/// Counts of the surviving entries of two masks. Frozen entries survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overlap {
    /// Entries that survive in both masks.
    pub both: u64,
    /// Entries that survive in at least one of them.
    pub either: u64,
}

impl Overlap {
    /// Compares two masks of one parameter.
    ///
    /// # Panics
    /// If they are not equally long.
    pub fn of(a: &[Entry], b: &[Entry]) -> Self {
        assert_eq!(a.len(), b.len(), "masks of one parameter are equally long");
        let mut overlap = Self::default();
        for (a, b) in a.iter().zip(b) {
            overlap.both += u64::from(a.survives() && b.survives());
            overlap.either += u64::from(a.survives() || b.survives());
        }
        overlap
    }

    /// The Jaccard index, both/either: 1 for equal masks (also where nothing survives), 0 for masks with no surviving
    /// entry in common.
    pub fn jaccard(self) -> f64 {
        if self.either == 0 { 1.0 } else { self.both as f64 / self.either as f64 }
    }
}

impl std::iter::Sum for Overlap {
    /// The overlap of whole networks, from those of their parameters.
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |total, part| Self {
            both: total.both + part.both,
            either: total.either + part.either,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, Overlap};

    const FREE: Entry = Entry::Free;
    const PRUNED: Entry = Entry::Pruned;
    const FROZEN: Entry = Entry::Frozen;

    #[test]
    fn the_index_is_the_share_of_common_survivors() {
        let overlap = Overlap::of(&[FREE, FREE, PRUNED, PRUNED], &[FREE, PRUNED, FROZEN, PRUNED]);
        assert_eq!(overlap, Overlap { both: 1, either: 3 });
        assert!((overlap.jaccard() - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn equal_masks_overlap_fully_and_so_do_empty_ones() {
        assert_eq!(Overlap::of(&[FREE, PRUNED], &[FROZEN, PRUNED]).jaccard(), 1.0);
        assert_eq!(Overlap::of(&[PRUNED], &[PRUNED]).jaccard(), 1.0);
        assert_eq!(Overlap::of(&[FREE, PRUNED], &[PRUNED, FREE]).jaccard(), 0.0);
    }

    #[test]
    fn the_total_weighs_parameters_by_their_entries() {
        let parts = [Overlap { both: 1, either: 1 }, Overlap { both: 0, either: 3 }];
        assert_eq!(parts.into_iter().sum::<Overlap>().jaccard(), 0.25);
    }
}
