//! The limits of the machine: multiply-adds on registers, and memory that is read and copied.

use std::hint::black_box;

use kernels::simd::{Kernel, LANES, Simd, Vector, dispatch};
use rayon::prelude::*;

/// Rounds of multiply-adds of a task: some milliseconds.
const ROUNDS: usize = 1 << 20;
const LARGE: usize = 1 << 27;

/// Does multiply-adds on every thread; returns how many thousand million there were in all.
pub fn multiply_adds() -> f64 {
    let threads = rayon::current_num_threads();
    let task = |_| {
        let mut done = 0;
        dispatch(Chains { done: &mut done });
        done
    };
    (0..threads).into_par_iter().with_max_len(1).map(task).sum::<usize>() as f64 * 1e-9
}

/// Sums that go on side by side, as many as registers hold.
struct Chains<'a> {
    done: &'a mut usize,
}

impl Kernel for Chains<'_> {
    #[allow(clippy::inline_always, reason = "as for all kernels")]
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (factor, term) = (simd.splat(black_box(0.999)), simd.splat(black_box(1e-6)));
        let mut sums = [[simd.splat(1.0); 2]; 14];
        for _ in 0..ROUNDS {
            for row in &mut sums[..S::ROWS] {
                for sum in &mut row[..S::COLUMNS] {
                    *sum = sum.multiply_add(factor, term);
                }
            }
        }
        black_box(sums.map(|row| row.map(Vector::to_array)));
        *self.done = ROUNDS * S::ROWS * S::COLUMNS * LANES;
    }
}

/// An array that no cache holds, and one to copy it to.
pub struct Memory(Vec<f32>, Vec<f32>);

impl Memory {
    /// Allocates and touches the memory.
    pub fn new() -> Self {
        Self(vec![1.0; LARGE], vec![2.0; LARGE])
    }

    /// Returns the thousand million bytes of one array.
    pub const fn size() -> f64 {
        (LARGE * size_of::<f32>()) as f64 * 1e-9
    }

    /// Reads one array.
    pub fn read(&self) {
        let sums = self.0.par_chunks(1 << 16).map(|chunk| {
            let mut sums = [0u32; 64];
            for values in chunk.as_chunks::<64>().0 {
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum ^= value.to_bits());
            }
            sums[0]
        });
        black_box(sums.reduce(|| 0, |a, b| a ^ b));
    }

    /// Copies it to the other.
    pub fn copy(&mut self) {
        let chunks = self.1.par_chunks_mut(1 << 16).zip(self.0.par_chunks(1 << 16));
        chunks.for_each(|(to, from)| to.copy_from_slice(from));
    }
}
