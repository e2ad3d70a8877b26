//! Layers as settings: what torch calls modules. A network is a list of them; [`Residual`] is the only fork.

use form::number::{counted, share_in_percent};
use form::text::uncapitalized;

pub use kernels::conv::MOST_KERNEL;
/// Longest step of a window.
pub const MOST_STRIDE: usize = 4;
/// Widest border of zeros.
pub const MOST_PADDING: usize = 5;

form::form! {
    /// A convolution with a square window; weights are [channels, channels of the input, kernel, kernel].
    pub struct Conv: "Convolution" {
        channels: usize = 16, "Channels", "Channels of its output", unit "channels", range [1, 65536];
        kernel: usize = 3, "Kernel", "Side of the window", unit "pixels", range [1, MOST_KERNEL];
        stride: usize = 1, "Stride", "Pixels from one window to the next", unit "pixels", range [1, MOST_STRIDE];
        padding: Option<usize> = None, "Padding", "Zeros around the image, narrower than the window", unit "pixels", range [0, MOST_PADDING], unset "half the kernel";
        bias: bool = true, "Bias", "Adds a number to each channel; not needed before a batch norm";
        name: Option<String> = None, "Name", "Name of its parameters, instead of its position in the list", unset "its position";
    }
}

form::form! {
    /// A batch norm over the channels of images, or over features.
    pub struct BatchNorm: "Batch norm" {
        name: Option<String> = None, "Name", "Name of its parameters, instead of its position in the list", unset "its position";
    }
}

form::form! {
    /// A linear layer, y = x·Wᵀ + b; weights are [units, inputs].
    pub struct Linear: "Linear layer" {
        units: Option<usize> = None, "Units", "Number of its outputs", unit "units", range [1, 65536], unset "number of classes";
        bias: bool = true, "Bias", "Adds a number to each unit";
        name: Option<String> = None, "Name", "Name of its parameters, instead of its position in the list", unset "its position";
    }
}

form::form! {
    /// A pooling with a square window.
    pub struct Pool: "Pooling" {
        window: usize = 2, "Window", "Side of the window", unit "pixels", range [1, MOST_KERNEL];
        stride: Option<usize> = None, "Stride", "Pixels from one window to the next", unit "pixels", range [1, MOST_STRIDE], unset "as the window";
        padding: usize = 0, "Padding", "Pixels around the image, at most half the window; they never are a maximum, and count \
            as zeros in an average", unit "pixels", range [0, MOST_PADDING];
    }
}

form::form! {
    /// An average over a grid of cells, as torch's adaptive pooling.
    pub struct AdaptiveAveragePool: "Adaptive average pooling" {
        side: usize = 1, "Side", "Cells of a side of the grid", unit "cells", range [1, 64];
    }
}

form::form! {
    /// A projection of the input of a residual block: a 1×1 convolution without bias, of the stride that the body has, and a
    /// batch norm.
    pub struct Project: "Projection" {
        name: String = "shortcut".to_owned(), "Name", "Name of its two layers, which are numbered 0 and 1";
    }
}

form::choice! {
    /// The shortcut of a residual block: the numbers that are added to those of its body.
    pub enum Shortcut: "Shortcut" {
        Identity, "Identity", "The input itself";
        PadSubsample, "Pad and subsample", "The input at every stride-th pixel, with channels of zeros on both sides (option A)";
        Project(Project) = Project::default(), "Project", "A 1×1 convolution of the input, and a batch norm (option B)";
    }
}

form::form! {
    /// Layers whose input is added to what they yield (He et al. 2016).
    pub struct Residual: "Residual block" {
        body: Vec<Module> = Vec::new(), "Layers", "The layers beside the shortcut";
        shortcut: Shortcut = Shortcut::Identity, "Shortcut", "What is added to what the layers yield";
        name: Option<String> = None, "Name", "What the names of its layers begin with, instead of its position in the list", unset "its position";
    }
}

