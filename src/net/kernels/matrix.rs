//! Products of two matrices with a row for each term, as in the backward pass of a linear layer.
#![allow(unsafe_code, reason = "tasks write disjoint parts of one array")]

use std::ops::Range;

use super::free::FreeBits;
use super::parallel::{Shared, tasks};
use super::simd::{Kernel, LANES, Simd, Vector, dispatch};
use super::tile::{Blocks, MAX_COLUMNS as COLUMNS, add_products};

/// Terms whose part of the right factor stays in the first cache while all rows use it.
const TERMS: usize = 128;
/// Most rows of a task. Tasks go by rows first: then a thread has whole rows of a gradient, which are together in memory, as
/// those of an optimizer's step are.
const ROWS: usize = 160;

/// target[row][column] = Σ over the terms of left[term][row] · right[term][column], added one after the other. Where `free`
/// has the bits of the target, what is not free may keep what it is.
///
/// # Panics
/// When the slices do not have `rows` and `columns` numbers for each of the `terms`, or the target not one for each pair.
pub fn multiply(
    (rows, terms, columns): (usize, usize, usize),
    left: &[f32],
    right: &[f32],
    target: &mut [f32],
    free: Option<&FreeBits>,
) {
    assert_eq!(left.len(), terms * rows, "one number for each term and row");
    assert_eq!(right.len(), terms * columns, "one number for each term and column");
    assert_eq!(target.len(), rows * columns, "one number for each row and column");
    let (target, free) = (Shared::new(target), free.filter(|free| free.has_gaps()));
    let (pieces, panels) = (rows.div_ceil(ROWS), columns.div_ceil(COLUMNS));
    tasks(pieces * panels, rows * terms * columns, |task| {
        let (piece, first) = (task / panels, task % panels * COLUMNS);
        let some = piece * rows / pieces..(piece + 1) * rows / pieces;
        let width = COLUMNS.min(columns - first);
        let panel = Panel { size: (rows, terms, columns), left, right, target, some, first, width };
        match free {
            Some(free) => dispatch(FreePanel { panel, free }),
            None => dispatch(panel),
        }
    });
}

/// Some rows and columns of a product.
struct Panel<'a> {
    size: (usize, usize, usize),
    left: &'a [f32],
    right: &'a [f32],
    target: Shared<'a>,
    some: Range<usize>,
    first: usize,
    width: usize,
}

impl Panel<'_> {
    /// The right factor's part of the terms from `start` on: packed, so that rows a power of two apart do not evict each other
    /// from the cache.
    #[inline(always)]
    fn pack<'b>(&self, start: usize, packed: &'b mut [[f32; COLUMNS]; TERMS]) -> &'b [[f32; COLUMNS]] {
        let (_, terms, columns) = self.size;
        let packed = &mut packed[..TERMS.min(terms - start)];
        for (term, to) in packed.iter_mut().enumerate() {
            let from = &self.right[(start + term) * columns + self.first..][..self.width];
            match <&[f32; COLUMNS]>::try_from(from) {
                Ok(from) => *to = *from,
                Err(_) => to[..self.width].copy_from_slice(from),
            }
        }
        packed
    }
}

impl Kernel for Panel<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut packed = [[0.0; COLUMNS]; TERMS];
        for start in (0..self.size.1.max(1)).step_by(TERMS) {
            let packed = self.pack(start, &mut packed);
            // SAFETY: the left factor has these rows, and the width filled up to vectors is COLUMNS at most.
            unsafe { Terms { panel: &self, packed, start }.all(simd, self.some.len(), self.width) };
        }
    }
}

/// What the terms from `start` on add to the sums of those before.
struct Terms<'a, 'b> {
    panel: &'b Panel<'a>,
    packed: &'b [[f32; COLUMNS]],
    start: usize,
}

