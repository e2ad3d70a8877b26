//! Architectures: what becomes of samples on their way to logits. An architecture is one file here, which lists its
//! layers, and one line in [`Net`].

/// Declares the settings of an architecture: its own, and those of all architectures behind the first block; `init` is the
/// usual distribution of its weights. Identities depend on this order.
macro_rules! architecture {
    ($(#[$meta:meta])* $name:ident : $title:literal, init $init:ident { $($own:tt)* } $({ $($more:tt)* })?) => {
        form::form! {
            $(#[$meta])*
            pub struct $name: $title {
                $($own)*
                classes: Option<usize> = None, "Classes", "Number of classes that the network knows, at least as many as the data \
                    have", range [2, 65536], unset "as the data have";
                $($($more)*)?
                init: intervene::Init = intervene::Init::$init, "Initial weights", "Distribution of \
                    the initial weights";
                bias_init: intervene::BiasInit = intervene::BiasInit::Usual, "Initial biases", "Initial \
                    values of the biases";
            }
        }

        impl $crate::arch::Settings for $name {
            fn classes(&self) -> Option<usize> {
                self.classes
            }

            fn initial(&self) -> (intervene::Init, intervene::BiasInit) {
                (self.init, self.bias_init)
            }
        }
    };
}

mod conv_net;
mod lenet;
mod mlp;
mod module;
mod resnet;
mod sequential;
#[cfg(test)]
mod tests;
mod vgg;

use data::Shape;
use intervene::{BiasInit, Init};

pub use module::*;

/// The settings of all architectures; `architecture!` writes it.
pub trait Settings {
    /// Returns the number of classes, where it is not that of the data.
    fn classes(&self) -> Option<usize>;

    /// Returns the distributions of the initial weights and biases.
    fn initial(&self) -> (Init, BiasInit);
}

/// A kind of network.
pub trait Architecture: Settings {
    /// Returns its layers in the order in which they compute, for inputs of this shape and this many logits.
    fn modules(&self, input: Shape, outputs: usize) -> Vec<Module>;

    /// Returns the layers that its setting `layers` lists, where the user writes them.
    fn written(&self) -> Option<&[Module]> {
        None
    }

    /// Names settings for which there is no such network, and says what is wrong.
    fn problems(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Says what is wrong with inputs of this shape, where the settings alone are right; none where the shapes of the
    /// layers decide.
    fn problem_of_input(&self, _input: Shape) -> Option<String> {
        None
    }

    /// Returns what follows the logits.
    fn output(&self) -> Output {
        Output::Linear
    }

    /// Returns the side that small built-in images are resized to, where the network asks for one.
    fn image_side(&self) -> Option<usize> {
        None
    }

    /// Suggests networks of this kind that may have weights of these shapes, with their usual inputs and this setting of
    /// classes. They are compared with the weights, so they need not be right.
    fn suggested(&self, _weights: &LayerShapes, _classes: Option<usize>) -> Vec<(Net, Shape)> {
        Vec::new()
    }

    /// Says what a file of its weights does not tell about it.
    fn not_in_weights(&self) -> Option<&'static str> {
        None
    }

    /// Names it in a line: `VGG-16`.
    fn name(&self, input: Shape, outputs: usize) -> String;

    /// Describes it for the methods section of a paper, beginning with an article: `A VGG-16 with batch norm and a linear
    /// head`.
    fn description(&self) -> String;
}

/// Shapes of the weights of a file, in the order of its layers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerShapes {
    /// [out, in, height, width].
    pub convolutions: Vec<[usize; 4]>,
    /// [out, in].
    pub linear: Vec<[usize; 2]>,
    pub has_batch_norm: bool,
}

/// Refuses inputs that are no images, for a network that begins with a convolution; `name` is a kind of network.
fn without_images(name: &str, input: Shape) -> Option<String> {
    let message = "needs images, and these data are not images; choose an Mlp, or other data";
    (!input.is_image()).then(|| format!("a {name} {message}"))
}

form::registry! {
    /// The networks that a file can name.
    pub enum Net: "Network", each Architecture {
        mlp::Mlp, "MLP", "Linear layers with a non-linearity between them";
        vgg::Vgg, "VGG", "3×3 convolutions with pooling, for images of 32 pixels or more";
        lenet::LeNet5, "LeNet-5", "Two 5×5 convolutions and three linear layers, for images of 28 or \
            32 pixels";
        conv_net::ConvNet, "Conv-2, Conv-4, Conv-6", "The small convolutional networks of the lottery \
            ticket literature, for images of 28 or 32 pixels";
        resnet::ResNet, "ResNet", "Residual blocks: 20 to 110 layers for images of 32 pixels, 18 to \
            101 for large ones";
        sequential::Sequential, "Own layers", "A list of layers, with residual blocks";
    }
}

impl Net {
    /// Returns the same network as a list of its layers, which have the names of the original.
    pub fn to_layers(&self, input: Shape, outputs: usize) -> Sequential {
        let rule = self.rule();
        let mut layers = rule.modules(input, outputs);
        if let Some(Module::Linear(last)) = layers.last_mut()
            && last.units == Some(outputs)
        {
            last.units = None;
        }
        let (init, bias_init) = rule.initial();
        let (classes, output, image_size) = (rule.classes(), rule.output(), rule.image_side());
        Sequential { layers, classes, output, image_size, init, bias_init }
    }

    /// Returns the side that small built-in images are resized to, where the network asks for one.
    pub fn image_side(&self) -> Option<usize> {
        self.rule().image_side()
    }
}
