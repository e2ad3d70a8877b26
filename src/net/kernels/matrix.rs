//! Products of two matrices whose terms lie row behind row, as the way back through a linear layer has them.
#![allow(unsafe_code, reason = "tasks write disjoint columns of one array")]

use super::parallel::{Shared, tasks};
use super::simd::{Kernel, LANES, Simd, Vector, dispatch};
use super::tile::{by_rows, pieces};

/// Columns of a block, at most.
const COLUMNS: usize = 2 * LANES;
/// Terms whose part of the right factor stays in the first cache while all rows use it.
const TERMS: usize = 128;

/// target[row][column] = Σ over the terms of left[term][row] · right[term][column], added one behind the other.
///
/// # Panics
/// When the slices do not have `rows` and `columns` numbers for each of the `terms`, or the target not one for each pair.
pub fn multiply(
    (rows, terms, columns): (usize, usize, usize),
    left: &[f32],
    right: &[f32],
    target: &mut [f32],
) {
    assert_eq!(left.len(), terms * rows, "one number for each term and row");
    assert_eq!(right.len(), terms * columns, "one number for each term and column");
    assert_eq!(target.len(), rows * columns, "one number for each row and column");
    let target = Shared::new(target);
    tasks(columns.div_ceil(COLUMNS), rows * terms * columns, |task| {
        let first = task * COLUMNS;
        let width = COLUMNS.min(columns - first);
        dispatch(Panel { size: (rows, terms, columns), left, right, target, first, width });
    });
}

/// Some columns of a product.
struct Panel<'a> {
    size: (usize, usize, usize),
    left: &'a [f32],
    right: &'a [f32],
    target: Shared<'a>,
    first: usize,
    width: usize,
}

impl Kernel for Panel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (rows, terms, columns) = self.size;
        // Side by side, so that rows that lie a power of two apart do not push each other out of the cache.
        let mut packed = [[0.0; COLUMNS]; TERMS];
        for start in (0..terms.max(1)).step_by(TERMS) {
            let packed = &mut packed[..TERMS.min(terms - start)];
            for (term, to) in packed.iter_mut().enumerate() {
                let from = &self.right[(start + term) * columns + self.first..][..self.width];
                match <&[f32; COLUMNS]>::try_from(from) {
                    Ok(from) => *to = *from,
                    Err(_) => to[..self.width].copy_from_slice(from),
                }
            }
            for (row, end) in pieces(rows, S::ROWS) {
                for column in (0..self.width).step_by(S::COLUMNS * LANES) {
                    macro_rules! call {
                        ($rows:literal) => {
                            if S::COLUMNS == 2 {
                                self.block::<S, $rows, 2>(simd, packed, start, row, column)
                            } else {
                                self.block::<S, $rows, 1>(simd, packed, start, row, column)
                            }
                        };
                    }
                    by_rows!(end - row, call);
                }
            }
        }
    }
}

impl Panel<'_> {
    /// `R` rows times `C` vectors: what the terms from `start` on add to the sums of those before.
    #[inline(always)]
    fn block<S: Simd, const R: usize, const C: usize>(
        &self,
        simd: S,
        packed: &[[f32; COLUMNS]],
        start: usize,
        row: usize,
        column: usize,
    ) {
        let (rows, _, columns) = self.size;
        let width = (C * LANES).min(self.width - column);
        let at = |r: usize| (row + r) * columns + self.first + column;
        let mut sums = [[simd.splat(0.0); C]; R];
        if start > 0 {
            for r in 0..R {
                // SAFETY: no other task has these columns.
                let from = unsafe { self.target.slice(at(r), width) };
                for c in 0..C {
                    let end = width.min((c + 1) * LANES);
                    sums[r][c] = simd.load_part(&from[end.min(c * LANES)..end]);
                }
            }
        }
        for (term, values) in packed.iter().enumerate() {
            let mut vectors = [simd.splat(0.0); C];
            for c in 0..C {
                vectors[c] = simd.load(values[column + c * LANES..].first_chunk().expect("a whole vector"));
            }
            let factors: &[f32; R] =
                self.left[(start + term) * rows + row..].first_chunk().expect("a factor for each row");
            for r in 0..R {
                let factor = simd.splat(factors[r]);
                for c in 0..C {
                    sums[r][c] = vectors[c].multiply_add(factor, sums[r][c]);
                }
            }
        }
        for r in 0..R {
            // SAFETY: no other task has these columns.
            let to = unsafe { self.target.slice(at(r), width) };
            for c in 0..C {
                let end = width.min((c + 1) * LANES);
                sums[r][c].store_part(&mut to[end.min(c * LANES)..end]);
            }
        }
    }
}
