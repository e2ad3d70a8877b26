//! The network that a weight file is of, by names and shapes.
//!
//! Every architecture suggests settings by the shapes of the layers; the first network that the file fits exactly is the
//! answer.

use serde_json::Value;

use super::names::{chain, layers_in_file, layers_of, prefixes};
use super::{FileShapes, Fit, Shapes};
use data::{Data, Normalize, Shape};
use doc::arch::LayerShapes;
use doc::{Loss, Net, Structure};
use form::number::first_of;
use form::{Stored, check_ranges, ron_text};
use net::weights_file::{SCALING, WRITER};
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
    pub classes: usize,
    /// A fact about the network that weights do not show.
    pub unknown: Option<&'static str>,
    pub source: Option<&'static Source>,
}

impl Guess {
    /// Returns its name: `VGG-16 for 3×32×32, 10 classes`.
    pub fn name(&self) -> String {
        let name = self.net.rule().name(self.input, self.classes);
        format!("{name} for inputs of {}, {} classes", self.input, self.classes)
    }

    /// Builds its graph.
    pub fn structure(&self) -> Option<Structure> {
        Structure::new(&self.net, self.input, self.classes, &Loss::CrossEntropy).ok()
    }

    /// Chooses data for it: the present ones where they fit, else the first known set of its inputs and classes, scaled
    /// as in training where the source is known.
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

    /// Describes it in a sentence without its end, and as an experiment has it: `A VGG-16 with batch norm and a linear
    /// head, net: Vgg()`.
    pub fn description(&self) -> String {
        format!("{}, net: {}", self.net.rule().description(), self.net.to_ron())
    }

    /// Returns the network for data of this many classes, where that is known: only another number is written down.
    pub fn net_for(&self, classes: Option<usize>) -> &Net {
        if classes == Some(self.classes) { &self.same_classes } else { &self.net }
    }
}

/// Finds the network whose weights these are: of the whole file, or of what is under one beginning of its names.
pub fn guess(file: &FileShapes) -> Result<Guess, String> {
    let file = &file.plain();
    let found = guess_whole(&file.unwrapped());
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

/// Returns the weights of convolutions and linear layers by the names of their layers, in the order of numbers, or in that
/// of the file where they have none; the last linear layer is the last one.
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
    Fit::whole(&structure, &file.named_for(&structure)).is_exact()
}

/// Describes what a file has, where no network here has the same.
fn seen(weights: &[(String, Vec<usize>)]) -> String {
    let layers = weights.iter().map(|(layer, shape)| format!("{layer} {}", shape_text(shape)));
    format!("no network here has its layers: {}", first_of(layers, SOME, ", "))
}

/// A repository whose weights many people use, and how their inputs were scaled.
#[derive(Debug, PartialEq)]
pub struct Source {
    pub name: &'static str,
    /// Layers of its files, each with the first lengths of its weight's shape.
    has: &'static str,
    /// A layer that they do not have, and others with the same names do.
    lacks: &'static str,
    normalize: &'static str,
}

const CHENYAOFO: &str = "chenyaofo/pytorch-cifar-models";
const IMAGE_NET: &str = "ImageNet";
const CIFAR_10: &str = "Given(mean: [0.4914, 0.4822, 0.4465], deviation: [0.2023, 0.1994, 0.201])";
const CIFAR_100: &str = "Given(mean: [0.507, 0.4865, 0.4409], deviation: [0.2673, 0.2564, 0.2761])";
const HUYVNPHAN: &str = "Given(mean: [0.4914, 0.4822, 0.4465], deviation: [0.2471, 0.2435, 0.2616])";

