use super::{Corruption, StoredValue, Unit};
use crate::stream::Stream;

/// Inverts a bit.
pub(super) struct Flip;

/// Inverts a bit and the one above it.
pub(super) struct DoubleFlip;

/// Inverts `count` neighbouring bits, from that of the site upwards.
fn inverted(found: StoredValue, count: u32) -> u32 {
    let ones = (1 << count) - 1;
    let all = u32::MAX >> (u32::BITS - found.width());
    found.stored ^ (ones << found.bit & all)
}

impl Corruption for Flip {
    fn unit(&self) -> Unit {
        Unit::Bits(1)
    }

    fn sentence(&self, what: &str, part: &str) -> String {
        format!("Flip {what} of {part}")
    }

    fn corrupt(&self, found: StoredValue, _: &mut Stream) -> u32 {
        inverted(found, 1)
    }
}

impl Corruption for DoubleFlip {
    fn unit(&self) -> Unit {
        Unit::Bits(2)
    }

    fn sentence(&self, what: &str, part: &str) -> String {
        format!("Flip {what} of {part} and the bits next to them")
    }

    fn corrupt(&self, found: StoredValue, _: &mut Stream) -> u32 {
        inverted(found, 2)
    }
}
