//! The state of one entry of a parameter.

/// Whether an entry of a parameter is trained, or what holds it.
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

    /// The state with this number in files, the inverse of `as u8`.
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
    /// Whether the optimizer may change the entry.
    pub fn is_free(self) -> bool {
        self == Self::Free
    }

    /// Whether the entry is still part of the network: everything but pruned.
    pub fn survives(self) -> bool {
        self != Self::Pruned
    }
}

/// Number of entries in each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MaskCounts {
    /// Trained entries.
    pub free: u64,
    /// Pruned entries, held at zero.
    pub pruned: u64,
    /// Frozen entries, held at a value.
    pub frozen: u64,
}

impl MaskCounts {
    /// Counts the states of a parameter.
    pub fn of(entries: &[Entry]) -> Self {
        let mut counts = Self::default();
        for entry in entries {
            *counts.of_state(*entry) += 1;
        }
        counts
    }

    /// Counts a parameter of `size` entries that are all free.
    pub fn all_free(size: usize) -> Self {
        Self { free: size as u64, ..Self::default() }
    }

    /// Counts an entry that changed its state.
    pub fn change(&mut self, before: Entry, after: Entry) {
        *self.of_state(before) -= 1;
        *self.of_state(after) += 1;
    }

    fn of_state(&mut self, state: Entry) -> &mut u64 {
        match state {
            Entry::Free => &mut self.free,
            Entry::Pruned => &mut self.pruned,
            Entry::Frozen => &mut self.frozen,
        }
    }

    /// All entries.
    pub fn size(self) -> u64 {
        self.free + self.pruned + self.frozen
    }

    /// Entries that are not pruned; reports call them "remaining".
    pub fn surviving(self) -> u64 {
        self.free + self.frozen
    }

    /// Whether pruning has removed every entry of a parameter. Such a layer cuts the network in two.
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
        let counts = MaskCounts::of(&[Entry::Free, Entry::Pruned, Entry::Frozen, Entry::Pruned]);
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
        assert!(MaskCounts::of(&[Entry::Pruned]).is_emptied());
        assert!(!MaskCounts::of(&[Entry::Pruned, Entry::Frozen]).is_emptied());
        assert!(!MaskCounts::of(&[]).is_emptied());
    }

    #[test]
    fn counts_add_up_over_parameters() {
        let total: MaskCounts =
            [MaskCounts::of(&[Entry::Free; 3]), MaskCounts::of(&[Entry::Pruned; 2])].into_iter().sum();
        assert_eq!(total, MaskCounts { free: 3, pruned: 2, frozen: 0 });
    }
}