/// As the programs in these repositories scale the pictures that they train on.
#[rustfmt::skip]
const SOURCES: [Source; 9] = [
    Source::new("akamaster/pytorch_resnet_cifar10", "conv1 16, layer3.0.conv2 64, linear 10", "layer2.0.downsample.0", IMAGE_NET),
    Source::new("torchvision", "conv1 64, layer4.0.conv1 512, fc 1000", "linear", IMAGE_NET),
    Source::new("torchvision", "features.0 64, classifier.0 4096 25088, classifier.6 1000", "linear", IMAGE_NET),
    Source::new("chengyangfu/pytorch-vgg-cifar10", "features.0 64, classifier.1 512 512, classifier.6 10", "classifier.0", IMAGE_NET),
    Source::new(CHENYAOFO, "conv1 16, layer3.0.downsample.0 64, fc 10", "layer4.0.conv1", CIFAR_10),
    Source::new(CHENYAOFO, "conv1 16, layer3.0.downsample.0 64, fc 100", "layer4.0.conv1", CIFAR_100),
    Source::new(CHENYAOFO, "features.0 64, classifier.0 512 512, classifier.6 10", "classifier.1", CIFAR_10),
    Source::new(CHENYAOFO, "features.0 64, classifier.0 512 512, classifier.6 100", "classifier.1", CIFAR_100),
    Source::new("huyvnphan/PyTorch_CIFAR10", "features.0 64, classifier.0 4096 512, classifier.6 10", "classifier.1", HUYVNPHAN),
];

impl Source {
    const fn new(
        name: &'static str,
        has: &'static str,
        lacks: &'static str,
        normalize: &'static str,
    ) -> Self {
        Self { name, has, lacks, normalize }
    }

    /// Returns the scaling that it trained with.
    pub fn normalize(&self) -> Normalize {
        ron_text::from_str(self.normalize).unwrap_or_default()
    }

    /// Says `the names and shapes are those of torchvision, which trains with normalize: ImageNet`.
    pub fn sentence(&self) -> String {
        let Self { name, normalize, .. } = self;
        format!("the names and shapes are those of {name}, which trains with normalize: {normalize}")
    }
}

/// Finds the source whose files have these names, without what wrappers put before them.
fn source_of(shapes: &Shapes) -> Option<&'static Source> {
    let weight = |layer: &str| shapes.get(&format!("{layer}.weight"));
    let has = |layer: &str| {
        let (layer, lengths) = layer.split_once(' ').unwrap_or((layer, ""));
        let lengths: Vec<usize> = lengths.split(' ').filter_map(|length| length.parse().ok()).collect();
        weight(layer).is_some_and(|shape| shape.starts_with(&lengths))
    };
    SOURCES.iter().find(|source| source.has.split(", ").all(has) && weight(source.lacks).is_none())
}

/// The knowledge of the scaling that weights were trained with.
#[derive(Clone, Debug, PartialEq)]
pub enum Scaling {
    /// This program wrote it down.
    Known(Normalize),
    /// The file looks like one of this source.
    Likely(&'static Source),
    Unknown,
}

impl Scaling {
    /// Reads what the header of a weight file says.
    pub fn new(file: &FileShapes) -> Self {
        let written = file.about.get(WRITER).and_then(|text| serde_json::from_str::<Value>(text).ok());
        let text = written.as_ref().and_then(|note| note.get(SCALING)?.as_str());
        if let Some(normalize) = text.and_then(|text| ron_text::from_str(text).ok()) {
            return Self::Known(normalize);
        }
        let source = source_of(&file.unwrapped().shapes);
        source.map_or(Self::Unknown, Self::Likely)
    }

    /// Returns the scaling, as far as it is known.
    pub fn normalize(&self) -> Option<Normalize> {
        match self {
            Self::Known(normalize) => Some(normalize.clone()),
            Self::Likely(source) => Some(source.normalize()),
            Self::Unknown => None,
        }
    }

