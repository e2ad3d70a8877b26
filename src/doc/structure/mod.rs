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
pub mod testing;
#[cfg(test)]
mod tests;

use crate::arch::{Activation, Net, Output};
use crate::experiment::Loss;
use data::Shape;
pub use kernels::conv::{MOST_KERNEL, Window};

/// Role of a parameter in its layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Weight,
    Bias,
    /// Scale of a batch norm (torch: `weight`).
    Scale,
    /// Shift of a batch norm (torch: `bias`).
    Shift,
    RunningMean,
    RunningVariance,
}

impl Role {
    /// Returns true if it is trained by gradients.
    pub const fn is_trained(self) -> bool {
        !matches!(self, Self::RunningMean | Self::RunningVariance)
    }

    /// Returns the last part of the parameter's name.
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
    pub role: Role,
    /// Shape in PyTorch's layout.
    pub shape: Vec<usize>,
}

impl Parameter {
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns the number of output channels, at least 1.
    pub fn channels(&self) -> usize {
        self.shape.first().copied().unwrap_or(1).max(1)
    }

    /// Returns the number of entries of an output channel, at least 1.
    pub fn row(&self) -> usize {
        (self.len() / self.channels()).max(1)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The function of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerKind {
    /// y = x·Wᵀ + b.
    Linear,
    Convolution(Window),
    /// Over channels.
    BatchNorm,
}

impl LayerKind {
    /// Returns true if it multiplies its inputs by a weight, as convolutions and linear layers do.
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
    pub kind: LayerKind,
    /// Positions of its parameters in [`Structure::parameters`].
    pub parameters: Vec<usize>,
    pub output: Shape,
    /// Counts convolutions and linear layers; a batch norm belongs to the convolution before it, or to the first layer
    /// where none comes before it, and a projection to the last convolution beside it.
    pub unit: usize,
    /// Its outputs are the logits.
    pub is_output: bool,
}

impl Layer {
    /// Counts multiply-adds of one sample that this many entries of its weight take part in: each is used once for every
    /// pixel of the output.
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
    /// That of the sum for one sample.
    pub output: Shape,
}

/// Layers, parameters and operations of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    pub input: Shape,
    pub outputs: usize,
    pub output: Output,
    /// Those with parameters, in order.
    pub layers: Vec<Layer>,
    pub parameters: Vec<Parameter>,
    /// In the order of their additions.
    pub blocks: Vec<Block>,
    pub ops: Vec<Op>,
}

/// Returns the number of logits of a network for data with this many classes; binary cross-entropy has one.
pub fn logits(net: &Net, classes: usize, loss: &Loss) -> usize {
    if *loss == Loss::BinaryCrossEntropy { 1 } else { net.rule().classes().unwrap_or(classes) }
}

impl Structure {
    /// Makes the structure of a network for inputs of a shape, a number of classes and a loss (binary cross-entropy has one
    /// output).
    ///
    /// # Errors
    /// The first layer that does not fit what comes in.
    pub fn new(net: &Net, input: Shape, classes: usize, loss: &Loss) -> Result<Self, Misfit> {
        let Traced { structure, misfit, .. } = Self::trace(net, input, classes, loss);
        misfit.map_or(Ok(structure), Err)
    }

    /// Makes the structure with the shape behind each layer, up to the first layer that does not fit what comes in.
    pub fn trace(net: &Net, input: Shape, classes: usize, loss: &Loss) -> Traced {
        let (rule, outputs) = (net.rule(), logits(net, classes, loss));
        build::trace(&rule.modules(input, outputs), input, outputs, rule.output())
    }

    /// Counts the trained parameters, as torch does.
    pub fn trained_count(&self) -> usize {
        self.parameters.iter().filter(|parameter| parameter.role.is_trained()).map(Parameter::len).sum()
    }

    /// Returns the position of the parameter of this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter.name == name)
    }

    /// Returns the position of a layer's parameter of this role.
    pub fn position(&self, layer: usize, role: Role) -> Option<usize> {
        let parameters = &self.layers[layer].parameters;
        parameters.iter().copied().find(|&index| self.parameters[index].role == role)
    }

    /// Returns the weight of a convolution or linear layer.
    pub fn weight(&self, layer: usize) -> Option<&Parameter> {
        self.position(layer, Role::Weight).map(|index| &self.parameters[index])
    }

    /// Counts multiply-adds for one sample when nothing is pruned.
    pub fn multiply_adds(&self) -> u64 {
        let weights = self.parameters.iter().filter(|parameter| parameter.role == Role::Weight);
        weights.map(|weight| self.layers[weight.layer].multiply_adds(weight.len() as u64)).sum()
    }

    /// Returns true if it has batch norms.
    pub fn has_batch_norm(&self) -> bool {
        self.layers.iter().any(|layer| layer.kind == LayerKind::BatchNorm)
    }

