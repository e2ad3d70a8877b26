//! Forward, and backward to the inputs: images to planes, products with the weights, planes to images.

use std::ops::Range;

use super::super::parallel::{Shared, chunks_mut, tasks};
use super::super::scratch::{Buffer, Scratch};
use super::super::simd::dispatch;
use super::super::sparse::any_minus_zero;
use super::forms::Form;
use super::images::{FromImages, Pass, ToImages};
use super::plan::Plan;
use super::planes::Planes;
use super::product::{COLUMNS, Product};
use super::weights::FromWeights;

/// A pass in one direction; going backward, the channels that it reads and writes are exchanged.
#[derive(Clone, Copy)]
pub struct Way<'a, F> {
    /// Whose transforms it uses.
    pub form: F,
    /// How it is divided.
    pub plan: &'a Plan<'a>,
    /// Forward or backward.
    pub pass: Pass,
    /// All weights, `[output, input, 3, 3]`.
    pub weight: &'a [f32],
    /// Source of buffers.
    pub scratch: &'a Scratch,
}

/// Planes of the transformed tiles of some images.
#[derive(Clone, Copy)]
pub struct Tiles<'a> {
    /// All numbers.
    pub values: &'a [f32],
    /// Their layout.
    pub planes: Planes,
    /// Row of the first tile.
    pub row: usize,
}

/// Destination of a pass.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// All images, `[image, height, width, channels]`.
    pub values: Shared<'a>,
    /// Added to every pixel.
    pub bias: Option<&'a [f32]>,
}

