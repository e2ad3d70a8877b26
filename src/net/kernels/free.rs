//! Which entries of a parameter are free, a bit for each.

use super::simd::LANES;

/// A bit for each entry, set where an optimizer changes it. A word has sixteen of them, the first entry's the lowest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeBits {
    words: Vec<u16>,
}

/// One of so many words is looked at; an odd number, since rows have even ones of words.
const LOOK: usize = 7;

impl FreeBits {
    /// The bits of so many entries.
    pub fn new(size: usize, is_free: impl Fn(usize) -> bool) -> Self {
        let mut bits = Self { words: vec![0; size.div_ceil(LANES)] };
        (0..size).filter(|entry| is_free(*entry)).for_each(|entry| bits.set(entry, true));
        bits
    }

    /// Sets or clears the bit of an entry.
    pub fn set(&mut self, entry: usize, is_free: bool) {
        let (word, bit) = (&mut self.words[entry / LANES], 1 << (entry % LANES));
        *word = if is_free { *word | bit } else { *word & !bit };
    }

    /// The words of the entries from `first` on, which begins a word.
    #[inline(always)]
    pub fn words(&self, first: usize) -> &[u16] {
        debug_assert!(first.is_multiple_of(LANES), "the start of a word");
        &self.words[first / LANES..]
    }

    /// Whether any of at most sixteen entries from `first` on is free.
    #[inline(always)]
    pub fn any(&self, first: usize, count: usize) -> bool {
        let (word, shift) = (first / LANES, first % LANES);
        let next = self.words.get(word + 1).copied().unwrap_or_default();
        let bits = (u32::from(self.words[word]) | u32::from(next) << LANES) >> shift;
        bits & ((1 << count) - 1) > 0
    }

    /// Whether more than three eighths of the words have no free entry, by a look at some of them: then leaving them out pays.
    pub fn has_gaps(&self) -> bool {
        let seen = self.words.iter().step_by(LOOK);
        8 * seen.clone().filter(|word| **word == 0).count() > 3 * seen.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_found_across_words() {
        let mut bits = FreeBits::new(100, |entry| entry == 15 || entry == 16 || entry == 99);
        assert_eq!((bits.words(0)[0], bits.words(16)[0], bits.words(96)), (1 << 15, 1, &[8][..]));
        assert!(bits.any(0, 16) && bits.any(3, 13) && bits.any(16, 1) && bits.any(84, 16) && bits.any(99, 1));
        assert!(!bits.any(0, 15) && !bits.any(17, 16) && !bits.any(83, 16));
        bits.set(15, false);
        bits.set(17, true);
        assert!(!bits.any(0, 16) && bits.any(17, 16) && bits.any(2, 15));
        assert!(bits.has_gaps() && !FreeBits::new(1000, |entry| entry % 10 == 0).has_gaps());
    }
}
