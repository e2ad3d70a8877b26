//! Layers in a few words, for lists and for the methods section of a paper.

use super::module::{Conv, Linear, Module, Pool, Residual, Shortcut};
use form::number::{counted, share_in_percent};
use form::text::uncapitalized;

impl Module {
    /// What it is, in a few words: `Conv 16, 3×3, stride 2`.
    pub fn words(&self) -> String {
        match self {
            Self::Conv(conv) => of_conv(conv),
            Self::Linear(Linear { units, bias, .. }) => {
                let units = units.map_or_else(|| "to classes".to_owned(), |units| units.to_string());
                format!("Linear {units}{}", of_bias(*bias))
            }
            Self::MaxPool(pool) => format!("Max pooling {}", of_pool(pool)),
            Self::AveragePool(pool) => format!("Average pooling {}", of_pool(pool)),
            Self::AdaptiveAveragePool(pool) => format!("Average pooling to {0}×{0}", pool.side),
            Self::Dropout(share) => format!("Dropout {}", share_in_percent(*share)),
            Self::Residual(Residual { body, shortcut, name }) => {
                let count = || format!(", {}", counted(body.len() as u64, "layer"));
                let what = name.as_ref().map_or_else(count, |name| format!(" {name}"));
                let shortcut = match shortcut {
                    Shortcut::Identity => String::new(),
                    Shortcut::PadSubsample | Shortcut::Project(_) => {
                        format!(", {}", uncapitalized(shortcut.label()))
                    }
                };
                format!("Residual{what}{shortcut}")
            }
            Self::BatchNorm(_)
            | Self::Relu
            | Self::Softsign
            | Self::Tanh
            | Self::Sigmoid
            | Self::GlobalAveragePool
            | Self::Flatten => self.label().to_owned(),
        }
    }
}

fn of_conv(conv: &Conv) -> String {
    let Conv { channels, kernel, stride, padding, bias, name: _ } = conv;
    let stride = if *stride == 1 { String::new() } else { format!(", stride {stride}") };
    let padding = padding.map_or_else(String::new, |padding| format!(", padding {padding}"));
    format!("Conv {channels}, {kernel}×{kernel}{stride}{padding}{}", of_bias(*bias))
}

const fn of_bias(has_bias: bool) -> &'static str {
    if has_bias { "" } else { ", no bias" }
}

fn of_pool(pool: &Pool) -> String {
    let Pool { window, stride, padding } = pool;
    let stride = stride.map_or_else(String::new, |stride| format!(", stride {stride}"));
    let padding = if *padding == 0 { String::new() } else { format!(", padding {padding}") };
    format!("{window}×{window}{stride}{padding}")
}

/// A list of layers in brackets, with repetitions counted: `[conv 16, 3×3; 2 × [batch norm; ReLU]]`.
pub(super) fn in_brackets(layers: &[Module]) -> String {
    let all: Vec<String> = layers.iter().map(whole).collect();
    let (mut parts, mut rest) = (Vec::new(), all.as_slice());
    while let [first, ..] = rest {
        let (length, times) = repetition(rest);
        parts.push(match (length, times) {
            (1, 1) => first.clone(),
            (1, times) => format!("{times} × {first}"),
            (length, times) => format!("{times} × [{}]", rest[..length].join("; ")),
        });
        rest = &rest[length * times..];
    }
    format!("[{}]", parts.join("; "))
}

/// One layer within a sentence, with those that it holds; names of layers change nothing that a network computes.
fn whole(layer: &Module) -> String {
    let Module::Residual(Residual { body, shortcut, name: _ }) = layer else {
        return uncapitalized(&layer.words());
    };
    let shortcut = match shortcut {
        Shortcut::Identity => String::new(),
        Shortcut::PadSubsample | Shortcut::Project(_) => {
            format!(" with the shortcut \"{}\"", uncapitalized(shortcut.label()))
        }
    };
    format!("residual block{shortcut} {}", in_brackets(body))
}

/// What repeats at the beginning of a list: one item or two, and how often.
fn repetition(list: &[String]) -> (usize, usize) {
    let times = |length: usize| list.chunks(length).take_while(|chunk| *chunk == &list[..length]).count();
    let of_one = times(1);
    if of_one == 1 && list.len() > 1 && times(2) > 1 { (2, times(2)) } else { (1, of_one) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::{Architecture, Net, ResNet, Sequential};
    use data::Shape;
    use form::ron_text;

    fn layers(text: &str) -> Vec<Module> {
        ron_text::from_str(text).unwrap()
    }

    #[test]
    fn a_layer_is_a_few_words() {
        let text = "[Conv(channels: 8, kernel: 5, stride: 2, padding: Some(0), bias: false, name: \"a\"), MaxPool(window: 3, \
            stride: Some(2), padding: 1), AveragePool(), AdaptiveAveragePool(side: 7), GlobalAveragePool, Dropout(0.25), \
            Linear(), Linear(units: Some(7), bias: false), Residual(body: [Relu]), Residual(name: \"b\", shortcut: Project()), BatchNorm(), Relu]";
        let words: Vec<String> = layers(text).iter().map(Module::words).collect();
        assert_eq!(
            words,
            [
                "Conv 8, 5×5, stride 2, padding 0, no bias",
                "Max pooling 3×3, stride 2, padding 1",
                "Average pooling 2×2",
                "Average pooling to 7×7",
                "Global average pooling",
                "Dropout 25 %",
                "Linear to classes",
                "Linear 7, no bias",
                "Residual, 1 layer",
                "Residual b, project",
                "Batch norm",
                "ReLU",
            ]
        );
    }

    #[test]
    fn layers_are_written_as_people_write_them() {
        let short = "[Conv(16, kernel: 5), Relu(), Residual([Conv(16), BatchNorm, Tanh()]), MaxPool(2), Flatten(), Linear(10)]";
        let long = "[Conv(channels: 16, kernel: 5), Relu, Residual(body: [Conv(channels: 16), BatchNorm(), Tanh]), \
            MaxPool(window: 2), Flatten, Linear(units: 10)]";
        assert_eq!(layers(short), layers(long));
        let net: Net = ron_text::from_str(&format!("Sequential({short})")).unwrap();
        assert_eq!(net.rule().written(), Some(layers(long).as_slice()));
    }

    #[test]
    fn repeated_layers_are_counted() {
        assert_eq!(in_brackets(&layers("[Relu, Relu, Flatten]")), "[2 × ReLU; flatten]");
        let text = "[Linear(units: Some(2)), Tanh, Linear(units: Some(2)), Tanh, Linear()]";
        assert_eq!(in_brackets(&layers(text)), "[2 × [linear 2; tanh]; linear to classes]");
        let list = Net::ResNet(ResNet::default()).to_layers(Shape::new(3, 32, 32), 10);
        let block = |channels: usize| {
            format!(
                "[conv {channels}, 3×3, no bias; batch norm; ReLU; conv {channels}, 3×3, no bias; batch norm]"
            )
        };
        let description = Sequential { layers: list.layers, ..Sequential::default() }.description();
        assert!(description.starts_with("A network of the layers [conv 16, 3×3, no bias; batch norm; "));
        assert!(description.contains(&format!("3 × [ReLU; residual block {}]", block(16))), "{description}");
        assert!(
            description
                .contains("residual block with the shortcut \"pad and subsample\" [conv 32, 3×3, stride 2")
        );
    }
}
