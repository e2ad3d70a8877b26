//! Layers as settings: what torch calls modules. A network is a list of them; [`Residual`] is the only fork.

use super::activation::Activation;

/// Largest side of a window.
pub const MOST_KERNEL: usize = 11;
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
    /// What a residual block adds to what its body yields.
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
    /// A convolution with this name and a border that keeps the size of the image at stride 1.
    pub fn conv(name: &str, channels: usize, kernel: usize, stride: usize, bias: bool) -> Self {
        Self::Conv(Conv { channels, kernel, stride, bias, name: Some(name.to_owned()), ..Conv::default() })
    }

    /// A batch norm with this name.
    pub fn batch_norm(name: &str) -> Self {
        Self::BatchNorm(BatchNorm { name: Some(name.to_owned()) })
    }

    /// A linear layer with this name.
    pub fn linear(name: &str, units: usize) -> Self {
        Self::Linear(Linear { units: Some(units), name: Some(name.to_owned()), ..Linear::default() })
    }

    /// A maximum over windows that follow each other without overlap.
    pub fn max_pool(window: usize) -> Self {
        Self::MaxPool(Pool { window, ..Pool::default() })
    }

    /// The product of the strides of some layers: by how much they divide the size of images.
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

    /// Its non-linearity, if it is one.
    pub const fn activation(&self) -> Option<Activation> {
        match self {
            Self::Relu => Some(Activation::Relu),
            Self::Softsign => Some(Activation::Softsign),
            Self::Tanh => Some(Activation::Tanh),
            Self::Sigmoid => Some(Activation::Sigmoid),
            Self::Conv(_)
            | Self::BatchNorm(_)
            | Self::Linear(_)
            | Self::MaxPool(_)
            | Self::AveragePool(_)
            | Self::AdaptiveAveragePool(_)
            | Self::GlobalAveragePool
            | Self::Flatten
            | Self::Dropout(_)
            | Self::Residual(_) => None,
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
