//! The one-dimensional transforms of every form.
//!
//! A form computes [`OUTPUTS`](Form::OUTPUTS) neighbouring values of a convolution with three taps from
//! [`INPUTS`](Form::INPUTS) values with [`POINTS`](Form::POINTS) products: `y = A' ((G w) ∘ (B' x))`. Applied to
//! rows and columns it needs `POINTS²` products for a tile of `OUTPUTS²` pixels. Each transform comes with its
//! transpose, since the backward pass is the exact transpose of the forward pass.
//!
//! A value here is a vector of channels, so one call serves sixteen of them.

use super::super::simd::{Simd, Vector};

/// Most points of a form in one dimension.
pub const MOST: usize = 6;

/// Values along one dimension; a form uses as many as it has points, inputs, outputs or taps, the rest is arbitrary.
pub type Line<V> = [V; MOST];

/// A scheme that computes convolutions with three taps with fewer products.
pub trait Form: Copy + Send + Sync + 'static {
    /// Products in one dimension.
    const POINTS: usize;
    /// Inputs of a tile in one dimension.
    const INPUTS: usize;
    /// Outputs of a tile in one dimension.
    const OUTPUTS: usize;
    /// By how many pixels a tile's inputs begin before its outputs.
    const BEFORE: usize;
    /// Products of a tile.
    const PRODUCTS: usize = Self::POINTS * Self::POINTS;

    /// `B' x`: inputs to points.
    fn input<S: Simd>(self, s: S, x: Line<S::V>) -> Line<S::V>;
    /// `B v`: points to inputs.
    fn input_back<S: Simd>(self, s: S, v: Line<S::V>) -> Line<S::V>;
    /// `A' m`: points to outputs.
    fn output<S: Simd>(self, s: S, m: Line<S::V>) -> Line<S::V>;
    /// `A y`: outputs to points.
    fn output_back<S: Simd>(self, s: S, y: Line<S::V>) -> Line<S::V>;
    /// `G w`: taps to points.
    fn weight<S: Simd>(self, s: S, w: Line<S::V>) -> Line<S::V>;
    /// `G' u`: points to taps.
    fn weight_back<S: Simd>(self, s: S, u: Line<S::V>) -> Line<S::V>;
}

/// F(4×4, 3×3) at the points 0, ±1, ±2 and infinity (Lavin & Gray 2016, "Fast algorithms for convolutional neural
/// networks"): 36 products for 16 outputs, a quarter of the direct ones. Errors are four to ten times those of direct
/// sums.
#[derive(Clone, Copy, Debug)]
pub struct F4;

impl Form for F4 {
    const POINTS: usize = 6;
    const INPUTS: usize = 6;
    const OUTPUTS: usize = 4;
    const BEFORE: usize = 1;

    #[inline(always)]
    fn input<S: Simd>(self, s: S, x: Line<S::V>) -> Line<S::V> {
        let (two, four, five) = (s.splat(2.0), s.splat(4.0), s.splat(-5.0));
        let minus_four = s.splat(-4.0);
        let even = x[2].multiply_add(minus_four, x[4]);
        let odd = x[1].multiply_add(minus_four, x[3]);
        let half_even = x[4] - x[2];
        let half_odd = (x[3] - x[1]) * two;
        [
            x[2].multiply_add(five, x[0].multiply_add(four, x[4])),
            even + odd,
            even - odd,
            half_even + half_odd,
            half_even - half_odd,
            x[3].multiply_add(five, x[1].multiply_add(four, x[5])),
        ]
    }

    #[inline(always)]
    fn input_back<S: Simd>(self, s: S, v: Line<S::V>) -> Line<S::V> {
        let (two, four, minus_four, minus_five) = (s.splat(2.0), s.splat(4.0), s.splat(-4.0), s.splat(-5.0));
        let (sum, difference) = (v[1] + v[2], v[1] - v[2]);
        let (far_sum, far_difference) = (v[3] + v[4], (v[3] - v[4]) * two);
        [
            v[0] * four,
            (v[5] - difference).multiply_add(four, s.splat(0.0) - far_difference),
            v[0].multiply_add(minus_five, sum.multiply_add(minus_four, s.splat(0.0) - far_sum)),
            v[5].multiply_add(minus_five, difference + far_difference),
            v[0] + (sum + far_sum),
            v[5],
        ]
    }

    #[inline(always)]
    fn output<S: Simd>(self, s: S, m: Line<S::V>) -> Line<S::V> {
        let (two, four, eight) = (s.splat(2.0), s.splat(4.0), s.splat(8.0));
        let (sum, difference) = (m[1] + m[2], m[1] - m[2]);
        let (far_sum, far_difference) = (m[3] + m[4], m[3] - m[4]);
        [
            m[0] + (sum + far_sum),
            far_difference.multiply_add(two, difference),
            far_sum.multiply_add(four, sum),
            far_difference.multiply_add(eight, difference + m[5]),
            m[5],
            m[5],
        ]
    }

    #[inline(always)]
    fn output_back<S: Simd>(self, s: S, y: Line<S::V>) -> Line<S::V> {
        let (two, four, eight) = (s.splat(2.0), s.splat(4.0), s.splat(8.0));
        let (even, odd) = (y[0] + y[2], y[1] + y[3]);
        let far_even = y[2].multiply_add(four, y[0]);
        let far_odd = y[3].multiply_add(eight, y[1] * two);
        [y[0], even + odd, even - odd, far_even + far_odd, far_even - far_odd, y[3]]
    }

