//! The interface of the 3×3 convolutions: forward and backward on images with channels last (NHWC).

use super::scratch::Scratch;

/// Sides of the window.
pub const SIDE: usize = 3;
/// Positions of the window.
pub const TAPS: usize = SIDE * SIDE;

/// Shape of a convolution with a 3×3 window, stride 1 and a border of one zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvShape {
    /// Number of images.
    pub images: usize,
    /// Height of the images, in and out.
    pub height: usize,
    /// Width of the images, in and out.
    pub width: usize,
    /// Input channels.
    pub inputs: usize,
    /// Output channels.
    pub outputs: usize,
}

impl ConvShape {
    /// Pixels of all images.
    pub const fn pixels(&self) -> usize {
        self.images * self.height * self.width
    }

    /// Length of the input, `[images, height, width, inputs]`.
    pub const fn input_len(&self) -> usize {
        self.pixels() * self.inputs
    }

    /// Length of the output, `[images, height, width, outputs]`.
    pub const fn output_len(&self) -> usize {
        self.pixels() * self.outputs
    }

    /// Weights, `[outputs, inputs, 3, 3]` as in PyTorch.
    pub const fn weight_len(&self) -> usize {
        self.outputs * self.inputs * TAPS
    }

    /// Multiply-adds of one pass forward, products with the border included.
    pub const fn multiply_adds(&self) -> usize {
        self.pixels() * self.inputs * self.outputs * TAPS
    }
}

/// What a convolution multiplies, and the buffers that it may use.
#[derive(Clone, Copy)]
pub struct Factors<'a> {
    /// Their shape.
    pub shape: &'a ConvShape,
    /// `[images, height, width, inputs]`.
    pub input: &'a [f32],
    /// `[outputs, inputs, 3, 3]`.
    pub weight: &'a [f32],
    /// Source of buffers.
    pub scratch: &'a Scratch,
}

/// Gradients of a convolution.
pub struct ConvGradients<'a> {
    /// With respect to the output: given.
    pub output: &'a [f32],
    /// With respect to the input, where it is wanted: overwritten.
    pub input: Option<&'a mut [f32]>,
    /// With respect to the weights: overwritten.
    pub weight: &'a mut [f32],
}

/// A method to compute 3×3 convolutions. Results depend on the numbers alone, not on the number of threads or the contents
/// of buffers.
pub trait Convolution: Send + Sync {
    /// output = input ∗ weight + bias.
    ///
    /// # Panics
    /// When the lengths of the slices do not fit the shape.
    fn forward(&self, factors: &Factors, bias: &[f32], output: &mut [f32]);

    /// The backward pass, from the gradient with respect to the output.
    ///
    /// # Panics
    /// As [`forward`](Self::forward).
    fn backward(&self, factors: &Factors, gradients: ConvGradients);
}
