//! Vectors of sixteen float32 numbers on any processor.
//!
//! A kernel is written once, with [`Simd`] and [`Vector`], and [`dispatch`] compiles it for AVX-512, for AVX2 with fused
//! multiply-add, and for any other processor (where the compiler turns arrays into its vectors, such as NEON's). The choice
//! is made at run time. A [`Simd`] value proves that the processor has the instructions, and only such a value makes
//! vectors, so the operations themselves are safe.
//!
//! AVX-512, AVX2 and NEON round the same way: products are added unrounded.

#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use std::ops::{Add, Mul, Sub};

/// Numbers of a vector.
pub const LANES: usize = 16;

/// Proof that vectors of one kind can be used.
pub trait Simd: Copy + Send + Sync {
    type V: Vector;
    /// Rows of the largest block of vectors that fits the registers, each of [`COLUMNS`](Self::COLUMNS) vectors.
    const ROWS: usize;
    /// Vectors in a row of that block, 1 or 2.
    const COLUMNS: usize;

    /// Returns the number in all lanes.
    fn splat(self, value: f32) -> Self::V;

    /// Returns sixteen numbers.
    fn load(self, from: &[f32; LANES]) -> Self::V;

    /// Returns sixteen numbers, anywhere.
    ///
    /// # Safety
    /// `from` must be valid for reading sixteen numbers.
    unsafe fn load_at(self, from: *const f32) -> Self::V;

    /// Returns sixteen numbers, `stride` numbers apart.
    #[inline(always)]
    fn gather(self, from: &[f32], stride: usize) -> Self::V {
        self.load(&std::array::from_fn(|lane| from[lane * stride]))
    }

    #[inline(always)]
    fn transpose(self, rows: [Self::V; LANES]) -> [Self::V; LANES] {
        let rows = rows.map(Self::V::to_array);
        std::array::from_fn(|column| self.load(&std::array::from_fn(|row| rows[row][column])))
    }

    /// Returns the sum of the lanes of each of sixteen vectors: halves are added to halves.
    #[inline(always)]
    fn sums(self, vectors: [Self::V; LANES]) -> Self::V {
        let mut lanes = self.transpose(vectors);
        for half in [8, 4, 2, 1] {
            for lane in 0..half {
                lanes[lane] = lanes[lane] + lanes[lane + half];
            }
        }
        lanes[0]
    }

    /// Returns the same as [`load_part`](Self::load_part), faster where there are sixteen.
    #[inline(always)]
    fn load_most(self, from: &[f32]) -> Self::V {
        match from.try_into() {
            Ok(from) => self.load(from),
            Err(_) => self.load_part(from),
        }
    }

    /// Returns the numbers of a slice of at most sixteen, followed by zeros.
    #[inline(always)]
    fn load_part(self, from: &[f32]) -> Self::V {
        let mut lanes = [0.0; LANES];
        copy_part(from, &mut lanes[..from.len()]);
        self.load(&lanes)
    }
}

/// Sixteen numbers.
pub trait Vector: Copy + Send + Sync + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// Computes self · factor + term, rounded once (twice on processors without fused multiply-add).
    fn multiply_add(self, factor: Self, term: Self) -> Self;

    /// Returns `value` where self > 0 or NaN; +0 elsewhere.
    fn where_positive(self, value: Self) -> Self;

    /// Returns `yes` where self > best or self is NaN; `no` elsewhere.
    fn where_wins(self, best: Self, yes: Self, no: Self) -> Self;

    /// Returns the lanes whose bits are set, the first lane's the lowest; those of `other` elsewhere.
    fn where_bits(self, bits: u16, other: Self) -> Self;

    /// Returns a bit for each lane that is not zero, the first lane's the lowest; NaN is not zero.
    fn nonzero(self) -> u32;

    /// Returns the lanes whose bits are set, side by side from the first lane on; zeros after them.
    #[inline(always)]
    fn packed(self, simd: impl Simd<V = Self>, mut lanes: u32) -> Self {
        let (values, mut packed) = (self.to_array(), [0.0; LANES]);
        for to in packed.iter_mut().take(lanes.count_ones() as usize) {
            *to = values[lanes.trailing_zeros() as usize % LANES];
            lanes &= lanes - 1;
        }
        simd.load(&packed)
    }

    /// Writes the numbers.
    fn store(self, to: &mut [f32; LANES]);

    /// Writes the numbers anywhere.
    ///
    /// # Safety
    /// `to` must be valid for writing sixteen numbers.
    unsafe fn store_at(self, to: *mut f32);

    /// Returns the numbers.
    #[inline(always)]
    fn to_array(self) -> [f32; LANES] {
        let mut lanes = [0.0; LANES];
        self.store(&mut lanes);
        lanes
    }

    /// Writes the first numbers, as many as the slice has, at most sixteen.
    #[inline(always)]
    fn store_part(self, to: &mut [f32]) {
        copy_part(&self.to_array()[..to.len()], to);
    }
}

/// Copies fewer than a vector's numbers, in pieces of known size: a call of the general copy costs more than the numbers.
#[inline(always)]
pub fn copy_part<T: Copy>(from: &[T], to: &mut [T]) {
    let len = from.len();
    assert!(len == to.len() && len <= LANES, "a vector has sixteen lanes");
    let mut at = 0;
    macro_rules! pieces {
        ($($size:literal)*) => {$(
            if len & $size > 0 {
                to[at..at + $size].copy_from_slice(&from[at..at + $size]);
                at += $size;
            }
        )*};
    }
    pieces!(16 8 4 2 1);
    debug_assert_eq!(at, len);
}

