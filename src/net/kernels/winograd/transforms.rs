//! The one-dimensional transforms of every form.
//!
//! A form computes [`OUTPUTS`](Form::OUTPUTS) neighbouring values of a convolution with three taps from
//! [`INPUTS`](Form::INPUTS) values with [`POINTS`](Form::POINTS) products: `y = A' ((G w) ∘ (B' x))`. Applied to
//! rows and columns it needs `POINTS²` products for a tile of `OUTPUTS²` pixels. Each transform comes with its
//! transpose, since the backward pass is the exact transpose of the forward pass.
//!
//! A value here is a vector of channels, so one call serves sixteen of them.

use std::ops::Range;

use super::{COLUMNS, Grid, OUTSIDE, Planes, TAPS, WINDOW};
use crate::geometry::Direction;
use crate::parallel::Shared;
use crate::simd::{Kernel, LANES, Simd, Vector, prefetch};

/// Most points of a form in one dimension.
pub const MOST: usize = 6;

/// Values along one dimension; a form uses as many as it has points, inputs, outputs or taps, the rest is arbitrary.
pub type Line<V> = [V; MOST];

/// A scheme that computes convolutions with three taps with fewer products.
pub trait Form: Copy + Send + Sync + 'static {
    const POINTS: usize;
    const INPUTS: usize;
    const OUTPUTS: usize;
    /// By how many pixels a tile's inputs begin before its outputs.
    const BEFORE: usize;
    const PRODUCTS: usize = Self::POINTS * Self::POINTS;

    /// Computes `B' x`: inputs to points.
    fn input<S: Simd>(self, s: S, x: Line<S::V>) -> Line<S::V>;
    /// Computes `B v`: points to inputs.
    fn input_back<S: Simd>(self, s: S, v: Line<S::V>) -> Line<S::V>;
    /// Computes `A' m`: points to outputs.
    fn output<S: Simd>(self, s: S, m: Line<S::V>) -> Line<S::V>;
    /// Computes `A y`: outputs to points.
    fn output_back<S: Simd>(self, s: S, y: Line<S::V>) -> Line<S::V>;
    /// Computes `G w`: taps to points.
    fn weight<S: Simd>(self, s: S, w: Line<S::V>) -> Line<S::V>;
    /// Computes `G' u`: points to taps.
    fn weight_back<S: Simd>(self, s: S, u: Line<S::V>) -> Line<S::V>;
}

/// F(4×4, 3×3) at the points 0, ±1, ±2 and infinity (Lavin & Gray 2016, "Fast algorithms for convolutional neural
/// networks"): 36 products for 16 outputs, a quarter of the direct ones. Errors are four to ten times those of direct sums.
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

/// Applies a one-dimensional transform to the columns of `from` × `from` values and then to the rows of the result, which
/// has `to` × `to` values.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "iterators need not be inlined, and then vectors go through memory"
)]
pub fn both<V: Vector>(
    from: usize,
    to: usize,
    zero: V,
    step: impl Fn(Line<V>) -> Line<V> + Copy,
    load: impl Fn(usize) -> V,
    mut store: impl FnMut(usize, V),
) {
    let half = six(
        #[inline(always)]
        |column| {
            step(six(
                #[inline(always)]
                |row| if row < from && column < from { load(row * from + column) } else { zero },
            ))
        },
    );
    for row in 0..to {
        let line = step(six(
            #[inline(always)]
            |column| half[column][row],
        ));
        for column in 0..to {
            store(row * to + column, line[column]);
        }
    }
}

/// Returns one value for each place of a line. (`array::from_fn` need not be inlined, and then vectors go through memory.)
#[inline(always)]
fn six<T>(of: impl Fn(usize) -> T) -> [T; MOST] {
    [of(0), of(1), of(2), of(3), of(4), of(5)]
}

/// Returns sixteen numbers of a slice.
#[inline(always)]
pub fn load<S: Simd>(s: S, from: &[f32], at: usize) -> S::V {
    s.load(from[at..].first_chunk().expect("whole vectors"))
}

