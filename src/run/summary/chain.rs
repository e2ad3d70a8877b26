//! A network as a list of operations, from its input to its logits, each with those that it reads.

use doc::Structure;
use doc::arch::{Activation, Module, Shortcut};
use doc::structure::{LayerKind, Op, Window};
use results::network::Link;

/// Lists all operations, the input first. Non-linearities and dropout are part of the operation before them.
pub fn chain(structure: &Structure) -> Vec<Link> {
    let shapes = structure.shapes();
    let mut links = vec![Link {
        what: "Input".to_owned(),
        output: shapes[0].to_string(),
        layer: None,
        block: String::new(),
        is_shortcut: false,
        reads: Vec::new(),
    }];
    // Where the activations come from, and those on the stack.
    let (mut from, mut stack) = (0, Vec::new());
    let mut is_shortcut = false;
    for (op, shape) in structure.ops.iter().zip(&shapes[1..]) {
        let mut reads = vec![from];
        let mut block = String::new();
        let (what, layer) = match op {
            Op::Layer(position) => (layer_of(structure, *position), Some(*position)),
            Op::MaxPool(window) => (pooling("Max pooling", *window), None),
            Op::AveragePool(window) => (pooling("Average pooling", *window), None),
            Op::AdaptiveAveragePool(side) => (format!("Average pooling to {side}×{side}"), None),
            Op::Subsample { stride, .. } => {
                let ordinal = match stride {
                    1 => String::new(),
                    2 => "2nd".to_owned(),
                    3 => "3rd".to_owned(),
                    number => format!("{number}th"),
                };
                (format!("Every {ordinal} pixel, padded"), None)
            }
            Op::Add(position) => {
                is_shortcut = false;
                reads.extend(stack.pop());
                block.clone_from(&structure.blocks[*position].name);
                (format!("Sum of {block}"), None)
            }
            Op::Fork => {
                stack.push(from);
                continue;
            }
            Op::Swap => {
                is_shortcut = true;
                if let Some(top) = stack.last_mut() {
                    std::mem::swap(top, &mut from);
                }
                continue;
            }
            Op::Flatten => continue,
            Op::Activation(activation) => {
                links[from].what.extend([", ", name_of(activation)]);
                continue;
            }
            Op::Dropout(share) => {
                links[from].what.extend([", dropout ", &share.to_string()]);
                continue;
            }
        };
        from = links.len();
        let what = if is_shortcut { format!("Shortcut: {what}") } else { what };
        links.push(Link { what, output: shape.to_string(), layer, block, is_shortcut, reads });
    }
    links
}

/// Returns which layer of a list each operation after the input comes from: its position in the list, then in the body
/// of the block that it is in, and so on. Layers that are part of the operation before them have none.
pub fn paths(layers: &[Module]) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    for (position, layer) in layers.iter().enumerate() {
        let count = match layer {
            Module::Conv(_)
            | Module::BatchNorm(_)
            | Module::Linear(_)
            | Module::MaxPool(_)
            | Module::AveragePool(_)
            | Module::AdaptiveAveragePool(_)
            | Module::GlobalAveragePool => 1,
            Module::Relu
            | Module::Softsign
            | Module::Tanh
            | Module::Sigmoid
            | Module::Flatten
            | Module::Dropout(_) => 0,
            Module::Residual(residual) => {
                let inside = paths(&residual.body).into_iter();
                all.extend(inside.map(|path| [vec![position], path].concat()));
                // The shortcut and the sum are of the block.
                match residual.shortcut {
                    Shortcut::Identity => 1,
                    Shortcut::PadSubsample => 2,
                    Shortcut::Project(_) => 3,
                }
            }
        };
        all.extend(std::iter::repeat_n(vec![position], count));
    }
    all
}

/// Formats "Max pooling 3×3, stride 2".
fn pooling(what: &str, Window { kernel: side, stride, .. }: Window) -> String {
    let stride = if stride == side { String::new() } else { format!(", stride {stride}") };
    format!("{what} {side}×{side}{stride}")
}

