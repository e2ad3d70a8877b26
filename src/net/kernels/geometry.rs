//! Which pixels of an image see which part of a window, and weights in that order.
//!
//! At the borders of an image some places of the window lie outside. They are skipped, so that no product with a zero
//! of the border is formed: it would cost time and, with infinities, make NaN.

use std::ops::Range;

use crate::conv::{ConvShape, Images, MOST_KERNEL, Window};
use crate::parallel::chunks_mut;
use crate::simd::{Kernel, LANES, Simd, Vector, dispatch};
use crate::tile::Run;

/// The direction of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From inputs to outputs: of the weights [outputs, inputs, kernel, kernel], outputs become the columns.
    Forward,
    /// From the gradients of the outputs to those of the inputs: inputs become the columns, and the window is turned by 180°.
    /// Where the stride is larger than 1, taps that reach the same pixels are side by side.
    Backward,
}

/// Coordinates along one axis of the images that are written, which see the same places of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// The first one.
    pub start: usize,
    /// From one to the next.
    pub step: usize,
    pub len: usize,
    /// The first coordinate of the images that are read that the first one sees.
    pub from: usize,
    /// Its distance from one coordinate to the next.
    pub advance: usize,
    /// The first place of the window that they see, in the order of [`places`].
    pub tap: usize,
    /// Number of places; the coordinates that are read follow one another.
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

/// Returns the bands of an axis of the output, which reads `len` pixels of the input.
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

/// Returns the bands of an axis of `len` pixels of the input's gradient, which reads that of the output. Pixels a
/// stride apart see the same part of the window, which no others see; those that no position of the window has
/// reached see nothing.
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

/// Returns the taps of one axis of the window that have the remainder `class` after division by the stride.
const fn class_len(window: &Window, class: usize) -> usize {
    window.kernel.saturating_sub(class).div_ceil(window.stride)
}

