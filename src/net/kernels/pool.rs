//! Pooling of images whose channels lie side by side.

use super::parallel::{chunks_mut, pairs_mut};
use super::simd::{Kernel, Simd, dispatch};

/// A number touched is worth this many multiply-adds.
const COST: usize = 8;

/// Images that are pooled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Images {
    /// How many.
    pub count: usize,
    /// Their height.
    pub height: usize,
    /// Their width.
    pub width: usize,
    /// Their channels.
    pub channels: usize,
}

impl Images {
    /// Numbers of all images.
    pub const fn len(&self) -> usize {
        self.count * self.size()
    }

    /// Numbers of an image.
    pub const fn size(&self) -> usize {
        self.height * self.width * self.channels
    }

    /// What 2×2 pooling makes of them: an odd last row or column is left out.
    #[must_use]
    pub const fn halved(&self) -> Self {
        Self { height: self.height / 2, width: self.width / 2, ..*self }
    }
}

/// The largest of each 2×2 pixels, and which it was: the first of equal ones; NaN is larger than
/// any number, and of several NaN the last is taken, as torch does.
pub fn max_pool(images: &Images, input: &[f32], output: &mut [f32], which: &mut [u8]) {
    let half = images.halved();
    assert_eq!(input.len(), images.len(), "the images have their shape");
    assert_eq!((output.len(), which.len()), (half.len(), half.len()), "half as many rows and columns");
    let (output, which) = ((output, half.size()), (which, half.size()));
    pairs_mut(output, which, input.len() * COST, |image, output, which| {
        let input = &input[image * images.size()..(image + 1) * images.size()];
        dispatch(MaxPool { images, input, output, which });
    });
}

/// One image.
struct MaxPool<'a> {
    images: &'a Images,
    input: &'a [f32],
    output: &'a mut [f32],
    which: &'a mut [u8],
}

impl Kernel for MaxPool<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Images { width, channels, .. } = *self.images;
        let half = self.images.halved();
        let pixels = self.output.chunks_exact_mut(channels).zip(self.which.chunks_exact_mut(channels));
        for (at, (output, which)) in pixels.enumerate() {
            let start = (at / half.width * 2 * width + at % half.width * 2) * channels;
            let above = &self.input[start..start + 2 * channels];
            let below = &self.input[start + width * channels..][..2 * channels];
            for c in 0..channels {
                let (mut best, mut place) = (above[c], 0);
                for (number, value) in [(1, above[channels + c]), (2, below[c]), (3, below[channels + c])] {
                    let wins = value > best || value.is_nan();
                    best = if wins { value } else { best };
                    place = if wins { number } else { place };
                }
                output[c] = best;
                which[c] = place;
            }
        }
    }
}

/// Hands the slope of each maximum to the pixel that was it; all others get 0.
pub fn max_pool_backward(images: &Images, slope: &[f32], which: &[u8], input_slope: &mut [f32]) {
    let half = images.halved();
    assert_eq!(input_slope.len(), images.len(), "the images have their shape");
    assert_eq!((slope.len(), which.len()), (half.len(), half.len()), "half as many rows and columns");
    chunks_mut(input_slope, images.size(), images.len() * COST, |image, input_slope| {
        let part = image * half.size()..(image + 1) * half.size();
        dispatch(MaxPoolBack { images, slope: &slope[part.clone()], which: &which[part], input_slope });
    });
}

/// One image.
struct MaxPoolBack<'a> {
    images: &'a Images,
    slope: &'a [f32],
    which: &'a [u8],
    input_slope: &'a mut [f32],
}

impl Kernel for MaxPoolBack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Images { height, width, channels, .. } = *self.images;
        let half = self.images.halved();
        if height % 2 == 1 || width % 2 == 1 {
            self.input_slope.fill(0.0);
        }
        let pixels = self.slope.chunks_exact(channels.max(1)).zip(self.which.chunks_exact(channels.max(1)));
        for (at, (slope, which)) in pixels.enumerate() {
            let start = (at / half.width * 2 * width + at % half.width * 2) * channels;
            for (place, offset) in
                [0, channels, width * channels, (width + 1) * channels].into_iter().enumerate()
            {
                let to = &mut self.input_slope[start + offset..][..channels];
                for ((to, slope), which) in to.iter_mut().zip(slope).zip(which) {
                    *to = if usize::from(*which) == place { *slope } else { 0.0 };
                }
            }
        }
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

/// Hands the slope of each average to the pixels that it is of.
pub fn average_pool_backward(images: &Images, side: usize, slope: &[f32], input_slope: &mut [f32]) {
    assert_eq!(input_slope.len(), images.len(), "the images have their shape");
    assert_eq!(
        slope.len(),
        images.count * side * side * images.channels,
        "one number for each cell and channel"
    );
    let Images { height, width, channels, .. } = *images;
    let cells = side * side * channels;
    chunks_mut(input_slope, images.size(), images.len() * COST, |image, input_slope| {
        input_slope.fill(0.0);
        let slope = &slope[image * cells..(image + 1) * cells];
        for (at, slope) in slope.chunks_exact(channels.max(1)).enumerate() {
            let ((y0, y1), (x0, x1)) = (cell(at / side, side, height), cell(at % side, side, width));
            let count = ((y1 - y0) * (x1 - x0)) as f32;
            for y in y0..y1 {
                let row = &mut input_slope[(y * width + x0) * channels..(y * width + x1) * channels];
                for pixel in row.chunks_exact_mut(channels) {
                    pixel.iter_mut().zip(slope).for_each(|(to, slope)| *to += slope / count);
                }
            }
        }
    });
}
