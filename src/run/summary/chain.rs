//! A network as a chain of operations, from its input to its logits.

use crate::data::Shape;
use crate::doc::Structure;
use crate::doc::network::Activation;
use crate::doc::structure::{LayerKind, Op};
use crate::results::network::{Link, shape_text};

/// All operations, the input first. Non-linearities and dropout are part of the operation before them.
pub fn chain(structure: &Structure) -> Vec<Link> {
    let shapes = structure.shapes();
    let mut links = vec![Link { what: "Input".to_owned(), output: text(shapes[0]), layer: None }];
    for (op, shape) in structure.ops.iter().zip(&shapes[1..]) {
        let (what, layer) = match op {
            Op::Layer(position) => (layer_of(structure, *position), Some(*position)),
            Op::MaxPool => ("Maximum of 2×2".to_owned(), None),
            Op::AdaptiveAveragePool(side) => (format!("Average to {side}×{side}"), None),
            Op::Flatten => continue,
            Op::Activation(activation) => {
                append(&mut links, name_of(activation));
                continue;
            }
            Op::Dropout(share) => {
                append(&mut links, &format!("dropout {share}"));
                continue;
            }
        };
        links.push(Link { what, output: text(*shape), layer });
    }
    links
}

fn append(links: &mut [Link], what: &str) {
    if let Some(last) = links.last_mut() {
        last.what = format!("{}, {what}", last.what);
    }
}

/// A layer in words.
fn layer_of(structure: &Structure, position: usize) -> String {
    let weight = structure.weight(position).map_or(&[][..], |weight| &weight.shape);
    match structure.layers[position].kind {
        LayerKind::Linear => format!("Linear {}→{}", weight[1], weight[0]),
        LayerKind::Convolution => {
            format!("Conv {}→{}, {}×{}", weight[1], weight[0], weight[2], weight[3])
        }
        LayerKind::BatchNorm => "Batch norm".to_owned(),
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

    fn in_words(net: &Net, input: Shape) -> Vec<(String, String)> {
        let structure = Structure::new(net, input, 10, &Loss::CrossEntropy);
        let links = chain(&structure);
        let layers: Vec<usize> = links.iter().filter_map(|link| link.layer).collect();
        assert!(layers.iter().copied().eq(0..structure.layers.len()), "every layer once, in order");
        links.into_iter().map(|link| (link.what, link.output)).collect()
    }

    #[test]
    fn a_perceptron_goes_from_pixels_to_logits() {
        let net = Net::Mlp(Mlp { hidden: vec![32], ..Mlp::default() });
        let links = in_words(&net, Shape::new(1, 8, 8));
        let links: Vec<_> = links.iter().map(|(what, output)| (what.as_str(), output.as_str())).collect();
        assert_eq!(links, [("Input", "1×8×8"), ("Linear 64→32, ReLU", "32"), ("Linear 32→10", "10")]);
    }

    #[test]
    fn a_vgg_halves_its_images_five_times() {
        let links = in_words(&Net::Vgg(Vgg::default()), Shape::new(3, 32, 32));
        assert!(links[1].0.starts_with("Conv 3→64, 3×3"), "{links:?}");
        assert_eq!(links[1].1, "64×32×32");
        let halved: Vec<&str> = links
            .iter()
            .filter(|(what, _)| what.starts_with("Maximum"))
            .map(|(_, shape)| shape.as_str())
            .collect();
        assert_eq!(halved, ["64×16×16", "128×8×8", "256×4×4", "512×2×2", "512"]);
        assert_eq!(links.last().unwrap(), &("Linear 512→10".to_owned(), "10".to_owned()));
    }
}