/// Returns the taps of one axis of the window in the order in which a pass reads them: forward from first to last.
/// Backward, class after class of those that reach the same pixels, in each from last to first.
pub fn places(window: &Window, direction: Direction) -> [usize; MOST_KERNEL] {
    let mut places = [0; MOST_KERNEL];
    match direction {
        Direction::Forward => places.iter_mut().enumerate().for_each(|(at, place)| *place = at),
        Direction::Backward => {
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
    pub vertical: Band,
    pub horizontal: Band,
}

impl Region {
    /// Returns the pixels of one image.
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
    kernel: usize,
    pub regions: Vec<Region>,
}

impl Geometry {
    /// Creates a pass from the input to the output, or from the gradient of the output to that of the input.
    pub fn new(shape: &ConvShape, direction: Direction) -> Self {
        let ConvShape { images: count, height, width, inputs, outputs, window } = *shape;
        let input = Images { count, height, width, channels: inputs };
        let output =
            Images { count, height: shape.out_height(), width: shape.out_width(), channels: outputs };
        let (from, to, bands): (_, _, fn(&Window, usize) -> Vec<Band>) = match direction {
            Direction::Forward => (input, output, forward),
            Direction::Backward => (output, input, backward),
        };
        let (rows, columns) = (bands(&window, height), bands(&window, width));
        let across = |vertical| columns.iter().map(move |&horizontal| Region { vertical, horizontal });
        Self { from, to, kernel: window.kernel, regions: rows.iter().flat_map(|&row| across(row)).collect() }
    }

    /// Returns what a pixel of a region reads, and the number of runs: one for each row of the window, from the first
    /// number that it sees on, with weights in the order [place][channel].
    pub fn runs(&self, region: &Region) -> ([Run; MOST_KERNEL], usize) {
        let Region { vertical, horizontal } = *region;
        let channels = self.from.channels;
        let mut runs = [Run::default(); MOST_KERNEL];
        for (row, run) in runs.iter_mut().enumerate().take(vertical.taps) {
            *run = Run {
                offset: row * self.from.width * channels,
                weight: ((vertical.tap + row) * self.kernel + horizontal.tap) * channels,
                len: horizontal.taps * channels,
            };
        }
        (runs, vertical.taps)
    }

    /// Returns the pixels of a region, image after image, from the `first` image on.
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
    /// Returns the next one, and the first one that it sees.
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

/// Columns of a block of packed weights; the last block may be half as wide.
pub const BLOCK: usize = 2 * LANES;

/// Weights of a convolution as [block of columns][tap][row][column], zeros after the last column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// Channels that are summed over.
    pub rows: usize,
    pub columns: usize,
    pub direction: Direction,
    pub window: Window,
}

impl Packing {
    pub const fn new(shape: &ConvShape, direction: Direction) -> Self {
        let ConvShape { inputs, outputs, window, .. } = *shape;
        match direction {
            Direction::Forward => Self { rows: inputs, columns: outputs, direction, window },
            Direction::Backward => Self { rows: outputs, columns: inputs, direction, window },
        }
    }

    /// Returns the number of columns, with the last vector filled up.
    pub const fn padded(&self) -> usize {
        self.columns.next_multiple_of(LANES)
    }

    /// Returns the numbers of the packed weights.
    pub const fn len(&self) -> usize {
        self.padded() * self.rows * self.window.taps()
    }

    /// Returns the number of blocks.
    pub const fn blocks(&self) -> usize {
        self.columns.div_ceil(BLOCK)
    }

    /// Returns the width of a block, filled up: [`BLOCK`] or half of it.
    pub const fn width(&self, block: usize) -> usize {
        let rest = self.padded() - block * BLOCK;
        if rest < BLOCK { rest } else { BLOCK }
    }

    /// Returns the start of a block.
    pub const fn start(&self, block: usize) -> usize {
        block * BLOCK * self.rows * self.window.taps()
    }

    /// Packs weights in the order [outputs, inputs, kernel, kernel].
    pub fn pack(&self, weights: &[f32], packed: &mut [f32]) {
        self.pack_blocks(weights, None, 0..self.blocks(), packed);
    }

    /// Packs some blocks, for a pass forward that sums `inputs` of the input channels alone; `None`: all. The rest of `packed`
    /// stays as it is.
    pub fn pack_blocks(
        &self,
        weights: &[f32],
        inputs: Option<&[usize]>,
        blocks: Range<usize>,
        packed: &mut [f32],
    ) {
        let each = self.columns * self.window.taps();
        match inputs {
            None => {
                assert_eq!(weights.len(), self.rows * each, "one weight for each tap and pair of channels");
            }
            Some(inputs) => {
                assert!(
                    self.direction == Direction::Forward && inputs.len() == self.rows,
                    "a row for each input"
                );
                let most = inputs.iter().max().map_or(0, |last| last + 1);
                assert!(
                    weights.len().is_multiple_of(each) && weights.len() >= most * each,
                    "inputs have weights"
                );
            }
        }
        assert_eq!(packed.len(), self.len(), "space for the packed weights");
        let (first, end) = (self.start(blocks.start), self.len().min(self.start(blocks.end)));
        chunks_mut(&mut packed[first..end], self.start(1), end - first, |block, packed| {
            dispatch(PackBlock { packing: *self, inputs, block: blocks.start + block, weights, packed });
        });
    }
}

struct PackBlock<'a> {
    packing: Packing,
    inputs: Option<&'a [usize]>,
    block: usize,
    weights: &'a [f32],
    packed: &'a mut [f32],
}

impl Kernel for PackBlock<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Packing { rows, columns, direction, window } = self.packing;
        let (width, taps) = (self.packing.width(self.block), window.taps());
        let places = places(&window, direction);
        // Distances of neighbouring columns and rows in [outputs, inputs, kernel, kernel].
        let (column_step, row_step) = match direction {
            Direction::Forward => (self.weights.len() / columns, taps),
            Direction::Backward => (taps, columns * taps),
        };
        for part in 0..width / LANES {
            let first = self.block * BLOCK + part * LANES;
            for row in 0..rows {
                let input = self.inputs.map_or(row, |inputs| inputs[row]);
                for tap in 0..taps {
                    let source = places[tap / window.kernel] * window.kernel + places[tap % window.kernel];
                    let from = &self.weights[first * column_step + input * row_step + source..];
                    let at = (tap * rows + row) * width + part * LANES;
                    let to = (&mut self.packed[at..at + LANES]).try_into().expect("sixteen");
                    if first + LANES <= columns {
                        simd.gather(from, column_step).store(to);
                    } else {
                        *to = std::array::from_fn(|lane| {
                            if first + lane < columns { from[lane * column_step] } else { 0.0 }
                        });
                    }
                }
            }
        }
    }
}
