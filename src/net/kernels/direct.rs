//! The direct convolution: every output is one chain of products, in the order [tap][channel].
//!
//! Only the weights are copied. A block of [`MAX_ROWS`] pixels times two vectors of channels stays in registers while the
//! loop goes over the window and the channels; the pixels of a block may be anywhere (in several images, where images are
//! small), as long as they see the same part of the window.
#![allow(unsafe_code, reason = "tasks write disjoint channels of the output")]

use std::ops::Range;

use super::conv::{ConvGradients, ConvShape, Convolution, Factors};
use super::direct_weights;
use super::geometry::{Geometry, Pixels};
use super::images::Images;
use super::norm::Norm;
use super::pack::{BLOCK, Packing, Side};
use super::parallel::{Shared, tasks};
use super::pool::largest;
use super::scratch::Scratch;
use super::simd::{Kernel, LANES, Simd, Vector, dispatch, prefetch};
use super::sparse::any_minus_zero;
use super::sparse::conv::{MOST_PIXELS, Thin};
use super::tile::{self, MAX_ROWS, Run, SumRow, products};

/// Numbers of the input, or sums waiting to be pooled, in one task: they fit the second cache together with the weights of
/// a block.
pub const GROUP: usize = 192 * 1024;

/// Up to this many input channels, a block of pixels is computed faster than the next one is loaded.
const NARROW: usize = 128;

/// The direct convolution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Direct;

/// Operations on the sums before they are written: + bias, then a batch norm, then + residual, then max(0, ·), then the
/// largest of each 2×2 pixels; rounded like separate operations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Epilogue<'a> {
    /// Added to every channel.
    pub bias: Option<&'a [f32]>,
    /// The batch norm after it.
    pub norm: Option<Norm<'a>>,
    /// Added to every number after them; it has the shape of the output before the pooling.
    pub residual: Option<&'a [f32]>,
    /// Whether negative values become 0.
    pub relu: bool,
    /// Whether 2×2 pixels become one; an odd last row or column is left out.
    pub pool: bool,
    /// The channels that are asked for, from the first to before the last; `None`: all. Others may get any values.
    pub asked: Option<[usize; 2]>,
}

/// output = epilogue(input ∗ packed weights); with weights that are packed for the way back, from the gradient of the output
/// to that of the input.
///
/// # Panics
/// When the lengths of the slices do not fit the shape, or there are outputs without input channels.
pub fn convolve(
    shape: &ConvShape,
    input: &[f32],
    packing: &Packing,
    packed: &[f32],
    epilogue: &Epilogue,
    output: &mut [f32],
    scratch: &Scratch,
) {
    shape.window.check();
    let geometry = Geometry::new(shape, packing.side);
    let Geometry { from, to, .. } = &geometry;
    let output_len = if epilogue.pool { to.halved().len() } else { to.len() };
    assert_eq!(input.len(), from.len(), "the input has its shape");
    assert_eq!(output.len(), output_len, "the output has its shape");
    assert!(epilogue.residual.is_none_or(|residual| residual.len() == to.len()), "so has the residual");
    assert_eq!(*packing, Packing::new(shape, packing.side), "the weights are packed for the shape");
    assert_eq!(packed.len(), packing.len(), "the weights are packed");
    if output.is_empty() {
        return;
    }
    assert!(from.channels > 0, "there are channels to be summed");
    // Sums waiting to be pooled need space too, and may be more than the input if it has few channels.
    let waiting = if epilogue.pool { to.height * to.width * to.channels.min(BLOCK) } else { 0 };
    // With few weights, lanes are images. Other channels than those that are asked for are left out by blocks alone.
    let thin = if epilogue.asked.is_none() { Thin::new(from, input, packing, packed, scratch) } else { None };
    let size = from.size().max(waiting).max(1);
    let (unit, most) = if thin.is_some() { (LANES, Thin::GROUPS) } else { (1, MAX_ROWS) };
    let units = from.count.div_ceil(unit);
    let groups = units.div_ceil((GROUP / (size * unit)).clamp(1, most));
    // Blocks with channels that are asked for.
    let [first, end] = epilogue.asked.unwrap_or([0, to.channels]);
    assert!(first < end && end <= to.channels, "channels that there are");
    let (first, end) = (first / BLOCK, end.div_ceil(BLOCK));
    let blocks = end - first;
    let work = shape.multiply_adds() / packing.blocks() * blocks;
    let shared = Shared::new(output);
    let weights_first = packed.len() > input.len();
    tasks(groups * blocks, work, |task| {
        let (group, block) =
            if weights_first { (task % groups, task / groups) } else { (task / blocks, task % blocks) };
        let [start, end] = [group, group + 1].map(|at| (at * units / groups * unit).min(from.count));
        let (geometry, thin, block) = (&geometry, thin.as_ref(), first + block);
        let block = Block { geometry, input, packing, packed, thin, epilogue, images: (start, end), block };
        if epilogue.pool {
            block.pooled(shared, scratch);
        } else {
            let (channels, channel) = (to.channels, block.channels().start);
            dispatch(Sums { block: &block, to: Target { values: shared, first: 0, channels, channel } });
        }
    });
}

