//! 3×3 convolutions that keep the size of the images, with fewer multiplications (Winograd's), for training.
//!
//! Tiles of the input and the weights are transformed, multiplied point by point, which is one matrix product over the
//! channels for every point, and transformed back. The transforms are those of a [form](transforms); all three passes use
//! them or their exact transposes, so that the backward pass is the derivative of the forward pass, up to rounding.
//!
//! Errors, as largest and root mean square over the root mean square of the exact result, for normal inputs and
//! Kaiming weights: F(4×4) 7·10⁻⁵ and 6·10⁻⁶, F(2×2) and the form for images of 2×2 pixels 8·10⁻⁶ and 2·10⁻⁶, about
//! those of direct sums (as a test checks). A huge weight or a value that is not finite spoils all outputs of its tiles,
//! even those that do not depend on it; therefore testing, comparing and fault injection use [`Direct`].

mod passes;
#[cfg(test)]
mod tests;
mod transforms;

use std::ops::Range;

use passes::Way;
use transforms::{F2, F4, Form, MOST, T2};

use crate::conv::{ConvGradients, ConvShape, Convolution, Factors, Window};
use crate::direct::Direct;
use crate::geometry::Direction;
use crate::part::{Part, RANGE};
use crate::simd::LANES;
use crate::tile::MAX_COLUMNS as COLUMNS;

const TAPS: usize = Window::SAME3.taps();
/// Channels below which transforms cost more than they save.
const FEWEST_CHANNELS: usize = 32;
/// Tiles below which the larger form costs more in transforming weights than it saves.
const FEWEST_TILES: usize = 16;

/// Convolutions with the form that suits their shape, or direct ones where none does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Winograd;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Four,
    Two,
    /// Images of 2×2 pixels as one tile.
    Whole,
    Direct,
}

/// Returns the method for a shape; it depends on the shape alone, since bits must not depend on the machine or on threads.
fn choose(shape: &ConvShape) -> Choice {
    let ConvShape { images, height, width, inputs, outputs, window } = *shape;
    let fits = |channels: usize| channels.is_multiple_of(LANES) && channels >= FEWEST_CHANNELS;
    if window != Window::SAME3 || shape.pixels() == 0 || !fits(inputs) || !fits(outputs) {
        return Choice::Direct;
    }
    if (height, width) == (2, 2) {
        return Choice::Whole;
    }
    let tiles = |side: usize| height.div_ceil(side) * width.div_ceil(side);
    let (four, two) = (F4::PRODUCTS * tiles(F4::OUTPUTS), F2::PRODUCTS * tiles(F2::OUTPUTS));
    // Direct sums skip taps on the border.
    let direct = (3 * height - 2) * (3 * width - 2);
    if four < two.min(direct) && images * tiles(F4::OUTPUTS) >= FEWEST_TILES {
        Choice::Four
    } else if two < direct {
        Choice::Two
    } else {
        Choice::Direct
    }
}

impl Convolution for Winograd {
    fn forward(&self, factors: &Factors, bias: Option<&[f32]>, output: &mut [f32]) {
        match choose(factors.whole()) {
            Choice::Four => forward(F4, factors, bias, output),
            Choice::Two => forward(F2, factors, bias, output),
            Choice::Whole => forward(T2, factors, bias, output),
            Choice::Direct => Direct.forward(factors, bias, output),
        }
    }

    fn backward(&self, factors: &Factors, gradients: ConvGradients) {
        match choose(factors.whole()) {
            Choice::Four => backward(F4, factors, gradients),
            Choice::Two => backward(F2, factors, gradients),
            Choice::Whole => backward(T2, factors, gradients),
            Choice::Direct => Direct.backward(factors, gradients),
        }
    }
}

/// Goes forward with one form; channels are multiples of 16, and there is at least one pixel.
fn forward<F: Form>(form: F, factors: &Factors, bias: Option<&[f32]>, output: &mut [f32]) {
    let Factors { shape, input, weight, scratch, part } = *factors;
    check(factors, output);
    assert!(bias.is_none_or(|bias| bias.len() == shape.outputs), "one bias for every output");
    let plan = Plan::new::<F>(shape, part);
    let way = Way { form, plan: &plan, pass: Direction::Forward, weight, scratch };
    passes::forward(&way, input, bias, output);
}

