//! Evaluation mode: running statistics, nothing dropped, nothing kept.

use std::ops::Range;

use super::pass::{Pass, State};
use crate::data::Shape;
use crate::doc::Activation;
use crate::doc::structure::{LayerKind, Op, Parameter, Role};
use crate::net::kernels::direct::{Epilogue, GROUP, convolve};
use crate::net::kernels::norm;
use crate::net::kernels::pack::{Packing, Side};
use crate::net::kernels::parallel::chunks_mut;
use crate::net::kernels::pool::Images;
use crate::net::kernels::scratch::Buffer;

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
    pub fn evaluate(&self, ops: Range<usize>, state: State<'a>) -> State<'a> {
        match self.head(&ops, &state) {
            Some(head) => {
                let state = self.in_parts(ops.start..ops.start + head.ops, head.images, &state);
                self.walk(ops.start + head.ops..ops.end, state)
            }
            None => self.walk(ops, state),
        }
    }

    /// Where images are large and weights few: all operations up to a pooling, for as many images as keep the activations
    /// in the second cache.
    fn head(&self, ops: &Range<usize>, state: &State<'a>) -> Option<Head> {
        let structure = self.structure();
        let shapes = structure.shapes();
        let (mut weights, mut largest) = (0, 0);
        for (at, op) in structure.ops.iter().enumerate().take(ops.end).skip(ops.start) {
            largest = largest.max(shapes[at].len());
            match op {
                Op::Layer(layer) if structure.layers[*layer].kind != LayerKind::Linear => {
                    weights += structure.weight(*layer).map_or(0, Parameter::len);
                }
                Op::Activation(_) => {}
                Op::MaxPool => {
                    let images = (GROUP / largest.max(1)).max(1);
                    let pays = weights <= FEW_WEIGHTS && self.count >= 4 * images && state.shape.is_image();
                    return pays.then_some(Head { ops: at + 1 - ops.start, images });
                }
                Op::Layer(_) | Op::AdaptiveAveragePool(_) | Op::Flatten | Op::Dropout(_) => return None,
            }
        }
        None
    }

    /// Operations up to a pooling, some images at a time.
    fn in_parts(&self, ops: Range<usize>, images: usize, state: &State<'a>) -> State<'a> {
        let shape = self.structure().shapes()[ops.end];
        let mut output = self.scratch.take(self.count * shape.len());
        let (size, layout, values) = (state.shape.len(), state.layout, &**state.values);
        let (before, part) = (state.shape, images * shape.len());
        chunks_mut(&mut output, part, usize::MAX, |at, output| {
            let count = output.len() / shape.len();
            let values = &values[at * images * size..][..count * size];
            let pass = Pass { count, ..*self };
            output.copy_from_slice(&pass.walk(ops.clone(), State::given(values, before, layout)).values);
        });
        State::images(output, shape)
    }

    fn walk(&self, ops: Range<usize>, mut state: State<'a>) -> State<'a> {
        let mut rest = &self.structure().ops[ops];
        while let Some((op, following)) = rest.split_first() {
            let taken;
            (state, taken) = self.step(op, following, state);
            rest = &rest[taken..];
        }
        state
    }

    /// Carries out an operation and those that are fused with it; returns how many there were.
    fn step(&self, op: &Op, following: &[Op], state: State<'a>) -> (State<'a>, usize) {
        let state = match op {
            Op::Layer(layer) => return self.layer(*layer, following, state),
            Op::Activation(kind) => self.activate(kind, state),
            Op::MaxPool => self.max_pool(&self.channels_last(state)).0,
            Op::AdaptiveAveragePool(side) => self.average_pool(*side, self.channels_last(state)),
            Op::Flatten => self.flatten(state),
            Op::Dropout(_) => state,
        };
        (state, 1)
    }

    fn layer(&self, layer: usize, following: &[Op], state: State<'a>) -> (State<'a>, usize) {
        match self.structure().layers[layer].kind {
            LayerKind::Linear => (self.linear(layer, &state), 1),
            LayerKind::Convolution => {
                let norm = self.norm_layer(following.first());
                let relu = is_relu(following.get(usize::from(norm.is_some())));
                let taken = usize::from(norm.is_some()) + usize::from(relu);
                let pool = following.get(taken) == Some(&Op::MaxPool);
                let state = self.convolve(layer, norm, [relu, pool], &self.channels_last(state));
                (state, 1 + taken + usize::from(pool))
            }
            LayerKind::BatchNorm => {
                let relu = is_relu(following.first());
                let state = self.channels_last(state);
                let inverse = self.running_inverse(layer);
                let mut output = self.scratch.take(state.values.len());
                let norm = self.norm(layer, self.parameter(layer, Role::RunningMean), &inverse);
                norm::normalise(&norm, relu, &state.values, None, &mut output);
                (state.with(output), 1 + usize::from(relu))
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

    /// A convolution, fused with the norm, ReLU and pooling after it.
    fn convolve(
        &self,
        layer: usize,
        norm: Option<usize>,
        [relu, pool]: [bool; 2],
        state: &State<'a>,
    ) -> State<'a> {
        let shape = self.convolution(layer, state);
        let packing = Packing::new(&shape, Side::Forward);
        let mut packed = self.scratch.take(packing.len());
        packing.pack(self.parameter(layer, Role::Weight), &mut packed);
        let inverse = norm.map(|norm| self.running_inverse(norm));
        let norm = norm
            .zip(inverse.as_ref())
            .map(|(n, inverse)| self.norm(n, self.parameter(n, Role::RunningMean), inverse));
        let epilogue =
            Epilogue { bias: Some(self.parameter(layer, Role::Bias)), norm, residual: None, relu, pool };
        let images = self.images(Shape { channels: shape.outputs, ..state.shape });
        let images = if pool { images.halved() } else { images };
        let mut output = self.scratch.take(images.len());
        convolve(&shape, &state.values, &packing, &packed, &epilogue, &mut output, self.scratch);
        let Images { height, width, channels, .. } = images;
        State::images(output, Shape { channels, height, width })
    }
}

/// Whether an operation is a ReLU.
pub fn is_relu(op: Option<&Op>) -> bool {
    op == Some(&Op::Activation(Activation::Relu))
}
