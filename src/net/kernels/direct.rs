//! The direct convolution: every output is one chain of products, in the order [tap][channel].
//!
//! Only the weights are copied. A block of [`MAX_ROWS`] pixels times two vectors of channels stays in registers while the
//! loop goes over the window and the channels; the pixels of a block may be anywhere (in several images, where images are
//! small), as long as they see the same part of the window.
//!
//! Gradients of weights are sums over pixels of input times gradient. A task has some input channels, one block of output
//! channels and some rows of the window, and goes once over all pixels, a slab at a time: the slab stays in the first cache
//! for all places of the window. Each sum is formed in one task, so the order of additions depends on the shape alone.

use std::ops::Range;

use crate::conv::{ConvGradients, ConvShape, Convolution, Factors, Images, Window};
use crate::geometry::{BLOCK, Band, Direction, Geometry, Packing, Pixels, forward};
use crate::norm::Norm;
use crate::parallel::{Shared, tasks};
use crate::pool::largest;
use crate::scratch::Scratch;
use crate::simd::{Kernel, LANES, Simd, Vector, dispatch, prefetch};
use crate::sparse::{MOST_PIXELS, Thin, any_minus_zero};
use crate::tile::{self, MAX_ROWS, Run, SumRow, Walk, outer_products, products};

/// Numbers of the input, or sums waiting to be pooled, in one task: they fit the second cache together with the weights of
/// a block.
pub const GROUP: usize = 192 * 1024;

/// Up to this many input channels, a block of pixels is computed faster than the next one is loaded.
const FEW_CHANNELS: usize = 128;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Direct;

/// Operations on the sums before they are written: + bias, then a batch norm, then + residual, then max(0, ·), then the
/// largest of each 2×2 pixels; rounded like separate operations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Epilogue<'a> {
    /// Added to every channel.
    pub bias: Option<&'a [f32]>,
    pub norm: Option<Norm<'a>>,
    /// Added to every number after them; it has the shape of the output before the pooling.
    pub residual: Option<&'a [f32]>,
    /// True if negative values become 0.
    pub relu: bool,
    /// True if 2×2 pixels become one; an odd last row or column is left out.
    pub pool: bool,
    /// The channels that are asked for, from the first to before the last; `None`: all. Others may get any values.
    pub asked: Option<[usize; 2]>,
}

/// Computes output = epilogue(input ∗ packed weights); with weights that are packed for the way back, from the
/// gradient of the output to that of the input.
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
    let geometry = Geometry::new(shape, packing.direction);
    let Geometry { from, to, .. } = &geometry;
    let output_len = if epilogue.pool { to.halved().len() } else { to.len() };
    assert_eq!(input.len(), from.len(), "the input has its shape");
    assert_eq!(output.len(), output_len, "the output has its shape");
    assert!(epilogue.residual.is_none_or(|residual| residual.len() == to.len()), "so has the residual");
    assert_eq!(*packing, Packing::new(shape, packing.direction), "the weights are packed for the shape");
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

    /// Returns the vectors of its channels that are asked for.
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

#[derive(Clone, Copy)]
struct Target<'a> {
    values: Shared<'a>,
    /// The first pixel of the destination.
    first: usize,
    channels: usize,
    channel: usize,
}

