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

impl TryFrom<u8> for Entry {
    type Error = String;

    /// The state that a file has as this number: the inverse of `as u8`.
    fn try_from(number: u8) -> Result<Self, String> {
        match number {
            0 => Ok(Self::Free),
            1 => Ok(Self::Pruned),
            2 => Ok(Self::Frozen),
            other => Err(format!("{other} is no state of an entry")),
        }
    }
}

impl Entry {
    /// Whether the optimizer may write the entry.
    #[must_use]
    pub fn is_free(self) -> bool {
        self == Self::Free
    }

    /// Whether the entry is still part of the network: everything but pruned.
    #[must_use]
    pub fn survives(self) -> bool {
        self != Self::Pruned
    }
}

/// How many entries are in which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Census {
    /// Trained entries.
    pub free: u64,
    /// Entries held at zero.
    pub pruned: u64,
    /// Entries held at a value.
    pub frozen: u64,
}

impl Census {
    /// Counts the states of a parameter.
    #[must_use]
    pub fn of(entries: &[Entry]) -> Self {
        let mut census = Self::default();
        for entry in entries {
            *census.of_state(*entry) += 1;
        }
        census
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
    #[must_use]
    pub fn size(self) -> u64 {
        self.free + self.pruned + self.frozen
    }

    /// Entries that are not pruned: what reports call "remaining".
    #[must_use]
    pub fn surviving(self) -> u64 {
        self.free + self.frozen
    }

    /// Whether pruning has left nothing of a parameter that had entries. Such a layer cuts the network in two.
    #[must_use]
    pub fn is_emptied(self) -> bool {
        self.pruned > 0 && self.surviving() == 0
    }
}

impl std::ops::Add for Census {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            free: self.free + other.free,
            pruned: self.pruned + other.pruned,
            frozen: self.frozen + other.frozen,
        }
    }
}

impl std::iter::Sum for Census {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |total, part| total + part)
    }
}

#[cfg(test)]
mod tests {
    use super::{Census, Entry};

    #[test]
    fn frozen_entries_survive_and_pruned_ones_do_not() {
        let census = Census::of(&[Entry::Free, Entry::Pruned, Entry::Frozen, Entry::Pruned]);
        assert_eq!(census, Census { free: 1, pruned: 2, frozen: 1 });
        assert_eq!((census.size(), census.surviving()), (4, 2));
    }

    #[test]
    fn a_state_is_its_number_in_a_file() {
        for state in [Entry::Free, Entry::Pruned, Entry::Frozen] {
            assert_eq!(Entry::try_from(state as u8), Ok(state));
        }
        assert_eq!(Entry::try_from(3).unwrap_err(), "3 is no state of an entry");
    }

    #[test]
    fn an_entry_that_changes_is_counted_where_it_went() {
        let mut census = Census::all_free(3);
        census.change(Entry::Free, Entry::Pruned);
        census.change(Entry::Free, Entry::Frozen);
        census.change(Entry::Frozen, Entry::Frozen);
        assert_eq!(census, Census { free: 1, pruned: 1, frozen: 1 });
    }

    #[test]
    fn a_parameter_is_emptied_when_everything_is_pruned_and_not_when_it_never_had_entries() {
        assert!(Census::of(&[Entry::Pruned]).is_emptied());
        assert!(!Census::of(&[Entry::Pruned, Entry::Frozen]).is_emptied());
        assert!(!Census::of(&[]).is_emptied());
    }

    #[test]
    fn censuses_add_up_over_parameters() {
        let total: Census =
            [Census::of(&[Entry::Free; 3]), Census::of(&[Entry::Pruned; 2])].into_iter().sum();
        assert_eq!(total, Census { free: 3, pruned: 2, frozen: 0 });
    }
}
