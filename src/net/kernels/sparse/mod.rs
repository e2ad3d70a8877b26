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
//! Where x is infinite or NaN, a product with zero is NaN: [`are_finite`] is asked first, and dense kernels take over.

pub mod conv;
pub mod linear;

use super::parallel::{COST, any, chunks_mut};
use super::scratch::{Buffer, Scratch};
use super::simd::{Kernel, LANES, Simd, Vector, dispatch};

/// Numbers that a task looks at.
const PIECE: usize = 1 << 14;
/// The bits of −0.0.
const MINUS_ZERO: u32 = 1 << 31;

/// Whether no number is infinite or NaN: then a product with +0.0 is ±0.0.
pub fn are_finite(values: &[f32]) -> bool {
    largest(values) < f32::INFINITY.to_bits()
}

/// Whether all numbers are so small that sums of a few of them are finite.
pub fn are_small(values: &[f32]) -> bool {
    !any_piece(values, |piece| largest(piece) >= 1e30_f32.to_bits())
}

/// Whether it holds for any of some pieces of a long slice.
fn any_piece(values: &[f32], holds: impl Fn(&[f32]) -> bool + Send + Sync) -> bool {
    any(values.len().div_ceil(PIECE), values.len() * COST, |piece| {
        let piece = &values[piece * PIECE..];
        holds(&piece[..piece.len().min(PIECE)])
    })
}

/// The largest bits without the sign.
fn largest(values: &[f32]) -> u32 {
    let mut largest = 0;
    dispatch(Largest { values, largest: &mut largest });
    largest
}

/// Whether any number is −0.0.
pub fn any_minus_zero(values: &[f32]) -> bool {
    any_piece(values, |values| {
        let mut found = false;
        dispatch(MinusZeros { values, found: &mut found });
        found
    })
}

struct MinusZeros<'a> {
    values: &'a [f32],
    found: &'a mut bool,
}

impl Kernel for MinusZeros<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        *self.found = self.values.iter().fold(false, |found, value| found | (value.to_bits() == MINUS_ZERO));
    }
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

/// Samples below which too many lanes stay empty.
const FEWEST: usize = 12;

/// Whether leaving zeros out pays for so many samples (or images), if it does for at most this share of the weights.
fn pays(samples: usize, weights: &[f32], most: f32) -> bool {
    let lanes = samples.next_multiple_of(LANES);
    samples >= FEWEST && 4 * samples >= 3 * lanes && weights_are_few(weights, most)
}

/// Whether at most this share of the weights differs from zero, by a look at some of them; bits do not depend on the
/// answer.
pub fn weights_are_few(weights: &[f32], most: f32) -> bool {
    let mut seen = [0, 0];
    // An odd number, since layers have even ones of channels.
    let step = (weights.len() / LANES / LOOK).max(1) | 1;
    dispatch(Look { weights, step, seen: &mut seen });
    let [found, of] = seen;
    of > 0 && found as f32 <= most * of as f32
}

/// Vectors that are looked at: one thread does so while others wait.
const LOOK: usize = 256;

/// Counts weights that differ from zero, and those that it has looked at.
struct Look<'a> {
    weights: &'a [f32],
    /// One vector of so many is looked at.
    step: usize,
    seen: &'a mut [usize; 2],
}

impl Kernel for Look<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for vector in self.weights.as_chunks().0.iter().step_by(self.step) {
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

/// Samples of so many numbers by groups, [group][number][sample], zeros after the last sample. A group has `vectors` vectors of
/// samples, the last one as many as are left.
fn turn<'a>(values: &[f32], numbers: usize, vectors: usize, scratch: &'a Scratch) -> Buffer<'a> {
    let samples = values.len() / numbers.max(1);
    let mut turned = scratch.take(samples.next_multiple_of(LANES) * numbers);
    chunks_mut(&mut turned, vectors * LANES * numbers, values.len() * COST, |group, turned| {
        let values = &values[group * vectors * LANES * numbers..];
        dispatch(Turn { values: &values[..values.len().min(vectors * LANES * numbers)], numbers, turned });
    });
    turned
}

/// A group of samples.
struct Turn<'a> {
    values: &'a [f32],
    numbers: usize,
    turned: &'a mut [f32],
}

impl Kernel for Turn<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { values, numbers, turned } = self;
        let pitch = turned.len() / numbers;
        for (vector, samples) in values.chunks(LANES * numbers).enumerate() {
            for number in (0..numbers).step_by(LANES) {
                let count = LANES.min(numbers - number);
                let mut rows = [simd.splat(0.0); LANES];
                for (row, sample) in rows.iter_mut().zip(samples.chunks_exact(numbers)) {
                    *row = simd.load_most(&sample[number..][..count]);
                }
                for (at, lanes) in simd.transpose(rows).into_iter().enumerate().take(count) {
                    let to = &mut turned[(number + at) * pitch + vector * LANES..];
                    lanes.store(to.first_chunk_mut().expect("a vector"));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_infinity_is_found() {
        let mut values = vec![0.0; 3000];
        assert!(are_finite(&values));
        values[2999] = f32::NEG_INFINITY;
        assert!(!are_finite(&values));
    }
}
