//! Networks on hand-written CPU kernels: forward and backward passes over the host's arrays, without an autodiff graph.
//!
//! Images have their channels last. Evaluation always uses the direct convolution and applies the batch norm and the ReLU
//! after it while the sums are in registers; the rounding is that of separate operations, so a pass may be cut anywhere.
//! Results depend on the inputs alone, never on threads; in evaluation, the result of a sample does not depend on the
//! other samples of its batch.

mod evaluate;
#[cfg(test)]
mod tests;
mod train;

use std::ops::{Deref, Range};
use std::rc::Rc;

use data::Shape;
use doc::Activation;
use doc::structure::{FORKED, Op, Role, Structure, Window};
use kernels::conv::{ConvShape, Convolution, Images};
use kernels::direct::Direct;
use kernels::linear::{self, LinearShape};
use kernels::norm::{self, Norm};
use kernels::pointwise::{self, Curve};
use kernels::pool;
use kernels::scratch::{Buffer, Scratch};
use kernels::winograd::Winograd;
use train::Training;

use crate::activations::{Activations, Layout, channels};
use crate::compute::{
    Channels, Compute, DropoutStream, NoTap, Prepared, Shortcuts, Tap, TrainPass, TrainingOutput,
};
use crate::network::Network;

/// Computes with hand-written CPU kernels.
pub struct NativeCompute {
    scratch: Scratch,
    /// The method of convolutions in training.
    convolution: &'static dyn Convolution,
}

impl NativeCompute {
    /// Uses the direct convolution in training too.
    pub fn exact() -> Self {
        Self { scratch: Scratch::default(), convolution: &Direct }
    }

    /// Uses Winograd's convolution in training where it is faster, unless a [tap asks for exact
    /// sums](Tap::needs_exact_sums); evaluation stays direct.
    pub fn fast() -> Self {
        Self { scratch: Scratch::default(), convolution: &Winograd }
    }

    fn pass<'a>(&'a self, network: &'a Network, count: usize) -> Pass<'a> {
        Pass { scratch: &self.scratch, network, count, asked: None, prepared: None }
    }
}

impl Compute for NativeCompute {
    fn logits(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<f32> {
        let pass = self.pass(network, count);
        let input = State::given(inputs, network.structure().input, Layout::ChannelsFirst);
        pass.evaluate(0..network.structure().ops.len(), Cut::new(input)).state.values.to_vec()
    }

    fn forward(&self, network: &Network, ops: Range<usize>, input: &Activations) -> Activations {
        self.forward_with(network, ops, input, &Shortcuts::default())
    }

    fn forward_with(
        &self,
        network: &Network,
        ops: Range<usize>,
        input: &Activations,
        shortcuts: &Shortcuts,
    ) -> Activations {
        let asked = shortcuts.channels.map(|channels| channels.range);
        let pass = Pass { asked, prepared: shortcuts.prepared, ..self.pass(network, input.count) };
        debug_assert_eq!(
            network.structure().shapes()[ops.start],
            input.shape,
            "the activations fit the operations"
        );
        let cut = pass.evaluate(ops, Cut::from_activations(input));
        match shortcuts.channels {
            Some(Channels { range, of, alone: true }) => {
                channels(&cut.state.values, (cut.state.shape, cut.state.layout), range, of)
            }
            Some(_) | None => cut.into_activations(input.count),
        }
    }

    fn prepare(&self, network: &Network, live: &dyn Fn(usize) -> Option<Vec<usize>>) -> Prepared {
        self.pass(network, 0).prepare(live)
    }

    fn is_independent_of_batch(&self) -> bool {
        true
    }

    fn training_forward(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
    ) -> TrainingOutput {
        let mut training = Training::new(self.pass(network, count), self.convolution, dropout);
        let logits = training.forward(inputs, &mut NoTap::all(), false).values.to_vec();
        TrainingOutput { logits, statistics: training.statistics }
    }

    fn train_tapped(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
        tap: &mut dyn Tap,
        gradient: &mut dyn FnMut(&[f32]) -> Vec<f32>,
    ) -> TrainPass {
        let convolution = if tap.needs_exact_sums() { &Direct } else { self.convolution };
        let mut training = Training::new(self.pass(network, count), convolution, dropout);
        training.leaves_out_held = !tap.reads_held_gradients();
        let logits = training.forward(inputs, tap, true);
        let gradient = gradient(&logits.values);
        drop(logits);
        training.backward(&gradient)
    }

    fn recycle(&self, pass: TrainPass) {
        pass.gradients.into_iter().flatten().for_each(|gradient| self.scratch.put_back(gradient));
    }
}

/// Numbers that are borrowed, or in a buffer of the pass.
pub enum Values<'a> {
    Given(&'a [f32]),
    Own(Buffer<'a>),
}

impl Deref for Values<'_> {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        match self {
            Self::Given(values) => values,
            Self::Own(values) => values,
        }
    }
}

