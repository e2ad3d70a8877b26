//! Convolutions of which channels are gone, against those of all channels: the same bits.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::part::{FreeBits, Part};
use crate::winograd::Winograd;

/// A convolution of which some channels are gone.
struct Case {
    shape: ConvShape,
    input: Vec<f32>,
    weight: Vec<f32>,
    gradient: Vec<f32>,
    bias: Option<Vec<f32>>,
    free: FreeBits,
}

impl Case {
    /// `scale` makes inputs and gradients larger or smaller; of `every` channels, one is left on both sides.
    fn new(shape: ConvShape, every: [usize; 2], scale: f32, has_bias: bool) -> Self {
        let taps = shape.taps();
        let is_left = |at: usize| {
            let (output, input) = (at / (shape.inputs * taps), at / taps % shape.inputs);
            output % every[1] == 0 && input % every[0] == 0
        };
        let weight = numbers(shape.weight_len(), 1).into_iter().enumerate();
        Self {
            shape,
            input: numbers(shape.input_len(), 2).iter().map(|value| value * scale).collect(),
            weight: weight.map(|(at, value)| if is_left(at) { value * scale } else { 0.0 }).collect(),
            gradient: numbers(shape.output_len(), 3).iter().map(|value| value * scale).collect(),
            bias: has_bias.then(|| numbers(shape.outputs, 4)),
            free: FreeBits::new(shape.weight_len(), is_left),
        }
    }

    /// Output and gradients, of the channels that are left or of all. Gradients of other weights are 0.
    fn results(&self, convolution: &dyn Convolution, part: Option<&Part>) -> [Vec<f32>; 3] {
        let Self { shape, input, weight, gradient, bias, free } = self;
        let scratch = Scratch::default();
        let factors = Factors { shape, input, weight, scratch: &scratch, part: None };
        let mut output = vec![9.0; shape.output_len()];
        let (mut back, mut weights) = (vec![9.0; input.len()], vec![9.0; weight.len()]);
        let gradients = ConvGradients { output: gradient, input: Some(&mut back), weight: &mut weights };
        if let Some(part) = part {
            part.forward(convolution, &factors, bias.as_deref(), &mut output);
            part.backward(convolution, &factors, gradients);
        } else {
            convolution.forward(&factors, bias.as_deref(), &mut output);
            convolution.backward(&factors, gradients);
        }
        for (at, gradient) in weights.iter_mut().enumerate() {
            *gradient = if free.any(at, 1) { *gradient } else { 0.0 };
        }
        [output, back, weights]
    }

    /// `falls_back` where all channels have to be convolved.
    fn check(&self, falls_back: bool) {
        let part = Part::new(&self.shape, &self.weight, &self.free).expect("enough channels are gone");
        for convolution in [&Direct as &dyn Convolution, &Winograd] {
            let counted = Counted { convolution, of_parts: AtomicUsize::new(0), of_all: AtomicUsize::new(0) };
            let each = level::each(|| (self.results(&counted, Some(&part)), self.results(convolution, None)));
            let levels = each.len();
            for (level, (found, expected)) in each {
                for (what, at) in [("output", 0), ("input", 1), ("weight", 2)] {
                    assert_eq!(bits(&found[at]), bits(&expected[at]), "{what} {level:?} {:?}", self.shape);
                }
            }
            let [of_parts, of_all] = [counted.of_parts, counted.of_all].map(AtomicUsize::into_inner);
            assert!(falls_back || (of_parts, of_all) == (2 * levels, 0), "{of_parts} {of_all}");
        }
    }
}

/// Counts passes of parts and of all channels.
struct Counted<'a> {
    convolution: &'a dyn Convolution,
    of_parts: AtomicUsize,
    of_all: AtomicUsize,
}