impl Target<'_> {
    /// Returns the start of a vector of channels of a pixel.
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
    /// Computes the sums without the weights that are zero: sixteen images at a time.
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

    /// Computes the next `count` pixels; `sums` is a work buffer.
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
        let (Some(run), true) = (runs.last(), block == 0 && channels <= FEW_CHANNELS) else { return };
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
        let bias = bias.map(
            #[inline(always)]
            |bias| simd.load_part(&bias[first..end]),
        );
        let norm = norm.map(
            #[inline(always)]
            |Norm { mean, inverse, scale, shift }| {
                let [mean, inverse] = [&mean[first..end], &inverse[first..end]];
                let [scale, shift] = [&scale[first..end], &shift[first..end]];
                (simd.load_part(mean), simd.load_part(inverse), simd.load_part(scale), simd.load_part(shift))
            },
        );
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
        pass(factors, Direction::Forward, factors.input, &epilogue, output);
        // Behind a bias other than −0.0, both zeros are the same.
        report_negative_zero(factors, output);
    }

    fn backward(&self, factors: &Factors, gradients: ConvGradients) {
        let Factors { shape, input, scratch, .. } = *factors;
        let gradient = gradients.output;
        weight_gradient((shape, factors.whole()), input, gradient, gradients.weight, scratch);
        if let Some(input_gradient) = gradients.input {
            pass(factors, Direction::Backward, gradient, &Epilogue::default(), input_gradient);
            report_negative_zero(factors, input_gradient);
        }
    }
}

fn report_negative_zero(factors: &Factors, sums: &[f32]) {
    if let Some(part) = factors.part.filter(|_| any_minus_zero(sums)) {
        part.mark_negative_zero();
    }
}

fn pass(factors: &Factors, direction: Direction, from: &[f32], epilogue: &Epilogue, to: &mut [f32]) {
    let Factors { shape, weight, scratch, .. } = *factors;
    let packing = Packing::new(shape, direction);
    let mut packed = scratch.take(packing.len());
    packing.pack(weight, &mut packed);
    convolve(shape, from, &packing, &packed, epilogue, to, scratch);
}

/// Pixels of a slab.
const SLAB: usize = 256;
/// Pixels of a slab where both images have few channels.
const FEW_SLAB: usize = 1024;
/// Narrower maps are walked image by image, pixel by pixel.
const NARROW: usize = 8;
/// With fewer tasks than this that threads cannot share evenly, or for windows of more than [`FEW_ROWS`] rows, each row of
/// the window becomes a task.
const FEW: usize = 8;
/// Sums of so many rows of the window fit the first cache.
const FEW_ROWS: usize = 3;
/// Up to this many input channels, the places of a row of the window are summed together: registers would be half empty
/// with the channels of one.
const FEW_INPUTS: usize = 8;

/// Computes `weight_gradient` = Σ over pixels of input · gradient, as [outputs, inputs, kernel, kernel]. Sums are
/// divided as those of the `whole`, of which `shape` may be a part.
pub fn weight_gradient(
    (shape, whole): (&ConvShape, &ConvShape),
    input: &[f32],
    gradient: &[f32],
    weight_gradient: &mut [f32],
    scratch: &Scratch,
) {
    shape.window.check();
    assert_eq!(input.len(), shape.input_len(), "the input has its shape");
    assert_eq!(gradient.len(), shape.output_len(), "the gradient has the shape of the output");
    assert_eq!(weight_gradient.len(), shape.weight_len(), "one gradient for each weight");
    // Whole vectors of channels reach into the next pixels, which does no harm; at the end they need space.
    let pixels = slab(whole);
    let last = last_slab(shape, pixels);
    let rest = &gradient[last * shape.out_height() * shape.out_width() * shape.outputs..];
    let mut end = scratch.take(rest.len() + BLOCK);
    end[..rest.len()].copy_from_slice(rest);
    end[rest.len()..].fill(0.0);
    let end = (last, &end[..]);

    let width = shape.outputs.next_multiple_of(LANES);
    let (rows, blocks, kernel) =
        (shape.inputs.div_ceil(MAX_ROWS), width.div_ceil(BLOCK), shape.window.kernel);
    // Each part reads all pixels, so there are no more of them than threads need.
    let is_enough = rows * blocks >= FEW || (rows * blocks).is_multiple_of(rayon::current_num_threads());
    let parts = if is_enough && kernel <= FEW_ROWS { 1 } else { kernel };
    let (shared, bands) = (Shared::new(weight_gradient), forward(&shape.window, shape.width));
    tasks(rows * blocks * parts, shape.multiply_adds(), |task| {
        let (part, task) = (task % parts, task / parts);
        let (row, block) = (task % rows, task / rows);
        let corner = Corner {
            shape,
            pixels,
            bands: &bands,
            input,
            gradient,
            end,
            inputs: (row * shape.inputs / rows, (row + 1) * shape.inputs / rows),
            outputs: (block * BLOCK, ((block + 1) * BLOCK).min(width)),
            rows: (part * kernel / parts, (part + 1) * kernel / parts),
        };
        let mut sums = scratch.take(corner.len());
        let sums = sums.as_chunks_mut().0;
        corner.sum(sums);
        corner.write(sums, shared);
    });
}

