//! A float64 in a file as the number of its bits, so that it comes back exactly, NaN too: `#[serde(with = "bits")]`.

use serde::{Deserialize, Deserializer, Serializer};

/// Writes the bits.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(value.to_bits())
}

/// Reads the bits.
///
/// # Errors
/// Those of the deserializer.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    u64::deserialize(deserializer).map(f64::from_bits)
}
