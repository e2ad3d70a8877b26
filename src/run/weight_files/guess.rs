//! The network that a weight file is of, by names and shapes.
//!
//! For each architecture that can be meant, this writes down the settings that the shapes suggest, and keeps the first
//! network that the file fits exactly.

use super::names::{layers_of, named_as_here, without_prefix};
use super::{Fit, Shapes};
use crate::data::Shape;
use crate::doc::arch::{ConvNet, Head, Hidden, LeNet5, Mlp, Net, ResNet, Sequential, Shortcuts, Vgg};
use crate::doc::{Loss, Structure};
use crate::results::network::shape_text;

/// Layers that are named where no network is found; more are counted.
const SOME: usize = 6;
/// No network here has more units or channels in a layer.
const WIDEST: usize = 1 << 20;

/// A network that a file fits exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// Its settings, with the number of classes.
    pub net: Net,
    /// The inputs that it is usually trained on.
    pub input: Shape,
    /// Number of logits.
    pub classes: usize,
}

impl Guess {
    /// `VGG-16 for 3×32×32, 10 classes`
    pub fn name(&self) -> String {
        let name = self.net.rule().name(self.input, self.classes);
        format!("{name} for inputs of {}, {} classes", self.input, self.classes)
    }

    /// The network for data of this many classes: only another number is written down.
    pub fn net_for(&self, classes: usize) -> Net {
        let classes = (classes != self.classes).then_some(self.classes);
        match self.net.clone() {
            Net::Mlp(net) => Net::Mlp(Mlp { classes, ..net }),
            Net::Vgg(net) => Net::Vgg(Vgg { classes, ..net }),
            Net::LeNet5(net) => Net::LeNet5(LeNet5 { classes, ..net }),
            Net::ConvNet(net) => Net::ConvNet(ConvNet { classes, ..net }),
            Net::ResNet(net) => Net::ResNet(ResNet { classes, ..net }),
            Net::Sequential(net) => Net::Sequential(Sequential { classes, ..net }),
        }
    }

    /// What the file does not say about the network.
    pub fn unknown(&self) -> Option<&'static str> {
        matches!(self.net, Net::Mlp(_)).then_some("the file does not say which activation the network has")
    }
}

/// The network whose weights these are.
///
/// # Errors
/// What the file has instead, in a sentence.
pub fn guess(shapes: &Shapes) -> Result<Guess, String> {
    let shapes = without_prefix(shapes.clone());
    let weights = weights(&shapes);
    if shapes.values().flatten().any(|&length| length > WIDEST) {
        return Err(seen(&weights));
    }
    let Some(classes) = weights.last().and_then(|(_, shape)| shape.first().copied()) else {
        return Err("it has no weights of layers".to_owned());
    };
    candidates(&weights, &shapes, classes)
        .into_iter()
        .find(|guess| fits(guess, &shapes))
        .ok_or_else(|| seen(&weights))
}

/// Weights of convolutions and linear layers by the names of their layers, in the order of numbers; the last linear layer is
/// the last one.
fn weights(shapes: &Shapes) -> Vec<(String, Vec<usize>)> {
    let layers = layers_of(shapes.keys()).into_iter();
    let of = |layer: String| Some((shapes.get(&format!("{layer}.weight"))?.clone(), layer));
    let mut weights: Vec<(String, Vec<usize>)> = layers
        .filter_map(of)
        .filter(|(shape, _)| matches!(shape.len(), 2 | 4))
        .map(|(shape, layer)| (layer, shape))
        .collect();
    weights.sort_by_key(|(_, shape)| shape.len() == 2); // stable: linear layers follow the convolutions
    weights
}

fn fits(guess: &Guess, shapes: &Shapes) -> bool {
    let Ok(structure) = Structure::new(&guess.net, guess.input, guess.classes, &Loss::CrossEntropy) else {
        return false;
    };
    Fit::of_all(&structure, &named_as_here(&structure, shapes.clone()).tensors).is_exact()
}