/// The activations between two operations.
#[derive(Clone)]
pub struct State<'a> {
    /// Sample after sample.
    pub values: Rc<Values<'a>>,
    pub shape: Shape,
    /// Order of the values of a sample.
    pub layout: Layout,
}

impl<'a> State<'a> {
    /// Borrows activations from the caller.
    pub fn given(values: &'a [f32], shape: Shape, layout: Layout) -> Self {
        Self { values: Rc::new(Values::Given(values)), shape, layout }
    }

    /// Returns the images of this shape, channels last.
    pub fn images(values: Buffer<'a>, shape: Shape) -> Self {
        Self { values: Rc::new(Values::Own(values)), shape, layout: Layout::ChannelsLast }
    }

    /// Creates rows of this length.
    pub fn rows(values: Buffer<'a>, channels: usize) -> Self {
        Self::images(values, Shape { channels, height: 1, width: 1 })
    }

    /// Returns the same shape and layout with other values.
    pub fn with(&self, values: Buffer<'a>) -> Self {
        Self { values: Rc::new(Values::Own(values)), ..*self }
    }
}

/// The activations that are alive between two operations.
#[derive(Clone)]
pub struct Cut<'a> {
    pub state: State<'a>,
    /// Copies that are added later; the last one is added first.
    pub stack: Vec<State<'a>>,
}

impl<'a> Cut<'a> {
    /// Returns these activations, and nothing on the stack.
    pub const fn new(state: State<'a>) -> Self {
        Self { state, stack: Vec::new() }
    }

    /// Borrows activations from the caller.
    pub fn from_activations(activations: &'a Activations) -> Self {
        let state = |of: &'a Activations| State::given(&of.values, of.shape, of.layout);
        Self { state: state(activations), stack: activations.stack.iter().map(state).collect() }
    }

    /// Returns the activations of `count` samples.
    pub fn into_activations(self, count: usize) -> Activations {
        let activations = |State { values, shape, layout }: State<'_>| Activations {
            values: values.to_vec(),
            count,
            shape,
            layout,
            stack: Vec::new(),
        };
        let stack = self.stack.into_iter().map(activations).collect();
        Activations { stack, ..activations(self.state) }
    }

    /// Takes the last copy from the stack.
    pub fn pop(&mut self) -> State<'a> {
        self.stack.pop().expect(FORKED)
    }
}

/// One pass over a network.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    pub scratch: &'a Scratch,
    pub network: &'a Network,
    pub count: usize,
    /// The channels that are asked for of convolutions in evaluation, from the first to before the last; `None`: all.
    pub asked: Option<[usize; 2]>,
    /// Weights of the network that are ready.
    pub prepared: Option<&'a Prepared>,
}

