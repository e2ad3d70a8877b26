//! Operations of the forward pass.

use super::Window;
use crate::arch::Activation;

/// One operation of the forward pass.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A layer with parameters, by its position.
    Layer(usize),
    /// A non-linearity.
    Activation(Activation),
    /// Largest value of each window.
    MaxPool(Window),
    /// Average over each window, as torch's: a border counts as zeros.
    AveragePool(Window),
    /// Average over a grid of this many cells a side, as torch's adaptive pooling.
    AdaptiveAveragePool(usize),
    /// Turns images into rows.
    Flatten,
    /// Drops this share of the units in training.
    Dropout(f64),
    /// Puts a copy of the activations on the stack.
    Fork,
    /// Exchanges the activations with those on top of the stack.
    Swap,
    /// Every `stride`-th pixel of both axes, with as many channels of zeros on both sides as make `channels`; one more above
    /// where their number is odd.
    Subsample {
        /// Pixels from one to the next.
        stride: usize,
        /// Channels of the output.
        channels: usize,
    },
    /// Takes the activations on top of the stack away and adds them: the end of a block, by its position.
    Add(usize),
}

/// What a structure promises of its stack.
pub const FORKED: &str = "structures add what they have forked";

/// What an operation yields the result of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yields {
    /// A layer with parameters, by its position.
    Layer(usize),
    /// A residual block, by its position.
    Block(usize),
}

impl Op {
    /// The layer or residual block whose result it yields; none for what only passes results on.
    pub const fn yields(&self) -> Option<Yields> {
        match self {
            Self::Layer(layer) => Some(Yields::Layer(*layer)),
            Self::Add(block) => Some(Yields::Block(*block)),
            Self::Activation(_)
            | Self::MaxPool(_)
            | Self::AveragePool(_)
            | Self::AdaptiveAveragePool(_)
            | Self::Flatten
            | Self::Dropout(_)
            | Self::Fork
            | Self::Swap
            | Self::Subsample { .. } => None,
        }
    }
}
