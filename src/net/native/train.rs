//! Training mode, forward: statistics of the mini-batch, dropout, and a tape for the backward pass.

use std::rc::Rc;

use super::evaluate::is_relu;
use super::pass::{Cut, FORKED, Pass, State, Values, curve};
use crate::activations::{Activations, Layout};
use crate::compute::{BatchStatistics, DropoutStream, Tap};
use crate::kernels::activate::{self, Curve};
use crate::kernels::conv::{ConvShape, Convolution, Factors};
use crate::kernels::free::FreeBits;
use crate::kernels::norm::{self, Way};
use crate::kernels::part::Part;
use crate::kernels::pool::Images;
use crate::kernels::scratch::Buffer;
use data::Shape;
use doc::structure::{LayerKind, Op, Role, Window};
use intervene::draw::uniform;

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
        /// The channels that are left, where others are gone.
        part: Option<Part>,
    },
    Norm {
        layer: usize,
        input: Rc<Values<'a>>,
        mean: Values<'a>,
        inverse: Buffer<'a>,
        way: Way,
        after: After<'a>,
        shape: Shape,
    },
    Activation {
        curve: Curve,
        /// Inputs or outputs, whichever the curve needs.
        values: Rc<Values<'a>>,
    },
    MaxPool {
        images: Images,
        window: Window,
        which: Buffer<'a, u8>,
    },
    AverageWindows {
        images: Images,
        window: Window,
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
    Fork,
    Swap,
    Subsample {
        images: Images,
        stride: usize,
        channels: usize,
    },
    Add,
    /// Positions that a tap overwrote.
    Written {
        places: Vec<usize>,
    },
}

/// What is fused with a batch norm, besides a ReLU.
pub enum After<'a> {
    Nothing,
    /// Which pixels a pooling took.
    Pooling(Buffer<'a, u8>),
    /// The sum at the end of a block, and the output of the ReLU after it if there is one.
    Sum(Option<Rc<Values<'a>>>),
}

/// One pass in training mode.
pub struct Training<'a> {
    pub(super) pass: Pass<'a>,
    pub(super) convolution: &'a dyn Convolution,
    pub(super) tape: Vec<Kept<'a>>,
    pub(super) statistics: Vec<BatchStatistics>,
    /// Whether gradients of held entries are left out.
    pub(super) leaves_out_held: bool,
    dropout: DropoutStream,
    keeps: bool,
}

impl<'a> Training<'a> {
    /// A pass that has not begun.
    pub fn new(pass: Pass<'a>, convolution: &'a dyn Convolution, dropout: DropoutStream) -> Self {
        let (tape, statistics) = (Vec::new(), Vec::new());
        Self { pass, convolution, tape, statistics, leaves_out_held: false, dropout, keeps: false }
    }

