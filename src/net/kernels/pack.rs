//! Weights in the order in which the kernels read them.

use std::ops::Range;

use super::conv::{ConvShape, Window};
pub use super::geometry::Side;
use super::geometry::places;
use super::parallel::chunks_mut;
use super::simd::{Kernel, LANES, Simd, Vector, dispatch};

/// Columns of a block of packed weights; the last block may be half as wide.
pub const BLOCK: usize = 2 * LANES;

/// Weights of a convolution as [block of columns][tap][row][column], zeros after the last column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// Channels that are summed over.
    pub rows: usize,
    /// Output channels.
    pub columns: usize,
    /// Which axis has them.
    pub side: Side,
    /// The window.
    pub window: Window,
}

impl Packing {
    /// For a shape.
    pub const fn new(shape: &ConvShape, side: Side) -> Self {
        let ConvShape { inputs, outputs, window, .. } = *shape;
        match side {
            Side::Forward => Self { rows: inputs, columns: outputs, side, window },
            Side::Backward => Self { rows: outputs, columns: inputs, side, window },
        }
    }

    /// Columns, with the last vector filled up.
    pub const fn padded(&self) -> usize {
        self.columns.next_multiple_of(LANES)
    }

    /// Numbers of the packed weights.
    pub const fn len(&self) -> usize {
        self.padded() * self.rows * self.window.taps()
    }

    /// Number of blocks.
    pub const fn blocks(&self) -> usize {
        self.columns.div_ceil(BLOCK)
    }

    /// Width of a block, filled up: [`BLOCK`] or half of it.
    pub const fn width(&self, block: usize) -> usize {
        let rest = self.padded() - block * BLOCK;
        if rest < BLOCK { rest } else { BLOCK }
    }

    /// Start of a block.
    pub const fn start(&self, block: usize) -> usize {
        block * BLOCK * self.rows * self.window.taps()
    }

    /// Packs weights in the order [outputs, inputs, kernel, kernel].
    ///
    /// # Panics
    /// When the lengths of the slices do not fit.
    pub fn pack(&self, weights: &[f32], packed: &mut [f32]) {
        self.pack_blocks(weights, None, 0..self.blocks(), packed);
    }

    /// Packs some blocks, for a pass forward that sums `inputs` of the input channels alone; `None`: all. The rest of `packed`
    /// stays as it is.
    ///
    /// # Panics
    /// As [`pack`](Self::pack), and where there are not as many inputs as rows.
    pub fn pack_blocks(
        &self,
        weights: &[f32],
        inputs: Option<&[usize]>,
        blocks: Range<usize>,
        packed: &mut [f32],
    ) {
        let each = self.columns * self.window.taps();
        match inputs {
            None => {
                assert_eq!(weights.len(), self.rows * each, "one weight for each tap and pair of channels");
            }
            Some(inputs) => {
                assert!(self.side == Side::Forward && inputs.len() == self.rows, "a row for each input");
                let most = inputs.iter().max().map_or(0, |last| last + 1);
                assert!(
                    weights.len().is_multiple_of(each) && weights.len() >= most * each,
                    "inputs have weights"
                );
            }
        }
        assert_eq!(packed.len(), self.len(), "space for the packed weights");
        let (first, end) = (self.start(blocks.start), self.len().min(self.start(blocks.end)));
        chunks_mut(&mut packed[first..end], self.start(1), end - first, |block, packed| {
            dispatch(PackBlock { packing: *self, inputs, block: blocks.start + block, weights, packed });
        });
    }
}

struct PackBlock<'a> {
    packing: Packing,
    inputs: Option<&'a [usize]>,
    block: usize,
    weights: &'a [f32],
    packed: &'a mut [f32],
}

impl Kernel for PackBlock<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Packing { rows, columns, side, window } = self.packing;
        let (width, taps) = (self.packing.width(self.block), window.taps());
        let places = places(&window, side);
        // Distances of neighbouring columns and rows in [outputs, inputs, kernel, kernel].
        let (column_step, row_step) = match side {
            Side::Forward => (self.weights.len() / columns, taps),
            Side::Backward => (taps, columns * taps),
        };
        for part in 0..width / LANES {
            let first = self.block * BLOCK + part * LANES;
            for row in 0..rows {
                let input = self.inputs.map_or(row, |inputs| inputs[row]);
                for tap in 0..taps {
                    let source = places[tap / window.kernel] * window.kernel + places[tap % window.kernel];
                    let from = &self.weights[first * column_step + input * row_step + source..];
                    let at = (tap * rows + row) * width + part * LANES;
                    let to = (&mut self.packed[at..at + LANES]).try_into().expect("sixteen");
                    if first + LANES <= columns {
                        simd.gather(from, column_step).store(to);
                    } else {
                        *to = std::array::from_fn(|lane| {
                            if first + lane < columns { from[lane * column_step] } else { 0.0 }
                        });
                    }
                }
            }
        }
    }
}
