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
        // The four quarters; the two off the diagonal are exchanged.
        let [mut first, mut second, mut third, mut fourth] = [[rows[0].0; HALF]; 4];
        for row in 0..HALF {
            (first[row], second[row]) = (rows[row].0, rows[row].1);
            (third[row], fourth[row]) = (rows[row + HALF].0, rows[row + HALF].1);
        }
        let (first, second) = (transposed(first), transposed(second));
        let (third, fourth) = (transposed(third), transposed(fourth));
        let mut columns = rows;
        for column in 0..HALF {
            columns[column] = Pair(first[column], third[column]);
            columns[column + HALF] = Pair(second[column], fourth[column]);
        }
        columns
    }
}

/// Eight rows of eight lanes as columns.
#[inline(always)]
fn transposed(rows: [__m256; HALF]) -> [__m256; HALF] {
    let (first, second) = rows.split_at(HALF / 2);
    // Columns 0, 1, 4 and 5 of four rows, and then 2, 3, 6 and 7.
    let (above, below) = (pairs(lower(first)), pairs(lower(second)));
    let (more_above, more_below) = (pairs(upper(first)), pairs(upper(second)));
    unsafe {
        [
            _mm256_permute2f128_ps::<0x20>(above[0], below[0]),
            _mm256_permute2f128_ps::<0x20>(above[1], below[1]),
            _mm256_permute2f128_ps::<0x20>(more_above[0], more_below[0]),
            _mm256_permute2f128_ps::<0x20>(more_above[1], more_below[1]),
            _mm256_permute2f128_ps::<0x31>(above[0], below[0]),
            _mm256_permute2f128_ps::<0x31>(above[1], below[1]),
            _mm256_permute2f128_ps::<0x31>(more_above[0], more_below[0]),
            _mm256_permute2f128_ps::<0x31>(more_above[1], more_below[1]),
        ]
    }
}

/// The first two lanes of each half of two rows in turn, for four rows.
#[inline(always)]
fn lower(rows: &[__m256]) -> [__m256; 2] {
    unsafe { [_mm256_unpacklo_ps(rows[0], rows[1]), _mm256_unpacklo_ps(rows[2], rows[3])] }
}

/// The last two lanes of each half of two rows in turn, for four rows.
#[inline(always)]
fn upper(rows: &[__m256]) -> [__m256; 2] {
    unsafe { [_mm256_unpackhi_ps(rows[0], rows[1]), _mm256_unpackhi_ps(rows[2], rows[3])] }
}

/// The first pairs of lanes of each half, and the second ones.
#[inline(always)]
fn pairs([a, b]: [__m256; 2]) -> [__m256; 2] {
    unsafe { [_mm256_shuffle_ps::<0x44>(a, b), _mm256_shuffle_ps::<0xee>(a, b)] }
}

/// The lanes of `value` where `own` is positive or NaN, else 0.
#[inline(always)]
fn where_positive(own: __m256, value: __m256) -> __m256 {
    unsafe { _mm256_and_ps(_mm256_cmp_ps::<_CMP_NLE_UQ>(own, _mm256_setzero_ps()), value) }
}

/// The lanes of `yes` where `own` is larger than `best` or NaN, else those of `no`.
#[inline(always)]
fn where_wins(own: __m256, best: __m256, yes: __m256, no: __m256) -> __m256 {
    unsafe {
        let larger = _mm256_cmp_ps::<_CMP_GT_OQ>(own, best);
        _mm256_blendv_ps(no, yes, _mm256_or_ps(larger, _mm256_cmp_ps::<_CMP_UNORD_Q>(own, own)))
    }
}

/// The lanes of `yes` whose bits are set among the lowest eight, else those of `no`.
#[inline(always)]
fn where_bits(bits: u16, yes: __m256, no: __m256) -> __m256 {
    unsafe {
        let lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let set = _mm256_and_si256(_mm256_set1_epi32(i32::from(bits)), lanes);
        _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, lanes)))
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
        Self(where_positive(self.0, value.0), where_positive(self.1, value.1))
    }

    #[inline(always)]
    fn where_wins(self, best: Self, yes: Self, no: Self) -> Self {
        Self(where_wins(self.0, best.0, yes.0, no.0), where_wins(self.1, best.1, yes.1, no.1))
    }

    #[inline(always)]
    fn where_bits(self, bits: u16, other: Self) -> Self {
        Self(where_bits(bits, self.0, other.0), where_bits(bits >> HALF, self.1, other.1))
    }

    #[inline(always)]
    fn nonzero(self) -> u32 {
        let half = |own| unsafe {
            _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_NEQ_UQ>(own, _mm256_setzero_ps())).cast_unsigned()
        };
        half(self.0) | half(self.1) << HALF
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