    /// Returns the batch norms of features and of maps of one pixel, by their layers: of one sample they see one value for
    /// each channel.
    pub fn norms_of_one_value(&self) -> impl Iterator<Item = usize> {
        let layers = self.layers.iter().enumerate();
        let is_one = |layer: &Layer| layer.kind == LayerKind::BatchNorm && layer.output.plane() == 1;
        layers.filter_map(move |(position, layer)| is_one(layer).then_some(position))
    }

    /// Returns true if it has convolutions that training may compute by a faster algorithm: 3×3, keeping the size of the images, with
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

    /// Counts convolutions and linear layers, a projection with its block.
    pub fn units(&self) -> usize {
        let units = self.layers.iter().filter(|layer| layer.kind.has_weight());
        units.map(|layer| layer.unit + 1).max().unwrap_or(0)
    }

    /// Names convolutions, linear layers and residual blocks, in order.
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

    /// Returns true if an operation is a convolution or linear layer.
    pub fn is_unit(&self, op: &Op) -> bool {
        matches!(op, Op::Layer(layer) if self.layers[*layer].kind.has_weight())
    }

    /// Returns the layer of an operation, if it is a batch norm.
    pub fn norm(&self, op: &Op) -> Option<usize> {
        let Op::Layer(layer) = *op else { return None };
        (self.layers[layer].kind == LayerKind::BatchNorm).then_some(layer)
    }

    /// Returns the shape of one sample before every operation, and after the last one: one more than there are operations.
    pub fn shapes(&self) -> Vec<Shape> {
        self.alive().into_iter().map(|alive| alive[0]).collect()
    }

    /// Counts the numbers that a training pass of one sample keeps for the way back, at most: its input, and what every
    /// operation yields. A copy on the stack is such a result.
    pub fn activations(&self) -> u64 {
        self.shapes().iter().map(|shape| shape.len() as u64).sum()
    }

    /// Returns what is alive before every operation, and after the last one, for one sample: the shape of the activations,
    /// then those on the stack, the top first.
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

    /// Returns the position at or before `op` with the fewest activations alive: in front of the forks that precede it.
    pub fn cut_before(&self, op: usize) -> usize {
        (0..op).rev().take_while(|&before| self.ops[before] == Op::Fork).last().unwrap_or(op)
    }

    /// Returns the shape of one sample after an operation that receives this `input`.
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

/// One operation of the forward pass.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A layer with parameters, by its position.
    Layer(usize),
    Activation(Activation),
    MaxPool(Window),
    /// Average over each window, as torch's: a border counts as zeros.
    AveragePool(Window),
    /// Average over a grid of this many cells a side, as torch's adaptive pooling.
    AdaptiveAveragePool(usize),
    Flatten,
    /// Drops this share of the units in training.
    Dropout(f64),
    /// Puts a copy of the activations on the stack.
    Fork,
    /// Exchanges the activations with those on top of the stack.
    Swap,
    /// Every `stride`-th pixel of both axes, with as many channels of zeros on both sides as make `channels`; one more above
    /// where their number is odd.
    Subsample {
        stride: usize,
        channels: usize,
    },
    /// Takes the activations on top of the stack away and adds them: the end of a block, by its position.
    Add(usize),
}

/// The promise of a structure on its stack.
pub const FORKED: &str = "structures add what they have forked";

/// The source of the result of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yields {
    /// A layer with parameters, by its position.
    Layer(usize),
    /// A residual block, by its position.
    Block(usize),
}

impl Op {
    /// Returns the layer or residual block whose result it yields; none for what only passes results on.
    pub const fn yields(&self) -> Option<Yields> {
        match self {
            Self::Layer(layer) => Some(Yields::Layer(*layer)),
            Self::Add(block) => Some(Yields::Block(*block)),
            Self::Activation(_)
            | Self::MaxPool(_)
            | Self::AveragePool(_)
            | Self::AdaptiveAveragePool(_)
            | Self::Flatten
            | Self::Dropout(_)
            | Self::Fork
            | Self::Swap
            | Self::Subsample { .. } => None,
        }
    }
}

/// A layer that does not fit what comes in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Its position in the list of layers, then in the body of the residual block that it is in, and so on.
    pub path: Vec<usize>,
    /// Says what came in, and what was expected.
    pub message: String,
}

impl Misfit {
    /// Says that nothing fits data that were not looked at.
    pub fn unknown_data() -> Self {
        Self { path: Vec::new(), message: "the shape of the data is not known".to_owned() }
    }
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.path.is_empty() {
            return f.write_str(&self.message);
        }
        let numbers: Vec<String> = self.path.iter().map(|position| (position + 1).to_string()).collect();
        write!(f, "layer {}: {}", numbers.join("."), self.message)
    }
}

impl std::error::Error for Misfit {}

/// A list of layers, followed from its input as far as they fit each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Traced {
    pub structure: Structure,
    /// The shape of one sample behind each of these layers, by the layer's position in the list, then in the body of the
    /// block that it is in, and so on.
    pub behind: Vec<(Vec<usize>, Shape)>,
    pub misfit: Option<Misfit>,
}
