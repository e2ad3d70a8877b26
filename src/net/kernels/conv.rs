//! Convolutions: windows, images with channels last (NHWC), and the interface forward and backward.

use crate::part::Part;
use crate::scratch::Scratch;

/// Largest side of a window.
pub const MOST_KERNEL: usize = 11;

/// A square window that moves over images with a border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its side in pixels, 1 to [`MOST_KERNEL`].
    pub kernel: usize,
    /// Pixels from one position to the next, at least 1.
    pub stride: usize,
    /// Width of the border, less than the kernel: every position sees a pixel.
    pub padding: usize,
}

impl Window {
    /// 3×3 that keeps the size of the images.
    pub const SAME3: Self = Self { kernel: 3, stride: 1, padding: 1 };
    /// 2×2 side by side.
    pub const HALVES: Self = Self { kernel: 2, stride: 2, padding: 0 };

    /// Returns the number of places of the window.
    #[inline]
    pub const fn taps(&self) -> usize {
        self.kernel * self.kernel
    }

    /// Returns the number of positions along an axis of this length; 0 where it does not fit.
    #[inline]
    pub const fn output(&self, length: usize) -> usize {
        let padded = length + 2 * self.padding;
        if length == 0 || padded < self.kernel { 0 } else { (padded - self.kernel) / self.stride + 1 }
    }

    /// Checks its fields.
    ///
    /// # Panics
    /// When the kernel, the stride or the padding is out of range.
    pub fn check(&self) {
        let Self { kernel, stride, padding } = *self;
        assert!((1..=MOST_KERNEL).contains(&kernel), "a window has 1 to {MOST_KERNEL} pixels a side");
        assert!(stride > 0 && padding < kernel, "a window moves, and always sees a pixel");
    }
}

/// Images of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Images {
    pub count: usize,
    pub height: usize,
    pub width: usize,
    pub channels: usize,
}

impl Images {
    /// Returns the numbers of all images.
    pub const fn len(&self) -> usize {
        self.count * self.size()
    }

    /// Returns the numbers of an image.
    pub const fn size(&self) -> usize {
        self.height * self.width * self.channels
    }

    /// Returns the images after 2×2 pooling; an odd last row or column is left out.
    pub const fn halved(&self) -> Self {
        self.pooled(&Window::HALVES)
    }

    /// Returns the images after a pooling.
    pub const fn pooled(&self, window: &Window) -> Self {
        Self { height: window.output(self.height), width: window.output(self.width), ..*self }
    }
}

/// Shape of a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvShape {
    pub images: usize,
    pub height: usize,
    pub width: usize,
    pub inputs: usize,
    pub outputs: usize,
    pub window: Window,
}

impl ConvShape {
    /// Returns the pixels of all input images.
    pub const fn pixels(&self) -> usize {
        self.images * self.height * self.width
    }

    /// Returns the height of the output.
    pub const fn out_height(&self) -> usize {
        self.window.output(self.height)
    }

    /// Returns the width of the output.
    pub const fn out_width(&self) -> usize {
        self.window.output(self.width)
    }

    /// Returns the pixels of all output images.
    pub const fn out_pixels(&self) -> usize {
        self.images * self.out_height() * self.out_width()
    }

    /// Returns the places of the window.
    pub const fn taps(&self) -> usize {
        self.window.taps()
    }

    /// Returns the length of the input, `[images, height, width, inputs]`.
    pub const fn input_len(&self) -> usize {
        self.pixels() * self.inputs
    }

    /// Returns the length of the output, `[images, out_height, out_width, outputs]`.
    pub const fn output_len(&self) -> usize {
        self.out_pixels() * self.outputs
    }

    /// Returns the number of weights, `[outputs, inputs, kernel, kernel]` as in PyTorch.
    pub const fn weight_len(&self) -> usize {
        self.outputs * self.inputs * self.taps()
    }

    /// Returns the multiply-adds of one pass forward, products with the border included.
    pub const fn multiply_adds(&self) -> usize {
        self.out_pixels() * self.inputs * self.outputs * self.taps()
    }
}

/// The factors of a convolution, and the buffers that it may use.
#[derive(Clone, Copy)]
pub struct Factors<'a> {
    pub shape: &'a ConvShape,
    /// `[images, height, width, inputs]`.
    pub input: &'a [f32],
    /// `[outputs, inputs, kernel, kernel]`.
    pub weight: &'a [f32],
    pub scratch: &'a Scratch,
    /// Of what these are the channels that are left, if they are not all.
    pub part: Option<&'a Part>,
}

impl Factors<'_> {
    /// Returns the shape that decides how sums are divided.
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
    /// Computes output = input ∗ weight, + bias where there is one. Of a part, it [reports](Part::mark_negative_zero)
    /// a sum at −0.0.
    fn forward(&self, factors: &Factors, bias: Option<&[f32]>, output: &mut [f32]);

    /// Goes backward, from the gradient with respect to the output.
    fn backward(&self, factors: &Factors, gradients: ConvGradients);
}
