use super::{Corruption, StoredValue};
use crate::stream::Stream;
use form::number::number;

/// Replaces the value by 0.
pub(super) struct Zero;

form::wrapped! {
    /// Replaces the value by this one, as the format stores it.
    #[derive(Copy, Default)]
    pub struct Value(f64);
}

impl Corruption for Zero {
    fn sentence(&self, what: &str, part: &str) -> String {
        format!("Set {what} of {part} to 0")
    }

    fn corrupt(&self, found: StoredValue, _: &mut Stream) -> u32 {
        found.store(0.0)
    }
}

impl Corruption for Value {
    fn sentence(&self, what: &str, part: &str) -> String {
        format!("Set {what} of {part} to {}", number(self.0))
    }

    fn corrupt(&self, found: StoredValue, _: &mut Stream) -> u32 {
        found.store(self.0 as f32)
    }
}
