//! Training mode: statistics of the mini-batch and dropout; forward with a tape, and backward from its end to its start.

use std::rc::Rc;

use data::Shape;
use doc::structure::{FORKED, LayerKind, Op, Role, Window};
use intervene::draw::uniform;
use kernels::conv::{ConvGradients, ConvShape, Convolution, Factors, Images};
use kernels::linear;
use kernels::norm::{self, Next, NormGradients, Way};
use kernels::part::{FreeBits, Part};
use kernels::pointwise::{self, Curve};
use kernels::pool::{self, Pooled};
use kernels::scratch::Buffer;

use super::evaluate::is_relu;
use super::{Cut, Pass, State, Values, curve};
use crate::activations::{Activations, Layout};
use crate::compute::{BatchStatistics, DropoutStream, Gradients, Tap, TrainPass};

/// The values that an operation keeps for the backward pass.
enum Kept<'a> {
    Linear {
        layer: usize,
        input: Rc<Values<'a>>,
    },
    /// With the channels that are left, where others are gone.
    Convolution {
        layer: usize,
        input: Rc<Values<'a>>,
        shape: ConvShape,
        part: Option<Part>,
    },
    Norm(KeptNorm<'a>),
    /// With inputs or outputs, whichever the curve needs.
    Activation {
        curve: Curve,
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

struct KeptNorm<'a> {
    layer: usize,
    input: Rc<Values<'a>>,
    mean: Values<'a>,
    inverse: Buffer<'a>,
    way: Way,
    after: After<'a>,
    shape: Shape,
}

/// An operation that is fused with a batch norm, besides a ReLU.
enum After<'a> {
    Nothing,
    /// A pooling, and the places of the pixels that it took.
    Pooling(Buffer<'a, u8>),
    /// The sum at the end of a block, and the output of the ReLU after it if there is one.
    Sum(Option<Rc<Values<'a>>>),
}

/// The mean and 1/√(variance + ε) that a batch norm normalises with.
struct Statistics<'a> {
    mean: Values<'a>,
    inverse: Buffer<'a>,
    /// True if they are those of the mini-batch.
    batch: bool,
}

/// One pass in training mode.
pub struct Training<'a> {
    pass: Pass<'a>,
    convolution: &'a dyn Convolution,
    tape: Vec<Kept<'a>>,
    pub(super) statistics: Vec<BatchStatistics>,
    /// True if gradients of held entries may be left out.
    pub(super) leaves_out_held: bool,
    dropout: DropoutStream,
    keeps: bool,
}

impl<'a> Training<'a> {
    pub fn new(pass: Pass<'a>, convolution: &'a dyn Convolution, dropout: DropoutStream) -> Self {
        let (tape, statistics) = (Vec::new(), Vec::new());
        Self { pass, convolution, tape, statistics, leaves_out_held: false, dropout, keeps: false }
    }

