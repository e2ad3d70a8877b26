//! The matrix products between the transforms.
#![allow(unsafe_code, reason = "matrices are read and written through pointers")]

use super::super::simd::{Kernel, LANES, Simd, Vector};
use super::super::tile::{Blocks, add_products};

/// Columns of a product.
pub use super::super::tile::MAX_COLUMNS as COLUMNS;

/// sums = left · right, or sums += left · right. A product is one chain of fused multiply-adds from front to back, and is
/// added to the sums as a whole: a long sum of short sums is rounded less.
pub struct Product<'a> {
    /// Rows of `left` and of the sums.
    pub rows: usize,
    /// Columns of `left`, rows of `right`.
    pub depth: usize,
    /// Columns of `right` and of the sums: 16 or 32.
    pub columns: usize,
    /// The left matrix.
    pub left: &'a [f32],
    /// Numbers from one row of it to the next, or from one column to the next where it is `transposed`.
    pub left_stride: usize,
    /// Whether the left matrix is stored by columns instead of rows.
    pub transposed: bool,
    /// The right matrix.
    pub right: &'a [f32],
    /// Numbers from one row of it to the next.
    pub right_stride: usize,
    /// The sums.
    pub sums: &'a mut [f32],
    /// Numbers from one row of them to the next.
    pub sums_stride: usize,
    /// Whether the product is added to the present sums.
    pub add: bool,
}

impl Kernel for Product<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        self.check();
        // SAFETY: `check` has found all rows and columns within their matrices.
        unsafe { self.all(s, self.rows, self.columns) };
    }
}

impl Product<'_> {
    /// Checks that all reads and writes stay within their slices.
    fn check(&self) {
        let Self { rows, depth, columns, left_stride, right_stride, sums_stride, .. } = *self;
        assert!(columns == LANES || columns == COLUMNS, "one or two vectors");
        let reach = |count: usize, stride: usize, last: usize| (count.max(1) - 1) * stride + last;
        let (pieces, piece) = if self.transposed { (depth, rows) } else { (rows, depth) };
        assert!(reach(pieces, left_stride, piece) <= self.left.len(), "the left matrix is too short");
        assert!(reach(depth, right_stride, columns) <= self.right.len(), "the right matrix is too short");
        assert!(reach(rows, sums_stride, columns) <= self.sums.len(), "the matrix of sums is too short");
    }
}

impl Blocks for Product<'_> {
    #[inline(always)]
    unsafe fn block<S: Simd, const R: usize, const C: usize>(&mut self, s: S, row: usize, column: usize) {
        let left = self.left.as_ptr();
        let columns = (self.right.as_ptr().wrapping_add(column), self.right_stride);
        let mut total = [[s.splat(0.0); C]; R];
        // SAFETY: these rows and columns are within the three matrices.
        unsafe {
            if self.transposed {
                let rows = std::array::from_fn(|r| left.wrapping_add(row + r));
                add_products::<0, S, R, C>(s, self.depth, (rows, self.left_stride), columns, &mut total);
            } else {
                let rows = std::array::from_fn(|r| left.wrapping_add((row + r) * self.left_stride));
                add_products::<0, S, R, C>(s, self.depth, (rows, 1), columns, &mut total);
            }
            for r in 0..R {
                for c in 0..C {
                    let at = (row + r) * self.sums_stride + column + c * LANES;
                    let to = self.sums.as_mut_ptr().wrapping_add(at);
                    let total = total[r][c];
                    (if self.add { s.load_at(to) + total } else { total }).store_at(to);
                }
            }
        }
    }
}
