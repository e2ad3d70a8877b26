use super::{Corruption, StoredValue};
use crate::draw::Normal;
use crate::stream::Stream;
use form::number::share_in_percent;

form::wrapped! {
    /// Multiplies the value by 1 + this deviation times a standard normal number, in `f64`, rounded once to `f32` and then
    /// to the format. Each site takes the first number of a pair of the polar method.
    #[derive(Copy)]
    pub struct Noise(f64);
}

impl Corruption for Noise {
    fn sentence(&self, what: &str, part: &str) -> String {
        format!("Add {} noise to {what} of {part}", share_in_percent(self.0))
    }

    fn corrupt(&self, found: StoredValue, rng: &mut Stream) -> u32 {
        let factor = 1.0 + self.0 * Normal::default().draw(rng);
        found.store((f64::from(found.value()) * factor) as f32)
    }
}
