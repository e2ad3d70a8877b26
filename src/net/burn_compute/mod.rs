//! Networks on Burn: values become tensors on a device, and autodiff computes the gradients.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::Range;

use burn::tensor::module::{adaptive_avg_pool2d, batch_norm, batch_norm_train, conv2d, max_pool2d};
use burn::tensor::ops::{ConvOptions, MaxPoolOptions};
use burn::tensor::{Bool, Device, Tensor, TensorData, activation};

use super::activations::{Activations, Layout};
use super::compute::{BatchStatistics, Compute, DropoutStream, NoTap, Tap, TrainPass, TrainingOutput};
use super::network::Network;
use crate::data::Shape;
use crate::doc::structure::{LayerKind, Op, Role, Structure};
use crate::doc::{self, Activation};
use crate::intervene::draw::uniform;
use crate::intervene::stream::Stream;

/// Added to the variance by batch norms, as in PyTorch.
const EPSILON: f64 = 1e-5;

/// Computes with Burn on one device.
#[derive(Clone, Debug)]
pub struct BurnCompute {
    device: Device,
}

impl BurnCompute {
    /// On the device that the document names.
    pub fn new(device: &doc::Device) -> Self {
        let device = match device {
            doc::Device::Flex => Device::flex(),
            #[allow(deprecated)] // the reference device is asked for by name
            doc::Device::Ndarray => Device::ndarray(),
        };
        Self { device }
    }

    fn tensor(&self, values: &[f32]) -> Tensor<1> {
        Tensor::from_data(TensorData::new(values.to_vec(), [values.len()]), &self.device)
    }

    /// Parameters of the layers among these operations; none for the others.
    fn parameters(&self, network: &Network, ops: &[Op]) -> Vec<Option<Tensor<1>>> {
        let mut parameters = vec![None; network.len()];
        for op in ops {
            let Op::Layer(layer) = op else { continue };
            for &index in &network.structure().layers[*layer].parameters {
                parameters[index] = Some(self.tensor(network.values(index)));
            }
        }
        parameters
    }

    fn evaluate(&self, network: &Network, ops: Range<usize>, values: &[f32], count: usize) -> Batch {
        let structure = network.structure();
        let mut pass = Forward {
            structure,
            fixed_norms: network.fixed_norms(),
            parameters: self.parameters(network, &structure.ops[ops.clone()]),
            mode: Mode::Evaluate,
            tap: &mut NoTap,
        };
        let batch = Batch::new(structure, ops.start, self.tensor(values), count);
        ops.fold(batch, |batch, op| pass.step(batch, op))
    }
}

impl Compute for BurnCompute {
    fn logits(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<f32> {
        to_vec(self.evaluate(network, 0..network.structure().ops.len(), inputs, count).into_rows())
    }

    fn forward(&self, network: &Network, ops: Range<usize>, input: &Activations) -> Activations {
        assert_eq!(input.layout, Layout::ChannelsFirst, "Burn computes channels first");
        if ops.is_empty() {
            return input.clone();
        }
        self.evaluate(network, ops, &input.values, input.count).into_activations()
    }

    fn training_forward(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
    ) -> TrainingOutput {
        let structure = network.structure();
        let mut pass = Forward {
            structure,
            fixed_norms: network.fixed_norms(),
            parameters: self.parameters(network, &structure.ops),
            mode: Mode::Train { dropout, statistics: Vec::new() },
            tap: &mut NoTap,
        };
        let logits = to_vec(pass.run(self.tensor(inputs), count));
        TrainingOutput { logits, statistics: pass.mode.into_statistics() }
    }

    fn train_tapped(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
        tap: &mut dyn Tap,
        gradient: &mut dyn FnMut(&[f32]) -> Vec<f32>,
    ) -> TrainPass {
        let structure = network.structure();
        let trained = |index: usize| structure.parameters[index].role.is_trained();
        let leaf = |(index, tensor): (usize, Option<Tensor<1>>)| {
            let tensor = tensor?.autodiff();
            Some(if trained(index) { tensor.require_grad() } else { tensor })
        };
        let leaves: Vec<Option<Tensor<1>>> =
            self.parameters(network, &structure.ops).into_iter().enumerate().map(leaf).collect();
        let mode = Mode::Train { dropout, statistics: Vec::new() };
        let parameters = leaves.clone();
        let mut pass = Forward { structure, fixed_norms: network.fixed_norms(), parameters, mode, tap };
        let logits = pass.run(self.tensor(inputs).autodiff(), count);
        let statistics = pass.mode.into_statistics();
        let outputs = logits.dims()[1];
        let gradients = gradient(&to_vec(logits.clone().without_autodiff()));
        let gradients = self.tensor(&gradients).reshape([count, outputs]).autodiff();
        let mut gradients = (logits * gradients).sum().backward();
        let gradients = leaves
            .iter()
            .enumerate()
            .map(|(index, leaf)| {
                let leaf = leaf.as_ref().filter(|_| trained(index))?;
                leaf.grad_remove(&mut gradients).map(to_vec)
            })
            .collect();
        TrainPass { gradients, statistics }
    }
}

fn to_vec<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("networks are made of f32")
}

