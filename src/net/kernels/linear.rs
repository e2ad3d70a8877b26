//! Linear layers, y = x·Wᵀ + b, with the weights of a network as they are: [outputs, inputs].
//!
//! Forward, the sixteen lanes are inputs, and the lanes of a sum are added at the end; an output depends on its sample and
//! its weights alone. Backward, the lanes are inputs too, and every gradient is one chain of products.

use std::ops::Range;

use crate::parallel::{COST, Shared, chunks_mut, tasks};
use crate::pointwise::transpose;
use crate::scratch::{Buffer, LINE, Scratch};
use crate::simd::{Kernel, LANES, Simd, Vector, dispatch, prefetch};
use crate::sparse;
use crate::tile::{Blocks, MAX_COLUMNS as COLUMNS, add_products};

const SAMPLES: usize = 6;
const UNITS: usize = 4;
/// Numbers by which weights are prefetched ahead from the second cache.
const AHEAD: usize = 4 * LANES;
const TASK: usize = 2 * UNITS;

/// Shape of a linear layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearShape {
    pub samples: usize,
    pub inputs: usize,
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

/// Computes output = input · weightᵀ, + bias where there is one.
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
    if sparse::linear_forward(shape, input, weight, bias, output, scratch) {
        return;
    }
    let rows = Rows::aligned(shape, input, scratch);
    let (input, output) = (rows.numbers(input), Shared::new(output));
    tasks(shape.outputs.div_ceil(TASK), shape.work(), |task| {
        let units = (task * TASK, ((task + 1) * TASK).min(shape.outputs));
        dispatch(Forward { shape, input, pitch: rows.pitch, weight, bias, output, units });
    });
}

/// Rows of an input, aligned to cache lines: a vector across two lines takes two loads, and the products leave hardly any
/// to spare.
struct Rows<'a> {
    copy: Option<Buffer<'a>>,
    /// Numbers from one row to the next.
    pitch: usize,
}

impl<'a> Rows<'a> {
    fn aligned(shape: &LinearShape, input: &[f32], scratch: &'a Scratch) -> Self {
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
    /// Computes `R` samples times [`UNITS`] outputs; past the last output, the last one again.
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

/// Sums the products of `R` rows times `C` columns from this row and column on, vector by vector, in registers.
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
        add_vectors::<S, R, C>(rows, columns, load, &mut total);
    }
    if whole < inputs {
        add_vectors::<S, R, C>(rows, columns, |from| simd.load_part(&from[whole..]), &mut total);
    }
    for r in 0..R {
        for c in 0..C {
            sums[row + r][column + c] = total[r][c];
        }
    }
}

/// Adds one vector of products for each pair of a row and a column.
#[inline(always)]
fn add_vectors<S: Simd, const R: usize, const C: usize>(
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

/// Computes `input_gradient` = gradient · weight.
pub fn backward_input(
    shape: &LinearShape,
    weight: &[f32],
    gradient: &[f32],
    input_gradient: &mut [f32],
    scratch: &Scratch,
) {
    shape.check(input_gradient, weight, gradient);
    let LinearShape { samples, inputs, outputs } = *shape;
    let mut left = scratch.take(gradient.len());
    transpose(gradient, &mut left, samples, outputs);
    multiply(samples, outputs, inputs, &left, weight, input_gradient);
}

/// Writes `weight_gradient` = gradientᵀ · input.
pub fn backward_weight(shape: &LinearShape, input: &[f32], gradient: &[f32], weight_gradient: &mut [f32]) {
    shape.check(input, weight_gradient, gradient);
    let LinearShape { samples, inputs, outputs } = *shape;
    multiply(outputs, samples, inputs, gradient, input, weight_gradient);
}

/// Terms whose part of the right factor stays in the first cache while all rows use it.
const TERMS: usize = 128;
/// Most rows of a task. Tasks go by rows first: then a thread has whole rows of a gradient, which are together in memory, as
/// those of an optimizer's step are.
const ROWS: usize = 160;

/// Writes target[row][column] = Σ over the terms of left[term][row] · right[term][column], added one after the other.
fn multiply(rows: usize, terms: usize, columns: usize, left: &[f32], right: &[f32], target: &mut [f32]) {
    assert_eq!(left.len(), terms * rows, "one number for each term and row");
    assert_eq!(right.len(), terms * columns, "one number for each term and column");
    assert_eq!(target.len(), rows * columns, "one number for each row and column");
    let target = Shared::new(target);
    let (pieces, panels) = (rows.div_ceil(ROWS), columns.div_ceil(COLUMNS));
    tasks(pieces * panels, rows * terms * columns, |task| {
        let (piece, first) = (task / panels, task % panels * COLUMNS);
        let some = piece * rows / pieces..(piece + 1) * rows / pieces;
        let width = COLUMNS.min(columns - first);
        dispatch(Panel { rows, terms, columns, left, right, target, some, first, width });
    });
}

struct Panel<'a> {
    rows: usize,
    terms: usize,
    columns: usize,
    left: &'a [f32],
    right: &'a [f32],
    target: Shared<'a>,
    some: Range<usize>,
    first: usize,
    width: usize,
}

