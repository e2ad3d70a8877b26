//! The innermost loops: blocks of sums of products that stay in registers.
//!
//! They are compiled once for every size of block and shared by all matrix products.

use crate::simd::{Kernel, LANES, Simd, Vector, dispatch, prefetch};

/// Most rows of a block.
pub const MAX_ROWS: usize = 14;
/// Most columns of a block.
pub const MAX_COLUMNS: usize = 2 * LANES;

/// The sums of a row.
pub type SumRow = [f32; MAX_COLUMNS];
/// Sums, row by row.
pub type Sums = [SumRow; MAX_ROWS];

/// A run of numbers that every row multiplies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Its start, from the start of the row.
    pub offset: usize,
    /// Its first row of weights.
    pub weight: usize,
    pub len: usize,
}

/// Runs up to this length cost more to begin than to add up.
const SHORT: usize = 16;
/// So many terms of short runs are listed beforehand and added up in one loop.
const FEW_TERMS: usize = 128;

/// Computes sums[row][column] = Σ over the runs, Σ over k of values[rows[row] + run.offset + k] · weights[run.weight
/// + k][column], added one after the other, for at most [`MAX_ROWS`] rows and `columns` columns, 16 or 32.
pub fn products(
    (values, rows): (&[f32], &[usize]),
    weights: &[f32],
    stride: usize,
    columns: usize,
    runs: &[Run],
    sums: &mut Sums,
) {
    let Some(&last) = rows.iter().max() else { return };
    assert!(rows.len() <= MAX_ROWS, "a block has at most {MAX_ROWS} rows");
    assert_columns(columns);
    for run in runs.iter().filter(|run| run.len > 0) {
        assert!(last + run.offset + run.len <= values.len(), "a run lies within the values");
        let ends = (run.weight + run.len - 1) * stride + columns;
        assert!(ends <= weights.len(), "a run has weights");
    }
    let mut terms = [(0, 0); FEW_TERMS];
    let total: usize = runs.iter().map(|run| run.len).sum();
    let count = if runs.iter().all(|run| run.len <= SHORT) && total <= FEW_TERMS { total } else { 0 };
    if count > 0 {
        let each =
            runs.iter().flat_map(|run| (0..run.len).map(|k| (run.offset + k, (run.weight + k) * stride)));
        terms.iter_mut().zip(each).for_each(|(to, term)| *to = term);
    }
    let (values, weights, terms) = (values.as_ptr(), weights.as_ptr(), &terms[..count]);
    dispatch(Products { values, rows, weights, stride, columns, runs, terms, sums });
}

fn assert_columns(columns: usize) {
    assert!(columns == LANES || columns == MAX_COLUMNS, "a block has one or two vectors of columns");
}

/// The walk of a sum over pixels: three nested loops, the innermost last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    /// Lengths of the loops.
    pub counts: [usize; 3],
    /// From one row of numbers to the next, in each loop.
    pub row_steps: [usize; 3],
    /// From one row of columns to the next, in each loop.
    pub column_steps: [usize; 3],
}

impl Walk {
    /// Returns how far a walk along `steps` reaches.
    fn reach(&self, steps: &[usize; 3]) -> usize {
        self.counts.iter().zip(steps).map(|(count, step)| (count - 1) * step).sum()
    }
}

/// Computes sums[row][column] += Σ over the walk of rows[row] · columns[column], for all rows of the sums and `count`
/// columns, 16 or 32.
pub fn outer_products(rows: &[f32], columns: &[f32], count: usize, walk: &Walk, sums: &mut [SumRow]) {
    if walk.counts.contains(&0) {
        return;
    }
    assert_columns(count);
    assert!(walk.reach(&walk.row_steps) + sums.len() <= rows.len(), "the walk stays within the rows");
    assert!(walk.reach(&walk.column_steps) + count <= columns.len(), "the walk stays within the columns");
    let (rows, columns) = (rows.as_ptr(), columns.as_ptr());
    dispatch(OuterProducts { rows, columns, count, walk, sums });
}

