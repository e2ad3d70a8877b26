//! Which pixels of an image see which part of a window.
//!
//! At the borders of an image some places of the window lie outside. They are skipped, so that no product with a zero
//! of the border is formed: it would cost time and, with infinities, make NaN.

use super::conv::ConvShape;
use super::images::{Images, MAX_KERNEL, Window};
use super::tile::Run;

/// Which axis of [outputs, inputs, kernel, kernel] becomes the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Outputs: products with the input make the output.
    Forward,
    /// Inputs, with the window turned by 180°: products with the gradient of the output make that of the input. Where the
    /// stride is larger than 1, taps that reach the same pixels are side by side.
    Backward,
}

/// Coordinates along one axis of the images that are written, which see the same places of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// The first one.
    pub start: usize,
    /// From one to the next.
    pub step: usize,
    /// How many.
    pub len: usize,
    /// The first coordinate of the images that are read that the first one sees.
    pub from: usize,
    /// How far it moves from one coordinate to the next.
    pub advance: usize,
    /// The first place of the window that they see, in the order of [`places`].
    pub tap: usize,
    /// How many places; the coordinates that are read follow one another.
    pub taps: usize,
}

impl Band {
    fn new(start: usize, (step, advance): (usize, usize), from: usize, seen: (usize, usize)) -> Self {
        Self { start, step, len: 1, from, advance, tap: seen.0, taps: seen.1 - seen.0 }
    }
}

/// Appends a coordinate to the last band if it sees the same as those, else as a new one.
fn append(bands: &mut Vec<Band>, next: Band) {
    match bands.last_mut() {
        Some(last)
            if (last.tap, last.taps) == (next.tap, next.taps)
                && last.start + last.len * last.step == next.start =>
        {
            last.len += 1;
        }
        _ => bands.push(next),
    }
}

/// The bands of an axis of the output, which reads `len` pixels of the input.
pub fn forward(window: &Window, len: usize) -> Vec<Band> {
    let Window { kernel, stride, padding } = *window;
    let mut bands = Vec::new();
    for at in 0..window.output(len) {
        let first = at * stride;
        let seen = (padding.saturating_sub(first), kernel.min(len + padding - first));
        append(&mut bands, Band::new(at, (1, stride), first + seen.0 - padding, seen));
    }
    bands
}

/// The bands of an axis of `len` pixels of the input's gradient, which reads that of the output. Pixels a stride apart see
/// the same part of the window, which no others see; those that no position of the window has reached see nothing.
pub fn backward(window: &Window, len: usize) -> Vec<Band> {
    let Window { stride, padding, .. } = *window;
    let outputs = window.output(len);
    let mut bands = Vec::new();
    let mut first = 0;
    for class in 0..stride {
        let count = class_len(window, class);
        // Place `first + j` of a pixel reads the output `latest + j − (count − 1)`.
        for at in (0..len).filter(|at| (at + padding) % stride == class) {
            let latest = (at + padding) / stride;
            let begin = (count + 1).saturating_sub(latest + 2).min(count);
            let end = (outputs + count).saturating_sub(latest + 1).clamp(begin, count);
            let from = if begin < end { latest + begin + 1 - count } else { 0 };
            append(&mut bands, Band::new(at, (stride, 1), from, (first + begin, first + end)));
        }
        first += count;
    }
    bands
}

/// Taps of one axis of the window that have the remainder `class` after division by the stride.
const fn class_len(window: &Window, class: usize) -> usize {
    window.kernel.saturating_sub(class).div_ceil(window.stride)
}

