//! The activations between two operations of a network, on the host.

use data::Shape;
use kernels::part::live_channels;

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
    pub count: usize,
    /// Shape of one sample; after flattening, `channels` is the length of a row.
    pub shape: Shape,
    /// Order of the values of a sample.
    pub layout: Layout,
    /// Copies that residual blocks add later; the last one is added first.
    pub stack: Vec<Self>,
}

impl Activations {
    /// Returns the inputs of a network, each of this shape, channels first.
    pub fn from_samples(shape: Shape, values: Vec<f32>) -> Self {
        let count = values.len() / shape.len();
        assert_eq!(values.len(), count * shape.len(), "whole samples");
        Self { values, count, shape, layout: Layout::ChannelsFirst, stack: Vec::new() }
    }

    /// Returns all activations that are alive: these, then those on the stack.
    fn alive(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.stack)
    }

    /// Returns the samples of which any value that is alive has other bits than that one of `samples` in `other`,
    /// which is at the same position.
    pub fn differing(&self, other: &Self, samples: &[usize]) -> Vec<usize> {
        let pairs: Vec<(&Self, &Self)> = self.alive().zip(other.alive()).collect();
        let differs =
            |sample: &usize| pairs.iter().any(|(a, b)| differ(a.sample(*sample), b.sample(samples[*sample])));
        (0..self.count).filter(differs).collect()
    }

    /// Returns the activations of some samples.
    pub fn gathered(&self, samples: &[usize]) -> Self {
        let mut values = Vec::with_capacity(samples.len() * self.shape.len());
        for &sample in samples {
            values.extend_from_slice(self.sample(sample));
        }
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

    /// Returns the values of some channels alone, from the first to before the last of `of`, in PyTorch's order.
    /// After flattening, each channel is as many values one after the other.
    pub fn channels(&self, range: [usize; 2], of: usize) -> Self {
        channels(&self.values, (self.shape, self.layout), range, of)
    }

    /// Puts values of some channels of a sample in their places, as they come from [`channels`](Self::channels).
    pub fn put_channels(&mut self, sample: usize, values: &[f32], first: usize, of: usize) {
        let start = first * self.shape.len() / of;
        for (entry, value) in values.iter().enumerate() {
            let at = self.place(sample, start + entry);
            self.values[at] = *value;
        }
    }

    /// Returns true if values of some channels have other bits than those of a sample here.
    pub fn differs_in_channels(&self, sample: usize, values: &[f32], first: usize, of: usize) -> bool {
        let start = first * self.shape.len() / of;
        let here = |entry: usize| self.values[self.place(sample, start + entry)];
        values.iter().enumerate().any(|(entry, value)| value.to_bits() != here(entry).to_bits())
    }

    /// Returns true if any value of a channel of a sample has other bits than +0.0.
    pub fn is_live(&self, sample: usize, channel: usize, of: usize) -> bool {
        let each = self.shape.len() / of;
        let mut entries = channel * each..(channel + 1) * each;
        entries.any(|entry| self.values[self.place(sample, entry)].to_bits() != 0)
    }

    /// Returns the channels of images that are not +0.0 in all pixels of all samples, or nothing where those are most.
    pub fn live_channels(&self) -> Option<Vec<usize>> {
        let is_last = self.layout == Layout::ChannelsLast;
        is_last.then(|| live_channels(self.shape.channels, &self.values)).flatten()
    }

    /// Returns the position in `values` of entry `entry` of sample `sample`, counted as PyTorch does (channel, row,
    /// column).
    #[inline]
    pub const fn place(&self, sample: usize, entry: usize) -> usize {
        place((self.shape, self.layout), sample, entry)
    }

    /// Returns the values of one sample, in the order of the layout.
    #[inline]
    pub fn sample(&self, sample: usize) -> &[f32] {
        &self.values[sample * self.shape.len()..][..self.shape.len()]
    }
}