fn layer_of(structure: &Structure, position: usize) -> String {
    let weight = structure.weight(position).map_or(&[][..], |weight| &weight.shape);
    match structure.layers[position].kind {
        LayerKind::Linear => format!("Linear {}→{}", weight[1], weight[0]),
        LayerKind::Convolution(Window { stride, .. }) => {
            let stride = if stride == 1 { String::new() } else { format!(", stride {stride}") };
            format!("Conv {}→{}, {}×{}{stride}", weight[1], weight[0], weight[2], weight[3])
        }
        LayerKind::BatchNorm => "Batch norm".to_owned(),
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
    use data::Shape;
    use doc::Loss;
    use doc::arch::{Mlp, Net, ResNet, Sequential, Vgg};

    fn in_words(net: &Net, input: Shape) -> Vec<(String, String)> {
        let structure = Structure::new(net, input, 10, &Loss::CrossEntropy).unwrap();
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
    fn a_block_is_read_by_its_sum() {
        let net = Net::ResNet(ResNet::default());
        let structure = Structure::new(&net, Shape::new(3, 32, 32), 10, &Loss::CrossEntropy).unwrap();
        let links = chain(&structure);
        let sums = links.iter().enumerate().filter(|(_, link)| link.what.starts_with("Sum of"));
        let reads: Vec<(usize, Vec<usize>)> = sums.map(|(at, link)| (at, link.reads.clone())).collect();
        // The input, a convolution with its norm, then two of them in each block.
        assert_eq!(reads[..2], [(7, vec![6, 2]), (12, vec![11, 7])]);
        // The padded shortcut of the fourth block reads the sum of the third one.
        assert_eq!(links[reads[3].0].reads, [reads[3].0 - 1, reads[3].0 - 2]);
        assert_eq!(links[reads[3].0 - 1].reads, [reads[2].0]);
        assert_eq!(links[2].what, "Batch norm, ReLU");
    }

    #[test]
    fn every_operation_leads_to_its_layer_in_the_list() {
        let text = "[Conv(channels: 4), Relu, Residual(body: [Conv(channels: 4), Relu], shortcut: Identity), Residual(body: \
            [Conv(channels: 8, stride: 2), Residual(body: [BatchNorm()])], shortcut: Project()), Residual(body: [Conv(channels: \
            16, stride: 2)], shortcut: PadSubsample), MaxPool(), Flatten, Linear()]";
        let layers: Vec<Module> = form::ron_text::from_str(text).unwrap();
        let net = Net::Sequential(Sequential { layers: layers.clone(), ..Sequential::default() });
        let structure = Structure::new(&net, Shape::new(1, 8, 8), 10, &Loss::CrossEntropy).unwrap();
        let links = chain(&structure);
        let paths = paths(&layers);
        assert_eq!(paths.len(), links.len() - 1);
        let of = |what: &str| {
            let at = links.iter().position(|link| link.what == what).unwrap_or_else(|| panic!("{what}"));
            paths[at - 1].clone()
        };
        assert_eq!(of("Conv 4→8, 3×3, stride 2"), [3, 0]);
        assert_eq!(of("Batch norm"), [3, 1, 0]);
        assert_eq!(of("Shortcut: Conv 4→8, 1×1, stride 2"), [3]);
        assert_eq!(of("Shortcut: Every 2nd pixel, padded"), [4]);
        assert_eq!([of("Sum of 2"), of("Max pooling 2×2"), of("Linear 16→10")], [vec![2], vec![5], vec![7]]);
        let shortcuts = links.iter().filter(|link| link.is_shortcut).count();
        assert_eq!(shortcuts, 3, "{links:?}");
    }

    #[test]
    fn a_vgg_halves_its_images_five_times() {
        let links = in_words(&Net::Vgg(Vgg::default()), Shape::new(3, 32, 32));
        assert!(links[1].0.starts_with("Conv 3→64, 3×3"), "{links:?}");
        assert_eq!(links[1].1, "64×32×32");
        let halved: Vec<&str> = links
            .iter()
            .filter(|(what, _)| what.starts_with("Max pooling"))
            .map(|(_, shape)| shape.as_str())
            .collect();
        assert_eq!(halved, ["64×16×16", "128×8×8", "256×4×4", "512×2×2", "512"]);
        assert_eq!(links.last().unwrap(), &("Linear 512→10".to_owned(), "10".to_owned()));
    }
}
