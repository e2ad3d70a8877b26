//! Sums without the products of weights that are zero, with the bits of the sums with them.
//!
//! Dense kernels have one lane for each weight of a vector, and cannot leave single ones out. Here the lanes are sixteen
//! samples ([`linear_forward`]) or images ([`Thin`]), so that every weight is one instruction, or none.
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

use crate::conv::Images;
use crate::geometry::{BLOCK, Packing};
use crate::linear::LinearShape;
use crate::parallel::{COST, Shared, any, chunks_mut, tasks};
use crate::scratch::{Buffer, Scratch};
use crate::simd::{Kernel, LANES, Simd, Vector, dispatch, vectorise};
use crate::tile::Run;

/// Numbers that a task looks at.
const PIECE: usize = 1 << 14;
const MINUS_ZERO: u32 = 1 << 31;

/// Returns true if no number is infinite or NaN: then a product with +0.0 is ±0.0.
pub fn are_finite(values: &[f32]) -> bool {
    largest(values) < f32::INFINITY.to_bits()
}

/// Returns true if all numbers are so small that sums of a few of them are finite.
pub fn are_small(values: &[f32]) -> bool {
    !any_piece(values, |piece| largest(piece) >= 1e30_f32.to_bits())
}

/// Returns true if it holds for any of some pieces of a long slice.
fn any_piece(values: &[f32], holds: impl Fn(&[f32]) -> bool + Send + Sync) -> bool {
    any(values.len().div_ceil(PIECE), values.len() * COST, |piece| {
        let piece = &values[piece * PIECE..];
        holds(&piece[..piece.len().min(PIECE)])
    })
}

/// Returns the largest bits without the sign.
fn largest(values: &[f32]) -> u32 {
    let mut largest = 0;
    let to = &mut largest;
    vectorise(
        #[inline(always)]
        move || *to = values.iter().fold(0, |largest, value| largest.max(value.to_bits() & !MINUS_ZERO)),
    );
    largest
}

/// Returns true if any number is −0.0.
pub fn any_minus_zero(values: &[f32]) -> bool {
    any_piece(values, |values| {
        let mut found = false;
        let to = &mut found;
        vectorise(
            #[inline(always)]
            move || *to = values.iter().fold(false, |found, value| found | (value.to_bits() == MINUS_ZERO)),
        );
        found
    })
}

/// Samples below which too many lanes stay empty.
const FEWEST: usize = 12;

/// Returns true if the sparse kernel is faster: enough samples (or images) to fill the lanes, and at most the share `most` of
/// the weights nonzero.
fn is_faster(samples: usize, weights: &[f32], most: f32) -> bool {
    let lanes = samples.next_multiple_of(LANES);
    samples >= FEWEST && 4 * samples >= 3 * lanes && weights_are_few(weights, most)
}

/// Returns true if at most this share of the weights differs from zero, by a look at some of them; bits do not depend
/// on the answer.
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

#[inline(always)]
fn has_minus_zero<V: Vector>(value: V) -> bool {
    value.to_array().iter().fold(false, |has, lane| has | (lane.to_bits() == MINUS_ZERO))
}

/// Transposes samples into blocks `[group][number][sample]`, zero-padded to full vectors. A group has `vectors` vectors of
/// samples, the last one as many as are left.
fn transpose_blocks<'a>(values: &[f32], numbers: usize, vectors: usize, scratch: &'a Scratch) -> Buffer<'a> {
    let samples = values.len() / numbers.max(1);
    let mut blocks = scratch.take(samples.next_multiple_of(LANES) * numbers);
    chunks_mut(&mut blocks, vectors * LANES * numbers, values.len() * COST, |group, to| {
        let values = &values[group * vectors * LANES * numbers..];
        dispatch(TransposeGroup {
            values: &values[..values.len().min(vectors * LANES * numbers)],
            numbers,
            to,
        });
    });
    blocks
}

struct TransposeGroup<'a> {
    values: &'a [f32],
    numbers: usize,
    to: &'a mut [f32],
}

impl Kernel for TransposeGroup<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { values, numbers, to } = self;
        let pitch = to.len() / numbers;
        for (vector, samples) in values.chunks(LANES * numbers).enumerate() {
            for number in (0..numbers).step_by(LANES) {
                let count = LANES.min(numbers - number);
                let mut rows = [simd.splat(0.0); LANES];
                for (row, sample) in rows.iter_mut().zip(samples.chunks_exact(numbers)) {
                    *row = simd.load_most(&sample[number..][..count]);
                }
                for (at, lanes) in simd.transpose(rows).into_iter().enumerate().take(count) {
                    let to = &mut to[(number + at) * pitch + vector * LANES..];
                    lanes.store(to.first_chunk_mut().expect("a vector"));
                }
            }
        }
    }
}