    /// The logits; with `keeps` the tape is written.
    pub fn forward(&mut self, inputs: &'a [f32], tap: &mut dyn Tap, keeps: bool) -> State<'a> {
        self.keeps = keeps;
        let structure = self.pass.structure();
        let mut cut = Cut::of(State::given(inputs, structure.input, Layout::ChannelsFirst));
        let mut at = 0;
        while let Some(op) = structure.ops.get(at) {
            // Operations are fused with those after them, unless a tap looks between them.
            let next = |at: usize| structure.ops.get(at + 1).filter(|_| !tap.wants(at));
            let relu = |at: usize| is_relu(next(at));
            let taken;
            (cut, taken) = match (self.pass.norm_layer(Some(op)), op) {
                (Some(layer), _) if matches!(next(at), Some(Op::Add(_))) => {
                    let relu = relu(at + 1);
                    (self.norm_and_add(layer, relu, cut), 2 + usize::from(relu))
                }
                (Some(layer), _) => {
                    let relu = relu(at);
                    let last = at + usize::from(relu);
                    let pool = next(last) == Some(&Op::MaxPool(Window::HALVES));
                    cut.state = self.norm(layer, [relu, pool], cut.state);
                    (cut, 1 + usize::from(relu) + usize::from(pool))
                }
                (None, Op::Add(_)) => {
                    let relu = relu(at);
                    (self.add(relu, cut), 1 + usize::from(relu))
                }
                (None, op) => (self.op(op, cut), 1),
            };
            at += taken;
            if tap.wants(at - 1) {
                cut.state = self.tapped(tap, at - 1, cut.state);
            }
        }
        cut.state
    }

    fn keep(&mut self, kept: Kept<'a>) {
        if self.keeps {
            self.tape.push(kept);
        }
    }

    fn op(&mut self, op: &Op, Cut { state, mut stack }: Cut<'a>) -> Cut<'a> {
        let pass = self.pass;
        let state = match op {
            Op::Layer(layer) => self.layer(*layer, state),
            Op::Activation(kind) => {
                let curve = curve(kind);
                let input = curve.goes_back_from_input().then(|| state.values.clone());
                let state = pass.activate(kind, state);
                self.keep(Kept::Activation { curve, values: input.unwrap_or_else(|| state.values.clone()) });
                state
            }
            Op::MaxPool(window) => {
                let state = pass.channels_last(state);
                let (output, which) = pass.max_pool(*window, &state);
                self.keep(Kept::MaxPool { images: pass.images(state.shape), window: *window, which });
                output
            }
            Op::AveragePool(window) => {
                let state = pass.channels_last(state);
                self.keep(Kept::AverageWindows { images: pass.images(state.shape), window: *window });
                pass.average_windows(*window, &state)
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
            Op::Fork => {
                let state = pass.channels_last(state);
                stack.push(state.clone());
                self.keep(Kept::Fork);
                state
            }
            Op::Swap => {
                self.keep(Kept::Swap);
                let top = stack.pop().expect(FORKED);
                stack.push(state);
                top
            }
            Op::Subsample { stride, channels } => {
                let (stride, channels) = (*stride, *channels);
                let state = pass.channels_last(state);
                self.keep(Kept::Subsample { images: pass.images(state.shape), stride, channels });
                pass.subsample(stride, channels, &state)
            }
            Op::Add(_) => unreachable!("sums are carried out with what follows them"),
        };
        Cut { state, stack }
    }

    /// The end of a block, and the ReLU after it if there is one.
    fn add(&mut self, relu: bool, mut cut: Cut<'a>) -> Cut<'a> {
        let other = cut.pop();
        cut.state = self.pass.add(cut.state, other, relu);
        self.keep(Kept::Add);
        if relu {
            self.keep(Kept::Activation { curve: Curve::Relu, values: cut.state.values.clone() });
        }
        cut
    }

    /// A batch norm at the end of a block, the addition, and the ReLU after it if there is one.
    fn norm_and_add(&mut self, layer: usize, relu: bool, mut cut: Cut<'a>) -> Cut<'a> {
        let pass = self.pass;
        let (state, other) = (pass.channels_last(cut.state.clone()), pass.channels_last(cut.pop()));
        let (mean, inverse, batch) = self.statistics_of(layer, &state);
        let norm = pass.norm(layer, &mean, &inverse);
        let mut output = pass.scratch.take(state.values.len());
        norm::normalise(&norm, relu, &state.values, Some(&**other.values), &mut output);
        let (way, shape) = (Way { relu: false, batch }, state.shape);
        cut.state = state.with(output);
        let after = After::Sum(relu.then(|| cut.state.values.clone()));
        self.keep(Kept::Norm { layer, input: state.values, mean, inverse, way, after, shape });
        cut
    }

    fn layer(&mut self, layer: usize, state: State<'a>) -> State<'a> {
        let pass = self.pass;
        if pass.structure().layers[layer].kind == LayerKind::Linear {
            let output = pass.linear(layer, &state);
            self.keep(Kept::Linear { layer, input: state.values });
            return output;
        }
        let LayerKind::Convolution(window) = pass.structure().layers[layer].kind else {
            unreachable!("batch norms are carried out with what follows them")
        };
        let state = pass.channels_last(state);
        let shape = pass.convolution(layer, window, &state);
        let mut output = pass.scratch.take(shape.output_len());
        let weight = pass.parameter(layer, Role::Weight);
        let factors =
            Factors { shape: &shape, input: &state.values, weight, scratch: pass.scratch, part: None };
        let part = self.free(layer).and_then(|free| Part::new(&shape, weight, free));
        match &part {
            Some(part) => part.forward(self.convolution, &factors, pass.bias(layer), &mut output),
            None => self.convolution.forward(&factors, pass.bias(layer), &mut output),
        }
        let result = State::images(output, pass.structure().layers[layer].output);
        self.keep(Kept::Convolution { layer, input: state.values, shape, part });
        result
    }

    /// Which weights of a layer have gradients that are read, where that is not all.
    pub(super) fn free(&self, layer: usize) -> Option<&'a FreeBits> {
        let Pass { network, .. } = self.pass;
        network.free(self.pass.position(layer, Role::Weight)).filter(|_| self.leaves_out_held)
    }

    fn norm(&mut self, layer: usize, [relu, pool]: [bool; 2], state: State<'a>) -> State<'a> {
        let pass = self.pass;
        let state = pass.channels_last(state);
        let (mean, inverse, batch) = self.statistics_of(layer, &state);
        let norm = pass.norm(layer, &mean, &inverse);
        let (result, after) = if pool {
            let (output, which) = pass.normalise_pooled(&norm, relu, &state);
            (output, After::Pooling(which))
        } else {
            let mut output = pass.scratch.take(state.values.len());
            norm::normalise(&norm, relu, &state.values, None, &mut output);
            (state.with(output), After::Nothing)
        };
        let (way, shape) = (Way { relu, batch }, state.shape);
        self.keep(Kept::Norm { layer, input: state.values, mean, inverse, way, after, shape });
        result
    }

    /// Mean and 1/√(variance + ε) that a batch norm normalises with, and whether they are those of the mini-batch.
    fn statistics_of(&mut self, layer: usize, state: &State<'a>) -> (Values<'a>, Buffer<'a>, bool) {
        let pass = self.pass;
        if pass.network.fixed_norms().contains(&layer) {
            let mean = Values::Given(pass.parameter(layer, Role::RunningMean));
            return (mean, pass.running_inverse(layer), false);
        }
        let (mean, inverse) = self.batch_statistics(layer, state);
        (mean, inverse, true)
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
        // Drawn in PyTorch's order.
        let factors = if state.layout == Layout::ChannelsLast && state.shape.is_image() {
            let mut turned = self.pass.scratch.take(factors.len());
            activate::to_channels_last(state.shape.channels, state.shape.plane(), &factors, &mut turned);
            turned
        } else {
            factors
        };
        let mut values = self.pass.copy(&state.values);
        activate::scale(&mut values, &factors);
        self.keep(Kept::Dropout { factors });
        state.with(values)
    }

    /// The activations after operation `op`, as a tap leaves them.
    fn tapped(&mut self, tap: &mut dyn Tap, op: usize, state: State<'a>) -> State<'a> {
        let State { shape, layout, .. } = state;
        let mut activations = Activations {
            values: state.values.to_vec(),
            count: self.pass.count,
            shape,
            layout,
            stack: Vec::new(),
        };
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
