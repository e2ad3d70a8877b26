//! Direct convolutions with few weights: lanes are images.
#![allow(unsafe_code, reason = "images are read through pointers")]

use super::super::images::Images;
use super::super::pack::{BLOCK, Packing};
use super::super::parallel::chunks_mut;
use super::super::scratch::{Buffer, Scratch};
use super::super::simd::{Kernel, LANES, Simd, Vector, dispatch};
use super::super::tile::Run;
use super::{are_finite, has_minus_zero, pays, turn};

/// The largest share of weights for which this is faster, for images of more than [`FEW_PIXELS`] and of so many.
const MOST: [f32; 2] = [0.18, 0.04];
/// Pixels of an image up to which most places of a window are outside of it.
const FEW_PIXELS: usize = 4;
/// Most pixels of a tile.
pub const MOST_PIXELS: usize = 8;

/// Sums of a tile, [pixel][column][image].
pub type Tile = [[[f32; LANES]; BLOCK]; MOST_PIXELS];

/// A weight, and the start of its numbers among those that a pixel sees in all places.
#[derive(Clone, Copy, Debug)]
struct Term {
    at: u32,
    weight: f32,
}

/// The weights of a column that are not zero, in the order [tap][row].
#[derive(Clone, Debug, Default)]
struct Column {
    terms: Vec<Term>,
    /// How many there are before each tap, and in all.
    before: Vec<u32>,
}

/// What a convolution without the zeros reads.
pub struct Thin<'a> {
    packing: Packing,
    packed: &'a [f32],
    /// Columns of all blocks.
    columns: Vec<Column>,
    /// The input as [group][pixel][channel][image], groups of sixteen images.
    values: Buffer<'a>,
}

impl<'a> Thin<'a> {
    /// Most groups of images of a task.
    pub const GROUPS: usize = 8;

    /// Weights and images in this form, where it is faster.
    pub fn new(
        from: &Images,
        input: &[f32],
        packing: &Packing,
        packed: &'a [f32],
        scratch: &'a Scratch,
    ) -> Option<Self> {
        let most = MOST[usize::from(from.height * from.width <= FEW_PIXELS)];
        if !pays(from.count, packed, most) || !are_finite(input) {
            return None;
        }
        let mut columns = vec![Column::default(); packing.columns];
        chunks_mut(&mut columns, BLOCK, packed.len(), |block, columns| {
            let (start, width) = (packing.start(block), packing.width(block));
            dispatch(Compress { packing, packed: &packed[start..], width, columns });
        });
        let values = turn(input, from.size(), 1, scratch);
        Some(Self { packing: *packing, packed, columns, values })
    }

    /// The sums of `count` pixels of the groups' images times some columns of a block.
    #[inline(always)]
    pub fn sums<S: Simd>(&self, simd: S, rows: &[usize], block: usize, runs: &[Run], sums: &mut Tile) {
        let columns = &self.columns[block * BLOCK..];
        for number in 0..columns.len().min(BLOCK) {
            macro_rules! of {
                ($($count:literal)*) => {
                    match rows.len() {
                        $($count => self.column::<S, $count>(simd, rows, (block, number), runs, sums),)*
                        _ => unreachable!("a tile has 1 to 8 pixels"),
                    }
                };
            }
            of!(1 2 3 4 5 6 7 8);
        }
    }

    #[inline(always)]
    fn column<S: Simd, const P: usize>(
        &self,
        simd: S,
        rows: &[usize],
        (block, number): (usize, usize),
        runs: &[Run],
        to: &mut Tile,
    ) {
        let rows: &[usize; P] = rows.try_into().expect("P rows");
        let column = &self.columns[block * BLOCK + number];
        let mut sums = [simd.splat(0.0); P];
        for run in runs.iter().filter(|run| run.len > 0) {
            let [first, end] =
                [run.weight, run.weight + run.len].map(|at| column.before[at / self.packing.rows]);
            let starts = self.starts(rows, run);
            for term in &column.terms[first as usize..end as usize] {
                let weight = simd.splat(term.weight);
                for p in 0..P {
                    // SAFETY: a run lies within the values, and so do its terms.
                    let values = unsafe { simd.load_at(starts[p].wrapping_add(term.at as usize)) };
                    sums[p] = values.multiply_add(weight, sums[p]);
                }
            }
        }
        for p in 0..P {
            sums[p].store(&mut to[p][number]);
        }
        if sums.into_iter().fold(false, |has, sum| has | has_minus_zero(sum)) {
            self.with_zeros::<S, P>(simd, rows, (block, number), runs, to);
        }
    }

    /// The same with the products of zeros.
    #[cold]
    fn with_zeros<S: Simd, const P: usize>(
        &self,
        simd: S,
        rows: &[usize; P],
        (block, number): (usize, usize),
        runs: &[Run],
        to: &mut Tile,
    ) {
        let (width, weights) = (self.packing.width(block), &self.packed[self.packing.start(block)..]);
        for p in 0..P {
            let mut sum = simd.splat(0.0);
            for run in runs {
                for k in 0..run.len {
                    let values = &self.values[rows[p] + (run.offset + k) * LANES..];
                    let values = simd.load(values.first_chunk().expect("a vector"));
                    let weight = simd.splat(weights[(run.weight + k) * width + number]);
                    sum = values.multiply_add(weight, sum);
                }
            }
            sum.store(&mut to[p][number]);
        }
    }

    /// From where on the terms of a run count.
    #[inline(always)]
    fn starts<const P: usize>(&self, rows: &[usize; P], run: &Run) -> [*const f32; P] {
        let mut starts = [self.values.as_ptr(); P];
        for p in 0..P {
            let (first, end) = (rows[p] + run.offset * LANES, rows[p] + (run.offset + run.len) * LANES);
            assert!(end <= self.values.len(), "a run lies within the values");
            starts[p] = starts[p].wrapping_add(first).wrapping_sub(run.weight * LANES);
        }
        starts
    }
}

struct Compress<'a> {
    packing: &'a Packing,
    packed: &'a [f32],
    width: usize,
    columns: &'a mut [Column],
}

impl Kernel for Compress<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { packing, packed, width, columns } = self;
        for place in 0..packing.window.taps() * packing.rows {
            if place % packing.rows == 0 {
                for column in columns.iter_mut() {
                    column.before.push(column.terms.len() as u32);
                }
            }
            for first in (0..width).step_by(LANES) {
                let weights = &packed[place * width + first..];
                let mut mask = simd.load(weights.first_chunk().expect("whole vectors")).nonzero();
                while mask != 0 {
                    let lane = mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    let term = Term { at: (place * LANES) as u32, weight: weights[lane] };
                    columns[first + lane].terms.push(term);
                }
            }
        }
        for column in columns.iter_mut() {
            column.before.push(column.terms.len() as u32);
        }
    }
}
