//! The structure of a network: layers, parameters, shapes and names, without any values.
//!
//! Layers and parameters have torch's names: `fc1.weight` for perceptrons, torchvision's for VGG. All shapes are
//! PyTorch's: a linear weight is [out, in], a convolution's [out, in, height, width].
//!
//! A network is a graph, written as a list of operations for a machine with a stack: each operation reads the present
//! activations and replaces them; [`Op::Fork`] puts a copy on the stack, [`Op::Swap`] exchanges both, and [`Op::Add`] takes
//! the copy back and adds it. So a position in the list is a cut through the graph, and what is alive there is the present
//! activations and the stack.

mod build;
#[cfg(any(test, feature = "testing"))]
pub mod graphs;
mod names;
mod op;
#[cfg(test)]
mod tests;
mod traced;

pub use op::{FORKED, Op, Yields};
pub use traced::{Misfit, Traced};

pub use super::arch::MOST_KERNEL;
use super::arch::{Net, Output};
use super::training::Loss;
use data::Shape;

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

/// A square window that moves over images with a border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its side in pixels, 1 to [`MOST_KERNEL`].
    pub kernel: usize,
    /// Pixels from one position to the next, at least 1.
    pub stride: usize,
    /// Width of the border, less than the kernel: every position sees a pixel.
    pub padding: usize,
}

impl Window {
    /// 3×3 that keeps the size of the images.
    pub const SAME3: Self = Self { kernel: 3, stride: 1, padding: 1 };
    /// 2×2 side by side.
    pub const HALVES: Self = Self { kernel: 2, stride: 2, padding: 0 };

    /// Places of the window.
    pub const fn taps(&self) -> usize {
        self.kernel * self.kernel
    }

    /// Positions along an axis of this length; 0 where it does not fit.
    pub const fn output(&self, length: usize) -> usize {
        let padded = length + 2 * self.padding;
        if length == 0 || padded < self.kernel { 0 } else { (padded - self.kernel) / self.stride + 1 }
    }

    /// # Panics
    /// When the kernel, the stride or the padding is out of range.
    pub fn check(&self) {
        let Self { kernel, stride, padding } = *self;
        assert!((1..=MOST_KERNEL).contains(&kernel), "a window has 1 to {MOST_KERNEL} pixels a side");
        assert!(stride > 0 && padding < kernel, "a window moves, and always sees a pixel");
    }
}

/// What a layer computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerKind {
    /// y = x·Wᵀ + b.
    Linear,
    /// A convolution.
    Convolution(Window),
    /// Batch norm over channels.
    BatchNorm,
}