impl<'a> Pass<'a> {
    pub fn structure(&self) -> &'a Structure {
        self.network.structure()
    }

    /// Returns the bias of a convolution or linear layer, if it has one.
    pub fn bias(&self, layer: usize) -> Option<&'a [f32]> {
        self.structure().position(layer, Role::Bias).map(|index| self.network.values(index))
    }

    /// Returns the values of a layer's parameter of this role.
    pub fn parameter(&self, layer: usize, role: Role) -> &'a [f32] {
        self.network.values(self.position(layer, role))
    }

    /// Returns the position of a layer's parameter of this role.
    pub fn position(&self, layer: usize, role: Role) -> usize {
        self.structure().position(layer, role).expect("a layer has the parameters of its kind")
    }

    /// Returns the layer of an operation, if it is a batch norm.
    pub fn norm_layer(&self, op: Option<&Op>) -> Option<usize> {
        op.and_then(|op| self.structure().norm(op))
    }

    /// Returns a batch norm with these statistics.
    pub fn norm<'b>(&self, layer: usize, mean: &'b [f32], inverse: &'b [f32]) -> Norm<'b>
    where
        'a: 'b,
    {
        let [scale, shift] = [Role::Scale, Role::Shift].map(|role| self.parameter(layer, role));
        Norm { mean, inverse, scale, shift }
    }

    /// Returns a writable buffer with the activations: their own buffer where nothing else refers to it, else a copy.
    pub fn own(&self, state: State<'a>) -> Buffer<'a> {
        match Rc::try_unwrap(state.values) {
            Ok(Values::Own(values)) => values,
            Ok(Values::Given(values)) => self.copy(values),
            Err(shared) => self.copy(&shared),
        }
    }

    /// Returns a copy in a buffer of the pass.
    pub fn copy(&self, values: &[f32]) -> Buffer<'a> {
        let mut copy = self.scratch.take(values.len());
        copy.copy_from_slice(values);
        copy
    }

    /// Returns the images with their channels last.
    pub fn channels_last(&self, state: State<'a>) -> State<'a> {
        let Shape { channels, .. } = state.shape;
        if state.layout == Layout::ChannelsLast {
            return state;
        }
        if channels == 1 || !state.shape.is_image() {
            return State { layout: Layout::ChannelsLast, ..state };
        }
        let mut values = self.scratch.take(state.values.len());
        pointwise::to_channels_last(channels, state.shape.plane(), &state.values, &mut values);
        State::images(values, state.shape)
    }

    /// Returns the rows in PyTorch's order.
    pub fn flatten(&self, state: State<'a>) -> State<'a> {
        let Shape { channels, .. } = state.shape;
        let shape = Shape { channels: state.shape.len(), height: 1, width: 1 };
        if state.layout == Layout::ChannelsFirst || channels == 1 || !state.shape.is_image() {
            return State { values: state.values, shape, layout: Layout::ChannelsLast };
        }
        let mut values = self.scratch.take(state.values.len());
        pointwise::to_channels_last(state.shape.plane(), channels, &state.values, &mut values);
        State::rows(values, shape.channels)
    }

    /// Returns the shape of a convolution of activations of this shape.
    pub fn convolution(&self, layer: usize, window: Window, input: Shape) -> ConvShape {
        let Shape { channels, height, width } = input;
        let outputs = self.structure().layers[layer].output.channels;
        ConvShape { images: self.count, height, width, inputs: channels, outputs, window }
    }

    pub fn linear_shape(&self, layer: usize) -> LinearShape {
        let Some([outputs, inputs]) = self.structure().weight(layer).map(|weight| weight.shape.as_slice())
        else {
            unreachable!("a linear layer has a weight [out, in]")
        };
        LinearShape { samples: self.count, inputs: *inputs, outputs: *outputs }
    }

    pub fn linear(&self, layer: usize, state: &State<'a>) -> State<'a> {
        let shape = self.linear_shape(layer);
        let mut output = self.scratch.take(shape.samples * shape.outputs);
        let weight = self.parameter(layer, Role::Weight);
        linear::forward(&shape, &state.values, weight, self.bias(layer), &mut output, self.scratch);
        State::rows(output, shape.outputs)
    }

    pub fn activate(&self, kind: &Activation, state: State<'a>) -> State<'a> {
        let State { shape, layout, .. } = state;
        let mut values = self.own(state);
        pointwise::forward(curve(kind), &mut values);
        State { values: Rc::new(Values::Own(values)), shape, layout }
    }

    /// Returns the images of this shape, one for each sample.
    pub const fn images(&self, shape: Shape) -> Images {
        let Shape { channels, height, width } = shape;
        Images { count: self.count, height, width, channels }
    }

    /// Takes the maxima of windows and their places.
    pub fn max_pool(&self, window: Window, state: &State<'a>) -> (State<'a>, Buffer<'a, u8>) {
        self.pooled(window, state, |images, input, output, which| {
            pool::max_pool(images, window, input, output, which);
        })
    }

    /// Returns the images with a pixel for each position of a window that a kernel writes, with the places of their pixels.
    fn pooled(
        &self,
        window: Window,
        state: &State<'a>,
        kernel: impl FnOnce(&Images, &[f32], &mut [f32], &mut [u8]),
    ) -> (State<'a>, Buffer<'a, u8>) {
        let images = self.images(state.shape);
        let pooled = images.pooled(&window);
        let (mut output, mut which) =
            (self.scratch.take(pooled.len()), self.scratch.take_bytes(pooled.len()));
        kernel(&images, &state.values, &mut output, &mut which);
        let shape = Shape { height: pooled.height, width: pooled.width, ..state.shape };
        (State::images(output, shape), which)
    }

    pub fn average_windows(&self, window: Window, state: &State<'a>) -> State<'a> {
        let images = self.images(state.shape);
        let pooled = images.pooled(&window);
        let mut output = self.scratch.take(pooled.len());
        pool::average_windows(&images, window, &state.values, &mut output);
        State::images(output, Shape { height: pooled.height, width: pooled.width, ..state.shape })
    }

    /// Returns every `stride`-th pixel, with channels of zeros.
    pub fn subsample(&self, stride: usize, channels: usize, state: &State<'a>) -> State<'a> {
        let Shape { height, width, .. } = state.shape;
        let shape = Shape { channels, height: height.div_ceil(stride), width: width.div_ceil(stride) };
        let mut output = self.scratch.take(self.count * shape.len());
        pointwise::subsample_pad(&self.images(state.shape), stride, channels, &state.values, &mut output);
        State::images(output, shape)
    }

    /// Returns the sum of both, and the ReLU after it if there is one.
    pub fn add(&self, state: State<'a>, other: State<'a>, relu: bool) -> State<'a> {
        let (state, other) = (self.channels_last(state), self.channels_last(other));
        // Into the one that nothing else refers to, if there is one.
        let (into, from) = if Rc::strong_count(&state.values) > 1 { (other, state) } else { (state, other) };
        let shape = into.shape;
        let mut sum = self.own(into);
        pointwise::add(&mut sum, &from.values, relu);
        State::images(sum, shape)
    }

    /// Computes a batch norm, the ReLU after it if there is one, and 2×2 maxima with their positions.
    pub fn normalise_pooled(
        &self,
        norm: &Norm,
        relu: bool,
        state: &State<'a>,
    ) -> (State<'a>, Buffer<'a, u8>) {
        self.pooled(Window::HALVES, state, |images, input, output, which| {
            norm::normalise_pooled(norm, relu, (images, input), (output, which), self.scratch);
        })
    }

    /// Averages over cells; images that are as large as the grid pass unchanged.
    pub fn average_pool(&self, side: usize, state: State<'a>) -> State<'a> {
        if (state.shape.height, state.shape.width) == (side, side) {
            return state;
        }
        let images = self.images(state.shape);
        let mut output = self.scratch.take(self.count * side * side * images.channels);
        pool::average_pool(&images, side, &state.values, &mut output);
        State::images(output, Shape { height: side, width: side, ..state.shape })
    }
}

/// Returns the kernel of a non-linearity.
pub const fn curve(kind: &Activation) -> Curve {
    match kind {
        Activation::Relu => Curve::Relu,
        Activation::Softsign => Curve::Softsign,
        Activation::Tanh => Curve::Tanh,
        Activation::Sigmoid => Curve::Sigmoid,
    }
}
