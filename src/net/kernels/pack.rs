//! Weights in the order in which the kernels read them.

use super::conv::TAPS;
use super::parallel::chunks_mut;
use super::simd::{Kernel, LANES, Simd, Vector, dispatch};

/// Columns of a block of packed weights; the last block may be half as wide.
pub const BLOCK: usize = 2 * LANES;

/// Which axis of [outputs, inputs, 3, 3] becomes the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Outputs: products with the input make the output.
    Forward,
    /// Inputs, with the window turned by 180°: products with the gradient of the output make that of the input.
    Backward,
}

/// Weights of a 3×3 convolution as [block of columns][tap][row][column], zeros after the last column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// Channels that are summed over.
    pub rows: usize,
    /// Output channels.
    pub columns: usize,
    /// Which axis has them.
    pub side: Side,
}

impl Packing {
    /// Columns, with the last vector filled up.
    pub const fn padded(&self) -> usize {
        self.columns.next_multiple_of(LANES)
    }

    /// Numbers of the packed weights.
    pub const fn len(&self) -> usize {
        self.padded() * self.rows * TAPS
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
        block * BLOCK * self.rows * TAPS
    }

    /// Packs weights in the order [outputs, inputs, 3, 3].
    ///
    /// # Panics
    /// When the lengths of the slices do not fit.
    pub fn pack(&self, weights: &[f32], packed: &mut [f32]) {
        assert_eq!(
            weights.len(),
            self.rows * self.columns * TAPS,
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
        let Packing { rows, columns, side } = self.packing;
        let width = self.packing.width(self.block);
        // Distances of neighbouring columns and rows in [outputs, inputs, 3, 3].
        let (column_step, row_step) = match side {
            Side::Forward => (rows * TAPS, TAPS),
            Side::Backward => (TAPS, columns * TAPS),
        };
        for part in 0..width / LANES {
            let first = self.block * BLOCK + part * LANES;
            for row in 0..rows {
                for tap in 0..TAPS {
                    let source = if side == Side::Forward { tap } else { TAPS - 1 - tap };
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