/// Images to planes: `B' x B` of the inputs (forward) or `A y A'` of the outputs' gradients (backward).
pub struct FromImages<'a, F> {
    pub form: F,
    pub pass: Direction,
    pub grid: Grid,
    /// All images, `[image, height, width, channels]`.
    pub values: &'a [f32],
    pub channels: usize,
    /// A pixel of zeros, for positions outside.
    pub zeros: &'a [f32],
    /// The images to be transformed.
    pub images: Range<usize>,
    /// Row of the first tile of the first image.
    pub first_row: usize,
    /// The planes; a row for every tile, a column for every channel.
    pub planes: Planes,
    pub to: Shared<'a>,
}

impl<F: Form> Kernel for FromImages<'_, F> {
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let form = self.form;
        match self.pass {
            Direction::Forward => self.walk(
                s,
                F::INPUTS,
                F::BEFORE,
                #[inline(always)]
                |line| form.input(s, line),
            ),
            Direction::Backward => self.walk(
                s,
                F::OUTPUTS,
                0,
                #[inline(always)]
                |line| form.output_back(s, line),
            ),
        }
    }
}

impl<F: Form> FromImages<'_, F> {
    #[inline(always)]
    fn walk<S: Simd>(
        &self,
        s: S,
        side: usize,
        before: usize,
        step: impl Fn(Line<S::V>) -> Line<S::V> + Copy,
    ) {
        let Self { grid, channels, planes, .. } = *self;
        assert!(channels.is_multiple_of(LANES), "whole vectors");
        let mut row = self.first_row;
        let (mut from, mut to) = ([std::ptr::null(); WINDOW], [std::ptr::null_mut(); WINDOW]);
        for image in self.images.clone() {
            let image = &self.values[image * grid.pixels() * channels..][..grid.pixels() * channels];
            for tile in 0..grid.tiles() {
                let window = grid.window::<F>(tile, side, before);
                for at in 0..side * side {
                    let pixel = match window[at] {
                        OUTSIDE => self.zeros,
                        pixel => &image[pixel * channels..],
                    };
                    from[at] = pixel[..channels].as_ptr();
                }
                for (product, to) in to.iter_mut().enumerate().take(F::PRODUCTS) {
                    // SAFETY: every task has its own images, and so its own rows.
                    *to = unsafe { self.to.slice(planes.at(product, row), channels) }.as_mut_ptr();
                }
                for channel in (0..channels).step_by(LANES) {
                    // SAFETY: each pointer has `channels` numbers, whole vectors.
                    both(
                        side,
                        F::POINTS,
                        s.splat(0.0),
                        step,
                        #[inline(always)]
                        |at| unsafe { s.load_at(from[at].add(channel)) },
                        #[inline(always)]
                        |product, value| unsafe { value.store_at(to[product].add(channel)) },
                    );
                }
                row += 1;
            }
        }
    }
}

/// Planes to images: `A' m A` plus a bias (forward), or `B v B'` added up where tiles overlap (backward).
pub struct ToImages<'a, F> {
    pub form: F,
    pub pass: Direction,
    pub grid: Grid,
    /// The planes; a row for every tile of the images below, a column for each of the channels below.
    pub from: &'a [f32],
    pub planes: Planes,
    pub images: Range<usize>,
    /// The images in the planes.
    pub columns: Range<usize>,
    /// Added to every pixel, one number for every channel; forward only.
    pub bias: Option<&'a [f32]>,
    /// All images, `[image, height, width, channels]`.
    pub values: Shared<'a>,
    pub channels: usize,
}

impl<F: Form> Kernel for ToImages<'_, F> {
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let form = self.form;
        match self.pass {
            Direction::Forward => self.walk(
                s,
                F::OUTPUTS,
                0,
                #[inline(always)]
                |line| form.output(s, line),
            ),
            Direction::Backward => self.walk(
                s,
                F::INPUTS,
                F::BEFORE,
                #[inline(always)]
                |line| form.input_back(s, line),
            ),
        }
    }
}