impl Panel<'_> {
    /// Returns the right factor's part of the terms from `start` on: packed, so that rows a power of two apart do not
    /// evict each other from the cache.
    #[inline(always)]
    fn pack<'b>(&self, start: usize, packed: &'b mut [[f32; COLUMNS]; TERMS]) -> &'b [[f32; COLUMNS]] {
        let packed = &mut packed[..TERMS.min(self.terms - start)];
        for (term, to) in packed.iter_mut().enumerate() {
            let from = &self.right[(start + term) * self.columns + self.first..][..self.width];
            match <&[f32; COLUMNS]>::try_from(from) {
                Ok(from) => *to = *from,
                Err(_) => to[..self.width].copy_from_slice(from),
            }
        }
        packed
    }
}

impl Kernel for Panel<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut packed = [[0.0; COLUMNS]; TERMS];
        for start in (0..self.terms.max(1)).step_by(TERMS) {
            let packed = self.pack(start, &mut packed);
            // SAFETY: the left factor has these rows, and the width filled up to vectors is COLUMNS at most.
            unsafe { Terms { panel: &self, packed, start }.all(simd, self.some.len(), self.width) };
        }
    }
}

/// The terms from `start` on, which are added to the sums of those before.
struct Terms<'a, 'b> {
    panel: &'b Panel<'a>,
    packed: &'b [[f32; COLUMNS]],
    start: usize,
}

impl Blocks for Terms<'_, '_> {
    #[inline(always)]
    unsafe fn block<S: Simd, const R: usize, const C: usize>(&mut self, simd: S, row: usize, column: usize) {
        let Panel { rows, columns, left, target, first, width, .. } = *self.panel;
        let row = self.panel.some.start + row;
        let width = (C * LANES).min(width - column);
        let at = |r: usize| (row + r) * columns + first + column;
        let mut sums = [[simd.splat(0.0); C]; R];
        if self.start > 0 {
            for r in 0..R {
                // SAFETY: no other task uses these rows and columns.
                let from = unsafe { target.slice(at(r), width) };
                for c in 0..C {
                    let end = width.min((c + 1) * LANES);
                    sums[r][c] = simd.load_part(&from[end.min(c * LANES)..end]);
                }
            }
        }
        let left = &left[self.start * rows..][..self.packed.len() * rows];
        let factors = std::array::from_fn(|r| left.as_ptr().wrapping_add(row + r));
        let values = self.packed.as_ptr().cast::<f32>().wrapping_add(column);
        // SAFETY: row + R ≤ rows and column + C · LANES ≤ COLUMNS, and both factors have as many terms.
        unsafe {
            add_products::<0, S, R, C>(
                simd,
                self.packed.len(),
                (factors, rows),
                (values, COLUMNS),
                &mut sums,
            );
        }
        for r in 0..R {
            // SAFETY: no other task uses these rows and columns.
            let to = unsafe { target.slice(at(r), width) };
            for c in 0..C {
                let end = width.min((c + 1) * LANES);
                sums[r][c].store_part(&mut to[end.min(c * LANES)..end]);
            }
        }
    }
}
