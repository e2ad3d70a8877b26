//! Pooling of images with channels last.
//!
//! Windows may have any size, overlap and reach over the border. Tasks have rows of what is written: sums over overlapping
//! windows are formed where they are read, in the order of the windows.

use std::ops::Range;

use crate::conv::{Images, Window};
use crate::parallel::{COST, chunks_mut, pairs_mut};
use crate::simd::{Kernel, LANES, Simd, Vector, copy_part, dispatch, vectorise};

/// Takes the largest of 2×2 pixels, as [`max_pool`] has it, from two pixels above and two below.
#[inline(always)]
pub fn largest(above: &[f32], below: &[f32], output: &mut [f32]) {
    let channels = output.len();
    let (above, below) = (&above[..2 * channels], &below[..2 * channels]);
    for c in 0..channels {
        let mut best = above[c];
        for value in [above[channels + c], below[c], below[channels + c]] {
            best = if wins(value, best) { value } else { best };
        }
        output[c] = best;
    }
}

/// Takes the largest pixel of each position of a window, and writes which it was, counted row by row: the first of equal
/// ones; NaN is larger than any number, and of several NaN the last is taken, as torch does. The border never wins.
pub fn max_pool(images: &Images, window: Window, input: &[f32], output: &mut [f32], which: &mut [u8]) {
    let pooled = images.pooled(&window);
    assert_eq!(input.len(), images.len(), "the images have their shape");
    assert_eq!((output.len(), which.len()), (pooled.len(), pooled.len()), "one number for each position");
    window.check();
    let (row, work) = (pooled.width * pooled.channels, output.len() * window.taps() * COST);
    pairs_mut((output, row), (which, row), work, |at, output, which| {
        let (y, input) = (at % pooled.height, &input[at / pooled.height * images.size()..][..images.size()]);
        dispatch(RowOfMaxima { of: Maxima { images, window, input }, y, output, which });
    });
}

/// The gradient after a max pooling, and which pixel of its window each of its numbers belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Pooled<'a> {
    /// The images before the pooling.
    pub images: Images,
    /// One number for each position of the window and channel.
    pub gradient: &'a [f32],
    /// As written by [`max_pool`].
    pub which: &'a [u8],
}

impl Pooled<'_> {
    /// Writes the gradient before a pooling of 2×2 pixels, of the numbers from `first` on: whole pixels. It goes to
    /// the largest pixel; all others get 0.
    pub fn expand(&self, first: usize, to: &mut [f32]) {
        let half = self.images.halved();
        assert_eq!(
            (self.gradient.len(), self.which.len()),
            (half.len(), half.len()),
            "half as many rows and columns"
        );
        let Self { images: Images { height, width, channels, .. }, gradient, which } = *self;
        vectorise(
            #[inline(always)]
            move || {
                for (at, to) in to.chunks_exact_mut(channels.max(1)).enumerate() {
                    let pixel = first / channels + at;
                    let (x, y, image) = (pixel % width, pixel / width % height, pixel / width / height);
                    if x / 2 >= half.width || y / 2 >= half.height {
                        to.fill(0.0);
                        continue;
                    }
                    let place = y % 2 * 2 + x % 2;
                    let at = ((image * half.height + y / 2) * half.width + x / 2) * channels;
                    let (gradient, which) = (&gradient[at..at + channels], &which[at..at + channels]);
                    for ((to, gradient), which) in to.iter_mut().zip(gradient).zip(which) {
                        *to = if usize::from(*which) == place { *gradient } else { 0.0 };
                    }
                }
            },
        );
    }

    /// Does [`expand`](Self::expand) for one image, number by number: faster where a pixel has few of them.
    fn scatter(&self, image: usize, to: &mut [f32]) {
        let (Images { width, channels, .. }, half) = (self.images, self.images.halved());
        let places = [0, channels, width * channels, (width + 1) * channels];
        let numbers = image * half.size()..(image + 1) * half.size();
        let pixels = self.gradient[numbers.clone()].chunks_exact(channels);
        to.fill(0.0);
        for (at, (gradient, which)) in pixels.zip(self.which[numbers].chunks_exact(channels)).enumerate() {
            let start = (at / half.width * 2 * width + at % half.width * 2) * channels;
            for (channel, (gradient, which)) in gradient.iter().zip(which).enumerate() {
                to[start + places[usize::from(*which)] + channel] = *gradient;
            }
        }
    }
}