    /// Computes the logits; with `keeps` the tape is written.
    pub fn forward(&mut self, inputs: &'a [f32], tap: &mut dyn Tap, keeps: bool) -> State<'a> {
        self.keeps = keeps;
        let structure = self.pass.structure();
        let mut cut = Cut::new(State::given(inputs, structure.input, Layout::ChannelsFirst));
        let mut at = 0;
        while let Some(op) = structure.ops.get(at) {
            // Operations are fused with those after them, unless a tap looks between them.
            let next = |at: usize| structure.ops.get(at + 1).filter(|_| !tap.wants(at));
            let relu = |at: usize| is_relu(next(at));
            let taken;
            (cut, taken) = match (self.pass.norm_layer(Some(op)), op) {
                (Some(layer), _) if matches!(next(at), Some(Op::Add(_))) => {
                    let relu = relu(at + 1);
                    (self.norm(layer, [true, relu, false], cut), 2 + usize::from(relu))
                }
                (Some(layer), _) => {
                    let relu = relu(at);
                    let pool = next(at + usize::from(relu)) == Some(&Op::MaxPool(Window::HALVES));
                    let taken = 1 + usize::from(relu) + usize::from(pool);
                    (self.norm(layer, [false, relu, pool], cut), taken)
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

    fn op(&mut self, op: &Op, mut cut: Cut<'a>) -> Cut<'a> {
        let pass = self.pass;
        let images = pass.images(cut.state.shape);
        let kept = match op {
            Op::Layer(layer) => {
                cut.state = self.layer(*layer, cut.state);
                return cut;
            }
            Op::Activation(kind) => {
                let curve = curve(kind);
                let input = curve.goes_back_from_input().then(|| cut.state.values.clone());
                cut.state = pass.activate(kind, cut.state);
                let values = input.unwrap_or_else(|| cut.state.values.clone());
                self.keep(Kept::Activation { curve, values });
                return cut;
            }
            Op::MaxPool(window) => {
                let (output, which) = pass.max_pool(*window, &pass.channels_last(cut.state));
                cut.state = output;
                self.keep(Kept::MaxPool { images, window: *window, which });
                return cut;
            }
            Op::Dropout(share) => {
                cut.state = self.drop_units(*share, cut.state);
                return cut;
            }
            Op::AveragePool(window) => Some(Kept::AverageWindows { images, window: *window }),
            Op::AdaptiveAveragePool(side) => {
                let kept = Kept::AveragePool { images, side: *side };
                ((images.height, images.width) != (*side, *side)).then_some(kept)
            }
            Op::Flatten => {
                let State { shape, layout, .. } = cut.state;
                let is_moved = layout == Layout::ChannelsLast && shape.is_image() && shape.channels > 1;
                is_moved.then_some(Kept::Flatten { shape })
            }
            Op::Fork => Some(Kept::Fork),
            Op::Swap => Some(Kept::Swap),
            Op::Subsample { stride, channels } => {
                Some(Kept::Subsample { images, stride: *stride, channels: *channels })
            }
            Op::Add(_) => unreachable!("sums are carried out with what follows them"),
        };
        if let Some(kept) = kept {
            self.keep(kept);
        }
        pass.step(op, &[], cut).0
    }

    /// Computes the end of a block, and the ReLU after it if there is one.
    fn add(&mut self, relu: bool, mut cut: Cut<'a>) -> Cut<'a> {
        let other = cut.pop();
        cut.state = self.pass.add(cut.state, other, relu);
        self.keep(Kept::Add);
        if relu {
            self.keep(Kept::Activation { curve: Curve::Relu, values: cut.state.values.clone() });
        }
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
        let shape = pass.convolution(layer, window, state.shape);
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

    /// Returns which weights of a layer have gradients that are read, where that is not all.
    fn free(&self, layer: usize) -> Option<&'a FreeBits> {
        let Pass { network, .. } = self.pass;
        network.free(self.pass.position(layer, Role::Weight)).filter(|_| self.leaves_out_held)
    }

    /// Computes a batch norm with what is fused with it: the addition at the end of a block, a ReLU, a pooling.
    fn norm(&mut self, layer: usize, [adds, relu, pool]: [bool; 3], cut: Cut<'a>) -> Cut<'a> {
        let (pass, Cut { state, mut stack }) = (self.pass, cut);
        let other = adds.then(|| pass.channels_last(stack.pop().expect(FORKED)));
        let input = pass.channels_last(state);
        let Statistics { mean, inverse, batch } = self.statistics_of(layer, &input);
        let norm = pass.norm(layer, &mean, &inverse);
        let (state, after) = if pool {
            let (output, which) = pass.normalise_pooled(&norm, relu, &input);
            (output, After::Pooling(which))
        } else {
            let mut output = pass.scratch.take(input.values.len());
            let residual = other.as_ref().map(|other| &**other.values as &[f32]);
            norm::normalise(&norm, relu, &input.values, residual, &mut output);
            let state = input.with(output);
            let sum = adds.then(|| After::Sum(relu.then(|| state.values.clone())));
            (state, sum.unwrap_or(After::Nothing))
        };
        let (way, shape) = (Way { relu: relu && !adds, batch }, input.shape);
        self.keep(Kept::Norm(KeptNorm { layer, input: input.values, mean, inverse, way, after, shape }));
        Cut { state, stack }
    }

    fn statistics_of(&mut self, layer: usize, state: &State<'a>) -> Statistics<'a> {
        let pass = self.pass;
        if pass.network.fixed_norms().contains(&layer) {
            let mean = Values::Given(pass.parameter(layer, Role::RunningMean));
            return Statistics { mean, inverse: pass.running_inverse(layer), batch: false };
        }
        let channels = state.shape.channels;
        let [mut mean, mut variance, mut inverse] = [(); 3].map(|()| pass.scratch.take(channels));
        norm::statistics(&state.values, &mut mean, &mut variance, pass.scratch);
        norm::inverse(&variance, &mut inverse);
        let (means, variance) = (mean.to_vec(), variance.to_vec());
        let count = state.values.len() / channels;
        self.statistics.push(BatchStatistics { layer, mean: means, variance, count });
        Statistics { mean: Values::Own(mean), inverse, batch: true }
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
            let mut reordered = self.pass.scratch.take(factors.len());
            pointwise::to_channels_last(state.shape.channels, state.shape.plane(), &factors, &mut reordered);
            reordered
        } else {
            factors
        };
        let mut values = self.pass.copy(&state.values);
        pointwise::scale(&mut values, &factors);
        self.keep(Kept::Dropout { factors });
        state.with(values)
    }

    /// Returns the activations after operation `op`, as a tap leaves them.
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

    /// Computes the gradients of the parameters, from that of the logits.
    pub fn backward(mut self, gradient: &[f32]) -> TrainPass {
        let gradients = vec![None; self.pass.network.len()];
        let is_layer =
            |kept: &Kept| matches!(kept, Kept::Linear { .. } | Kept::Convolution { .. } | Kept::Norm(_));
        let first = self.tape.iter().position(is_layer).unwrap_or(self.tape.len());
        let tape: Vec<Kept<'a>> = self.tape.drain(first..).collect();
        let (gradient, stack) = (self.pass.copy(gradient), Vec::new());
        let mut back = Back { gradient, stack, sums: None, gradients, training: &self };
        for (number, kept) in tape.into_iter().enumerate().rev() {
            back.step(kept, number == 0);
        }
        let gradients = back.gradients;
        TrainPass { gradients, statistics: self.statistics }
    }
}

struct Back<'a, 't> {
    /// Gradient of the loss with respect to the activations at this point.
    gradient: Buffer<'a>,
    /// Those with respect to the copies on the stack.
    stack: Vec<Buffer<'a>>,
    /// Its sums over the pixels, where they are known already.
    sums: Option<Buffer<'a>>,
    gradients: Gradients,
    training: &'t Training<'a>,
}

impl<'a> Back<'a, '_> {
    /// Goes back through one operation; the inputs of the first layer need no gradient.
    fn step(&mut self, kept: Kept<'a>, is_first: bool) {
        let sums = self.sums.take();
        let pass = self.training.pass;
        match kept {
            Kept::Linear { layer, input } => self.linear(layer, &input, is_first),
            Kept::Convolution { layer, input, shape, part } => {
                self.convolution(layer, &input, (&shape, part.as_ref()), sums, is_first);
            }
            Kept::Norm(kept) => self.norm(kept),
            Kept::Activation { curve, values } => pointwise::backward(curve, &values, &mut self.gradient),
            Kept::MaxPool { images, window, which } => {
                self.replace(images.len(), |gradient, to| {
                    pool::max_pool_backward(&Pooled { images, gradient, which: &which }, window, to);
                });
            }
            Kept::AverageWindows { images, window } => self.replace(images.len(), |gradient, to| {
                pool::average_windows_backward(&images, window, gradient, to);
            }),
            Kept::AveragePool { images, side } => self.replace(images.len(), |gradient, to| {
                pool::average_pool_backward(&images, side, gradient, to);
            }),
            Kept::Flatten { shape } => self.replace(self.gradient.len(), |gradient, to| {
                pointwise::to_channels_last(shape.channels, shape.plane(), gradient, to);
            }),
            Kept::Dropout { factors } => pointwise::scale(&mut self.gradient, &factors),
            // The way back: an addition gives its gradient to both, and a fork adds those of both.
            Kept::Add => self.stack.push(pass.copy(&self.gradient)),
            Kept::Swap => std::mem::swap(&mut self.gradient, self.stack.last_mut().expect(FORKED)),
            Kept::Fork => {
                let other = self.stack.pop().expect(FORKED);
                pointwise::add(&mut self.gradient, &other, false);
            }
            Kept::Subsample { images, stride, channels } => self.replace(images.len(), |gradient, to| {
                pointwise::subsample_pad_backward(&images, stride, channels, gradient, to);
            }),
            Kept::Written { places } => places.into_iter().for_each(|place| self.gradient[place] = 0.0),
        }
    }

    /// Replaces the gradient by one of so many numbers, which `kernel` writes from it.
    fn replace(&mut self, len: usize, kernel: impl FnOnce(&[f32], &mut [f32])) {
        let mut gradient = self.training.pass.scratch.take(len);
        kernel(&self.gradient, &mut gradient);
        self.gradient = gradient;
    }

    fn norm(&mut self, KeptNorm { layer, input, mean, inverse, way, after, shape }: KeptNorm<'a>) {
        let pass = self.training.pass;
        let norm = pass.norm(layer, &mean, &inverse);
        let [mut scale, mut shift] = [0, 1].map(|_| pass.scratch.vector(mean.len()));
        let mut sums = pass.scratch.take(mean.len());
        let gradients = NormGradients { scale: &mut scale, shift: &mut shift, bias: &mut sums };
        // Where something is fused with the norm, the gradient after it, which another buffer replaces.
        let mut given = match &after {
            After::Nothing => None,
            After::Pooling(_) | After::Sum(_) => {
                Some(std::mem::replace(&mut self.gradient, pass.scratch.take(input.len())))
            }
        };
        let next = match (&after, &mut given) {
            (After::Pooling(which), Some(gradient)) => {
                Next::Pooling(Pooled { images: pass.images(shape), gradient, which })
            }
            (After::Sum(relu), Some(gradient)) => {
                Next::Sum { gradient, relu: relu.as_ref().map(|relu| &***relu) }
            }
            (After::Nothing, _) | (_, None) => Next::Alone,
        };
        norm::backward(&norm, way, &input, next, &mut self.gradient, gradients, pass.scratch);
        if matches!(after, After::Sum(_)) {
            self.stack.extend(given);
        }
        self.sums = Some(sums);
        self.store(layer, [(Role::Scale, Some(scale)), (Role::Shift, Some(shift))]);
    }

    fn linear(&mut self, layer: usize, input: &[f32], is_first: bool) {
        let pass = self.training.pass;
        let shape = pass.linear_shape(layer);
        let mut weight_gradient = pass.scratch.vector(shape.inputs * shape.outputs);
        linear::backward_weight(&shape, input, &self.gradient, &mut weight_gradient);
        let bias_gradient = pass.bias(layer).map(|bias| {
            let mut gradient = pass.scratch.vector(bias.len());
            norm::channel_sums(&self.gradient, &mut gradient, pass.scratch);
            gradient
        });
        if !is_first {
            let weight = pass.parameter(layer, Role::Weight);
            self.replace(input.len(), |gradient, to| {
                linear::backward_input(&shape, weight, gradient, to, pass.scratch);
            });
        }
        self.store(layer, [(Role::Weight, Some(weight_gradient)), (Role::Bias, bias_gradient)]);
    }

    fn convolution(
        &mut self,
        layer: usize,
        input: &[f32],
        (shape, part): (&ConvShape, Option<&Part>),
        sums: Option<Buffer<'a>>,
        is_first: bool,
    ) {
        let pass = self.training.pass;
        let mut weight_gradient = pass.scratch.vector(shape.weight_len());
        let bias_gradient = pass.bias(layer).map(|bias| {
            let mut gradient = pass.scratch.vector(bias.len());
            match sums {
                Some(sums) => gradient.copy_from_slice(&sums),
                None => norm::channel_sums(&self.gradient, &mut gradient, pass.scratch),
            }
            gradient
        });
        let mut gradient = (!is_first).then(|| pass.scratch.take(input.len()));
        let weight = pass.parameter(layer, Role::Weight);
        let gradients = ConvGradients {
            output: &self.gradient,
            input: gradient.as_deref_mut(),
            weight: &mut weight_gradient,
        };
        let factors = Factors { shape, input, weight, scratch: pass.scratch, part: None };
        match part {
            Some(part) => part.backward(self.training.convolution, &factors, gradients),
            None => self.training.convolution.backward(&factors, gradients),
        }
        if let Some(gradient) = gradient {
            self.gradient = gradient;
        }
        self.store(layer, [(Role::Weight, Some(weight_gradient)), (Role::Bias, bias_gradient)]);
    }

    /// Keeps the gradients of those parameters that a layer has.
    fn store(&mut self, layer: usize, gradients: [(Role, Option<Vec<f32>>); 2]) {
        for (role, gradient) in gradients {
            let Some(gradient) = gradient else { continue };
            let index = self.training.pass.position(layer, role);
            self.gradients[index] = Some(gradient);
        }
    }
}