impl<F: Form> Way<'_, F> {
    /// Channels that are read and written.
    pub fn channels(&self) -> (usize, usize) {
        let shape = &self.plan.shape;
        match self.pass {
            Pass::Forward => (shape.inputs, shape.outputs),
            Pass::Backward => (shape.outputs, shape.inputs),
        }
    }

    /// Ranges of up to 32 channels that are written.
    pub fn panels(&self) -> usize {
        self.channels().1.div_ceil(COLUMNS)
    }

    fn panel(&self, index: usize) -> Range<usize> {
        Plan::range(&(0..self.channels().1), COLUMNS, index)
    }

    /// Transforms images, `[image, height, width, channels]`, to planes.
    pub fn take(&self, values: &[f32], images: Range<usize>, to: Shared, planes: Planes, first_row: usize) {
        let channels = self.channels().0;
        let (Self { form, pass, .. }, grid) = (*self, self.plan.grid);
        let mut zeros = self.scratch.take(channels);
        zeros.fill(0.0);
        let zeros = &zeros;
        dispatch(FromImages { form, pass, grid, values, channels, zeros, images, first_row, planes, to });
    }

    /// All transformed weights, panel by panel.
    pub fn weights(&self) -> Buffer<'_> {
        let depth = self.channels().0;
        let planes = self.plan.weight_planes(depth);
        let mut weights = self.scratch.take(self.panels() * planes.len);
        chunks_mut(&mut weights, planes.len, usize::MAX, |panel, to| {
            self.weights_of(panel, 0..depth, planes, to);
        });
        weights
    }

    fn weights_of(&self, panel: usize, rows: Range<usize>, planes: Planes, to: &mut [f32]) {
        let Self { form, pass, weight, plan, .. } = *self;
        let (inputs, columns) = (plan.shape.inputs, self.panel(panel));
        dispatch(FromWeights { form, pass, weight, inputs, rows, columns, planes, to });
    }

    /// The products of some images' tiles with all `weights`, transformed back to images.
    pub fn with_weights(&self, tiles: Tiles, images: Range<usize>, weights: &[f32], target: Target) {
        let depth = self.channels().0;
        let planes = self.plan.weight_planes(depth);
        let sum_planes = self.plan.sum_planes(images.len());
        let mut sums = self.scratch.take(sum_planes.len);
        for panel in 0..self.panels() {
            let weights = &weights[panel * planes.len..][..planes.len];
            self.multiply(tiles, images.len(), 0..depth, panel, (weights, planes), &mut sums, false);
            self.give(&sums, images.clone(), panel, target);
        }
    }

    /// The same for one panel, whose weights are transformed on the way, some rows at a time.
    pub fn transforming(&self, tiles: Tiles, images: Range<usize>, panel: usize, target: Target) {
        let channels = self.channels().0;
        let planes = self.plan.weight_planes(Plan::most_channels(channels));
        let mut weights = self.scratch.take(planes.len);
        let mut sums = self.scratch.take(self.plan.sum_planes(images.len()).len);
        let left = self.plan.part.map(|part| match self.pass {
            Pass::Forward => &part.inputs[..],
            Pass::Backward => &part.outputs,
        });
        for (number, rows) in Plan::channel_ranges(channels, left).into_iter().enumerate() {
            self.weights_of(panel, rows.clone(), planes, &mut weights);
            self.multiply(tiles, images.len(), rows, panel, (&weights, planes), &mut sums, number > 0);
        }
        self.give(&sums, images, panel, target);
    }

    #[allow(clippy::too_many_arguments, reason = "three matrices, and which part of them")]
    fn multiply(
        &self,
        tiles: Tiles,
        images: usize,
        depth: Range<usize>,
        panel: usize,
        (weights, planes): (&[f32], Planes),
        sums: &mut [f32],
        add: bool,
    ) {
        let sum_planes = self.plan.sum_planes(images);
        for product in 0..self.plan.products {
            dispatch(Product {
                rows: images * self.plan.grid.tiles(),
                depth: depth.len(),
                columns: self.panel(panel).len(),
                left: &tiles.values[tiles.planes.at(product, tiles.row) + depth.start..],
                left_stride: tiles.planes.row,
                transposed: false,
                right: &weights[planes.at(product, 0)..],
                right_stride: planes.row,
                sums: &mut sums[sum_planes.at(product, 0)..],
                sums_stride: sum_planes.row,
                add,
            });
            if let Some(part) = self.plan.part {
                let columns = self.panel(panel).len();
                let rows = sums[sum_planes.at(product, 0)..].chunks(sum_planes.row);
                let mut tiles = rows.take(images * self.plan.grid.tiles());
                if tiles.any(|row| any_minus_zero(&row[..columns])) {
                    part.take_minus_zero();
                }
            }
        }
    }

    fn give(&self, from: &[f32], images: Range<usize>, panel: usize, target: Target) {
        let (Self { form, pass, .. }, grid) = (*self, self.plan.grid);
        let planes = self.plan.sum_planes(images.len());
        let (columns, channels) = (self.panel(panel), self.channels().1);
        let Target { values, bias } = target;
        dispatch(ToImages { form, pass, grid, from, planes, images, columns, bias, values, channels });
    }
}

/// Forward: output = input ∗ weight, + bias where there is one.
pub fn forward<F: Form>(way: &Way<F>, input: &[f32], bias: Option<&[f32]>, output: &mut [f32]) {
    let (plan, all) = (way.plan, 0..way.plan.shape.images);
    let (channels, work) = (plan.shape.inputs, plan.shape.multiply_adds());
    let target = Target { values: Shared::new(output), bias };
    let size = plan.images_of_task(channels);
    let count = Plan::ranges(&all, size);
    if plan.by_images {
        let weights = way.weights();
        tasks(count, work, |index| {
            let images = Plan::range(&all, size, index);
            let planes = plan.tile_planes(images.len(), channels);
            let mut values = way.scratch.take(planes.len);
            way.take(input, images.clone(), Shared::new(&mut values), planes, 0);
            let tiles = Tiles { values: &values, planes, row: 0 };
            way.with_weights(tiles, images, &weights, target);
        });
    } else {
        let planes = plan.tile_planes(all.len(), channels);
        let mut values = way.scratch.take(planes.len);
        let shared = Shared::new(&mut values);
        tasks(count, work, |index| {
            let images = Plan::range(&all, size, index);
            let row = images.start * plan.grid.tiles();
            way.take(input, images, shared, planes, row);
        });
        let tiles = Tiles { values: &values, planes, row: 0 };
        tasks(way.panels(), work, |panel| way.transforming(tiles, all.clone(), panel, target));
    }
}