/// The largest share of weights for which linear layers are faster, for many samples and for few.
const MOST_OF_LINEAR: [f32; 2] = [0.15, 0.08];
/// From so many on, samples are many: the search for weights takes little of the time.
const MANY: usize = 128;
/// Vectors of samples at a time.
const GROUP: usize = 4;

/// Computes what [`linear::forward`](crate::linear::forward) does, where it is faster without the zeros; else it does nothing
/// and returns false. An output is the sum of sixteen sums, one for each remainder of the input's number, added up as the
/// dense kernel adds its lanes.
pub fn linear_forward(
    shape: &LinearShape,
    input: &[f32],
    weight: &[f32],
    bias: Option<&[f32]>,
    output: &mut [f32],
    scratch: &Scratch,
) -> bool {
    let LinearShape { samples, inputs, outputs } = *shape;
    let most = MOST_OF_LINEAR[usize::from(samples < MANY)];
    // To a bias of −0.0 the sign of a zero would matter.
    let is_plain = |bias: &[f32]| bias.iter().all(|bias| bias.to_bits() != MINUS_ZERO);
    if !is_faster(samples, weight, most) || !are_finite(input) || !bias.is_none_or(is_plain) {
        return false;
    }
    let blocks = transpose_blocks(input, inputs, GROUP, scratch);
    let (values, output) = (&blocks[..], Shared::new(output));
    tasks(outputs.div_ceil(LANES), samples * inputs * outputs / 2, |task| {
        dispatch(Forward { shape, values, weight, bias, output, first: task * LANES, scratch });
    });
    true
}

/// Sixteen outputs of all samples.
struct Forward<'a> {
    shape: &'a LinearShape,
    values: &'a [f32],
    weight: &'a [f32],
    bias: Option<&'a [f32]>,
    output: Shared<'a>,
    first: usize,
    scratch: &'a Scratch,
}

impl Kernel for Forward<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let LinearShape { samples, inputs, outputs } = *self.shape;
        let mut rows = Lists::new(inputs, self.scratch);
        for unit in 0..LANES.min(outputs - self.first) {
            let row = &self.weight[(self.first + unit) * inputs..][..inputs];
            for (at, weights) in row.chunks(LANES).enumerate() {
                rows.push(simd, unit, simd.load_most(weights), at * LANES);
            }
        }
        for first in (0..samples).step_by(GROUP * LANES) {
            match (samples - first).div_ceil(LANES) {
                1 => self.group::<S, 1>(simd, first, &rows),
                2 => self.group::<S, 2>(simd, first, &rows),
                3 => self.group::<S, 3>(simd, first, &rows),
                _ => self.group::<S, GROUP>(simd, first, &rows),
            }
        }
    }
}

impl Forward<'_> {
    #[inline(always)]
    fn group<S: Simd, const G: usize>(&self, simd: S, first: usize, rows: &Lists) {
        let LinearShape { inputs, outputs, .. } = *self.shape;
        let count = LANES.min(outputs - self.first);
        let values = &self.values[first * inputs..][..inputs * G * LANES];
        let mut results = [[[0.0; LANES]; LANES]; G];
        for unit in 0..count {
            let mut sums = [[[0.0; LANES]; G]; LANES];
            for (place, weight) in rows.terms(unit) {
                let (values, weight) = (&values[place * G * LANES..][..G * LANES], simd.splat(weight));
                let sums = &mut sums[place % LANES];
                for g in 0..G {
                    let values = simd.load_most(&values[g * LANES..][..LANES]);
                    values.multiply_add(weight, simd.load(&sums[g])).store(&mut sums[g]);
                }
            }
            // Halves are added to halves, as in `Simd::sums`.
            for half in [8, 4, 2, 1] {
                for lane in 0..half {
                    for g in 0..G {
                        let sum = simd.load(&sums[lane][g]) + simd.load(&sums[lane + half][g]);
                        sum.store(&mut sums[lane][g]);
                    }
                }
            }
            let bias = simd.splat(self.bias.map_or(0.0, |bias| bias[self.first + unit]));
            for g in 0..G {
                (simd.load(&sums[0][g]) + bias).store(&mut results[g][unit]);
            }
        }
        for (g, results) in results.iter().enumerate() {
            self.write(simd, results, first + g * LANES);
        }
    }

    /// Writes a vector of samples for each of the sixteen outputs, from `sample` on.
    #[inline(always)]
    fn write<S: Simd>(&self, simd: S, vectors: &[[f32; LANES]; LANES], sample: usize) {
        let LinearShape { samples, outputs, .. } = *self.shape;
        let mut columns = [simd.splat(0.0); LANES];
        for lane in 0..LANES {
            columns[lane] = simd.load(&vectors[lane]);
        }
        let mut rows = [[0.0; LANES]; LANES];
        let transposed = simd.transpose(columns);
        for lane in 0..LANES {
            transposed[lane].store(&mut rows[lane]);
        }
        let count = LANES.min(outputs - self.first);
        for row in 0..LANES.min(samples - sample) {
            // SAFETY: no other task writes these columns.
            let to = unsafe { self.output.slice((sample + row) * outputs + self.first, count) };
            simd.load_most(&rows[row]).store_part(to);
        }
    }
}

