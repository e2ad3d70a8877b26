//! Pooling of images with channels last.

pub use super::images::Images;
use super::images::Window;
use super::parallel::{COST, chunks_mut};
use super::simd::{Kernel, LANES, Simd, dispatch};
use super::windows::{self, wins};
pub use super::windows::{average_windows, average_windows_backward};

/// The largest of 2×2 pixels, as [`max_pool`] has it, from two pixels above and two below.
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

/// The largest pixel of each position of a window, and which it was, counted row by row: the first of equal ones; NaN is
/// larger than any number, and of several NaN the last is taken, as torch does. The border never wins.
///
/// # Panics
/// When the lengths do not fit the images.
pub fn max_pool(images: &Images, window: Window, input: &[f32], output: &mut [f32], which: &mut [u8]) {
    let pooled = images.pooled(&window);
    assert_eq!(input.len(), images.len(), "the images have their shape");
    assert_eq!((output.len(), which.len()), (pooled.len(), pooled.len()), "one number for each position");
    windows::maxima(images, window, input, output, which);
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
    /// The gradient before a pooling of 2×2 pixels, of the numbers from `first` on: whole pixels. It goes to the largest
    /// pixel; all others get 0.
    ///
    /// # Panics
    /// When the lengths do not fit the images.
    pub fn expand(&self, first: usize, to: &mut [f32]) {
        let half = self.images.halved();
        assert_eq!(
            (self.gradient.len(), self.which.len()),
            (half.len(), half.len()),
            "half as many rows and columns"
        );
        dispatch(Expand { pooled: self, first, to });
    }

    /// The same for one image, number by number: faster where a pixel has few of them.
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

/// Some pixels before a pooling.
struct Expand<'a> {
    pooled: &'a Pooled<'a>,
    first: usize,
    to: &'a mut [f32],
}

impl Kernel for Expand<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Pooled { images: Images { height, width, channels, .. }, gradient, which } = *self.pooled;
        let half = self.pooled.images.halved();
        for (at, to) in self.to.chunks_exact_mut(channels.max(1)).enumerate() {
            let pixel = self.first / channels + at;
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
    }
}

/// The gradient of each maximum goes to its pixel, where that of overlapping windows is added in the order of the windows;
/// all others get 0.
///
/// # Panics
/// When the lengths do not fit the images.
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
                pooled.expand(image * size, to)
            });
        }
        _ => windows::maxima_backward(&images, window, (gradient, which), input_gradient),
    }
}

/// The pixels of one axis that cell `at` of `cells` averages over, as torch's adaptive pooling.
const fn cell(at: usize, cells: usize, len: usize) -> (usize, usize) {
    (at * len / cells, ((at + 1) * len).div_ceil(cells))
}

/// Average over `side` × `side` cells.
pub fn average_pool(images: &Images, side: usize, input: &[f32], output: &mut [f32]) {
    assert_eq!(input.len(), images.len(), "the images have their shape");
    assert_eq!(
        output.len(),
        images.count * side * side * images.channels,
        "one number for each cell and channel"
    );
    let Images { height, width, channels, .. } = *images;
    chunks_mut(output, (side * side * channels).max(1), images.len() * COST, |image, output| {
        let input = &input[image * images.size()..(image + 1) * images.size()];
        for (at, output) in output.chunks_exact_mut(channels.max(1)).enumerate() {
            let ((y0, y1), (x0, x1)) = (cell(at / side, side, height), cell(at % side, side, width));
            output.fill(0.0);
            for y in y0..y1 {
                for pixel in
                    input[(y * width + x0) * channels..(y * width + x1) * channels].chunks_exact(channels)
                {
                    output.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += value);
                }
            }
            let count = ((y1 - y0) * (x1 - x0)) as f32;
            for sum in output.iter_mut() {
                *sum /= count;
            }
        }
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
