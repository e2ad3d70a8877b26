use super::{Corruption, StoredValue};
use crate::draw::uniform_f64;
use crate::stream::Stream;

/// A uniform draw between the smallest and the largest finite value that the parameter stores.
pub(super) struct Random;

impl Corruption for Random {
    fn sentence(&self, what: &str, part: &str) -> String {
        format!("Replace {what} of {part} at random")
    }

    fn needs_range(&self) -> bool {
        true
    }

    fn corrupt(&self, found: StoredValue, rng: &mut Stream) -> u32 {
        let [low, high] = found.storage.range().map(f64::from);
        found.store((low + (high - low) * uniform_f64(rng)) as f32)
    }
}
