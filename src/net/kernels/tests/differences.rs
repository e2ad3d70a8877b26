//! Gradients against central differences of the kernels themselves. (Batch norm over a mini-batch alone is in `tests.rs`.)

use super::*;
use crate::pointwise::{self, Curve};
use crate::winograd::Winograd;

/// Compares `gradient` with the differences of Σ factor · output when entries of `at` move by `step` up and down.
fn check(
    at: &[f32],
    step: f32,
    gradient: &[f32],
    factors: &[f32],
    what: &str,
    outputs: impl Fn(&[f32]) -> Vec<f32>,
) {
    assert_eq!(at.len(), gradient.len());
    let size = gradient.iter().fold(1.0f64, |size, value| size.max(f64::from(value.abs())));
    // About a hundred entries of large arrays are enough.
    for entry in (0..at.len()).step_by(at.len() / 100 + 1) {
        let [above, below] = [step, -step].map(|by| {
            let mut moved = at.to_vec();
            moved[entry] += by;
            let by = f64::from(moved[entry]) - f64::from(at[entry]);
            let outputs = outputs(&moved);
            (by, outputs.iter().zip(factors).map(|(y, g)| f64::from(*y) * f64::from(*g)).sum::<f64>())
        });
        let difference = (above.1 - below.1) / (above.0 - below.0);
        let found = f64::from(gradient[entry]);
        assert!((found - difference).abs() < 1e-3 * size, "{what} {entry}: {found}, not {difference}");
    }
}

fn check_convolution(convolution: &dyn Convolution, shape: &ConvShape) {
    let scratch = Scratch::default();
    let (input, weight) = (numbers(shape.input_len(), 1), numbers(shape.weight_len(), 2));
    let (bias, factors) = (numbers(shape.outputs, 3), numbers(shape.output_len(), 4));
    let forward = |input: &[f32], weight: &[f32]| {
        let mut output = vec![f32::NAN; shape.output_len()];
        convolution.forward(
            &Factors { shape, input, weight, scratch: &scratch, part: None },
            Some(&bias),
            &mut output,
        );
        output
    };
    let multiplied = Factors { shape, input: &input, weight: &weight, scratch: &scratch, part: None };
    let [back, weights] = gradients(convolution, &multiplied, &factors);
    check(&input, 1.0, &back, &factors, "input", |input| forward(input, &weight));
    check(&weight, 1.0, &weights, &factors, "weight", |weight| forward(&input, weight));
}

#[test]
fn convolutions_go_back_as_differences_say() {
    check_convolution(&Direct, &shape(2, 5, 4, 3, 17));
    check_convolution(&Direct, &shape(1, 1, 7, 18, 5));
    for (kernel, stride, padding) in [(1, 2, 0), (5, 1, 2), (7, 2, 3), (3, 2, 1), (4, 3, 0)] {
        let window = Window { kernel, stride, padding };
        check_convolution(&Direct, &ConvShape { window, ..shape(1, 7, 6, 2, 5) });
    }
    // One for each of Winograd's forms.
    for shape in [shape(1, 13, 16, 32, 32), shape(1, 4, 4, 32, 48), shape(2, 2, 2, 48, 32)] {
        check_convolution(&Winograd, &shape);
    }
}

#[test]
fn linear_layers_go_back_as_differences_say() {
    let shape = LinearShape { samples: 7, inputs: 19, outputs: 5 };
    let (input, weight) = (numbers(7 * 19, 1), numbers(5 * 19, 2));
    let (bias, factors) = (numbers(5, 3), numbers(7 * 5, 4));
    let forward = |input: &[f32], weight: &[f32]| {
        let mut output = vec![f32::NAN; factors.len()];
        linear::forward(&shape, input, weight, Some(&bias), &mut output, &Scratch::default());
        output
    };
    let (mut back, mut weights) = (vec![f32::NAN; input.len()], vec![f32::NAN; weight.len()]);
    linear::backward_input(&shape, &weight, &factors, &mut back, &Scratch::default());
    linear::backward_weight(&shape, &input, &factors, &mut weights);
    check(&input, 1.0, &back, &factors, "input", |input| forward(input, &weight));
    check(&weight, 1.0, &weights, &factors, "weight", |weight| forward(&input, weight));
    let mut biases = vec![f32::NAN; 5];
    norm::channel_sums(&factors, &mut biases, &Scratch::default());
    check(&bias, 1.0, &biases, &factors, "bias", |bias| {
        let mut output = vec![f32::NAN; factors.len()];
        linear::forward(&shape, &input, &weight, Some(bias), &mut output, &Scratch::default());
        output
    });
}

