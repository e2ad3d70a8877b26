use super::{Corruption, StoredValue, Unit};
use crate::stream::Stream;

/// Makes a bit read 0; where it does already, nothing changes.
pub(super) struct StuckAt0;

/// Makes a bit read 1; where it does already, nothing changes.
pub(super) struct StuckAt1;

impl Corruption for StuckAt0 {
    fn unit(&self) -> Unit {
        Unit::Bits(1)
    }

    fn sentence(&self, what: &str, part: &str) -> String {
        format!("Hold {what} of {part} at 0")
    }

    fn corrupt(&self, found: StoredValue, _: &mut Stream) -> u32 {
        found.stored & !(1 << found.bit)
    }
}

impl Corruption for StuckAt1 {
    fn unit(&self) -> Unit {
        Unit::Bits(1)
    }

    fn sentence(&self, what: &str, part: &str) -> String {
        format!("Hold {what} of {part} at 1")
    }

    fn corrupt(&self, found: StoredValue, _: &mut Stream) -> u32 {
        found.stored | 1 << found.bit
    }
}
