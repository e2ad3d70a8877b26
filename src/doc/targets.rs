//! Which parameters a [`Target`] means.

use super::structure::{Block, LayerKind, Op, Parameter, Role, Structure};
use super::target::{Layers, Params, Target};

/// Positions of the parameters that a target means, in the order of the network; `usual` is what it means when it names
/// no kind.
pub fn parameters(structure: &Structure, target: &Target, usual: &Params) -> Vec<usize> {
    let kind = target.params.as_ref().unwrap_or(usual);
    let parameters = structure.parameters.iter().enumerate();
    parameters
        .filter(|(_, parameter)| {
            has_role(kind, parameter.role) && has_layer(structure, &target.layers, parameter.layer)
        })
        .map(|(index, _)| index)
        .collect()
}

/// Whether a target means every entry of the network, however it says so.
pub fn is_whole(structure: &Structure, target: &Target) -> bool {
    target.channels.is_empty()
        && parameters(structure, target, &Params::Everything).len() == structure.parameters.len()
}

/// Positions of the parameters that a target means for pruning: weights when it names no kind, and never running
/// statistics, which are measured and not trained; a variance of 0 would only blow the layer up.
pub fn prunable(structure: &Structure, target: &Target) -> Vec<usize> {
    let mut chosen = parameters(structure, target, &Params::Weights);
    chosen.retain(|&index| structure.parameters[index].role.is_trained());
    chosen
}

/// Positions of the operations whose results a target means by [`Params::Activations`] or [`Params::Preactivations`], in
/// the order of the network: non-linearities, or what comes in front of them. A batch norm comes in front of the
/// non-linearity and belongs to its convolution, so that preactivations are what it yields. A layer without a
/// non-linearity has one result for both: its output. The result of a residual block is its sum.
pub fn activations(structure: &Structure, target: &Target, kind: &Params) -> Vec<usize> {
    let after_activation = *kind == Params::Activations;
    let layers = &target.layers;
    let mut found = Vec::new();
    let mut is_meant = false;
    for (position, op) in structure.ops.iter().enumerate() {
        let next = structure.ops.get(position + 1);
        let is_result = match op {
            Op::Layer(layer) => {
                let is_norm = structure.layers[*layer].kind == LayerKind::BatchNorm;
                let is_chosen = has_layer(structure, layers, *layer);
                let is_named =
                    matches!(layers, Layers::Only(names) if names.contains(&structure.layers[*layer].name));
                let is_alone = is_chosen && (is_named || !matches!(layers, Layers::Only(_)));
                is_meant = if is_norm { is_meant || is_named } else { is_alone };
                let normalises = |op: &Op| matches!(op, Op::Layer(next) if structure.layers[*next].kind == LayerKind::BatchNorm);
                is_meant && !next.is_some_and(normalises)
            }
            Op::Add(block) => has_block(structure, layers, &structure.blocks[*block]),
            Op::Activation(_)
            | Op::MaxPool(_)
            | Op::AveragePool(_)
            | Op::AdaptiveAveragePool(_)
            | Op::Flatten
            | Op::Dropout(_)
            | Op::Fork
            | Op::Swap
            | Op::Subsample { .. } => false,
        };
        if is_result {
            let follows = matches!(next, Some(Op::Activation(_)));
            found.push(position + usize::from(after_activation && follows));
        }
    }
    found
}

/// Whose result an operation passes on, which is one that [`activations`] names: the name of a layer or of a residual block,
/// and the convolution or linear layer, which for a block is the last one of its body.
pub fn source(structure: &Structure, op: usize) -> (&str, usize) {
    let of_layer = |unit: usize| {
        let mut layers = structure.layers.iter();
        layers.position(|layer| layer.kind.has_weight() && layer.unit == unit).unwrap_or_default()
    };
    for op in structure.ops[..=op].iter().rev() {
        match op {
            Op::Layer(layer) if structure.layers[*layer].kind.has_weight() => {
                return (&structure.layers[*layer].name, *layer);
            }
            Op::Add(block) => {
                let block = &structure.blocks[*block];
                return (&block.name, of_layer(block.unit));
            }
            Op::Layer(_)
            | Op::Activation(_)
            | Op::MaxPool(_)
            | Op::AveragePool(_)
            | Op::AdaptiveAveragePool(_)
            | Op::Flatten
            | Op::Dropout(_)
            | Op::Fork
            | Op::Swap
            | Op::Subsample { .. } => {}
        }
    }
    ("", 0)
}