impl LayerKind {
    /// Whether it multiplies its inputs by a weight, as convolutions and linear layers do.
    pub const fn has_weight(self) -> bool {
        match self {
            Self::Linear | Self::Convolution(_) => true,
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
    /// where none comes before it, and a projection to the last convolution beside it.
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

/// A residual block: what comes in is added to what its body yields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its name, such as `layer1.0`.
    pub name: String,
    /// The unit of the last convolution or linear layer of its body.
    pub unit: usize,
    /// Shape of the sum for one sample.
    pub output: Shape,
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
    /// Residual blocks, in the order of their additions.
    pub blocks: Vec<Block>,
    /// The forward pass.
    pub ops: Vec<Op>,
}

/// The number of logits of a network for data with this many classes; binary cross-entropy has one.
pub fn logits(net: &Net, classes: usize, loss: &Loss) -> usize {
    if *loss == Loss::BinaryCrossEntropy { 1 } else { net.rule().classes().unwrap_or(classes) }
}

impl Structure {
    /// The structure of a network for inputs of a shape, a number of classes and a loss (binary cross-entropy has one
    /// output).
    ///
    /// # Errors
    /// The first layer that does not fit what comes in.
    pub fn new(net: &Net, input: Shape, classes: usize, loss: &Loss) -> Result<Self, Misfit> {
        let Traced { structure, misfit, .. } = Self::trace(net, input, classes, loss);
        misfit.map_or(Ok(structure), Err)
    }

    /// The same, with the shape behind each layer; up to the first layer that does not fit what comes in.
    pub fn trace(net: &Net, input: Shape, classes: usize, loss: &Loss) -> Traced {
        let (rule, outputs) = (net.rule(), logits(net, classes, loss));
        build::trace(&rule.modules(input, outputs), input, outputs, rule.output())
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

    /// Batch norms of features and of maps of one pixel, by their layers: of one sample they see one value for each channel.
    pub fn norms_of_one_value(&self) -> impl Iterator<Item = usize> {
        let layers = self.layers.iter().enumerate();
        let is_one = |layer: &Layer| layer.kind == LayerKind::BatchNorm && layer.output.plane() == 1;
        layers.filter_map(move |(position, layer)| is_one(layer).then_some(position))
    }

    /// Whether it has convolutions that training may compute by a faster algorithm: 3×3, keeping the size of the images, with
    /// 32 channels or more on both sides, in multiples of 16. The kernels choose by these and by the number of images.
    pub fn has_wide_convolution(&self) -> bool {
        let is_same = |layer: usize| self.layers[layer].kind == LayerKind::Convolution(Window::SAME3);
        let is_wide = |channels: &usize| *channels >= 32 && channels.is_multiple_of(16);
        self.parameters.iter().any(|parameter| {
            parameter.role == Role::Weight
                && is_same(parameter.layer)
                && parameter.shape[..2].iter().all(is_wide)
        })
    }

    /// Number of convolutions and linear layers, a projection counted with its block.
    pub fn units(&self) -> usize {
        self.layers
            .iter()
            .filter(|layer| layer.kind.has_weight())
            .map(|layer| layer.unit + 1)
            .max()
            .unwrap_or(0)
    }

    /// Names of convolutions, linear layers and residual blocks, in order.
    pub fn names(&self) -> Vec<&str> {
        let name = |op: &Op| match op.yields()? {
            Yields::Layer(layer) => {
                let layer = &self.layers[layer];
                layer.kind.has_weight().then_some(layer.name.as_str())
            }
            Yields::Block(block) => Some(self.blocks[block].name.as_str()),
        };
        self.ops.iter().filter_map(name).collect()
    }

    /// Whether an operation is a convolution or linear layer.
    pub fn is_unit(&self, op: &Op) -> bool {
        matches!(op, Op::Layer(layer) if self.layers[*layer].kind.has_weight())
    }

    /// The layer of an operation, if it is a batch norm.
    pub fn norm(&self, op: &Op) -> Option<usize> {
        match op.yields() {
            Some(Yields::Layer(layer)) if self.layers[layer].kind == LayerKind::BatchNorm => Some(layer),
            Some(Yields::Layer(_) | Yields::Block(_)) | None => None,
        }
    }

    /// Shape of one sample before every operation, and after the last one: one more than there are operations.
    pub fn shapes(&self) -> Vec<Shape> {
        self.alive().into_iter().map(|alive| alive[0]).collect()
    }

    /// Numbers that a training pass of one sample keeps for the way back, at most: its input, and what every operation
    /// yields. A copy on the stack is such a result.
    pub fn activations(&self) -> u64 {
        self.shapes().iter().map(|shape| shape.len() as u64).sum()
    }

    /// What is alive before every operation, and after the last one, for one sample: the shape of the activations, then
    /// those on the stack, the top first.
    pub fn alive(&self) -> Vec<Vec<Shape>> {
        let mut all = vec![vec![self.input]];
        for op in &self.ops {
            let mut alive = all[all.len() - 1].clone();
            match op {
                Op::Fork => alive.insert(1, alive[0]),
                Op::Swap => alive.swap(0, 1),
                Op::Add(_) => drop(alive.remove(1)),
                Op::Layer(_)
                | Op::Activation(_)
                | Op::MaxPool(_)
                | Op::AveragePool(_)
                | Op::AdaptiveAveragePool(_)
                | Op::Flatten
                | Op::Dropout(_)
                | Op::Subsample { .. } => alive[0] = self.output(op, alive[0]),
            }
            all.push(alive);
        }
        all
    }

    /// The position at or before `op` with the fewest activations alive: in front of the forks that precede it.
    pub fn cut_before(&self, op: usize) -> usize {
        (0..op).rev().take_while(|&before| self.ops[before] == Op::Fork).last().unwrap_or(op)
    }

    /// Shape of one sample after an operation that receives this `input`.
    fn output(&self, op: &Op, input: Shape) -> Shape {
        match op {
            Op::Layer(layer) => self.layers[*layer].output,
            Op::MaxPool(window) | Op::AveragePool(window) => {
                Shape { height: window.output(input.height), width: window.output(input.width), ..input }
            }
            Op::AdaptiveAveragePool(side) => Shape { height: *side, width: *side, ..input },
            Op::Flatten => Shape { channels: input.len(), height: 1, width: 1 },
            Op::Subsample { stride, channels } => Shape {
                channels: *channels,
                height: input.height.div_ceil(*stride),
                width: input.width.div_ceil(*stride),
            },
            Op::Add(block) => self.blocks[*block].output,
            Op::Activation(_) | Op::Dropout(_) | Op::Fork | Op::Swap => input,
        }
    }
}
