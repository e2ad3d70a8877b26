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

/// A method to compute 3×3 convolutions. Results depend on the arguments alone, not on the number of threads or the
/// contents of `scratch`.
pub trait Convolution: Send + Sync {
    /// output = input ∗ weight + bias.
    ///
    /// # Panics
    /// When the lengths of the slices do not fit the shape.
    fn forward(
        &self,
        shape: &ConvShape,
        input: &[f32],
        weight: &[f32],
        bias: &[f32],
        output: &mut [f32],
        scratch: &Scratch,
    );

    /// The backward pass, from the `gradient` with respect to the output. Overwrites `weight_gradient` and, where it is
    /// given, `input_gradient` with the gradients with respect to the weights, `[outputs, inputs, 3, 3]`, and the input.
    ///
    /// # Panics
    /// As [`forward`](Self::forward).
    #[allow(clippy::too_many_arguments, reason = "what goes in, what comes out, and room to work in")]
    fn backward(
        &self,
        shape: &ConvShape,
        input: &[f32],
        weight: &[f32],
        gradient: &[f32],
        input_gradient: Option<&mut [f32]>,
        weight_gradient: &mut [f32],
        scratch: &Scratch,
    );
}
