//! What flows between two operations of a network, on the host.

use crate::data::Shape;
use crate::doc::structure::{LayerKind, Op, Structure};

/// In which order the values of one sample lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `[channels, height, width]`, as PyTorch has them and as all indices count.
    ChannelsFirst,
    /// `[height, width, channels]`.
    ChannelsLast,
}

/// Values of a batch in front of an operation, or behind the last one.
#[derive(Clone, Debug, PartialEq)]
pub struct Activations {
    /// Samples one behind the other.
    pub values: Vec<f32>,
    /// Number of samples.
    pub count: usize,
    /// Shape of one sample; rows behind the flattening have their length in `channels`.
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

    /// Where entry `entry` of sample `sample`, counted as PyTorch does (channel, row, column), lies in `values`.
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

/// Shape of one sample in front of every operation, and behind the last one: one more than there are operations.
pub fn shapes(structure: &Structure) -> Vec<Shape> {
    let mut shapes = vec![structure.input];
    for op in &structure.ops {
        let before = shapes[shapes.len() - 1];
        shapes.push(match op {
            Op::Layer(layer) => behind_layer(structure, *layer, before),
            Op::MaxPool => Shape { height: before.height / 2, width: before.width / 2, ..before },
            Op::AdaptiveAveragePool(side) => Shape { height: *side, width: *side, ..before },
            Op::Flatten => Shape { channels: before.len(), height: 1, width: 1 },
            Op::Activation(_) | Op::Dropout(_) => before,
        });
    }
    shapes
}

fn behind_layer(structure: &Structure, layer: usize, before: Shape) -> Shape {
    let layer = &structure.layers[layer];
    let outputs = structure.parameters[layer.parameters[0]].shape[0];
    match layer.kind {
        LayerKind::Linear => Shape { channels: outputs, height: 1, width: 1 },
        LayerKind::Convolution => Shape { channels: outputs, ..before },
        LayerKind::BatchNorm => before,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::{Loss, Net, Vgg};

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

    #[test]
    fn shapes_of_a_vgg_shrink_to_one_row() {
        let net = Net::Vgg(Vgg { depth: 11, width: 8, ..Vgg::default() });
        let input = Shape { channels: 1, height: 32, width: 32 };
        let structure = Structure::new(&net, input, 10, &Loss::CrossEntropy);
        let shapes = shapes(&structure);
        assert_eq!(shapes.len(), structure.ops.len() + 1);
        assert_eq!(shapes[1], Shape { channels: 8, height: 32, width: 32 });
        assert_eq!(shapes[4], Shape { channels: 8, height: 16, width: 16 });
        assert_eq!(shapes.last(), Some(&Shape { channels: 10, height: 1, width: 1 }));
    }
}
