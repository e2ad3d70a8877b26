//! Weights to planes and back: `G w G'` in the order in which the products read it, and `G' u G` into PyTorch's order.
//!
//! PyTorch's weights are `[output][input][3][3]`. Sixteen outputs by sixteen inputs are read as rows of vectors and
//! turned in registers, so that a vector holds sixteen channels of one tap.
#![allow(unsafe_code, reason = "tasks write disjoint weights")]

use std::ops::Range;

use super::super::parallel::Shared;
use super::super::simd::{Kernel, LANES, Simd, Vector, prefetch};
use super::TAPS;
use super::forms::Form;
use super::images::{Pass, both, load};
use super::planes::Planes;

/// Numbers of sixteen inputs that belong to one output.
const ROW: usize = LANES * TAPS;

/// Weights to planes for a range of rows and up to 32 columns. Forward, rows are inputs and columns are outputs;
/// backward, rows are outputs and columns are inputs.
pub struct FromWeights<'a, F> {
    pub form: F,
    pub pass: Pass,
    /// All weights.
    pub weight: &'a [f32],
    /// Inputs of the convolution.
    pub inputs: usize,
    pub rows: Range<usize>,
    pub columns: Range<usize>,
    pub planes: Planes,
    pub to: &'a mut [f32],
}

impl<F: Form> Kernel for FromWeights<'_, F> {
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (form, zero) = (self.form, s.splat(0.0));
        let mut taps = [zero; ROW];
        for row in (0..self.rows.len()).step_by(LANES) {
            for column in (0..self.columns.len()).step_by(LANES) {
                let (down, across) = (self.rows.start + row, self.columns.start + column);
                match self.pass {
                    Pass::Forward => read(s, self.weight, self.inputs, across, down, &mut taps),
                    Pass::Backward => {
                        prefetch_taps(self.weight.as_ptr(), self.inputs, (down + LANES, across));
                        read(s, self.weight, self.inputs, down, across, &mut taps);
                        turn(s, &mut taps);
                    }
                }
                for lane in 0..LANES {
                    both(
                        3,
                        F::POINTS,
                        zero,
                        #[inline(always)]
                        |line| form.weight(s, line),
                        #[inline(always)]
                        |tap| taps[lane * TAPS + tap],
                        #[inline(always)]
                        |product, value| {
                            let at = self.planes.at(product, row + lane) + column;
                            value.store(self.to[at..].first_chunk_mut().expect("whole vectors"));
                        },
                    );
                }
            }
        }
    }
}

/// One value for each lane. (`array::from_fn` need not be inlined, and then vectors would go through memory.)
#[inline(always)]
fn lanes<V>(of: impl Fn(usize) -> V) -> [V; LANES] {
    [
        of(0),
        of(1),
        of(2),
        of(3),
        of(4),
        of(5),
        of(6),
        of(7),
        of(8),
        of(9),
        of(10),
        of(11),
        of(12),
        of(13),
        of(14),
        of(15),
    ]
}

/// Prefetches the weights of sixteen outputs by sixteen inputs: each output's are on other lines, too far apart for
/// the processor to foresee.
#[inline(always)]
fn prefetch_taps(weight: *const f32, inputs: usize, (output, input): (usize, usize)) {
    for lane in 0..LANES {
        for part in 0..TAPS {
            prefetch(weight.wrapping_add(((output + lane) * inputs + input) * TAPS + part * LANES));
        }
    }
}

/// Sixteen outputs by sixteen inputs: a vector of outputs for every input and tap.
#[inline(always)]
fn read<S: Simd>(s: S, weight: &[f32], inputs: usize, output: usize, input: usize, taps: &mut [S::V; ROW]) {
    for part in 0..TAPS {
        let rows = lanes(
            #[inline(always)]
            |lane| load(s, weight, ((output + lane) * inputs + input) * TAPS + part * LANES),
        );
        taps[part * LANES..][..LANES].copy_from_slice(&s.transpose(rows));
    }
}

/// The transpose: a vector of inputs for every output and tap.
#[inline(always)]
fn turn<S: Simd>(s: S, taps: &mut [S::V; ROW]) {
    for tap in 0..TAPS {
        let rows = lanes(
            #[inline(always)]
            |lane| taps[lane * TAPS + tap],
        );
        let turned = s.transpose(rows);
        for lane in 0..LANES {
            taps[lane * TAPS + tap] = turned[lane];
        }
    }
}

/// Planes to weights: rows are inputs and columns are outputs.
pub struct ToWeights<'a, F> {
    pub form: F,
    /// The planes; a row for each of the inputs below, a column for each of the outputs below.
    pub from: &'a [f32],
    pub planes: Planes,
    pub rows: Range<usize>,
    pub columns: Range<usize>,
    /// Inputs of the convolution.
    pub inputs: usize,
    /// All weights.
    pub weight: Shared<'a>,
}

impl<F: Form> Kernel for ToWeights<'_, F> {
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (form, zero) = (self.form, s.splat(0.0));
        let mut taps = [zero; ROW];
        for row in (0..self.rows.len()).step_by(LANES) {
            for column in (0..self.columns.len()).step_by(LANES) {
                let (input, output) = (self.rows.start + row, self.columns.start + column);
                prefetch_taps(self.weight.start(), self.inputs, (output, input));
                for lane in 0..LANES {
                    both(
                        F::POINTS,
                        3,
                        zero,
                        #[inline(always)]
                        |line| form.weight_back(s, line),
                        #[inline(always)]
                        |product| load(s, self.from, self.planes.at(product, row + lane) + column),
                        #[inline(always)]
                        |tap, value| taps[lane * TAPS + tap] = value,
                    );
                }
                for part in 0..TAPS {
                    let rows = lanes(
                        #[inline(always)]
                        |lane| taps[part * LANES + lane],
                    );
                    for (lane, vector) in s.transpose(rows).into_iter().enumerate() {
                        let at = ((output + lane) * self.inputs + input) * TAPS + part * LANES;
                        // SAFETY: every task has its own inputs and outputs.
                        let to = unsafe { self.weight.slice(at, LANES) };
                        vector.store(to.first_chunk_mut().expect("a whole vector"));
                    }
                }
            }
        }
    }
}
