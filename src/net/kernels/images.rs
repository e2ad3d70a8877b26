//! Images with channels last, and windows that move over them.

/// Largest side of a window.
pub const MAX_KERNEL: usize = 11;

/// A square window that moves over images with a border of zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its side, 1 to [`MAX_KERNEL`].
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

    /// Places of the window.
    pub const fn taps(&self) -> usize {
        self.kernel * self.kernel
    }

    /// Positions along an axis of `len` pixels.
    pub const fn output(&self, len: usize) -> usize {
        let padded = len + 2 * self.padding;
        if len == 0 || padded < self.kernel { 0 } else { (padded - self.kernel) / self.stride + 1 }
    }

    /// # Panics
    /// When the kernel, the stride or the padding is out of range.
    pub fn check(&self) {
        let Self { kernel, stride, padding } = *self;
        assert!((1..=MAX_KERNEL).contains(&kernel), "a window has 1 to {MAX_KERNEL} pixels a side");
        assert!(stride > 0 && padding < kernel, "a window moves, and always sees a pixel");
    }
}

/// Images of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Images {
    /// How many.
    pub count: usize,
    /// Their height.
    pub height: usize,
    /// Their width.
    pub width: usize,
    /// Their channels.
    pub channels: usize,
}

impl Images {
    /// Numbers of all images.
    pub const fn len(&self) -> usize {
        self.count * self.size()
    }

    /// Numbers of an image.
    pub const fn size(&self) -> usize {
        self.height * self.width * self.channels
    }

    /// The images after 2×2 pooling; an odd last row or column is left out.
    pub const fn halved(&self) -> Self {
        self.pooled(&Window::HALVES)
    }

    /// The images after a pooling.
    pub const fn pooled(&self, window: &Window) -> Self {
        Self { height: window.output(self.height), width: window.output(self.width), ..*self }
    }
}
