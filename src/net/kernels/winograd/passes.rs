//! The passes: images to planes, products with the weights, planes to images; and the gradients of inputs and weights, from
//! one transform of the outputs' gradients.

use std::ops::Range;

use super::transforms::{Form, FromImages, FromWeights, ToImages, ToWeights};
use super::{COLUMNS, DEPTH, Plan, Planes};
use crate::conv::ConvGradients;
use crate::geometry::Direction;
use crate::parallel::{Shared, chunks_mut, tasks};
use crate::scratch::{Buffer, Scratch};
use crate::simd::{Kernel, LANES, Simd, Vector, dispatch};
use crate::sparse::any_minus_zero;
use crate::tile::{Blocks, add_products};

/// A pass in one direction; going backward, the channels that it reads and writes are exchanged.
#[derive(Clone, Copy)]
pub struct Way<'a, F> {
    pub form: F,
    pub plan: &'a Plan<'a>,
    pub pass: Direction,
    /// All weights, `[output, input, 3, 3]`.
    pub weight: &'a [f32],
    pub scratch: &'a Scratch,
}

/// Planes of the transformed tiles of some images.
#[derive(Clone, Copy)]
pub struct Tiles<'a> {
    pub values: &'a [f32],
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
    /// Returns the channels that are read and written.
    pub fn channels(&self) -> (usize, usize) {
        let shape = &self.plan.shape;
        match self.pass {
            Direction::Forward => (shape.inputs, shape.outputs),
            Direction::Backward => (shape.outputs, shape.inputs),
        }
    }

    /// Returns the ranges of up to 32 channels that are written.
    pub fn panels(&self) -> usize {
        self.channels().1.div_ceil(COLUMNS)
    }

    fn panel(&self, index: usize) -> Range<usize> {
        Plan::range(&(0..self.channels().1), COLUMNS, index)
    }

    /// Transforms images, `[image, height, width, channels]`, to planes.
    #[allow(clippy::wrong_self_convention, reason = "it transforms images, not itself")]
    pub fn to_planes(
        &self,
        values: &[f32],
        images: Range<usize>,
        to: Shared,
        planes: Planes,
        first_row: usize,
    ) {
        let channels = self.channels().0;
        let (Self { form, pass, .. }, grid) = (*self, self.plan.grid);
        let mut zeros = self.scratch.take(channels);
        zeros.fill(0.0);
        let zeros = &zeros;
        dispatch(FromImages { form, pass, grid, values, channels, zeros, images, first_row, planes, to });
    }

    /// Returns all transformed weights, panel by panel.
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

    /// Writes the products of some images' tiles with all `weights`, transformed back to images.
    pub fn with_weights(&self, tiles: Tiles, images: Range<usize>, weights: &[f32], target: Target) {
        let depth = self.channels().0;
        let planes = self.plan.weight_planes(depth);
        let sum_planes = self.plan.sum_planes(images.len());
        let mut sums = self.scratch.take(sum_planes.len);
        for panel in 0..self.panels() {
            let weights = &weights[panel * planes.len..][..planes.len];
            self.multiply(tiles, images.len(), 0..depth, panel, (weights, planes), &mut sums, false);
            self.write(&sums, images.clone(), panel, target);
        }
    }

    /// Writes the products of one panel, whose weights are transformed on the way, some rows at a time.
    pub fn transforming(&self, tiles: Tiles, images: Range<usize>, panel: usize, target: Target) {
        let channels = self.channels().0;
        let planes = self.plan.weight_planes(channels.min(DEPTH));
        let mut weights = self.scratch.take(planes.len);
        let mut sums = self.scratch.take(self.plan.sum_planes(images.len()).len);
        let left = self.plan.part.map(|part| match self.pass {
            Direction::Forward => &part.inputs[..],
            Direction::Backward => &part.outputs,
        });
        for (number, rows) in Plan::channel_ranges(channels, left).into_iter().enumerate() {
            self.weights_of(panel, rows.clone(), planes, &mut weights);
            self.multiply(tiles, images.len(), rows, panel, (&weights, planes), &mut sums, number > 0);
        }
        self.write(&sums, images, panel, target);
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
                    part.mark_negative_zero();
                }
            }
        }
    }

    fn write(&self, from: &[f32], images: Range<usize>, panel: usize, target: Target) {
        let (Self { form, pass, .. }, grid) = (*self, self.plan.grid);
        let planes = self.plan.sum_planes(images.len());
        let (columns, channels) = (self.panel(panel), self.channels().1);
        let Target { values, bias } = target;
        dispatch(ToImages { form, pass, grid, from, planes, images, columns, bias, values, channels });
    }
}