impl Blocks for Terms<'_, '_> {
    #[inline(always)]
    unsafe fn block<S: Simd, const R: usize, const C: usize>(&mut self, simd: S, row: usize, column: usize) {
        let Panel { size: (rows, _, columns), left, target, first, width, .. } = *self.panel;
        let row = self.panel.some.start + row;
        let width = (C * LANES).min(width - column);
        let at = |r: usize| (row + r) * columns + first + column;
        let mut sums = [[simd.splat(0.0); C]; R];
        if self.start > 0 {
            for r in 0..R {
                // SAFETY: no other task uses these rows and columns.
                let from = unsafe { target.slice(at(r), width) };
                for c in 0..C {
                    let end = width.min((c + 1) * LANES);
                    sums[r][c] = simd.load_part(&from[end.min(c * LANES)..end]);
                }
            }
        }
        let left = &left[self.start * rows..][..self.packed.len() * rows];
        let factors = std::array::from_fn(|r| left.as_ptr().wrapping_add(row + r));
        let values = self.packed.as_ptr().cast::<f32>().wrapping_add(column);
        // SAFETY: row + R ≤ rows and column + C · LANES ≤ COLUMNS, and both factors have as many terms.
        unsafe {
            add_products::<0, S, R, C>(
                simd,
                self.packed.len(),
                (factors, rows),
                (values, COLUMNS),
                &mut sums,
            );
        }
        for r in 0..R {
            // SAFETY: no other task uses these rows and columns.
            let to = unsafe { target.slice(at(r), width) };
            for c in 0..C {
                let end = width.min((c + 1) * LANES);
                sums[r][c].store_part(&mut to[end.min(c * LANES)..end]);
            }
        }
    }
}

/// Those vectors of a panel that have a free entry.
struct FreePanel<'a> {
    panel: Panel<'a>,
    free: &'a FreeBits,
}

impl Kernel for FreePanel<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        // As many rows at a time as there are registers for, where each takes a pointer.
        if S::COLUMNS == 2 { self.rows::<S, 8>(simd) } else { self.rows::<S, 4>(simd) }
    }
}

impl FreePanel<'_> {
    #[inline(always)]
    fn rows<S: Simd, const R: usize>(&self, simd: S) {
        let Panel { size: (_, terms, columns), some, first, width, .. } = &self.panel;
        let mut found = [([0; ROWS], 0); COLUMNS / LANES];
        for (column, (rows, count)) in (0..*width).step_by(LANES).zip(&mut found) {
            for row in some.clone() {
                rows[*count] = row;
                let vector = (width - column).min(LANES);
                *count += usize::from(self.free.any(row * columns + first + column, vector));
            }
        }
        if found.iter().all(|(_, count)| *count == 0) {
            return;
        }
        let mut packed = [[0.0; COLUMNS]; TERMS];
        for start in (0..(*terms).max(1)).step_by(TERMS) {
            let packed = self.panel.pack(start, &mut packed);
            for (vector, (rows, count)) in found.iter().enumerate() {
                for rows in rows[..*count].chunks(R) {
                    // Past the last row, the last one again.
                    let rows = std::array::from_fn(|r| rows[r.min(rows.len() - 1)]);
                    self.block::<S, R>(simd, rows, vector * LANES, (start, packed));
                }
            }
        }
    }

    /// What the terms from `start` on add to the sums of those before, for one vector of some rows.
    #[inline(always)]
    fn block<S: Simd, const R: usize>(
        &self,
        simd: S,
        rows: [usize; R],
        column: usize,
        (start, packed): (usize, &[[f32; COLUMNS]]),
    ) {
        let Panel { size: (height, _, columns), left, target, first, width, .. } = self.panel;
        let width = LANES.min(width - column);
        let at = |r: usize| rows[r] * columns + first + column;
        let mut sums = [[simd.splat(0.0)]; R];
        if start > 0 {
            for r in 0..R {
                // SAFETY: no other task uses these rows and columns.
                sums[r][0] = simd.load_most(unsafe { target.slice(at(r), width) });
            }
        }
        let left = &left[start * height..][..packed.len() * height];
        let factors = rows.map(|row| left.as_ptr().wrapping_add(row));
        let values = packed.as_ptr().cast::<f32>().wrapping_add(column);
        // SAFETY: all rows are of the left factor, column + LANES ≤ COLUMNS, and both factors have as many terms.
        unsafe {
            add_products::<0, S, R, 1>(simd, packed.len(), (factors, height), (values, COLUMNS), &mut sums);
        }
        for r in 0..R {
            // SAFETY: no other task uses these rows and columns.
            sums[r][0].store_part(unsafe { target.slice(at(r), width) });
        }
    }
}
