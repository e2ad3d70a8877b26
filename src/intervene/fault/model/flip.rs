use super::{Corruption, Struck, Unit};
use crate::intervene::stream::Stream;

/// Inverts neighbouring bits, from the struck one upwards.
pub(super) struct Flip {
    pub width: u32,
}

impl Corruption for Flip {
    fn unit(&self) -> Unit {
        Unit::Bits(self.width)
    }

    fn corrupt(&self, struck: Struck, _: &mut Stream) -> u32 {
        let ones = (1 << self.width) - 1;
        let all = u32::MAX >> (u32::BITS - struck.width());
        struck.stored ^ (ones << struck.bit & all)
    }
}