#[test]
fn a_norm_with_fixed_statistics_agrees_with_differences() {
    let (pixels, channels) = (11, 6);
    let (input, factors) = (numbers(pixels * channels, 1), numbers(pixels * channels, 2));
    let [mean, inverse, scale] = [3, 4, 5].map(|seed| numbers(channels, seed));
    // Some channels are open everywhere, the others closed.
    let shift: Vec<f32> = (0..channels).map(|c| if c % 3 == 0 { -9.0 } else { 9.0 }).collect();
    let forward = |input: &[f32], scale: &[f32], shift: &[f32]| {
        let norm = Norm { mean: &mean, inverse: &inverse, scale, shift };
        let mut output = vec![f32::NAN; input.len()];
        norm::normalise(&norm, true, input, None, &mut output);
        output
    };
    let norm = Norm { mean: &mean, inverse: &inverse, scale: &scale, shift: &shift };
    let mut back = factors.clone();
    let [mut scales, mut shifts, mut biases] = [0, 1, 2].map(|_| vec![f32::NAN; channels]);
    let gradients = NormGradients { scale: &mut scales, shift: &mut shifts, bias: &mut biases };
    let way = Way { relu: true, batch: false };
    norm::backward(&norm, way, &input, Next::Alone, &mut back, gradients, &Scratch::default());
    check(&input, 0.5, &back, &factors, "input", |input| forward(input, &scale, &shift));
    check(&scale, 0.5, &scales, &factors, "scale", |scale| forward(&input, scale, &shift));
    check(&shift, 0.5, &shifts, &factors, "shift", |shift| forward(&input, &scale, shift));
}

/// Σ factor · the largest of each 2×2 pixels of max(0, norm(input)) with the statistics of the input, in f64.
fn pooled_norm(images: &Images, factors: &[f32], [input, scale, shift]: [&[f64]; 3]) -> f64 {
    let Images { height, width, channels, .. } = *images;
    let mut normal = input.to_vec();
    for c in 0..channels {
        let column = || input.iter().skip(c).step_by(channels);
        let count = column().count() as f64;
        let mean = column().sum::<f64>() / count;
        let variance = column().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
        let inverse = 1.0 / (variance + norm::EPSILON).sqrt();
        normal
            .iter_mut()
            .skip(c)
            .step_by(channels)
            .for_each(|x| *x = (*x - mean) * inverse * scale[c] + shift[c]);
    }
    let half = images.halved();
    let largest = |at: usize| {
        let (c, x, y) = (at % channels, at / channels % half.width, at / channels / half.width % half.height);
        let place =
            |k: usize| ((at / half.size() * height + 2 * y + k / 2) * width + 2 * x + k % 2) * channels + c;
        (0..4).fold(0.0f64, |best, k| best.max(normal[place(k)]))
    };
    factors.iter().enumerate().map(|(at, factor)| f64::from(*factor) * largest(at)).sum()
}

