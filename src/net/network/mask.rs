//! What holds the entries of a parameter.

use std::ops::Deref;

use crate::intervene::{Census, Entry};

/// The state of each entry of a parameter of which at least one is held, and how many are in which state.
///
/// The counts follow every change, so that a report never scans the entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    entries: Vec<Entry>,
    census: Census,
}

impl Mask {
    /// The mask of these entries; nothing where all are free.
    pub fn new(entries: Vec<Entry>) -> Option<Self> {
        let census = Census::of(&entries);
        (census.free < census.size()).then_some(Self { entries, census })
    }

    /// A mask of `size` free entries, some of which are about to be held.
    pub(super) fn all_free(size: usize) -> Self {
        Self { entries: vec![Entry::Free; size], census: Census::all_free(size) }
    }

    /// How many entries are in which state.
    pub const fn census(&self) -> Census {
        self.census
    }

    /// Puts an entry into a state.
    pub(super) fn set(&mut self, entry: usize, state: Entry) {
        let before = std::mem::replace(&mut self.entries[entry], state);
        self.census.change(before, state);
    }
}

impl Deref for Mask {
    type Target = [Entry];

    fn deref(&self) -> &[Entry] {
        &self.entries
    }
}
