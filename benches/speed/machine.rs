//! The limits of the machine: multiply-adds on registers, and memory that is read and copied.
#![allow(unsafe_code, reason = "the fused multiply-add of vectors that the processor has")]

use std::hint::black_box;

use rayon::prelude::*;

/// Rounds of multiply-adds of a task: some milliseconds.
const ROUNDS: usize = 1 << 20;
/// Sums that go on side by side: as many as hide the time that a multiply-add takes.
const CHAINS: usize = 24;
/// Numbers of an array that no cache holds.
const LARGE: usize = 1 << 27;

/// Multiply-adds on every thread; returns how many thousand million there were in all.
pub fn multiply_adds() -> f64 {
    let threads = rayon::current_num_threads();
    let lanes: usize = (0..threads).into_par_iter().with_max_len(1).map(|_| chains()).sum();
    (lanes * ROUNDS * CHAINS) as f64 * 1e-9
}

/// One task; returns the lanes of its vectors.
fn chains() -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has the instructions.
            unsafe { x86::wide() };
            return 16;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the processor has the instructions.
            unsafe { x86::narrow() };
            return 8;
        }
    }
    let (factor, term) = (black_box(0.999f32), black_box(1e-6));
    let mut sums = [[1.0f32; 4]; CHAINS];
    for _ in 0..ROUNDS {
        sums.iter_mut().flatten().for_each(|sum| *sum = sum.mul_add(factor, term));
    }
    black_box(sums);
    4
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{_mm256_fmadd_ps, _mm256_set1_ps, _mm512_fmadd_ps, _mm512_set1_ps};
    use std::hint::black_box;

    use super::{CHAINS, ROUNDS};

    #[target_feature(enable = "avx512f")]
    pub fn wide() {
        let (factor, term) = (_mm512_set1_ps(black_box(0.999)), _mm512_set1_ps(black_box(1e-6)));
        let mut sums = [_mm512_set1_ps(1.0); CHAINS];
        for _ in 0..ROUNDS {
            for sum in &mut sums {
                *sum = _mm512_fmadd_ps(*sum, factor, term);
            }
        }
        black_box(sums);
    }

    #[target_feature(enable = "avx2,fma")]
    pub fn narrow() {
        let (factor, term) = (_mm256_set1_ps(black_box(0.999)), _mm256_set1_ps(black_box(1e-6)));
        // Sixteen registers hold twelve sums and the two factors.
        for _ in 0..CHAINS / 12 {
            let mut sums = [_mm256_set1_ps(1.0); 12];
            for _ in 0..ROUNDS {
                for sum in &mut sums {
                    *sum = _mm256_fmadd_ps(*sum, factor, term);
                }
            }
            black_box(sums);
        }
    }
}

/// An array that no cache holds, and one to copy it to.
pub struct Memory(Vec<f32>, Vec<f32>);

impl Memory {
    /// Touched memory.
    pub fn new() -> Self {
        Self(vec![1.0; LARGE], vec![2.0; LARGE])
    }

    /// Thousand million bytes of one array.
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
