//! Kernels against the plain formulas in f64, on shapes of all kinds.

use proptest::prelude::*;

use super::conv::{ConvGradients, ConvShape, Convolution, Factors, Images, Window};
use super::direct::Direct;
use super::linear::{self, LinearShape};
use super::norm::{self, Next, Norm, NormGradients, Way};
use super::pool::{self, Pooled};
use super::scratch::Scratch;
use super::testing::level;

mod differences;
mod fused;
mod kinds;
mod parts;
mod sparse_sums;
mod windows;

/// Pseudo-random numbers in (−1, 1), from a seed.
fn numbers(len: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..len)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 40) as f32 / (1u64 << 23) as f32) - 1.0
        })
        .collect()
}

/// Which of several NaN results is unspecified.
fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() }).collect()
}

fn assert_close(found: &[f32], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len());
    let size = expected.iter().fold(1.0f64, |size, value| size.max(value.abs()));
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            (f64::from(*found) - expected).abs() <= 1e-5 * size,
            "{what} {at}: {found} instead of {expected}"
        );
    }
}

/// A shape of a 3×3 convolution that keeps the size of the images.
fn shape(images: usize, height: usize, width: usize, inputs: usize, outputs: usize) -> ConvShape {
    ConvShape { images, height, width, inputs, outputs, window: Window::SAME3 }
}

/// Every product of a convolution, in the order in which those of one output are added: positions in input, weight and
/// output.
fn each_product(shape: &ConvShape, mut visit: impl FnMut(usize, usize, usize)) {
    let ConvShape { height, width, inputs, outputs, window: Window { kernel, stride, padding }, .. } = *shape;
    let (to_height, to_width) = (shape.out_height(), shape.out_width());
    for (pixel, tap) in
        (0..shape.out_pixels() * shape.taps()).map(|at| (at / shape.taps(), at % shape.taps()))
    {
        let (n, y, x) = (pixel / (to_height * to_width), pixel / to_width % to_height, pixel % to_width);
        let (from_y, from_x) = (y * stride + tap / kernel, x * stride + tap % kernel);
        if !(padding..padding + height).contains(&from_y) || !(padding..padding + width).contains(&from_x) {
            continue;
        }
        let from = ((n * height + from_y - padding) * width + from_x - padding) * inputs;
        for (i, o) in (0..inputs * outputs).map(|at| (at % inputs, at / inputs)) {
            visit(from + i, (o * inputs + i) * shape.taps() + tap, pixel * outputs + o);
        }
    }
}

/// Small windows that move by any stride, and a few large ones.
fn windows() -> impl Strategy<Value = Window> {
    let small = (1usize..=7, 1usize..=4, 0usize..7);
    let large = (8usize..=11, 1usize..=4, 0usize..11);
    prop_oneof![4 => small, 1 => large].prop_map(|(kernel, stride, padding)| Window {
        kernel,
        stride,
        padding: padding % kernel,
    })
}

/// Shapes of 3×3 convolutions that keep the size of the images, and of others, of which large windows have few channels.
fn shapes() -> impl Strategy<Value = ConvShape> {
    let same = (0usize..18, 1usize..10, 1usize..10, 1usize..36, 1usize..50)
        .prop_map(|(images, height, width, inputs, outputs)| shape(images, height, width, inputs, outputs));
    let any = (0usize..4, 1usize..12, 1usize..12, 1usize..36, 1usize..50, windows()).prop_map(
        |(images, height, width, inputs, outputs, window)| {
            let inputs = if window.kernel > 3 { inputs.div_ceil(4) } else { inputs };
            let outputs = if window.kernel > 5 { outputs.div_ceil(3) } else { outputs };
            ConvShape { images, height, width, inputs, outputs, window }
        },
    );
    prop_oneof![1 => same, 2 => any]
}

/// The gradients with respect to the input and the weights.
fn gradients(convolution: &dyn Convolution, factors: &Factors, gradient: &[f32]) -> [Vec<f32>; 2] {
    let [mut input, mut weight] = [factors.input, factors.weight].map(|values| vec![f32::NAN; values.len()]);
    let gradients = ConvGradients { output: gradient, input: Some(&mut input), weight: &mut weight };
    convolution.backward(factors, gradients);
    [input, weight]
}