impl Counted<'_> {
    fn count(&self, factors: &Factors) {
        let count = if factors.part.is_some() { &self.of_parts } else { &self.of_all };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

impl Convolution for Counted<'_> {
    fn forward(&self, factors: &Factors, bias: Option<&[f32]>, output: &mut [f32]) {
        self.count(factors);
        self.convolution.forward(factors, bias, output);
    }

    fn backward(&self, factors: &Factors, gradients: ConvGradients) {
        self.count(factors);
        self.convolution.backward(factors, gradients);
    }
}

fn any_window() -> impl Strategy<Value = Window> {
    let others = [(1, 1, 0), (5, 1, 2), (7, 2, 3), (3, 2, 1)].map(|(kernel, stride, padding)| Window {
        kernel,
        stride,
        padding,
    });
    prop_oneof![3 => Just(Window::SAME3), 3 => prop::sample::select(others.to_vec())]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn channels_that_are_gone_change_no_bit(
        images in 1usize..5,
        sides in prop_oneof![Just((2, 2)), Just((4, 4)), Just((5, 9))],
        channels in prop_oneof![Just((64, 96)), Just((96, 64)), Just((70, 83)), Just((3, 64)), Just((8, 64))],
        every in prop_oneof![Just([2, 2]), Just([4, 3]), Just([1, 2]), Just([1, 4])],
        special in 0usize..5,
        window in any_window(),
    ) {
        let shape = ConvShape {
            images, height: sides.0, width: sides.1, inputs: channels.0, outputs: channels.1, window,
        };
        let scale = if special == 1 { 1e-23 } else { 1.0 };
        let mut case = Case::new(shape, every, scale, matches!(special, 2 | 4));
        match special {
            3 => {
                // Also of a channel that is gone.
                case.input[1] = f32::INFINITY;
                case.gradient[1] = f32::NAN;
            }
            4 => case.bias = case.bias.map(|bias| bias.iter().map(|_| -0.0).collect()),
            _ => {}
        }
        case.check(matches!(special, 1 | 3 | 4));
    }
}

#[test]
fn sums_over_several_ranges_of_channels_are_divided_as_before() {
    for (inputs, outputs, images, every) in
        [(576, 64, 2, [3, 2]), (64, 544, 3, [2, 5]), (288, 32, 70, [2, 1])]
    {
        let window = Window::SAME3;
        Case::new(ConvShape { images, height: 4, width: 4, inputs, outputs, window }, every, 1.0, false)
            .check(false);
    }
}

#[test]
fn sums_over_pixels_are_divided_as_before() {
    for (side, inputs, outputs, kernel, stride) in [(20, 1, 32, 5, 1), (40, 3, 32, 7, 2), (40, 8, 64, 3, 2)] {
        let window = Window { kernel, stride, padding: kernel / 2 };
        Case::new(
            ConvShape { images: 1, height: side, width: side, inputs, outputs, window },
            [1, 4],
            1.0,
            true,
        )
        .check(false);
    }
}

#[test]
fn a_channel_is_gone_that_is_held_at_zero() {
    let shape = ConvShape { images: 1, height: 3, width: 3, inputs: 64, outputs: 64, window: Window::SAME3 };
    let mut case = Case::new(shape, [2, 2], 1.0, false);
    let of = |case: &Case| {
        let part = Part::new(&case.shape, &case.weight, &case.free).expect("enough channels are gone");
        [part.inputs.len(), part.outputs.len()]
    };
    assert_eq!(of(&case), [32, 32]);
    case.free.set((3 * 64 + 4) * 9, true);
    assert_eq!(of(&case), [32, 48], "whole vectors of channels");
    case.weight[(2 * 64 + 5) * 9 + 4] = -0.0;
    assert_eq!(of(&case), [32, 48]);
    for held in [(2, 5), (63, 4), (63, 7)] {
        let at = (held.0 * 64 + held.1) * 9 + 4;
        let before = std::mem::replace(&mut case.weight[at], 0.5);
        assert!(Part::new(&case.shape, &case.weight, &case.free).is_none(), "{held:?}");
        case.weight[at] = before;
    }
    let dense = FreeBits::new(case.weight.len(), |at| at != 7);
    assert!(Part::new(&shape, &case.weight, &dense).is_none());
}
