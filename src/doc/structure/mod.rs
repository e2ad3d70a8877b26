//! The structure of a network: layers, parameters, shapes and names, without any values.
//!
//! Layers and parameters have torch's names: `fc1.weight` for perceptrons, torchvision's for VGG. All shapes are
//! PyTorch's: a linear weight is [out, in], a convolution's [out, in, height, width].

mod build;
#[cfg(test)]
mod tests;

use super::network::{Activation, Net, Output};
use super::training::Loss;
use crate::data::Shape;

/// Role of a parameter in its layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Weight of a convolution or linear layer.
    Weight,
    /// Bias of a convolution or linear layer.
    Bias,
    /// Scale of a batch norm (torch: `weight`).
    Scale,
    /// Shift of a batch norm (torch: `bias`).
    Shift,
    /// Running mean of a batch norm.
    RunningMean,
    /// Running variance of a batch norm.
    RunningVariance,
}

impl Role {
    /// Whether it is trained by gradients.
    pub const fn is_trained(self) -> bool {
        !matches!(self, Self::RunningMean | Self::RunningVariance)
    }

    /// Last part of the parameter's name.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Weight | Self::Scale => "weight",
            Self::Bias | Self::Shift => "bias",
            Self::RunningMean => "running_mean",
            Self::RunningVariance => "running_var",
        }
    }
}

/// A named array of numbers of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Layer's name and role, such as `features.0.weight`.
    pub name: String,
    /// Position of its layer in [`Structure::layers`].
    pub layer: usize,
    /// Its role in the layer.
    pub role: Role,
    /// Shape in PyTorch's layout.
    pub shape: Vec<usize>,
}

impl Parameter {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Number of output channels, at least 1.
    pub fn channels(&self) -> usize {
        self.shape.first().copied().unwrap_or(1).max(1)
    }

    /// Number of entries of an output channel, at least 1.
    pub fn row(&self) -> usize {
        (self.len() / self.channels()).max(1)
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a layer computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerKind {
    /// y = x·Wᵀ + b.
    Linear,
    /// 3×3 convolution with padding 1.
    Convolution,
    /// Batch norm over channels.
    BatchNorm,
}

impl LayerKind {
    /// Whether it multiplies its inputs by a weight, as convolutions and linear layers do.
    pub const fn has_weight(self) -> bool {
        match self {
            Self::Linear | Self::Convolution => true,
            Self::BatchNorm => false,
        }
    }
}

/// A layer that has parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Torch's name, such as `fc1` or `features.0`.
    pub name: String,
    /// What it computes.
    pub kind: LayerKind,
    /// Positions of its parameters in [`Structure::parameters`].
    pub parameters: Vec<usize>,
    /// Shape of its output for one sample.
    pub output: Shape,
    /// Counts convolutions and linear layers; a batch norm belongs to the convolution before it, or to the first layer
    /// where none comes before it.
    pub unit: usize,
    /// Whether its outputs are the logits.
    pub is_output: bool,
}

impl Layer {
    /// Multiply-adds of one sample that this many entries of its weight take part in: each is used once for every pixel
    /// of the output.
    pub fn multiply_adds(&self, weights: u64) -> u64 {
        weights * self.output.plane() as u64
    }
}

/// One operation of the forward pass.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A layer with parameters, by its position.
    Layer(usize),
    /// A non-linearity.
    Activation(Activation),
    /// 2×2 maximum, stride 2.
    MaxPool,
    /// Average over a grid of this many cells a side, as torch's adaptive pooling.
    AdaptiveAveragePool(usize),
    /// Turns images into rows.
    Flatten,
    /// Drops this share of the units in training.
    Dropout(f64),
}

/// Layers, parameters and operations of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    /// Shape of one input.
    pub input: Shape,
    /// Number of logits.
    pub outputs: usize,
    /// What follows the logits.
    pub output: Output,
    /// Layers with parameters, in order.
    pub layers: Vec<Layer>,
    /// All parameters, in the order of the layers.
    pub parameters: Vec<Parameter>,
    /// The forward pass.
    pub ops: Vec<Op>,
}

impl Structure {
    /// The structure of a network for inputs of a shape, a number of classes and a loss (binary cross-entropy has one
    /// output).
    pub fn new(net: &Net, input: Shape, classes: usize, loss: &Loss) -> Self {
        let outputs = if *loss == Loss::BinaryCrossEntropy { 1 } else { classes };
        build::network(net, input, outputs)
    }

    /// Number of trained parameters, as torch counts them.
    pub fn trained_count(&self) -> usize {
        self.parameters.iter().filter(|parameter| parameter.role.is_trained()).map(Parameter::len).sum()
    }

    /// Position of the parameter of this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter.name == name)
    }

    /// Position of a layer's parameter of this role.
    pub fn position(&self, layer: usize, role: Role) -> Option<usize> {
        let parameters = &self.layers[layer].parameters;
        parameters.iter().copied().find(|&index| self.parameters[index].role == role)
    }

    /// The weight of a convolution or linear layer.
    pub fn weight(&self, layer: usize) -> Option<&Parameter> {
        self.position(layer, Role::Weight).map(|index| &self.parameters[index])
    }

    /// Multiply-adds for one sample when nothing is pruned.
    pub fn multiply_adds(&self) -> u64 {
        let weights = self.parameters.iter().filter(|parameter| parameter.role == Role::Weight);
        weights.map(|weight| self.layers[weight.layer].multiply_adds(weight.len() as u64)).sum()
    }

    /// Whether it has batch norms.
    pub fn has_batch_norm(&self) -> bool {
        self.layers.iter().any(|layer| layer.kind == LayerKind::BatchNorm)
    }

    /// Number of convolutions and linear layers.
    pub fn units(&self) -> usize {
        self.layers.iter().filter(|layer| layer.kind.has_weight()).count()
    }

    /// Whether an operation is a convolution or linear layer.
    pub fn is_unit(&self, op: &Op) -> bool {
        matches!(op, Op::Layer(layer) if self.layers[*layer].kind.has_weight())
    }

    /// Shape of one sample before every operation, and after the last one: one more than there are operations.
    pub fn shapes(&self) -> Vec<Shape> {
        let mut shapes = vec![self.input];
        for op in &self.ops {
            shapes.push(self.output(op, shapes[shapes.len() - 1]));
        }
        shapes
    }

    /// Shape of one sample after an operation that receives this `input`.
    fn output(&self, op: &Op, input: Shape) -> Shape {
        match op {
            Op::Layer(layer) => self.layers[*layer].output,
            Op::MaxPool => Shape { height: input.height / 2, width: input.width / 2, ..input },
            Op::AdaptiveAveragePool(side) => Shape { height: *side, width: *side, ..input },
            Op::Flatten => Shape { channels: input.len(), height: 1, width: 1 },
            Op::Activation(_) | Op::Dropout(_) => input,
        }
    }
}
