//! The mask of a parameter.

use std::ops::Deref;

use crate::kernels::free::FreeBits;
use intervene::{Entry, MaskCounts};

/// The state of each entry of a parameter with held entries, and the number of entries in each state.
///
/// The counts and the bits are kept up to date with every change, so that neither a report nor a step scans the entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    entries: Vec<Entry>,
    counts: MaskCounts,
    free: FreeBits,
}

impl Mask {
    /// The mask of these entries; nothing where all are free.
    pub fn new(entries: Vec<Entry>) -> Option<Self> {
        let counts = MaskCounts::of(&entries);
        (counts.free < counts.size()).then(|| {
            let free = FreeBits::new(entries.len(), |entry| entries[entry].is_free());
            Self { entries, counts, free }
        })
    }

    /// A mask of `size` free entries, some of which are about to be held.
    pub(super) fn all_free(size: usize) -> Self {
        let (counts, free) = (MaskCounts::all_free(size), FreeBits::new(size, |_| true));
        Self { entries: vec![Entry::Free; size], counts, free }
    }

    /// How many entries are in which state.
    pub const fn counts(&self) -> MaskCounts {
        self.counts
    }

    /// Puts an entry into a state.
    pub(super) fn set(&mut self, entry: usize, state: Entry) {
        let before = std::mem::replace(&mut self.entries[entry], state);
        self.counts.change(before, state);
        self.free.set(entry, state.is_free());
    }

    /// Which entries are free.
    pub(crate) const fn free(&self) -> &FreeBits {
        &self.free
    }
}

impl Deref for Mask {
    type Target = [Entry];

    fn deref(&self) -> &[Entry] {
        &self.entries
    }
}
