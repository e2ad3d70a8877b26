//! Sums without the products of weights that are zero, with the bits of the sums with them.
//!
//! Dense kernels have one lane for each weight of a vector, and cannot leave single ones out. Here the lanes are sixteen
//! samples ([`linear`]) or images ([`conv`]), so that every weight is one instruction, or none.
//!
//! Why the bits are the same: every sum of a dense kernel is a chain `s ← x·w + s` that starts from +0.0. Where x is
//! finite and w is zero, the product is +0.0 or −0.0, and the sum stays what it is, except that −0.0 + 0.0 is +0.0. A chain
//! reaches −0.0 only where a negative number is too small for float32 and is rounded to zero. Compare it with the chain
//! that leaves such products out, step by step: both are equal, or the dense one is +0.0 and the other −0.0. They stay so
//! over products that are zero, and are equal again after the first that is not, because a zero of either sign plus that
//! product is the same number. So a sum that does not end at −0.0 has the bits of the dense one. Those that do are
//! computed again with all products, unless a bias other than −0.0 follows, to which both zeros are the same.
//!
//! Where x is infinite or NaN, a product with zero is NaN: [`is_finite`] is asked first, and dense kernels take over.

pub mod conv;
pub mod linear;

use super::simd::{Kernel, LANES, Simd, Vector, dispatch};

/// The bits of −0.0.
const MINUS_ZERO: u32 = 1 << 31;

/// Whether no number is infinite or NaN.
pub fn is_finite(values: &[f32]) -> bool {
    let mut largest = 0;
    dispatch(Largest { values, largest: &mut largest });
    largest < f32::INFINITY.to_bits()
}

/// The largest bits without the sign.
struct Largest<'a> {
    values: &'a [f32],
    largest: &'a mut u32,
}

impl Kernel for Largest<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        *self.largest =
            self.values.iter().fold(0, |largest, value| largest.max(value.to_bits() & !MINUS_ZERO));
    }
}

/// Whether at most this share of the weights differs from zero, by a look at some of them; bits do not depend on the
/// answer.
pub fn weights_are_few(weights: &[f32], most: f32) -> bool {
    let mut seen = [0, 0];
    dispatch(Look { weights, seen: &mut seen });
    let [found, of] = seen;
    of > 0 && found as f32 <= most * of as f32
}

/// One vector of so many is looked at; an odd number, since layers have even ones of channels.
const LOOK: usize = 7;

/// Counts weights that differ from zero, and those that it has looked at.
struct Look<'a> {
    weights: &'a [f32],
    seen: &'a mut [usize; 2],
}

impl Kernel for Look<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for vector in self.weights.as_chunks().0.iter().step_by(LOOK) {
            self.seen[0] += simd.load(vector).nonzero().count_ones() as usize;
            self.seen[1] += LANES;
        }
    }
}

/// Whether a lane is −0.0.
#[inline(always)]
fn has_minus_zero<V: Vector>(value: V) -> bool {
    value.to_array().iter().fold(false, |has, lane| has | (lane.to_bits() == MINUS_ZERO))
}