/// Sixteen lists of weights that are not zero, each with the number of the value that it multiplies.
struct Lists<'a> {
    /// The numbers, as bits.
    places: Buffer<'a>,
    weights: Buffer<'a>,
    /// 0, 1, …, as bits.
    numbers: Buffer<'a>,
    space: usize,
    lengths: [usize; LANES],
}

impl<'a> Lists<'a> {
    /// Returns empty lists for at most `most` weights.
    fn new(most: usize, scratch: &'a Scratch) -> Self {
        let padded = most.next_multiple_of(LANES);
        // A whole vector is written at the end of a list.
        let space = padded + LANES;
        let [places, weights] = [0, 1].map(|_| scratch.take(LANES * space));
        let mut numbers = scratch.take(padded);
        numbers.iter_mut().enumerate().for_each(|(at, number)| *number = f32::from_bits(at as u32));
        Self { places, weights, numbers, space, lengths: [0; LANES] }
    }

    /// Appends those of the weights that are not zero; the first one belongs to value `first`.
    #[inline(always)]
    fn push<S: Simd>(&mut self, simd: S, list: usize, weights: S::V, first: usize) {
        let (mask, at) = (weights.nonzero(), list * self.space + self.lengths[list]);
        let numbers = simd.load_most(&self.numbers[first..][..LANES]).packed(simd, mask);
        numbers.store(self.places[at..].first_chunk_mut().expect("a vector"));
        weights.packed(simd, mask).store(self.weights[at..].first_chunk_mut().expect("a vector"));
        self.lengths[list] += mask.count_ones() as usize;
    }

    /// Returns a list, in the order in which it was filled.
    #[inline(always)]
    fn terms(&self, list: usize) -> impl Iterator<Item = (usize, f32)> {
        let part = list * self.space..list * self.space + self.lengths[list];
        let places = self.places[part.clone()].iter().map(|place| place.to_bits() as usize);
        places.zip(self.weights[part].iter().copied())
    }
}

/// The largest share of weights for which convolutions are faster, for images of more than [`FEW_PIXELS`] and of so many.
const MOST_OF_CONV: [f32; 2] = [0.18, 0.04];
/// Pixels of an image up to which most places of a window are outside of it.
const FEW_PIXELS: usize = 4;
/// Most pixels of a tile.
pub const MOST_PIXELS: usize = 8;

/// Sums of a tile, [pixel][column][image].
pub type Tile = [[[f32; LANES]; BLOCK]; MOST_PIXELS];

/// A weight, and the start of its numbers among those that a pixel sees in all places.
#[derive(Clone, Copy, Debug)]
struct Term {
    at: u32,
    weight: f32,
}

/// The weights of a column that are not zero, in the order [tap][row].
#[derive(Clone, Debug, Default)]
struct Column {
    terms: Vec<Term>,
    /// Numbers of terms before each tap, and in all.
    before: Vec<u32>,
}

/// Weights and images of a convolution without the zeros.
pub struct Thin<'a> {
    packing: Packing,
    packed: &'a [f32],
    columns: Vec<Column>,
    /// The input as [group][pixel][channel][image], groups of sixteen images.
    values: Buffer<'a>,
}

impl<'a> Thin<'a> {
    /// Most groups of images of a task.
    pub const GROUPS: usize = 8;

    /// Returns the weights and images in this form, where it is faster.
    pub fn new(
        from: &Images,
        input: &[f32],
        packing: &Packing,
        packed: &'a [f32],
        scratch: &'a Scratch,
    ) -> Option<Self> {
        let most = MOST_OF_CONV[usize::from(from.height * from.width <= FEW_PIXELS)];
        if !is_faster(from.count, packed, most) || !are_finite(input) {
            return None;
        }
        let mut columns = vec![Column::default(); packing.columns];
        chunks_mut(&mut columns, BLOCK, packed.len(), |block, columns| {
            let (start, width) = (packing.start(block), packing.width(block));
            dispatch(Compress { packing, packed: &packed[start..], width, columns });
        });
        let values = transpose_blocks(input, from.size(), 1, scratch);
        Some(Self { packing: *packing, packed, columns, values })
    }