#[test]
fn a_norm_of_a_mini_batch_goes_back_through_relu_and_pooling_as_differences_say() {
    let (scratch, images) = (Scratch::default(), Images { count: 3, height: 5, width: 7, channels: 3 });
    let half = images.halved().len();
    let (input, factors) = (numbers(images.len(), 1), numbers(half, 2));
    let (scale, shift) = (numbers(3, 3), numbers(3, 4));
    let [mut mean, mut variance, mut inverse] = [0, 1, 2].map(|_| vec![f32::NAN; 3]);
    norm::statistics(&input, &mut mean, &mut variance, &scratch);
    norm::inverse(&variance, &mut inverse);
    let norm = Norm { mean: &mean, inverse: &inverse, scale: &scale, shift: &shift };
    let (mut output, mut which) = (vec![f32::NAN; half], vec![9; half]);
    norm::normalise_pooled(&norm, true, (&images, &input), (&mut output, &mut which), &scratch);
    let mut back = vec![f32::NAN; input.len()];
    let [mut scales, mut shifts, mut biases] = [0, 1, 2].map(|_| vec![f32::NAN; 3]);
    let gradients = NormGradients { scale: &mut scales, shift: &mut shifts, bias: &mut biases };
    let pooled = Pooled { images, gradient: &factors, which: &which };
    let way = Way { relu: true, batch: true };
    norm::backward(&norm, way, &input, Next::Pooling(pooled), &mut back, gradients, &scratch);
    let wide = [input, scale, shift].map(|values| values.into_iter().map(f64::from).collect::<Vec<f64>>());
    let value = |at: &[Vec<f64>; 3]| pooled_norm(&images, &factors, at.each_ref().map(|values| &values[..]));
    let total: f64 = output.iter().zip(&factors).map(|(y, g)| f64::from(*y) * f64::from(*g)).sum();
    assert!((total - value(&wide)).abs() < 1e-5, "{total}, not {}", value(&wide));
    for (which, gradient) in [back, scales, shifts].iter().enumerate() {
        for entry in 0..gradient.len() {
            let moved = |by: f64| {
                let mut moved = wide.clone();
                moved[which][entry] += by;
                value(&moved)
            };
            let difference = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            let found = f64::from(gradient[entry]);
            assert!(
                (found - difference).abs() < 1e-5 * (1.0 + difference.abs()),
                "{which} {entry}: {found}, not {difference}"
            );
        }
    }
    assert!(
        biases.iter().all(|bias| bias.abs() < 1e-5),
        "a mean takes away what is added to all: {biases:?}"
    );
}

#[test]
fn curves_go_back_as_differences_say() {
    for curve in [Curve::Relu, Curve::Softsign, Curve::Tanh, Curve::Sigmoid] {
        let input: Vec<f32> = (-30_i16..30).map(|x| f32::from(x) / 5.0 + 0.1).collect();
        let factors = numbers(input.len(), 2);
        let forward = |input: &[f32]| {
            let mut values = input.to_vec();
            pointwise::forward(curve, &mut values);
            values
        };
        let output = forward(&input);
        let mut gradient = factors.clone();
        let kept = if curve.goes_back_from_input() { &input } else { &output };
        pointwise::backward(curve, kept, &mut gradient);
        check(&input, 0.01, &gradient, &factors, &format!("{curve:?}"), forward);
    }
}

#[test]
fn the_gradient_of_softsign_is_right_far_out() {
    let input = [1e3, -1e8, 1e20, -1e25, f32::MAX, f32::INFINITY, f32::NEG_INFINITY];
    let mut gradient = [1.0; 7];
    pointwise::backward(Curve::Softsign, &input, &mut gradient);
    for (x, found) in input.iter().zip(gradient) {
        let exact = (1.0 + f64::from(x.abs())).powi(-2);
        // 1.4e-45 is the smallest number above 0.
        assert!((f64::from(found) - exact).abs() <= 3e-7 * exact + 1.5e-45, "{x}: {found}, not {exact}");
    }
}

#[test]
fn poolings_go_back_as_differences_say() {
    let images = Images { count: 2, height: 5, width: 7, channels: 3 };
    // All different, a tenth apart at least.
    let input: Vec<f32> = (0..images.len()).map(|at| (at * 37 % images.len()) as f32 / 10.0).collect();
    let half = images.halved().len();
    let factors = numbers(half, 2);
    let maxima = |input: &[f32]| {
        let (mut output, mut which) = (vec![f32::NAN; half], vec![9; half]);
        pool::max_pool(&images, Window::HALVES, input, &mut output, &mut which);
        (output, which)
    };
    let mut back = vec![f32::NAN; input.len()];
    let which = maxima(&input).1;
    pool::max_pool_backward(&Pooled { images, gradient: &factors, which: &which }, Window::HALVES, &mut back);
    check(&input, 0.04, &back, &factors, "maximum", |input| maxima(input).0);
    let factors = numbers(2 * 9 * 3, 3);
    pool::average_pool_backward(&images, 3, &factors, &mut back);
    check(&input, 1.0, &back, &factors, "average", |input| {
        let mut output = vec![f32::NAN; factors.len()];
        pool::average_pool(&images, 3, input, &mut output);
        output
    });
}
