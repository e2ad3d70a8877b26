//! What an intervention acts on, and which parameters of a network that is.

use crate::structure::{Block, Op, Parameter, Role, Structure, Yields};
use data::Shape;

form::choice! {
    /// A choice of layers.
    pub enum Layers: "Layers" {
        All, "All", "Every layer";
        Only(Vec<String>) = Vec::new(), "Only", "The named layers", names Layers;
        Except(Vec<String>) = Vec::new(), "All but", "Every layer but the named ones", names Layers;
        First(usize) = 1, "First", "The first layers that have weights", range [0, 1000];
        Last(usize) = 1, "Last", "The last layers that have weights", range [0, 1000];
    }
}

form::choice! {
    /// A kind of parameters.
    pub enum Params: "Parameters" {
        Weights, "Weights", "Weights of convolution and linear layers";
        Biases, "Biases", "Biases of convolution and linear layers";
        WeightsAndBiases, "Weights and biases", "Both, of convolution and linear layers";
        Norm, "Norm parameters", "Scale and shift of batch norm";
        RunningStatistics, "Running statistics", "Running mean and variance of batch norm";
        Everything, "Everything", "All parameters and statistics";
        Activations, "Activations", "Outputs of layers after their non-linearity; for faults only";
        Preactivations, "Preactivations", "Outputs of layers before their non-linearity; for faults only";
    }
}

form::form! {
    /// The part of a network that an intervention acts on.
    pub struct Target: "Target" {
        layers: Layers = Layers::All, "Layers", "Which layers";
        params: Option<Params> = None, "Parameters", "Which kind; default: weights for pruning and faults, \
            everything otherwise";
        channels: Vec<usize> = Vec::new(), "Output channels", "Only these output channels (rows); none: all";
    }
}

/// Returns the positions of the parameters that a target means, in the order of the network; `usual` is what it means when
/// it names no kind.
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

/// Returns true if a target means every entry of the network, however it says so.
pub fn is_whole(structure: &Structure, target: &Target) -> bool {
    target.channels.is_empty()
        && parameters(structure, target, &Params::Everything).len() == structure.parameters.len()
}

/// Returns the positions of the parameters that a target means for pruning: weights when it names no kind, and never
/// running statistics, which are measured and not trained; a variance of 0 would only blow the layer up.
pub fn prunable(structure: &Structure, target: &Target) -> Vec<usize> {
    let mut chosen = parameters(structure, target, &Params::Weights);
    chosen.retain(|&index| structure.parameters[index].role.is_trained());
    chosen
}

/// The result of a layer or of a residual block, in which faults can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerResult<'a> {
    /// Behind this operation.
    pub op: usize,
    /// Of the layer or of the block.
    pub name: &'a str,
    pub output: Shape,
}

/// Returns the results that a choice of layers means by [`Params::Activations`] or [`Params::Preactivations`], in the order
/// of the network: behind non-linearities, or in front of them. A batch norm right behind its convolution belongs to it, so
/// that both have one result, called after the convolution; any other batch norm has a result of its own. A layer without a
/// non-linearity has one result for both: its output. The result of a residual block is its sum.
pub fn results<'a>(structure: &'a Structure, layers: &Layers, kind: &Params) -> Vec<LayerResult<'a>> {
    let ops = &structure.ops;
    let norm_at = |position: usize| ops.get(position).and_then(|op| structure.norm(op));
    let result = |(position, op): (usize, &Op)| {
        let (name, output, is_chosen, end) = match op.yields()? {
            Yields::Block(block) => {
                let block = &structure.blocks[block];
                (&block.name, block.output, has(structure, layers, &block.name, block.unit), position)
            }
            Yields::Layer(layer) => {
                let is_unit = |position: usize| structure.is_unit(&ops[position]);
                if norm_at(position).is_some() && position.checked_sub(1).is_some_and(is_unit) {
                    return None;
                }
                let norm = norm_at(position + 1).filter(|_| is_unit(position));
                let names_norm =
                    |norm| matches!(layers, Layers::Only(_)) && has_layer(structure, layers, norm);
                let is_chosen = has_layer(structure, layers, layer) || norm.is_some_and(names_norm);
                let layer = &structure.layers[layer];
                (&layer.name, layer.output, is_chosen, position + usize::from(norm.is_some()))
            }
        };
        let is_behind = *kind == Params::Activations && matches!(ops.get(end + 1), Some(Op::Activation(_)));
        is_chosen.then_some(LayerResult { op: end + usize::from(is_behind), name, output })
    };
    ops.iter().enumerate().filter_map(result).collect()
}

/// Returns true if a choice of layers holds the layer at this position. First and last count convolutions and linear layers; a
/// batch norm goes with the convolution before it, and a projection with its block. The name of a residual block means all
/// layers and blocks in it.
pub fn has_layer(structure: &Structure, layers: &Layers, position: usize) -> bool {
    let layer = &structure.layers[position];
    has(structure, layers, &layer.name, layer.unit)
}

/// Returns true if a choice of layers holds what has this name and counts as this unit.
fn has(structure: &Structure, layers: &Layers, name: &str, unit: usize) -> bool {
    let is_in = |names: &[String]| {
        let inside = |block: &Block| {
            let rest = name.strip_prefix(&block.name);
            names.contains(&block.name) && rest.is_some_and(|rest| rest.starts_with('.'))
        };
        names.iter().any(|chosen| chosen == name) || structure.blocks.iter().any(inside)
    };
    match layers {
        Layers::All => true,
        Layers::Only(names) => is_in(names),
        Layers::Except(names) => !is_in(names),
        Layers::First(count) => unit < *count,
        Layers::Last(count) => unit + count >= structure.units(),
    }
}

/// Returns true if the entry of a parameter is in the output channels that a target names; it is when none is named.
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
    use crate::{Activation, Loss, Net, ResNet, Vgg};

    fn small_vgg() -> Structure {
        let net = Net::Vgg(Vgg { depth: 11, width: 4, ..Vgg::default() });
        Structure::new(&net, Shape { channels: 1, height: 32, width: 32 }, 10, &Loss::CrossEntropy).unwrap()
    }

    #[test]
    fn activations_lie_behind_a_non_linearity_and_preactivations_behind_the_norm() {
        let structure = small_vgg(); // convolution, norm, rectifier, pooling, convolution, …
        let found = |layers: &Layers, kind: &Params| -> Vec<usize> {
            results(&structure, layers, kind).iter().map(|result| result.op).collect()
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
            let name = |result: LayerResult| (result.name.to_owned(), structure.ops[result.op].clone());
            results(&structure, &layers, kind).into_iter().map(name).collect::<Vec<_>>()
        };
        let relu = || Op::Activation(Activation::Relu);
        let names = ["layer2.0.conv1", "layer2.0.conv2", "layer2.0.downsample.0", "layer2.0"];
        let of_block = found(only("layer2.0"), &Params::Activations);
        assert_eq!(of_block.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names);
        assert_eq!(of_block[3], ("layer2.0".to_owned(), relu()));
        assert_eq!(found(only("layer2.0"), &Params::Preactivations)[3], ("layer2.0".to_owned(), Op::Add(2)));
        assert_eq!(
            found(only("layer2.0.conv1"), &Params::Activations),
            [("layer2.0.conv1".to_owned(), relu())]
        );
        let all: Vec<String> =
            found(Layers::All, &Params::Activations).into_iter().map(|(name, _)| name).collect();
        assert!(all.windows(4).any(|found| found == names), "{all:?}");
        let rest = found(Layers::Except(vec!["layer2.0".to_owned()]), &Params::Activations);
        assert_eq!(rest.len(), all.len() - 4);
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
