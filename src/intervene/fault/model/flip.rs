use super::{Corruption, Struck, Unit};
use crate::intervene::stream::Stream;

/// Inverts a bit.
pub(super) struct Flip;

/// Inverts a bit and the one above it.
pub(super) struct DoubleFlip;

/// Inverts `count` neighbouring bits, from the struck one upwards.
fn inverted(struck: Struck, count: u32) -> u32 {
    let ones = (1 << count) - 1;
    let all = u32::MAX >> (u32::BITS - struck.width());
    struck.stored ^ (ones << struck.bit & all)
}

impl Corruption for Flip {
    fn sentence(&self, what: &str, part: &str) -> String {
        format!("Flip {what} of {part}")
    }

    fn corrupt(&self, struck: Struck, _: &mut Stream) -> u32 {
        inverted(struck, 1)
    }
}

impl Corruption for DoubleFlip {
    fn unit(&self) -> Unit {
        Unit::Bits(2)
    }

    fn sentence(&self, what: &str, part: &str) -> String {
        format!("Flip {what} of {part} and the bits next to them")
    }

    fn corrupt(&self, struck: Struck, _: &mut Stream) -> u32 {
        inverted(struck, 2)
    }
}
