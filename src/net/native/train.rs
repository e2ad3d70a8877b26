//! Training mode, forward: statistics of the mini-batch, dropout, and a tape for the backward pass.

use std::rc::Rc;

use super::evaluate::is_relu;
use super::pass::{Pass, State, Values, curve};
use crate::data::Shape;
use crate::doc::structure::{LayerKind, Op, Role};
use crate::intervene::draw::uniform;
use crate::net::activations::{Activations, Layout};
use crate::net::compute::{BatchStatistics, DropoutStream, Tap};
use crate::net::kernels::activate::{self, Curve};
use crate::net::kernels::conv::{ConvShape, Convolution, Factors};
use crate::net::kernels::norm::{self, Way};
use crate::net::kernels::pool::Images;
use crate::net::kernels::scratch::Buffer;

/// What an operation keeps for the backward pass.
pub enum Kept<'a> {
    Linear {
        layer: usize,
        input: Rc<Values<'a>>,
    },
    Convolution {
        layer: usize,
        input: Rc<Values<'a>>,
        shape: ConvShape,
    },
    Norm {
        layer: usize,
        input: Rc<Values<'a>>,
        mean: Values<'a>,
        inverse: Buffer<'a>,
        way: Way,
        /// Which pixels a pooling after it took.
        which: Option<Buffer<'a, u8>>,
        shape: Shape,
    },
    Activation {
        curve: Curve,
        /// Inputs or outputs, whichever the curve needs.
        values: Rc<Values<'a>>,
    },
    MaxPool {
        images: Images,
        which: Buffer<'a, u8>,
    },
    AveragePool {
        images: Images,
        side: usize,
    },
    Flatten {
        shape: Shape,
    },
    Dropout {
        factors: Buffer<'a>,
    },
    /// Positions that a tap overwrote.
    Written {
        places: Vec<usize>,
    },
}

/// One pass in training mode.
pub struct Training<'a> {
    pub(super) pass: Pass<'a>,
    pub(super) convolution: &'a dyn Convolution,
    pub(super) tape: Vec<Kept<'a>>,
    pub(super) statistics: Vec<BatchStatistics>,
    dropout: DropoutStream,
    keeps: bool,
}

impl<'a> Training<'a> {
    /// A pass that has not begun.
    pub fn new(pass: Pass<'a>, convolution: &'a dyn Convolution, dropout: DropoutStream) -> Self {
        Self { pass, convolution, tape: Vec::new(), statistics: Vec::new(), dropout, keeps: false }
    }