/// Returns the first image of the last slabs, which together have at least as many numbers as the columns of a block.
fn last_slab(shape: &ConvShape, pixels: usize) -> usize {
    if shape.outputs.is_multiple_of(LANES) {
        return shape.images;
    }
    let (size, several) =
        (shape.out_height() * shape.out_width() * shape.outputs, images_of_slab(shape, pixels));
    shape.images.saturating_sub(BLOCK.div_ceil(size.max(1))) / several * several
}

/// Returns true if the places of a row of the window are summed together. The order of sums is that of single places
/// where the window is 3×3 and keeps the size of the images.
fn by_rows(shape: &ConvShape) -> bool {
    shape.inputs <= FEW_INPUTS && shape.window != Window::SAME3
}

/// Some input channels, one block of output channels, and some rows of the window.
struct Corner<'a> {
    shape: &'a ConvShape,
    pixels: usize,
    bands: &'a [Band],
    input: &'a [f32],
    gradient: &'a [f32],
    /// The gradient from this image on, with a few numbers after it.
    end: (usize, &'a [f32]),
    inputs: (usize, usize),
    outputs: (usize, usize),
    rows: (usize, usize),
}

impl Corner<'_> {
    /// Returns the length of the sums, a row for each place of the window and input channel.
    const fn len(&self) -> usize {
        (self.rows.1 - self.rows.0) * self.shape.window.kernel * (self.inputs.1 - self.inputs.0) * BLOCK
    }

    /// Sums the gradients for each place of the window, input channel and output channel.
    fn sum(&self, sums: &mut [SumRow]) {
        sums.fill([0.0; BLOCK]);
        let (kernel, channels) = (self.shape.window.kernel, self.inputs.1 - self.inputs.0);
        for slab in slabs(self.shape, self.pixels) {
            for row in self.rows.0..self.rows.1 {
                let sums = &mut sums[(row - self.rows.0) * kernel * channels..][..kernel * channels];
                if by_rows(self.shape) {
                    self.row(&slab, row, sums);
                } else {
                    for (tap, sums) in sums.chunks_exact_mut(channels).enumerate() {
                        self.tap(&slab, row, tap, sums);
                    }
                }
            }
        }
    }

    /// Sums one place of the window, for all pixels of the slab that see it.
    fn tap(&self, slab: &Slab, row: usize, tap: usize, sums: &mut [SumRow]) {
        let ConvShape { width, window: Window { stride, padding, .. }, .. } = *self.shape;
        let y = seen(slab.rows, self.shape.height, &self.shape.window, row);
        let x = seen((0, self.shape.out_width()), width, &self.shape.window, tap);
        if y.0 < y.1 && x.0 < x.1 {
            self.add(slab, row, (y, x), x.0 * stride + tap - padding, sums);
        }
    }

    /// Sums one row of the window, for all pixels of the slab that see it: those of one band after the other.
    fn row(&self, slab: &Slab, row: usize, sums: &mut [SumRow]) {
        let channels = self.inputs.1 - self.inputs.0;
        let y = seen(slab.rows, self.shape.height, &self.shape.window, row);
        for band in self.bands.iter().filter(|_| y.0 < y.1) {
            let sums = &mut sums[band.tap * channels..][..band.taps * channels];
            self.add(slab, row, (y, (band.start, band.start + band.len)), band.from, sums);
        }
    }

    /// Adds the products of some pixels of each image of the slab, of which the first sees the column `from`.
    fn add(
        &self,
        slab: &Slab,
        row: usize,
        (y, x): ((usize, usize), (usize, usize)),
        from: usize,
        sums: &mut [SumRow],
    ) {
        let ConvShape { height, width, inputs, outputs, window, .. } = *self.shape;
        let (to_height, to_width) = (self.shape.out_height(), self.shape.out_width());
        let from =
            slab.images.0 * height * width + (y.0 * window.stride + row - window.padding) * width + from;
        let (first, gradient) = if slab.images.0 < self.end.0 { (0, self.gradient) } else { self.end };
        let to = (slab.images.0 - first) * to_height * to_width + y.0 * to_width + x.0;
        let counts = [slab.images.1 - slab.images.0, y.1 - y.0, x.1 - x.0];
        let order = |[images, rows, columns]: [usize; 3]| {
            if to_width < NARROW { [rows, columns, images] } else { [images, rows, columns] }
        };
        let walk = Walk {
            counts: order(counts),
            row_steps: order([height * width, window.stride * width, window.stride]).map(|s| s * inputs),
            column_steps: order([to_height * to_width, to_width, 1]).map(|s| s * outputs),
        };
        let rows = &self.input[from * inputs + self.inputs.0..];
        let columns = &gradient[to * outputs + self.outputs.0..];
        outer_products(rows, columns, self.outputs.1 - self.outputs.0, &walk, sums);
    }

    /// Writes them as [outputs, inputs, kernel, kernel].
    fn write(&self, sums: &[SumRow], weight_gradient: Shared) {
        let (kernel, channels) = (self.shape.window.kernel, self.inputs.1 - self.inputs.0);
        let taps = self.rows.0 * kernel..self.rows.1 * kernel;
        for (column, output) in (self.outputs.0..self.outputs.1.min(self.shape.outputs)).enumerate() {
            for (row, input) in (self.inputs.0..self.inputs.1).enumerate() {
                let start = (output * self.shape.inputs + input) * kernel * kernel;
                // SAFETY: no other task writes these rows of the window of these channels.
                let to = unsafe { weight_gradient.slice(start + taps.start, taps.len()) };
                for (tap, to) in to.iter_mut().enumerate() {
                    *to = sums[tap * channels + row][column];
                }
            }
        }
    }
}

