//! Linear layers, y = x·Wᵀ + b, on weights as they lie in a network: [outputs, inputs]. Nothing is packed.
//!
//! Forward, the sixteen lanes are inputs, and the lanes of a sum are added in the end; an output depends on its sample
//! and its weights alone. Backward, the lanes are inputs too, and every gradient is one chain of products.
#![allow(unsafe_code, reason = "rows are read through pointers, and tasks write disjoint parts")]

use super::parallel::{Shared, tasks};
use super::scratch::Scratch;
use super::simd::{Kernel, LANES, Simd, Vector, dispatch};
use super::tile::{MAX_COLUMNS, MAX_ROWS, Run, Sums, Walk, outer_products, products};

/// Samples of a block of the forward pass.
const SAMPLES: usize = 6;
/// Outputs of a block of the forward pass.
const UNITS: usize = 4;
/// Outputs of a task of the forward pass.
const TASK: usize = 8 * UNITS;

/// Shape of a linear layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearShape {
    /// Number of rows.
    pub samples: usize,
    /// Numbers that come in.
    pub inputs: usize,
    /// Numbers that go out.
    pub outputs: usize,
}

impl LinearShape {
    const fn work(&self) -> usize {
        self.samples * self.inputs * self.outputs
    }

    fn check(&self, input: &[f32], weight: &[f32], output: &[f32]) {
        assert_eq!(input.len(), self.samples * self.inputs, "one row for each sample");
        assert_eq!(weight.len(), self.outputs * self.inputs, "one weight for each pair");
        assert_eq!(output.len(), self.samples * self.outputs, "one row for each sample");
    }
}

/// output = input · weightᵀ + bias.
///
/// # Panics
/// When the slices do not have the lengths that the shape says.
pub fn forward(shape: &LinearShape, input: &[f32], weight: &[f32], bias: &[f32], output: &mut [f32]) {
    shape.check(input, weight, output);
    assert_eq!(bias.len(), shape.outputs, "one bias for each output");
    let output = Shared::new(output);
    tasks(shape.outputs.div_ceil(TASK), shape.work(), |task| {
        let units = (task * TASK, ((task + 1) * TASK).min(shape.outputs));
        dispatch(Forward { shape, input, weight, bias, output, units });
    });
}

struct Forward<'a> {
    shape: &'a LinearShape,
    input: &'a [f32],
    weight: &'a [f32],
    bias: &'a [f32],
    output: Shared<'a>,
    units: (usize, usize),
}

impl Kernel for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let whole = self.shape.samples / SAMPLES * SAMPLES;
        for sample in (0..whole).step_by(SAMPLES) {
            for unit in (self.units.0..self.units.1).step_by(UNITS) {
                self.block::<S, SAMPLES>(simd, sample, unit);
            }
        }
        for sample in whole..self.shape.samples {
            for unit in (self.units.0..self.units.1).step_by(UNITS) {
                self.block::<S, 1>(simd, sample, unit);
            }
        }
    }
}

impl Forward<'_> {
    /// `R` samples times [`UNITS`] outputs; behind the last output, the last one again.
    #[inline(always)]
    fn block<S: Simd, const R: usize>(&self, simd: S, sample: usize, unit: usize) {
        let LinearShape { inputs, outputs, .. } = *self.shape;
        let last = self.units.1 - 1;
        let rows: [&[f32]; R] = std::array::from_fn(|r| &self.input[(sample + r) * inputs..][..inputs]);
        let columns: [&[f32]; UNITS] =
            std::array::from_fn(|c| &self.weight[(unit + c).min(last) * inputs..][..inputs]);
        let mut sums = [[simd.splat(0.0); UNITS]; R];
        let whole = inputs / LANES * LANES;
        for k in (0..whole).step_by(LANES) {
            // SAFETY: sixteen numbers from k on are within each row and column, which have `inputs` of them.
            let load = |from: &[f32]| unsafe { simd.load_at(from.as_ptr().add(k)) };
            add_products::<S, R>(&rows, &columns, load, &mut sums);
        }
        if whole < inputs {
            add_products::<S, R>(&rows, &columns, |from| simd.load_part(&from[whole..]), &mut sums);
        }
        let count = UNITS.min(self.units.1 - unit);
        for first in (0..R).step_by(LANES / UNITS) {
            let mut vectors = [simd.splat(0.0); LANES];
            for r in first..R.min(first + LANES / UNITS) {
                for c in 0..UNITS {
                    vectors[(r - first) * UNITS + c] = sums[r][c];
                }
            }
            let values = simd.sums(vectors).to_array();
            for r in first..R.min(first + LANES / UNITS) {
                // SAFETY: no other task has these outputs.
                let to = unsafe { self.output.slice((sample + r) * outputs + unit, count) };
                for (c, to) in to.iter_mut().enumerate() {
                    *to = values[(r - first) * UNITS + c] + self.bias[unit + c];
                }
            }
        }
    }
}