    #[inline(always)]
    fn weight<S: Simd>(self, s: S, w: Line<S::V>) -> Line<S::V> {
        let (quarter, sixth, twelfth, last) =
            (s.splat(1.0 / 4.0), s.splat(1.0 / 6.0), s.splat(1.0 / 12.0), s.splat(1.0 / 24.0));
        let (outer, middle) = ((w[0] + w[2]) * s.splat(-1.0 / 6.0), w[1] * sixth);
        let (far, far_middle) = (w[0].multiply_add(last, w[2] * sixth), w[1] * twelfth);
        [w[0] * quarter, outer - middle, outer + middle, far + far_middle, far - far_middle, w[2]]
    }

    #[inline(always)]
    fn weight_back<S: Simd>(self, s: S, u: Line<S::V>) -> Line<S::V> {
        let (quarter, sixth, twelfth, last) =
            (s.splat(1.0 / 4.0), s.splat(1.0 / 6.0), s.splat(1.0 / 12.0), s.splat(1.0 / 24.0));
        let (sum, difference) = (u[1] + u[2], u[2] - u[1]);
        let (far_sum, far_difference) = (u[3] + u[4], u[3] - u[4]);
        let zero = s.splat(0.0);
        [
            u[0].multiply_add(quarter, far_sum.multiply_add(last, zero - sum * sixth)),
            difference.multiply_add(sixth, far_difference * twelfth),
            (far_sum - sum).multiply_add(sixth, u[5]),
            zero,
            zero,
            zero,
        ]
    }
}

/// F(2×2, 3×3) at the points 0, ±1 and infinity (Lavin & Gray 2016): 16 products for 4 outputs, 4/9 of the direct ones.
/// As accurate as direct sums.
#[derive(Clone, Copy, Debug)]
pub struct F2;

impl Form for F2 {
    const POINTS: usize = 4;
    const INPUTS: usize = 4;
    const OUTPUTS: usize = 2;
    const BEFORE: usize = 1;

    #[inline(always)]
    fn input<S: Simd>(self, _: S, x: Line<S::V>) -> Line<S::V> {
        [x[0] - x[2], x[1] + x[2], x[2] - x[1], x[1] - x[3], x[0], x[0]]
    }

    #[inline(always)]
    fn input_back<S: Simd>(self, s: S, v: Line<S::V>) -> Line<S::V> {
        let difference = v[1] - v[2];
        [v[0], difference + v[3], (v[1] + v[2]) - v[0], s.splat(0.0) - v[3], v[0], v[0]]
    }

    #[inline(always)]
    fn output<S: Simd>(self, _: S, m: Line<S::V>) -> Line<S::V> {
        [m[0] + (m[1] + m[2]), (m[1] - m[2]) - m[3], m[0], m[0], m[0], m[0]]
    }

    #[inline(always)]
    fn output_back<S: Simd>(self, s: S, y: Line<S::V>) -> Line<S::V> {
        [y[0], y[0] + y[1], y[0] - y[1], s.splat(0.0) - y[1], y[0], y[0]]
    }

    #[inline(always)]
    fn weight<S: Simd>(self, s: S, w: Line<S::V>) -> Line<S::V> {
        let half = s.splat(0.5);
        let (outer, middle) = ((w[0] + w[2]) * half, w[1] * half);
        [w[0], outer + middle, outer - middle, w[2], w[0], w[0]]
    }

    #[inline(always)]
    fn weight_back<S: Simd>(self, s: S, u: Line<S::V>) -> Line<S::V> {
        let half = s.splat(0.5);
        let sum = (u[1] + u[2]) * half;
        [u[0] + sum, (u[1] - u[2]) * half, sum + u[3], u[0], u[0], u[0]]
    }
}

/// An image of two pixels between two zeros: its convolution is a product with a 2×2 Toeplitz matrix, which takes three
/// products (Karatsuba): `y₀ = (x₀+x₁)·w₁ + x₁·(w₂−w₁)` and `y₁ = (x₀+x₁)·w₁ + x₀·(w₀−w₁)`. 9 products for 4
/// outputs; as accurate as direct sums.
#[derive(Clone, Copy, Debug)]
pub struct T2;

impl Form for T2 {
    const POINTS: usize = 3;
    const INPUTS: usize = 2;
    const OUTPUTS: usize = 2;
    const BEFORE: usize = 0;

    #[inline(always)]
    fn input<S: Simd>(self, _: S, x: Line<S::V>) -> Line<S::V> {
        [x[0] + x[1], x[1], x[0], x[0], x[0], x[0]]
    }

    #[inline(always)]
    fn input_back<S: Simd>(self, _: S, v: Line<S::V>) -> Line<S::V> {
        [v[0] + v[2], v[0] + v[1], v[0], v[0], v[0], v[0]]
    }

    #[inline(always)]
    fn output<S: Simd>(self, _: S, m: Line<S::V>) -> Line<S::V> {
        [m[0] + m[1], m[0] + m[2], m[0], m[0], m[0], m[0]]
    }

    #[inline(always)]
    fn output_back<S: Simd>(self, _: S, y: Line<S::V>) -> Line<S::V> {
        [y[0] + y[1], y[0], y[1], y[0], y[0], y[0]]
    }

    #[inline(always)]
    fn weight<S: Simd>(self, _: S, w: Line<S::V>) -> Line<S::V> {
        [w[1], w[2] - w[1], w[0] - w[1], w[0], w[0], w[0]]
    }

    #[inline(always)]
    fn weight_back<S: Simd>(self, _: S, u: Line<S::V>) -> Line<S::V> {
        [u[2], (u[0] - u[1]) - u[2], u[1], u[0], u[0], u[0]]
    }
}
