//! What a network consists of: layers, parameters, shapes and names, known before any number is.
//!
//! Layers and parameters have torch's names: `fc1.weight` for perceptrons, torchvision's for VGG. All shapes are
//! PyTorch's: a linear weight is [out, in], a convolution's [out, in, height, width].

use super::network::{Activation, Head, Mlp, Net, Output, Vgg};
use super::training::Loss;
use crate::data::Shape;

/// What a parameter is to its layer.
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
    /// Whether gradients change it.
    pub const fn is_trained(self) -> bool {
        !matches!(self, Self::RunningMean | Self::RunningVariance)
    }

    /// The name behind the layer's.
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
    /// What it is to its layer.
    pub role: Role,
    /// Shape in PyTorch's layout.
    pub shape: Vec<usize>,
}

impl Parameter {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
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

/// A layer that has parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Torch's name, such as `fc1` or `features.0`.
    pub name: String,
    /// What it computes.
    pub kind: LayerKind,
    /// Positions of its parameters in [`Structure::parameters`].
    pub parameters: Vec<usize>,
    /// Multiply-adds for one sample when nothing is pruned.
    pub multiply_adds: u64,
    /// Counts convolutions and linear layers; a batch norm belongs to the convolution before it.
    pub unit: usize,
    /// Whether its outputs are the logits.
    pub is_output: bool,
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
    /// Images become rows.
    Flatten,
    /// Leaves out this share of units while training.
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
        let mut builder = Builder::new(input, outputs);
        match net {
            Net::Mlp(mlp) => builder.mlp(mlp),
            Net::Vgg(vgg) => builder.vgg(vgg),
        }
        builder.finish()
    }

    /// Number of trained parameters, as torch counts them.
    pub fn trained_count(&self) -> usize {
        self.parameters.iter().filter(|parameter| parameter.role.is_trained()).map(Parameter::len).sum()
    }

    /// Position of the parameter of this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter.name == name)
    }

    /// Multiply-adds for one sample when nothing is pruned.
    pub fn multiply_adds(&self) -> u64 {
        self.layers.iter().map(|layer| layer.multiply_adds).sum()
    }

    /// Number of convolutions and linear layers.
    pub fn units(&self) -> usize {
        self.layers.last().map_or(0, |layer| layer.unit + 1)
    }
}

struct Builder {
    structure: Structure,
    /// Shape of what the next operation receives.
    shape: Shape,
    units: usize,
}

impl Builder {
    fn new(input: Shape, outputs: usize) -> Self {
        let structure = Structure {
            input,
            outputs,
            output: Output::Linear,
            layers: Vec::new(),
            parameters: Vec::new(),
            ops: Vec::new(),
        };
        Self { structure, shape: input, units: 0 }
    }

    fn mlp(&mut self, mlp: &Mlp) {
        self.structure.output = mlp.output.clone();
        self.flatten();
        for (position, &units) in mlp.hidden.iter().enumerate() {
            self.linear(&format!("fc{}", position + 1), units);
            self.structure.ops.push(Op::Activation(mlp.activation.clone()));
        }
        let outputs = self.structure.outputs;
        self.linear(&format!("fc{}", mlp.hidden.len() + 1), outputs);
    }

    /// Names count every module of torchvision's `features` and `classifier`, those without parameters too.
    fn vgg(&mut self, vgg: &Vgg) {
        let mut module = 0;
        for step in vgg_steps(vgg.depth) {
            let Some(multiple) = step else {
                self.structure.ops.push(Op::MaxPool);
                self.shape.height /= 2;
                self.shape.width /= 2;
                module += 1;
                continue;
            };
            self.convolution(&format!("features.{module}"), multiple * vgg.width);
            module += 1;
            if vgg.batch_norm {
                self.batch_norm(&format!("features.{module}"));
                module += 1;
            }
            self.structure.ops.push(Op::Activation(Activation::Relu));
            module += 1;
        }
        match vgg.head {
            Head::Linear => {
                self.average_pool(1);
                self.flatten();
                let outputs = self.structure.outputs;
                self.linear("classifier", outputs);
            }
            Head::ImageNet => self.image_net_head(vgg.dropout),
        }
    }

    fn image_net_head(&mut self, dropout: f64) {
        self.average_pool(7);
        self.flatten();
        let outputs = self.structure.outputs;
        for (name, units) in [("classifier.0", 4096), ("classifier.3", 4096)] {
            self.linear(name, units);
            self.structure.ops.push(Op::Activation(Activation::Relu));
            self.structure.ops.push(Op::Dropout(dropout));
        }
        self.linear("classifier.6", outputs);
    }

    fn average_pool(&mut self, side: usize) {
        self.structure.ops.push(Op::AdaptiveAveragePool(side));
        self.shape.height = side;
        self.shape.width = side;
    }

    fn flatten(&mut self) {
        self.structure.ops.push(Op::Flatten);
        self.shape = Shape { channels: self.shape.len(), height: 1, width: 1 };
    }

    fn linear(&mut self, name: &str, units: usize) {
        let inputs = self.shape.channels;
        let roles = [(Role::Weight, vec![units, inputs]), (Role::Bias, vec![units])];
        self.layer(name, LayerKind::Linear, roles.into(), (units * inputs) as u64);
        self.shape.channels = units;
    }

