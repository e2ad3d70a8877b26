use super::{Corruption, StoredValue, Unit};
use crate::intervene::stream::Stream;

/// Replaces the value by a given one, as the format stores it.
pub(super) struct Set {
    pub value: f32,
}

impl Corruption for Set {
    fn unit(&self) -> Unit {
        Unit::Value
    }

    fn corrupt(&self, found: StoredValue, _: &mut Stream) -> u32 {
        found.store(self.value)
    }
}