fn backward<F: Form>(form: F, factors: &Factors, gradients: ConvGradients) {
    let Factors { shape, input, weight, scratch, part } = *factors;
    check(factors, gradients.output);
    assert_eq!(gradients.weight.len(), shape.weight_len(), "one gradient for every weight");
    if let Some(input_gradient) = &gradients.input {
        assert_eq!(input_gradient.len(), shape.input_len(), "one gradient for every input");
    }
    let plan = Plan::new::<F>(shape, part);
    let way = Way { form, plan: &plan, pass: Direction::Forward, weight, scratch };
    passes::backward(&way, input, gradients);
}

fn check(factors: &Factors, output: &[f32]) {
    let Factors { shape, input, weight, .. } = factors;
    assert_eq!(input.len(), shape.input_len(), "the inputs fit the shape");
    assert_eq!(weight.len(), shape.weight_len(), "the weights fit the shape");
    assert_eq!(output.len(), shape.output_len(), "the outputs fit the shape");
}

/// Numbers of the planes of a task that goes by images: they fit the second cache.
const TASK: usize = 1 << 18;
/// Numbers of both sets of planes of a backward pass whose tasks go by images.
const GROUP: usize = 1 << 21;
/// Numbers of both sets of planes when tasks go by channels: with all images at once, weights are transformed once.
const GROUP_BY_CHANNELS: usize = 1 << 23;
/// Up to this many transformed weights are computed once and read by every task.
const READY: usize = 1 << 20;
/// Up to this many tiles, every task transforms its own weights, which are used too little to be stored.
const FEW_TILES: usize = 128;
/// Channels whose weights are transformed at a time, when a task transforms its own.
const DEPTH: usize = RANGE;

/// The division for one form and shape.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    pub shape: ConvShape,
    /// Of what it has the channels that are left, if not all. Sums are divided as those of the whole.
    pub part: Option<&'a Part>,
    pub grid: Grid,
    pub products: usize,
    /// True if tasks go by images, with all weights transformed beforehand; otherwise they go by channels and
    /// transform the weights that they need, which are then never written to memory as a whole.
    pub by_images: bool,
}

impl<'a> Plan<'a> {
    pub fn new<F: Form>(shape: &ConvShape, part: Option<&'a Part>) -> Self {
        let grid = Grid::new::<F>(shape);
        let whole = part.map_or(shape, |part| &part.whole);
        let weights = F::PRODUCTS * whole.inputs * whole.outputs;
        let by_images = weights <= READY && whole.images * grid.tiles() > FEW_TILES;
        Self { shape: *shape, part, grid, products: F::PRODUCTS, by_images }
    }

    /// Returns the number of ranges of at most `size` that make up the whole.
    pub fn ranges(all: &Range<usize>, size: usize) -> usize {
        all.len().div_ceil(size)
    }

    /// Returns one of them.
    pub fn range(all: &Range<usize>, size: usize, index: usize) -> Range<usize> {
        let start = all.start + index * size;
        start..(start + size).min(all.end)
    }

    /// Returns the images of a task that has planes of `channels` channels.
    pub fn images_of_task(&self, channels: usize) -> usize {
        let image = self.products * self.grid.tiles() * channels;
        (TASK / image).clamp(1, self.shape.images.max(1))
    }

    /// Returns the images whose planes a backward pass has at a time.
    pub fn images_of_group(&self) -> usize {
        let whole = self.part.map_or(&self.shape, |part| &part.whole);
        let image = self.products * self.grid.tiles() * (whole.inputs + whole.outputs);
        let numbers = if self.by_images { GROUP } else { GROUP_BY_CHANNELS };
        (numbers / image).clamp(1, self.shape.images.max(1))
    }

