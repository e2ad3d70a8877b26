//! Pooling with windows of any size, which may overlap and reach over the border.
//!
//! Tasks have rows of what is written: sums over overlapping windows are formed where they are read, in the order of the
//! windows.

use std::ops::Range;

use super::images::{Images, Window};
use super::parallel::{COST, chunks_mut, pairs_mut};
use super::simd::{Kernel, LANES, Simd, Vector, copy_part, dispatch};

/// Whether a value replaces the largest so far.
#[inline(always)]
pub const fn wins(value: f32, best: f32) -> bool {
    value > best || value.is_nan()
}

/// The part of a window along one axis that lies within `len` pixels: its pixels, and the place of the first.
fn inside(window: &Window, len: usize, at: usize) -> (Range<usize>, usize) {
    let Window { kernel, stride, padding } = *window;
    let start = at * stride;
    (start.saturating_sub(padding)..(start + kernel - padding).min(len), padding.saturating_sub(start))
}

/// The positions of a window along one axis of `len` pixels that see a pixel.
fn seeing(window: &Window, len: usize, pixel: usize) -> Range<usize> {
    let Window { kernel, stride, padding } = *window;
    let end = ((pixel + padding) / stride + 1).min(window.output(len));
    (pixel + padding + 1).saturating_sub(kernel).div_ceil(stride).min(end)..end
}

/// [`max_pool`](super::pool::max_pool) for any window.
pub fn maxima(images: &Images, window: Window, input: &[f32], output: &mut [f32], which: &mut [u8]) {
    window.check();
    let pooled = images.pooled(&window);
    let (row, work) = (pooled.width * pooled.channels, output.len() * window.taps() * COST);
    pairs_mut((output, row), (which, row), work, |at, output, which| {
        let (y, input) = (at % pooled.height, &input[at / pooled.height * images.size()..][..images.size()]);
        dispatch(RowOfMaxima { of: Maxima { images, window, input }, y, output, which });
    });
}

/// The positions of a window on one image.
struct Maxima<'a> {
    images: &'a Images,
    window: Window,
    input: &'a [f32],
}

/// One row of them.
struct RowOfMaxima<'a> {
    of: Maxima<'a>,
    y: usize,
    output: &'a mut [f32],
    which: &'a mut [u8],
}

impl Kernel for RowOfMaxima<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Maxima { images: &Images { height, width, channels, .. }, window, .. } = self.of;
        let (rows, first_row) = inside(&window, height, self.y);
        let pixels = self.output.chunks_exact_mut(channels).zip(self.which.chunks_exact_mut(channels));
        for (x, (output, which)) in pixels.enumerate() {
            let (columns, first_column) = inside(&window, width, x);
            let seen = Seen { rows: rows.clone(), columns, place: first_row * window.kernel + first_column };
            for c in (0..channels).step_by(LANES) {
                let part = c..(c + LANES).min(channels);
                self.of.largest(simd, &seen, c, (&mut output[part.clone()], &mut which[part]));
            }
        }
    }
}

/// The part of a window that lies within the image, and the place of its first pixel.
struct Seen {
    rows: Range<usize>,
    columns: Range<usize>,
    place: usize,
}

impl Maxima<'_> {
    /// The largest numbers of at most a vector of channels from `c` on, and their places.
    #[inline(always)]
    fn largest<S: Simd>(&self, simd: S, seen: &Seen, c: usize, (output, which): (&mut [f32], &mut [u8])) {
        let Images { width, channels, .. } = *self.images;
        let (mut best, mut places) = (simd.splat(0.0), simd.splat(seen.place as f32));
        let mut is_first = true;
        for (y, row) in seen.rows.clone().enumerate() {
            for (x, column) in seen.columns.clone().enumerate() {
                let from = &self.input[(row * width + column) * channels + c..];
                // Whole vectors reach into the next pixels, which does no harm.
                let values = match from.first_chunk() {
                    Some(values) => simd.load(values),
                    None => simd.load_part(&from[..output.len()]),
                };
                if is_first {
                    (best, is_first) = (values, false);
                } else {
                    let place = simd.splat((seen.place + y * self.window.kernel + x) as f32);
                    places = values.where_wins(best, place, places);
                    best = values.where_wins(best, values, best);
                }
            }
        }
        best.store_part(output);
        copy_part(&places.to_array().map(|place| place as u8)[..which.len()], which);
    }
}