impl<F: Form> ToImages<'_, F> {
    #[inline(always)]
    fn walk<S: Simd>(
        &self,
        s: S,
        side: usize,
        before: usize,
        step: impl Fn(Line<S::V>) -> Line<S::V> + Copy,
    ) {
        let Self { grid, channels, planes, .. } = *self;
        let width = self.columns.len();
        assert!(width.is_multiple_of(LANES), "whole vectors");
        let zero = s.splat(0.0);
        let overlap = side - F::OUTPUTS;
        let (mut from, mut to) = ([std::ptr::null(); WINDOW], [std::ptr::null_mut(); WINDOW]);
        let mut nowhere = [0.0; COLUMNS];
        let nowhere = nowhere[..width].as_mut_ptr();
        let mut row = 0;
        for image in self.images.clone() {
            let image = image * grid.pixels();
            for tile in 0..grid.tiles() {
                let window = grid.window::<F>(tile, side, before);
                for (product, from) in from.iter_mut().enumerate().take(F::PRODUCTS) {
                    *from = self.from[planes.at(product, row)..][..width].as_ptr();
                }
                for at in 0..side * side {
                    to[at] = match window[at] {
                        OUTSIDE => nowhere,
                        pixel => {
                            let at = (image + pixel) * channels + self.columns.start;
                            // SAFETY: every task has its own images or channels.
                            unsafe { self.values.slice(at, width) }.as_mut_ptr()
                        }
                    };
                }
                // The tile above or the one to the left has written there before.
                let (below, right) = (tile >= grid.across, tile % grid.across > 0);
                for column in (0..width).step_by(LANES) {
                    let bias = self.bias.map_or(zero, |bias| load(s, bias, self.columns.start + column));
                    both(
                        F::POINTS,
                        side,
                        zero,
                        step,
                        #[inline(always)]
                        // SAFETY: each pointer has `width` numbers, whole vectors.
                        |product| unsafe { s.load_at(from[product].add(column)) },
                        #[inline(always)]
                        |at, value| {
                            let is_second = (at / side < overlap && below) || (at % side < overlap && right);
                            // SAFETY: as above.
                            unsafe {
                                let to = to[at].add(column);
                                let before = if is_second { s.load_at(to) } else { bias };
                                (before + value).store_at(to);
                            }
                        },
                    );
                }
                row += 1;
            }
        }
    }
}

// PyTorch's weights are `[output][input][3][3]`. Sixteen outputs by sixteen inputs are read as rows of vectors and
// transposed in registers, so that a vector holds sixteen channels of one tap.

/// Numbers of sixteen inputs that belong to one output.
const ROW: usize = LANES * TAPS;

/// Weights to planes for a range of rows and up to 32 columns. Forward, rows are inputs and columns are outputs;
/// backward, rows are outputs and columns are inputs.
pub struct FromWeights<'a, F> {
    pub form: F,
    pub pass: Direction,
    pub weight: &'a [f32],
    /// Inputs of the convolution.
    pub inputs: usize,
    pub rows: Range<usize>,
    pub columns: Range<usize>,
    pub planes: Planes,
    pub to: &'a mut [f32],
}

impl<F: Form> Kernel for FromWeights<'_, F> {
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (form, zero) = (self.form, s.splat(0.0));
        let mut taps = [zero; ROW];
        for row in (0..self.rows.len()).step_by(LANES) {
            for column in (0..self.columns.len()).step_by(LANES) {
                let (down, across) = (self.rows.start + row, self.columns.start + column);
                match self.pass {
                    Direction::Forward => read(s, self.weight, self.inputs, across, down, &mut taps),
                    Direction::Backward => {
                        prefetch_taps(self.weight.as_ptr(), self.inputs, (down + LANES, across));
                        read(s, self.weight, self.inputs, down, across, &mut taps);
                        transpose_taps(s, &mut taps);
                    }
                }
                for lane in 0..LANES {
                    both(
                        3,
                        F::POINTS,
                        zero,
                        #[inline(always)]
                        |line| form.weight(s, line),
                        #[inline(always)]
                        |tap| taps[lane * TAPS + tap],
                        #[inline(always)]
                        |product, value| {
                            let at = self.planes.at(product, row + lane) + column;
                            value.store(self.to[at..].first_chunk_mut().expect("whole vectors"));
                        },
                    );
                }
            }
        }
    }
}

