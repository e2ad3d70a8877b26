//! The shape of a sample.

/// The shape of one sample. Images are `channels × height × width`; a vector of features has its length in
/// `channels`, with height and width 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub channels: usize,
    pub height: usize,
    pub width: usize,
}

impl Shape {
    pub const fn new(channels: usize, height: usize, width: usize) -> Self {
        Self { channels, height, width }
    }

    /// Values of one sample.
    #[expect(clippy::len_without_is_empty, reason = "a shape is a size, not a container")]
    pub const fn len(self) -> usize {
        self.channels * self.plane()
    }

    /// Values of one channel of one sample.
    pub const fn plane(self) -> usize {
        self.height * self.width
    }

    /// False for a vector of features.
    pub const fn is_image(self) -> bool {
        self.plane() > 1
    }
}

/// `16×8×8`, or the number of features.
impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_image() {
            write!(f, "{}×{}×{}", self.channels, self.height, self.width)
        } else {
            write!(f, "{}", self.channels)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_counts_values_of_a_sample_and_of_a_channel() {
        let shape = Shape::new(3, 4, 5);
        assert_eq!((shape.len(), shape.plane()), (60, 20));
        assert!(shape.is_image());
        assert!(!Shape::new(4, 1, 1).is_image());
    }
}
