use super::{Corruption, StoredValue, Unit};
use crate::intervene::draw::Normal;
use crate::intervene::stream::Stream;

/// Multiplies the value by 1 + `deviation` times a standard normal number, in `f64`, rounded once to `f32` and then to
/// the format. Each site takes the first number of a pair of the polar method.
pub(super) struct Noise {
    pub deviation: f64,
}

impl Corruption for Noise {
    fn unit(&self) -> Unit {
        Unit::Value
    }

    fn corrupt(&self, found: StoredValue, rng: &mut Stream) -> u32 {
        let factor = 1.0 + self.deviation * Normal::default().draw(rng);
        found.store((f64::from(found.value()) * factor) as f32)
    }
}
