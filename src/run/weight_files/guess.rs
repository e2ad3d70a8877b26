//! The network that a weight file is of, by names and shapes.
//!
//! Every architecture suggests settings by the shapes of the layers; the first network that the file fits exactly is the
//! answer.

use super::names::{chain, layers_in_file, layers_of, prefix, shortened};
use super::{FileShapes, Fit, Shapes};
use crate::data::Shape;
use crate::doc::arch::LayerShapes;
use crate::doc::{Loss, Net, Structure};
use crate::form::{Stored, check_ranges};
use crate::results::network::shape_text;

/// Layers that are named where no network is found; more are counted.
const SOME: usize = 6;
/// No network here has more units or channels in a layer.
const WIDEST: usize = 1 << 20;
/// Most layers with weights of a network that is looked for: each network that comes into question is built.
const MOST_LAYERS: usize = 1000;

/// A network that a file fits exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// Its settings, with the number of classes.
    pub net: Net,
    /// Its settings for data with as many classes.
    pub same_classes: Net,
    /// The inputs that it is usually trained on.
    pub input: Shape,
    /// Number of logits.
    pub classes: usize,
    /// What the file does not say about the network.
    pub unknown: Option<&'static str>,
}

impl Guess {
    /// `VGG-16 for 3×32×32, 10 classes`
    pub fn name(&self) -> String {
        let name = self.net.rule().name(self.input, self.classes);
        format!("{name} for inputs of {}, {} classes", self.input, self.classes)
    }

    /// What it is, in a sentence without its end, and as an experiment has it: `A VGG-16 with batch norm and a linear head, net:
    /// Vgg()`.
    pub fn description(&self) -> String {
        format!("{}, net: {}", self.net.rule().description(), self.net.to_ron())
    }

    /// The network for data of this many classes, where that is known: only another number is written down.
    pub fn net_for(&self, classes: Option<usize>) -> &Net {
        if classes == Some(self.classes) { &self.same_classes } else { &self.net }
    }
}

/// The network whose weights these are.
///
/// # Errors
/// What the file has instead, in a sentence without its end.
pub fn guess(file: &FileShapes) -> Result<Guess, String> {
    let length = prefix(&file.shapes.keys());
    let (shapes, in_file) = (shortened(file.shapes.clone(), length), layers_in_file(&file.order, length));
    let weights = weights(&shapes, &in_file);
    if weights.is_empty() {
        return Err("the file has no weights of layers".to_owned());
    }
    if weights.len() > MOST_LAYERS || shapes.values().flatten().any(|&length| length > WIDEST) {
        return Err(seen(&weights));
    }
    let has_batch_norm = shapes.keys().any(|name| name.ends_with(".running_var"));
    let layers = LayerShapes {
        convolutions: weights.iter().filter_map(|(_, shape)| shape.as_slice().try_into().ok()).collect(),
        linear: weights.iter().filter_map(|(_, shape)| shape.as_slice().try_into().ok()).collect(),
        has_batch_norm,
    };
    let Some(&[classes, _]) = layers.linear.last() else {
        return Err(seen(&weights));
    };
    let suggested = |classes: Option<usize>| {
        let kinds = Net::all().into_iter();
        kinds.flat_map(|kind| kind.rule().suggested(&layers, classes)).collect::<Vec<_>>()
    };
    let (given, plain) = (suggested(Some(classes)), suggested(None));
    let (at, (net, input)) = given
        .into_iter()
        .enumerate()
        .find(|(_, (net, input))| fits(net, *input, classes, file))
        .ok_or_else(|| seen(&weights))?;
    // An experiment with other settings than these is refused.
    if let Some(problem) = check_ranges(&mut net.clone()).first() {
        return Err(format!("its layers are those of {}, but {}", net.label(), problem.message));
    }
    let unknown = net.rule().not_in_weights();
    Ok(Guess { net, same_classes: plain[at].0.clone(), input, classes, unknown })
}

/// Weights of convolutions and linear layers by the names of their layers, in the order of numbers, or in that of the file
/// where they have none; the last linear layer is the last one.
fn weights(shapes: &Shapes, in_file: &[String]) -> Vec<(String, Vec<usize>)> {
    let layers = layers_of(shapes.keys());
    let layers = chain(&layers, in_file).unwrap_or(layers).into_iter();
    let of = |layer: String| Some((shapes.get(&format!("{layer}.weight"))?.clone(), layer));
    let mut weights: Vec<(String, Vec<usize>)> = layers
        .filter_map(of)
        .filter(|(shape, _)| matches!(shape.len(), 2 | 4))
        .map(|(shape, layer)| (layer, shape))
        .collect();
    weights.sort_by_key(|(_, shape)| shape.len() == 2); // stable: linear layers follow the convolutions
    weights
}

fn fits(net: &Net, input: Shape, classes: usize, file: &FileShapes) -> bool {
    let Ok(structure) = Structure::new(net, input, classes, &Loss::CrossEntropy) else {
        return false;
    };
    Fit::of_all(&structure, &file.named_for(&structure)).is_exact()
}

/// What a file has, where no network here has the same.
fn seen(weights: &[(String, Vec<usize>)]) -> String {
    let some: Vec<String> =
        weights.iter().take(SOME).map(|(layer, shape)| format!("{layer} {}", shape_text(shape))).collect();
    let more = weights.len().saturating_sub(SOME);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("no network here has its layers: {}{more}", some.join(", "))
}
