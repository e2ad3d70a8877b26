//! Evaluation mode: running statistics, nothing dropped, nothing kept.

use std::ops::Range;

use super::pass::{Pass, State};
use crate::data::Shape;
use crate::doc::Activation;
use crate::doc::structure::{LayerKind, Op};
use crate::net::kernels::direct::{Epilogue, convolve};
use crate::net::kernels::norm;
use crate::net::kernels::pack::{Packing, Side};
use crate::net::kernels::scratch::Buffer;

impl<'a> Pass<'a> {
    /// Operations `ops` of the structure.
    pub fn evaluate(&self, ops: Range<usize>, mut state: State<'a>) -> State<'a> {
        let mut rest = &self.structure().ops[ops];
        while let Some((op, behind)) = rest.split_first() {
            let taken;
            (state, taken) = self.step(op, behind, state);
            rest = &rest[taken..];
        }
        state
    }

    /// An operation, and those behind it that are done with it: how many there were.
    fn step(&self, op: &Op, behind: &[Op], state: State<'a>) -> (State<'a>, usize) {
        let state = match op {
            Op::Layer(layer) => return self.layer(*layer, behind, state),
            Op::Activation(kind) => self.activate(kind, state),
            Op::MaxPool => self.max_pool(&self.channels_last(state)).0,
            Op::AdaptiveAveragePool(side) => self.average_pool(*side, self.channels_last(state)),
            Op::Flatten => self.flatten(state),
            Op::Dropout(_) => state,
        };
        (state, 1)
    }

    fn layer(&self, layer: usize, behind: &[Op], state: State<'a>) -> (State<'a>, usize) {
        match self.structure().layers[layer].kind {
            LayerKind::Linear => (self.linear(layer, &state), 1),
            LayerKind::Convolution => {
                let norm = self.norm_layer(behind.first());
                let relu = is_relu(behind.get(usize::from(norm.is_some())));
                let state = self.convolve(layer, norm, relu, &self.channels_last(state));
                (state, 1 + usize::from(norm.is_some()) + usize::from(relu))
            }
            LayerKind::BatchNorm => {
                let relu = is_relu(behind.first());
                let state = self.channels_last(state);
                let inverse = self.running_inverse(layer);
                let mut output = self.scratch.take(state.values.len());
                let norm = self.norm(layer, self.parameter(layer, 2), &inverse);
                norm::normalise(&norm, relu, &state.values, &mut output);
                (state.with(output), 1 + usize::from(relu))
            }
        }
    }

    /// 1/√(running variance + ε).
    pub fn running_inverse(&self, layer: usize) -> Buffer<'a> {
        let variance = self.parameter(layer, 3);
        let mut inverse = self.scratch.take(variance.len());
        norm::inverse(variance, &mut inverse);
        inverse
    }

    /// A convolution with what is done before its sums leave the registers.
    fn convolve(&self, layer: usize, norm: Option<usize>, relu: bool, state: &State<'a>) -> State<'a> {
        let shape = self.convolution(layer, state);
        let packing = Packing { rows: shape.inputs, columns: shape.outputs, side: Side::Forward };
        let mut packed = self.scratch.take(packing.len());
        packing.pack(self.parameter(layer, 0), &mut packed);
        let inverse = norm.map(|norm| self.running_inverse(norm));
        let norm = norm.zip(inverse.as_ref()).map(|(n, inverse)| self.norm(n, self.parameter(n, 2), inverse));
        let epilogue = Epilogue { bias: Some(self.parameter(layer, 1)), norm, relu };
        let mut output = self.scratch.take(shape.output_len());
        convolve(&shape, &state.values, &packing, &packed, &epilogue, &mut output);
        State::images(output, Shape { channels: shape.outputs, ..state.shape })
    }
}

/// Whether an operation is a ReLU.
pub fn is_relu(op: Option<&Op>) -> bool {
    op == Some(&Op::Activation(Activation::Relu))
}