/// Computes output = input ∗ weight, + bias where there is one.
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
            way.to_planes(input, images.clone(), Shared::new(&mut values), planes, 0);
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
            way.to_planes(input, images, shared, planes, row);
        });
        let tiles = Tiles { values: &values, planes, row: 0 };
        tasks(way.panels(), work, |panel| way.transforming(tiles, all.clone(), panel, target));
    }
}

/// Tiles that are added up at a time.
const TILES: usize = 256;

/// The gradient with respect to the weights, from the transformed inputs and gradients.
///
/// With one group of images, a task sums a block of inputs and outputs in all planes and transforms it back to taps right
/// away. With several, a task adds a group to one plane, and all planes are transformed back after the last group.
struct ToWeight<'a, F> {
    back: &'a Way<'a, F>,
    /// Inputs and outputs of a block.
    block: (usize, usize),
    /// Layout of the sums: those of a block, or all.
    planes: Planes,
    weight: Shared<'a>,
}

#[derive(Clone, Copy)]
struct Group<'a> {
    tiles: [Tiles<'a>; 2],
    count: usize,
    /// The sums of all groups, where there are several.
    sums: Option<Shared<'a>>,
    is_first: bool,
}

/// A product of one plane: which of them, of how many tiles, and which inputs and outputs.
struct Piece {
    product: usize,
    tiles: usize,
    inputs: Range<usize>,
    outputs: Range<usize>,
    add: bool,
}

impl<F: Form> ToWeight<'_, F> {
    fn tasks(&self, group: &Group) -> usize {
        if group.sums.is_some() { self.back.plan.products } else { self.blocks() }
    }

    fn blocks(&self) -> usize {
        let shape = &self.back.plan.shape;
        shape.inputs.div_ceil(self.block.0) * shape.outputs.div_ceil(self.block.1)
    }

    fn block(&self, index: usize) -> (Range<usize>, Range<usize>) {
        let shape = &self.back.plan.shape;
        let across = shape.outputs.div_ceil(self.block.1);
        let rows = Plan::range(&(0..shape.inputs), self.block.0, index / across);
        (rows, Plan::range(&(0..shape.outputs), self.block.1, index % across))
    }

    fn add(&self, task: usize, group: &Group) {
        let shape = &self.back.plan.shape;
        let tiles = group.count;
        if let Some(shared) = group.sums {
            // SAFETY: every task has its own plane.
            let sums = unsafe { shared.slice(self.planes.at(task, 0), self.planes.plane) };
            let (inputs, outputs) = (0..shape.inputs, 0..shape.outputs);
            let piece = Piece { product: task, tiles, inputs, outputs, add: !group.is_first };
            self.multiply(&piece, &group.tiles, sums);
        } else {
            let (inputs, outputs) = self.block(task);
            let mut sums = self.back.scratch.take(self.planes.len);
            for product in 0..self.back.plan.products {
                let sums = &mut sums[self.planes.at(product, 0)..];
                let (inputs, outputs) = (inputs.clone(), outputs.clone());
                self.multiply(&Piece { product, tiles, inputs, outputs, add: false }, &group.tiles, sums);
            }
            self.write(&sums, inputs, outputs);
        }
    }

    /// Transforms the sums of all planes back to taps.
    fn finish(&self, sums: &[f32]) {
        tasks(self.blocks(), usize::MAX, |task| {
            let (inputs, outputs) = self.block(task);
            self.write(&sums[inputs.start * self.planes.row + outputs.start..], inputs, outputs);
        });
    }

    fn write(&self, from: &[f32], rows: Range<usize>, columns: Range<usize>) {
        let Self { planes, weight, .. } = *self;
        let (form, inputs) = (self.back.form, self.back.plan.shape.inputs);
        dispatch(ToWeights { form, from, planes, rows, columns, inputs, weight });
    }

    /// Computes sums (+)= inputs' · gradients; some tiles at a time, which stay in the cache for all columns.
    fn multiply(&self, piece: &Piece, [inputs, gradients]: &[Tiles; 2], sums: &mut [f32]) {
        let Piece { product, tiles, outputs, .. } = piece;
        for first in (0..*tiles).step_by(TILES) {
            for column in (0..outputs.len()).step_by(COLUMNS) {
                dispatch(Product {
                    rows: piece.inputs.len(),
                    depth: (*tiles - first).min(TILES),
                    columns: (outputs.len() - column).min(COLUMNS),
                    left: &inputs.values[inputs.planes.at(*product, first) + piece.inputs.start..],
                    left_stride: inputs.planes.row,
                    transposed: true,
                    right: &gradients.values[gradients.planes.at(*product, first) + outputs.start + column..],
                    right_stride: gradients.planes.row,
                    sums: &mut sums[column..],
                    sums_stride: self.planes.row,
                    add: piece.add || first > 0,
                });
            }
        }
    }
}

