//! Linear layers with few weights: lanes are samples.
//!
//! An output is the sum of sixteen sums, one for each remainder of the input's number, added up as the dense kernel adds
//! its lanes; a gradient of an input is one sum over the outputs.
#![allow(unsafe_code, reason = "tasks write disjoint columns of one array")]

use super::super::linear::LinearShape;
use super::super::parallel::{Shared, tasks};
use super::super::scratch::{Buffer, Scratch};
use super::super::simd::{Kernel, LANES, Simd, Vector, dispatch};
use super::{MINUS_ZERO, are_finite, has_minus_zero, turn};

/// The largest share of weights for which this is faster, for many samples and for few.
const MOST: [f32; 2] = [0.15, 0.08];
/// From so many on, samples are many: the search for weights takes little of the time.
const MANY: usize = 128;
/// Vectors of samples at a time.
const GROUP: usize = 4;

/// What [`linear::forward`](super::super::linear::forward) computes, where it is faster without the zeros; else it does
/// nothing and returns false.
pub fn forward(
    shape: &LinearShape,
    input: &[f32],
    weight: &[f32],
    bias: Option<&[f32]>,
    output: &mut [f32],
    scratch: &Scratch,
) -> bool {
    // To a bias of −0.0 the sign of a zero would matter.
    let is_plain = |bias: &[f32]| bias.iter().all(|bias| bias.to_bits() != MINUS_ZERO);
    if !pays(shape, weight) || !are_finite(input) || !bias.is_none_or(is_plain) {
        return false;
    }
    let LinearShape { inputs, outputs, .. } = *shape;
    let turned = turn(input, inputs, GROUP, scratch);
    let (values, output) = (&turned[..], Shared::new(output));
    tasks(outputs.div_ceil(LANES), work(shape), |task| {
        dispatch(Forward { shape, values, weight, bias, output, first: task * LANES, scratch });
    });
    true
}

/// The same for [`linear::backward_input`](super::super::linear::backward_input).
pub fn backward_input(
    shape: &LinearShape,
    weight: &[f32],
    gradient: &[f32],
    input_gradient: &mut [f32],
    scratch: &Scratch,
) -> bool {
    if !pays(shape, weight) || !are_finite(gradient) {
        return false;
    }
    let LinearShape { inputs, outputs, .. } = *shape;
    let turned = turn(gradient, outputs, GROUP, scratch);
    let (values, output) = (&turned[..], Shared::new(input_gradient));
    tasks(inputs.div_ceil(LANES), work(shape), |task| {
        dispatch(Backward { shape, values, weight, output, first: task * LANES, scratch });
    });
    true
}

fn pays(shape: &LinearShape, weight: &[f32]) -> bool {
    super::pays(shape.samples, weight, MOST[usize::from(shape.samples < MANY)])
}

/// The work, in products of the dense kernel.
const fn work(shape: &LinearShape) -> usize {
    shape.samples * shape.inputs * shape.outputs / 2
}

/// Calls a method for every group, with its number of vectors, its first sample and lists of weights.
macro_rules! groups {
    ($self:ident.$method:ident, $simd:ident, $lists:expr) => {
        for first in (0..$self.shape.samples).step_by(GROUP * LANES) {
            match ($self.shape.samples - first).div_ceil(LANES) {
                1 => $self.$method::<S, 1>($simd, first, $lists),
                2 => $self.$method::<S, 2>($simd, first, $lists),
                3 => $self.$method::<S, 3>($simd, first, $lists),
                _ => $self.$method::<S, GROUP>($simd, first, $lists),
            }
        }
    };
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
        let LinearShape { inputs, outputs, .. } = *self.shape;
        let mut rows = Lists::new(inputs, self.scratch);
        for unit in 0..LANES.min(outputs - self.first) {
            let row = &self.weight[(self.first + unit) * inputs..][..inputs];
            for (at, weights) in row.chunks(LANES).enumerate() {
                rows.push(simd, unit, simd.load_most(weights), at * LANES);
            }
        }
        groups!(self.group, simd, &rows);
    }
}

impl Forward<'_> {
    #[inline(always)]
    fn group<S: Simd, const G: usize>(&self, simd: S, first: usize, rows: &Lists) {
        let LinearShape { samples, inputs, outputs } = *self.shape;
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
            let to = (self.output, outputs, self.first, count);
            write(simd, results, (first + g * LANES, samples), to);
        }
    }
}