/// Some images times one block of channels.
#[allow(clippy::struct_field_names, reason = "it is one block of several, by its number")]
struct Block<'a> {
    geometry: &'a Geometry,
    input: &'a [f32],
    packing: &'a Packing,
    packed: &'a [f32],
    /// Weights and input in another form, where the weights are few.
    thin: Option<&'a Thin<'a>>,
    epilogue: &'a Epilogue<'a>,
    images: (usize, usize),
    block: usize,
}

impl Block<'_> {
    fn channels(&self) -> Range<usize> {
        let first = self.block * BLOCK;
        first..(first + BLOCK).min(self.packing.columns)
    }

    /// The vectors of its channels that are asked for.
    fn parts(&self) -> Range<usize> {
        let vectors = self.packing.width(self.block) / LANES;
        let Some(asked) = self.epilogue.asked else { return 0..vectors };
        let [first, end] = asked.map(|channel| channel.saturating_sub(self.block * BLOCK));
        first / LANES..end.div_ceil(LANES).min(vectors)
    }

    /// Writes the largest of each 2×2 pixels; the pixels wait in the second cache until their neighbours are computed.
    fn pooled(&self, output: Shared, scratch: &Scratch) {
        let (size, channels) = (self.geometry.to.height * self.geometry.to.width, self.channels().len());
        let mut sums = scratch.take((self.images.1 - self.images.0) * size * channels);
        let (values, first) = (Shared::new(&mut sums), self.images.0 * size);
        dispatch(Sums { block: self, to: Target { values, first, channels, channel: 0 } });
        dispatch(Maxima { block: self, values: &sums, output });
    }
}

/// Destination of the channels of a block.
#[derive(Clone, Copy)]
struct Target<'a> {
    values: Shared<'a>,
    /// The first pixel of the destination.
    first: usize,
    /// Channels of its pixels.
    channels: usize,
    /// First channel of the block.
    channel: usize,
}

impl Target<'_> {
    /// Start of a vector of channels of a pixel.
    #[inline(always)]
    const fn at(&self, pixel: usize, part: usize) -> usize {
        (pixel - self.first) * self.channels + self.channel + part * LANES
    }
}

/// The sums of a block with their epilogue, except for the pooling.
struct Sums<'a, 'b> {
    block: &'b Block<'a>,
    to: Target<'b>,
}

impl Kernel for Sums<'_, '_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Block { geometry, images, thin, .. } = *self.block;
        if let Some(thin) = thin {
            return self.thin(simd, thin);
        }
        let mut sums = [[0.0; BLOCK]; MAX_ROWS];
        // Pixels of a tile: whole pieces of as many rows as registers hold.
        let most = MAX_ROWS / S::ROWS * S::ROWS;
        for region in &geometry.regions {
            let (runs, taps) = geometry.runs(region);
            let count = (images.1 - images.0) * region.len();
            let mut pixels = geometry.pixels(region, images.0);
            let tiles = count.div_ceil(most);
            for tile in 0..tiles {
                let count = (tile + 1) * count / tiles - tile * count / tiles;
                self.tile(simd, &mut pixels, count, &runs[..taps], &mut sums);
            }
        }
    }
}

