use super::{Corruption, StoredValue, Unit};
use crate::intervene::stream::Stream;

/// Inverts neighbouring bits, from that of the site upwards.
pub(super) struct Flip {
    pub width: u32,
}

impl Corruption for Flip {
    fn unit(&self) -> Unit {
        Unit::Bits(self.width)
    }

    fn corrupt(&self, found: StoredValue, _: &mut Stream) -> u32 {
        let ones = (1 << self.width) - 1;
        let all = u32::MAX >> (u32::BITS - found.width());
        found.stored ^ (ones << found.bit & all)
    }
}