fn check_convolution(convolution: &dyn Convolution, shape: &ConvShape) {
    let scratch = Scratch::default();
    let (input, weight) = (numbers(shape.input_len(), 1), numbers(shape.weight_len(), 2));
    let (bias, gradient) = (numbers(shape.outputs, 3), numbers(shape.output_len(), 4));
    let mut output = vec![f32::NAN; shape.output_len()];
    let factors = Factors { shape, input: &input, weight: &weight, scratch: &scratch, part: None };
    convolution.forward(&factors, Some(&bias), &mut output);
    let mut expected: Vec<f64> = (0..output.len()).map(|at| f64::from(bias[at % shape.outputs])).collect();
    let (mut back, mut weights) = (vec![0.0; input.len()], vec![0.0; weight.len()]);
    each_product(shape, |i, w, o| {
        expected[o] += f64::from(input[i]) * f64::from(weight[w]);
        back[i] += f64::from(gradient[o]) * f64::from(weight[w]);
        weights[w] += f64::from(gradient[o]) * f64::from(input[i]);
    });
    assert_close(&output, &expected, "output");
    let [input_gradient, weight_gradient] = gradients(convolution, &factors, &gradient);
    assert_close(&input_gradient, &back, "gradient of the input");
    assert_close(&weight_gradient, &weights, "gradient of the weights");
}