form::choice! {
    /// A layer.
    pub enum Module: "Layer", in words Module::words {
        Conv(Conv) = Conv::default(), "Convolution", "Convolution with a square window";
        BatchNorm(BatchNorm) = BatchNorm::default(), "Batch norm", "Normalizes each channel, then scales and shifts it";
        Relu, "ReLU", "max(0, x)";
        MaxPool(Pool) = Pool::default(), "Max pooling", "Largest value of each window";
        Residual(Residual) = Residual::default(), "Residual block", "Layers whose input is added to what they yield";
        Dropout(f64) = 0.5, "Dropout", "Sets this share to 0 in training and scales the rest up", unit "%", range [0.0, 0.99];
        Flatten, "Flatten", "Makes a row of features from images";
        Linear(Linear) = Linear::default(), "Linear", "Linear layer";
        GlobalAveragePool, "Global average pooling", "Average over all pixels of each channel";
        AveragePool(Pool) = Pool::default(), "Average pooling", "Average over each window";
        AdaptiveAveragePool(AdaptiveAveragePool) = AdaptiveAveragePool::default(), "Adaptive average pooling", "Average over each \
            cell of a grid, whatever the size of the images";
        Softsign, "Softsign", "x / (1 + |x|)";
        Tanh, "Tanh", "Hyperbolic tangent";
        Sigmoid, "Sigmoid", "1 / (1 + e⁻ˣ)";
    }
}

impl Module {
    /// Makes a convolution with a border that keeps the size of the image at stride 1.
    pub fn conv(name: &str, channels: usize, kernel: usize, stride: usize, bias: bool) -> Self {
        Self::Conv(Conv { channels, kernel, stride, bias, name: Some(name.to_owned()), ..Conv::default() })
    }

    /// Makes a batch norm with this name.
    pub fn batch_norm(name: &str) -> Self {
        Self::BatchNorm(BatchNorm { name: Some(name.to_owned()) })
    }

    /// Makes a linear layer with this name.
    pub fn linear(name: &str, units: usize) -> Self {
        Self::Linear(Linear { units: Some(units), name: Some(name.to_owned()), ..Linear::default() })
    }

    /// Makes a maximum over windows that follow each other without overlap.
    pub fn max_pool(window: usize) -> Self {
        Self::MaxPool(Pool { window, ..Pool::default() })
    }

    /// Returns the setting of its name, where it has parameters or holds layers.
    pub const fn name(&self) -> Option<&Option<String>> {
        match self {
            Self::Conv(Conv { name, .. })
            | Self::BatchNorm(BatchNorm { name })
            | Self::Linear(Linear { name, .. })
            | Self::Residual(Residual { name, .. }) => Some(name),
            Self::Relu
            | Self::Softsign
            | Self::Tanh
            | Self::Sigmoid
            | Self::MaxPool(_)
            | Self::AveragePool(_)
            | Self::AdaptiveAveragePool(_)
            | Self::GlobalAveragePool
            | Self::Flatten
            | Self::Dropout(_) => None,
        }
    }

    /// Returns the product of the strides of some layers: by how much they divide the size of images.
    pub fn stride_of(layers: &[Self]) -> usize {
        let stride = |layer: &Self| match layer {
            Self::Conv(conv) => conv.stride,
            Self::MaxPool(pool) | Self::AveragePool(pool) => pool.stride.unwrap_or(pool.window),
            Self::Residual(block) => Self::stride_of(&block.body),
            Self::BatchNorm(_)
            | Self::Linear(_)
            | Self::Relu
            | Self::Softsign
            | Self::Tanh
            | Self::Sigmoid
            | Self::AdaptiveAveragePool(_)
            | Self::GlobalAveragePool
            | Self::Flatten
            | Self::Dropout(_) => 1,
        };
        layers.iter().map(stride).fold(1, usize::saturating_mul)
    }