/// [`max_pool_backward`](super::pool::max_pool_backward) for any window.
pub fn maxima_backward(
    images: &Images,
    window: Window,
    (gradient, which): (&[f32], &[u8]),
    input_gradient: &mut [f32],
) {
    each_window_of_pixels(images, window, input_gradient, |to, at, place, is_first| {
        let (gradient, which) = (&gradient[at..at + to.len()], &which[at..at + to.len()]);
        let place = u8::try_from(place).expect("a window has at most 121 places");
        let pairs = to.iter_mut().zip(gradient.iter().zip(which));
        let share = |(gradient, which): (&f32, &u8)| if *which == place { *gradient } else { 0.0 };
        if is_first {
            pairs.for_each(|(to, from)| *to = share(from));
        } else {
            pairs.for_each(|(to, from)| *to += share(from));
        }
    });
}

/// Averages of all positions of a window over as many numbers as it has places: the border counts as zeros.
///
/// # Panics
/// When the lengths do not fit the images.
pub fn average_windows(images: &Images, window: Window, input: &[f32], output: &mut [f32]) {
    window.check();
    let pooled = images.pooled(&window);
    assert_eq!(input.len(), images.len(), "the images have their shape");
    assert_eq!(output.len(), pooled.len(), "one number for each position");
    let (row, work) = (pooled.width * pooled.channels, output.len() * window.taps() * COST);
    chunks_mut(output, row, work, |at, output| {
        let (y, input) = (at % pooled.height, &input[at / pooled.height * images.size()..][..images.size()]);
        dispatch(Averages { images, window, y, input, output });
    });
}

/// One row of positions.
struct Averages<'a> {
    images: &'a Images,
    window: Window,
    y: usize,
    input: &'a [f32],
    output: &'a mut [f32],
}

impl Kernel for Averages<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { images: &Images { height, width, channels, .. }, window, input, .. } = self;
        let (rows, _) = inside(&window, height, self.y);
        let count = window.taps() as f32;
        for (x, output) in self.output.chunks_exact_mut(channels).enumerate() {
            let (columns, _) = inside(&window, width, x);
            output.fill(0.0);
            for y in rows.clone() {
                for x in columns.clone() {
                    let pixel = &input[(y * width + x) * channels..][..channels];
                    output.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += value);
                }
            }
            for sum in output {
                *sum /= count;
            }
        }
    }
}

/// Distributes the gradient of each average over the places of its window; where windows overlap, shares are added in the
/// order of the windows.
///
/// # Panics
/// When the lengths do not fit the images.
pub fn average_windows_backward(
    images: &Images,
    window: Window,
    gradient: &[f32],
    input_gradient: &mut [f32],
) {
    assert_eq!(input_gradient.len(), images.len(), "the images have their shape");
    assert_eq!(gradient.len(), images.pooled(&window).len(), "one number for each position");
    let count = window.taps() as f32;
    each_window_of_pixels(images, window, input_gradient, |to, at, _, is_first| {
        let pairs = to.iter_mut().zip(&gradient[at..]);
        if is_first {
            pairs.for_each(|(to, gradient)| *to = gradient / count);
        } else {
            pairs.for_each(|(to, gradient)| *to += gradient / count);
        }
    });
}

/// Calls `add` with the channels of every pixel of the input's gradient for every position of the window that sees it:
/// where the channels of the position start, at which place it sees the pixel, and whether it is the first. Pixels that
/// none sees become 0.
fn each_window_of_pixels(
    images: &Images,
    window: Window,
    input_gradient: &mut [f32],
    add: impl Fn(&mut [f32], usize, usize, bool) + Copy + Send + Sync,
) {
    window.check();
    let work = input_gradient.len() * COST;
    chunks_mut(input_gradient, images.width * images.channels, work, |row, to| {
        dispatch(Rows { images, window, row, to, add });
    });
}

/// One row of pixels of the input's gradient.
struct Rows<'a, F> {
    images: &'a Images,
    window: Window,
    row: usize,
    to: &'a mut [f32],
    add: F,
}

impl<F: Fn(&mut [f32], usize, usize, bool)> Kernel for Rows<'_, F> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { images, window, row, to, add } = self;
        let Images { height, width, channels, .. } = *images;
        let pooled = images.pooled(&window);
        let (image, y) = (row / height, row % height);
        let rows = seeing(&window, height, y);
        for (x, to) in to.chunks_exact_mut(channels).enumerate() {
            let columns = seeing(&window, width, x);
            if rows.is_empty() || columns.is_empty() {
                to.fill(0.0);
            }
            for down in rows.clone() {
                for across in columns.clone() {
                    let at = ((image * pooled.height + down) * pooled.width + across) * channels;
                    let place =
                        (y + window.padding - down * window.stride) * window.kernel + x + window.padding
                            - across * window.stride;
                    add(to, at, place, (down, across) == (rows.start, columns.start));
                }
            }
        }
    }
}
