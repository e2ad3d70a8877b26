//! Linear layers, y = x·Wᵀ + b, with the weights of a network as they are: [outputs, inputs].
//!
//! Forward, the sixteen lanes are inputs, and the lanes of a sum are added at the end; an output depends on its sample and
//! its weights alone. Backward, the lanes are inputs too, and every gradient is one chain of products.
#![allow(unsafe_code, reason = "rows are read through pointers, and tasks write disjoint parts")]

use super::activate::transpose;
use super::free::FreeBits;
use super::matrix::multiply;
use super::parallel::{COST, Shared, chunks_mut, tasks};
use super::scratch::{Buffer, LINE, Scratch};
use super::simd::{Kernel, LANES, Simd, Vector, dispatch, prefetch};
use super::sparse;

/// Samples of a block of the forward pass.
const SAMPLES: usize = 6;
/// Outputs of a block of the forward pass.
const UNITS: usize = 4;
/// How many numbers ahead weights are prefetched from the second cache.
const AHEAD: usize = 4 * LANES;
/// Outputs of a task of the forward pass.
const TASK: usize = 2 * UNITS;

/// Shape of a linear layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearShape {
    /// Number of rows.
    pub samples: usize,
    /// Inputs.
    pub inputs: usize,
    /// Outputs.
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

/// output = input · weightᵀ, + bias where there is one.
///
/// # Panics
/// When the lengths of the slices do not fit the shape.
pub fn forward(
    shape: &LinearShape,
    input: &[f32],
    weight: &[f32],
    bias: Option<&[f32]>,
    output: &mut [f32],
    scratch: &Scratch,
) {
    shape.check(input, weight, output);
    assert!(bias.is_none_or(|bias| bias.len() == shape.outputs), "one bias for each output");
    if sparse::linear::forward(shape, input, weight, bias, output, scratch) {
        return;
    }
    let rows = Rows::of(shape, input, scratch);
    let (input, output) = (rows.numbers(input), Shared::new(output));
    tasks(shape.outputs.div_ceil(TASK), shape.work(), |task| {
        let units = (task * TASK, ((task + 1) * TASK).min(shape.outputs));
        dispatch(Forward { shape, input, pitch: rows.pitch, weight, bias, output, units });
    });
}

/// Rows of an input, aligned to cache lines: a vector across two lines takes two loads, and the products leave hardly any
/// to spare.
struct Rows<'a> {
    /// A copy, where they are not aligned.
    copy: Option<Buffer<'a>>,
    /// Numbers from one row to the next.
    pitch: usize,
}

impl<'a> Rows<'a> {
    fn of(shape: &LinearShape, input: &[f32], scratch: &'a Scratch) -> Self {
        let pitch = shape.inputs.next_multiple_of(LANES);
        if pitch == 0 || pitch == shape.inputs && input.as_ptr().addr().is_multiple_of(LINE) {
            return Self { copy: None, pitch };
        }
        let mut copy = scratch.take(shape.samples * pitch);
        chunks_mut(&mut copy, SAMPLES * pitch, input.len() * COST, |block, rows| {
            let from = input[block * SAMPLES * shape.inputs..].chunks_exact(shape.inputs);
            for (to, from) in rows.chunks_exact_mut(pitch).zip(from) {
                to[..shape.inputs].copy_from_slice(from);
            }
        });
        Self { copy: Some(copy), pitch }
    }

    fn numbers<'b>(&'b self, input: &'b [f32]) -> &'b [f32] {
        self.copy.as_deref().unwrap_or(input)
    }
}

struct Forward<'a> {
    shape: &'a LinearShape,
    input: &'a [f32],
    /// Numbers from one row of the input to the next.
    pitch: usize,
    weight: &'a [f32],
    bias: Option<&'a [f32]>,
    output: Shared<'a>,
    units: (usize, usize),
}

impl Kernel for Forward<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for sample in (0..self.shape.samples).step_by(SAMPLES) {
            for unit in (self.units.0..self.units.1).step_by(UNITS) {
                match self.shape.samples - sample {
                    1 => self.block::<S, 1>(simd, sample, unit),
                    2 => self.block::<S, 2>(simd, sample, unit),
                    3 => self.block::<S, 3>(simd, sample, unit),
                    4 => self.block::<S, 4>(simd, sample, unit),
                    5 => self.block::<S, 5>(simd, sample, unit),
                    _ => self.block::<S, SAMPLES>(simd, sample, unit),
                }
            }
        }
    }
}

