//! Sixteen lanes in two AVX2 registers.

#[allow(clippy::wildcard_imports, reason = "a kernel reads like the instructions that it is made of")]
use std::arch::x86_64::*;
use std::ops::{Add, Mul, Sub};

use super::{LANES, Simd, Vector};

/// Proof that AVX2 and FMA can be used.
#[derive(Clone, Copy)]
pub struct Avx2(pub(super) ());

/// Two registers: the first eight lanes, and the others.
#[derive(Clone, Copy)]
pub struct Pair(__m256, __m256);

/// Lanes of a register.
const HALF: usize = LANES / 2;

// SAFETY of all instructions below: only `with_avx2` makes an `Avx2`, after the processor was checked, and a `Pair` is only
// made with an `Avx2` or from another `Pair`.
impl Simd for Avx2 {
    type V = Pair;
    const ROWS: usize = 6;
    const COLUMNS: usize = 1;

    #[inline(always)]
    fn splat(self, value: f32) -> Pair {
        let half = unsafe { _mm256_set1_ps(value) };
        Pair(half, half)
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> Pair {
        // Both halves lie within the array.
        unsafe { self.load_at(from.as_ptr()) }
    }

    #[inline(always)]
    unsafe fn load_at(self, from: *const f32) -> Pair {
        unsafe { Pair(_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(HALF))) }
    }

    #[inline(always)]
    fn load_part(self, from: &[f32]) -> Pair {
        assert!(from.len() <= LANES, "a vector has sixteen lanes");
        let at = from.as_ptr();
        // Lanes that are masked out are not read.
        unsafe {
            let count = _mm256_set1_epi32(from.len() as i32);
            let first = _mm256_cmpgt_epi32(count, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
            let second = _mm256_cmpgt_epi32(count, _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15));
            Pair(_mm256_maskload_ps(at, first), _mm256_maskload_ps(at.wrapping_add(HALF), second))
        }
    }

    #[inline(always)]
    fn transpose(self, rows: [Pair; LANES]) -> [Pair; LANES] {
        let quarter = |first: usize, is_second: bool| {
            let half = |row: usize| if is_second { rows[first + row].1 } else { rows[first + row].0 };
            transposed([half(0), half(1), half(2), half(3), half(4), half(5), half(6), half(7)])
        };
        let [above, below] =
            [[quarter(0, false), quarter(0, true)], [quarter(HALF, false), quarter(HALF, true)]];
        let mut columns = rows;
        for column in 0..LANES {
            let (half, lane) = (column / HALF, column % HALF);
            columns[column] = Pair(above[half][lane], below[half][lane]);
        }
        columns
    }
}

/// Eight rows of eight lanes as columns.
#[inline(always)]
fn transposed(rows: [__m256; HALF]) -> [__m256; HALF] {
    let [a, b, c, d, e, f, g, h] = rows;
    unsafe {
        let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
        let (ef, gh) = (_mm256_unpacklo_ps(e, f), _mm256_unpacklo_ps(g, h));
        let (ab_high, cd_high) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
        let (ef_high, gh_high) = (_mm256_unpackhi_ps(e, f), _mm256_unpackhi_ps(g, h));
        // Columns 0 to 3 in the lower half, 4 to 7 in the upper one.
        let four = [
            [_mm256_shuffle_ps::<0x44>(ab, cd), _mm256_shuffle_ps::<0x44>(ef, gh)],
            [_mm256_shuffle_ps::<0xee>(ab, cd), _mm256_shuffle_ps::<0xee>(ef, gh)],
            [_mm256_shuffle_ps::<0x44>(ab_high, cd_high), _mm256_shuffle_ps::<0x44>(ef_high, gh_high)],
            [_mm256_shuffle_ps::<0xee>(ab_high, cd_high), _mm256_shuffle_ps::<0xee>(ef_high, gh_high)],
        ];
        let lower = |column: usize| _mm256_permute2f128_ps::<0x20>(four[column][0], four[column][1]);
        let upper = |column: usize| _mm256_permute2f128_ps::<0x31>(four[column][0], four[column][1]);
        [lower(0), lower(1), lower(2), lower(3), upper(0), upper(1), upper(2), upper(3)]
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $instruction:ident) => {
        impl $trait for Pair {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(unsafe { $instruction(self.0, other.0) }, unsafe { $instruction(self.1, other.1) })
            }
        }
    };
}
operator!(Add, add, _mm256_add_ps);
operator!(Sub, sub, _mm256_sub_ps);
operator!(Mul, mul, _mm256_mul_ps);

impl Vector for Pair {
    #[inline(always)]
    fn multiply_add(self, factor: Self, term: Self) -> Self {
        unsafe { Self(_mm256_fmadd_ps(self.0, factor.0, term.0), _mm256_fmadd_ps(self.1, factor.1, term.1)) }
    }

    #[inline(always)]
    fn where_positive(self, value: Self) -> Self {
        let half = |own: __m256, value: __m256| unsafe {
            _mm256_and_ps(_mm256_cmp_ps::<_CMP_NLE_UQ>(own, _mm256_setzero_ps()), value)
        };
        Self(half(self.0, value.0), half(self.1, value.1))
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        // Both halves lie within the array.
        unsafe { self.store_at(to.as_mut_ptr()) }
    }

    #[inline(always)]
    unsafe fn store_at(self, to: *mut f32) {
        unsafe {
            _mm256_storeu_ps(to, self.0);
            _mm256_storeu_ps(to.add(HALF), self.1);
        }
    }
}
