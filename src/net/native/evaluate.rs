//! Evaluation mode: running statistics, nothing dropped, nothing kept.

use std::ops::Range;

use super::pass::{Cut, Pass, State};
use super::weights::{Fused, Weights};
use crate::kernels::conv::ConvShape;
use crate::kernels::direct::{Epilogue, GROUP, convolve};
use crate::kernels::live;
use crate::kernels::norm;
use crate::kernels::pack::{Packing, Side};
use crate::kernels::parallel::chunks_mut;
use crate::kernels::pool::Images;
use crate::kernels::scratch::Buffer;
use data::Shape;
use doc::Activation;
use doc::structure::{LayerKind, Op, Parameter, Role, Window};

/// So few weights may be packed again for every few images.
const FEW_WEIGHTS: usize = 64 * 1024;

/// Operations at the start that are carried out together.
struct Head {
    ops: usize,
    /// Images at a time.
    images: usize,
}

impl<'a> Pass<'a> {
    /// Operations `ops` of the structure.
    pub fn evaluate(&self, ops: Range<usize>, cut: Cut<'a>) -> Cut<'a> {
        match self.head(&ops, &cut) {
            Some(head) => {
                let state = self.in_parts(ops.start..ops.start + head.ops, head.images, &cut.state);
                self.walk(ops.start + head.ops..ops.end, Cut { state, ..cut })
            }
            None => self.walk(ops, cut),
        }
    }

    /// Where images are large and weights few: all operations up to a pooling, or to the last block with few weights, for
    /// as many images as keep the activations in the second cache.
    fn head(&self, ops: &Range<usize>, cut: &Cut<'a>) -> Option<Head> {
        if !cut.stack.is_empty() || !cut.state.shape.is_image() {
            return None;
        }
        let structure = self.structure();
        let shapes = structure.shapes();
        let (mut weights, mut largest, mut copies, mut most_copies) = (0, 0, 0, 0);
        let mut end = None;
        for (at, op) in structure.ops.iter().enumerate().take(ops.end).skip(ops.start) {
            largest = largest.max(shapes[at].len());
            match op {
                Op::Layer(layer) if structure.layers[*layer].kind != LayerKind::Linear => {
                    weights += structure.weight(*layer).map_or(0, Parameter::len);
                }
                Op::Activation(_) if end == Some(at) => end = Some(at + 1),
                Op::Fork => {
                    copies += 1;
                    most_copies = most_copies.max(copies);
                }
                Op::Add(_) => {
                    copies -= 1;
                    end = if copies == 0 { Some(at + 1) } else { end };
                }
                Op::MaxPool(_) if copies == 0 => {
                    end = Some(at + 1);
                    break;
                }
                Op::Activation(_) | Op::MaxPool(_) | Op::Swap | Op::Subsample { .. } => {}
                Op::Layer(_)
                | Op::AveragePool(_)
                | Op::AdaptiveAveragePool(_)
                | Op::Flatten
                | Op::Dropout(_) => break,
            }
            if weights > FEW_WEIGHTS {
                break;
            }
        }
        let images = (GROUP / (largest.max(1) * (1 + 2 * most_copies))).max(1);
        end.filter(|_| self.count >= 4 * images).map(|end| Head { ops: end - ops.start, images })
    }

    /// Operations at the start, some images at a time.
    fn in_parts(&self, ops: Range<usize>, images: usize, state: &State<'a>) -> State<'a> {
        let shape = self.structure().shapes()[ops.end];
        let mut output = self.scratch.take(self.count * shape.len());
        let (size, layout, values) = (state.shape.len(), state.layout, &**state.values);
        let (before, part) = (state.shape, images * shape.len());
        chunks_mut(&mut output, part, usize::MAX, |at, output| {
            let count = output.len() / shape.len();
            let values = &values[at * images * size..][..count * size];
            let pass = Pass { count, ..*self };
            let cut = Cut::of(State::given(values, before, layout));
            output.copy_from_slice(&pass.walk(ops.clone(), cut).state.values);
        });
        State::images(output, shape)
    }

    fn walk(&self, ops: Range<usize>, mut cut: Cut<'a>) -> Cut<'a> {
        let mut rest = &self.structure().ops[ops];
        while let Some((op, following)) = rest.split_first() {
            let taken;
            (cut, taken) = self.step(op, following, cut);
            rest = &rest[taken..];
        }
        cut
    }

    /// Carries out an operation and those that are fused with it; returns how many there were.
    fn step(&self, op: &Op, following: &[Op], mut cut: Cut<'a>) -> (Cut<'a>, usize) {
        match op {
            Op::Layer(layer) => return self.layer(*layer, following, cut),
            Op::Activation(kind) => cut.state = self.activate(kind, cut.state),
            Op::MaxPool(window) => cut.state = self.max_pool(*window, &self.channels_last(cut.state)).0,
            Op::AveragePool(window) => {
                cut.state = self.average_windows(*window, &self.channels_last(cut.state));
            }
            Op::AdaptiveAveragePool(side) => {
                cut.state = self.average_pool(*side, self.channels_last(cut.state));
            }
            Op::Flatten => cut.state = self.flatten(cut.state),
            Op::Dropout(_) => {}
            Op::Fork => {
                cut.state = self.channels_last(cut.state);
                cut.stack.push(cut.state.clone());
            }
            Op::Swap => cut.swap(),
            Op::Subsample { stride, channels } => {
                cut.state = self.subsample(*stride, *channels, &self.channels_last(cut.state));
            }
            Op::Add(_) => {
                let relu = is_relu(following.first());
                let other = cut.pop();
                cut.state = self.add(cut.state, other, relu);
                return (cut, 1 + usize::from(relu));
            }
        }
        (cut, 1)
    }

    fn layer(&self, layer: usize, following: &[Op], mut cut: Cut<'a>) -> (Cut<'a>, usize) {
        match self.structure().layers[layer].kind {
            LayerKind::Linear => {
                cut.state = self.linear(layer, &cut.state);
                (cut, 1)
            }
            LayerKind::Convolution(window) => {
                let fused = self.fused(following);
                let residual = fused.adds.then(|| self.channels_last(cut.pop()));
                let state = self.channels_last(cut.state);
                cut.state = self.convolve((layer, window), &fused, residual.as_ref(), &state);
                (cut, 1 + fused.taken)
            }
            LayerKind::BatchNorm => {
                let relu = is_relu(following.first());
                let state = self.channels_last(cut.state);
                let inverse = self.running_inverse(layer);
                let mut output = self.scratch.take(state.values.len());
                let norm = self.norm(layer, self.parameter(layer, Role::RunningMean), &inverse);
                norm::normalise(&norm, relu, &state.values, None, &mut output);
                cut.state = state.with(output);
                (cut, 1 + usize::from(relu))
            }
        }
    }

    /// 1/√(running variance + ε).
    pub fn running_inverse(&self, layer: usize) -> Buffer<'a> {
        let variance = self.parameter(layer, Role::RunningVariance);
        let mut inverse = self.scratch.take(variance.len());
        norm::inverse(variance, &mut inverse);
        inverse
    }

    /// A convolution, fused with the norm, the addition, the ReLU and the pooling after it.
    fn convolve(
        &self,
        (layer, window): (usize, Window),
        &Fused { norm, relu, pool, .. }: &Fused,
        residual: Option<&State<'a>>,
        state: &State<'a>,
    ) -> State<'a> {
        let shape = self.convolution(layer, window, state);
        let Weights { inputs, packed } = self.weights(layer, &shape, relu, &state.values);
        let (shape, input) = match &inputs {
            None => (shape, None),
            Some(inputs) => {
                let mut input = self.scratch.take(state.values.len() / shape.inputs * inputs.len());
                live::gather(shape.inputs, inputs, &state.values, &mut input);
                (ConvShape { inputs: inputs.len(), ..shape }, Some(input))
            }
        };
        let input: &[f32] = input.as_deref().unwrap_or(&state.values);
        let packing = Packing::new(&shape, Side::Forward);
        let inverse = norm.map(|norm| self.running_inverse(norm));
        let norm = norm
            .zip(inverse.as_ref())
            .map(|(n, inverse)| self.norm(n, self.parameter(n, Role::RunningMean), inverse));
        let residual = residual.map(|state| &**state.values as &[f32]);
        let epilogue = Epilogue { bias: self.bias(layer), norm, residual, relu, pool, asked: self.asked };
        let images = self.images(self.structure().layers[layer].output);
        let images = if pool { images.halved() } else { images };
        let mut output = self.scratch.take(images.len());
        convolve(&shape, input, &packing, &packed, &epilogue, &mut output, self.scratch);
        let Images { height, width, channels, .. } = images;
        State::images(output, Shape { channels, height, width })
    }
}

/// Whether an operation is a ReLU.
pub fn is_relu(op: Option<&Op>) -> bool {
    op == Some(&Op::Activation(Activation::Relu))
}