/// How many entries the result of an operation has for one image, and how many of them make an output channel.
pub fn activation_size(structure: &Structure, op: usize) -> (usize, usize) {
    let output = structure.shapes()[op + 1];
    (output.len(), output.plane())
}

/// Whether a choice of layers holds the sum of a residual block.
fn has_block(structure: &Structure, layers: &Layers, block: &Block) -> bool {
    match layers {
        Layers::All => true,
        Layers::Only(names) => names.contains(&block.name),
        Layers::Except(names) => !names.contains(&block.name),
        Layers::First(count) => block.unit < *count,
        Layers::Last(count) => block.unit + count >= structure.units(),
    }
}

/// Whether a choice of layers holds the layer at this position. First and last count convolutions and linear layers; a
/// batch norm goes with the convolution before it, and a projection with its block. The name of a residual block means all
/// layers in it.
pub fn has_layer(structure: &Structure, layers: &Layers, position: usize) -> bool {
    let layer = &structure.layers[position];
    let is_in = |names: &[String]| {
        let inside = |block: &Block| {
            let rest = layer.name.strip_prefix(&block.name);
            names.contains(&block.name) && rest.is_some_and(|rest| rest.starts_with('.'))
        };
        names.contains(&layer.name) || structure.blocks.iter().any(inside)
    };
    match layers {
        Layers::All => true,
        Layers::Only(names) => is_in(names),
        Layers::Except(names) => !is_in(names),
        Layers::First(count) => layer.unit < *count,
        Layers::Last(count) => layer.unit + count >= structure.units(),
    }
}

/// Whether the entry of a parameter is in the output channels that a target names; it is when none is named.
pub fn has_entry(target: &Target, parameter: &Parameter, entry: usize) -> bool {
    target.channels.is_empty() || target.channels.contains(&(entry / parameter.row()))
}

