//! What evaluation and training share: activations, and the operations that are the same in both.

use std::ops::Deref;
use std::rc::Rc;

use crate::activations::{Activations, Layout};
use crate::kernels::activate::{self, Curve};
use crate::kernels::combine;
use crate::kernels::conv::ConvShape;
use crate::kernels::linear::{self, LinearShape};
use crate::kernels::norm::{self, Norm};
use crate::kernels::pool::{self, Images};
use crate::kernels::scratch::{Buffer, Scratch};
use crate::network::Network;
use crate::prepared::Prepared;
use data::Shape;
use doc::Activation;
pub use doc::structure::FORKED;
use doc::structure::{Op, Role, Structure, Window};

/// Numbers that are borrowed, or in a buffer of the pass.
pub enum Values<'a> {
    /// Borrowed from the caller or the network.
    Given(&'a [f32]),
    /// In a buffer of the pass.
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
    /// Shape of a sample.
    pub shape: Shape,
    /// Order of the values of a sample.
    pub layout: Layout,
}

impl<'a> State<'a> {
    /// Activations borrowed from the caller.
    pub fn given(values: &'a [f32], shape: Shape, layout: Layout) -> Self {
        Self { values: Rc::new(Values::Given(values)), shape, layout }
    }

    /// Images of this shape, channels last.
    pub fn images(values: Buffer<'a>, shape: Shape) -> Self {
        Self { values: Rc::new(Values::Own(values)), shape, layout: Layout::ChannelsLast }
    }

    /// Rows of this length.
    pub fn rows(values: Buffer<'a>, channels: usize) -> Self {
        Self::images(values, Shape { channels, height: 1, width: 1 })
    }

    /// The same shape and layout with other values.
    pub fn with(&self, values: Buffer<'a>) -> Self {
        Self { values: Rc::new(Values::Own(values)), ..*self }
    }
}

/// What is alive between two operations.
#[derive(Clone)]
pub struct Cut<'a> {
    /// The activations.
    pub state: State<'a>,
    /// Copies that are added later; the last one is added first.
    pub stack: Vec<State<'a>>,
}

impl<'a> Cut<'a> {
    /// These activations, and nothing on the stack.
    pub const fn of(state: State<'a>) -> Self {
        Self { state, stack: Vec::new() }
    }

    /// Activations borrowed from the caller.
    pub fn given(activations: &'a Activations) -> Self {
        let state = |of: &'a Activations| State::given(&of.values, of.shape, of.layout);
        Self { state: state(activations), stack: activations.stack.iter().map(state).collect() }
    }

    /// The activations of `count` samples.
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

    /// What comes back from the stack.
    pub fn pop(&mut self) -> State<'a> {
        self.stack.pop().expect(FORKED)
    }

    /// Exchanges the activations with those on top of the stack.
    pub fn swap(&mut self) {
        std::mem::swap(&mut self.state, self.stack.last_mut().expect(FORKED));
    }
}

/// One pass over a network.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    /// Source of buffers.
    pub scratch: &'a Scratch,
    /// The network.
    pub network: &'a Network,
    /// Number of samples.
    pub count: usize,
    /// The channels that are asked for of convolutions in evaluation, from the first to before the last; `None`: all.
    pub asked: Option<[usize; 2]>,
    /// Weights of the network that are ready.
    pub prepared: Option<&'a Prepared>,
}

