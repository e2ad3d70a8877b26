//! Batch norm with channels last, and the ReLU after it.
//!
//! Sums over a mini-batch are formed in blocks whose size depends on the number of channels alone; the blocks are added in
//! order, in f64. The variance combines that of each block around its mean with that of the means around theirs, corrected
//! for the rounding of each mean (Chan, Golub & Leveque 1983), so that no large numbers are subtracted.

use std::ops::Range;

use super::activate::{is_closed, positive};
use super::combine::Add;
use super::images::Window;
use super::parallel::{COST, chunks_mut, pairs_mut};
use super::pool::{Images, Pooled, max_pool};
use super::scratch::Scratch;
use super::simd::{Kernel, Simd, dispatch};

/// Added to the variance, as in PyTorch.
pub const EPSILON: f64 = 1e-5;
/// Most numbers of a block.
const BLOCK: usize = 16 * 1024;
/// Most pixels of a block: each term may cost a running sum in f32 another 6·10⁻⁸ of its value.
const PIXELS: usize = 256;

/// (x − mean) · inverse · scale + shift, for each channel; rounded after every operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Norm<'a> {
    /// Mean of each channel.
    pub mean: &'a [f32],
    /// 1/√(variance + ε) of each channel.
    pub inverse: &'a [f32],
    /// Scale (torch: weight).
    pub scale: &'a [f32],
    /// Shift (torch: bias).
    pub shift: &'a [f32],
}

/// 1/√(variance + ε).
pub fn inverse(variance: &[f32], inverse: &mut [f32]) {
    for (inverse, variance) in inverse.iter_mut().zip(variance) {
        *inverse = (1.0 / (f64::from(*variance) + EPSILON).sqrt()) as f32;
    }
}

/// Mean and biased variance of each channel; 0 when there are no values.
pub fn statistics(values: &[f32], mean: &mut [f32], variance: &mut [f32], scratch: &Scratch) {
    let channels = mean.len();
    if values.is_empty() {
        mean.fill(0.0);
        variance.fill(0.0);
        return;
    }
    let mut sums = scratch.take(blocks(values.len(), channels) * 3 * channels);
    by_blocks(values.len(), 3 * channels, channels, &mut sums, |block, sums| {
        dispatch(Moments { values: &values[block], channels, sums });
    });
    let count = (values.len() / channels) as f64;
    for channel in 0..channels {
        let sizes = values.chunks(length(channels)).map(|values| (values.len() / channels) as f64);
        let parts = || {
            let parts = sums.chunks_exact(3 * channels);
            parts.zip(sizes.clone()).map(|(part, size)| (size, corrected(part, channels, channel, size)))
        };
        let centre = parts().map(|(size, (mean, _))| mean * size).sum::<f64>() / count;
        let squares: f64 =
            parts().map(|(size, (mean, squares))| squares + size * (mean - centre) * (mean - centre)).sum();
        mean[channel] = centre as f32;
        variance[channel] = (squares / count) as f32;
    }
}

/// Mean of a block of `size` pixels and sum of squared distances from it, from the sums around a rounded mean.
fn corrected(part: &[f32], channels: usize, channel: usize, size: f64) -> (f64, f64) {
    let [mean, squares, rest] = [0, 1, 2].map(|sum| f64::from(part[sum * channels + channel]));
    // An infinite mean needs no correction.
    let rest = if rest.is_finite() { rest } else { 0.0 };
    (mean + rest / size, squares - rest * rest / size)
}

/// Numbers of a block: whole pixels.
fn length(channels: usize) -> usize {
    (BLOCK / channels.max(1)).clamp(1, PIXELS) * channels.max(1)
}

fn blocks(len: usize, channels: usize) -> usize {
    len.div_ceil(length(channels))
}

/// Calls `work` with every block of `len` numbers and its `own` sums.
fn by_blocks(
    len: usize,
    own: usize,
    channels: usize,
    sums: &mut [f32],
    work: impl Fn(Range<usize>, &mut [f32]) + Send + Sync,
) {
    let size = length(channels);
    chunks_mut(sums, own, len * COST, |block, sums| {
        work(block * size..((block + 1) * size).min(len), sums);
    });
}

/// Mean of a block, sum of squared distances from it, and sum of distances, which is the rounding error of the mean.
struct Moments<'a> {
    values: &'a [f32],
    channels: usize,
    sums: &'a mut [f32],
}

impl Kernel for Moments<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let channels = self.channels;
        self.sums.fill(0.0);
        let (mean, others) = self.sums.split_at_mut(channels);
        let (squares, rests) = others.split_at_mut(channels);
        let (squares, rests) = (&mut squares[..channels], &mut rests[..channels]);
        // Distances from one of the numbers are as small as their variation, so their sum is rounded less.
        squares.copy_from_slice(&self.values[..channels]);
        for shift in squares.iter_mut() {
            *shift = if shift.is_finite() { *shift } else { 0.0 };
        }
        for row in self.values.chunks_exact(channels) {
            for c in 0..channels {
                mean[c] += row[c] - squares[c];
            }
        }
        let count = (self.values.len() / channels) as f32;
        for c in 0..channels {
            mean[c] = squares[c] + mean[c] / count;
            squares[c] = 0.0;
        }
        for row in self.values.chunks_exact(channels) {
            for c in 0..channels {
                let distance = row[c] - mean[c];
                squares[c] += distance * distance;
                rests[c] += distance;
            }
        }
    }
}

