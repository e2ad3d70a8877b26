//! A network as a chain of operations, from its input to its logits.

use crate::data::Shape;
use crate::doc::Structure;
use crate::doc::network::Activation;
use crate::doc::structure::{LayerKind, Op};
use crate::results::network::{Link, shape_text};

/// All operations, the input first. A non-linearity and dropout stand with the operation before them.
pub fn chain(structure: &Structure) -> Vec<Link> {
    let mut shape = structure.input;
    let mut links = vec![Link { what: "Input".to_owned(), output: text(shape), layer: None }];
    for op in &structure.ops {
        let (what, layer) = match op {
            Op::Layer(position) => (layer_of(structure, *position, &mut shape), Some(*position)),
            Op::MaxPool => {
                shape = Shape::new(shape.channels, shape.height / 2, shape.width / 2);
                ("Maximum of 2×2".to_owned(), None)
            }
            Op::AdaptiveAveragePool(side) => {
                shape = Shape::new(shape.channels, *side, *side);
                (format!("Average to {side}×{side}"), None)
            }
            Op::Flatten => {
                shape = Shape::new(shape.len(), 1, 1);
                continue;
            }
            Op::Activation(activation) => {
                append(&mut links, name_of(activation));
                continue;
            }
            Op::Dropout(share) => {
                append(&mut links, &format!("dropout {share}"));
                continue;
            }
        };
        links.push(Link { what, output: text(shape), layer });
    }
    links
}

fn append(links: &mut [Link], what: &str) {
    if let Some(last) = links.last_mut() {
        last.what = format!("{}, {what}", last.what);
    }
}

/// What a layer does; `shape` becomes that of its output.
fn layer_of(structure: &Structure, position: usize, shape: &mut Shape) -> String {
    let layer = &structure.layers[position];
    let weight = &structure.parameters[layer.parameters[0]].shape;
    match (layer.kind, weight.as_slice()) {
        (LayerKind::Convolution, [outputs, inputs, height, width]) => {
            *shape = Shape::new(*outputs, shape.height, shape.width);
            format!("Conv {inputs}→{outputs}, {height}×{width}")
        }
        (LayerKind::Linear, [outputs, inputs]) => {
            *shape = Shape::new(*outputs, 1, 1);
            format!("Linear {inputs}→{outputs}")
        }
        _ => "Batch norm".to_owned(),
    }
}

fn text(shape: Shape) -> String {
    if shape.is_image() {
        shape_text(&[shape.channels, shape.height, shape.width])
    } else {
        shape.channels.to_string()
    }
}

fn name_of(activation: &Activation) -> &'static str {
    match activation {
        Activation::Relu => "ReLU",
        Activation::Softsign => "softsign",
        Activation::Tanh => "tanh",
        Activation::Sigmoid => "sigmoid",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::Loss;
    use crate::doc::network::{Mlp, Net, Vgg};

    fn told(net: &Net, input: Shape) -> Vec<(String, String)> {
        let structure = Structure::new(net, input, 10, &Loss::CrossEntropy);
        let links = chain(&structure);
        let layers: Vec<usize> = links.iter().filter_map(|link| link.layer).collect();
        assert!(layers.iter().copied().eq(0..structure.layers.len()), "every layer once, in order");
        links.into_iter().map(|link| (link.what, link.output)).collect()
    }

    #[test]
    fn a_perceptron_goes_from_pixels_to_logits() {
        let net = Net::Mlp(Mlp { hidden: vec![32], ..Mlp::default() });
        let told = told(&net, Shape::new(1, 8, 8));
        let told: Vec<_> = told.iter().map(|(what, output)| (what.as_str(), output.as_str())).collect();
        assert_eq!(told, [("Input", "1×8×8"), ("Linear 64→32, ReLU", "32"), ("Linear 32→10", "10")]);
    }

    #[test]
    fn a_vgg_halves_its_images_five_times() {
        let told = told(&Net::Vgg(Vgg::default()), Shape::new(3, 32, 32));
        assert!(told[1].0.starts_with("Conv 3→64, 3×3"), "{told:?}");
        assert_eq!(told[1].1, "64×32×32");
        let halved: Vec<&str> = told
            .iter()
            .filter(|(what, _)| what.starts_with("Maximum"))
            .map(|(_, shape)| shape.as_str())
            .collect();
        assert_eq!(halved, ["64×16×16", "128×8×8", "256×4×4", "512×2×2", "512"]);
        assert_eq!(told.last().unwrap(), &("Linear 512→10".to_owned(), "10".to_owned()));
    }
}
