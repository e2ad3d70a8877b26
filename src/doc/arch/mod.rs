//! Architectures: what becomes of samples on their way to logits. An architecture is one file here, which lists its
//! layers, and one line in [`Net`].

mod activation;
mod conv_net;
mod difference;
mod lenet;
mod mlp;
mod module;
mod resnet;
mod sequential;
#[cfg(test)]
mod tests;
mod vgg;
mod words;

pub use activation::{Activation, Output};
pub use conv_net::ConvNet;
pub use difference::Difference;
pub use lenet::LeNet5;
pub use mlp::Mlp;
pub use module::{
    AdaptiveAveragePool, BatchNorm, Conv, Linear, MOST_KERNEL, Module, Pool, Project, Residual, Shortcut,
};
pub use resnet::{ResNet, Shortcuts};
pub use sequential::{Sequential, names, place_of};
pub use vgg::{Head, Hidden, Vgg};

use data::Shape;
use intervene::{BiasInit, Init};

/// What an architecture says about itself.
pub trait Architecture {
    /// Its layers in the order in which they compute, for inputs of this shape and this many logits.
    fn modules(&self, input: Shape, outputs: usize) -> Vec<Module>;

    /// The layers that its setting `layers` lists, where the user writes them.
    fn written(&self) -> Option<&[Module]> {
        None
    }

    /// Settings for which there is no such network: the setting's name, and what is wrong.
    fn problems(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// What is wrong with inputs of this shape, where the settings alone are right; none where the shapes of the layers
    /// decide.
    fn problem_of_input(&self, _input: Shape) -> Option<String> {
        None
    }

    /// The number of classes, where it is not that of the data.
    fn classes(&self) -> Option<usize>;

    /// Distributions of the initial weights and biases.
    fn initial(&self) -> (Init, BiasInit);

    /// What follows the logits.
    fn output(&self) -> Output {
        Output::Linear
    }

    /// The side that small built-in images are resized to, where the network asks for one.
    fn image_side(&self) -> Option<usize> {
        None
    }

    /// Networks of this kind that may have weights of these shapes, with their usual inputs and this setting of classes.
    /// What is suggested is compared with the weights, so it need not be right.
    fn suggested(&self, _weights: &LayerShapes, _classes: Option<usize>) -> Vec<(Net, Shape)> {
        Vec::new()
    }

    /// What a file of its weights does not say about it.
    fn not_in_weights(&self) -> Option<&'static str> {
        None
    }

    /// Its name in a line: `VGG-16`.
    fn name(&self, input: Shape, outputs: usize) -> String;

    /// What it is, for the methods section of a paper, beginning with an article: `A VGG-16 with batch norm and a linear
    /// head`.
    fn description(&self) -> String;
}

/// Shapes of the weights of a file, in the order of its layers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerShapes {
    /// Convolutions: [out, in, height, width].
    pub convolutions: Vec<[usize; 4]>,
    /// Linear layers: [out, in].
    pub linear: Vec<[usize; 2]>,
    /// Whether there are batch norms.
    pub has_batch_norm: bool,
}

/// What is wrong with inputs that are no images, for a network that begins with a convolution; `name` is a kind of network.
fn without_images(name: &str, input: Shape) -> Option<String> {
    let message = "needs images, and these data are not images; choose an Mlp, or other data";
    (!input.is_image()).then(|| format!("a {name} {message}"))
}

form::choice! {
    /// The networks that a file can name.
    pub enum Net: "Network", each Architecture {
        Mlp(Mlp) = Mlp::default(), "MLP", "Linear layers with a non-linearity between them";
        Vgg(Vgg) = Vgg::default(), "VGG", "3×3 convolutions with pooling, for images of 32 pixels or more";
        LeNet5(LeNet5) = LeNet5::default(), "LeNet-5", "Two 5×5 convolutions and three linear layers, for images of 28 or \
            32 pixels";
        ConvNet(ConvNet) = ConvNet::default(), "Conv-2, Conv-4, Conv-6", "The small convolutional networks of the lottery \
            ticket literature, for images of 28 or 32 pixels";
        ResNet(ResNet) = ResNet::default(), "ResNet", "Residual blocks: 20 to 110 layers for images of 32 pixels, 18 to \
            101 for large ones";
        Sequential(Sequential) = Sequential::default(), "Own layers", "A list of layers, with residual blocks";
    }
}

impl Net {
    /// The same network as a list of its layers, which have the names of the original.
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

    /// The side that small built-in images are resized to, where the network asks for one.
    pub fn image_side(&self) -> Option<usize> {
        self.rule().image_side()
    }
}
