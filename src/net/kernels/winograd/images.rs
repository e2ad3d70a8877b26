//! Images to planes and back: the transforms of inputs, outputs and their gradients.
#![allow(unsafe_code, reason = "kernels read and write through pointers, tasks write disjoint places")]

use std::ops::Range;

use super::super::parallel::Shared;
use super::super::simd::{Kernel, LANES, Simd, Vector};
use super::forms::{Form, Line, MOST};
use super::planes::{Grid, OUTSIDE, Planes, WINDOW};
use super::product::COLUMNS;

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

/// One value for each place of a line. (`array::from_fn` need not be inlined, and then vectors go through memory.)
#[inline(always)]
fn six<T>(of: impl Fn(usize) -> T) -> [T; MOST] {
    [of(0), of(1), of(2), of(3), of(4), of(5)]
}

/// Sixteen numbers of a slice.
#[inline(always)]
pub fn load<S: Simd>(s: S, from: &[f32], at: usize) -> S::V {
    s.load(from[at..].first_chunk().expect("whole vectors"))
}

/// Which of two passes a transform belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// From inputs to outputs.
    Forward,
    /// From the gradients of the outputs to those of the inputs.
    Backward,
}

/// Images to planes: `B' x B` of the inputs (forward) or `A y A'` of the outputs' gradients (backward).
pub struct FromImages<'a, F> {
    /// Whose transform.
    pub form: F,
    /// Which transform.
    pub pass: Pass,
    /// The tiles of an image.
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
            Pass::Forward => self.walk(
                s,
                F::INPUTS,
                F::BEFORE,
                #[inline(always)]
                |line| form.input(s, line),
            ),
            Pass::Backward => self.walk(
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
    /// Whose transform.
    pub form: F,
    /// Which transform.
    pub pass: Pass,
    /// The tiles of an image.
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
            Pass::Forward => self.walk(
                s,
                F::OUTPUTS,
                0,
                #[inline(always)]
                |line| form.output(s, line),
            ),
            Pass::Backward => self.walk(
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
