//! Weights in the order in which the kernels read them.

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
        assert_eq!(
            weights.len(),
            self.rows * self.columns * self.window.taps(),
            "one weight for each tap and pair of channels"
        );
        assert_eq!(packed.len(), self.len(), "space for the packed weights");
        chunks_mut(packed, self.start(1), self.len(), |block, packed| {
            dispatch(PackBlock { packing: *self, block, weights, packed });
        });
    }
}

struct PackBlock<'a> {
    packing: Packing,
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
            Side::Forward => (rows * taps, taps),
            Side::Backward => (taps, columns * taps),
        };
        for part in 0..width / LANES {
            let first = self.block * BLOCK + part * LANES;
            for row in 0..rows {
                for tap in 0..taps {
                    let source = places[tap / window.kernel] * window.kernel + places[tap % window.kernel];
                    let from = &self.weights[first * column_step + row * row_step + source..];
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
