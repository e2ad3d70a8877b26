//! The direct 3×3 convolution: every output is one chain of products, in the order [tap][channel].
//!
//! Nothing is copied but the weights. A block of [`MAX_ROWS`] pixels times two vectors of channels stays in registers
//! while the window and the channels go by; the pixels of a block may lie anywhere (in several images too, where images
//! are small), as long as they see the same part of the window.
#![allow(unsafe_code, reason = "tasks write disjoint channels of the output")]

use super::conv::{ConvShape, Convolution};
use super::direct_weights::weight_gradient;
use super::geometry::{Pixels, Region};
use super::norm::Norm;
use super::pack::{BLOCK, Packing, Side};
use super::parallel::{Shared, tasks};
use super::scratch::Scratch;
use super::simd::{Kernel, LANES, Simd, Vector, dispatch};
use super::tile::{MAX_ROWS, Run, Sums, products};

/// Numbers of the input that a task works on: they stay in the second cache, with the weights of a block.
const GROUP: usize = 192 * 1024;

/// The direct convolution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Direct;

/// What becomes of a sum before it is written: + bias, then a batch norm, then max(0, ·); rounded as if each were done alone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Epilogue<'a> {
    /// Added to every channel.
    pub bias: Option<&'a [f32]>,
    /// The batch norm behind it.
    pub norm: Option<Norm<'a>>,
    /// Whether negative values become 0.
    pub relu: bool,
}

/// output = epilogue(input ∗ packed weights).
///
/// # Panics
/// When the slices do not have the lengths that the shape says.
pub fn convolve(
    shape: &ConvShape,
    input: &[f32],
    packing: &Packing,
    packed: &[f32],
    epilogue: &Epilogue,
    output: &mut [f32],
) {
    assert_eq!(input.len(), shape.input_len(), "the input has its shape");
    assert_eq!(output.len(), shape.output_len(), "the output has its shape");
    assert_eq!(
        (packing.rows, packing.columns),
        (shape.inputs, shape.outputs),
        "the weights are packed for the shape"
    );
    assert_eq!(packed.len(), packing.len(), "the weights are packed");
    let size = shape.height * shape.width * shape.inputs;
    if size == 0 || shape.images == 0 || shape.outputs == 0 {
        return;
    }
    let groups = shape.images.div_ceil((GROUP / size).clamp(1, MAX_ROWS));
    let blocks = packing.blocks();
    let shared = Shared::new(output);
    let weights_first = packed.len() > input.len();
    tasks(groups * blocks, shape.multiply_adds(), |task| {
        let (group, block) =
            if weights_first { (task % groups, task / groups) } else { (task / blocks, task % blocks) };
        let (first, end) = (group * shape.images / groups, (group + 1) * shape.images / groups);
        dispatch(Block {
            shape,
            input,
            packing,
            packed,
            epilogue,
            output: shared,
            images: (first, end),
            block,
        });
    });
}

/// Some images times one block of channels.
#[allow(clippy::struct_field_names, reason = "it is one block of several, by its number")]
struct Block<'a> {
    shape: &'a ConvShape,
    input: &'a [f32],
    packing: &'a Packing,
    packed: &'a [f32],
    epilogue: &'a Epilogue<'a>,
    output: Shared<'a>,
    images: (usize, usize),
    block: usize,
}

impl Kernel for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for region in Region::all(self.shape) {
            let (runs, taps) = region.runs(self.shape.width, self.shape.inputs);
            let count = (self.images.1 - self.images.0) * region.len();
            let mut pixels = region.pixels(self.images.0, self.shape.height, self.shape.width);
            let tiles = count.div_ceil(MAX_ROWS);
            for tile in 0..tiles {
                self.tile(
                    simd,
                    &mut pixels,
                    (tile + 1) * count / tiles - tile * count / tiles,
                    &runs[..taps],
                );
            }
        }
    }
}

impl Block<'_> {
    /// The next `count` pixels.
    #[inline(always)]
    fn tile<S: Simd>(&self, simd: S, next: &mut Pixels, count: usize, runs: &[Run]) {
        let mut pixels = [0; MAX_ROWS];
        let mut rows = [0; MAX_ROWS];
        for (pixel, row) in pixels[..count].iter_mut().zip(&mut rows) {
            *pixel = next.next();
            *row = *pixel * self.shape.inputs;
        }
        let (pixels, rows) = (&pixels[..count], &rows[..count]);
        let width = self.packing.width(self.block);
        let weights = &self.packed[self.packing.start(self.block)..];
        let mut sums = [[0.0; BLOCK]; MAX_ROWS];
        products((self.input, rows), weights, width, width, runs, &mut sums);
        for part in 0..width / LANES {
            let first = self.block * BLOCK + part * LANES;
            self.write(simd, pixels, &sums, part, (first, (first + LANES).min(self.shape.outputs)));
        }
    }

    /// Writes channels `range` of some pixels.
    #[inline(always)]
    fn write<S: Simd>(&self, simd: S, pixels: &[usize], sums: &Sums, part: usize, range: (usize, usize)) {
        let (first, end) = range;
        let load = |values: &[f32]| simd.load_part(&values[first..end]);
        let bias = self.epilogue.bias.map(load);
        let norm = self.epilogue.norm.map(|n| (load(n.mean), load(n.inverse), load(n.scale), load(n.shift)));
        for (pixel, sums) in pixels.iter().zip(sums) {
            let mut value = simd.load(&sums.as_chunks().0[part]);
            if let Some(bias) = bias {
                value = value + bias;
            }
            if let Some((mean, inverse, scale, shift)) = norm {
                value = (value - mean) * inverse * scale + shift;
            }
            if self.epilogue.relu {
                value = value.where_positive(value);
            }
            // SAFETY: no other task has these channels of these images.
            let to = unsafe { self.output.slice(pixel * self.shape.outputs + first, end - first) };
            match to.try_into() {
                Ok(to) => value.store(to),
                Err(_) => value.store_part(to),
            }
        }
    }
}

impl Convolution for Direct {
    fn forward(
        &self,
        shape: &ConvShape,
        input: &[f32],
        weight: &[f32],
        bias: &[f32],
        output: &mut [f32],
        scratch: &Scratch,
    ) {
        let packing = Packing { rows: shape.inputs, columns: shape.outputs, side: Side::Forward };
        let mut packed = scratch.take(packing.len());
        packing.pack(weight, &mut packed);
        let epilogue = Epilogue { bias: Some(bias), ..Epilogue::default() };
        convolve(shape, input, &packing, &packed, &epilogue, output);
    }

    fn backward(
        &self,
        shape: &ConvShape,
        input: &[f32],
        weight: &[f32],
        slope: &[f32],
        input_slope: Option<&mut [f32]>,
        weight_slope: &mut [f32],
        scratch: &Scratch,
    ) {
        weight_gradient(shape, input, slope, weight_slope, scratch);
        if let Some(input_slope) = input_slope {
            let turned = ConvShape { inputs: shape.outputs, outputs: shape.inputs, ..*shape };
            let packing = Packing { rows: shape.outputs, columns: shape.inputs, side: Side::Backward };
            let mut packed = scratch.take(packing.len());
            packing.pack(weight, &mut packed);
            convolve(&turned, slope, &packing, &packed, &Epilogue::default(), input_slope);
        }
    }
}
