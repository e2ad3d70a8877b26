//! Networks on Burn: values become tensors of a device, autodiff goes backward.

use std::collections::BTreeSet;

use burn::tensor::module::{adaptive_avg_pool2d, batch_norm, batch_norm_train, conv2d, max_pool2d};
use burn::tensor::ops::{ConvOptions, MaxPoolOptions};
use burn::tensor::{Device, Tensor, TensorData, activation};

use super::compute::{BatchStatistics, Compute, DropoutStream, TrainPass};
use super::network::Network;
use crate::doc::structure::{LayerKind, Op, Structure};
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
    #[must_use]
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

    fn parameters(&self, network: &Network) -> Vec<Tensor<1>> {
        (0..network.len()).map(|index| self.tensor(network.values(index))).collect()
    }
}

impl Compute for BurnCompute {
    fn logits(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<f32> {
        let parameters = self.parameters(network);
        let mut pass = Forward {
            structure: network.structure(),
            fixed_norms: network.fixed_norms(),
            parameters: &parameters,
            mode: Mode::Evaluate,
        };
        to_vec(pass.run(self.tensor(inputs), count))
    }

    fn training_logits(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
    ) -> Vec<f32> {
        let parameters = self.parameters(network);
        let mut pass = Forward {
            structure: network.structure(),
            fixed_norms: network.fixed_norms(),
            parameters: &parameters,
            mode: Mode::Train { dropout, statistics: Vec::new() },
        };
        to_vec(pass.run(self.tensor(inputs), count))
    }

    fn train(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
        slope: &mut dyn FnMut(&[f32]) -> Vec<f32>,
    ) -> TrainPass {
        let structure = network.structure();
        let trained = |index: usize| structure.parameters[index].role.is_trained();
        let leaves: Vec<Tensor<1>> = self
            .parameters(network)
            .into_iter()
            .enumerate()
            .map(
                |(index, tensor)| {
                    if trained(index) { tensor.autodiff().require_grad() } else { tensor.autodiff() }
                },
            )
            .collect();
        let mode = Mode::Train { dropout, statistics: Vec::new() };
        let mut pass = Forward { structure, fixed_norms: network.fixed_norms(), parameters: &leaves, mode };
        let logits = pass.run(self.tensor(inputs).autodiff(), count);
        let outputs = logits.dims()[1];
        let slopes = slope(&to_vec(logits.clone().without_autodiff()));
        let slopes = self.tensor(&slopes).reshape([count, outputs]).autodiff();
        let mut gradients = (logits * slopes).sum().backward();
        let gradients = leaves
            .iter()
            .enumerate()
            .map(|(index, leaf)| {
                trained(index).then(|| leaf.grad_remove(&mut gradients).map(to_vec)).flatten()
            })
            .collect();
        let Mode::Train { statistics, .. } = pass.mode else {
            unreachable!("the pass was made for training")
        };
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
}

/// What flows through a network: images, or rows behind the flattening.
enum Flow {
    Images(Tensor<4>),
    Rows(Tensor<2>),
}

struct Forward<'a> {
    structure: &'a Structure,
    fixed_norms: &'a BTreeSet<usize>,
    parameters: &'a [Tensor<1>],
    mode: Mode,
}

impl Forward<'_> {
    fn run(&mut self, inputs: Tensor<1>, count: usize) -> Tensor<2> {
        let shape = self.structure.input;
        let images = inputs.reshape([count, shape.channels, shape.height, shape.width]);
        let structure = self.structure;
        let end = structure.ops.iter().fold(Flow::Images(images), |flow, op| self.step(flow, op));
        match end {
            Flow::Rows(rows) => rows,
            Flow::Images(_) => unreachable!("every structure ends with a linear layer"),
        }
    }

    fn step(&mut self, flow: Flow, op: &Op) -> Flow {
        match (op, flow) {
            (Op::Layer(layer), flow) => self.layer(*layer, flow),
            (Op::Activation(kind), Flow::Images(x)) => Flow::Images(activate(kind, x)),
            (Op::Activation(kind), Flow::Rows(x)) => Flow::Rows(activate(kind, x)),
            (Op::MaxPool, Flow::Images(x)) => Flow::Images(max_pool2d(x, MaxPoolOptions::new([2, 2]))),
            (Op::AdaptiveAveragePool(side), Flow::Images(x)) => Flow::Images(average_pool(x, *side)),
            (Op::Flatten, Flow::Images(x)) => Flow::Rows(x.flatten(1, 3)),
            (Op::Dropout(share), Flow::Rows(x)) => Flow::Rows(self.drop_units(x, *share)),
            (Op::MaxPool | Op::AdaptiveAveragePool(_) | Op::Flatten | Op::Dropout(_), _) => {
                unreachable!("structures pool and flatten images, and drop units of rows")
            }
        }
    }

    fn layer(&mut self, position: usize, flow: Flow) -> Flow {
        let layer = &self.structure.layers[position];
        match (layer.kind, flow) {
            (LayerKind::Linear, Flow::Rows(x)) => {
                let [weight, bias] = [layer.parameters[0], layer.parameters[1]];
                let shape = &self.structure.parameters[weight].shape;
                let weight = self.parameters[weight].clone().reshape([shape[0], shape[1]]);
                Flow::Rows(x.matmul(weight.transpose()) + self.parameters[bias].clone().unsqueeze())
            }
            (LayerKind::Convolution, Flow::Images(x)) => {
                let [weight, bias] = [layer.parameters[0], layer.parameters[1]];
                let shape = &self.structure.parameters[weight].shape;
                let weight =
                    self.parameters[weight].clone().reshape([shape[0], shape[1], shape[2], shape[3]]);
                let options = ConvOptions::new([1, 1], [1, 1], [1, 1], 1);
                Flow::Images(conv2d(x, weight, Some(self.parameters[bias].clone()), options))
            }
            (LayerKind::BatchNorm, Flow::Images(x)) => Flow::Images(self.batch_norm(position, x)),
            _ => unreachable!("structures flatten before linear layers only"),
        }
    }

    fn batch_norm(&mut self, position: usize, x: Tensor<4>) -> Tensor<4> {
        let parameters = &self.structure.layers[position].parameters;
        let parameter = |slot: usize| self.parameters[parameters[slot]].clone();
        let is_fixed = self.fixed_norms.contains(&position);
        let Some(statistics) = self.mode.statistics().filter(|_| !is_fixed) else {
            return batch_norm(x, parameter(0), parameter(1), parameter(2), parameter(3), EPSILON);
        };
        let [count, _, height, width] = x.dims();
        let result = batch_norm_train(x, parameter(0), parameter(1), EPSILON);
        statistics.push(BatchStatistics {
            layer: position,
            mean: to_vec(result.mean.without_autodiff()),
            variance: to_vec(result.variance.without_autodiff()),
            count: count * height * width,
        });
        result.output
    }

    /// Leaves out a share of units and scales the others up, so that their sum keeps its mean.
    #[allow(clippy::cast_possible_truncation)] // shares are f64, units f32
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

/// Average over a grid of cells; images that fill the grid already pass as they are.
fn average_pool(x: Tensor<4>, side: usize) -> Tensor<4> {
    if x.dims()[2..] == [side, side] { x } else { adaptive_avg_pool2d(x, [side, side]) }
}
