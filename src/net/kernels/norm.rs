//! Batch norm with channels last, and the ReLU after it.
//!
//! Sums over a mini-batch are formed in blocks whose size depends on the number of channels alone; the blocks are added in
//! order, in f64. The variance combines that of each block around its mean with that of the means around theirs, corrected
//! for the rounding of each mean (Chan, Golub & Leveque 1983), so that no large numbers are subtracted.

use std::ops::Range;

use crate::conv::{Images, Window};
use crate::parallel::{COST, chunks_mut, pairs_mut};
use crate::pool::{Pooled, max_pool};
use crate::scratch::Scratch;
use crate::simd::{Kernel, LANES, Simd, Vector, dispatch};

/// Added to the variance, as in PyTorch.
pub const EPSILON: f64 = 1e-5;
const BLOCK: usize = 16 * 1024;
/// Most pixels of a block: each term may cost a running sum in f32 another 6·10⁻⁸ of its value.
const PIXELS: usize = 256;

/// (x − mean) · inverse · scale + shift, for each channel; rounded after every operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Norm<'a> {
    pub mean: &'a [f32],
    /// 1/√(variance + ε) of each channel.
    pub inverse: &'a [f32],
    /// Scale (torch: weight).
    pub scale: &'a [f32],
    /// Shift (torch: bias).
    pub shift: &'a [f32],
}

/// Computes 1/√(variance + ε).
pub fn inverse(variance: &[f32], inverse: &mut [f32]) {
    for (inverse, variance) in inverse.iter_mut().zip(variance) {
        *inverse = (1.0 / (f64::from(*variance) + EPSILON).sqrt()) as f32;
    }
}

/// Computes mean and biased variance of each channel; 0 when there are no values.
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

/// Returns the mean of a block of `size` pixels and sum of squared distances from it, from the sums around a rounded mean.
fn corrected(part: &[f32], channels: usize, channel: usize, size: f64) -> (f64, f64) {
    let [mean, squares, rest] = [0, 1, 2].map(|sum| f64::from(part[sum * channels + channel]));
    // An infinite mean needs no correction.
    let rest = if rest.is_finite() { rest } else { 0.0 };
    (mean + rest / size, squares - rest * rest / size)
}

/// Returns the numbers of a block: whole pixels.
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

/// Computes output = norm(input), + residual where there is one, then max(0, ·) with `relu`.
pub fn normalise(norm: &Norm, relu: bool, input: &[f32], residual: Option<&[f32]>, output: &mut [f32]) {
    let size = length(norm.mean.len());
    assert_eq!(input.len(), output.len(), "one number for each");
    assert!(residual.is_none_or(|residual| residual.len() == input.len()), "one residual for each");
    chunks_mut(output, size, input.len() * COST, |block, output| {
        let part = block * size..block * size + output.len();
        let residual = residual.map(|residual| &residual[part.clone()]);
        dispatch(All(norm.mean.len(), Normalise { norm, relu, input: &input[part], residual, output }));
    });
}

/// Does [`normalise`], and takes the largest of each 2×2 pixels with its position: two rows at a time, which stay in
/// the first cache in between.
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
        let all = Normalise { norm, relu, input, residual: None, output: &mut normal };
        dispatch(All(images.channels, all));
        max_pool(&two, Window::HALVES, &normal, output, which);
    });
}

/// The gradients of a batch norm besides that of its input.
#[derive(Debug)]
pub struct NormGradients<'a> {
    pub scale: &'a mut [f32],
    pub shift: &'a mut [f32],
    /// Sum of the input's gradient: the gradient of a bias before the norm.
    pub bias: &'a mut [f32],
}

/// Where a batch norm's output went.
#[derive(Debug)]
pub enum Next<'a> {
    /// To the operation whose gradient is given.
    Alone,
    /// To a pooling that is fused with the norm.
    Pooling(Pooled<'a>),
    /// To a sum with a shortcut.
    Sum {
        /// Gradient of the sum. Where a ReLU after it is closed, it becomes 0: then it is that of the shortcut.
        gradient: &'a mut [f32],
        /// Output of the ReLU after the sum, if there is one.
        relu: Option<&'a [f32]>,
    },
}

