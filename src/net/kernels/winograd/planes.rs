//! Layout of the numbers between the transforms and the products.

use super::super::conv::ConvShape;
use super::super::simd::LANES;
use super::forms::{Form, MOST};

/// A cache line holds as many numbers as a vector.
const LINE: usize = LANES;

/// One matrix for every product of a form: `[product][row][column]`, with gaps between rows and between matrices.
#[derive(Clone, Copy, Debug)]
pub struct Planes {
    /// Numbers from one row to the next.
    pub row: usize,
    /// Numbers from one matrix to the next.
    pub plane: usize,
    /// Numbers of all matrices.
    pub len: usize,
}

impl Planes {
    /// `products` matrices with `rows` rows of `columns` numbers, one vector apart: rows (and matrices) a power of two apart
    /// would share a few sets of the cache.
    pub fn spread(products: usize, rows: usize, columns: usize) -> Self {
        Self::with_row(products, rows, columns + LINE)
    }

    /// The same without gaps between rows, for matrices that are read from front to back.
    pub fn dense(products: usize, rows: usize, columns: usize) -> Self {
        Self::with_row(products, rows, columns)
    }

    fn with_row(products: usize, rows: usize, row: usize) -> Self {
        let lines = (rows * row).div_ceil(LINE);
        let plane = (lines | 1) * LINE;
        Self { row, plane, len: products * plane }
    }

    /// Start of a row of a matrix.
    #[inline(always)]
    pub fn at(&self, product: usize, row: usize) -> usize {
        product * self.plane + row * self.row
    }
}

/// The tiles of a form on images of one size; those at the far edges may extend beyond them.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Height of an image.
    pub height: usize,
    /// Width of an image.
    pub width: usize,
    /// Tiles one below the other.
    pub down: usize,
    /// Tiles side by side.
    pub across: usize,
}

impl Grid {
    /// The tiles of a form on images of a shape.
    pub fn new<F: Form>(shape: &ConvShape) -> Self {
        let ConvShape { height, width, .. } = *shape;
        Self { height, width, down: height.div_ceil(F::OUTPUTS), across: width.div_ceil(F::OUTPUTS) }
    }

    /// Tiles of an image.
    pub fn tiles(&self) -> usize {
        self.down * self.across
    }

    /// Pixels of an image.
    pub fn pixels(&self) -> usize {
        self.height * self.width
    }

    /// The pixels of a window of `side` by `side` pixels that begins `before` pixels before a tile: their numbers within
    /// the image, [`OUTSIDE`] where there is none.
    #[inline(always)]
    pub fn window<F: Form>(&self, tile: usize, side: usize, before: usize) -> [usize; WINDOW] {
        let (down, across) = (tile / self.across * F::OUTPUTS, tile % self.across * F::OUTPUTS);
        let mut window = [OUTSIDE; WINDOW];
        for y in 0..side {
            for x in 0..side {
                let (row, column) = ((down + y).wrapping_sub(before), (across + x).wrapping_sub(before));
                if row < self.height && column < self.width {
                    window[y * side + x] = row * self.width + column;
                }
            }
        }
        window
    }
}

/// Most pixels of a window and products of a tile.
pub const WINDOW: usize = MOST * MOST;

/// Instead of the number of a pixel, where there is none.
pub const OUTSIDE: usize = usize::MAX;
