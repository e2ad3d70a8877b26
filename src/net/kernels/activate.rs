//! Non-linearities, forward and backward.

use super::parallel::{COST, chunks_mut};
use super::simd::{Kernel, LANES, Simd, Vector, dispatch};

/// Numbers per task.
const BLOCK: usize = 16 * 1024;
/// Cost of an exponential, in multiply-adds.
const EXPONENTIAL: usize = 64;

/// A non-linearity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// max(0, x); NaN stays.
    Relu,
    /// x / (1 + |x|).
    Softsign,
    /// Hyperbolic tangent.
    Tanh,
    /// 1 / (1 + e⁻ˣ).
    Sigmoid,
}

impl Curve {
    const fn cost(self) -> usize {
        match self {
            Self::Relu | Self::Softsign => COST,
            Self::Tanh | Self::Sigmoid => EXPONENTIAL,
        }
    }

    #[inline(always)]
    fn value(self, x: f32) -> f32 {
        match self {
            Self::Relu => positive(x),
            Self::Softsign => x / (1.0 + x.abs()),
            Self::Tanh => x.tanh(),
            Self::Sigmoid => sigmoid(x),
        }
    }

    /// Whether the derivative is computed from the input instead of the output: for large |x|, 1 − |y| rounds to 0.
    pub const fn goes_back_from_input(self) -> bool {
        matches!(self, Self::Softsign)
    }

    /// The derivative, from x or the value y.
    #[inline(always)]
    fn gradient(self, x_or_y: f32) -> f32 {
        match self {
            Self::Relu => unreachable!("a ReLU lets a gradient through or not"),
            Self::Softsign => {
                let share = 1.0 / (1.0 + x_or_y.abs());
                share * share
            }
            Self::Tanh => 1.0 - x_or_y * x_or_y,
            Self::Sigmoid => x_or_y * (1.0 - x_or_y),
        }
    }
}

/// max(0, x); NaN stays.
#[inline(always)]
pub fn positive(x: f32) -> f32 {
    if is_closed(x) { 0.0 } else { x }
}

/// Whether a ReLU lets no gradient through here; NaN does.
#[inline(always)]
pub fn is_closed(x: f32) -> bool {
    x <= 0.0
}

/// In a form that never overflows.
fn sigmoid(x: f32) -> f32 {
    let e = (-x.abs()).exp();
    if x >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

/// Applies the curve in place.
pub fn forward(curve: Curve, values: &mut [f32]) {
    let work = values.len() * curve.cost();
    chunks_mut(values, BLOCK, work, |_, values| dispatch(Apply { curve, values }));
}

struct Apply<'a> {
    curve: Curve,
    values: &'a mut [f32],
}

impl Kernel for Apply<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        match self.curve {
            Curve::Relu => self.values.iter_mut().for_each(|x| *x = positive(*x)),
            curve => self.values.iter_mut().for_each(|x| *x = curve.value(*x)),
        }
    }
}

/// Multiplies the gradient by the derivative, in place; where a ReLU is closed, the gradient becomes 0, whatever it was.
/// `values` are the inputs where the curve [needs them](Curve::goes_back_from_input), else the outputs.
pub fn backward(curve: Curve, values: &[f32], gradient: &mut [f32]) {
    let work = gradient.len() * COST;
    chunks_mut(gradient, BLOCK, work, |block, gradient| {
        let values = &values[block * BLOCK..block * BLOCK + gradient.len()];
        dispatch(Back { curve, values, gradient });
    });
}

struct Back<'a> {
    curve: Curve,
    values: &'a [f32],
    gradient: &'a mut [f32],
}

impl Kernel for Back<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        match self.curve {
            Curve::Relu => {
                // Vectors, since a masked store is slow on many processors.
                let (gradients, rest) = self.gradient.as_chunks_mut::<LANES>();
                let (values, last) = self.values.as_chunks::<LANES>();
                for (gradient, y) in gradients.iter_mut().zip(values) {
                    simd.load(y).where_positive(simd.load(gradient)).store(gradient);
                }
                let passed = simd.load_part(last).where_positive(simd.load_part(rest));
                passed.store_part(rest);
            }
            curve => {
                let pairs = self.gradient.iter_mut().zip(self.values);
                pairs.for_each(|(gradient, x_or_y)| *gradient *= curve.gradient(*x_or_y));
            }
        }
    }
}

/// Multiplies each value by its factor: dropout, forward and backward.
pub fn scale(values: &mut [f32], factors: &[f32]) {
    values.iter_mut().zip(factors).for_each(|(value, factor)| *value *= factor);
}

/// Images as [channels, pixels] become [pixels, channels].
pub fn to_channels_last(channels: usize, pixels: usize, from: &[f32], to: &mut [f32]) {
    let size = channels * pixels;
    let work = from.len() * COST;
    chunks_mut(to, size, work, |image, to| {
        transpose(&from[image * size..(image + 1) * size], to, channels, pixels);
    });
}

/// Images as [pixels, channels] become [channels, pixels].
pub fn to_channels_first(channels: usize, pixels: usize, from: &[f32], to: &mut [f32]) {
    to_channels_last(pixels, channels, from, to);
}

/// [rows, columns] becomes [columns, rows].
pub fn transpose(from: &[f32], to: &mut [f32], rows: usize, columns: usize) {
    for (column, to) in to.chunks_exact_mut(rows.max(1)).enumerate() {
        for (row, to) in to.iter_mut().enumerate() {
            *to = from[row * columns + column];
        }
    }
}