/// A computation in blocks whose sums stay in registers.
pub trait Blocks {
    /// Computes `R` rows times `C` vectors of columns, from this row and column on.
    ///
    /// # Safety
    /// Everything that it reads and writes for these rows and columns must be valid; each implementation says what.
    unsafe fn block<S: Simd, const R: usize, const C: usize>(&mut self, simd: S, row: usize, column: usize);

    /// Computes all blocks: as many rows at a time as registers can hold, and single vectors where there are not two.
    ///
    /// # Safety
    /// As [`block`](Self::block), for `rows` rows and `columns` columns, filled up to whole vectors.
    #[inline(always)]
    unsafe fn all<S: Simd>(&mut self, simd: S, rows: usize, columns: usize) {
        macro_rules! of {
            ($rows:expr, $columns:literal, $at:expr, $($count:literal)*) => {
                match $rows {
                    $($count if const { $count <= S::ROWS } => {
                        // SAFETY: pieces are parts of the whole, for which the caller promised it.
                        unsafe { self.block::<S, $count, $columns>(simd, $at.0, $at.1) };
                    })*
                    _ => unreachable!("pieces have 1 to ROWS rows"),
                }
            };
        }
        let pieces = rows.div_ceil(S::ROWS);
        for piece in 0..pieces {
            let (first, end) = (piece * rows / pieces, (piece + 1) * rows / pieces);
            if S::COLUMNS == 2 && columns == MAX_COLUMNS {
                of!(end - first, 2, (first, 0), 1 2 3 4 5 6 7 8 9 10 11 12 13 14);
            } else {
                for column in (0..columns).step_by(LANES) {
                    of!(end - first, 1, (first, column), 1 2 3 4 5 6 7 8 9 10 11 12 13 14);
                }
            }
        }
    }
}

/// Computes sums[r][c] += Σ over `count` terms k of rows[r][k · step] · columns[k · stride ..][c], where c counts
/// vectors; added one after the other. All matrix products use this loop. Columns are prefetched into the first cache
/// `AHEAD` terms before they are needed; 0 where they are there already.
///
/// # Safety
/// For each term, a number of every row and `C` vectors of columns must be readable.
#[inline(always)]
pub unsafe fn add_products<const AHEAD: usize, S: Simd, const R: usize, const C: usize>(
    simd: S,
    count: usize,
    (rows, step): ([*const f32; R], usize),
    (columns, stride): (*const f32, usize),
    sums: &mut [[S::V; C]; R],
) {
    // In a local array, whose every use the compiler sees: then it is in registers, whatever the caller does with its sums.
    let mut total = *sums;
    macro_rules! term {
        ($k:expr) => {
            // SAFETY: the caller's promise.
            unsafe {
                let mut vectors = [simd.splat(0.0); C];
                for c in 0..C {
                    vectors[c] = simd.load_at(columns.add($k * stride + c * LANES));
                    if AHEAD > 0 {
                        prefetch(columns.wrapping_add(($k + AHEAD) * stride + c * LANES));
                    }
                }
                for r in 0..R {
                    let factor = simd.splat(rows[r].add($k * step).read());
                    for c in 0..C {
                        total[r][c] = vectors[c].multiply_add(factor, total[r][c]);
                    }
                }
            }
        };
    }
    // Four terms a turn: the end of a short loop is foreseen, that of a long one is not. Without prefetches between them,
    // the compiler would bring loads of later terms forward, and so push sums out of the registers.
    let mut k = 0;
    while AHEAD > 0 && k + 4 <= count {
        term!(k);
        term!(k + 1);
        term!(k + 2);
        term!(k + 3);
        k += 4;
    }
    while k < count {
        term!(k);
        k += 1;
    }
    *sums = total;
}

