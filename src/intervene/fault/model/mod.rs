//! Fault models: what a fault makes of a stored value.
//!
//! A model is one file here and one line in [`FaultModel`]. It returns the bits that a value holds afterwards; the choice of
//! sites, storage and reading back are the same for all.

mod flip;
mod noise;
mod random;
mod random_bits;
mod set;
mod sign;
mod stuck_at;

pub use noise::Noise;
pub use set::Value;

use super::Storage;
use crate::stream::Stream;
use flip::{DoubleFlip, Flip};
use random::Random;
use random_bits::RandomBits;
use set::Zero;
use sign::Sign;
use stuck_at::{StuckAt0, StuckAt1};

form::choice! {
    /// A fault model, which changes a stored value.
    #[derive(Copy)]
    pub enum FaultModel: "Fault model", each Corruption {
        Flip, "Flip", "Inverts the bit";
        StuckAt0, "Stuck at 0", "The bit reads 0";
        StuckAt1, "Stuck at 1", "The bit reads 1";
        Zero, "Zero", "The value reads 0";
        Random, "Random value", "Replaces the value by a uniform draw from the parameter's range";
        RandomBits, "Random bits", "Replaces all bits of the value by random ones";
        Sign, "Sign", "Inverts the sign";
        Value(Value) = Value::default(), "Set value", "Replaces the value by this one";
        Noise(Noise) = Noise(0.1), "Relative noise", "Multiplies the value by 1 + this times a normal draw", range [0.0, 1e6];
        DoubleFlip, "Adjacent double flip", "Inverts the bit and the next higher one";
    }
}

impl FaultModel {
    /// Returns what one site is.
    pub fn unit(self) -> Unit {
        self.rule().unit()
    }
}

/// The unit of a fault model's sites, which a rate counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// This many neighbouring bits, known by the lowest of them.
    Bits(u32),
    Value,
}

/// A stored value that a fault is injected into.
#[derive(Debug, Clone, Copy)]
pub struct StoredValue<'a> {
    /// The bits that the value holds, zero-extended.
    pub stored: u32,
    /// The bit of the site; 0 for models of whole values.
    pub bit: u32,
    /// The entry of the parameter.
    pub index: usize,
    /// The stored form of the parameter.
    pub storage: &'a Storage,
}

impl StoredValue<'_> {
    /// Returns what the value reads as.
    pub fn value(self) -> f32 {
        self.storage.decode(self.index, self.stored)
    }

    /// Returns the bits under which another value would be stored in its place.
    pub fn store(self, value: f32) -> u32 {
        self.storage.encode(self.index, value)
    }

    /// Returns the number of bits of the value.
    pub fn width(self) -> u32 {
        self.storage.format().bits()
    }
}

/// A fault model.
pub trait Corruption: Sync {
    /// Returns what one site is.
    fn unit(&self) -> Unit {
        Unit::Value
    }

    /// Returns how a plan that has it reads; `what` is what it changes, as `3 exponent bits`, of which `part` of a network.
    fn sentence(&self, what: &str, part: &str) -> String;

    /// Returns true if it asks for the range of the parameter.
    fn needs_range(&self) -> bool {
        false
    }

    /// Returns the bits that the value holds afterwards. A model that draws takes the same numbers from the stream
    /// for every value, so that later sites do not depend on what earlier ones held.
    fn corrupt(&self, found: StoredValue, rng: &mut Stream) -> u32;
}

#[cfg(test)]
mod tests;