    /// The logits; with `keeps` the tape is written.
    pub fn forward(&mut self, inputs: &'a [f32], tap: &mut dyn Tap, keeps: bool) -> State<'a> {
        self.keeps = keeps;
        let structure = self.pass.structure();
        let mut state = State::given(inputs, structure.input, Layout::ChannelsFirst);
        let mut at = 0;
        while let Some(op) = structure.ops.get(at) {
            let norm = self.pass.norm_layer(Some(op));
            // A norm is fused with the ReLU and the pooling after it, unless a tap looks between them.
            let relu = norm.is_some() && !tap.wants(at) && is_relu(structure.ops.get(at + 1));
            let last = at + usize::from(relu);
            let pool =
                norm.is_some() && !tap.wants(last) && structure.ops.get(last + 1) == Some(&Op::MaxPool);
            state = match norm {
                Some(layer) => self.norm(layer, [relu, pool], state),
                None => self.op(op, state),
            };
            at = last + usize::from(pool);
            if tap.wants(at) {
                state = self.tapped(tap, at, state);
            }
            at += 1;
        }
        state
    }

    fn keep(&mut self, kept: Kept<'a>) {
        if self.keeps {
            self.tape.push(kept);
        }
    }

    fn op(&mut self, op: &Op, state: State<'a>) -> State<'a> {
        let pass = self.pass;
        match op {
            Op::Layer(layer) => self.layer(*layer, state),
            Op::Activation(kind) => {
                let curve = curve(kind);
                let input = curve.goes_back_from_input().then(|| state.values.clone());
                let state = pass.activate(kind, state);
                self.keep(Kept::Activation { curve, values: input.unwrap_or_else(|| state.values.clone()) });
                state
            }
            Op::MaxPool => {
                let state = pass.channels_last(state);
                let (output, which) = pass.max_pool(&state);
                self.keep(Kept::MaxPool { images: pass.images(state.shape), which });
                output
            }
            Op::AdaptiveAveragePool(side) => {
                let state = pass.channels_last(state);
                let images = pass.images(state.shape);
                if (images.height, images.width) != (*side, *side) {
                    self.keep(Kept::AveragePool { images, side: *side });
                }
                pass.average_pool(*side, state)
            }
            Op::Flatten => {
                if state.layout == Layout::ChannelsLast {
                    self.keep(Kept::Flatten { shape: state.shape });
                }
                pass.flatten(state)
            }
            Op::Dropout(share) => self.drop_units(*share, state),
        }
    }

    fn layer(&mut self, layer: usize, state: State<'a>) -> State<'a> {
        let pass = self.pass;
        if pass.structure().layers[layer].kind == LayerKind::Linear {
            let output = pass.linear(layer, &state);
            self.keep(Kept::Linear { layer, input: state.values });
            return output;
        }
        let state = pass.channels_last(state);
        let shape = pass.convolution(layer, &state);
        let mut output = pass.scratch.take(shape.output_len());
        let (weight, bias) = (pass.parameter(layer, Role::Weight), pass.parameter(layer, Role::Bias));
        let factors = Factors { shape: &shape, input: &state.values, weight, scratch: pass.scratch };
        self.convolution.forward(&factors, Some(bias), &mut output);
        let result = State::images(output, Shape { channels: shape.outputs, ..state.shape });
        self.keep(Kept::Convolution { layer, input: state.values, shape });
        result
    }

    fn norm(&mut self, layer: usize, [relu, pool]: [bool; 2], state: State<'a>) -> State<'a> {
        let pass = self.pass;
        let state = pass.channels_last(state);
        let batch = !pass.network.fixed_norms().contains(&layer);
        let (mean, inverse) = if batch {
            self.batch_statistics(layer, &state)
        } else {
            (Values::Given(pass.parameter(layer, Role::RunningMean)), pass.running_inverse(layer))
        };
        let norm = pass.norm(layer, &mean, &inverse);
        let (result, which) = if pool {
            let (output, which) = pass.normalise_pooled(&norm, relu, &state);
            (output, Some(which))
        } else {
            let mut output = pass.scratch.take(state.values.len());
            norm::normalise(&norm, relu, &state.values, None, &mut output);
            (state.with(output), None)
        };
        let (way, shape) = (Way { relu, batch }, state.shape);
        self.keep(Kept::Norm { layer, input: state.values, mean, inverse, way, which, shape });
        result
    }

    /// Mean and 1/√(variance + ε) of the inputs.
    fn batch_statistics(&mut self, layer: usize, state: &State<'a>) -> (Values<'a>, Buffer<'a>) {
        let channels = state.shape.channels;
        let mut mean = self.pass.scratch.take(channels);
        let mut variance = self.pass.scratch.take(channels);
        norm::statistics(&state.values, &mut mean, &mut variance, self.pass.scratch);
        let mut inverse = self.pass.scratch.take(channels);
        norm::inverse(&variance, &mut inverse);
        let count = state.values.len() / channels;
        let (means, variance) = (mean.to_vec(), variance.to_vec());
        self.statistics.push(BatchStatistics { layer, mean: means, variance, count });
        (Values::Own(mean), inverse)
    }

    /// Sets a share of the units to 0 and scales the others up, which keeps the expected sum.
    fn drop_units(&mut self, share: f64, state: State<'a>) -> State<'a> {
        let Some(stream) = &mut self.dropout else { return state };
        let kept = (1.0 / (1.0 - share)) as f32;
        let mut factors = self.pass.scratch.take(state.values.len());
        for factor in factors.iter_mut() {
            *factor = if f64::from(uniform(stream)) < share { 0.0 } else { kept };
        }
        let mut values = self.pass.copy(&state.values);
        activate::scale(&mut values, &factors);
        self.keep(Kept::Dropout { factors });
        state.with(values)
    }

    /// The activations after operation `op`, as a tap leaves them.
    fn tapped(&mut self, tap: &mut dyn Tap, op: usize, state: State<'a>) -> State<'a> {
        let State { shape, layout, .. } = state;
        let mut activations =
            Activations { values: state.values.to_vec(), count: self.pass.count, shape, layout };
        tap.write(op, &mut activations);
        let is_new = |&place: &usize| activations.values[place].to_bits() != state.values[place].to_bits();
        let places: Vec<usize> = (0..activations.values.len()).filter(is_new).collect();
        if places.is_empty() {
            return state;
        }
        self.keep(Kept::Written { places });
        state.with(self.pass.copy(&activations.values))
    }
}
