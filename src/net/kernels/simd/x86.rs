//! Sixteen lanes in one AVX-512 register, and the entry points for AVX-512 and AVX2.

#[allow(clippy::wildcard_imports, reason = "a kernel reads like the instructions that it is made of")]
use std::arch::x86_64::*;
use std::ops::{Add, Mul, Sub};

use super::avx2::Avx2;
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

/// One register.
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

/// A mask of the first lanes.
#[inline(always)]
const fn first_lanes(count: usize) -> __mmask16 {
    ((1_u32 << count) - 1) as __mmask16
}

/// 0, stride, …, 15·stride.
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
