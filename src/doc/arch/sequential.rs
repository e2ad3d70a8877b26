//! Networks that the user writes.

use crate::arch::Architecture;
use crate::arch::module::{Linear, Module, Output, in_brackets};
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