    /// Notes data whose scaling may differ from that of the weights in `file`; none where both are known to agree.
    pub fn note(&self, file: &str, data: &Data) -> Option<String> {
        let here = data.normalize();
        let facts = data.facts(None);
        let is_image = || facts.as_ref().is_some_and(|facts| facts.shape.is_image());
        let is_same = |there: &Normalize| {
            facts.as_ref().map_or(*there == here, |facts| there.is_same(&here, facts.shape.channels))
        };
        let has = || format!("the data here have normalize: {}", here.text());
        match self {
            Self::Known(there) => (!is_same(there)).then(|| {
                let there = there.text();
                format!("{file} was trained with normalize: {there}, and {}; set that, or these inputs are others", has())
            }),
            Self::Likely(source) => (!is_same(&source.normalize()) && is_image()).then(|| {
                format!("{file}: {}, and {}; set that of the training under data", source.sentence(), has())
            }),
            Self::Unknown => (here == Normalize::None && is_image()).then(|| {
                format!(
                    "{file} does not say how its inputs were scaled in training, and {} (pixels from 0 to 1); if that was \
                        different, set normalize under data",
                    has()
                )
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_known_by_names_and_shapes() {
        let file = |names: &[(&str, usize)]| {
            let shapes =
                names.iter().map(|(name, length)| (format!("module.{name}"), vec![*length, 3])).collect();
            FileShapes { shapes, ..FileShapes::default() }
        };
        let small = [("conv1.weight", 16), ("layer3.0.conv2.weight", 64)];
        for (more, source) in [
            (&[("linear.weight", 10)][..], Some("akamaster/pytorch_resnet_cifar10")),
            (
                &[("fc.weight", 10), ("layer3.0.downsample.0.weight", 64)],
                Some("chenyaofo/pytorch-cifar-models"),
            ),
            (&[("fc.weight", 7)], None),
        ] {
            let found = Scaling::new(&file(&[&small, more].concat()));
            let name = match &found {
                Scaling::Likely(source) => Some(source.name),
                Scaling::Known(_) | Scaling::Unknown => None,
            };
            assert_eq!(name, source, "{found:?}");
        }
    }

    #[test]
    fn a_network_for_large_pictures_with_ten_classes_is_none_of_a_source_for_small_ones() {
        let name_of = |inputs: usize, classes: usize| {
            let shapes = [
                ("features.0.weight", vec![64, 3, 3, 3]),
                ("classifier.0.weight", vec![4096, inputs]),
                ("classifier.6.weight", vec![classes, 4096]),
            ];
            let shapes = shapes.map(|(name, shape)| (name.to_owned(), shape));
            source_of(&shapes.into()).map(|source| source.name)
        };
        assert_eq!(name_of(512, 10), Some("huyvnphan/PyTorch_CIFAR10"));
        assert_eq!(name_of(25088, 1000), Some("torchvision"));
        assert_eq!((name_of(25088, 10), name_of(512, 1000)), (None, None));
    }

    #[test]
    fn numbers_are_compared_rather_than_how_they_are_written() {
        use data::{Cifar10, Digits};
        let given = |text: &str| ron_text::from_str::<Normalize>(text).unwrap();
        let pictures = |normalize| Data::Cifar10(Cifar10 { normalize, ..Cifar10::default() });
        let image_net = given("Given(mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225])");
        let half = given("Given(mean: [0.5], deviation: [0.5])");
        let halves = given("Given(mean: [0.5, 0.5, 0.5], deviation: [0.5])");
        let likely = Scaling::Likely(&SOURCES[0]);
        let known = Scaling::Known(half.clone());
        assert_eq!(likely.note("w", &pictures(image_net.clone())), None);
        assert_eq!(known.note("w", &pictures(halves)), None);
        assert!(
            likely.note("w", &pictures(half.clone())).is_some()
                && known.note("w", &pictures(image_net)).is_some()
        );
        assert_eq!(known.note("w", &Data::Digits(Digits { normalize: half, ..Digits::default() })), None);
    }

    #[test]
    fn every_scaling_of_a_source_is_a_setting() {
        for source in &SOURCES {
            let written = source.normalize().text();
            assert_eq!(written, source.normalize, "{}", source.name);
            assert_eq!(source.normalize().problem(3), None);
        }
    }
}
