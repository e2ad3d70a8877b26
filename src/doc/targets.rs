//! Which parameters a [`Target`] means.

use super::intervention::{Layers, Params, Target};
use super::structure::{Parameter, Role, Structure};

/// Positions of the parameters that a target means, in the order of the network; `usual` is what it means when it names
/// no kind.
#[must_use]
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

/// Whether a choice of layers holds the layer at this position. First and last count convolutions and linear layers; a
/// batch norm goes with the convolution before it.
#[must_use]
pub fn has_layer(structure: &Structure, layers: &Layers, position: usize) -> bool {
    let layer = &structure.layers[position];
    match layers {
        Layers::All => true,
        Layers::Only(names) => names.contains(&layer.name),
        Layers::Except(names) => !names.contains(&layer.name),
        Layers::First(count) => layer.unit < *count,
        Layers::Last(count) => layer.unit + count >= structure.units(),
    }
}

/// Whether the entry of a parameter lies in the output channels that a target names; it does when none is named.
#[must_use]
pub fn has_entry(target: &Target, parameter: &Parameter, entry: usize) -> bool {
    let row = parameter.len() / parameter.shape.first().copied().unwrap_or(1).max(1);
    target.channels.is_empty() || target.channels.contains(&(entry / row.max(1)))
}

/// Values of a parameter where the target's output channels are `new` and the others `old`.
#[must_use]
pub fn blend(target: &Target, parameter: &Parameter, old: &[f32], new: &[f32]) -> Vec<f32> {
    if target.channels.is_empty() {
        return new.to_vec();
    }
    let pairs = old.iter().zip(new).enumerate();
    pairs.map(|(entry, (old, new))| if has_entry(target, parameter, entry) { *new } else { *old }).collect()
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
    use crate::doc::{Loss, Net, Vgg};

    fn names(target: &Target, usual: &Params) -> Vec<String> {
        let net = Net::Vgg(Vgg { depth: 11, width: 4, ..Vgg::default() });
        let shape = Shape { channels: 1, height: 32, width: 32 };
        let structure = Structure::new(&net, shape, 10, &Loss::CrossEntropy);
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
        assert_eq!(blend(&target, &parameter, &[0.0; 6], &[1.0; 6]), [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
        assert_eq!(blend(&Target::default(), &parameter, &[0.0; 6], &[1.0; 6]), [1.0; 6]);
    }

    #[test]
    fn the_last_layer_is_the_output() {
        let target = Target { layers: Layers::Last(1), ..Target::default() };
        assert_eq!(names(&target, &Params::Everything), ["classifier.weight", "classifier.bias"]);
    }
}
