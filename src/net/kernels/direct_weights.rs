//! Gradients of the weights of the direct 3×3 convolution: sums over pixels of input times gradient.
//!
//! A task has some input channels and one block of output channels, and goes once over all pixels, a slab at a time: the
//! slab stays in the first cache for all positions of the window. Each sum is formed in one task, so the order of
//! additions depends on the shape alone.
#![allow(unsafe_code, reason = "tasks write disjoint weights")]

use super::conv::{ConvShape, SIDE, TAPS};
use super::pack::BLOCK;
use super::parallel::{Shared, tasks};
use super::scratch::Scratch;
use super::simd::LANES;
use super::tile::{MAX_ROWS, Sums, Walk, outer_products};

/// Pixels of a slab.
const SLAB: usize = 256;
/// Narrower maps are walked image by image, pixel by pixel.
const NARROW: usize = 8;
/// With fewer tasks than this, each row of the window becomes a separate task.
const FEW: usize = 8;

/// `weight_gradient` = Σ over pixels of input · gradient, as [outputs, inputs, 3, 3].
///
/// # Panics
/// When the lengths of the slices do not fit the shape.
pub fn weight_gradient(
    shape: &ConvShape,
    input: &[f32],
    gradient: &[f32],
    weight_gradient: &mut [f32],
    scratch: &Scratch,
) {
    assert_eq!(input.len(), shape.input_len(), "the input has its shape");
    assert_eq!(gradient.len(), shape.output_len(), "the gradient has the shape of the output");
    assert_eq!(weight_gradient.len(), shape.weight_len(), "one gradient for each weight");
    let width = shape.outputs.next_multiple_of(LANES);
    if width == shape.outputs {
        return run(shape, width, input, gradient, weight_gradient);
    }
    // The channels of the gradient are filled up to whole vectors.
    let mut wide = scratch.take(shape.pixels() * width);
    for (to, from) in wide.chunks_exact_mut(width).zip(gradient.chunks_exact(shape.outputs)) {
        to[..shape.outputs].copy_from_slice(from);
        to[shape.outputs..].fill(0.0);
    }
    run(shape, width, input, &wide, weight_gradient);
}

/// `width` is the number of channels of the gradient, a multiple of sixteen.
fn run(shape: &ConvShape, width: usize, input: &[f32], gradient: &[f32], weight_gradient: &mut [f32]) {
    let rows = shape.inputs.div_ceil(MAX_ROWS);
    let blocks = width.div_ceil(BLOCK);
    let parts = if rows * blocks < FEW { SIDE } else { 1 };
    let shared = Shared::new(weight_gradient);
    tasks(rows * blocks * parts, shape.multiply_adds(), |task| {
        let (part, task) = (task % parts, task / parts);
        let (row, block) = (task % rows, task / rows);
        let corner = Corner {
            shape,
            width,
            input,
            gradient,
            inputs: (row * shape.inputs / rows, (row + 1) * shape.inputs / rows),
            outputs: (block * BLOCK, ((block + 1) * BLOCK).min(width)),
            taps: (part * TAPS / parts, (part + 1) * TAPS / parts),
        };
        corner.write(&corner.sums(), shared);
    });
}

/// Some input channels, one block of output channels, and some positions of the window.
struct Corner<'a> {
    shape: &'a ConvShape,
    width: usize,
    input: &'a [f32],
    gradient: &'a [f32],
    inputs: (usize, usize),
    outputs: (usize, usize),
    taps: (usize, usize),
}

impl Corner<'_> {
    /// Gradients for each position of the window, input channel and output channel.
    fn sums(&self) -> [Sums; TAPS] {
        let mut sums = [[[0.0; BLOCK]; MAX_ROWS]; TAPS];
        let size = (self.inputs.1 - self.inputs.0, self.outputs.1 - self.outputs.0);
        for slab in slabs(self.shape) {
            for tap in self.taps.0..self.taps.1 {
                let Some((walk, from, to)) = self.walk(&slab, tap) else { continue };
                let rows = &self.input[from * self.shape.inputs + self.inputs.0..];
                let columns = &self.gradient[to * self.width + self.outputs.0..];
                outer_products(rows, columns, size, &walk, &mut sums[tap]);
            }
        }
        sums
    }

    /// Writes them as [outputs, inputs, 3, 3].
    fn write(&self, sums: &[Sums; TAPS], weight_gradient: Shared) {
        let taps = self.taps.0..self.taps.1;
        for (column, output) in (self.outputs.0..self.outputs.1.min(self.shape.outputs)).enumerate() {
            for (row, input) in (self.inputs.0..self.inputs.1).enumerate() {
                let start = (output * self.shape.inputs + input) * TAPS;
                // SAFETY: no other task writes these positions of these channels.
                let to = unsafe { weight_gradient.slice(start + taps.start, taps.len()) };
                for (to, sums) in to.iter_mut().zip(&sums[taps.clone()]) {
                    *to = sums[row][column];
                }
            }
        }
    }

    /// Pixels of the slab that see a position of the window: how to walk them, the first pixel of the input, and that of
    /// the gradient.
    fn walk(&self, slab: &Slab, tap: usize) -> Option<(Walk, usize, usize)> {
        let ConvShape { height, width, inputs, .. } = *self.shape;
        let (y0, y1) = seen(slab.rows, height, tap / SIDE);
        let (x0, x1) = seen((0, width), width, tap % SIDE);
        if y0 >= y1 || x0 >= x1 {
            return None;
        }
        let (image, first) = (height * width, slab.images.0 * height * width);
        let to = first + y0 * width + x0;
        let from = first + (y0 + tap / SIDE - 1) * width + x0 + tap % SIDE - 1;
        let images = slab.images.1 - slab.images.0;
        let (counts, steps) = if width < NARROW {
            ([y1 - y0, x1 - x0, images], [width, 1, image])
        } else {
            ([images, y1 - y0, x1 - x0], [image, width, 1])
        };
        let walk = Walk {
            counts,
            row_steps: steps.map(|s| s * inputs),
            column_steps: steps.map(|s| s * self.width),
        };
        Some((walk, from, to))
    }
}

/// Coordinates of a range that see a position of the window within `0..len`.
const fn seen(range: (usize, usize), len: usize, tap: usize) -> (usize, usize) {
    let start = if tap == 0 && range.0 == 0 { 1 } else { range.0 };
    let end = if tap == 2 && range.1 == len { len - 1 } else { range.1 };
    (start, end)
}

/// Pixels that are summed at a time: rows of an image, or several small images.
struct Slab {
    images: (usize, usize),
    rows: (usize, usize),
}

fn slabs(shape: &ConvShape) -> impl Iterator<Item = Slab> + use<> {
    let ConvShape { images, height, width, .. } = *shape;
    let several = (SLAB / (height * width).max(1)).max(1);
    let rows = (SLAB / width.max(1)).clamp(1, height.max(1));
    (0..images).step_by(several).flat_map(move |image| {
        let images = (image, (image + several).min(images));
        (0..height).step_by(rows).map(move |row| Slab { images, rows: (row, (row + rows).min(height)) })
    })
}