/// Returns one value for each lane. (`array::from_fn` need not be inlined, and then vectors would go through memory.)
#[inline(always)]
fn lanes<V>(of: impl Fn(usize) -> V) -> [V; LANES] {
    macro_rules! each {
        ($($lane:literal)*) => { [$(of($lane)),*] };
    }
    each!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
}

/// Prefetches the weights of sixteen outputs by sixteen inputs: each output's are on other lines, too far apart for
/// the processor to foresee.
#[inline(always)]
fn prefetch_taps(weight: *const f32, inputs: usize, (output, input): (usize, usize)) {
    for lane in 0..LANES {
        for part in 0..TAPS {
            prefetch(weight.wrapping_add(((output + lane) * inputs + input) * TAPS + part * LANES));
        }
    }
}

/// Reads sixteen outputs by sixteen inputs: a vector of outputs for every input and tap.
#[inline(always)]
fn read<S: Simd>(s: S, weight: &[f32], inputs: usize, output: usize, input: usize, taps: &mut [S::V; ROW]) {
    for part in 0..TAPS {
        let rows = lanes(
            #[inline(always)]
            |lane| load(s, weight, ((output + lane) * inputs + input) * TAPS + part * LANES),
        );
        taps[part * LANES..][..LANES].copy_from_slice(&s.transpose(rows));
    }
}

/// Makes of a vector of outputs for every input and tap a vector of inputs for every output and tap.
#[inline(always)]
fn transpose_taps<S: Simd>(s: S, taps: &mut [S::V; ROW]) {
    for tap in 0..TAPS {
        let rows = lanes(
            #[inline(always)]
            |lane| taps[lane * TAPS + tap],
        );
        let transposed = s.transpose(rows);
        for lane in 0..LANES {
            taps[lane * TAPS + tap] = transposed[lane];
        }
    }
}

/// Planes to weights: rows are inputs and columns are outputs.
pub struct ToWeights<'a, F> {
    pub form: F,
    /// The planes; a row for each of the inputs below, a column for each of the outputs below.
    pub from: &'a [f32],
    pub planes: Planes,
    pub rows: Range<usize>,
    pub columns: Range<usize>,
    /// Inputs of the convolution.
    pub inputs: usize,
    pub weight: Shared<'a>,
}

impl<F: Form> Kernel for ToWeights<'_, F> {
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (form, zero) = (self.form, s.splat(0.0));
        let mut taps = [zero; ROW];
        for row in (0..self.rows.len()).step_by(LANES) {
            for column in (0..self.columns.len()).step_by(LANES) {
                let (input, output) = (self.rows.start + row, self.columns.start + column);
                prefetch_taps(self.weight.start(), self.inputs, (output, input));
                for lane in 0..LANES {
                    both(
                        F::POINTS,
                        3,
                        zero,
                        #[inline(always)]
                        |line| form.weight_back(s, line),
                        #[inline(always)]
                        |product| load(s, self.from, self.planes.at(product, row + lane) + column),
                        #[inline(always)]
                        |tap, value| taps[lane * TAPS + tap] = value,
                    );
                }
                for part in 0..TAPS {
                    let rows = lanes(
                        #[inline(always)]
                        |lane| taps[part * LANES + lane],
                    );
                    for (lane, vector) in s.transpose(rows).into_iter().enumerate() {
                        let at = ((output + lane) * self.inputs + input) * TAPS + part * LANES;
                        // SAFETY: every task has its own inputs and outputs.
                        let to = unsafe { self.weight.slice(at, LANES) };
                        vector.store(to.first_chunk_mut().expect("a whole vector"));
                    }
                }
            }
        }
    }
}
