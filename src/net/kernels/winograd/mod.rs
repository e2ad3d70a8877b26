//! 3×3 convolutions that keep the size of the images, with fewer multiplications (Winograd's), for training.
//!
//! Tiles of the input and the weights are transformed ([`images`], [`weights`]), multiplied point by point, which is one
//! matrix product over the channels for every point ([`product`]), and transformed back. The transforms are those of a
//! [`form`](forms); all three passes use them or their exact transposes, so that the backward pass is the derivative of
//! the forward pass, up to rounding.
//!
//! Errors, as largest and root mean square over the root mean square of the exact result, for normal inputs and
//! Kaiming weights: F(4×4) 7·10⁻⁵ and 6·10⁻⁶, F(2×2) and the form for images of 2×2 pixels 8·10⁻⁶ and 2·10⁻⁶, about
//! those of direct sums (as a test checks). A huge weight or a value that is not finite spoils all outputs of its tiles,
//! even those that do not depend on it; therefore testing, comparing and fault injection use [`Direct`].

mod across;
mod backward;
mod forms;
mod images;
mod plan;
mod planes;
mod product;
#[cfg(test)]
mod tests;
mod weights;

use super::conv::{ConvGradients, ConvShape, Convolution, Factors, Window};
use super::direct::Direct;
use super::simd::LANES;
use across::Way;
use forms::{F2, F4, Form, T2};
use images::Pass;
use plan::Plan;

/// Places of the window.
const TAPS: usize = Window::SAME3.taps();
/// Channels below which transforms cost more than they save.
const FEWEST_CHANNELS: usize = 32;
/// Tiles below which the larger form costs more in transforming weights than it saves.
const FEWEST_TILES: usize = 16;

/// Convolutions with the form that suits their shape, or direct ones where none does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Winograd;

/// Ways to compute a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    /// F(4×4, 3×3).
    Four,
    /// F(2×2, 3×3).
    Two,
    /// Images of 2×2 pixels as one tile.
    Whole,
    /// Direct sums.
    Direct,
}

/// The method for a shape; it depends on the shape alone, since bits must not depend on the machine or on threads.
fn choose(shape: &ConvShape) -> Choice {
    let ConvShape { images, height, width, inputs, outputs, window } = *shape;
    let fits = |channels: usize| channels.is_multiple_of(LANES) && channels >= FEWEST_CHANNELS;
    if window != Window::SAME3 || shape.pixels() == 0 || !fits(inputs) || !fits(outputs) {
        return Choice::Direct;
    }
    if (height, width) == (2, 2) {
        return Choice::Whole;
    }
    let tiles = |side: usize| height.div_ceil(side) * width.div_ceil(side);
    let (four, two) = (F4::PRODUCTS * tiles(F4::OUTPUTS), F2::PRODUCTS * tiles(F2::OUTPUTS));
    // Direct sums skip taps on the border.
    let direct = (3 * height - 2) * (3 * width - 2);
    if four < two.min(direct) && images * tiles(F4::OUTPUTS) >= FEWEST_TILES {
        Choice::Four
    } else if two < direct {
        Choice::Two
    } else {
        Choice::Direct
    }
}

impl Convolution for Winograd {
    fn forward(&self, factors: &Factors, bias: Option<&[f32]>, output: &mut [f32]) {
        match choose(factors.whole()) {
            Choice::Four => forward(F4, factors, bias, output),
            Choice::Two => forward(F2, factors, bias, output),
            Choice::Whole => forward(T2, factors, bias, output),
            Choice::Direct => Direct.forward(factors, bias, output),
        }
    }

    fn backward(&self, factors: &Factors, gradients: ConvGradients) {
        match choose(factors.whole()) {
            Choice::Four => backward(F4, factors, gradients),
            Choice::Two => backward(F2, factors, gradients),
            Choice::Whole => backward(T2, factors, gradients),
            Choice::Direct => Direct.backward(factors, gradients),
        }
    }
}

/// Forward with one form; channels are multiples of 16, and there is at least one pixel.
fn forward<F: Form>(form: F, factors: &Factors, bias: Option<&[f32]>, output: &mut [f32]) {
    let Factors { shape, input, weight, scratch, part } = *factors;
    check(factors, output);
    assert!(bias.is_none_or(|bias| bias.len() == shape.outputs), "one bias for every output");
    let plan = Plan::new::<F>(shape, part);
    let way = Way { form, plan: &plan, pass: Pass::Forward, weight, scratch };
    across::forward(&way, input, bias, output);
}

/// Backward with one form.
fn backward<F: Form>(form: F, factors: &Factors, gradients: ConvGradients) {
    let Factors { shape, input, weight, scratch, part } = *factors;
    check(factors, gradients.output);
    assert_eq!(gradients.weight.len(), shape.weight_len(), "one gradient for every weight");
    if let Some(input_gradient) = &gradients.input {
        assert_eq!(input_gradient.len(), shape.input_len(), "one gradient for every input");
    }
    let plan = Plan::new::<F>(shape, part);
    let way = Way { form, plan: &plan, pass: Pass::Forward, weight, scratch };
    backward::backward(&way, input, gradients);
}

fn check(factors: &Factors, output: &[f32]) {
    let Factors { shape, input, weight, .. } = factors;
    assert_eq!(input.len(), shape.input_len(), "the inputs fit the shape");
    assert_eq!(weight.len(), shape.weight_len(), "the weights fit the shape");
    assert_eq!(output.len(), shape.output_len(), "the outputs fit the shape");
}