/// Writes the gradient of the input to `gradient`: from the gradient of the output, which is there before or, where
/// another operation follows, from that of what is [next](Next). With `batch` the statistics are those of the input, and
/// depend on it; else they are fixed.
///
/// With n numbers in a channel, x̂ = (x − mean) · inverse and g the gradient where the ReLU let through:
/// shift' = Σ g, scale' = Σ g·x̂, and x' = scale · inverse · (g − shift'/n − x̂ · scale'/n), without the last two terms
/// for fixed statistics (Ioffe & Szegedy, ICML 2015).
#[allow(clippy::needless_pass_by_value, reason = "it holds the only references to what is written")]
pub fn backward(
    norm: &Norm,
    way: Way,
    input: &[f32],
    mut next: Next,
    gradient: &mut [f32],
    gradients: NormGradients,
    scratch: &Scratch,
) {
    let channels = norm.mean.len();
    assert_eq!(gradient.len(), input.len(), "one gradient for each number");
    match &next {
        Next::Alone => {}
        Next::Pooling(pooled) => assert_eq!(pooled.images.len(), input.len(), "the images have their shape"),
        Next::Sum { gradient, relu } => {
            assert_eq!(gradient.len(), input.len(), "the sum has the norm's shape");
            assert!(relu.is_none_or(|relu| relu.len() == input.len()), "so has the ReLU");
        }
    }
    let mut sums = scratch.take(blocks(input.len(), channels) * 2 * channels);
    let (size, work) = (length(channels), input.len() * COST);
    let (given, pooled, closed_by) = match &mut next {
        Next::Alone => (&mut *gradient, None, None),
        Next::Pooling(pooled) => (&mut *gradient, Some(&*pooled), None),
        Next::Sum { gradient, relu } => (&mut **gradient, None, *relu),
    };
    pairs_mut((given, size), (&mut sums, 2 * channels), work, |block, gradient, sums| {
        let part = block * size..block * size + gradient.len();
        if let Some(pooled) = pooled {
            pooled.expand(part.start, gradient);
        }
        let closed_by = closed_by.map(|relu| &relu[part.clone()]);
        dispatch(All(
            channels,
            Sums { norm, relu: way.relu, closed_by, input: &input[part], gradient, sums },
        ));
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
    let from = match &next {
        Next::Alone | Next::Pooling(_) => None,
        Next::Sum { gradient, .. } => Some(&**gradient),
    };
    pairs_mut((gradient, size), (&mut sums, 2 * channels), work, |block, gradient, sums| {
        let part = block * size..block * size + gradient.len();
        let (from, sums) = (from.map(|from| &from[part.clone()]), &mut sums[..channels]);
        dispatch(All(
            channels,
            Through { norm, way, means: &means, input: &input[part], from, gradient, sums },
        ));
    });
    total(&sums, channels, gradients.bias, 0);
}

/// Adds up what the blocks have in the places from `at` on.
fn total(sums: &[f32], channels: usize, totals: &mut [f32], at: usize) {
    for (channel, to) in totals.iter_mut().enumerate() {
        *to = sums.chunks_exact(2 * channels).map(|part| f64::from(part[at + channel])).sum::<f64>() as f32;
    }
}

/// Sums over the pixels, for each channel.
pub fn channel_sums(values: &[f32], totals: &mut [f32], scratch: &Scratch) {
    let channels = totals.len();
    let mut sums = scratch.take(blocks(values.len(), channels) * 2 * channels);
    by_blocks(values.len(), 2 * channels, channels, &mut sums, |block, sums| {
        dispatch(All(channels, Totals { values: &values[block], sums: &mut sums[..channels] }));
    });
    total(&sums, channels, totals, 0);
}

/// The settings of a batch norm's pass forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// A ReLU follows it.
    pub relu: bool,
    /// Its statistics are those of the mini-batch.
    pub batch: bool,
}

/// Some channels of every row: `V` vectors, of which only the last one may be part of a vector.
#[derive(Clone, Copy)]
struct Columns<S, const V: usize> {
    simd: S,
    first: usize,
    len: usize,
}

impl<S: Simd, const V: usize> Columns<S, V> {
    #[inline(always)]
    fn load(&self, row: &[f32]) -> [S::V; V] {
        let row = &row[self.first..self.first + self.len];
        let mut vectors = [self.simd.splat(0.0); V];
        if self.len == V * LANES {
            for v in 0..V {
                vectors[v] = self.simd.load(row[v * LANES..].first_chunk().expect("a whole vector"));
            }
        } else {
            vectors[0] = self.simd.load_part(row);
        }
        vectors
    }

    #[inline(always)]
    fn store(&self, vectors: [S::V; V], row: &mut [f32]) {
        let row = &mut row[self.first..self.first + self.len];
        if self.len == V * LANES {
            for v in 0..V {
                vectors[v].store(row[v * LANES..].first_chunk_mut().expect("a whole vector"));
            }
        } else {
            vectors[0].store_part(row);
        }
    }

    /// Loads mean, inverse, scale and shift.
    #[inline(always)]
    fn load_norm(&self, norm: &Norm) -> [[S::V; V]; 4] {
        [self.load(norm.mean), self.load(norm.inverse), self.load(norm.scale), self.load(norm.shift)]
    }
}

/// A loop over all rows for some channels.
trait Rows {
    fn rows<S: Simd, const V: usize>(&mut self, columns: Columns<S, V>);
}

/// The loop for so many channels.
struct All<R>(usize, R);

impl<R: Rows> Kernel for All<R> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let (channels, mut first) = (self.0, 0);
        while first < channels {
            let rest = channels - first;
            if rest >= 2 * LANES {
                self.1.rows(Columns::<S, 2> { simd, first, len: 2 * LANES });
                first += 2 * LANES;
            } else {
                let len = rest.min(LANES);
                self.1.rows(Columns::<S, 1> { simd, first, len });
                first += len;
            }
        }
    }
}

