use super::{Corruption, StoredValue};
use crate::stream::Stream;
use rand::Rng;

/// All bits drawn again: the upper ones of a 32-bit number.
pub(super) struct RandomBits;

impl Corruption for RandomBits {
    fn sentence(&self, what: &str, part: &str) -> String {
        format!("Replace the bits of {what} of {part} at random")
    }

    fn corrupt(&self, found: StoredValue, rng: &mut Stream) -> u32 {
        rng.next_u32() >> (32 - found.width())
    }
}
