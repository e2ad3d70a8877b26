use super::*;
use crate::arch::{Head, Mlp, Vgg};

fn images(side: usize) -> Shape {
    Shape { channels: 3, height: side, width: side }
}

fn vgg(depth: u32) -> Net {
    Net::Vgg(Vgg { depth, ..Vgg::default() })
}

#[test]
fn parameter_counts_are_those_of_the_papers() {
    let input = Shape { channels: 1, height: 28, width: 28 };
    let mlp = Structure::new(&Net::Mlp(Mlp::default()), input, 10, &Loss::CrossEntropy).unwrap();
    assert_eq!(mlp.trained_count(), 266_610);
    for (depth, count) in [(11, 9_231_114), (13, 9_416_010), (16, 14_728_266), (19, 20_040_522)] {
        let structure = Structure::new(&vgg(depth), images(32), 10, &Loss::CrossEntropy).unwrap();
        assert_eq!(structure.trained_count(), count, "VGG-{depth}");
    }
    let torchvision = Net::Vgg(Vgg { batch_norm: false, head: Head::ImageNet, ..Vgg::default() });
    let structure = Structure::new(&torchvision, images(224), 1000, &Loss::CrossEntropy).unwrap();
    assert_eq!(structure.trained_count(), 138_357_544);
}

#[test]
fn vgg_has_the_names_of_torchvision() {
    let structure = Structure::new(&vgg(16), images(32), 10, &Loss::CrossEntropy).unwrap();
    let names: Vec<&str> = structure.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(
        &names[..7],
        [
            "features.0.weight",
            "features.0.bias",
            "features.1.weight",
            "features.1.bias",
            "features.1.running_mean",
            "features.1.running_var",
            "features.3.weight",
        ]
    );
    assert!(names.contains(&"features.40.weight") && names.contains(&"classifier.weight"));
    let plain = Net::Vgg(Vgg { batch_norm: false, head: Head::ImageNet, ..Vgg::default() });
    let structure = Structure::new(&plain, images(32), 10, &Loss::CrossEntropy).unwrap();
    assert!(structure.find("features.28.weight").is_some() && structure.find("classifier.6.bias").is_some());
}

#[test]
fn vgg16_has_313_million_multiply_adds_on_32_pixels() {
    let structure = Structure::new(&vgg(16), images(32), 10, &Loss::CrossEntropy).unwrap();
    assert_eq!(structure.multiply_adds() / 1_000_000, 313);
    assert_eq!(structure.units(), 14);
}

#[test]
fn a_layer_knows_its_output_and_what_its_weights_cost() {
    let structure = Structure::new(&vgg(16), images(32), 10, &Loss::CrossEntropy).unwrap();
    let second = &structure.layers[2];
    assert_eq!((second.name.as_str(), second.output), ("features.3", Shape::new(64, 32, 32)));
    assert_eq!(structure.weight(2).unwrap().len(), 64 * 64 * 9);
    assert_eq!(second.multiply_adds(2), 2 * 32 * 32);
    let norm = &structure.layers[1];
    assert!(!norm.kind.has_weight() && structure.weight(1).is_none());
    assert_eq!((norm.output, norm.unit), (Shape::new(64, 32, 32), 0));
    let variance = structure.position(1, Role::RunningVariance).unwrap();
    assert_eq!(structure.parameters[variance].name, "features.1.running_var");
}

#[test]
fn shapes_of_a_vgg_shrink_to_one_row() {
    let net = Net::Vgg(Vgg { depth: 11, width: 8, ..Vgg::default() });
    let input = Shape::new(1, 32, 32);
    let structure = Structure::new(&net, input, 10, &Loss::CrossEntropy).unwrap();
    let shapes = structure.shapes();
    assert_eq!(shapes.len(), structure.ops.len() + 1);
    assert_eq!((shapes[0], shapes[1]), (input, Shape::new(8, 32, 32)));
    assert_eq!(shapes[4], Shape::new(8, 16, 16));
    assert_eq!(shapes.last(), Some(&Shape::new(10, 1, 1)));
}

fn sequential(layers: &str) -> Net {
    Net::Sequential(form::ron_text::from_str(&format!("(layers: [{layers}])")).unwrap())
}

#[test]
fn a_norm_in_front_of_every_convolution_belongs_to_the_first() {
    let net = sequential("BatchNorm(), Conv(channels: 8), Conv(channels: 8), Flatten, Linear()");
    let structure = Structure::new(&net, images(4), 10, &Loss::CrossEntropy).unwrap();
    assert_eq!(structure.layers.iter().map(|layer| layer.unit).collect::<Vec<_>>(), [0, 0, 1, 2]);
    assert_eq!(structure.units(), 3);
}

#[test]
fn binary_cross_entropy_has_one_output() {
    let input = Shape { channels: 1, height: 8, width: 8 };
    let structure = Structure::new(&Net::default(), input, 2, &Loss::BinaryCrossEntropy).unwrap();
    assert_eq!(structure.outputs, 1);
}