/// Mean of a block, sum of squared distances from it, and sum of distances, which is the rounding error of the mean.
struct Moments<'a> {
    values: &'a [f32],
    channels: usize,
    /// Receives the three, each for all channels.
    sums: &'a mut [f32],
}

impl Kernel for Moments<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { values, channels, sums } = self;
        let (mean, others) = sums.split_at_mut(channels);
        let (squares, rests) = others.split_at_mut(channels);
        // Distances from one of the numbers are as small as their variation, so their sum is rounded less.
        squares.copy_from_slice(&values[..channels]);
        for shift in squares.iter_mut() {
            *shift = if shift.is_finite() { *shift } else { 0.0 };
        }
        All(channels, Distances { values, channels, from: squares, sums: mean, squares: None }).run(simd);
        let count = (values.len() / channels) as f32;
        for (mean, shift) in mean.iter_mut().zip(squares.iter()) {
            *mean = shift + *mean / count;
        }
        let squares = Some(squares);
        All(channels, Distances { values, channels, from: mean, sums: rests, squares }).run(simd);
    }
}

/// Sums of the distances from a number for each channel, and of their squares where they are asked for.
struct Distances<'a> {
    values: &'a [f32],
    channels: usize,
    from: &'a [f32],
    sums: &'a mut [f32],
    squares: Option<&'a mut [f32]>,
}

impl Rows for Distances<'_> {
    #[inline(always)]
    fn rows<S: Simd, const V: usize>(&mut self, columns: Columns<S, V>) {
        let from = columns.load(self.from);
        let (mut sums, mut squares) = ([columns.simd.splat(0.0); V], [columns.simd.splat(0.0); V]);
        for row in self.values.chunks_exact(self.channels) {
            let row = columns.load(row);
            for v in 0..V {
                let distance = row[v] - from[v];
                sums[v] = sums[v] + distance;
                squares[v] = squares[v] + distance * distance;
            }
        }
        columns.store(sums, self.sums);
        if let Some(to) = &mut self.squares {
            columns.store(squares, to);
        }
    }
}

/// output = norm(input), + residual where there is one, then max(0, ·) with `relu`.
struct Normalise<'a> {
    norm: &'a Norm<'a>,
    relu: bool,
    input: &'a [f32],
    residual: Option<&'a [f32]>,
    output: &'a mut [f32],
}

impl Rows for Normalise<'_> {
    #[inline(always)]
    fn rows<S: Simd, const V: usize>(&mut self, columns: Columns<S, V>) {
        let channels = self.norm.mean.len();
        let [mean, inverse, scale, shift] = columns.load_norm(self.norm);
        let rows = self.output.chunks_exact_mut(channels).zip(self.input.chunks_exact(channels));
        for (at, (output, input)) in rows.enumerate() {
            let mut values = columns.load(input);
            for v in 0..V {
                values[v] = (values[v] - mean[v]) * inverse[v] * scale[v] + shift[v];
            }
            if let Some(residual) = self.residual {
                let residual = columns.load(&residual[at * channels..][..channels]);
                for v in 0..V {
                    values[v] = values[v] + residual[v];
                }
            }
            if self.relu {
                for v in 0..V {
                    values[v] = values[v].where_positive(values[v]);
                }
            }
            columns.store(values, output);
        }
    }
}

