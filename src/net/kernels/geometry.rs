//! Which pixels of an image see which part of a 3×3 window.
//!
//! At the borders of an image some positions of the window lie outside. They are skipped, so that no product with a zero
//! of the border is formed: it would cost time and, with infinities, make NaN.

use super::conv::{ConvShape, SIDE};
use super::tile::Run;

/// Coordinates along one axis that see the same positions of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// The first one.
    pub start: usize,
    /// How many.
    pub len: usize,
    /// The first position of the window that they see.
    pub tap: usize,
    /// How many positions.
    pub taps: usize,
}

/// The bands of an axis: first coordinate, inner ones, last one.
pub fn bands(len: usize) -> impl Iterator<Item = Band> + Clone {
    let inner = Band { start: 1, len: len.saturating_sub(2), tap: 0, taps: SIDE };
    let (first, last) = match len {
        0 => (Band { start: 0, len: 0, tap: 0, taps: 0 }, Band { start: 0, len: 0, tap: 0, taps: 0 }),
        1 => (Band { start: 0, len: 1, tap: 1, taps: 1 }, Band { start: 0, len: 0, tap: 0, taps: 0 }),
        _ => (Band { start: 0, len: 1, tap: 1, taps: 2 }, Band { start: len - 1, len: 1, tap: 0, taps: 2 }),
    };
    [first, inner, last].into_iter().filter(|band| band.len > 0)
}

/// Pixels of an image that see the same part of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Their rows.
    pub vertical: Band,
    /// Their columns.
    pub horizontal: Band,
}

impl Region {
    /// The regions of the images of a shape: at most nine.
    pub fn all(shape: &ConvShape) -> impl Iterator<Item = Self> {
        let columns = bands(shape.width);
        bands(shape.height)
            .flat_map(move |vertical| columns.clone().map(move |horizontal| Self { vertical, horizontal }))
    }

    /// Pixels of one image.
    pub const fn len(&self) -> usize {
        self.vertical.len * self.horizontal.len
    }

    /// The pixels of the region, image after image, from the `first` image on; images have `height` × `width` pixels.
    pub const fn pixels(&self, first: usize, height: usize, width: usize) -> Pixels {
        Pixels { region: *self, image: first * height * width, size: height * width, width, y: 0, x: 0 }
    }

    /// The inputs of a pixel of the region: one run for each row of the window, from the pixel's first channel on, with
    /// weights in the order [tap][channel].
    pub fn runs(&self, width: usize, channels: usize) -> ([Run; SIDE], usize) {
        let mut runs = [Run::default(); SIDE];
        let first = self.horizontal.tap;
        for (run, row) in runs.iter_mut().zip(self.vertical.tap..self.vertical.tap + self.vertical.taps) {
            let offset = (row as isize - 1) * width as isize + first as isize - 1;
            *run = Run {
                offset: offset * channels as isize,
                weight: (row * SIDE + first) * channels,
                len: self.horizontal.taps * channels,
            };
        }
        (runs, self.vertical.taps)
    }
}

/// Numbers of the pixels of a region, endless.
#[derive(Clone, Copy, Debug)]
pub struct Pixels {
    region: Region,
    image: usize,
    size: usize,
    width: usize,
    y: usize,
    x: usize,
}

impl Pixels {
    /// The next one.
    #[inline(always)]
    pub const fn next(&mut self) -> usize {
        let Region { vertical, horizontal } = self.region;
        let pixel = self.image + (vertical.start + self.y) * self.width + horizontal.start + self.x;
        self.x += 1;
        if self.x == horizontal.len {
            (self.x, self.y) = (0, self.y + 1);
        }
        if self.y == vertical.len {
            (self.y, self.image) = (0, self.image + self.size);
        }
        pixel
    }
}
