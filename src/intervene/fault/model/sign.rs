use super::{Corruption, StoredValue};
use crate::fault::Format;
use crate::stream::Stream;

/// Inverts the sign: the sign bit of a floating-point value, zeros and NaN included; of int8 the number itself, so that
/// 0 stays 0.
pub(super) struct Sign;

impl Corruption for Sign {
    fn sentence(&self, what: &str, part: &str) -> String {
        format!("Invert the sign of {what} of {part}")
    }

    fn corrupt(&self, found: StoredValue, _: &mut Stream) -> u32 {
        match found.storage.format() {
            Format::Int8 => u32::from((found.stored as u8).wrapping_neg()),
            Format::Float32 | Format::Float16 | Format::Bfloat16 => found.stored ^ 1 << (found.width() - 1),
        }
    }
}