    /// Returns the channels that are summed at a time, one range after the other: as in the whole, where those that
    /// are `left` of it are given.
    pub fn channel_ranges(channels: usize, left: Option<&[usize]>) -> Vec<Range<usize>> {
        let Some(left) = left else {
            let all = 0..channels;
            return (0..Self::ranges(&all, DEPTH)).map(|index| Self::range(&all, DEPTH, index)).collect();
        };
        let mut end = 0;
        let range = |channels: &[usize]| {
            end += channels.len();
            end - channels.len()..end
        };
        left.chunk_by(|one, next| one / DEPTH == next / DEPTH).map(range).collect()
    }

    /// Returns the planes with a row for every tile of some images.
    pub fn tile_planes(&self, images: usize, channels: usize) -> Planes {
        Planes::spread(self.products, images * self.grid.tiles(), channels)
    }

    /// Returns the planes of the sums of one panel.
    pub fn sum_planes(&self, images: usize) -> Planes {
        Planes::dense(self.products, images * self.grid.tiles(), COLUMNS)
    }

    /// Returns the planes of the weights of one panel.
    pub fn weight_planes(&self, depth: usize) -> Planes {
        Planes::dense(self.products, depth, COLUMNS)
    }

    /// Returns the inputs and outputs of a block of the weights' gradients.
    pub fn block(&self) -> (usize, usize) {
        let ConvShape { inputs, outputs, .. } = self.shape;
        (inputs.min(32), outputs.min(if outputs >= 256 { 128 } else { 64 }))
    }
}

/// One matrix for every product of a form: `[product][row][column]`, with gaps between rows and between matrices.
#[derive(Clone, Copy, Debug)]
pub struct Planes {
    /// Numbers from one row to the next.
    pub row: usize,
    /// Numbers from one matrix to the next.
    pub plane: usize,
    /// Numbers of all matrices.
    pub len: usize,
}

impl Planes {
    /// Lays out `products` matrices with `rows` rows of `columns` numbers, one vector apart: rows (and matrices) a
    /// power of two apart would share a few sets of the cache.
    pub fn spread(products: usize, rows: usize, columns: usize) -> Self {
        Self::dense(products, rows, columns + LANES)
    }

    /// Lays out matrices without gaps between rows, which are read from front to back.
    pub fn dense(products: usize, rows: usize, row: usize) -> Self {
        // A cache line holds as many numbers as a vector.
        let lines = (rows * row).div_ceil(LANES);
        let plane = (lines | 1) * LANES;
        Self { row, plane, len: products * plane }
    }

    /// Returns the start of a row of a matrix.
    #[inline(always)]
    pub fn at(&self, product: usize, row: usize) -> usize {
        product * self.plane + row * self.row
    }
}

/// The tiles of a form on images of one size; those at the far edges may extend beyond them.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    pub height: usize,
    pub width: usize,
    /// Tiles one below the other.
    pub down: usize,
    /// Tiles side by side.
    pub across: usize,
}

impl Grid {
    pub fn new<F: Form>(shape: &ConvShape) -> Self {
        let ConvShape { height, width, .. } = *shape;
        Self { height, width, down: height.div_ceil(F::OUTPUTS), across: width.div_ceil(F::OUTPUTS) }
    }

    /// Returns the tiles of an image.
    pub fn tiles(&self) -> usize {
        self.down * self.across
    }

    /// Returns the pixels of an image.
    pub fn pixels(&self) -> usize {
        self.height * self.width
    }

    /// Returns the pixels of a window of `side` by `side` pixels that begins `before` pixels before a tile: their
    /// numbers within the image, [`OUTSIDE`] where there is none.
    #[inline(always)]
    pub fn window<F: Form>(&self, tile: usize, side: usize, before: usize) -> [usize; WINDOW] {
        let (down, across) = (tile / self.across * F::OUTPUTS, tile % self.across * F::OUTPUTS);
        let mut window = [OUTSIDE; WINDOW];
        for y in 0..side {
            for x in 0..side {
                let (row, column) = ((down + y).wrapping_sub(before), (across + x).wrapping_sub(before));
                if row < self.height && column < self.width {
                    window[y * side + x] = row * self.width + column;
                }
            }
        }
        window
    }
}

/// Most pixels of a window and products of a tile.
pub const WINDOW: usize = MOST * MOST;

/// Instead of the number of a pixel, where there is none.
pub const OUTSIDE: usize = usize::MAX;
