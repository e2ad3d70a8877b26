//! The matrix products between the transforms.

use super::super::simd::{Kernel, LANES, Simd, Vector};

/// Columns of a product.
pub const COLUMNS: usize = 2 * LANES;

/// sums = left · right, or sums += left · right. A product is one chain of fused multiply-adds from front to back, and is
/// added to the sums as a whole: long sums are made of short ones, which rounds less.
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
    /// Whether a column of the left matrix lies in one piece, instead of a row.
    pub transposed: bool,
    /// The right matrix.
    pub right: &'a [f32],
    /// Numbers from one row of it to the next.
    pub right_stride: usize,
    /// The sums.
    pub sums: &'a mut [f32],
    /// Numbers from one row of them to the next.
    pub sums_stride: usize,
    /// Whether the product is added to what is there.
    pub add: bool,
}

impl Kernel for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        self.check();
        let sums = self.sums.as_mut_ptr();
        let blocks = self.rows.div_ceil(S::ROWS);
        let mut row = 0;
        for block in 0..blocks {
            let rows = self.rows / blocks + usize::from(block < self.rows % blocks);
            let wide = S::COLUMNS * LANES;
            let mut column = 0;
            while column < self.columns {
                let place = Place::of(&self, sums, row, column);
                // SAFETY: `check` has looked at the lengths of the three matrices.
                unsafe {
                    if wide == COLUMNS && self.columns == COLUMNS {
                        pick::<S, 2>(s, rows, &place);
                        column += COLUMNS;
                    } else {
                        pick::<S, 1>(s, rows, &place);
                        column += LANES;
                    }
                }
            }
            row += rows;
        }
    }
}

impl Product<'_> {
    /// Looks whether every place that is used lies within its slice.
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

/// One block of the product.
struct Place {
    depth: usize,
    left: *const f32,
    left_stride: usize,
    transposed: bool,
    right: *const f32,
    right_stride: usize,
    sums: *mut f32,
    sums_stride: usize,
    add: bool,
}

impl Place {
    #[inline(always)]
    fn of(product: &Product, sums: *mut f32, row: usize, column: usize) -> Self {
        let Product { depth, left_stride, transposed, right_stride, sums_stride, add, .. } = *product;
        let left = product.left.as_ptr();
        Self {
            depth,
            left: left.wrapping_add(if transposed { row } else { row * left_stride }),
            left_stride,
            transposed,
            right: product.right.as_ptr().wrapping_add(column),
            right_stride,
            sums: sums.wrapping_add(row * sums_stride + column),
            sums_stride,
            add,
        }
    }
}

/// Picks the code for a number of rows, so that all sums of a block stay in registers.
///
/// # Safety
/// As [`block`].
#[inline(always)]
unsafe fn pick<S: Simd, const N: usize>(s: S, rows: usize, place: &Place) {
    macro_rules! rows {
        ($($count:literal)*) => {
            match rows {
                $($count if $count <= S::ROWS => unsafe {
                    if place.transposed {
                        block::<S, $count, N, true>(s, place);
                    } else {
                        block::<S, $count, N, false>(s, place);
                    }
                },)*
                _ => unreachable!("blocks have at most fourteen rows"),
            }
        };
    }
    rows!(1 2 3 4 5 6 7 8 9 10 11 12 13 14);
}

/// # Safety
/// `R` rows and `N` vectors of columns from the place on lie within the three matrices.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "iterators need not be inlined, and then vectors go through memory"
)]
unsafe fn block<S: Simd, const R: usize, const N: usize, const TRANSPOSED: bool>(s: S, place: &Place) {
    let Place { depth, left, left_stride, right, right_stride, sums, sums_stride, .. } = *place;
    let mut total = [[s.splat(0.0); N]; R];
    // SAFETY: the caller's promise, for all places below.
    unsafe {
        for step in 0..depth {
            let mut values = [s.splat(0.0); N];
            for column in 0..N {
                values[column] = s.load_at(right.add(step * right_stride + column * LANES));
            }
            for row in 0..R {
                let at = if TRANSPOSED { step * left_stride + row } else { row * left_stride + step };
                let factor = s.splat(*left.add(at));
                for column in 0..N {
                    total[row][column] = factor.multiply_add(values[column], total[row][column]);
                }
            }
        }
        for row in 0..R {
            for column in 0..N {
                let to = sums.add(row * sums_stride + column * LANES);
                let total = total[row][column];
                (if place.add { s.load_at(to) + total } else { total }).store_at(to);
            }
        }
    }
}