struct Products<'a> {
    values: *const f32,
    rows: &'a [usize],
    weights: *const f32,
    stride: usize,
    columns: usize,
    runs: &'a [Run],
    /// From the start of a row to its number, and the start of its weights, for each term; instead of the runs, if any.
    terms: &'a [(usize, usize)],
    sums: &'a mut Sums,
}

impl Kernel for Products<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        // SAFETY: `products` has checked the ends of every run and the sizes.
        unsafe { self.all(simd, self.rows.len(), self.columns) };
    }
}

impl Blocks for Products<'_> {
    #[inline(always)]
    unsafe fn block<S: Simd, const R: usize, const C: usize>(
        &mut self,
        simd: S,
        first: usize,
        column: usize,
    ) {
        let rows: [usize; R] = *self.rows[first..].first_chunk().expect("a piece has R rows");
        let mut sums = [[simd.splat(0.0); C]; R];
        let starts = rows.map(|row| self.values.wrapping_add(row));
        for (number, weights) in self.terms {
            let columns = self.weights.wrapping_add(weights + column);
            let mut vectors = [simd.splat(0.0); C];
            for c in 0..C {
                // SAFETY: each term is one of a run.
                vectors[c] = unsafe { simd.load_at(columns.add(c * LANES)) };
            }
            for r in 0..R {
                // SAFETY: as above.
                let factor = simd.splat(unsafe { starts[r].add(*number).read() });
                for c in 0..C {
                    sums[r][c] = vectors[c].multiply_add(factor, sums[r][c]);
                }
            }
        }
        for run in self.runs.iter().filter(|_| self.terms.is_empty()) {
            let rows = rows.map(|row| self.values.wrapping_add(row + run.offset));
            let columns = self.weights.wrapping_add(run.weight * self.stride + column);
            // SAFETY: the runs of these rows lie within the values, and have weights for these columns.
            unsafe {
                add_products::<16, S, R, C>(simd, run.len, (rows, 1), (columns, self.stride), &mut sums);
            }
        }
        for r in 0..R {
            let row = self.sums[first + r][column..].as_chunks_mut().0;
            for c in 0..C {
                sums[r][c].store(&mut row[c]);
            }
        }
    }
}

struct OuterProducts<'a> {
    rows: *const f32,
    columns: *const f32,
    count: usize,
    walk: &'a Walk,
    sums: &'a mut [SumRow],
}

impl Kernel for OuterProducts<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        // SAFETY: `outer_products` has checked the ends of the walk and the number of columns.
        unsafe { self.all(simd, self.sums.len(), self.count) };
    }
}

impl Blocks for OuterProducts<'_> {
    #[inline(always)]
    unsafe fn block<S: Simd, const R: usize, const C: usize>(
        &mut self,
        simd: S,
        first: usize,
        column: usize,
    ) {
        let Walk { counts, row_steps, column_steps } = *self.walk;
        let mut sums = [[simd.splat(0.0); C]; R];
        for r in 0..R {
            let row = self.sums[first + r][column..].as_chunks().0;
            for c in 0..C {
                sums[r][c] = simd.load(&row[c]);
            }
        }
        for i in 0..counts[0] {
            for j in 0..counts[1] {
                let row = self.rows.wrapping_add(first + i * row_steps[0] + j * row_steps[1]);
                let columns = self.columns.wrapping_add(column + i * column_steps[0] + j * column_steps[1]);
                let rows = std::array::from_fn(|r| row.wrapping_add(r));
                // SAFETY: the walk stays within the rows and the columns.
                unsafe {
                    add_products::<0, S, R, C>(
                        simd,
                        counts[2],
                        (rows, row_steps[2]),
                        (columns, column_steps[2]),
                        &mut sums,
                    );
                }
            }
        }
        for r in 0..R {
            let row = self.sums[first + r][column..].as_chunks_mut().0;
            for c in 0..C {
                sums[r][c].store(&mut row[c]);
            }
        }
    }
}
