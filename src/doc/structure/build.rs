//! From the settings of an architecture to its structure.

use super::{Layer, LayerKind, Op, Parameter, Role, Structure};
use crate::data::Shape;
use crate::doc::network::{Activation, Head, Mlp, Net, Output, Vgg};

/// The structure of a network with this many logits.
pub(super) fn network(net: &Net, input: Shape, outputs: usize) -> Structure {
    let mut builder = Builder::new(input, outputs);
    match net {
        Net::Mlp(mlp) => builder.mlp(mlp),
        Net::Vgg(vgg) => builder.vgg(vgg),
    }
    builder.finish()
}

/// Appends layers and operations to a structure, one after the other.
pub(super) struct Builder {
    structure: Structure,
    /// Shape of what the next operation receives.
    shape: Shape,
}

impl Builder {
    pub(super) fn new(input: Shape, outputs: usize) -> Self {
        let structure = Structure {
            input,
            outputs,
            output: Output::Linear,
            layers: Vec::new(),
            parameters: Vec::new(),
            ops: Vec::new(),
        };
        Self { structure, shape: input }
    }

    fn mlp(&mut self, mlp: &Mlp) {
        self.structure.output = mlp.output.clone();
        self.op(Op::Flatten);
        for (position, &units) in mlp.hidden.iter().enumerate() {
            self.linear(&format!("fc{}", position + 1), units);
            self.op(Op::Activation(mlp.activation.clone()));
        }
        let outputs = self.structure.outputs;
        self.linear(&format!("fc{}", mlp.hidden.len() + 1), outputs);
    }

    /// Names count every module of torchvision's `features` and `classifier`, those without parameters too.
    fn vgg(&mut self, vgg: &Vgg) {
        let mut module = 0;
        for step in vgg_steps(vgg.depth) {
            let Some(multiple) = step else {
                self.op(Op::MaxPool);
                module += 1;
                continue;
            };
            self.convolution(&format!("features.{module}"), multiple * vgg.width);
            module += 1;
            if vgg.batch_norm {
                self.batch_norm(&format!("features.{module}"));
                module += 1;
            }
            self.op(Op::Activation(Activation::Relu));
            module += 1;
        }
        match vgg.head {
            Head::Linear => {
                self.op(Op::AdaptiveAveragePool(1));
                self.op(Op::Flatten);
                let outputs = self.structure.outputs;
                self.linear("classifier", outputs);
            }
            Head::ImageNet => self.image_net_head(vgg.dropout),
        }
    }

    fn image_net_head(&mut self, dropout: f64) {
        self.op(Op::AdaptiveAveragePool(7));
        self.op(Op::Flatten);
        let outputs = self.structure.outputs;
        for (name, units) in [("classifier.0", 4096), ("classifier.3", 4096)] {
            self.linear(name, units);
            self.op(Op::Activation(Activation::Relu));
            self.op(Op::Dropout(dropout));
        }
        self.linear("classifier.6", outputs);
    }

    fn op(&mut self, op: Op) {
        self.shape = self.structure.output(&op, self.shape);
        self.structure.ops.push(op);
    }

    fn linear(&mut self, name: &str, units: usize) {
        let roles = [(Role::Weight, vec![units, self.shape.channels]), (Role::Bias, vec![units])];
        self.layer(name, LayerKind::Linear, Shape::new(units, 1, 1), roles.into());
    }

    pub(super) fn convolution(&mut self, name: &str, channels: usize) {
        let roles = [(Role::Weight, vec![channels, self.shape.channels, 3, 3]), (Role::Bias, vec![channels])];
        self.layer(name, LayerKind::Convolution, Shape { channels, ..self.shape }, roles.into());
    }

    pub(super) fn batch_norm(&mut self, name: &str) {
        let roles = [Role::Scale, Role::Shift, Role::RunningMean, Role::RunningVariance];
        let roles = roles.map(|role| (role, vec![self.shape.channels]));
        self.layer(name, LayerKind::BatchNorm, self.shape, roles.into());
    }

    fn layer(&mut self, name: &str, kind: LayerKind, output: Shape, roles: Vec<(Role, Vec<usize>)>) {
        let position = self.structure.layers.len();
        let before = self.structure.units();
        let unit = if kind.has_weight() { before } else { before.saturating_sub(1) };
        let mut parameters = Vec::new();
        for (role, shape) in roles {
            parameters.push(self.structure.parameters.len());
            let name = format!("{name}.{}", role.suffix());
            self.structure.parameters.push(Parameter { name, layer: position, role, shape });
        }
        let name = name.to_owned();
        self.structure.layers.push(Layer { name, kind, parameters, output, unit, is_output: false });
        self.op(Op::Layer(position));
    }

    pub(super) fn finish(mut self) -> Structure {
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