/// Returns the values of some channels alone, as [`Activations::channels`].
pub fn channels(
    values: &[f32],
    (shape, layout): (Shape, Layout),
    range: [usize; 2],
    of: usize,
) -> Activations {
    let (count, each) = (values.len() / shape.len(), shape.len() / of);
    let mut found = Vec::with_capacity(count * (range[1] - range[0]) * each);
    for sample in 0..count {
        let entries = range[0] * each..range[1] * each;
        found.extend(entries.map(|entry| values[place((shape, layout), sample, entry)]));
    }
    Activations::from_samples(Shape { channels: (range[1] - range[0]) * each, height: 1, width: 1 }, found)
}

const fn place((shape, layout): (Shape, Layout), sample: usize, entry: usize) -> usize {
    let start = sample * shape.len();
    match layout {
        Layout::ChannelsFirst => start + entry,
        Layout::ChannelsLast => {
            let plane = shape.plane();
            start + entry % plane * shape.channels + entry / plane
        }
    }
}

fn differ(a: &[f32], b: &[f32]) -> bool {
    // In pieces, whose loop has no exit and so becomes vectors.
    let mut pieces = a.chunks(256).zip(b.chunks(256));
    pieces.any(|(a, b)| a.iter().zip(b).fold(0, |bits, (a, b)| bits | (a.to_bits() ^ b.to_bits())) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_in_both_layouts() {
        let shape = Shape { channels: 2, height: 1, width: 3 };
        let first = Activations::from_samples(shape, (0_u8..12).map(f32::from).collect());
        assert_eq!((first.count, first.place(1, 4)), (2, 10));
        let last = Activations { layout: Layout::ChannelsLast, ..first.clone() };
        let places: Vec<usize> = (0..6).map(|entry| last.place(1, entry)).collect();
        assert_eq!(places, [6, 8, 10, 7, 9, 11]);
        assert_eq!(last.sample(1), [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
    }

    #[test]
    fn channels_leave_their_places_and_come_back() {
        let shape = Shape { channels: 2, height: 1, width: 3 };
        let values: Vec<f32> = (0_u8..12).map(f32::from).collect();
        let layouts = [(Layout::ChannelsFirst, [3.0, 4.0, 5.0]), (Layout::ChannelsLast, [1.0, 3.0, 5.0])];
        for (layout, first) in layouts {
            let all = Activations { layout, ..Activations::from_samples(shape, values.clone()) };
            let second = all.channels([1, 2], 2);
            assert_eq!((second.sample(0), second.count), (first.as_slice(), 2));
            let mut other = Activations { values: vec![0.0; 12], ..all.clone() };
            assert!(other.differs_in_channels(1, second.sample(1), 1, 2) && !other.is_live(1, 1, 2));
            other.put_channels(1, second.sample(1), 1, 2);
            assert!(!other.differs_in_channels(1, second.sample(1), 1, 2) && other.is_live(1, 1, 2));
            assert!(!other.is_live(1, 0, 2) && !other.is_live(0, 1, 2));
        }
    }

    #[test]
    fn a_sample_differs_where_a_copy_on_the_stack_does() {
        let shape = Shape { channels: 2, height: 1, width: 1 };
        let copy = Activations::from_samples(shape, vec![1.0, 2.0, 3.0, 4.0]);
        let golden = Activations { stack: vec![copy.clone()], ..copy.clone() };
        let mut faulty = golden.clone();
        assert!(golden.differing(&faulty, &[0, 1]).is_empty());
        faulty.stack[0].values[3] = -4.0;
        assert_eq!(golden.differing(&faulty, &[0, 1]), [1]);
        let second = faulty.gathered(&[1]);
        assert!(second.differing(&faulty, &[1]).is_empty());
        assert_eq!(second.differing(&golden, &[1]), [0]);
        assert_eq!(
            (second.values.as_slice(), second.stack[0].values.as_slice()),
            (&[3.0, 4.0][..], &[3.0, -4.0][..])
        );
        let mut both = golden.gathered(&[0]);
        both.append(second);
        assert_eq!(both, faulty);
    }
}
