use super::{Corruption, Struck};
use crate::intervene::stream::Stream;

/// Makes a bit read 0 or 1; where it does already, nothing changes.
pub(super) struct StuckAt {
    pub level: u32,
}

impl Corruption for StuckAt {
    fn corrupt(&self, struck: Struck, _: &mut Stream) -> u32 {
        struck.stored & !(1 << struck.bit) | self.level << struck.bit
    }
}