/// Goes backward to the weights, and to the input where it is asked for. `way` goes forward.
pub fn backward<F: Form>(way: &Way<F>, input: &[f32], gradients: ConvGradients) {
    let plan = way.plan;
    let shape = &plan.shape;
    let back = Way { pass: Direction::Backward, ..*way };
    let group = plan.images_of_group();
    let groups = Plan::ranges(&(0..shape.images), group);
    let block = plan.block();
    let (rows, columns) = if groups > 1 { (shape.inputs, shape.outputs) } else { block };
    let planes = Planes::dense(plan.products, rows, columns);
    let mut sums = (groups > 1).then(|| way.scratch.take(planes.len));
    let to_weight = ToWeight { back: &back, block, planes, weight: Shared::new(gradients.weight) };
    let weights = (plan.by_images && gradients.input.is_some()).then(|| back.weights());
    let target = gradients.input.map(|values| Target { values: Shared::new(values), bias: None });
    let planes = [shape.inputs, shape.outputs].map(|channels| plan.tile_planes(group, channels));
    let mut transformed = planes.map(|planes| way.scratch.take(planes.len));
    for index in 0..groups {
        let images = Plan::range(&(0..shape.images), group, index);
        transform([way, &back], [input, gradients.output], &images, &mut transformed, planes);
        let group = Group {
            tiles: [0, 1].map(|at| Tiles { values: &transformed[at], planes: planes[at], row: 0 }),
            count: images.len() * plan.grid.tiles(),
            sums: sums.as_mut().map(|sums| Shared::new(sums)),
            is_first: index == 0,
        };
        spread(&to_weight, &group, &images, weights.as_deref(), target);
    }
    if let Some(sums) = &sums {
        to_weight.finish(sums);
    }
}

/// Transforms inputs and gradients of a group of images to planes.
fn transform<F: Form>(
    ways: [&Way<F>; 2],
    values: [&[f32]; 2],
    images: &Range<usize>,
    to: &mut [Buffer; 2],
    planes: [Planes; 2],
) {
    let plan = ways[0].plan;
    let [first, second] = to;
    let shared = [Shared::new(first), Shared::new(second)];
    let size = ways.map(|way| plan.images_of_task(way.channels().0));
    let counts = size.map(|size| Plan::ranges(images, size));
    tasks(counts[0] + counts[1], usize::MAX, |task| {
        let (which, index) = if task < counts[0] { (0, task) } else { (1, task - counts[0]) };
        let some = Plan::range(images, size[which], index);
        let row = (some.start - images.start) * plan.grid.tiles();
        ways[which].to_planes(values[which], some, shared[which], planes[which], row);
    });
}