/// The gradients of sixteen inputs of all samples.
struct Backward<'a> {
    shape: &'a LinearShape,
    values: &'a [f32],
    weight: &'a [f32],
    output: Shared<'a>,
    first: usize,
    scratch: &'a Scratch,
}

impl Kernel for Backward<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let LinearShape { inputs, outputs, .. } = *self.shape;
        let count = LANES.min(inputs - self.first);
        let mut columns = Lists::new(outputs, self.scratch);
        for unit in (0..outputs).step_by(LANES) {
            let mut rows = [simd.splat(0.0); LANES];
            for row in 0..LANES.min(outputs - unit) {
                rows[row] = simd.load_most(&self.weight[(unit + row) * inputs + self.first..][..count]);
            }
            let turned = simd.transpose(rows);
            for column in 0..count {
                columns.push(simd, column, turned[column], unit);
            }
        }
        groups!(self.group, simd, &columns);
    }
}

impl Backward<'_> {
    #[inline(always)]
    fn group<S: Simd, const G: usize>(&self, simd: S, first: usize, columns: &Lists) {
        let LinearShape { samples, inputs, outputs } = *self.shape;
        let count = LANES.min(inputs - self.first);
        let values = &self.values[first * outputs..][..outputs * G * LANES];
        let mut results = [[[0.0; LANES]; LANES]; G];
        for column in 0..count {
            let mut sums = sum::<S, G>(simd, columns.terms(column), values);
            if sums.into_iter().fold(false, |has, sum| has | has_minus_zero(sum)) {
                let weight = |unit: usize| self.weight[unit * inputs + self.first + column];
                sums = sum::<S, G>(simd, (0..outputs).map(|unit| (unit, weight(unit))), values);
            }
            for g in 0..G {
                sums[g].store(&mut results[g][column]);
            }
        }
        for (g, results) in results.iter().enumerate() {
            let to = (self.output, inputs, self.first, count);
            write(simd, results, (first + g * LANES, samples), to);
        }
    }
}

/// The sums over some terms: the number of a value, with a weight.
#[inline(always)]
fn sum<S: Simd, const G: usize>(
    simd: S,
    terms: impl Iterator<Item = (usize, f32)>,
    values: &[f32],
) -> [S::V; G] {
    let mut sums = [simd.splat(0.0); G];
    for (place, weight) in terms {
        let (values, weight) = (&values[place * G * LANES..][..G * LANES], simd.splat(weight));
        for g in 0..G {
            sums[g] = simd.load_most(&values[g * LANES..][..LANES]).multiply_add(weight, sums[g]);
        }
    }
    sums
}

/// Sixteen lists of weights that are not zero, each with the number of the value that it multiplies.
struct Lists<'a> {
    /// The numbers, as bits.
    places: Buffer<'a>,
    weights: Buffer<'a>,
    /// 0, 1, …, as bits.
    numbers: Buffer<'a>,
    /// Space of a list.
    space: usize,
    lengths: [usize; LANES],
}

impl<'a> Lists<'a> {
    /// Empty lists for at most `most` weights.
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

    /// A list, in the order in which it was filled.
    #[inline(always)]
    fn terms(&self, list: usize) -> impl Iterator<Item = (usize, f32)> {
        let part = list * self.space..list * self.space + self.lengths[list];
        let places = self.places[part.clone()].iter().map(|place| place.to_bits() as usize);
        places.zip(self.weights[part].iter().copied())
    }
}

/// Writes sixteen vectors of samples as `count` columns of their rows.
#[inline(always)]
fn write<S: Simd>(
    simd: S,
    vectors: &[[f32; LANES]; LANES],
    (sample, samples): (usize, usize),
    (to, pitch, column, count): (Shared, usize, usize, usize),
) {
    let mut columns = [simd.splat(0.0); LANES];
    for lane in 0..LANES {
        columns[lane] = simd.load(&vectors[lane]);
    }
    let mut rows = [[0.0; LANES]; LANES];
    let turned = simd.transpose(columns);
    for lane in 0..LANES {
        turned[lane].store(&mut rows[lane]);
    }
    for row in 0..LANES.min(samples - sample) {
        // SAFETY: no other task writes these columns.
        let to = unsafe { to.slice((sample + row) * pitch + column, count) };
        simd.load_most(&rows[row]).store_part(to);
    }
}
