//! The state of one entry of a weight.

/// What holds an entry of a parameter, if anything does.
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

impl Entry {
    /// Whether the optimizer may write the entry.
    pub fn is_free(self) -> bool {
        self == Self::Free
    }

    /// Whether the entry is still part of the network: everything but pruned.
    pub fn survives(self) -> bool {
        self != Self::Pruned
    }
}

/// How many entries are in which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MaskCounts {
    /// Trained entries.
    pub free: u64,
    /// Entries held at zero.
    pub pruned: u64,
    /// Entries held at a value.
    pub frozen: u64,
}

impl MaskCounts {
    /// Counts the states of a parameter.
    pub fn of(entries: &[Entry]) -> Self {
        let mut mask_counts = Self::default();
        for entry in entries {
            match entry {
                Entry::Free => mask_counts.free += 1,
                Entry::Pruned => mask_counts.pruned += 1,
                Entry::Frozen => mask_counts.frozen += 1,
            }
        }
        mask_counts
    }

    /// All entries.
    pub fn size(self) -> u64 {
        self.free + self.pruned + self.frozen
    }

    /// Entries that are not pruned: what reports call "remaining".
    pub fn surviving(self) -> u64 {
        self.free + self.frozen
    }

    /// Whether pruning has left nothing of a parameter that had entries. Such a layer cuts the network in two.
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

#[cfg(test)]
mod tests {
    use super::{Entry, MaskCounts};

    #[test]
    fn frozen_entries_survive_and_pruned_ones_do_not() {
        let mask_counts = MaskCounts::of(&[Entry::Free, Entry::Pruned, Entry::Frozen, Entry::Pruned]);
        assert_eq!(mask_counts, MaskCounts { free: 1, pruned: 2, frozen: 1 });
        assert_eq!((mask_counts.size(), mask_counts.surviving()), (4, 2));
    }

    #[test]
    fn a_parameter_is_emptied_when_everything_is_pruned_and_not_when_it_never_had_entries() {
        assert!(MaskCounts::of(&[Entry::Pruned]).is_emptied());
        assert!(!MaskCounts::of(&[Entry::Pruned, Entry::Frozen]).is_emptied());
        assert!(!MaskCounts::of(&[]).is_emptied());
    }

    #[test]
    fn censuses_add_up_over_parameters() {
        let total: MaskCounts =
            [MaskCounts::of(&[Entry::Free; 3]), MaskCounts::of(&[Entry::Pruned; 2])].into_iter().sum();
        assert_eq!(total, MaskCounts { free: 3, pruned: 2, frozen: 0 });
    }
}