/// output = norm(input), + residual where there is one, then max(0, ·) with `relu`.
///
/// # Panics
/// When they are not as many numbers.
pub fn normalise(norm: &Norm, relu: bool, input: &[f32], residual: Option<&[f32]>, output: &mut [f32]) {
    let size = length(norm.mean.len());
    assert_eq!(input.len(), output.len(), "one number for each");
    assert!(residual.is_none_or(|residual| residual.len() == input.len()), "one residual for each");
    chunks_mut(output, size, input.len() * COST, |block, output| {
        let part = block * size..block * size + output.len();
        let relu_first = relu && residual.is_none();
        dispatch(Normalise { norm, relu: relu_first, input: &input[part.clone()], output });
        if let Some(residual) = residual {
            dispatch(Add { into: output, values: &residual[part], relu });
        }
    });
}

/// [`normalise`], and the largest of each 2×2 pixels with its position: two rows at a time, which stay in the first cache
/// in between.
///
/// # Panics
/// When the lengths of the slices do not fit the images.
pub fn normalise_pooled(
    norm: &Norm,
    relu: bool,
    (images, input): (&Images, &[f32]),
    (output, which): (&mut [f32], &mut [u8]),
    scratch: &Scratch,
) {
    let half = images.halved();
    assert_eq!(images.channels, norm.mean.len(), "one mean for each channel");
    assert_eq!(input.len(), images.len(), "the images have their shape");
    assert_eq!((output.len(), which.len()), (half.len(), half.len()), "half as many rows and columns");
    let (rows, row) = (2 * images.width * images.channels, half.width * half.channels);
    let two = Images { count: 1, height: 2, ..*images };
    let (output, which) = ((output, row), (which, row));
    pairs_mut(output, which, input.len() * COST, |at, output, which| {
        let first = at / half.height * images.size() + at % half.height * rows;
        let mut normal = scratch.take(rows);
        let input = &input[first..first + rows];
        dispatch(Normalise { norm, relu, input, output: &mut normal });
        max_pool(&two, Window::HALVES, &normal, output, which);
    });
}

struct Normalise<'a> {
    norm: &'a Norm<'a>,
    relu: bool,
    input: &'a [f32],
    output: &'a mut [f32],
}

impl Kernel for Normalise<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let channels = self.norm.mean.len();
        let Norm { mean, inverse, scale, shift } = *self.norm;
        let (inverse, scale, shift) = (&inverse[..channels], &scale[..channels], &shift[..channels]);
        for (output, input) in self.output.chunks_exact_mut(channels).zip(self.input.chunks_exact(channels)) {
            if self.relu {
                for c in 0..channels {
                    output[c] = positive((input[c] - mean[c]) * inverse[c] * scale[c] + shift[c]);
                }
            } else {
                for c in 0..channels {
                    output[c] = (input[c] - mean[c]) * inverse[c] * scale[c] + shift[c];
                }
            }
        }
    }
}

/// The gradients of a batch norm besides that of its input.
#[derive(Debug)]
pub struct NormGradients<'a> {
    /// Gradient of the scale.
    pub scale: &'a mut [f32],
    /// Gradient of the shift.
    pub shift: &'a mut [f32],
    /// Sum of the input's gradient: the gradient of a bias before the norm.
    pub bias: &'a mut [f32],
}

/// Turns the gradient of the output into that of the input, in place; where the norm is fused with a pooling (`pooled`),
/// from the gradient after the pooling, whatever was in `gradient`. With `batch` the statistics are those of the input, and
/// depend on it; else they are fixed.
///
/// With n numbers in a channel, x̂ = (x − mean) · inverse and g the gradient where the ReLU let through:
/// shift' = Σ g, scale' = Σ g·x̂, and x' = scale · inverse · (g − shift'/n − x̂ · scale'/n), without the last two terms
/// for fixed statistics (Ioffe & Szegedy, ICML 2015).
///
/// # Panics
/// When there is not one gradient for each number of the input, or the pooled images are not as many numbers.
#[allow(clippy::needless_pass_by_value, reason = "it holds the only references to what is written")]
pub fn backward(
    norm: &Norm,
    way: Way,
    input: &[f32],
    pooled: Option<&Pooled>,
    gradient: &mut [f32],
    gradients: NormGradients,
    scratch: &Scratch,
) {
    let channels = norm.mean.len();
    assert_eq!(gradient.len(), input.len(), "one gradient for each number");
    if let Some(pooled) = pooled {
        assert_eq!(pooled.images.len(), input.len(), "the images have their shape");
    }
    let mut sums = scratch.take(blocks(input.len(), channels) * 2 * channels);
    let (size, work) = (length(channels), input.len() * COST);
    pairs_mut((gradient, size), (&mut sums, 2 * channels), work, |block, gradient, sums| {
        let input = &input[block * size..block * size + gradient.len()];
        if let Some(pooled) = pooled {
            pooled.expand(block * size, gradient);
        }
        dispatch(Sums { norm, relu: way.relu, input, gradient, sums });
    });
    total(&sums, channels, gradients.shift, 0);
    total(&sums, channels, gradients.scale, channels);
    let mut means = scratch.take(2 * channels);
    let count = (input.len() / channels.max(1)) as f32;
    for channel in 0..channels {
        let share = |sum: f32| if way.batch { sum / count } else { 0.0 };
        (means[channel], means[channels + channel]) =
            (share(gradients.shift[channel]), share(gradients.scale[channel]));
    }
    pairs_mut((gradient, size), (&mut sums, 2 * channels), work, |block, gradient, sums| {
        let input = &input[block * size..block * size + gradient.len()];
        dispatch(Through { norm, way, means: &means, input, gradient, sums: &mut sums[..channels] });
    });
    total(&sums, channels, gradients.bias, 0);
}