impl<'a> Pass<'a> {
    /// Layers and operations of the network.
    pub fn structure(&self) -> &'a Structure {
        self.network.structure()
    }

    /// The bias of a convolution or linear layer, if it has one.
    pub fn bias(&self, layer: usize) -> Option<&'a [f32]> {
        self.structure().position(layer, Role::Bias).map(|index| self.network.values(index))
    }

    /// Values of a layer's parameter of this role.
    pub fn parameter(&self, layer: usize, role: Role) -> &'a [f32] {
        self.network.values(self.position(layer, role))
    }

    /// Position of a layer's parameter of this role.
    pub fn position(&self, layer: usize, role: Role) -> usize {
        self.structure().position(layer, role).expect("a layer has the parameters of its kind")
    }

    /// The layer of an operation, if it is a batch norm.
    pub fn norm_layer(&self, op: Option<&Op>) -> Option<usize> {
        op.and_then(|op| self.structure().norm(op))
    }

    /// A batch norm with these statistics.
    pub fn norm<'b>(&self, layer: usize, mean: &'b [f32], inverse: &'b [f32]) -> Norm<'b>
    where
        'a: 'b,
    {
        let [scale, shift] = [Role::Scale, Role::Shift].map(|role| self.parameter(layer, role));
        Norm { mean, inverse, scale, shift }
    }

    /// A writable buffer with the activations: their own buffer where nothing else refers to it, else a copy.
    pub fn own(&self, state: State<'a>) -> Buffer<'a> {
        match Rc::try_unwrap(state.values) {
            Ok(Values::Own(values)) => values,
            Ok(Values::Given(values)) => self.copy(values),
            Err(shared) => self.copy(&shared),
        }
    }

    /// A copy in a buffer of the pass.
    pub fn copy(&self, values: &[f32]) -> Buffer<'a> {
        let mut copy = self.scratch.take(values.len());
        copy.copy_from_slice(values);
        copy
    }

    /// Images with their channels last.
    pub fn channels_last(&self, state: State<'a>) -> State<'a> {
        let Shape { channels, .. } = state.shape;
        if state.layout == Layout::ChannelsLast {
            return state;
        }
        if channels == 1 || !state.shape.is_image() {
            return State { layout: Layout::ChannelsLast, ..state };
        }
        let mut values = self.scratch.take(state.values.len());
        activate::to_channels_last(channels, state.shape.plane(), &state.values, &mut values);
        State::images(values, state.shape)
    }

    /// Rows in PyTorch's order.
    pub fn flatten(&self, state: State<'a>) -> State<'a> {
        let Shape { channels, .. } = state.shape;
        let shape = Shape { channels: state.shape.len(), height: 1, width: 1 };
        if state.layout == Layout::ChannelsFirst || channels == 1 || !state.shape.is_image() {
            return State { values: state.values, shape, layout: Layout::ChannelsLast };
        }
        let mut values = self.scratch.take(state.values.len());
        activate::to_channels_first(channels, state.shape.plane(), &state.values, &mut values);
        State::rows(values, shape.channels)
    }

    /// Shape of a convolution of these activations.
    pub fn convolution(&self, layer: usize, window: Window, state: &State) -> ConvShape {
        let Shape { channels, height, width } = state.shape;
        let outputs = self.structure().layers[layer].output.channels;
        ConvShape { images: self.count, height, width, inputs: channels, outputs, window }
    }

    /// Shape of a linear layer.
    pub fn linear_shape(&self, layer: usize) -> LinearShape {
        let Some([outputs, inputs]) = self.structure().weight(layer).map(|weight| weight.shape.as_slice())
        else {
            unreachable!("a linear layer has a weight [out, in]")
        };
        LinearShape { samples: self.count, inputs: *inputs, outputs: *outputs }
    }

    /// A linear layer.
    pub fn linear(&self, layer: usize, state: &State<'a>) -> State<'a> {
        let shape = self.linear_shape(layer);
        let mut output = self.scratch.take(shape.samples * shape.outputs);
        let weight = self.parameter(layer, Role::Weight);
        linear::forward(&shape, &state.values, weight, self.bias(layer), &mut output, self.scratch);
        State::rows(output, shape.outputs)
    }

    /// A non-linearity.
    pub fn activate(&self, kind: &Activation, state: State<'a>) -> State<'a> {
        let State { shape, layout, .. } = state;
        let mut values = self.own(state);
        activate::forward(curve(kind), &mut values);
        State { values: Rc::new(Values::Own(values)), shape, layout }
    }

    /// Images of this shape, one for each sample.
    pub const fn images(&self, shape: Shape) -> Images {
        let Shape { channels, height, width } = shape;
        Images { count: self.count, height, width, channels }
    }

    /// Maxima of windows and their places.
    pub fn max_pool(&self, window: Window, state: &State<'a>) -> (State<'a>, Buffer<'a, u8>) {
        self.pooled(window, state, |images, input, output, which| {
            pool::max_pool(images, window, input, output, which);
        })
    }

    /// Images with a pixel for each position of a window that a kernel writes, with the places of their pixels.
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

    /// Averages of windows.
    pub fn average_windows(&self, window: Window, state: &State<'a>) -> State<'a> {
        let images = self.images(state.shape);
        let pooled = images.pooled(&window);
        let mut output = self.scratch.take(pooled.len());
        pool::average_windows(&images, window, &state.values, &mut output);
        State::images(output, Shape { height: pooled.height, width: pooled.width, ..state.shape })
    }

    /// Every `stride`-th pixel, with channels of zeros.
    pub fn subsample(&self, stride: usize, channels: usize, state: &State<'a>) -> State<'a> {
        let Shape { height, width, .. } = state.shape;
        let shape = Shape { channels, height: height.div_ceil(stride), width: width.div_ceil(stride) };
        let mut output = self.scratch.take(self.count * shape.len());
        combine::subsample_pad(&self.images(state.shape), stride, channels, &state.values, &mut output);
        State::images(output, shape)
    }

    /// The sum of both, and the ReLU after it if there is one.
    pub fn add(&self, state: State<'a>, other: State<'a>, relu: bool) -> State<'a> {
        let (state, other) = (self.channels_last(state), self.channels_last(other));
        // Into the one that nothing else refers to, if there is one.
        let (into, from) = if Rc::strong_count(&state.values) > 1 { (other, state) } else { (state, other) };
        let shape = into.shape;
        let mut sum = self.own(into);
        if relu {
            combine::add_relu(&mut sum, &from.values);
        } else {
            combine::add(&mut sum, &from.values);
        }
        State::images(sum, shape)
    }

    /// A batch norm, the ReLU after it if there is one, and 2×2 maxima with their positions.
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

/// The kernel of a non-linearity.
pub const fn curve(kind: &Activation) -> Curve {
    match kind {
        Activation::Relu => Curve::Relu,
        Activation::Softsign => Curve::Softsign,
        Activation::Tanh => Curve::Tanh,
        Activation::Sigmoid => Curve::Sigmoid,
    }
}