/// Prefetches the cache line at `at`, which need not be a valid address.
#[inline(always)]
pub fn prefetch(at: *const f32) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint without visible effects.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Work that is compiled for every kind of vectors.
///
/// `run` and everything that it calls with vectors must be `#[inline(always)]`: code that is not inlined into the function
/// that enables the instructions is compiled without them, and is many times slower (though still correct). Closures are
/// not always inlined, so loops make the vectors.
pub trait Kernel {
    /// Carries it out.
    fn run<S: Simd>(self, simd: S);
}

/// Runs a kernel with the best vectors that the processor has.
#[inline]
pub fn dispatch<K: Kernel>(kernel: K) {
    #[cfg(target_arch = "x86_64")]
    {
        if x86::has_avx512() && is_allowed(Level::Avx512) {
            // SAFETY: the processor has the instructions.
            return unsafe { x86::with_avx512(kernel) };
        }
        if x86::has_avx2() && is_allowed(Level::Avx2) {
            // SAFETY: the processor has the instructions.
            return unsafe { x86::with_avx2(kernel) };
        }
    }
    kernel.run(Portable::<{ cfg!(target_arch = "aarch64") }>(()));
}

/// Runs a loop that the compiler turns into vectors, compiled for every kind of them. The closure must be
/// `#[inline(always)]`.
#[inline]
pub fn vectorise(work: impl FnOnce()) {
    dispatch(Loop(work));
}

struct Loop<F>(F);

impl<F: FnOnce()> Kernel for Loop<F> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        (self.0)();
    }
}

/// Returns the best vectors that the processor has, in words.
pub fn vectors() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if x86::has_avx512() {
            return "AVX-512";
        }
        if x86::has_avx2() {
            return "AVX2";
        }
    }
    if cfg!(target_arch = "aarch64") { "NEON" } else { "plain code without vectors" }
}

/// Returns the compiler's names of those instructions that the kernels know and this processor has.
pub fn processor_features() -> Vec<&'static str> {
    let mut features = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        let known = [
            ("avx2", is_x86_feature_detected!("avx2")),
            ("fma", is_x86_feature_detected!("fma")),
            ("avx512f", is_x86_feature_detected!("avx512f")),
        ];
        features.extend(known.into_iter().filter_map(|(name, has)| has.then_some(name)));
    }
    if cfg!(target_arch = "aarch64") {
        features.push("neon");
    }
    features
}

/// Kinds of vectors that not every processor has, the better one last.
#[cfg(any(test, feature = "testing", target_arch = "x86_64"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Two of AVX2, with fused multiply-add.
    Avx2,
    Avx512,
}

/// Returns true if the code for a kind may run: always, but in tests that ask for a lower one.
#[cfg(all(not(any(test, feature = "testing")), target_arch = "x86_64"))]
const fn is_allowed(_: Level) -> bool {
    true
}
#[cfg(all(any(test, feature = "testing"), target_arch = "x86_64"))]
use crate::testing::level::is_allowed;

/// Vectors as arrays, which the compiler vectorises as well as it can. `FUSED` where multiply-add is one instruction.
#[derive(Clone, Copy)]
pub struct Portable<const FUSED: bool>(());

/// An array that is used as a vector.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub struct Lanes<const FUSED: bool>([f32; LANES]);

impl<const FUSED: bool> Lanes<FUSED> {
    #[inline(always)]
    fn zip(self, other: Self, op: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|lane| op(self.0[lane], other.0[lane])))
    }
}

impl<const FUSED: bool> Simd for Portable<FUSED> {
    type V = Lanes<FUSED>;
    const ROWS: usize = 6;
    const COLUMNS: usize = 1;

    #[inline(always)]
    fn splat(self, value: f32) -> Self::V {
        Lanes([value; LANES])
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> Self::V {
        Lanes(*from)
    }

    #[inline(always)]
    unsafe fn load_at(self, from: *const f32) -> Self::V {
        // SAFETY: the caller's promise.
        Lanes(unsafe { from.cast::<[f32; LANES]>().read_unaligned() })
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl<const FUSED: bool> $trait for Lanes<FUSED> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, |a, b| a $operator b)
            }
        }
    };
}
operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);

impl<const FUSED: bool> Vector for Lanes<FUSED> {
    #[inline(always)]
    fn multiply_add(self, factor: Self, term: Self) -> Self {
        Self(std::array::from_fn(|lane| {
            let (a, b, c) = (self.0[lane], factor.0[lane], term.0[lane]);
            if FUSED { a.mul_add(b, c) } else { a * b + c }
        }))
    }

    #[inline(always)]
    fn where_positive(self, value: Self) -> Self {
        self.zip(value, |a, b| if a > 0.0 || a.is_nan() { b } else { 0.0 })
    }

    #[inline(always)]
    fn where_wins(self, best: Self, yes: Self, no: Self) -> Self {
        Self(std::array::from_fn(|lane| {
            let (value, best) = (self.0[lane], best.0[lane]);
            if value > best || value.is_nan() { yes.0[lane] } else { no.0[lane] }
        }))
    }

    #[inline(always)]
    fn where_bits(self, bits: u16, other: Self) -> Self {
        let lane = |lane: usize| if bits >> lane & 1 > 0 { self.0[lane] } else { other.0[lane] };
        Self(std::array::from_fn(lane))
    }

    #[inline(always)]
    fn nonzero(self) -> u32 {
        let bits = self.0.iter().enumerate().map(|(lane, value)| u32::from(*value != 0.0) << lane);
        bits.fold(0, |all, bit| all | bit)
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        *to = self.0;
    }

    #[inline(always)]
    unsafe fn store_at(self, to: *mut f32) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<[f32; LANES]>().write_unaligned(self.0) }
    }
}