/// Adds one vector of products for each pair of a row and a column.
#[inline(always)]
fn add_products<S: Simd, const R: usize>(
    rows: &[&[f32]; R],
    columns: &[&[f32]; UNITS],
    load: impl Fn(&[f32]) -> S::V,
    sums: &mut [[S::V; UNITS]; R],
) {
    let mut values = sums[0];
    for c in 0..UNITS {
        values[c] = load(columns[c]);
    }
    for r in 0..R {
        let row = load(rows[r]);
        for c in 0..UNITS {
            sums[r][c] = row.multiply_add(values[c], sums[r][c]);
        }
    }
}

/// `input_slope` = slope · weight.
///
/// # Panics
/// As [`forward`].
pub fn backward_input(
    shape: &LinearShape,
    weight: &[f32],
    slope: &[f32],
    input_slope: &mut [f32],
    scratch: &Scratch,
) {
    shape.check(input_slope, weight, slope);
    let LinearShape { samples, inputs, outputs } = *shape;
    if inputs < LANES {
        let mut wide = scratch.take(outputs * LANES);
        widen(weight, inputs, &mut wide);
        let mut result = scratch.take(samples * LANES);
        backward_input(&LinearShape { inputs: LANES, ..*shape }, &wide, slope, &mut result, scratch);
        return narrow(&result, inputs, input_slope);
    }
    let run = [Run { offset: 0, weight: 0, len: outputs }];
    by_blocks((samples, inputs), shape.work(), input_slope, |(row, column), (count, width), sums| {
        let rows: [*const f32; MAX_ROWS] =
            std::array::from_fn(|r| slope[(row + r.min(count - 1)) * outputs..].as_ptr());
        let weights = weight[column.min(weight.len())..].as_ptr();
        // SAFETY: a row of the slope has as many numbers as the weights have rows, and `width` columns from `column` on
        // are within each of these.
        unsafe { products(&rows[..count], weights, inputs, width, &run, sums) };
    });
}

/// Rows with fewer than sixteen numbers, filled up with zeros.
fn widen(from: &[f32], width: usize, to: &mut [f32]) {
    for (at, to) in to.chunks_exact_mut(LANES).enumerate() {
        to[..width].copy_from_slice(&from[at * width..(at + 1) * width]);
        to[width..].fill(0.0);
    }
}

/// Takes the filling away again.
fn narrow(from: &[f32], width: usize, to: &mut [f32]) {
    for (at, from) in from.chunks_exact(LANES).enumerate() {
        to[at * width..(at + 1) * width].copy_from_slice(&from[..width]);
    }
}

/// Computes a matrix of at least sixteen columns, some columns in a task; `sums` computes a block of it: first row and
/// column, number of rows and columns.
///
/// The last sixteen columns end with the matrix: those that they share with the ones before are computed twice, alike.
fn by_blocks(
    (rows, columns): (usize, usize),
    work: usize,
    target: &mut [f32],
    sums: impl Fn((usize, usize), (usize, usize), &mut Sums) + Send + Sync,
) {
    let target = Shared::new(target);
    let blocks = (columns / MAX_COLUMNS).max(1);
    tasks(blocks, work, |block| {
        let mut at = block * MAX_COLUMNS;
        let end = if block + 1 == blocks { columns } else { at + MAX_COLUMNS };
        while at < end {
            let width = if at + MAX_COLUMNS <= end { MAX_COLUMNS } else { LANES };
            let column = at.min(end - width);
            for first in (0..rows).step_by(MAX_ROWS) {
                let count = MAX_ROWS.min(rows - first);
                let mut block = [[0.0; MAX_COLUMNS]; MAX_ROWS];
                sums((first, column), (count, width), &mut block);
                for (row, sums) in block[..count].iter().enumerate() {
                    // SAFETY: every task has columns of its own.
                    let to = unsafe { target.slice((first + row) * columns + column, width) };
                    to.copy_from_slice(&sums[..width]);
                }
            }
            at += width;
        }
    });
}

/// `weight_slope` = slopeᵀ · input.
///
/// # Panics
/// As [`forward`].
pub fn backward_weight(
    shape: &LinearShape,
    input: &[f32],
    slope: &[f32],
    weight_slope: &mut [f32],
    scratch: &Scratch,
) {
    shape.check(input, weight_slope, slope);
    let LinearShape { samples, inputs, outputs } = *shape;
    if inputs < LANES {
        let mut wide = scratch.take(samples * LANES);
        widen(input, inputs, &mut wide);
        let mut result = scratch.take(outputs * LANES);
        backward_weight(&LinearShape { inputs: LANES, ..*shape }, &wide, slope, &mut result, scratch);
        return narrow(&result, inputs, weight_slope);
    }
    let walk = Walk { counts: [1, 1, samples], row_steps: [0, 0, outputs], column_steps: [0, 0, inputs] };
    by_blocks((outputs, inputs), shape.work(), weight_slope, |(row, column), size, sums| {
        if samples > 0 {
            // SAFETY: some outputs of each sample and some of its inputs are read.
            unsafe { outer_products(slope[row..].as_ptr(), input[column..].as_ptr(), size, &walk, sums) };
        }
    });
}
