//! A pass on Burn's tensors: operation by operation, each of them one call of Burn.

use std::collections::BTreeSet;

use burn::tensor::module::{
    adaptive_avg_pool2d, avg_pool2d, batch_norm, batch_norm_train, conv2d, max_pool2d,
};
use burn::tensor::ops::{AvgPoolOptions, ConvOptions, MaxPoolOptions};
use burn::tensor::{Bool, Int, Tensor, TensorData, activation};

use super::{BurnCompute, read};
use crate::activations::{Activations, Layout};
use crate::compute::Tap;
use data::Shape;
use doc::Activation;
use doc::structure::{FORKED, LayerKind, Op, Role, Structure, Window};
use intervene::draw::uniform;
use intervene::stream::Stream;
use kernels::norm::EPSILON;

#[allow(clippy::large_enum_variant, reason = "there is one of them for each pass")]
pub(super) enum Mode {
    Evaluate,
    Train { dropout: Option<Stream>, statistics: Vec<Normalized> },
}

/// Statistics of a mini-batch at a batch norm, on the device.
pub(super) struct Normalized {
    /// Position of the batch norm in the structure's layers.
    pub layer: usize,
    /// Mean and biased variance of each channel.
    pub moments: [Tensor<1>; 2],
    /// Number of values of each channel.
    pub count: usize,
}

impl Mode {
    fn statistics(&mut self) -> Option<&mut Vec<Normalized>> {
        match self {
            Self::Evaluate => None,
            Self::Train { statistics, .. } => Some(statistics),
        }
    }

    /// Returns the statistics of the mini-batch, after the pass.
    pub(super) fn into_statistics(self) -> Vec<Normalized> {
        match self {
            Self::Evaluate => Vec::new(),
            Self::Train { statistics, .. } => statistics,
        }
    }
}

/// Activations, `[count, channels, height, width]`, and the copies on the stack; rows of features have one pixel.
pub(super) struct Batch {
    pub x: Tensor<4>,
    stack: Vec<Tensor<4>>,
}

impl Batch {
    /// Returns the inputs of a network.
    pub(super) fn from_inputs(structure: &Structure, values: Tensor<1>, count: usize) -> Self {
        let Shape { channels, height, width } = structure.input;
        Self { x: values.reshape([count, channels, height, width]), stack: Vec::new() }
    }

    pub(super) fn new(compute: &BurnCompute, activations: &Activations) -> Self {
        assert_eq!(activations.layout, Layout::ChannelsFirst, "Burn computes channels first");
        let tensor = |activations: &Activations| {
            let Shape { channels, height, width } = activations.shape;
            compute.tensor(&activations.values).reshape([activations.count, channels, height, width])
        };
        Self { x: tensor(activations), stack: activations.stack.iter().map(tensor).collect() }
    }

    pub(super) fn into_activations(self) -> Activations {
        let stack = self.stack.into_iter().map(activations_of).collect();
        Activations { stack, ..activations_of(self.x) }
    }
}

fn activations_of(x: Tensor<4>) -> Activations {
    let [count, channels, height, width] = x.dims();
    let (shape, layout) = (Shape { channels, height, width }, Layout::ChannelsFirst);
    let values = read([x.flatten(0, 3)]).swap_remove(0);
    Activations { values, count, shape, layout, stack: Vec::new() }
}

/// Returns the activations after operation `op`, as a tap leaves them: overwritten values become constants.
fn write(tap: &mut dyn Tap, op: usize, x: Tensor<4>) -> Tensor<4> {
    let mut activations = activations_of(x.clone().without_autodiff());
    let before = activations.values.clone();
    tap.write(op, &mut activations);
    let is_new: Vec<bool> =
        activations.values.iter().zip(&before).map(|(new, old)| new.to_bits() != old.to_bits()).collect();
    if !is_new.contains(&true) {
        return x;
    }
    let device = x.device().without_autodiff();
    let is_new = Tensor::<4, Bool>::from_data(TensorData::new(is_new, x.dims()), &device);
    let values = Tensor::<4>::from_data(TensorData::new(activations.values, x.dims()), &device);
    if x.is_autodiff() {
        x.mask_where(is_new.autodiff(), values.autodiff())
    } else {
        x.mask_where(is_new, values)
    }
}