fn has_role(kind: &Params, role: Role) -> bool {
    match kind {
        Params::Weights => role == Role::Weight,
        Params::Biases => role == Role::Bias,
        Params::WeightsAndBiases => matches!(role, Role::Weight | Role::Bias),
        Params::Norm => matches!(role, Role::Scale | Role::Shift),
        Params::RunningStatistics => !role.is_trained(),
        Params::Everything => true,
        Params::Activations | Params::Preactivations => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Shape;
    use crate::doc::{Activation, Loss, Net, ResNet, Vgg};

    fn small_vgg() -> Structure {
        let net = Net::Vgg(Vgg { depth: 11, width: 4, ..Vgg::default() });
        Structure::new(&net, Shape { channels: 1, height: 32, width: 32 }, 10, &Loss::CrossEntropy).unwrap()
    }

    #[test]
    fn activations_lie_behind_a_non_linearity_and_preactivations_behind_the_norm() {
        let structure = small_vgg(); // convolution, norm, rectifier, pooling, convolution, …
        let found = |layers: &Layers, kind: &Params| {
            activations(&structure, &Target { layers: layers.clone(), ..Target::default() }, kind)
        };
        let only = |name: &str| Layers::Only(vec![name.to_owned()]);
        assert_eq!(found(&Layers::First(1), &Params::Activations), [2]);
        assert_eq!(found(&Layers::First(1), &Params::Preactivations), [1]);
        for name in ["features.0", "features.1"] {
            assert_eq!(found(&only(name), &Params::Activations), [2], "{name}");
        }
        let logits = structure.ops.len() - 1;
        for kind in [Params::Activations, Params::Preactivations] {
            assert_eq!(found(&only("classifier"), &kind), [logits]);
        }
        let except = Layers::Except(vec!["features.0".to_owned()]);
        assert_eq!(found(&except, &Params::Activations).len(), 8);
        assert_eq!(found(&only("nothing"), &Params::Activations), [] as [usize; 0]);
    }

    #[test]
    fn a_block_has_its_sum_its_layers_and_its_projection() {
        let net = Net::ResNet(ResNet { depth: 18, ..ResNet::default() });
        let structure = Structure::new(&net, Shape::new(3, 32, 32), 10, &Loss::CrossEntropy).unwrap();
        let only = |name: &str| Layers::Only(vec![name.to_owned()]);
        let found = |layers: Layers, kind: &Params| {
            let found = activations(&structure, &Target { layers, ..Target::default() }, kind);
            let name = |op: usize| (source(&structure, op).0.to_owned(), structure.ops[op].clone());
            found.into_iter().map(name).collect::<Vec<_>>()
        };
        let relu = Op::Activation(Activation::Relu);
        assert_eq!(found(only("layer2.0"), &Params::Activations), [("layer2.0".to_owned(), relu)]);
        assert_eq!(found(only("layer2.0"), &Params::Preactivations), [("layer2.0".to_owned(), Op::Add(2))]);
        let all: Vec<String> =
            found(Layers::All, &Params::Activations).into_iter().map(|(name, _)| name).collect();
        let block = ["layer2.0.conv1", "layer2.0.conv2", "layer2.0.downsample.0", "layer2.0"];
        assert!(all.windows(4).any(|names| names == block), "{all:?}");
        let layers = |layers: Layers| {
            let names = structure.layers.iter().enumerate();
            let chosen = names.filter(|(position, _)| has_layer(&structure, &layers, *position));
            chosen.map(|(_, layer)| layer.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(layers(only("layer2.0")).len(), 6);
        // The first layer, four in layer1, and both of the block; the projection goes with the last one.
        assert!(!layers(Layers::First(6)).contains(&"layer2.0.downsample.0".to_owned()));
        assert!(layers(Layers::First(7)).contains(&"layer2.0.downsample.1".to_owned()));
        assert_eq!(structure.units(), 18);
    }

    fn names(target: &Target, usual: &Params) -> Vec<String> {
        let net = Net::Vgg(Vgg { depth: 11, width: 4, ..Vgg::default() });
        let shape = Shape { channels: 1, height: 32, width: 32 };
        let structure = Structure::new(&net, shape, 10, &Loss::CrossEntropy).unwrap();
        parameters(&structure, target, usual)
            .iter()
            .map(|&index| structure.parameters[index].name.clone())
            .collect()
    }

    #[test]
    fn the_usual_kind_holds_when_none_is_named() {
        assert_eq!(names(&Target::default(), &Params::Weights).len(), 9);
        let named = Target { params: Some(Params::Biases), ..Target::default() };
        assert!(names(&named, &Params::Weights).iter().all(|name| name.ends_with("bias")));
    }

    #[test]
    fn a_batch_norm_goes_with_its_convolution() {
        let target = Target { layers: Layers::First(1), ..Target::default() };
        let names = names(&target, &Params::Everything);
        assert_eq!(names.len(), 6);
        assert!(names.iter().all(|name| name.starts_with("features.0") || name.starts_with("features.1.")));
    }

    #[test]
    fn channels_are_rows_of_the_exported_layout() {
        let parameter = Parameter { name: "w".to_owned(), layer: 0, role: Role::Weight, shape: vec![3, 2] };
        let target = Target { channels: vec![1], ..Target::default() };
        let inside = |target: &Target| -> Vec<usize> {
            (0..6).filter(|&entry| has_entry(target, &parameter, entry)).collect()
        };
        assert_eq!(inside(&target), [2, 3]);
        assert_eq!(inside(&Target::default()), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_whole_network_can_be_named_in_several_ways() {
        let structure = small_vgg();
        let with = |layers: Layers, params| Target { layers, params, channels: Vec::new() };
        for target in [
            Target::default(),
            with(Layers::All, Some(Params::Everything)),
            with(Layers::First(1000), None),
            with(Layers::Except(Vec::new()), None),
        ] {
            assert!(is_whole(&structure, &target), "{target:?}");
        }
        for target in [
            with(Layers::Last(8), None),
            with(Layers::All, Some(Params::Weights)),
            Target { channels: vec![0], ..Target::default() },
        ] {
            assert!(!is_whole(&structure, &target), "{target:?}");
        }
    }

    #[test]
    fn running_statistics_are_never_pruned() {
        let structure = small_vgg();
        let everything = Target { params: Some(Params::Everything), ..Target::default() };
        let chosen = prunable(&structure, &everything);
        assert!(chosen.iter().all(|&index| structure.parameters[index].role.is_trained()));
        assert_eq!(chosen.len(), structure.parameters.len() - 2 * 8);
    }

    #[test]
    fn the_last_layer_is_the_output() {
        let target = Target { layers: Layers::Last(1), ..Target::default() };
        assert_eq!(names(&target, &Params::Everything), ["classifier.weight", "classifier.bias"]);
    }
}