    fn convolution(&mut self, name: &str, channels: usize) {
        let inputs = self.shape.channels;
        let roles = [(Role::Weight, vec![channels, inputs, 3, 3]), (Role::Bias, vec![channels])];
        let multiply_adds = channels * inputs * 9 * self.shape.height * self.shape.width;
        self.layer(name, LayerKind::Convolution, roles.into(), multiply_adds as u64);
        self.shape.channels = channels;
    }

    fn batch_norm(&mut self, name: &str) {
        let channels = vec![self.shape.channels];
        let roles = [Role::Scale, Role::Shift, Role::RunningMean, Role::RunningVariance];
        let roles = roles.into_iter().map(|role| (role, channels.clone())).collect();
        self.units -= 1;
        self.layer(name, LayerKind::BatchNorm, roles, 0);
    }

    fn layer(&mut self, name: &str, kind: LayerKind, roles: Vec<(Role, Vec<usize>)>, multiply_adds: u64) {
        let position = self.structure.layers.len();
        let mut parameters = Vec::new();
        for (role, shape) in roles {
            parameters.push(self.structure.parameters.len());
            let name = format!("{name}.{}", role.suffix());
            self.structure.parameters.push(Parameter { name, layer: position, role, shape });
        }
        let unit = self.units;
        self.units += 1;
        let name = name.to_owned();
        self.structure.layers.push(Layer { name, kind, parameters, multiply_adds, unit, is_output: false });
        self.structure.ops.push(Op::Layer(position));
    }

    fn finish(mut self) -> Structure {
        if let Some(last) = self.structure.layers.last_mut() {
            last.is_output = true;
        }
        self.structure
    }
}

/// Channels of each convolution as multiples of the first one's, `None` for a pooling (Simonyan & Zisserman 2015,
/// configurations A, B, D, E).
fn vgg_steps(depth: u32) -> Vec<Option<usize>> {
    let repeats: [usize; 5] = match depth {
        11 => [1, 1, 2, 2, 2],
        13 => [2, 2, 2, 2, 2],
        19 => [2, 2, 4, 4, 4],
        _ => [2, 2, 3, 3, 3],
    };
    let multiples = [1, 2, 4, 8, 8];
    repeats
        .iter()
        .zip(multiples)
        .flat_map(|(&count, multiple)| std::iter::repeat_n(Some(multiple), count).chain([None]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn images(side: usize) -> Shape {
        Shape { channels: 3, height: side, width: side }
    }

    fn vgg(depth: u32) -> Net {
        Net::Vgg(Vgg { depth, ..Vgg::default() })
    }

    #[test]
    fn parameter_counts_are_those_of_the_papers() {
        let input = Shape { channels: 1, height: 28, width: 28 };
        let mlp = Structure::new(&Net::Mlp(Mlp::default()), input, 10, &Loss::CrossEntropy);
        assert_eq!(mlp.trained_count(), 266_610);
        for (depth, count) in [(11, 9_231_114), (13, 9_416_010), (16, 14_728_266), (19, 20_040_522)] {
            let structure = Structure::new(&vgg(depth), images(32), 10, &Loss::CrossEntropy);
            assert_eq!(structure.trained_count(), count, "VGG-{depth}");
        }
        let torchvision = Net::Vgg(Vgg { batch_norm: false, head: Head::ImageNet, ..Vgg::default() });
        let structure = Structure::new(&torchvision, images(224), 1000, &Loss::CrossEntropy);
        assert_eq!(structure.trained_count(), 138_357_544);
    }

    #[test]
    fn vgg_has_the_names_of_torchvision() {
        let structure = Structure::new(&vgg(16), images(32), 10, &Loss::CrossEntropy);
        let names: Vec<&str> = structure.parameters.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(
            &names[..7],
            [
                "features.0.weight",
                "features.0.bias",
                "features.1.weight",
                "features.1.bias",
                "features.1.running_mean",
                "features.1.running_var",
                "features.3.weight",
            ]
        );
        assert!(names.contains(&"features.40.weight") && names.contains(&"classifier.weight"));
        let plain = Net::Vgg(Vgg { batch_norm: false, head: Head::ImageNet, ..Vgg::default() });
        let structure = Structure::new(&plain, images(32), 10, &Loss::CrossEntropy);
        assert!(
            structure.find("features.28.weight").is_some() && structure.find("classifier.6.bias").is_some()
        );
    }

    #[test]
    fn vgg16_has_313_million_multiply_adds_on_32_pixels() {
        let structure = Structure::new(&vgg(16), images(32), 10, &Loss::CrossEntropy);
        assert_eq!(structure.multiply_adds() / 1_000_000, 313);
        assert_eq!(structure.units(), 14);
    }

    #[test]
    fn binary_cross_entropy_has_one_output() {
        let input = Shape { channels: 1, height: 8, width: 8 };
        let structure = Structure::new(&Net::default(), input, 2, &Loss::BinaryCrossEntropy);
        assert_eq!(structure.outputs, 1);
    }
}