/// Sum for each channel.
struct Totals<'a> {
    values: &'a [f32],
    /// Receives them.
    sums: &'a mut [f32],
}

impl Rows for Totals<'_> {
    #[inline(always)]
    fn rows<S: Simd, const V: usize>(&mut self, columns: Columns<S, V>) {
        let mut sums = [columns.simd.splat(0.0); V];
        for row in self.values.chunks_exact(self.sums.len()) {
            let row = columns.load(row);
            for v in 0..V {
                sums[v] = sums[v] + row[v];
            }
        }
        columns.store(sums, self.sums);
    }
}

/// Σ g and Σ g·x̂ of a block.
#[allow(clippy::struct_field_names, reason = "sums are what it makes")]
struct Sums<'a> {
    norm: &'a Norm<'a>,
    relu: bool,
    /// The numbers after a ReLU behind the norm's sum with a shortcut: where they are closed, the gradient becomes 0.
    closed_by: Option<&'a [f32]>,
    input: &'a [f32],
    gradient: &'a mut [f32],
    /// Receives both, each for all channels.
    sums: &'a mut [f32],
}

impl Rows for Sums<'_> {
    #[inline(always)]
    fn rows<S: Simd, const V: usize>(&mut self, columns: Columns<S, V>) {
        let channels = self.norm.mean.len();
        let [mean, inverse, scale, shift] = columns.load_norm(self.norm);
        let (mut shifts, mut scales) = ([columns.simd.splat(0.0); V], [columns.simd.splat(0.0); V]);
        let rows = self.input.chunks_exact(channels).zip(self.gradient.chunks_exact_mut(channels));
        for (at, (input, gradient)) in rows.enumerate() {
            let (input, mut g) = (columns.load(input), columns.load(gradient));
            if let Some(outputs) = self.closed_by {
                let outputs = columns.load(&outputs[at * channels..][..channels]);
                for v in 0..V {
                    g[v] = outputs[v].where_positive(g[v]);
                }
                columns.store(g, gradient);
            }
            for v in 0..V {
                let centred = (input[v] - mean[v]) * inverse[v];
                let g = if self.relu { (centred * scale[v] + shift[v]).where_positive(g[v]) } else { g[v] };
                shifts[v] = shifts[v] + g;
                scales[v] = scales[v] + g * centred;
            }
        }
        let (to_shifts, to_scales) = self.sums.split_at_mut(channels);
        columns.store(shifts, to_shifts);
        columns.store(scales, to_scales);
    }
}

/// The gradient of the input from that of the output.
struct Through<'a> {
    norm: &'a Norm<'a>,
    way: Way,
    /// Mean of g for each channel, and then of g·x̂.
    means: &'a [f32],
    input: &'a [f32],
    /// The gradient of the output; else it is in `gradient`.
    from: Option<&'a [f32]>,
    /// Receives the gradient of the input.
    gradient: &'a mut [f32],
    /// Receives its sum for each channel.
    sums: &'a mut [f32],
}

impl Rows for Through<'_> {
    #[inline(always)]
    fn rows<S: Simd, const V: usize>(&mut self, columns: Columns<S, V>) {
        let channels = self.norm.mean.len();
        let [mean, inverse, scale, shift] = columns.load_norm(self.norm);
        let (shifts, scales) = self.means.split_at(channels);
        let (shifts, scales) = (columns.load(shifts), columns.load(scales));
        let mut sums = [columns.simd.splat(0.0); V];
        let rows = self.input.chunks_exact(channels).zip(self.gradient.chunks_exact_mut(channels));
        for (at, (input, gradient)) in rows.enumerate() {
            let (input, mut g) = match self.from {
                Some(from) => (columns.load(input), columns.load(&from[at * channels..][..channels])),
                None => (columns.load(input), columns.load(gradient)),
            };
            for v in 0..V {
                let centred = (input[v] - mean[v]) * inverse[v];
                if self.way.relu {
                    g[v] = (centred * scale[v] + shift[v]).where_positive(g[v]);
                }
                if self.way.batch {
                    g[v] = g[v] - shifts[v] - centred * scales[v];
                }
                g[v] = g[v] * inverse[v] * scale[v];
                sums[v] = sums[v] + g[v];
            }
            columns.store(g, gradient);
        }
        columns.store(sums, self.sums);
    }
}
