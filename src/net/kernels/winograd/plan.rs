//! How the work of a convolution is divided into tasks: by its shape alone, so that results never depend on threads.

use std::ops::Range;

use super::super::conv::ConvShape;
use super::super::part::{Part, RANGE};
use super::forms::Form;
use super::planes::{Grid, Planes};
use super::product::COLUMNS;

/// Numbers of the planes of a task that goes by images: they fit the second cache.
const TASK: usize = 1 << 18;
/// Numbers of both sets of planes of a backward pass whose tasks go by images.
const GROUP: usize = 1 << 21;
/// The same when they go by channels: with all images at once, weights are transformed once.
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
    /// The convolution.
    pub shape: ConvShape,
    /// Of what it has the channels that are left, if not all. Sums are divided as those of the whole.
    pub part: Option<&'a Part>,
    /// Tiles of its images.
    pub grid: Grid,
    /// Products of a tile.
    pub products: usize,
    /// Whether tasks go by images, with all weights transformed beforehand; otherwise they go by channels and
    /// transform the weights that they need, which are then never written to memory as a whole.
    pub by_images: bool,
}

impl<'a> Plan<'a> {
    /// The plan for a form and shape.
    pub fn new<F: Form>(shape: &ConvShape, part: Option<&'a Part>) -> Self {
        let grid = Grid::new::<F>(shape);
        let whole = part.map_or(shape, |part| &part.whole);
        let weights = F::PRODUCTS * whole.inputs * whole.outputs;
        let by_images = weights <= READY && whole.images * grid.tiles() > FEW_TILES;
        Self { shape: *shape, part, grid, products: F::PRODUCTS, by_images }
    }

    /// Number of ranges of at most `size` that make up the whole.
    pub fn ranges(all: &Range<usize>, size: usize) -> usize {
        all.len().div_ceil(size)
    }

    /// One of them.
    pub fn range(all: &Range<usize>, size: usize, index: usize) -> Range<usize> {
        let start = all.start + index * size;
        start..(start + size).min(all.end)
    }

    /// Images of a task that has planes of `channels` channels.
    pub fn images_of_task(&self, channels: usize) -> usize {
        let image = self.products * self.grid.tiles() * channels;
        (TASK / image).clamp(1, self.shape.images.max(1))
    }

    /// Images whose planes a backward pass has at a time.
    pub fn images_of_group(&self) -> usize {
        let whole = self.part.map_or(&self.shape, |part| &part.whole);
        let image = self.products * self.grid.tiles() * (whole.inputs + whole.outputs);
        let numbers = if self.by_images { GROUP } else { GROUP_BY_CHANNELS };
        (numbers / image).clamp(1, self.shape.images.max(1))
    }

    /// Most channels that are summed at a time, where tasks go by channels.
    pub fn most_channels(channels: usize) -> usize {
        channels.min(DEPTH)
    }

    /// The channels that are summed at a time, one range after the other: as in the whole, where those that are `left` of it
    /// are given.
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

    /// Planes with a row for every tile of some images.
    pub fn tile_planes(&self, images: usize, channels: usize) -> Planes {
        Planes::spread(self.products, images * self.grid.tiles(), channels)
    }

    /// Planes of the sums of one panel.
    pub fn sum_planes(&self, images: usize) -> Planes {
        Planes::dense(self.products, images * self.grid.tiles(), COLUMNS)
    }

    /// Planes of the weights of one panel.
    pub fn weight_planes(&self, depth: usize) -> Planes {
        Planes::dense(self.products, depth, COLUMNS)
    }

    /// Inputs and outputs of a block of the weights' gradients.
    pub fn block(&self) -> (usize, usize) {
        let ConvShape { inputs, outputs, .. } = self.shape;
        (inputs.min(32), outputs.min(if outputs >= 256 { 128 } else { 64 }))
    }
}