/// The taps of one axis of the window in the order in which a pass reads them: forward from first to last. Backward, class
/// after class of those that reach the same pixels, in each from last to first.
pub fn places(window: &Window, side: Side) -> [usize; MAX_KERNEL] {
    let mut places = [0; MAX_KERNEL];
    match side {
        Side::Forward => places.iter_mut().enumerate().for_each(|(at, place)| *place = at),
        Side::Backward => {
            let classes = (0..window.stride).flat_map(|class| {
                (0..class_len(window, class)).rev().map(move |number| class + number * window.stride)
            });
            places.iter_mut().zip(classes).for_each(|(place, tap)| *place = tap);
        }
    }
    places
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
    /// Pixels of one image.
    pub const fn len(&self) -> usize {
        self.vertical.len * self.horizontal.len
    }
}

/// A pass over images: each number that is written sums what a window sees.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// The images that are read.
    pub from: Images,
    /// The images that are written.
    pub to: Images,
    /// Side of the window.
    kernel: usize,
    /// The pixels that are written.
    pub regions: Vec<Region>,
}

impl Geometry {
    /// From the input to the output, or from the gradient of the output to that of the input.
    pub fn new(shape: &ConvShape, side: Side) -> Self {
        let ConvShape { images: count, height, width, inputs, outputs, window } = *shape;
        let input = Images { count, height, width, channels: inputs };
        let output =
            Images { count, height: shape.out_height(), width: shape.out_width(), channels: outputs };
        let (from, to, bands): (_, _, fn(&Window, usize) -> Vec<Band>) = match side {
            Side::Forward => (input, output, forward),
            Side::Backward => (output, input, backward),
        };
        let (rows, columns) = (bands(&window, height), bands(&window, width));
        let across = |vertical| columns.iter().map(move |&horizontal| Region { vertical, horizontal });
        Self { from, to, kernel: window.kernel, regions: rows.iter().flat_map(|&row| across(row)).collect() }
    }

    /// What a pixel of a region reads: one run for each row of the window, from the first number that it sees on, with
    /// weights in the order [place][channel].
    pub fn runs(&self, region: &Region) -> ([Run; MAX_KERNEL], usize) {
        let Region { vertical, horizontal } = *region;
        let channels = self.from.channels;
        let mut runs = [Run::default(); MAX_KERNEL];
        for (row, run) in runs.iter_mut().enumerate().take(vertical.taps) {
            *run = Run {
                offset: row * self.from.width * channels,
                weight: ((vertical.tap + row) * self.kernel + horizontal.tap) * channels,
                len: horizontal.taps * channels,
            };
        }
        (runs, vertical.taps)
    }

    /// The pixels of a region, image after image, from the `first` image on.
    pub const fn pixels(&self, region: &Region, first: usize) -> Pixels {
        let sizes = [self.to.height * self.to.width, self.from.height * self.from.width];
        Pixels {
            region: *region,
            images: [first * sizes[0], first * sizes[1]],
            sizes,
            widths: [self.to.width, self.from.width],
            y: 0,
            x: 0,
        }
    }
}

/// Numbers of the pixels of a region, endless.
#[derive(Clone, Copy, Debug)]
pub struct Pixels {
    region: Region,
    /// Of the images that are written and read: first pixels of the present ones, numbers of pixels, widths.
    images: [usize; 2],
    sizes: [usize; 2],
    widths: [usize; 2],
    y: usize,
    x: usize,
}

impl Pixels {
    /// The next one, and the first one that it sees.
    #[inline(always)]
    pub const fn next(&mut self) -> (usize, usize) {
        let Region { vertical, horizontal } = self.region;
        let (y, x) = (vertical.start + self.y * vertical.step, horizontal.start + self.x * horizontal.step);
        let to = self.images[0] + y * self.widths[0] + x;
        let (y, x) =
            (vertical.from + self.y * vertical.advance, horizontal.from + self.x * horizontal.advance);
        let from = self.images[1] + y * self.widths[1] + x;
        self.x += 1;
        if self.x == horizontal.len {
            (self.x, self.y) = (0, self.y + 1);
        }
        if self.y == vertical.len {
            self.y = 0;
            self.images = [self.images[0] + self.sizes[0], self.images[1] + self.sizes[1]];
        }
        (to, from)
    }
}