pub(super) struct Forward<'a> {
    pub structure: &'a Structure,
    pub fixed_norms: &'a BTreeSet<usize>,
    pub parameters: Vec<Option<Tensor<1>>>,
    pub mode: Mode,
    pub tap: &'a mut dyn Tap,
    /// True if linear layers are convolutions of one pixel: Burn's matrix product may round to TF32 where that is fast.
    pub is_linear_convolved: bool,
}

impl Forward<'_> {
    /// Returns the logits, `[count, outputs]`.
    pub(super) fn run(&mut self, inputs: Tensor<1>, count: usize) -> Tensor<2> {
        let batch = Batch::from_inputs(self.structure, inputs, count);
        let ops = 0..self.structure.ops.len();
        ops.fold(batch, |batch, op| self.step(batch, op)).x.flatten(1, 3)
    }

    pub(super) fn step(&mut self, batch: Batch, op: usize) -> Batch {
        let mut batch = self.op(&self.structure.ops[op], batch);
        if self.tap.wants(op) {
            batch.x = write(self.tap, op, batch.x);
        }
        batch
    }

    fn op(&mut self, op: &Op, Batch { x, mut stack }: Batch) -> Batch {
        let x = match op {
            Op::Layer(layer) => self.layer(*layer, x),
            Op::Activation(kind) => activate(kind, x),
            Op::MaxPool(Window { kernel, stride, padding }) => {
                let options = MaxPoolOptions::new([*kernel; 2]).with_stride([*stride; 2]);
                max_pool2d(x, options.with_padding([*padding; 2]))
            }
            Op::AveragePool(Window { kernel, stride, padding }) => {
                let options = AvgPoolOptions::new([*kernel; 2]).with_stride([*stride; 2]);
                avg_pool2d(x, options.with_padding([*padding; 2]))
            }
            Op::AdaptiveAveragePool(side) => average_pool(x, *side),
            Op::Flatten => {
                let [count, channels, height, width] = x.dims();
                x.reshape([count, channels * height * width, 1, 1])
            }
            Op::Dropout(share) => self.drop_units(x, *share),
            Op::Fork => {
                stack.push(x.clone());
                x
            }
            Op::Swap => {
                let top = stack.pop().expect(FORKED);
                stack.push(x);
                top
            }
            Op::Subsample { stride, channels } => subsample(x, *stride, *channels),
            Op::Add(_) => x + stack.pop().expect(FORKED),
        };
        Batch { x, stack }
    }

    fn parameter(&self, layer: usize, role: Role) -> Tensor<1> {
        let index = self.structure.position(layer, role).expect("a layer has the parameters of its kind");
        self.parameters[index].clone().expect("parameters of the layers of a pass are there")
    }

    /// Returns the weight of a convolution or linear layer, in its shape.
    fn weight<const D: usize>(&self, layer: usize) -> Tensor<D> {
        let weight = self.structure.weight(layer).expect("a layer has the parameters of its kind");
        let shape: [usize; D] =
            weight.shape.as_slice().try_into().expect("a weight has the rank of its kind");
        self.parameter(layer, Role::Weight).reshape(shape)
    }

    /// Returns the bias of a convolution or linear layer, if it has one.
    fn bias(&self, layer: usize) -> Option<Tensor<1>> {
        self.structure.position(layer, Role::Bias).map(|_| self.parameter(layer, Role::Bias))
    }

    fn layer(&mut self, position: usize, x: Tensor<4>) -> Tensor<4> {
        match self.structure.layers[position].kind {
            LayerKind::Linear if self.is_linear_convolved => {
                let weight = self.weight::<2>(position).unsqueeze_dims(&[2, 3]);
                let x = x.flatten::<2>(1, 3).unsqueeze_dims(&[2, 3]);
                conv2d(x, weight, self.bias(position), ConvOptions::new([1; 2], [0; 2], [1; 2], 1))
            }
            LayerKind::Linear => {
                let x = x.flatten::<2>(1, 3).matmul(self.weight::<2>(position).transpose());
                let x = match self.bias(position) {
                    Some(bias) => x + bias.unsqueeze(),
                    None => x,
                };
                let [count, units] = x.dims();
                x.reshape([count, units, 1, 1])
            }
            LayerKind::Convolution(Window { stride, padding, .. }) => {
                let options = ConvOptions::new([stride; 2], [padding; 2], [1; 2], 1);
                conv2d(x, self.weight(position), self.bias(position), options)
            }
            LayerKind::BatchNorm => self.batch_norm(position, x),
        }
    }

    fn batch_norm(&mut self, position: usize, x: Tensor<4>) -> Tensor<4> {
        let [scale, shift] = [Role::Scale, Role::Shift].map(|role| self.parameter(position, role));
        let is_fixed = self.fixed_norms.contains(&position);
        let Some(statistics) = self.mode.statistics().filter(|_| !is_fixed) else {
            let running = [Role::RunningMean, Role::RunningVariance];
            let [mean, variance] = running.map(|role| self.parameter(position, role));
            return batch_norm(x, scale, shift, mean, variance, EPSILON);
        };
        let [count, _, height, width] = x.dims();
        let result = batch_norm_train(x, scale, shift, EPSILON);
        let moments = [result.mean.without_autodiff(), result.variance.without_autodiff()];
        statistics.push(Normalized { layer: position, moments, count: count * height * width });
        result.output
    }

    /// Sets a share of the units to 0 and scales the others up, which keeps the expected sum.
    fn drop_units(&mut self, x: Tensor<4>, share: f64) -> Tensor<4> {
        let Mode::Train { dropout: Some(stream), .. } = &mut self.mode else { return x };
        let kept = (1.0 / (1.0 - share)) as f32;
        let units = x.dims().iter().product();
        let mask = (0..units).map(|_| if f64::from(uniform(stream)) < share { 0.0 } else { kept });
        let mask = TensorData::new(mask.collect::<Vec<f32>>(), x.dims());
        let mask = Tensor::<4>::from_data(mask, &x.device().without_autodiff());
        if x.is_autodiff() { x * mask.autodiff() } else { x * mask }
    }
}

