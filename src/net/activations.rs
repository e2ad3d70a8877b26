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
    /// Copies that residual blocks add later; the last one is added first.
    pub stack: Vec<Self>,
}

impl Activations {
    /// Inputs of a network, each of this shape, channels first.
    ///
    /// # Panics
    /// When `values` does not hold whole samples.
    pub fn of_samples(shape: Shape, values: Vec<f32>) -> Self {
        let count = values.len() / shape.len();
        assert_eq!(values.len(), count * shape.len(), "whole samples");
        Self { values, count, shape, layout: Layout::ChannelsFirst, stack: Vec::new() }
    }

    /// All activations that are alive: these, then those on the stack.
    fn alive(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.stack)
    }

    /// The samples of which any value that is alive has other bits than in `other`, which is at the same position.
    pub fn differing(&self, other: &Self) -> Vec<usize> {
        let pairs: Vec<(&Self, &Self)> = self.alive().zip(other.alive()).collect();
        let differs = |sample: &usize| {
            pairs.iter().any(|(a, b)| {
                let mut values = a.sample(*sample).iter().zip(b.sample(*sample));
                values.any(|(a, b)| a.to_bits() != b.to_bits())
            })
        };
        (0..self.count).filter(differs).collect()
    }

    /// The activations of some samples.
    pub fn gathered(&self, samples: &[usize]) -> Self {
        let values = samples.iter().flat_map(|&sample| self.sample(sample)).copied().collect();
        let stack = self.stack.iter().map(|copy| copy.gathered(samples)).collect();
        Self { values, count: samples.len(), stack, ..*self }
    }

    /// Appends the samples of others, which are at the same position.
    pub fn append(&mut self, other: Self) {
        self.count += other.count;
        self.values.extend(other.values);
        for (copy, other) in self.stack.iter_mut().zip(other.stack) {
            copy.append(other);
        }
    }

    /// Takes the values of some channels from others at the same position, channels from the first to before the last of
    /// `of`. After flattening, each channel is as many values one after the other.
    ///
    /// # Panics
    /// When the others have another shape, layout or number of samples.
    pub fn take_channels(&mut self, other: &Self, [first, end]: [usize; 2], of: usize) {
        let same = |a: &Self| (a.count, a.shape, a.layout, a.values.len());
        assert_eq!(same(self), same(other), "activations at one position");
        let each = self.shape.len() / of;
        for sample in 0..self.count {
            for entry in first * each..end * each {
                let at = self.place(sample, entry);
                self.values[at] = other.values[at];
            }
        }
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
        let last = Activations { layout: Layout::ChannelsLast, ..first.clone() };
        let places: Vec<usize> = (0..6).map(|entry| last.place(1, entry)).collect();
        assert_eq!(places, [6, 8, 10, 7, 9, 11]);
        assert_eq!(last.sample(1), [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
    }
    #[test]
    fn a_sample_differs_where_a_copy_on_the_stack_does() {
        let shape = Shape { channels: 2, height: 1, width: 1 };
        let copy = Activations::of_samples(shape, vec![1.0, 2.0, 3.0, 4.0]);
        let golden = Activations { stack: vec![copy.clone()], ..copy.clone() };
        let mut faulty = golden.clone();
        assert!(golden.differing(&faulty).is_empty());
        faulty.stack[0].values[3] = -4.0;
        assert_eq!(golden.differing(&faulty), [1]);
        let second = faulty.gathered(&[1]);
        assert_eq!(
            (second.values.as_slice(), second.stack[0].values.as_slice()),
            (&[3.0, 4.0][..], &[3.0, -4.0][..])
        );
        let mut both = golden.gathered(&[0]);
        both.append(second);
        assert_eq!(both, faulty);
    }
}
