//! Backward: the gradients of inputs and weights, from one transform of the outputs' gradients.
#![allow(unsafe_code, reason = "tasks write disjoint planes")]

use std::ops::Range;

use super::super::conv::ConvGradients;
use super::super::parallel::{Shared, tasks};
use super::super::scratch::Buffer;
use super::super::simd::dispatch;
use super::across::{Target, Tiles, Way};
use super::forms::Form;
use super::images::Pass;
use super::plan::Plan;
use super::planes::Planes;
use super::product::{COLUMNS, Product};
use super::weights::ToWeights;

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

/// A group of images.
#[derive(Clone, Copy)]
struct Group<'a> {
    /// Inputs and gradients.
    tiles: [Tiles<'a>; 2],
    /// Number of tiles.
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

    /// One task of a group.
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
            self.give(&sums, inputs, outputs);
        }
    }

    /// Transforms the sums of all planes back to taps.
    fn finish(&self, sums: &[f32]) {
        tasks(self.blocks(), usize::MAX, |task| {
            let (inputs, outputs) = self.block(task);
            self.give(&sums[inputs.start * self.planes.row + outputs.start..], inputs, outputs);
        });
    }

    fn give(&self, from: &[f32], rows: Range<usize>, columns: Range<usize>) {
        let Self { planes, weight, .. } = *self;
        let (form, inputs) = (self.back.form, self.back.plan.shape.inputs);
        dispatch(ToWeights { form, from, planes, rows, columns, inputs, weight });
    }

    /// sums (+)= inputs' · gradients; some tiles at a time, which stay in the cache for all columns.
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

/// Backward to the weights, and to the input where it is asked for. `way` goes forward.
pub fn backward<F: Form>(way: &Way<F>, input: &[f32], gradients: ConvGradients) {
    let plan = way.plan;
    let shape = &plan.shape;
    let back = Way { pass: Pass::Backward, ..*way };
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

/// Inputs and gradients of a group of images to planes.
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
        ways[which].take(values[which], some, shared[which], planes[which], row);
    });
}

/// All products of a group, those for the inputs next to those for the weights.
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
