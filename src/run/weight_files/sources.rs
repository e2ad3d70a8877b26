//! How the inputs of weights were scaled in training: as their file says it, or as the source says whose file it looks like.

use serde_json::Value;

use super::names::common_wrapper;
use super::naming::plain_file;
use super::{FileShapes, Shapes};
use data::{Data, Normalize};
use form::ron_text;
use net::weights_file::{SCALING, WRITER};

/// Where weights come from that many people use, and how their inputs were scaled.
#[derive(Debug, PartialEq)]
pub struct Source {
    /// The repository.
    pub name: &'static str,
    /// Tensors that its files have, with the first lengths of their shapes.
    has: &'static [(&'static str, &'static [usize])],
    /// A tensor that they do not have, and others with the same names do.
    lacks: &'static str,
    /// The setting of data.
    normalize: &'static str,
}

const CIFAR_10: &str = "Given(mean: [0.4914, 0.4822, 0.4465], deviation: [0.2023, 0.1994, 0.201])";
const CIFAR_100: &str = "Given(mean: [0.507, 0.4865, 0.4409], deviation: [0.2673, 0.2564, 0.2761])";
const HUYVNPHAN: &str = "Given(mean: [0.4914, 0.4822, 0.4465], deviation: [0.2471, 0.2435, 0.2616])";

/// As the programs in these repositories scale the pictures that they train on.
const SOURCES: [Source; 9] = [
    Source {
        name: "akamaster/pytorch_resnet_cifar10",
        has: &[("conv1.weight", &[16]), ("layer3.0.conv2.weight", &[64]), ("linear.weight", &[10])],
        lacks: "layer2.0.downsample.0.weight",
        normalize: "ImageNet",
    },
    Source {
        name: "torchvision",
        has: &[("conv1.weight", &[64]), ("layer4.0.conv1.weight", &[512]), ("fc.weight", &[1000])],
        lacks: "linear.weight",
        normalize: "ImageNet",
    },
    Source {
        name: "torchvision",
        has: &[
            ("features.0.weight", &[64]),
            ("classifier.0.weight", &[4096, 25088]),
            ("classifier.6.weight", &[1000]),
        ],
        lacks: "linear.weight",
        normalize: "ImageNet",
    },
    Source {
        name: "chengyangfu/pytorch-vgg-cifar10",
        has: &[
            ("features.0.weight", &[64]),
            ("classifier.1.weight", &[512, 512]),
            ("classifier.6.weight", &[10]),
        ],
        lacks: "classifier.0.weight",
        normalize: "ImageNet",
    },
    Source {
        name: "chenyaofo/pytorch-cifar-models",
        has: &[("conv1.weight", &[16]), ("layer3.0.downsample.0.weight", &[64]), ("fc.weight", &[10])],
        lacks: "layer4.0.conv1.weight",
        normalize: CIFAR_10,
    },
    Source {
        name: "chenyaofo/pytorch-cifar-models",
        has: &[("conv1.weight", &[16]), ("layer3.0.downsample.0.weight", &[64]), ("fc.weight", &[100])],
        lacks: "layer4.0.conv1.weight",
        normalize: CIFAR_100,
    },
    Source {
        name: "chenyaofo/pytorch-cifar-models",
        has: &[
            ("features.0.weight", &[64]),
            ("classifier.0.weight", &[512, 512]),
            ("classifier.6.weight", &[10]),
        ],
        lacks: "classifier.1.weight",
        normalize: CIFAR_10,
    },
    Source {
        name: "chenyaofo/pytorch-cifar-models",
        has: &[
            ("features.0.weight", &[64]),
            ("classifier.0.weight", &[512, 512]),
            ("classifier.6.weight", &[100]),
        ],
        lacks: "classifier.1.weight",
        normalize: CIFAR_100,
    },
    Source {
        name: "huyvnphan/PyTorch_CIFAR10",
        has: &[
            ("features.0.weight", &[64]),
            ("classifier.0.weight", &[4096, 512]),
            ("classifier.6.weight", &[10]),
        ],
        lacks: "classifier.1.weight",
        normalize: HUYVNPHAN,
    },
];

impl Source {
    /// The scaling that it trained with.
    pub fn normalize(&self) -> Normalize {
        ron_text::from_str(self.normalize).unwrap_or_default()
    }

    /// `the names and shapes are those of torchvision, which trains with normalize: ImageNet`
    pub fn sentence(&self) -> String {
        let Self { name, normalize, .. } = self;
        format!("the names and shapes are those of {name}, which trains with normalize: {normalize}")
    }
}

/// The source whose files have these names, without what wrappers put before them.
pub fn source_of(shapes: &Shapes) -> Option<&'static Source> {
    let has = |(name, lengths): &(&str, &[usize])| {
        shapes.get(*name).is_some_and(|shape| shape.starts_with(lengths))
    };
    let fits = |source: &&Source| source.has.iter().all(has) && !shapes.contains_key(source.lacks);
    SOURCES.iter().find(fits)
}

/// What is known of the scaling that weights were trained with.
#[derive(Clone, Debug, PartialEq)]
pub enum Scaling {
    /// This program wrote it down.
    Known(Normalize),
    /// The file looks like one of this source.
    Likely(&'static Source),
    /// Nothing.
    Unknown,
}

impl Scaling {
    /// What the header of a weight file says.
    pub fn of(file: &FileShapes) -> Self {
        let written = file.about.get(WRITER).and_then(|text| serde_json::from_str::<Value>(text).ok());
        let text = written.as_ref().and_then(|note| note.get(SCALING)?.as_str());
        if let Some(normalize) = text.and_then(|text| ron_text::from_str(text).ok()) {
            return Self::Known(normalize);
        }
        let plain = plain_file(file);
        let file = plain.as_ref().unwrap_or(file);
        let source = source_of(&file.under(&common_wrapper(&file.shapes.keys())).shapes);
        source.map_or(Self::Unknown, Self::Likely)
    }

    /// A note on data whose scaling may differ from that of the weights in `file`; none where both are known to agree.
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
            let found = Scaling::of(&file(&[&small, more].concat()));
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