    /// Computes the sums of `count` pixels of the groups' images times some columns of a block.
    #[inline(always)]
    pub fn sums<S: Simd>(&self, simd: S, rows: &[usize], block: usize, runs: &[Run], sums: &mut Tile) {
        let columns = &self.columns[block * BLOCK..];
        for number in 0..columns.len().min(BLOCK) {
            macro_rules! of {
                ($($count:literal)*) => {
                    match rows.len() {
                        $($count => self.column::<S, $count>(simd, rows, (block, number), runs, sums),)*
                        _ => unreachable!("a tile has 1 to 8 pixels"),
                    }
                };
            }
            of!(1 2 3 4 5 6 7 8);
        }
    }

    #[inline(always)]
    fn column<S: Simd, const P: usize>(
        &self,
        simd: S,
        rows: &[usize],
        (block, number): (usize, usize),
        runs: &[Run],
        to: &mut Tile,
    ) {
        let rows: &[usize; P] = rows.try_into().expect("P rows");
        let column = &self.columns[block * BLOCK + number];
        let mut sums = [simd.splat(0.0); P];
        for run in runs.iter().filter(|run| run.len > 0) {
            let [first, end] =
                [run.weight, run.weight + run.len].map(|at| column.before[at / self.packing.rows]);
            let starts = self.starts(rows, run);
            for term in &column.terms[first as usize..end as usize] {
                let weight = simd.splat(term.weight);
                for p in 0..P {
                    // SAFETY: a run lies within the values, and so do its terms.
                    let values = unsafe { simd.load_at(starts[p].wrapping_add(term.at as usize)) };
                    sums[p] = values.multiply_add(weight, sums[p]);
                }
            }
        }
        for p in 0..P {
            sums[p].store(&mut to[p][number]);
        }
        if sums.into_iter().fold(false, |has, sum| has | has_minus_zero(sum)) {
            self.with_zeros::<S, P>(simd, rows, (block, number), runs, to);
        }
    }

    /// Computes the sums of a column with the products of zeros.
    #[cold]
    fn with_zeros<S: Simd, const P: usize>(
        &self,
        simd: S,
        rows: &[usize; P],
        (block, number): (usize, usize),
        runs: &[Run],
        to: &mut Tile,
    ) {
        let (width, weights) = (self.packing.width(block), &self.packed[self.packing.start(block)..]);
        for p in 0..P {
            let mut sum = simd.splat(0.0);
            for run in runs {
                for k in 0..run.len {
                    let values = &self.values[rows[p] + (run.offset + k) * LANES..];
                    let values = simd.load(values.first_chunk().expect("a vector"));
                    let weight = simd.splat(weights[(run.weight + k) * width + number]);
                    sum = values.multiply_add(weight, sum);
                }
            }
            sum.store(&mut to[p][number]);
        }
    }

    /// Returns from where on the terms of a run count.
    #[inline(always)]
    fn starts<const P: usize>(&self, rows: &[usize; P], run: &Run) -> [*const f32; P] {
        let mut starts = [self.values.as_ptr(); P];
        for p in 0..P {
            let (first, end) = (rows[p] + run.offset * LANES, rows[p] + (run.offset + run.len) * LANES);
            assert!(end <= self.values.len(), "a run lies within the values");
            starts[p] = starts[p].wrapping_add(first).wrapping_sub(run.weight * LANES);
        }
        starts
    }
}

struct Compress<'a> {
    packing: &'a Packing,
    packed: &'a [f32],
    width: usize,
    columns: &'a mut [Column],
}

impl Kernel for Compress<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { packing, packed, width, columns } = self;
        for place in 0..packing.window.taps() * packing.rows {
            if place % packing.rows == 0 {
                for column in columns.iter_mut() {
                    column.before.push(column.terms.len() as u32);
                }
            }
            for first in (0..width).step_by(LANES) {
                let weights = &packed[place * width + first..];
                let mut mask = simd.load(weights.first_chunk().expect("whole vectors")).nonzero();
                while mask != 0 {
                    let lane = mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    let term = Term { at: (place * LANES) as u32, weight: weights[lane] };
                    columns[first + lane].terms.push(term);
                }
            }
        }
        for column in columns.iter_mut() {
            column.before.push(column.terms.len() as u32);
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
