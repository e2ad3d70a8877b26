use super::{Corruption, StoredValue};
use crate::intervene::stream::Stream;

/// Makes a bit read 0 or 1; where it does already, nothing changes.
pub(super) struct StuckAt {
    pub level: u32,
}

impl Corruption for StuckAt {
    fn corrupt(&self, found: StoredValue, _: &mut Stream) -> u32 {
        found.stored & !(1 << found.bit) | self.level << found.bit
    }
}
