//! Operations on numbers or pixels by themselves: non-linearities, sums, shortcuts that only move numbers (He et al. 2016,
//! option A), and the order of channels.

use crate::conv::Images;
use crate::parallel::{COST, chunks_mut};
use crate::simd::{Kernel, LANES, Simd, Vector, dispatch, vectorise};

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

    /// Returns true if the derivative is computed from the input instead of the output: for large |x|, 1 − |y| rounds to 0.
    pub const fn goes_back_from_input(self) -> bool {
        matches!(self, Self::Softsign)
    }

    /// Returns the derivative, from x or the value y.
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

/// Returns max(0, x); NaN stays.
#[inline(always)]
pub fn positive(x: f32) -> f32 {
    if is_closed(x) { 0.0 } else { x }
}

/// Returns true if a ReLU lets no gradient through here; NaN does.
#[inline(always)]
pub fn is_closed(x: f32) -> bool {
    x <= 0.0
}

/// Computes 1/(1 + e⁻ˣ) in a form that never overflows.
fn sigmoid(x: f32) -> f32 {
    let e = (-x.abs()).exp();
    if x >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

/// Applies the curve in place.
pub fn forward(curve: Curve, values: &mut [f32]) {
    let work = values.len() * curve.cost();
    chunks_mut(values, BLOCK, work, |_, values| {
        vectorise(
            #[inline(always)]
            move || match curve {
                Curve::Relu => values.iter_mut().for_each(|x| *x = positive(*x)),
                curve => values.iter_mut().for_each(|x| *x = curve.value(*x)),
            },
        );
    });
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

/// Makes of images as [channels, pixels] images as [pixels, channels]; the way back exchanges the two numbers.
pub fn to_channels_last(channels: usize, pixels: usize, from: &[f32], to: &mut [f32]) {
    let size = channels * pixels;
    let work = from.len() * COST;
    chunks_mut(to, size, work, |image, to| {
        transpose(&from[image * size..(image + 1) * size], to, channels, pixels);
    });
}

/// Transposes [rows, columns] to [columns, rows].
pub fn transpose(from: &[f32], to: &mut [f32], rows: usize, columns: usize) {
    for (column, to) in to.chunks_exact_mut(rows.max(1)).enumerate() {
        for (row, to) in to.iter_mut().enumerate() {
            *to = from[row * columns + column];
        }
    }
}

/// Computes `into` += `values`, then max(0, ·) with `relu`; NaN stays.
pub fn add(into: &mut [f32], values: &[f32], relu: bool) {
    assert_eq!(into.len(), values.len(), "one number for each");
    let work = values.len() * COST;
    chunks_mut(into, BLOCK, work, |block, into| {
        let values = &values[block * BLOCK..][..into.len()];
        vectorise(
            #[inline(always)]
            move || {
                let pairs = into.iter_mut().zip(values);
                if relu {
                    pairs.for_each(|(into, value)| *into = positive(*into + value));
                } else {
                    pairs.for_each(|(into, value)| *into += value);
                }
            },
        );
    });
}

const fn subsampled(images: &Images, stride: usize, channels: usize) -> Images {
    let Images { count, height, width, .. } = *images;
    Images { count, height: height.div_ceil(stride), width: width.div_ceil(stride), channels }
}

/// Copies every `stride`-th pixel of each axis, with (`outputs` − channels)/2 channels of zeros before its channels,
/// and the rest after them: a shortcut without parameters.
pub fn subsample_pad(images: &Images, stride: usize, outputs: usize, input: &[f32], output: &mut [f32]) {
    let to = subsampled(images, stride, outputs);
    assert_eq!((input.len(), output.len()), (images.len(), to.len()), "the images have their shape");
    let (first, work) = (before(images, outputs), output.len() * COST);
    chunks_mut(output, to.width * outputs, work, |row, output| {
        let from = (row / to.height * images.height + row % to.height * stride) * images.width;
        for (x, output) in output.chunks_exact_mut(outputs).enumerate() {
            let (before, rest) = output.split_at_mut(first);
            let (middle, after) = rest.split_at_mut(images.channels);
            before.fill(0.0);
            middle.copy_from_slice(&input[(from + x * stride) * images.channels..][..images.channels]);
            after.fill(0.0);
        }
    });
}

/// Copies the gradient back to the pixels that were taken; all others get 0.
pub fn subsample_pad_backward(
    images: &Images,
    stride: usize,
    outputs: usize,
    gradient: &[f32],
    input_gradient: &mut [f32],
) {
    let to = subsampled(images, stride, outputs);
    assert_eq!(
        (input_gradient.len(), gradient.len()),
        (images.len(), to.len()),
        "the images have their shape"
    );
    let (first, work) = (before(images, outputs), gradient.len() * COST);
    chunks_mut(input_gradient, images.width * images.channels, work, |row, input_gradient| {
        let (image, y) = (row / images.height, row % images.height);
        input_gradient.fill(0.0);
        if y % stride > 0 {
            return;
        }
        let from = (image * to.height + y / stride) * to.width;
        for (x, to) in input_gradient.chunks_exact_mut(images.channels).step_by(stride).enumerate() {
            let gradient = &gradient[(from + x) * outputs + first..][..images.channels];
            to.copy_from_slice(gradient);
        }
    });
}

/// Returns the channels of zeros before those of the images.
fn before(images: &Images, outputs: usize) -> usize {
    assert!(outputs >= images.channels && images.channels > 0, "channels are added");
    (outputs - images.channels) / 2
}
