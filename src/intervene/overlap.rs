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

/// The overlap that two independent random masks have on average.
///
/// A mask that keeps a of n entries at random and another that keeps b have |A ∩ B| entries in common, which is
/// hypergeometric with the mean ab/n; |A ∪ B| = a + b − |A ∩ B|. The level is the sum of the first means over all
/// parameters by the sum of the second, which the mean Jaccard index approaches as 1/n. With the same share r kept
/// everywhere it is r²/(2r − r²) = r/(2 − r).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ByChance {
    /// Mean number of entries that survive in both masks.
    pub both: f64,
    /// Mean number of entries that survive in at least one.
    pub either: f64,
}

impl ByChance {
    /// Of random masks that keep as many entries of a parameter as these.
    pub fn of(a: &[Entry], b: &[Entry]) -> Self {
        let kept = |mask: &[Entry]| mask.iter().filter(|entry| entry.survives()).count() as f64;
        let [kept_a, kept_b] = [kept(a), kept(b)];
        let both = kept_a * kept_b / (a.len().max(1) as f64);
        Self { both, either: kept_a + kept_b - both }
    }

    /// The Jaccard index by chance; 1 where nothing survives.
    pub fn jaccard(self) -> f64 {
        if self.either == 0.0 { 1.0 } else { self.both / self.either }
    }
}

impl std::iter::Sum for ByChance {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |total, part| Self {
            both: total.both + part.both,
            either: total.either + part.either,
        })
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
    use super::{ByChance, Entry, Overlap};

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
            sum += pairs.iter().map(|[a, b]| Overlap::of(a, b)).sum::<Overlap>().jaccard();
        }
        let parts = layers.map(|(count, a, b)| ByChance::of(&random(count, a, 0), &random(count, b, 1)));
        let level = parts.into_iter().sum::<ByChance>().jaccard();
        // (6 + 72)/(94 + 98)
        assert!((level - 78.0 / 192.0).abs() < 1e-12, "{level}");
        assert!((sum / draws as f64 - level).abs() < 0.003, "{} and {level}", sum / draws as f64);
        let half = ByChance::of(&random(100, 20, 0), &random(100, 20, 1)).jaccard();
        assert!((half - 0.2 / 1.8).abs() < 1e-12, "r/(2 − r)");
    }

    #[test]
    fn the_total_weighs_parameters_by_their_entries() {
        let parts = [Overlap { both: 1, either: 1 }, Overlap { both: 0, either: 3 }];
        assert_eq!(parts.into_iter().sum::<Overlap>().jaccard(), 0.25);
    }
}
