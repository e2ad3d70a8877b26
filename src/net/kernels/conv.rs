//! What every 3×3 convolution here offers: forward and backward on images whose channels lie side by side (NHWC).

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
    /// Channels that come in.
    pub inputs: usize,
    /// Channels that go out.
    pub outputs: usize,
}

impl ConvShape {
    /// Pixels of all images.
    pub const fn pixels(&self) -> usize {
        self.images * self.height * self.width
    }

    /// Numbers that come in, `[images, height, width, inputs]`.
    pub const fn input_len(&self) -> usize {
        self.pixels() * self.inputs
    }

    /// Numbers that go out, `[images, height, width, outputs]`.
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

/// One way to compute 3×3 convolutions. Results depend on the arguments alone: not on the number of threads, and not on
/// what is in `scratch`.
pub trait Convolution: Send + Sync {
    /// output = input ∗ weight + bias.
    ///
    /// # Panics
    /// When the slices do not have the lengths that the shape says.
    fn forward(
        &self,
        shape: &ConvShape,
        input: &[f32],
        weight: &[f32],
        bias: &[f32],
        output: &mut [f32],
        scratch: &Scratch,
    );

    /// Takes the gradient (the gradient with respect to the output) back: `weight_gradient`, and `input_gradient` where it is asked
    /// for, are overwritten with the gradients with respect to weights, `[outputs, inputs, 3, 3]`, and input.
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