/// Networks whose first layers look like these, most usual ones first.
fn candidates(weights: &[(String, Vec<usize>)], shapes: &Shapes, classes: usize) -> Vec<Guess> {
    let first = &weights[0].1;
    let guess = |net: Net, input: Shape| Guess { net, input, classes };
    let &[width, channels, kernel, _] = first.as_slice() else {
        return mlp(weights, classes).into_iter().collect();
    };
    let (small, large) = (Shape::new(channels, 32, 32), Shape::new(channels, 224, 224));
    let classes = Some(classes);
    let mut found = Vec::new();
    match kernel {
        3 => {
            for depth in [20, 32, 44, 56, 110] {
                for shortcuts in [Shortcuts::Usual, Shortcuts::Project] {
                    let net = ResNet { depth, shortcuts, classes, ..ResNet::default() };
                    found.push(guess(Net::ResNet(net), small));
                }
            }
            found.extend(vggs(weights, shapes, width).into_iter().map(|(net, pool)| {
                let input = if pool > 1 { large } else { small };
                guess(Net::Vgg(Vgg { classes, ..net }), input)
            }));
            for depth in [2, 4, 6] {
                let net = ConvNet { depth, classes, ..ConvNet::default() };
                for side in [32, 28] {
                    found.push(guess(Net::ConvNet(net.clone()), Shape::new(channels, side, side)));
                }
            }
        }
        5 => {
            let side = if channels == 1 { 28 } else { 32 };
            let net = LeNet5 { classes, ..LeNet5::default() };
            found.push(guess(Net::LeNet5(net), Shape::new(channels, side, side)));
        }
        7 => {
            for depth in [18, 34, 50, 101] {
                let net = ResNet { depth, classes, ..ResNet::default() };
                found.push(guess(Net::ResNet(net), large));
            }
        }
        _ => {}
    }
    found
}

/// VGGs with this many channels in the first layer, and the side of what their pooling leaves.
fn vggs(weights: &[(String, Vec<usize>)], shapes: &Shapes, width: usize) -> Vec<(Vgg, usize)> {
    let linear: Vec<&Vec<usize>> =
        weights.iter().map(|(_, shape)| shape).filter(|shape| shape.len() == 2).collect();
    let Some((&inputs, hidden)) =
        linear.first().and_then(|first| Some((first.get(1)?, &linear[..linear.len() - 1])))
    else {
        return Vec::new();
    };
    let widths: Vec<usize> = hidden.iter().map(|shape| shape[0]).collect();
    let pool = (inputs / (8 * width).max(1)).isqrt();
    let head = match widths.as_slice() {
        [] => Head::Linear,
        [4096, 4096] if pool == 7 => Head::ImageNet,
        _ => Head::Hidden(Hidden { widths, pool }),
    };
    let batch_norm = shapes.keys().any(|name| name.ends_with(".running_var"));
    let net = |depth| Vgg { depth, width, batch_norm, head: head.clone(), ..Vgg::default() };
    [11, 13, 16, 19].map(|depth| (net(depth), pool)).to_vec()
}

/// Linear layers that follow each other.
fn mlp(weights: &[(String, Vec<usize>)], classes: usize) -> Option<Guess> {
    let follows = |pair: &[(String, Vec<usize>)]| pair[1].1.get(1) == pair[0].1.first();
    if !weights.windows(2).all(follows) {
        return None;
    }
    let hidden = weights[..weights.len() - 1].iter().map(|(_, shape)| shape[0]).collect();
    let input = match *weights[0].1.get(1)? {
        784 => Shape::new(1, 28, 28),
        3072 => Shape::new(3, 32, 32),
        64 => Shape::new(1, 8, 8),
        features => Shape::new(features, 1, 1),
    };
    Some(Guess { net: Net::Mlp(Mlp { hidden, classes: Some(classes), ..Mlp::default() }), input, classes })
}

/// What a file has, where no network here has the same.
fn seen(weights: &[(String, Vec<usize>)]) -> String {
    let some: Vec<String> =
        weights.iter().take(SOME).map(|(layer, shape)| format!("{layer} {}", shape_text(shape))).collect();
    let more = weights.len().saturating_sub(SOME);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("no network here has its layers: {}{more}", some.join(", "))
}