impl Forward<'_> {
    /// `R` samples times [`UNITS`] outputs; past the last output, the last one again.
    #[inline(always)]
    fn block<S: Simd, const R: usize>(&self, simd: S, sample: usize, unit: usize) {
        let LinearShape { inputs, outputs, .. } = *self.shape;
        let last = self.units.1 - 1;
        let rows: [&[f32]; R] = std::array::from_fn(|r| &self.input[(sample + r) * self.pitch..][..inputs]);
        let columns: [&[f32]; UNITS] =
            std::array::from_fn(|c| &self.weight[(unit + c).min(last) * inputs..][..inputs]);
        let mut sums = [[simd.splat(0.0); UNITS]; R];
        if S::COLUMNS == 2 {
            piece::<S, R, UNITS, R>(simd, &rows, &columns, (0, 0), &mut sums);
        } else {
            // Half of the outputs and of the samples at a time, as many sums as registers hold.
            for c in (0..UNITS).step_by(UNITS / 2) {
                for r in (0..R).step_by(SAMPLES / 2) {
                    match R - r {
                        1 => piece::<S, 1, { UNITS / 2 }, R>(simd, &rows, &columns, (r, c), &mut sums),
                        2 => piece::<S, 2, { UNITS / 2 }, R>(simd, &rows, &columns, (r, c), &mut sums),
                        _ => piece::<S, { SAMPLES / 2 }, { UNITS / 2 }, R>(
                            simd,
                            &rows,
                            &columns,
                            (r, c),
                            &mut sums,
                        ),
                    }
                }
            }
        }
        let count = UNITS.min(self.units.1 - unit);
        let mut bias = [0.0; UNITS];
        if let Some(all) = self.bias {
            bias[..count].copy_from_slice(&all[unit..unit + count]);
        }
        for first in (0..R).step_by(LANES / UNITS) {
            let mut vectors = [simd.splat(0.0); LANES];
            for r in first..R.min(first + LANES / UNITS) {
                for c in 0..UNITS {
                    vectors[(r - first) * UNITS + c] = sums[r][c];
                }
            }
            let values = simd.sums(vectors).to_array();
            for r in first..R.min(first + LANES / UNITS) {
                // SAFETY: no other task writes these outputs.
                let to = unsafe { self.output.slice((sample + r) * outputs + unit, count) };
                let sums = &values[(r - first) * UNITS..][..UNITS];
                if let Ok(to) = <&mut [f32; UNITS]>::try_from(&mut *to) {
                    *to = std::array::from_fn(|c| sums[c] + bias[c]);
                } else {
                    to.iter_mut().zip(sums).zip(bias).for_each(|((to, sum), bias)| *to = sum + bias);
                }
            }
        }
    }
}

/// The sums of `R` rows times `C` columns from this row and column on, vector by vector, in registers.
#[inline(always)]
fn piece<S: Simd, const R: usize, const C: usize, const ROWS: usize>(
    simd: S,
    rows: &[&[f32]; ROWS],
    columns: &[&[f32]; UNITS],
    (row, column): (usize, usize),
    sums: &mut [[S::V; UNITS]; ROWS],
) {
    let rows: &[&[f32]; R] = rows[row..].first_chunk().expect("a piece of the rows");
    let columns: &[&[f32]; C] = columns[column..].first_chunk().expect("a piece of the columns");
    let inputs = rows[0].len();
    let whole = inputs / LANES * LANES;
    let mut total = [[simd.splat(0.0); C]; R];
    for k in (0..whole).step_by(LANES) {
        // SAFETY: sixteen numbers from k on are within each row and column, which have `inputs` of them.
        let load = |from: &[f32]| unsafe { simd.load_at(from.as_ptr().add(k)) };
        for column in columns {
            prefetch(column.as_ptr().wrapping_add(k + AHEAD));
        }
        add_products::<S, R, C>(rows, columns, load, &mut total);
    }
    if whole < inputs {
        add_products::<S, R, C>(rows, columns, |from| simd.load_part(&from[whole..]), &mut total);
    }
    for r in 0..R {
        for c in 0..C {
            sums[row + r][column + c] = total[r][c];
        }
    }
}

/// Adds one vector of products for each pair of a row and a column.
#[inline(always)]
fn add_products<S: Simd, const R: usize, const C: usize>(
    rows: &[&[f32]; R],
    columns: &[&[f32]; C],
    load: impl Fn(&[f32]) -> S::V,
    sums: &mut [[S::V; C]; R],
) {
    let mut values = sums[0];
    for c in 0..C {
        values[c] = load(columns[c]);
    }
    for r in 0..R {
        let row = load(rows[r]);
        for c in 0..C {
            sums[r][c] = row.multiply_add(values[c], sums[r][c]);
        }
    }
}

/// `input_gradient` = gradient · weight.
///
/// # Panics
/// As [`forward`].
pub fn backward_input(
    shape: &LinearShape,
    weight: &[f32],
    gradient: &[f32],
    input_gradient: &mut [f32],
    scratch: &Scratch,
) {
    shape.check(input_gradient, weight, gradient);
    if sparse::linear::backward_input(shape, weight, gradient, input_gradient, scratch) {
        return;
    }
    let LinearShape { samples, inputs, outputs } = *shape;
    let mut turned = scratch.take(gradient.len());
    transpose(gradient, &mut turned, samples, outputs);
    multiply((samples, outputs, inputs), &turned, weight, input_gradient, None);
}

/// `weight_gradient` = gradientᵀ · input. Where `free` has the bits of the weights, held ones may have any gradient.
///
/// # Panics
/// As [`forward`].
pub fn backward_weight(
    shape: &LinearShape,
    input: &[f32],
    gradient: &[f32],
    weight_gradient: &mut [f32],
    free: Option<&FreeBits>,
) {
    shape.check(input, weight_gradient, gradient);
    let LinearShape { samples, inputs, outputs } = *shape;
    multiply((outputs, samples, inputs), gradient, input, weight_gradient, free);
}