impl Sums<'_, '_> {
    /// The same without the weights that are zero: sixteen images at a time.
    #[inline(always)]
    fn thin<S: Simd>(&self, simd: S, thin: &Thin) {
        let Block { geometry, images, block, .. } = *self.block;
        let (first, end) = (images.0 / LANES, images.1.div_ceil(LANES));
        let mut tile = [[[0.0; LANES]; BLOCK]; MOST_PIXELS];
        for region in &geometry.regions {
            let (runs, taps) = geometry.runs(region);
            let count = (end - first) * region.len();
            let mut pixels = geometry.pixels(region, first);
            let tiles = count.div_ceil(MOST_PIXELS);
            for at in 0..tiles {
                let count = (at + 1) * count / tiles - at * count / tiles;
                let (mut places, mut rows) = ([0; MOST_PIXELS], [0; MOST_PIXELS]);
                for (place, row) in places[..count].iter_mut().zip(&mut rows) {
                    (*place, *row) = pixels.next();
                    *row *= geometry.from.channels * LANES;
                }
                thin.sums(simd, &rows[..count], block, &runs[..taps], &mut tile);
                for (place, sums) in places[..count].iter().zip(&tile) {
                    self.images(simd, *place, sums);
                }
            }
        }
    }

    /// Writes the sums of a pixel of sixteen images, a vector of images for each channel. `place` counts groups of images
    /// as if they were images.
    #[inline(always)]
    fn images<S: Simd>(&self, simd: S, place: usize, sums: &[[f32; LANES]; BLOCK]) {
        let Images { height, width, count, .. } = self.block.geometry.to;
        let size = height * width;
        let first = place / size * LANES;
        let mut pixels = [0; LANES];
        for (image, pixel) in pixels.iter_mut().enumerate() {
            *pixel = (first + image) * size + place % size;
        }
        let pixels = &pixels[..LANES.min(count - first)];
        for part in self.block.parts() {
            let mut vectors = [simd.splat(0.0); LANES];
            for lane in 0..LANES {
                vectors[lane] = simd.load(&sums[part * LANES + lane]);
            }
            let mut rows = [[0.0; BLOCK]; LANES];
            for (row, vector) in rows.iter_mut().zip(simd.transpose(vectors)) {
                vector.store(&mut row.as_chunks_mut().0[0]);
            }
            self.write(simd, pixels, (&rows, 0), part);
        }
    }

    /// The next `count` pixels; `sums` is a work buffer.
    #[inline(always)]
    fn tile<S: Simd>(&self, simd: S, next: &mut Pixels, count: usize, runs: &[Run], sums: &mut tile::Sums) {
        let Block { geometry, input, packing, packed, block, .. } = *self.block;
        let mut pixels = [0; MAX_ROWS];
        let mut rows = [0; MAX_ROWS];
        for (pixel, row) in pixels[..count].iter_mut().zip(&mut rows) {
            (*pixel, *row) = next.next();
            *row *= geometry.from.channels;
        }
        let (pixels, rows) = (&pixels[..count], &rows[..count]);
        let width = packing.width(block);
        self.fetch(pixels, rows, runs, width);
        let parts = self.block.parts();
        let weights = &packed[packing.start(block) + parts.start * LANES..];
        products((input, rows), weights, width, parts.len() * LANES, runs, sums);
        for (column, part) in parts.enumerate() {
            self.write(simd, pixels, (sums, column), part);
        }
    }

    /// Prefetches the outputs, and the inputs of the next pixels that are not in the cache yet.
    #[inline(always)]
    fn fetch(&self, pixels: &[usize], rows: &[usize], runs: &[Run], width: usize) {
        let Block { geometry, input, block, packing, .. } = *self.block;
        let first = self.block.channels().start;
        for pixel in pixels {
            let at = self.to.at(*pixel, 0);
            self.to.values.prefetch(at);
            if width > LANES {
                self.to.values.prefetch(at + LANES);
            }
            if let Some(residual) = self.block.epilogue.residual {
                let at = residual.as_ptr().wrapping_add(*pixel * packing.columns + first);
                prefetch(at);
                if width > LANES {
                    prefetch(at.wrapping_add(LANES));
                }
            }
        }
        // With more channels, or for later blocks, the next pixels are in a near cache already.
        let channels = geometry.from.channels;
        let (Some(run), true) = (runs.last(), block == 0 && channels <= NARROW) else { return };
        let ahead = run.offset + run.len + (MAX_ROWS - 1) * channels;
        for row in rows {
            let pixel = input.as_ptr().wrapping_add(*row + ahead);
            for line in 0..channels / LANES {
                prefetch(pixel.wrapping_add(line * LANES));
            }
        }
    }

