//! Networks that the user writes.

use crate::arch::module::{Conv, Linear, Module, Output, in_brackets};
use crate::arch::{Architecture, Net};
use crate::spec::RunSpec;
use data::Shape;
use form::number::counted;
use form::path::Place;

architecture! {
    /// A list of layers. Layers without a name are called by their position, as `torch.nn.Sequential` counts.
    Sequential: "Layers of your own", init PyTorch {
        layers: Vec<Module> = vec![Module::Flatten, Module::Linear(Linear::default())], "Layers", "The layers, in the order \
            in which they compute; the last one yields a number for each class", written always;
    } {
        output: Output = Output::Linear, "Output", "What follows the last layer";
        image_size: Option<usize> = None, "Image size", "Small built-in images are resized to this side, unless the data \
            have an image size", unit "pixels", range [1, 512], unset "as the data have";
    }
}

/// Returns the place of a layer in a written list by its position there, then in the body of the block that it is in, and
/// so on; `net` is the place of the network.
pub fn place_of(net: &Place, mut layers: &[Module], path: &[usize]) -> Place {
    let mut place = net.key("layers");
    for (depth, position) in path.iter().enumerate() {
        place = place.index(*position);
        if depth + 1 < path.len()
            && let Some(module @ Module::Residual(residual)) = layers.get(*position)
        {
            place = place.variant(module.key()).key("body");
            layers = &residual.body;
        }
    }
    place
}

/// Names the layers with parameters, and the blocks that such names begin with, by their path.
pub fn names(layers: &[Module]) -> Vec<(Vec<usize>, String)> {
    let mut all = Vec::new();
    for (position, layer) in layers.iter().enumerate() {
        let Some(own) = layer.name() else { continue };
        let name = own.clone().unwrap_or_else(|| position.to_string());
        if let Module::Residual(residual) = layer {
            let inside = names(&residual.body).into_iter();
            all.extend(
                inside.map(|(path, inner)| ([vec![position], path].concat(), format!("{name}.{inner}"))),
            );
        }
        all.push((vec![position], name));
    }
    all
}

/// Most units of a new linear layer between others, where those do not ask for more.
const UNITS: usize = 128;

/// Returns where a new layer goes in a list of layers of the written network of a run, and the layer with settings that fit
/// there: at position `at` or as near to it as one fits; without a position, before the last linear layer. `list` has
/// the positions of the blocks around the list.
pub fn placed(spec: &RunSpec, list: &[usize], at: Option<usize>, new: Module) -> (usize, Module) {
    let mut with = spec.clone();
    let Some(layers) = list_of(&mut with.net, list) else { return (at.unwrap_or(0), new) };
    let count = layers.len();
    let classifier = layers.iter().rposition(|layer| matches!(layer, Module::Linear(_)));
    let at = at.or(classifier).unwrap_or(count);
    let Ok(traced) = spec.trace() else { return (at, new) };
    let incoming = |position: usize| {
        let mut path = [list, &[position]].concat();
        while let Some(position) = path.pop() {
            if let Some(before) = position.checked_sub(1) {
                path.push(before);
                return traced.behind.iter().find(|(other, _)| *other == path).map(|(_, shape)| *shape);
            }
        }
        Some(traced.structure.input)
    };
    let mut positions: Vec<usize> = (0..=count).collect();
    positions.sort_by_key(|position| (position.abs_diff(at), *position));
    for position in positions {
        let Some(shape) = incoming(position) else { continue };
        let is_last = list.is_empty() && position == count;
        for layer in fitting(&new, shape, is_last) {
            let Some(layers) = list_of(&mut with.net, list) else { continue };
            layers.insert(position, layer.clone());
            let fits = with.trace().is_ok_and(|traced| traced.misfit.is_none());
            if fits {
                return (position, layer);
            }
            if let Some(layers) = list_of(&mut with.net, list) {
                layers.remove(position);
            }
        }
    }
    (at, new)
}

/// Returns the list of layers in a written network behind these positions of blocks.
fn list_of<'a>(net: &'a mut Net, list: &[usize]) -> Option<&'a mut Vec<Module>> {
    let Net::Sequential(Sequential { layers, .. }) = net else { return None };
    list.iter().try_fold(layers, |layers, position| {
        if let Module::Residual(block) = layers.get_mut(*position)? { Some(&mut block.body) } else { None }
    })
}

/// Returns settings of a layer to try where this comes in: its defaults, and those that keep the shape.
fn fitting(new: &Module, incoming: Shape, is_last: bool) -> Vec<Module> {
    let inputs = incoming.len();
    let linear = |units| Module::Linear(Linear { units: Some(units), ..Linear::default() });
    match new {
        Module::Linear(_) if !is_last => vec![linear(inputs.min(UNITS)), linear(inputs)],
        Module::Conv(_) => {
            vec![new.clone(), Module::Conv(Conv { channels: incoming.channels, ..Conv::default() })]
        }
        // The others have no width of their own.
        Module::Linear(_)
        | Module::BatchNorm(_)
        | Module::Relu
        | Module::MaxPool(_)
        | Module::Residual(_)
        | Module::Dropout(_)
        | Module::Flatten
        | Module::GlobalAveragePool
        | Module::AveragePool(_)
        | Module::AdaptiveAveragePool(_)
        | Module::Softsign
        | Module::Tanh
        | Module::Sigmoid => vec![new.clone()],
    }
}

impl Architecture for Sequential {
    fn modules(&self, _input: Shape, _outputs: usize) -> Vec<Module> {
        self.layers.clone()
    }

    fn written(&self) -> Option<&[Module]> {
        Some(&self.layers)
    }

    fn problems(&self) -> Vec<(&'static str, String)> {
        let message = "there are no layers; add one".to_owned();
        self.layers.is_empty().then_some(("layers", message)).into_iter().collect()
    }

    fn output(&self) -> Output {
        self.output.clone()
    }

    fn image_side(&self) -> Option<usize> {
        self.image_size
    }

    fn name(&self, _input: Shape, _outputs: usize) -> String {
        counted(self.layers.len() as u64, "layer")
    }

    fn description(&self) -> String {
        format!("A network of the layers {}", in_brackets(&self.layers))
    }
}