    /// Describes it in a few words: `Conv 16, 3×3, stride 2`.
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

impl From<&Activation> for Module {
    fn from(activation: &Activation) -> Self {
        match activation {
            Activation::Relu => Self::Relu,
            Activation::Softsign => Self::Softsign,
            Activation::Tanh => Self::Tanh,
            Activation::Sigmoid => Self::Sigmoid,
        }
    }
}

form::choice! {
    /// Non-linearities between layers.
    pub enum Activation: "Activation" {
        Relu, "ReLU", "max(0, x)";
        Softsign, "Softsign", "x / (1 + |x|)";
        Tanh, "Tanh", "Hyperbolic tangent";
        Sigmoid, "Sigmoid", "1 / (1 + e⁻ˣ)";
    }
}

form::choice! {
    /// The function after the last layer.
    pub enum Output: "Output" {
        Linear, "Linear", "The logits themselves";
        Sigmoid, "Sigmoid", "1 / (1 + e⁻ˣ), for binary cross-entropy";
        Tanh, "Tanh", "Hyperbolic tangent; with binary cross-entropy p = (1 + y) / 2";
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

/// Lists layers in brackets, with repetitions counted: `[conv 16, 3×3; 2 × [batch norm; ReLU]]`.
pub(crate) fn in_brackets(layers: &[Module]) -> String {
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

/// Describes a layer within a sentence, with those that it holds; names of layers change nothing that a network computes.
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

/// Returns the length of the pattern at the beginning of a list, one item or two, and how often it comes.
fn repetition(list: &[String]) -> (usize, usize) {
    let times = |length: usize| list.chunks(length).take_while(|chunk| *chunk == &list[..length]).count();
    let of_one = times(1);
    if of_one == 1 && list.len() > 1 && times(2) > 1 { (2, times(2)) } else { (1, of_one) }
}

/// An edit of a list of layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A layer came in at this position in the list, then in the body of the block that it is in, and so on.
    Added(Vec<usize>),
    Removed,
    Moved,
    /// The layer at this position has other settings, or is another one.
    Changed(Vec<usize>),
}

impl Difference {
    /// Finds the first difference between two lists, if there is one.
    pub fn between(old: &[Module], new: &[Module]) -> Option<Self> {
        let at = (0..old.len().max(new.len())).find(|at| old.get(*at) != new.get(*at))?;
        Some(match new.len().cmp(&old.len()) {
            std::cmp::Ordering::Greater => Self::Added(vec![at]),
            std::cmp::Ordering::Less => Self::Removed,
            std::cmp::Ordering::Equal if is_permuted(old, new) => Self::Moved,
            std::cmp::Ordering::Equal => match (&old[at], &new[at]) {
                (Module::Residual(old), Module::Residual(new)) if old.body != new.body => {
                    Self::between(&old.body, &new.body)?.inside(at)
                }
                _ => Self::Changed(vec![at]),
            },
        })
    }

    /// Moves the edit into the body of the block at a position.
    fn inside(self, block: usize) -> Self {
        let within = |path: Vec<usize>| [vec![block], path].concat();
        match self {
            Self::Added(path) => Self::Added(within(path)),
            Self::Changed(path) => Self::Changed(within(path)),
            Self::Removed | Self::Moved => self,
        }
    }

    /// Returns the layer that it is about, if it is there afterwards.
    pub fn layer(&self) -> Option<&[usize]> {
        match self {
            Self::Added(path) | Self::Changed(path) => Some(path),
            Self::Removed | Self::Moved => None,
        }
    }
}

/// Returns true if both lists have the same layers.
fn is_permuted(old: &[Module], new: &[Module]) -> bool {
    let mut left: Vec<&Module> = old.iter().collect();
    new.iter().all(|layer| {
        let at = left.iter().position(|known| *known == layer);
        at.map(|at| left.swap_remove(at)).is_some()
    })
}

#[cfg(test)]
mod tests {
    use crate::arch::module::*;
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

#[cfg(test)]
mod difference_tests {
    use crate::arch::module::*;
    use form::ron_text;

    #[test]
    fn an_edit_of_a_list_is_recognized() {
        let of = |old: &str, new: &str| {
            let [old, new] = [old, new].map(|text| ron_text::from_str::<Vec<Module>>(text).unwrap());
            Difference::between(&old, &new)
        };
        assert_eq!(of("[Relu, Flatten]", "[Relu, Flatten]"), None);
        assert_eq!(of("[Relu, Flatten]", "[Relu, Tanh, Flatten]"), Some(Difference::Added(vec![1])));
        assert_eq!(of("[Relu, Tanh]", "[Tanh]"), Some(Difference::Removed));
        assert_eq!(of("[Relu, Tanh, Flatten]", "[Tanh, Relu, Flatten]"), Some(Difference::Moved));
        let [three, five] = ["[Relu, Residual(body: [Conv()])]", "[Relu, Residual(body: [Conv(kernel: 5)])]"];
        assert_eq!(of(three, five), Some(Difference::Changed(vec![1, 0])));
        assert_eq!(of(three, "[Relu, Residual(body: [])]"), Some(Difference::Removed));
    }
}