    /// Writes one vector of channels of some pixels, of which the sums have the vector `column`.
    #[inline(always)]
    fn write<S: Simd>(&self, simd: S, pixels: &[usize], (sums, column): (&[SumRow], usize), part: usize) {
        let Epilogue { bias, norm, residual, relu, .. } = *self.block.epilogue;
        let channels = self.block.channels();
        let first = channels.start + part * LANES;
        let end = (first + LANES).min(channels.end);
        let load = |values: &[f32]| simd.load_part(&values[first..end]);
        let bias = bias.map(load);
        let norm = norm.map(|n| (load(n.mean), load(n.inverse), load(n.scale), load(n.shift)));
        for (pixel, sums) in pixels.iter().zip(sums) {
            let mut value = simd.load(&sums.as_chunks().0[column]);
            if let Some(bias) = bias {
                value = value + bias;
            }
            if let Some((mean, inverse, scale, shift)) = norm {
                value = (value - mean) * inverse * scale + shift;
            }
            if let Some(residual) = residual {
                let at = *pixel * self.block.packing.columns;
                value = value + simd.load_most(&residual[at + first..at + end]);
            }
            if relu {
                value = value.where_positive(value);
            }
            // SAFETY: no other task writes these channels of these images.
            let to = unsafe { self.to.values.slice(self.to.at(*pixel, part), end - first) };
            match to.try_into() {
                Ok(to) => value.store(to),
                Err(_) => value.store_part(to),
            }
        }
    }
}

/// The largest of each 2×2 pixels of a block's sums.
struct Maxima<'a, 'b> {
    block: &'b Block<'a>,
    values: &'b [f32],
    output: Shared<'b>,
}

impl Kernel for Maxima<'_, '_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let (whole, channels) = (self.block.geometry.to, self.block.channels());
        let half = whole.halved();
        let (row, len) = (whole.width * channels.len(), channels.len());
        for image in self.block.images.0..self.block.images.1 {
            let values = &self.values[(image - self.block.images.0) * whole.height * row..];
            for (y, x) in (0..half.height).flat_map(|y| (0..half.width).map(move |x| (y, x))) {
                let above = &values[2 * y * row + 2 * x * len..];
                let at = ((image * half.height + y) * half.width + x) * whole.channels + channels.start;
                // SAFETY: no other task writes these channels of these images.
                let to = unsafe { self.output.slice(at, len) };
                largest(above, &above[row..], to);
            }
        }
    }
}

impl Convolution for Direct {
    fn forward(&self, factors: &Factors, bias: Option<&[f32]>, output: &mut [f32]) {
        let epilogue = Epilogue { bias, ..Epilogue::default() };
        pass(factors, Side::Forward, factors.input, &epilogue, output);
        // Behind a bias other than −0.0, both zeros are the same.
        tell_minus_zero(factors, output);
    }

    fn backward(&self, factors: &Factors, gradients: ConvGradients) {
        let Factors { shape, input, scratch, .. } = *factors;
        let gradient = gradients.output;
        direct_weights::weight_gradient((shape, factors.whole()), input, gradient, gradients.weight, scratch);
        if let Some(input_gradient) = gradients.input {
            pass(factors, Side::Backward, gradient, &Epilogue::default(), input_gradient);
            tell_minus_zero(factors, input_gradient);
        }
    }
}

fn tell_minus_zero(factors: &Factors, sums: &[f32]) {
    if let Some(part) = factors.part.filter(|_| any_minus_zero(sums)) {
        part.take_minus_zero();
    }
}

/// Packs the weights and goes over the images.
fn pass(factors: &Factors, side: Side, from: &[f32], epilogue: &Epilogue, to: &mut [f32]) {
    let Factors { shape, weight, scratch, .. } = *factors;
    let packing = Packing::new(shape, side);
    let mut packed = scratch.take(packing.len());
    packing.pack(weight, &mut packed);
    convolve(shape, from, &packing, &packed, epilogue, to, scratch);
}