/// Writes the gradient of each maximum to its pixel, where that of overlapping windows is added in the order of the
/// windows; all others get 0.
pub fn max_pool_backward(pooled: &Pooled, window: Window, input_gradient: &mut [f32]) {
    let Pooled { images, gradient, which } = *pooled;
    let (count, size) = (images.pooled(&window).len(), images.size());
    assert_eq!(input_gradient.len(), images.len(), "the images have their shape");
    assert_eq!((gradient.len(), which.len()), (count, count), "one number for each position");
    match window {
        Window::HALVES if images.channels < LANES => {
            chunks_mut(input_gradient, size, images.len() * COST, |image, to| pooled.scatter(image, to));
        }
        Window::HALVES => {
            chunks_mut(input_gradient, size, images.len() * COST, |image, to| {
                pooled.expand(image * size, to);
            });
        }
        _ => each_window_of_pixels(&images, window, input_gradient, |to, at, place, is_first| {
            let (gradient, which) = (&gradient[at..at + to.len()], &which[at..at + to.len()]);
            let place = u8::try_from(place).expect("a window has at most 121 places");
            let pairs = to.iter_mut().zip(gradient.iter().zip(which));
            let share = |(gradient, which): (&f32, &u8)| if *which == place { *gradient } else { 0.0 };
            if is_first {
                pairs.for_each(|(to, from)| *to = share(from));
            } else {
                pairs.for_each(|(to, from)| *to += share(from));
            }
        }),
    }
}

/// Returns the pixels of one axis that cell `at` of `cells` averages over, as torch's adaptive pooling.
const fn cell(at: usize, cells: usize, len: usize) -> (usize, usize) {
    (at * len / cells, ((at + 1) * len).div_ceil(cells))
}

/// Averages over `side` × `side` cells.
pub fn average_pool(images: &Images, side: usize, input: &[f32], output: &mut [f32]) {
    let cells = Images { height: side, width: side, ..*images };
    let pixels = |at, len| {
        let (start, end) = cell(at, side, len);
        start..end
    };
    let seen = |y, x| [pixels(y, images.height), pixels(x, images.width)];
    average((images, input), (&cells, output), images.len() * COST, seen, None);
}

/// Averages over all positions of a window: the rows and columns that `seen` returns for one; the sum is divided by
/// `count`, or by the number of pixels.
fn average(
    (images, input): (&Images, &[f32]),
    (pooled, output): (&Images, &mut [f32]),
    work: usize,
    seen: impl Fn(usize, usize) -> [Range<usize>; 2] + Copy + Send + Sync,
    count: Option<usize>,
) {
    assert_eq!(input.len(), images.len(), "the images have their shape");
    assert_eq!(output.len(), pooled.len(), "one number for each position and channel");
    let Images { width, channels, .. } = *images;
    chunks_mut(output, pooled.width * channels, work, |at, output| {
        let (y, input) = (at % pooled.height, &input[at / pooled.height * images.size()..][..images.size()]);
        vectorise(
            #[inline(always)]
            move || {
                for (x, output) in output.chunks_exact_mut(channels).enumerate() {
                    let [rows, columns] = seen(y, x);
                    let count = count.unwrap_or(rows.len() * columns.len()) as f32;
                    output.fill(0.0);
                    for y in rows {
                        for x in columns.clone() {
                            let pixel = &input[(y * width + x) * channels..][..channels];
                            output.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += value);
                        }
                    }
                    for sum in output {
                        *sum /= count;
                    }
                }
            },
        );
    });
}

