//! The activations between two operations of a network, on the host.

use crate::data::Shape;

/// Order of the values of one sample in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `[channels, height, width]`, as PyTorch has them and as all indices count.
    ChannelsFirst,
    /// `[height, width, channels]`.
    ChannelsLast,
}

/// Activations of a mini-batch before an operation, or after the last one.
#[derive(Clone, Debug, PartialEq)]
pub struct Activations {
    /// Sample after sample.
    pub values: Vec<f32>,
    /// Number of samples.
    pub count: usize,
    /// Shape of one sample; after flattening, `channels` is the length of a row.
    pub shape: Shape,
    /// Order of the values of a sample.
    pub layout: Layout,
}

impl Activations {
    /// Inputs of a network, each of this shape, channels first.
    ///
    /// # Panics
    /// When `values` does not hold whole samples.
    pub fn of_samples(shape: Shape, values: Vec<f32>) -> Self {
        let count = values.len() / shape.len();
        assert_eq!(values.len(), count * shape.len(), "whole samples");
        Self { values, count, shape, layout: Layout::ChannelsFirst }
    }

    /// Position in `values` of entry `entry` of sample `sample`, counted as PyTorch does (channel, row, column).
    pub const fn place(&self, sample: usize, entry: usize) -> usize {
        let start = sample * self.shape.len();
        match self.layout {
            Layout::ChannelsFirst => start + entry,
            Layout::ChannelsLast => {
                let plane = self.shape.plane();
                start + entry % plane * self.shape.channels + entry / plane
            }
        }
    }

    /// The values of one sample, in the order of the layout.
    pub fn sample(&self, sample: usize) -> &[f32] {
        &self.values[sample * self.shape.len()..][..self.shape.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_in_both_layouts() {
        let shape = Shape { channels: 2, height: 1, width: 3 };
        let first = Activations::of_samples(shape, (0_u8..12).map(f32::from).collect());
        assert_eq!((first.count, first.place(1, 4)), (2, 10));
        let last = Activations { layout: Layout::ChannelsLast, ..first };
        let places: Vec<usize> = (0..6).map(|entry| last.place(1, entry)).collect();
        assert_eq!(places, [6, 8, 10, 7, 9, 11]);
        assert_eq!(last.sample(1), [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
    }
}
