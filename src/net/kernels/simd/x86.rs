//! AVX-512, and AVX2 with sixteen lanes in two registers.

#[allow(clippy::wildcard_imports, reason = "a kernel reads like the instructions that it is made of")]
use std::arch::x86_64::*;
use std::ops::{Add, Mul, Sub};

use super::{Kernel, LANES, Simd, Vector};

#[inline]
pub fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
}

#[inline]
pub fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

/// # Safety
/// The processor has AVX-512F.
#[target_feature(enable = "avx512f")]
pub unsafe fn with_avx512<K: Kernel>(kernel: K) {
    kernel.run(Avx512(()));
}

/// # Safety
/// The processor has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn with_avx2<K: Kernel>(kernel: K) {
    kernel.run(Avx2(()));
}

/// Proof that AVX-512F can be used.
#[derive(Clone, Copy)]
pub struct Avx512(());

#[derive(Clone, Copy)]
pub struct Register(__m512);

// SAFETY of all instructions below: only `with_avx512` makes an `Avx512`, after the processor was checked, and a
// `Register` is only made with an `Avx512` or from another `Register`.
impl Simd for Avx512 {
    type V = Register;
    const ROWS: usize = 14;
    const COLUMNS: usize = 2;

    #[inline(always)]
    fn splat(self, value: f32) -> Register {
        Register(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> Register {
        Register(unsafe { _mm512_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn load_part(self, from: &[f32]) -> Register {
        assert!(from.len() <= LANES, "a vector has sixteen lanes");
        // Lanes that are masked out are not read.
        Register(unsafe { _mm512_maskz_loadu_ps(first_lanes(from.len()), from.as_ptr()) })
    }

    #[inline(always)]
    unsafe fn load_at(self, from: *const f32) -> Register {
        Register(unsafe { _mm512_loadu_ps(from) })
    }

    #[inline(always)]
    fn transpose(self, rows: [Register; LANES]) -> [Register; LANES] {
        // Four rounds, each exchanging one bit of the lane's number with one of the row's.
        let (mut from, mut to) = (rows, rows);
        for at in (0..LANES).step_by(2) {
            let (a, b) = (from[at].0, from[at + 1].0);
            to[at] = Register(unsafe { _mm512_unpacklo_ps(a, b) });
            to[at + 1] = Register(unsafe { _mm512_unpackhi_ps(a, b) });
        }
        for at in [0, 1, 4, 5, 8, 9, 12, 13] {
            let (a, b) = unsafe { (_mm512_castps_pd(to[at].0), _mm512_castps_pd(to[at + 2].0)) };
            from[at] = Register(unsafe { _mm512_castpd_ps(_mm512_unpacklo_pd(a, b)) });
            from[at + 2] = Register(unsafe { _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)) });
        }
        for at in [0, 1, 2, 3, 8, 9, 10, 11] {
            let (a, b) = (from[at].0, from[at + 4].0);
            to[at] = Register(unsafe { _mm512_shuffle_f32x4::<0x88>(a, b) });
            to[at + 4] = Register(unsafe { _mm512_shuffle_f32x4::<0xdd>(a, b) });
        }
        // The middle two of every four columns are exchanged here.
        for (at, column) in [0, 2, 1, 3, 4, 6, 5, 7].into_iter().enumerate() {
            let (a, b) = (to[at].0, to[at + 8].0);
            from[column] = Register(unsafe { _mm512_shuffle_f32x4::<0x88>(a, b) });
            from[column + 8] = Register(unsafe { _mm512_shuffle_f32x4::<0xdd>(a, b) });
        }
        from
    }

    #[inline(always)]
    fn sums(self, vectors: [Register; LANES]) -> Register {
        // The additions of the provided method in its order, on vectors that hold halves, quarters and eighths of
        // several others side by side: fewer than half of the shuffles of a transposition.
        let mut quarters = [vectors[0]; 4];
        for at in 0..4 {
            let [a, b, c, d] = [vectors[at].0, vectors[at + 4].0, vectors[at + 8].0, vectors[at + 12].0];
            quarters[at] = Register(unsafe {
                let ab =
                    _mm512_add_ps(_mm512_shuffle_f32x4::<0x44>(a, b), _mm512_shuffle_f32x4::<0xee>(a, b));
                let cd =
                    _mm512_add_ps(_mm512_shuffle_f32x4::<0x44>(c, d), _mm512_shuffle_f32x4::<0xee>(c, d));
                _mm512_add_ps(_mm512_shuffle_f32x4::<0x88>(ab, cd), _mm512_shuffle_f32x4::<0xdd>(ab, cd))
            });
        }
        let [a, b, c, d] = [quarters[0].0, quarters[1].0, quarters[2].0, quarters[3].0];
        Register(unsafe {
            let ab = _mm512_add_ps(_mm512_shuffle_ps::<0x44>(a, b), _mm512_shuffle_ps::<0xee>(a, b));
            let cd = _mm512_add_ps(_mm512_shuffle_ps::<0x44>(c, d), _mm512_shuffle_ps::<0xee>(c, d));
            _mm512_add_ps(_mm512_shuffle_ps::<0x88>(ab, cd), _mm512_shuffle_ps::<0xdd>(ab, cd))
        })
    }

    #[inline(always)]
    fn gather(self, from: &[f32], stride: usize) -> Register {
        assert!((LANES - 1) * stride < from.len(), "the last lane lies within the slice");
        Register(unsafe { _mm512_i32gather_ps::<4>(offsets(stride), from.as_ptr()) })
    }
}

#[inline(always)]
const fn first_lanes(count: usize) -> __mmask16 {
    ((1_u32 << count) - 1) as __mmask16
}

/// Returns 0, stride, …, 15·stride.
///
/// # Safety
/// The processor has AVX-512F.
#[inline(always)]
unsafe fn offsets(stride: usize) -> __m512i {
    let last = i32::try_from((LANES - 1) * stride).expect("the last lane lies nearer than 2^31 numbers");
    unsafe {
        let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        _mm512_mullo_epi32(lanes, _mm512_set1_epi32(last / (LANES - 1) as i32))
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $instruction:ident) => {
        impl $trait for Register {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(unsafe { $instruction(self.0, other.0) })
            }
        }
    };
}
operator!(Add, add, _mm512_add_ps);
operator!(Sub, sub, _mm512_sub_ps);
operator!(Mul, mul, _mm512_mul_ps);

impl Vector for Register {
    #[inline(always)]
    fn multiply_add(self, factor: Self, term: Self) -> Self {
        Self(unsafe { _mm512_fmadd_ps(self.0, factor.0, term.0) })
    }

    #[inline(always)]
    fn where_positive(self, value: Self) -> Self {
        Self(unsafe {
            let positive = _mm512_cmp_ps_mask::<_CMP_NLE_UQ>(self.0, _mm512_setzero_ps());
            _mm512_maskz_mov_ps(positive, value.0)
        })
    }

    #[inline(always)]
    fn where_wins(self, best: Self, yes: Self, no: Self) -> Self {
        Self(unsafe {
            let wins = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(self.0, best.0)
                | _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(self.0, self.0);
            _mm512_mask_blend_ps(wins, no.0, yes.0)
        })
    }

    #[inline(always)]
    fn where_bits(self, bits: u16, other: Self) -> Self {
        Self(unsafe { _mm512_mask_blend_ps(bits, other.0, self.0) })
    }

    #[inline(always)]
    fn nonzero(self) -> u32 {
        u32::from(unsafe { _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(self.0, _mm512_setzero_ps()) })
    }

    #[inline(always)]
    fn packed(self, _: impl Simd<V = Self>, lanes: u32) -> Self {
        Self(unsafe { _mm512_maskz_compress_ps(lanes as __mmask16, self.0) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn store_part(self, to: &mut [f32]) {
        assert!(to.len() <= LANES, "a vector has sixteen lanes");
        // Lanes that are masked out are not written.
        unsafe { _mm512_mask_storeu_ps(to.as_mut_ptr(), first_lanes(to.len()), self.0) }
    }

    #[inline(always)]
    unsafe fn store_at(self, to: *mut f32) {
        unsafe { _mm512_storeu_ps(to, self.0) }
    }
}

/// Proof that AVX2 and FMA can be used.
#[derive(Clone, Copy)]
pub struct Avx2(());

/// Two registers: the first eight lanes, and the others.
#[derive(Clone, Copy)]
pub struct Pair(__m256, __m256);

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

/// Returns eight rows of eight lanes as columns.
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

/// Returns the first two lanes of each half of two rows in turn, for four rows.
#[inline(always)]
fn lower(rows: &[__m256]) -> [__m256; 2] {
    unsafe { [_mm256_unpacklo_ps(rows[0], rows[1]), _mm256_unpacklo_ps(rows[2], rows[3])] }
}

/// Returns the last two lanes of each half of two rows in turn, for four rows.
#[inline(always)]
fn upper(rows: &[__m256]) -> [__m256; 2] {
    unsafe { [_mm256_unpackhi_ps(rows[0], rows[1]), _mm256_unpackhi_ps(rows[2], rows[3])] }
}

/// Returns the first pairs of lanes of each half, and the second ones.
#[inline(always)]
fn pairs([a, b]: [__m256; 2]) -> [__m256; 2] {
    unsafe { [_mm256_shuffle_ps::<0x44>(a, b), _mm256_shuffle_ps::<0xee>(a, b)] }
}

/// Returns the lanes of `value` where `own` is positive or NaN, else 0.
#[inline(always)]
fn where_positive(own: __m256, value: __m256) -> __m256 {
    unsafe { _mm256_and_ps(_mm256_cmp_ps::<_CMP_NLE_UQ>(own, _mm256_setzero_ps()), value) }
}

/// Returns the lanes of `yes` where `own` is larger than `best` or NaN, else those of `no`.
#[inline(always)]
fn where_wins(own: __m256, best: __m256, yes: __m256, no: __m256) -> __m256 {
    unsafe {
        let larger = _mm256_cmp_ps::<_CMP_GT_OQ>(own, best);
        _mm256_blendv_ps(no, yes, _mm256_or_ps(larger, _mm256_cmp_ps::<_CMP_UNORD_Q>(own, own)))
    }
}

/// Returns the lanes of `yes` whose bits are set among the lowest eight, else those of `no`.
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