/// Adds up what the blocks have in the places from `at` on.
fn total(sums: &[f32], channels: usize, totals: &mut [f32], at: usize) {
    for (channel, to) in totals.iter_mut().enumerate() {
        *to = sums.chunks_exact(2 * channels).map(|part| f64::from(part[at + channel])).sum::<f64>() as f32;
    }
}

/// Σ over the pixels, for each channel.
pub fn channel_sums(values: &[f32], totals: &mut [f32], scratch: &Scratch) {
    let channels = totals.len();
    let mut sums = scratch.take(blocks(values.len(), channels) * 2 * channels);
    by_blocks(values.len(), 2 * channels, channels, &mut sums, |block, sums| {
        dispatch(Totals { values: &values[block], sums: &mut sums[..channels] });
    });
    total(&sums, channels, totals, 0);
}

/// Sums of a block.
struct Totals<'a> {
    values: &'a [f32],
    sums: &'a mut [f32],
}

impl Kernel for Totals<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        self.sums.fill(0.0);
        for row in self.values.chunks_exact(self.sums.len()) {
            for (sum, value) in self.sums.iter_mut().zip(row) {
                *sum += value;
            }
        }
    }
}

/// How a batch norm was passed forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// A ReLU follows it.
    pub relu: bool,
    /// Its statistics are those of the mini-batch.
    pub batch: bool,
}

/// Σ g and Σ g·x̂ of a block.
#[allow(clippy::struct_field_names, reason = "sums are what it makes")]
struct Sums<'a> {
    norm: &'a Norm<'a>,
    relu: bool,
    input: &'a [f32],
    gradient: &'a [f32],
    sums: &'a mut [f32],
}

impl Kernel for Sums<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let channels = self.norm.mean.len();
        let Norm { mean, inverse, scale, shift } = *self.norm;
        let (inverse, scale, shift) = (&inverse[..channels], &scale[..channels], &shift[..channels]);
        let (shifts, scales) = self.sums.split_at_mut(channels);
        shifts.fill(0.0);
        scales.fill(0.0);
        let scales = &mut scales[..channels];
        for (input, gradient) in self.input.chunks_exact(channels).zip(self.gradient.chunks_exact(channels)) {
            for c in 0..channels {
                let centred = (input[c] - mean[c]) * inverse[c];
                let closed = self.relu && is_closed(centred * scale[c] + shift[c]);
                let g = if closed { 0.0 } else { gradient[c] };
                shifts[c] += g;
                scales[c] += g * centred;
            }
        }
    }
}

/// The gradient of the input from that of the output, in place.
struct Through<'a> {
    norm: &'a Norm<'a>,
    way: Way,
    /// Mean of g for each channel, and then of g·x̂.
    means: &'a [f32],
    input: &'a [f32],
    gradient: &'a mut [f32],
    /// Receives the sum for each channel.
    sums: &'a mut [f32],
}

impl Kernel for Through<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let channels = self.norm.mean.len();
        let Norm { mean, inverse, scale, shift } = *self.norm;
        let (inverse, scale, shift) = (&inverse[..channels], &scale[..channels], &shift[..channels]);
        let (shifts, scales) = self.means.split_at(channels);
        let (scales, sums) = (&scales[..channels], &mut self.sums[..channels]);
        sums.fill(0.0);
        for (input, gradient) in
            self.input.chunks_exact(channels).zip(self.gradient.chunks_exact_mut(channels))
        {
            for c in 0..channels {
                let centred = (input[c] - mean[c]) * inverse[c];
                let closed = self.way.relu && is_closed(centred * scale[c] + shift[c]);
                let g = if closed { 0.0 } else { gradient[c] };
                let rest = if self.way.batch { g - shifts[c] - centred * scales[c] } else { g };
                gradient[c] = rest * inverse[c] * scale[c];
                sums[c] += gradient[c];
            }
        }
    }
}