#[allow(clippy::large_enum_variant, reason = "there is one of them for each pass")]
enum Mode {
    Evaluate,
    Train { dropout: Option<Stream>, statistics: Vec<BatchStatistics> },
}

impl Mode {
    fn statistics(&mut self) -> Option<&mut Vec<BatchStatistics>> {
        match self {
            Self::Evaluate => None,
            Self::Train { statistics, .. } => Some(statistics),
        }
    }

    /// The statistics of the mini-batch, after the pass.
    fn into_statistics(self) -> Vec<BatchStatistics> {
        match self {
            Self::Evaluate => Vec::new(),
            Self::Train { statistics, .. } => statistics,
        }
    }
}

/// Activations: images, or rows after flattening.
enum Batch {
    Images(Tensor<4>),
    Rows(Tensor<2>),
}

impl Batch {
    /// The activations before operation `op`, from their values.
    fn new(structure: &Structure, op: usize, values: Tensor<1>, count: usize) -> Self {
        let shape = structure.shapes()[op];
        if structure.ops[..op].contains(&Op::Flatten) {
            Self::Rows(values.reshape([count, shape.channels]))
        } else {
            Self::Images(values.reshape([count, shape.channels, shape.height, shape.width]))
        }
    }

    fn into_rows(self) -> Tensor<2> {
        match self {
            Self::Rows(rows) => rows,
            Self::Images(_) => unreachable!("every structure ends with a linear layer"),
        }
    }

    fn into_activations(self) -> Activations {
        let (shape, count, values) = match self {
            Self::Images(x) => {
                let [count, channels, height, width] = x.dims();
                (Shape { channels, height, width }, count, to_vec(x))
            }
            Self::Rows(x) => {
                let [count, channels] = x.dims();
                (Shape { channels, height: 1, width: 1 }, count, to_vec(x))
            }
        };
        Activations { values, count, shape, layout: Layout::ChannelsFirst }
    }

    /// The activations after operation `op`, as a tap leaves them: overwritten values become constants.
    fn tapped(self, tap: &mut dyn Tap, op: usize) -> Self {
        if !tap.wants(op) {
            return self;
        }
        match self {
            Self::Images(x) => {
                let activations = Self::Images(x.clone().without_autodiff()).into_activations();
                Self::Images(write(tap, op, activations, x))
            }
            Self::Rows(x) => {
                let activations = Self::Rows(x.clone().without_autodiff()).into_activations();
                Self::Rows(write(tap, op, activations, x))
            }
        }
    }
}

fn write<const D: usize>(
    tap: &mut dyn Tap,
    op: usize,
    mut activations: Activations,
    x: Tensor<D>,
) -> Tensor<D> {
    let before = activations.values.clone();
    tap.write(op, &mut activations);
    let is_new: Vec<bool> =
        activations.values.iter().zip(&before).map(|(new, old)| new.to_bits() != old.to_bits()).collect();
    if !is_new.contains(&true) {
        return x;
    }
    let device = x.device().without_autodiff();
    let is_new = Tensor::<D, Bool>::from_data(TensorData::new(is_new, x.dims()), &device);
    let values = Tensor::<D>::from_data(TensorData::new(activations.values, x.dims()), &device);
    if x.is_autodiff() {
        x.mask_where(is_new.autodiff(), values.autodiff())
    } else {
        x.mask_where(is_new, values)
    }
}

struct Forward<'a> {
    structure: &'a Structure,
    fixed_norms: &'a BTreeSet<usize>,
    parameters: Vec<Option<Tensor<1>>>,
    mode: Mode,
    tap: &'a mut dyn Tap,
}

