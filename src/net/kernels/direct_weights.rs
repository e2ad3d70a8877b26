//! Gradients of the weights of the direct convolution: sums over pixels of input times gradient.
//!
//! A task has some input channels, one block of output channels and some rows of the window, and goes once over all
//! pixels, a slab at a time: the slab stays in the first cache for all places of the window. Each sum is formed in one
//! task, so the order of additions depends on the shape alone.
#![allow(unsafe_code, reason = "tasks write disjoint weights")]

use super::conv::{ConvShape, Window};
use super::geometry::{Band, forward};
use super::pack::BLOCK;
use super::parallel::{Shared, tasks};
use super::scratch::Scratch;
use super::simd::LANES;
use super::tile::{MAX_ROWS, SumRow, Walk, outer_products};

/// Pixels of a slab.
const SLAB: usize = 256;
/// The same where both images have few channels.
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

/// `weight_gradient` = Σ over pixels of input · gradient, as [outputs, inputs, kernel, kernel]. Sums are divided as those of the
/// `whole`, of which `shape` may be a part.
///
/// # Panics
/// When the lengths of the slices do not fit the shape.
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

/// The first image of the last slabs, which together have at least as many numbers as the columns of a block.
fn last_slab(shape: &ConvShape, pixels: usize) -> usize {
    if shape.outputs.is_multiple_of(LANES) {
        return shape.images;
    }
    let (size, several) =
        (shape.out_height() * shape.out_width() * shape.outputs, images_of_slab(shape, pixels));
    shape.images.saturating_sub(BLOCK.div_ceil(size.max(1))) / several * several
}

/// Whether the places of a row of the window are summed together. The order of sums is that of single places where the
/// window is 3×3 and keeps the size of the images.
fn by_rows(shape: &ConvShape) -> bool {
    shape.inputs <= FEW_INPUTS && shape.window != Window::SAME3
}

/// Some input channels, one block of output channels, and some rows of the window.
struct Corner<'a> {
    shape: &'a ConvShape,
    /// Pixels of a slab.
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
    /// Length of the sums, a row for each place of the window and input channel.
    const fn len(&self) -> usize {
        (self.rows.1 - self.rows.0) * self.shape.window.kernel * (self.inputs.1 - self.inputs.0) * BLOCK
    }

    /// Gradients for each place of the window, input channel and output channel.
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

    /// One place of the window, for all pixels of the slab that see it.
    fn tap(&self, slab: &Slab, row: usize, tap: usize, sums: &mut [SumRow]) {
        let ConvShape { width, window: Window { stride, padding, .. }, .. } = *self.shape;
        let y = seen(slab.rows, self.shape.height, &self.shape.window, row);
        let x = seen((0, self.shape.out_width()), width, &self.shape.window, tap);
        if y.0 < y.1 && x.0 < x.1 {
            self.add(slab, row, (y, x), x.0 * stride + tap - padding, sums);
        }
    }

    /// One row of the window, for all pixels of the slab that see it: those of one band after the other.
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

/// Coordinates of a range of the output that see a place of the window within `0..len`.
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

/// Pixels of a slab.
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