/// Computes all products of a group, those for the inputs next to those for the weights.
fn spread<F: Form>(
    to_weight: &ToWeight<F>,
    group: &Group,
    images: &Range<usize>,
    weights: Option<&[f32]>,
    target: Option<Target>,
) {
    let back = to_weight.back;
    let plan = back.plan;
    let gradients = group.tiles[1];
    let size = plan.images_of_task(back.channels().0);
    let count = match (target, weights) {
        (None, _) => 0,
        (Some(_), Some(_)) => Plan::ranges(images, size),
        (Some(_), None) => back.panels(),
    };
    tasks(count + to_weight.tasks(group), usize::MAX, |task| match (target, weights) {
        (Some(target), Some(weights)) if task < count => {
            let some = Plan::range(images, size, task);
            let row = (some.start - images.start) * plan.grid.tiles();
            back.with_weights(Tiles { row, ..gradients }, some, weights, target);
        }
        (Some(target), None) if task < count => back.transforming(gradients, images.clone(), task, target),
        _ => to_weight.add(task - count, group),
    });
}

/// sums = left · right, or sums += left · right. A product is one chain of fused multiply-adds from front to back, and is
/// added to the sums as a whole: a long sum of short sums is rounded less.
pub struct Product<'a> {
    /// Rows of `left` and of the sums.
    pub rows: usize,
    /// Columns of `left`, rows of `right`.
    pub depth: usize,
    /// Columns of `right` and of the sums: 16 or 32.
    pub columns: usize,
    pub left: &'a [f32],
    /// Numbers from one row of it to the next, or from one column to the next where it is `transposed`.
    pub left_stride: usize,
    /// True if the left matrix is stored by columns instead of rows.
    pub transposed: bool,
    pub right: &'a [f32],
    /// Numbers from one row of it to the next.
    pub right_stride: usize,
    pub sums: &'a mut [f32],
    /// Numbers from one row of them to the next.
    pub sums_stride: usize,
    /// True if the product is added to the present sums.
    pub add: bool,
}

impl Kernel for Product<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        self.check();
        // SAFETY: `check` has found all rows and columns within their matrices.
        unsafe { self.all(s, self.rows, self.columns) };
    }
}

impl Product<'_> {
    /// Checks that all reads and writes stay within their slices.
    fn check(&self) {
        let Self { rows, depth, columns, left_stride, right_stride, sums_stride, .. } = *self;
        assert!(columns == LANES || columns == COLUMNS, "one or two vectors");
        let reach = |count: usize, stride: usize, last: usize| (count.max(1) - 1) * stride + last;
        let (pieces, piece) = if self.transposed { (depth, rows) } else { (rows, depth) };
        assert!(reach(pieces, left_stride, piece) <= self.left.len(), "the left matrix is too short");
        assert!(reach(depth, right_stride, columns) <= self.right.len(), "the right matrix is too short");
        assert!(reach(rows, sums_stride, columns) <= self.sums.len(), "the matrix of sums is too short");
    }
}

impl Blocks for Product<'_> {
    #[inline(always)]
    unsafe fn block<S: Simd, const R: usize, const C: usize>(&mut self, s: S, row: usize, column: usize) {
        let left = self.left.as_ptr();
        let columns = (self.right.as_ptr().wrapping_add(column), self.right_stride);
        let mut total = [[s.splat(0.0); C]; R];
        // SAFETY: these rows and columns are within the three matrices.
        unsafe {
            if self.transposed {
                let rows = std::array::from_fn(|r| left.wrapping_add(row + r));
                add_products::<0, S, R, C>(s, self.depth, (rows, self.left_stride), columns, &mut total);
            } else {
                let rows = std::array::from_fn(|r| left.wrapping_add((row + r) * self.left_stride));
                add_products::<0, S, R, C>(s, self.depth, (rows, 1), columns, &mut total);
            }
            for r in 0..R {
                for c in 0..C {
                    let at = (row + r) * self.sums_stride + column + c * LANES;
                    let to = self.sums.as_mut_ptr().wrapping_add(at);
                    let total = total[r][c];
                    (if self.add { s.load_at(to) + total } else { total }).store_at(to);
                }
            }
        }
    }
}