impl Forward<'_> {
    fn run(&mut self, inputs: Tensor<1>, count: usize) -> Tensor<2> {
        let batch = Batch::new(self.structure, 0, inputs, count);
        (0..self.structure.ops.len()).fold(batch, |batch, op| self.step(batch, op)).into_rows()
    }

    fn step(&mut self, batch: Batch, op: usize) -> Batch {
        self.op(&self.structure.ops[op], batch).tapped(self.tap, op)
    }

    fn op(&mut self, op: &Op, batch: Batch) -> Batch {
        match (op, batch) {
            (Op::Layer(layer), batch) => self.layer(*layer, batch),
            (Op::Activation(kind), Batch::Images(x)) => Batch::Images(activate(kind, x)),
            (Op::Activation(kind), Batch::Rows(x)) => Batch::Rows(activate(kind, x)),
            (Op::MaxPool, Batch::Images(x)) => Batch::Images(max_pool2d(x, MaxPoolOptions::new([2, 2]))),
            (Op::AdaptiveAveragePool(side), Batch::Images(x)) => Batch::Images(average_pool(x, *side)),
            (Op::Flatten, Batch::Images(x)) => Batch::Rows(x.flatten(1, 3)),
            (Op::Dropout(share), Batch::Rows(x)) => Batch::Rows(self.drop_units(x, *share)),
            (Op::MaxPool | Op::AdaptiveAveragePool(_) | Op::Flatten | Op::Dropout(_), _) => {
                unreachable!("structures pool and flatten images, and drop units of rows")
            }
        }
    }

    /// A layer's parameter of this role.
    fn parameter(&self, layer: usize, role: Role) -> Tensor<1> {
        let index = self.structure.position(layer, role).expect("a layer has the parameters of its kind");
        self.parameters[index].clone().expect("parameters of the layers of a pass are there")
    }

    /// The weight of a convolution or linear layer, in its shape.
    fn weight<const D: usize>(&self, layer: usize) -> Tensor<D> {
        let weight = self.structure.weight(layer).expect("a layer has the parameters of its kind");
        let shape: [usize; D] =
            weight.shape.as_slice().try_into().expect("a weight has the rank of its kind");
        self.parameter(layer, Role::Weight).reshape(shape)
    }

    fn layer(&mut self, position: usize, batch: Batch) -> Batch {
        match (self.structure.layers[position].kind, batch) {
            (LayerKind::Linear, Batch::Rows(x)) => {
                let bias = self.parameter(position, Role::Bias).unsqueeze();
                Batch::Rows(x.matmul(self.weight::<2>(position).transpose()) + bias)
            }
            (LayerKind::Convolution, Batch::Images(x)) => {
                let bias = self.parameter(position, Role::Bias);
                let options = ConvOptions::new([1, 1], [1, 1], [1, 1], 1);
                Batch::Images(conv2d(x, self.weight(position), Some(bias), options))
            }
            (LayerKind::BatchNorm, Batch::Images(x)) => Batch::Images(self.batch_norm(position, x)),
            (LayerKind::Linear, Batch::Images(_)) | (LayerKind::Convolution | LayerKind::BatchNorm, _) => {
                unreachable!("structures flatten before linear layers only")
            }
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
        statistics.push(BatchStatistics {
            layer: position,
            mean: to_vec(result.mean.without_autodiff()),
            variance: to_vec(result.variance.without_autodiff()),
            count: count * height * width,
        });
        result.output
    }

    /// Sets a share of the units to 0 and scales the others up, which keeps the expected sum.
    fn drop_units(&mut self, x: Tensor<2>, share: f64) -> Tensor<2> {
        let Mode::Train { dropout: Some(stream), .. } = &mut self.mode else { return x };
        let [rows, columns] = x.dims();
        let kept = (1.0 / (1.0 - share)) as f32;
        let mask = (0..rows * columns).map(|_| if f64::from(uniform(stream)) < share { 0.0 } else { kept });
        let mask = TensorData::new(mask.collect::<Vec<f32>>(), [rows, columns]);
        let mask = Tensor::<2>::from_data(mask, &x.device().without_autodiff());
        if x.is_autodiff() { x * mask.autodiff() } else { x * mask }
    }
}

fn activate<const D: usize>(kind: &Activation, x: Tensor<D>) -> Tensor<D> {
    match kind {
        Activation::Relu => activation::relu(x),
        Activation::Softsign => activation::softsign(x),
        Activation::Tanh => activation::tanh(x),
        Activation::Sigmoid => activation::sigmoid(x),
    }
}

/// Average over a grid of cells; images that are as large as the grid pass unchanged.
fn average_pool(x: Tensor<4>, side: usize) -> Tensor<4> {
    if x.dims()[2..] == [side, side] { x } else { adaptive_avg_pool2d(x, [side, side]) }
}
