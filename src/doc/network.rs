//! Settings of networks.

crate::choice! {
    /// Non-linearities between layers.
    pub enum Activation: "Activation" {
        Relu, "ReLU", "max(0, x)";
        Softsign, "Softsign", "x / (1 + |x|)";
        Tanh, "Tanh", "Hyperbolic tangent";
        Sigmoid, "Sigmoid", "1 / (1 + e⁻ˣ)";
    }
}

crate::choice! {
    /// What follows the last layer.
    pub enum Output: "Output" {
        Linear, "Linear", "The logits themselves";
        Sigmoid, "Sigmoid", "1 / (1 + e⁻ˣ), for binary cross-entropy";
        Tanh, "Tanh", "Hyperbolic tangent; with binary cross-entropy p = (1 + y) / 2";
    }
}

crate::choice! {
    /// How a VGG goes from features to classes.
    pub enum Head: "Head" {
        Linear, "Linear", "One linear layer after the last pooling, as in the CIFAR literature";
        ImageNet, "ImageNet", "4096-4096-classes with dropout, as in torchvision";
    }
}

crate::form! {
    /// Settings of a multi-layer perceptron; its layers are called fc1, fc2, ….
    pub struct Mlp: "MLP" {
        hidden: Vec<usize> = vec![300, 100], "Hidden layers", "Number of units of each hidden layer", range [1, 65536];
        activation: Activation = Activation::Relu, "Activation", "Non-linearity after every hidden layer";
        output: Output = Output::Linear, "Output", "What follows the last layer";
        init: crate::intervene::Init = crate::intervene::Init::PyTorch, "Initial weights", "Distribution of \
            the initial weights";
        bias_init: crate::intervene::BiasInit = crate::intervene::BiasInit::Usual, "Initial biases", "Initial \
            values of the biases";
    }
}

crate::form! {
    /// Settings of a VGG (Simonyan & Zisserman 2015); its layers have torchvision's names.
    pub struct Vgg: "VGG" {
        depth: u32 = 16, "Depth", "Number of layers with weights in the original: 11, 13, 16 or 19", range [11, 19];
        width: usize = 64, "Width", "Channels of the first layer; the others are multiples of it (the original has 64)", unit "channels", range [1, 1024];
        batch_norm: bool = true, "Batch norm", "Normalizes after every convolution";
        head: Head = Head::Linear, "Head", "How features become classes";
        dropout: f64 = 0.5, "Dropout", "Share of units dropped in the ImageNet head during training", range [0.0, 0.99];
        init: crate::intervene::Init = crate::intervene::Init::KaimingNormal, "Initial weights", "Distribution \
            of the initial weights";
        bias_init: crate::intervene::BiasInit = crate::intervene::BiasInit::Usual, "Initial biases", "Initial \
            values of the biases";
    }
}

crate::choice! {
    /// The networks that a file can name.
    pub enum Net: "Network" {
        Mlp(Mlp) = Mlp::default(), "MLP", "Linear layers with a non-linearity between them";
        Vgg(Vgg) = Vgg::default(), "VGG", "3×3 convolutions with pooling, for images of 32 pixels or more";
    }
}

/// Depths that a VGG can have.
pub const VGG_DEPTHS: [u32; 4] = [11, 13, 16, 19];

impl Net {
    /// The side that small built-in images are resized to, where the network asks for one.
    pub const fn image_side(&self) -> Option<usize> {
        match self {
            Self::Mlp(_) => None,
            Self::Vgg(_) => Some(32),
        }
    }
}