/// Distributes the gradient of each average over its pixels.
pub fn average_pool_backward(images: &Images, side: usize, gradient: &[f32], input_gradient: &mut [f32]) {
    assert_eq!(input_gradient.len(), images.len(), "the images have their shape");
    assert_eq!(
        gradient.len(),
        images.count * side * side * images.channels,
        "one number for each cell and channel"
    );
    let Images { height, width, channels, .. } = *images;
    let cells = side * side * channels;
    chunks_mut(input_gradient, images.size(), images.len() * COST, |image, input_gradient| {
        input_gradient.fill(0.0);
        let gradient = &gradient[image * cells..(image + 1) * cells];
        for (at, gradient) in gradient.chunks_exact(channels.max(1)).enumerate() {
            let ((y0, y1), (x0, x1)) = (cell(at / side, side, height), cell(at % side, side, width));
            let count = ((y1 - y0) * (x1 - x0)) as f32;
            for y in y0..y1 {
                let row = &mut input_gradient[(y * width + x0) * channels..(y * width + x1) * channels];
                for pixel in row.chunks_exact_mut(channels) {
                    pixel.iter_mut().zip(gradient).for_each(|(to, gradient)| *to += gradient / count);
                }
            }
        }
    });
}

/// Returns true if a value replaces the largest so far.
#[inline(always)]
pub const fn wins(value: f32, best: f32) -> bool {
    value > best || value.is_nan()
}

/// Returns the part of a window along one axis that lies within `len` pixels: its pixels, and the place of the first.
fn inside(window: &Window, len: usize, at: usize) -> (Range<usize>, usize) {
    let Window { kernel, stride, padding } = *window;
    let start = at * stride;
    (start.saturating_sub(padding)..(start + kernel - padding).min(len), padding.saturating_sub(start))
}

/// Returns the positions of a window along one axis of `len` pixels that see a pixel.
fn seeing(window: &Window, len: usize, pixel: usize) -> Range<usize> {
    let Window { kernel, stride, padding } = *window;
    let end = ((pixel + padding) / stride + 1).min(window.output(len));
    (pixel + padding + 1).saturating_sub(kernel).div_ceil(stride).min(end)..end
}

struct Maxima<'a> {
    images: &'a Images,
    window: Window,
    input: &'a [f32],
}

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
    /// Takes the largest numbers of at most a vector of channels from `c` on, and their places.
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

/// Averages all positions of a window over as many numbers as it has places: the border counts as zeros.
pub fn average_windows(images: &Images, window: Window, input: &[f32], output: &mut [f32]) {
    window.check();
    let (pooled, work) = (images.pooled(&window), output.len() * window.taps() * COST);
    let seen = |y, x| [inside(&window, images.height, y).0, inside(&window, images.width, x).0];
    average((images, input), (&pooled, output), work, seen, Some(window.taps()));
}

/// Distributes the gradient of each average over the places of its window; where windows overlap, shares are added in the
/// order of the windows.
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
        let Images { height, width, channels, .. } = *images;
        let pooled = images.pooled(&window);
        let (image, y) = (row / height, row % height);
        let rows = seeing(&window, height, y);
        vectorise(
            #[inline(always)]
            move || {
                for (x, to) in to.chunks_exact_mut(channels).enumerate() {
                    let columns = seeing(&window, width, x);
                    if rows.is_empty() || columns.is_empty() {
                        to.fill(0.0);
                    }
                    for down in rows.clone() {
                        for across in columns.clone() {
                            let at = ((image * pooled.height + down) * pooled.width + across) * channels;
                            let place = (y + window.padding - down * window.stride) * window.kernel
                                + x
                                + window.padding
                                - across * window.stride;
                            add(to, at, place, (down, across) == (rows.start, columns.start));
                        }
                    }
                }
            },
        );
    });
}