fn check_linear(shape: &LinearShape) {
    let LinearShape { samples, inputs, outputs } = *shape;
    let scratch = Scratch::default();
    let (input, weight) = (numbers(samples * inputs, 1), numbers(outputs * inputs, 2));
    let (bias, gradient) = (numbers(outputs, 3), numbers(samples * outputs, 4));
    let mut output = vec![f32::NAN; samples * outputs];
    linear::forward(shape, &input, &weight, Some(&bias), &mut output, &scratch);
    let mut expected: Vec<f64> = (0..output.len()).map(|at| f64::from(bias[at % outputs])).collect();
    let (mut back, mut weights) = (vec![0.0; input.len()], vec![0.0; weight.len()]);
    for (n, o, i) in
        (0..samples * outputs * inputs).map(|at| (at / inputs / outputs, at / inputs % outputs, at % inputs))
    {
        let (x, w, g) = (input[n * inputs + i], weight[o * inputs + i], gradient[n * outputs + o]);
        expected[n * outputs + o] += f64::from(x) * f64::from(w);
        back[n * inputs + i] += f64::from(g) * f64::from(w);
        weights[o * inputs + i] += f64::from(g) * f64::from(x);
    }
    assert_close(&output, &expected, "output");
    let (mut input_gradient, mut weight_gradient) =
        (vec![f32::NAN; input.len()], vec![f32::NAN; weight.len()]);
    linear::backward_input(shape, &weight, &gradient, &mut input_gradient, &scratch);
    linear::backward_weight(shape, &input, &gradient, &mut weight_gradient);
    assert_close(&input_gradient, &back, "gradient of the input");
    assert_close(&weight_gradient, &weights, "gradient of the weights");
    for n in 0..samples {
        let mut alone = vec![0.0; outputs];
        let one = LinearShape { samples: 1, ..*shape };
        linear::forward(&one, &input[n * inputs..][..inputs], &weight, Some(&bias), &mut alone, &scratch);
        assert_eq!(bits(&output[n * outputs..][..outputs]), bits(&alone));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn direct_convolution_is_the_formula(shape in shapes()) {
        level::each(|| check_convolution(&Direct, &shape));
    }

    #[test]
    fn a_special_weight_touches_what_the_formula_touches(shape in shapes(), at in any::<prop::sample::Index>(), which in 0usize..3) {
        let scratch = Scratch::default();
        let mut input = numbers(shape.input_len(), 5);
        input.iter_mut().step_by(3).for_each(|value| *value = 0.0);
        let (mut weight, bias) = (numbers(shape.weight_len(), 6), vec![0.0; shape.outputs]);
        let (mut before, mut after) = (vec![0.0; shape.output_len()], vec![0.0; shape.output_len()]);
        let factors = Factors { shape: &shape, input: &input, weight: &weight, scratch: &scratch, part: None };
        Direct.forward(&factors, Some(&bias), &mut before);
        let at = at.index(weight.len());
        weight[at] = [f32::INFINITY, f32::NAN, 1e38][which];
        let factors = Factors { shape: &shape, input: &input, weight: &weight, scratch: &scratch, part: None };
        Direct.forward(&factors, Some(&bias), &mut after);
        let mut touched = vec![None; after.len()];
        each_product(&shape, |i, w, o| if w == at { touched[o] = Some(input[i] * weight[w]); });
        for ((before, after), touched) in before.iter().zip(&after).zip(touched) {
            match touched {
                None => prop_assert_eq!(before.to_bits(), after.to_bits()),
                Some(product) if product.is_nan() => prop_assert!(after.is_nan()),
                Some(product) if product.is_infinite() => prop_assert_eq!(product, *after),
                Some(0.0) => prop_assert_eq!(before, after),
                Some(product) => prop_assert!((product - after).abs() <= 1e-3 * product.abs()),
            }
        }
    }

    #[test]
    fn an_image_does_not_depend_on_its_neighbours(shape in shapes(), at in any::<prop::sample::Index>()) {
        prop_assume!(shape.images > 0);
        let scratch = Scratch::default();
        let (input, weight) = (numbers(shape.input_len(), 7), numbers(shape.weight_len(), 8));
        let bias = numbers(shape.outputs, 9);
        let mut all = vec![0.0; shape.output_len()];
        let factors = Factors { shape: &shape, input: &input, weight: &weight, scratch: &scratch, part: None };
        Direct.forward(&factors, Some(&bias), &mut all);
        let (at, one) = (at.index(shape.images), ConvShape { images: 1, ..shape });
        let mut alone = vec![0.0; one.output_len()];
        let input = &input[at * one.input_len()..][..one.input_len()];
        Direct.forward(&Factors { shape: &one, input, ..factors }, Some(&bias), &mut alone);
        prop_assert_eq!(bits(&all[at * one.output_len()..][..one.output_len()]), bits(&alone));
    }

    #[test]
    fn linear_layers_are_the_formula(samples in 0usize..136, inputs in 1usize..60, outputs in 1usize..136) {
        level::each(|| check_linear(&LinearShape { samples, inputs, outputs }));
    }

    #[test]
    fn batch_norm_goes_back_as_differences_say(pixels in 2usize..30, channels in 1usize..20, relu: bool) {
        let scratch = Scratch::default();
        let (input, gradient) = (numbers(pixels * channels, 1), numbers(pixels * channels, 2));
        let (scale, shift) = (numbers(channels, 3), numbers(channels, 4));
        // Σ gradient · norm(input), in f64.
        let value = |input: &[f64]| -> f64 {
            (0..channels).map(|c| {
                let column = || input.iter().skip(c).step_by(channels);
                let mean = column().sum::<f64>() / pixels as f64;
                let variance = column().map(|x| (x - mean) * (x - mean)).sum::<f64>() / pixels as f64;
                column().zip(gradient.iter().skip(c).step_by(channels)).map(|(x, g)| {
                    let y = (x - mean) / (variance + norm::EPSILON).sqrt() * f64::from(scale[c]) + f64::from(shift[c]);
                    f64::from(*g) * if relu { y.max(0.0) } else { y }
                }).sum::<f64>()
            }).sum()
        };
        let (mut mean, mut variance) = (vec![0.0; channels], vec![0.0; channels]);
        norm::statistics(&input, &mut mean, &mut variance, &scratch);
        let mut inverse = vec![0.0; channels];
        norm::inverse(&variance, &mut inverse);
        let norm = Norm { mean: &mean, inverse: &inverse, scale: &scale, shift: &shift };
        let mut output = vec![0.0; input.len()];
        norm::normalise(&norm, relu, &input, None, &mut output);
        let wide: Vec<f64> = input.iter().map(|x| f64::from(*x)).collect();
        let total: f64 = output.iter().zip(&gradient).map(|(y, g)| f64::from(*y) * f64::from(*g)).sum();
        prop_assert!((total - value(&wide)).abs() < 1e-4 * (pixels * channels) as f64);
        let mut back = gradient.clone();
        let [mut scales, mut shifts, mut biases] = [0, 1, 2].map(|_| vec![0.0; channels]);
        let gradients = NormGradients { scale: &mut scales, shift: &mut shifts, bias: &mut biases };
        norm::backward(&norm, Way { relu, batch: true }, &input, Next::Alone, &mut back, gradients, &scratch);
        for at in 0..input.len() {
            let near_edge = relu && (0..pixels).any(|p| {
                let y = output[p * channels + at % channels];
                y < 1e-2 && y > 0.0 || (y == 0.0 && {
                    let c = at % channels;
                    ((input[p * channels + c] - mean[c]) * inverse[c] * scale[c] + shift[c]).abs() < 1e-2
                })
            });
            if near_edge { continue }
            let moved = |by: f64| { let mut moved = wide.clone(); moved[at] += by; value(&moved) };
            let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            prop_assert!((f64::from(back[at]) - difference).abs() < 2e-3 * (1.0 + difference.abs()), "{} {}", back[at], difference);
        }
    }

    #[test]
    fn max_pooling_takes_the_largest(count in 0usize..4, height in 1usize..8, width in 1usize..8, channels in 1usize..20) {
        let images = Images { count, height, width, channels };
        let half = images.halved();
        let mut input = numbers(images.len(), 1);
        input.iter_mut().step_by(7).for_each(|x| *x = f32::NAN);
        let gradient = numbers(half.len(), 2);
        let (mut output, mut which) = (vec![0.0; half.len()], vec![0; half.len()]);
        pool::max_pool(&images, Window::HALVES, &input, &mut output, &mut which);
        let mut back = vec![9.0; images.len()];
        pool::max_pool_backward(&Pooled { images, gradient: &gradient, which: &which }, Window::HALVES, &mut back);
        let mut expected = vec![0.0; images.len()];
        for at in 0..half.len() {
            let (c, x, y, n) = (at % channels, at / channels % half.width, at / channels / half.width % half.height, at / half.size());
            let place = |k: usize| ((n * height + 2 * y + k / 2) * width + 2 * x + k % 2) * channels + c;
            let best = (0..4).fold(0, |best, k| if input[place(k)] > input[place(best)] || input[place(k)].is_nan() { k } else { best });
            prop_assert_eq!(output[at].to_bits(), input[place(best)].to_bits());
            expected[place(best)] = gradient[at];
        }
        prop_assert_eq!(back, expected);
    }

    #[test]
    fn average_pooling_and_its_gradient_are_transposes(height in 1usize..9, width in 1usize..9, channels in 1usize..5, side in 1usize..8) {
        let images = Images { count: 2, height, width, channels };
        let (input, gradient) = (numbers(images.len(), 1), numbers(2 * side * side * channels, 2));
        let (mut output, mut back) = (vec![0.0; gradient.len()], vec![0.0; input.len()]);
        pool::average_pool(&images, side, &input, &mut output);
        pool::average_pool_backward(&images, side, &gradient, &mut back);
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        prop_assert!((dot(&output, &gradient) - dot(&input, &back)).abs() < 1e-4);
        if side == 1 {
            let mean: f64 = input[..images.size()].iter().step_by(channels).map(|x| f64::from(*x)).sum::<f64>() / (height * width) as f64;
            prop_assert!((f64::from(output[0]) - mean).abs() < 1e-5);
        }
    }
}

/// Within a hundred-thousandth of the formula in f64, whatever the size of the numbers.
#[test]
fn a_variance_far_from_zero_is_that_of_the_formula() {
    for (centre, channels) in
        [10_003.0, 1000.3, -77_777.7].into_iter().flat_map(|at| [1, 3, 16].map(|c| (at, c)))
    {
        let values: Vec<f32> =
            numbers(60_000 * channels, 1).iter().map(|x| centre + x.signum() * 0.5).collect();
        let (mut mean, mut variance) = (vec![0.0; channels], vec![0.0; channels]);
        norm::statistics(&values, &mut mean, &mut variance, &Scratch::default());
        for c in 0..channels {
            let column = || values.iter().skip(c).step_by(channels).map(|value| f64::from(*value));
            let exact = column().sum::<f64>() / 60_000.0;
            let spread = column().map(|value| (value - exact).powi(2)).sum::<f64>() / 60_000.0;
            assert_eq!(mean[c], exact as f32, "mean around {centre} of {channels}");
            let found = f64::from(variance[c]);
            assert!(
                (found - spread).abs() < 1e-5 * spread,
                "{found}, not {spread}, around {centre} of {channels}"
            );
        }
    }
}

#[test]
fn no_values_have_no_mean_and_no_variance() {
    let (mut mean, mut variance) = ([f32::NAN; 3], [f32::NAN; 3]);
    norm::statistics(&[], &mut mean, &mut variance, &Scratch::default());
    assert_eq!((mean, variance), ([0.0; 3], [0.0; 3]));
}

#[test]
fn an_infinite_value_makes_the_mean_infinite_and_spoils_its_own_channel_alone() {
    for at in [0, 2, 41_000] {
        let mut values = numbers(60_000, 1);
        values[at] = f32::INFINITY;
        let (mut mean, mut variance) = ([0.0; 2], [0.0; 2]);
        norm::statistics(&values, &mut mean, &mut variance, &Scratch::default());
        assert_eq!(mean[0], f32::INFINITY);
        assert!(variance[0].is_nan() && mean[1].is_finite() && variance[1].is_finite());
    }
}
