//! The interface of the convolutions: forward and backward on images with channels last (NHWC).

pub use super::images::Window;
use super::part::Part;
use super::scratch::Scratch;

/// Shape of a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvShape {
    /// Number of images.
    pub images: usize,
    /// Height of the input.
    pub height: usize,
    /// Width of the input.
    pub width: usize,
    /// Input channels.
    pub inputs: usize,
    /// Output channels.
    pub outputs: usize,
    /// The window.
    pub window: Window,
}

impl ConvShape {
    /// Pixels of all input images.
    pub const fn pixels(&self) -> usize {
        self.images * self.height * self.width
    }

    /// Height of the output.
    pub const fn out_height(&self) -> usize {
        self.window.output(self.height)
    }

    /// Width of the output.
    pub const fn out_width(&self) -> usize {
        self.window.output(self.width)
    }

    /// Pixels of all output images.
    pub const fn out_pixels(&self) -> usize {
        self.images * self.out_height() * self.out_width()
    }

    /// Places of the window.
    pub const fn taps(&self) -> usize {
        self.window.taps()
    }

    /// Length of the input, `[images, height, width, inputs]`.
    pub const fn input_len(&self) -> usize {
        self.pixels() * self.inputs
    }

    /// Length of the output, `[images, out_height, out_width, outputs]`.
    pub const fn output_len(&self) -> usize {
        self.out_pixels() * self.outputs
    }

    /// Weights, `[outputs, inputs, kernel, kernel]` as in PyTorch.
    pub const fn weight_len(&self) -> usize {
        self.outputs * self.inputs * self.taps()
    }

    /// Multiply-adds of one pass forward, products with the border included.
    pub const fn multiply_adds(&self) -> usize {
        self.out_pixels() * self.inputs * self.outputs * self.taps()
    }
}

/// What a convolution multiplies, and the buffers that it may use.
#[derive(Clone, Copy)]
pub struct Factors<'a> {
    /// Their shape.
    pub shape: &'a ConvShape,
    /// `[images, height, width, inputs]`.
    pub input: &'a [f32],
    /// `[outputs, inputs, kernel, kernel]`.
    pub weight: &'a [f32],
    /// Source of buffers.
    pub scratch: &'a Scratch,
    /// Of what these are the channels that are left, if they are not all.
    pub part: Option<&'a Part>,
}

impl Factors<'_> {
    /// The shape that decides how sums are divided.
    pub fn whole(&self) -> &ConvShape {
        self.part.map_or(self.shape, |part| &part.whole)
    }
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

/// A method to compute convolutions. Results depend on the numbers alone, not on the number of threads or the contents of
/// buffers.
pub trait Convolution: Send + Sync {
    /// output = input ∗ weight, + bias where there is one. Of a part, it [reports](Part::take_minus_zero) a sum at −0.0.
    ///
    /// # Panics
    /// When the lengths of the slices do not fit the shape.
    fn forward(&self, factors: &Factors, bias: Option<&[f32]>, output: &mut [f32]);

    /// The backward pass, from the gradient with respect to the output.
    ///
    /// # Panics
    /// As [`forward`](Self::forward).
    fn backward(&self, factors: &Factors, gradients: ConvGradients);
}
