//! What evaluation and training share: activations, and the operations that are the same in both.

use std::ops::Deref;
use std::rc::Rc;

use crate::data::Shape;
use crate::doc::Activation;
use crate::doc::structure::{LayerKind, Op, Role, Structure};
use crate::net::activations::Layout;
use crate::net::kernels::activate::{self, Curve};
use crate::net::kernels::conv::{ConvShape, Window};
use crate::net::kernels::linear::{self, LinearShape};
use crate::net::kernels::norm::{self, Norm};
use crate::net::kernels::pool::{self, Images};
use crate::net::kernels::scratch::{Buffer, Scratch};
use crate::net::network::Network;

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

/// One pass over a network.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    /// Source of buffers.
    pub scratch: &'a Scratch,
    /// The network.
    pub network: &'a Network,
    /// Number of samples.
    pub count: usize,
}

impl<'a> Pass<'a> {
    /// Layers and operations of the network.
    pub fn structure(&self) -> &'a Structure {
        self.network.structure()
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
        match op {
            Some(Op::Layer(layer)) if self.structure().layers[*layer].kind == LayerKind::BatchNorm => {
                Some(*layer)
            }
            _ => None,
        }
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
    pub fn convolution(&self, layer: usize, state: &State) -> ConvShape {
        let Shape { channels, height, width } = state.shape;
        let outputs = self.structure().layers[layer].output.channels;
        let window = Window::SAME3;
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
        let (weight, bias) = (self.parameter(layer, Role::Weight), self.parameter(layer, Role::Bias));
        linear::forward(&shape, &state.values, weight, bias, &mut output, self.scratch);
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

    /// 2×2 maxima and their positions.
    pub fn max_pool(&self, state: &State<'a>) -> (State<'a>, Buffer<'a, u8>) {
        self.pooled(state, |images, input, output, which| {
            pool::max_pool(images, Window::HALVES, input, output, which);
        })
    }

    /// Images with half as many rows and columns that a kernel writes, with the positions of their pixels.
    fn pooled(
        &self,
        state: &State<'a>,
        kernel: impl FnOnce(&Images, &[f32], &mut [f32], &mut [u8]),
    ) -> (State<'a>, Buffer<'a, u8>) {
        let images = self.images(state.shape);
        let half = images.halved();
        let (mut output, mut which) = (self.scratch.take(half.len()), self.scratch.take_bytes(half.len()));
        kernel(&images, &state.values, &mut output, &mut which);
        let shape = Shape { height: half.height, width: half.width, ..state.shape };
        (State::images(output, shape), which)
    }

    /// A batch norm, the ReLU after it if there is one, and 2×2 maxima with their positions.
    pub fn normalise_pooled(
        &self,
        norm: &Norm,
        relu: bool,
        state: &State<'a>,
    ) -> (State<'a>, Buffer<'a, u8>) {
        self.pooled(state, |images, input, output, which| {
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