/// Returns the coordinates of a range of the output that see a place of the window within `0..len`.
const fn seen(range: (usize, usize), len: usize, window: &Window, tap: usize) -> (usize, usize) {
    let start = window.padding.saturating_sub(tap).div_ceil(window.stride);
    let end = (len + window.padding).saturating_sub(tap).div_ceil(window.stride);
    (if start > range.0 { start } else { range.0 }, if end < range.1 { end } else { range.1 })
}

/// Output pixels that are summed at a time: rows of an image, or several small images.
struct Slab {
    images: (usize, usize),
    rows: (usize, usize),
}

fn slab(shape: &ConvShape) -> usize {
    if by_rows(shape) && shape.outputs <= LANES { FEW_SLAB } else { SLAB }
}

fn images_of_slab(shape: &ConvShape, pixels: usize) -> usize {
    (pixels / (shape.out_height() * shape.out_width()).max(1)).max(1)
}

fn slabs(shape: &ConvShape, pixels: usize) -> impl Iterator<Item = Slab> + use<> {
    let (images, height, width) = (shape.images, shape.out_height(), shape.out_width());
    let several = images_of_slab(shape, pixels);
    let rows = (pixels / width.max(1)).clamp(1, height.max(1));
    (0..images).step_by(several).flat_map(move |image| {
        let images = (image, (image + several).min(images));
        (0..height).step_by(rows).map(move |row| Slab { images, rows: (row, (row + rows).min(height)) })
    })
}