/// Returns every `stride`-th pixel, with channels of zeros on both sides.
fn subsample(x: Tensor<4>, stride: usize, channels: usize) -> Tensor<4> {
    let [count, inputs, height, width] = x.dims();
    let places = |length: usize| {
        let places: Vec<i64> = (0..length)
            .step_by(stride)
            .map(|at| i64::try_from(at).expect("images have few pixels"))
            .collect();
        let places = TensorData::new(places.clone(), [places.len()]);
        Tensor::<1, Int>::from_data(places, &x.device())
    };
    let (rows, columns) = (places(height), places(width));
    let x = if stride == 1 { x } else { x.select(2, rows).select(3, columns) };
    let [_, _, height, width] = x.dims();
    let below = (channels - inputs) / 2;
    let zeros = |channels: usize| Tensor::<4>::zeros([count, channels, height, width], &x.device());
    let parts = [(below > 0).then(|| zeros(below)), Some(x.clone()), {
        let above = channels - inputs - below;
        (above > 0).then(|| zeros(above))
    }];
    Tensor::cat(parts.into_iter().flatten().collect(), 1)
}

fn activate(kind: &Activation, x: Tensor<4>) -> Tensor<4> {
    match kind {
        Activation::Relu => activation::relu(x),
        Activation::Softsign => activation::softsign(x),
        Activation::Tanh => activation::tanh(x),
        Activation::Sigmoid => activation::sigmoid(x),
    }
}

/// Averages over a grid of cells; images that are as large as the grid pass unchanged.
fn average_pool(x: Tensor<4>, side: usize) -> Tensor<4> {
    if x.dims()[2..] == [side, side] { x } else { adaptive_avg_pool2d(x, [side, side]) }
}
