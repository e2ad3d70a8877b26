//! The network that a weight file is of, by names and shapes.
//!
//! Every architecture suggests settings by the shapes of the layers; the first network that the file fits exactly is the
//! answer.

use super::names::{chain, common_wrapper, layers_in_file, layers_of};
use super::naming::{plain_file, prefixes};
use super::sources::{Source, source_of};
use super::{FileShapes, Fit, Shapes};
use data::{Data, Shape};
use doc::arch::LayerShapes;
use doc::{Loss, Net, Structure};
use form::number::first_of;
use form::{Stored, check_ranges};
use results::network::shape_text;

/// Layers that are named where no network is found; more are counted.
const SOME: usize = 6;
/// No network here has more units or channels in a layer.
const WIDEST: usize = 1 << 20;
/// Most layers with weights of a network that is looked for: each network that comes into question is built.
const MOST_LAYERS: usize = 1000;
/// Most parts of a file that are looked at by themselves.
const MOST_PARTS: usize = 8;

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
    /// Whose file it looks like.
    pub source: Option<&'static Source>,
}

impl Guess {
    /// `VGG-16 for 3×32×32, 10 classes`
    pub fn name(&self) -> String {
        let name = self.net.rule().name(self.input, self.classes);
        format!("{name} for inputs of {}, {} classes", self.input, self.classes)
    }

    /// Its graph.
    pub fn structure(&self) -> Option<Structure> {
        Structure::new(&self.net, self.input, self.classes, &Loss::CrossEntropy).ok()
    }

    /// The data that it takes: the present ones where they fit, else the first known set of its inputs and classes, scaled as
    /// in training where the source is known.
    ///
    /// # Errors
    /// What is missing, in a sentence without its end.
    pub fn data(&self, present: &Data) -> Result<Data, String> {
        let wanted = self.structure().map(|structure| structure.parameters);
        let fits = |data: &Data| {
            let Some(facts) = data.facts(self.net.image_side()) else { return false };
            let structure = Structure::new(&self.net, facts.shape, self.classes, &Loss::CrossEntropy).ok();
            facts.classes <= self.classes && structure.map(|structure| structure.parameters) == wanted
        };
        if fits(present) {
            return Ok(present.clone());
        }
        let is_whole = |data: &&Data| {
            data.facts(None).is_some_and(|facts| (facts.shape, facts.classes) == (self.input, self.classes))
        };
        let known = Data::all().into_iter().find(|data| is_whole(&data) && fits(data)).ok_or_else(|| {
            format!(
                "choose data of {} in {} classes under Data: no known set is of that kind",
                self.input, self.classes
            )
        })?;
        Ok(match self.source {
            Some(source) => known.scaled(source.normalize()),
            None => known,
        })
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

/// The network whose weights these are: of the whole file, or of what is under one beginning of its names.
///
/// # Errors
/// What the file has instead, in a sentence without its end.
pub fn guess(file: &FileShapes) -> Result<Guess, String> {
    let file = &plain_file(file).unwrap_or_else(|| file.clone());
    let whole = file.under(&common_wrapper(&file.shapes.keys()));
    let found = guess_whole(&whole);
    // Without half of the names, or without the convolutions, it is the head of another network.
    let has_convolution = |file: &FileShapes| file.shapes.values().any(|shape| shape.len() == 4);
    let is_network = |part: &FileShapes| {
        has_convolution(part) || !has_convolution(file) && 2 * part.shapes.len() >= file.shapes.len()
    };
    let beginnings =
        prefixes(&file.shapes, 2).into_iter().filter(|prefix| !prefix.is_empty()).take(MOST_PARTS);
    let mut parts = beginnings.map(|prefix| file.under(&prefix)).filter(is_network);
    found.or_else(|seen| parts.find_map(|part| guess_whole(&part).ok()).ok_or(seen))
}

fn guess_whole(file: &FileShapes) -> Result<Guess, String> {
    let (shapes, in_file) = (&file.shapes, layers_in_file(&file.order));
    let weights = weights(shapes, &in_file);
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
    let (unknown, source) = (net.rule().not_in_weights(), source_of(shapes));
    Ok(Guess { net, same_classes: plain[at].0.clone(), input, classes, unknown, source })
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
    let layers = weights.iter().map(|(layer, shape)| format!("{layer} {}", shape_text(shape)));
    format!("no network here has its layers: {}", first_of(layers, SOME, ", "))
}
