//! Images with channels last, and windows that move over them.

pub use doc::structure::{MOST_KERNEL as MAX_KERNEL, Window};

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
