//! All kernels with every kind of vectors that the processor has.

use super::*;
use crate::pointwise::{self, Curve};
use crate::simd::{Kernel, LANES, Simd, Vector, dispatch};
use crate::testing;
use crate::winograd::Winograd;

/// The results of a convolution, forward and backward.
fn convolution(convolution: &dyn Convolution, shape: &ConvShape) -> Vec<Vec<f32>> {
    let scratch = Scratch::default();
    let (input, weight) = (numbers(shape.input_len(), 1), numbers(shape.weight_len(), 2));
    let (bias, gradient) = (numbers(shape.outputs, 3), numbers(shape.output_len(), 4));
    let mut output = vec![f32::NAN; shape.output_len()];
    let factors = Factors { shape, input: &input, weight: &weight, scratch: &scratch, part: None };
    convolution.forward(&factors, Some(&bias), &mut output);
    let [input_gradient, weight_gradient] = gradients(convolution, &factors, &gradient);
    vec![output, input_gradient, weight_gradient]
}

fn linear_layer(shape: &LinearShape) -> Vec<Vec<f32>> {
    let LinearShape { samples, inputs, outputs } = *shape;
    let (input, weight) = (numbers(samples * inputs, 1), numbers(outputs * inputs, 2));
    let (bias, gradient) = (numbers(outputs, 3), numbers(samples * outputs, 4));
    let mut output = vec![f32::NAN; samples * outputs];
    linear::forward(shape, &input, &weight, Some(&bias), &mut output, &Scratch::default());
    let (mut input_gradient, mut weight_gradient) =
        (vec![f32::NAN; input.len()], vec![f32::NAN; weight.len()]);
    linear::backward_input(shape, &weight, &gradient, &mut input_gradient, &Scratch::default());
    linear::backward_weight(shape, &input, &gradient, &mut weight_gradient);
    vec![output, input_gradient, weight_gradient]
}

fn batch_norm(pixels: usize, channels: usize) -> Vec<Vec<f32>> {
    let scratch = Scratch::default();
    let (input, mut gradient) = (numbers(pixels * channels, 1), numbers(pixels * channels, 2));
    let (scale, shift) = (numbers(channels, 3), numbers(channels, 4));
    let [mut mean, mut variance, mut inverse] = [0, 1, 2].map(|_| vec![f32::NAN; channels]);
    norm::statistics(&input, &mut mean, &mut variance, &scratch);
    norm::inverse(&variance, &mut inverse);
    let norm = Norm { mean: &mean, inverse: &inverse, scale: &scale, shift: &shift };
    let mut output = vec![f32::NAN; input.len()];
    norm::normalise(&norm, true, &input, None, &mut output);
    let [mut scales, mut shifts, mut biases, mut sums] = [0, 1, 2, 3].map(|_| vec![f32::NAN; channels]);
    norm::channel_sums(&gradient, &mut sums, &scratch);
    let gradients = NormGradients { scale: &mut scales, shift: &mut shifts, bias: &mut biases };
    norm::backward(
        &norm,
        Way { relu: true, batch: true },
        &input,
        Next::Alone,
        &mut gradient,
        gradients,
        &scratch,
    );
    vec![mean, variance, output, gradient, scales, shifts, biases, sums]
}

fn pooling(images: &Images) -> Vec<Vec<f32>> {
    let (input, half) = (numbers(images.len(), 1), images.halved());
    let gradient = numbers(half.len(), 2);
    let (mut output, mut which) = (vec![f32::NAN; half.len()], vec![0; half.len()]);
    pool::max_pool(images, Window::HALVES, &input, &mut output, &mut which);
    let mut back = vec![f32::NAN; images.len()];
    pool::max_pool_backward(
        &Pooled { images: *images, gradient: &gradient, which: &which },
        Window::HALVES,
        &mut back,
    );
    let mut average = vec![f32::NAN; images.count * 9 * images.channels];
    pool::average_pool(images, 3, &input, &mut average);
    let mut average_back = vec![f32::NAN; images.len()];
    pool::average_pool_backward(images, 3, &average, &mut average_back);
    let window = Window { kernel: 3, stride: 2, padding: 1 };
    let pooled = images.pooled(&window).len();
    let (mut maxima, mut which) = (vec![f32::NAN; pooled], vec![0; pooled]);
    pool::max_pool(images, window, &input, &mut maxima, &mut which);
    let (mut wide, mut wide_back) = (vec![f32::NAN; images.len()], vec![f32::NAN; images.len()]);
    let pooled = Pooled { images: *images, gradient: &maxima, which: &which };
    pool::max_pool_backward(&pooled, window, &mut wide_back);
    let mut averages = vec![f32::NAN; maxima.len()];
    pool::average_windows(images, window, &input, &mut averages);
    pool::average_windows_backward(images, window, &averages, &mut wide);
    vec![output, back, average, average_back, maxima, wide_back, averages, wide]
}

fn curves(len: usize) -> Vec<Vec<f32>> {
    let mut all = Vec::new();
    for curve in [Curve::Relu, Curve::Softsign, Curve::Tanh, Curve::Sigmoid] {
        let (mut values, mut gradient) = (numbers(len, 1), numbers(len, 2));
        let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 1e-40, f32::MAX];
        values.iter_mut().zip(special).for_each(|(value, special)| *value = special);
        let input = values.clone();
        pointwise::forward(curve, &mut values);
        let kept = if curve.goes_back_from_input() { &input } else { &values };
        pointwise::backward(curve, kept, &mut gradient);
        all.extend([values, gradient]);
    }
    all
}

/// Every kernel, on shapes with one sample, none, odd sizes, and parts of vectors.
fn everything() -> Vec<Vec<f32>> {
    let with =
        |shape, kernel, stride, padding| ConvShape { window: Window { kernel, stride, padding }, ..shape };
    let odd = [
        shape(0, 5, 5, 3, 17),
        shape(1, 1, 1, 1, 1),
        shape(1, 7, 3, 5, 33),
        shape(3, 8, 9, 18, 16),
        with(shape(2, 14, 14, 1, 6), 5, 1, 2),
        with(shape(2, 15, 13, 3, 20), 7, 2, 3),
        with(shape(3, 5, 6, 17, 33), 1, 2, 0),
        with(shape(3, 9, 8, 16, 19), 3, 2, 1),
        with(shape(1, 3, 3, 4, 4), 5, 1, 0),
    ];
    // One for each of Winograd's forms.
    let whole = [shape(1, 13, 16, 32, 32), shape(1, 4, 4, 32, 48), shape(2, 2, 2, 48, 32)];
    let linear = [(0, 5, 3), (1, 1, 1), (1, 33, 5), (7, 16, 4), (13, 70, 37), (131, 20, 4)];
    let mut all = Vec::new();
    for shape in &odd {
        all.extend(convolution(&Direct, shape));
    }
    for shape in &whole {
        all.extend(convolution(&Winograd, shape));
    }
    for (samples, inputs, outputs) in linear {
        all.extend(linear_layer(&LinearShape { samples, inputs, outputs }));
    }
    for (pixels, channels) in [(1, 1), (2, 16), (37, 19), (90, 32)] {
        all.extend(batch_norm(pixels, channels));
    }
    for (count, height, width, channels) in [(0, 4, 4, 3), (1, 2, 2, 1), (2, 7, 5, 17), (3, 6, 6, 32)] {
        all.extend(pooling(&Images { count, height, width, channels }));
    }
    all.extend(curves(40));
    all
}

fn all_bits(results: &[Vec<f32>]) -> Vec<Vec<u32>> {
    results.iter().map(|values| bits(values)).collect()
}

/// Every kernel on work that is divided into several tasks, the last of them smaller.
#[test]
fn threads_change_no_bit() {
    testing::assert_same_bits(|| {
        let mut all = everything();
        let large = shape(9, 12, 12, 40, 72);
        all.extend(convolution(&Direct, &large));
        let window = Window { kernel: 5, stride: 2, padding: 1 };
        all.extend(convolution(&Direct, &ConvShape { window, ..shape(9, 8, 7, 20, 40) }));
        all.extend(convolution(&Direct, &ConvShape { window, ..shape(9, 12, 12, 3, 40) }));
        all.extend(convolution(&Winograd, &shape(5, 9, 8, 48, 96)));
        all.extend(linear_layer(&LinearShape { samples: 37, inputs: 130, outputs: 75 }));
        all.extend([batch_norm(3000, 19), batch_norm(1000, 1), batch_norm(700, 64)].concat());
        all.extend(pooling(&Images { count: 7, height: 9, width: 8, channels: 33 }));
        all.extend(curves(40_000));
        let mut turned = vec![f32::NAN; 7 * 5 * 9];
        pointwise::to_channels_last(5, 9, &numbers(turned.len(), 1), &mut turned);
        all.push(turned);
        all_bits(&all)
    });
}

#[test]
fn fused_kinds_yield_equal_bits_and_the_portable_one_close_numbers() {
    let all = level::each(everything);
    let (_, best) = all.last().expect("there is a portable kind");
    for (level, results) in &all {
        if level.is_some() || cfg!(target_arch = "aarch64") {
            assert_eq!(all_bits(results), all_bits(best), "{level:?}");
        }
        for (number, (results, best)) in results.iter().zip(best).enumerate() {
            let finite = best.iter().filter(|value| value.is_finite());
            let size = finite.fold(1.0f32, |size, value| size.max(value.abs()));
            for (found, expected) in results.iter().zip(best) {
                let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
                let close = same || (found - expected).abs() <= 1e-4 * size;
                assert!(close, "{level:?} {number}: {found} {expected}");
            }
        }
    }
}

/// Sums of vectors, and strided vectors.
fn lanewise(values: &[f32]) -> [[f32; LANES]; 3] {
    let mut found = [[f32::NAN; LANES]; 3];
    dispatch(Lanewise(values, &mut found));
    found
}

struct Lanewise<'a>(&'a [f32], &'a mut [[f32; LANES]; 3]);

impl Kernel for Lanewise<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut vectors = [simd.splat(0.0); LANES];
        for (at, vector) in vectors.iter_mut().enumerate() {
            *vector = simd.gather(&self.0[at..], LANES);
        }
        let turned = simd.transpose(vectors)[3];
        *self.1 = [simd.sums(vectors).to_array(), vectors[5].to_array(), turned.to_array()];
    }
}

#[test]
fn sums_add_halves_to_halves_and_gathers_stay_within_their_slice() {
    let values = numbers(LANES * LANES, 9);
    for (level, [sums, column, row]) in level::each(|| lanewise(&values)) {
        for at in 0..LANES {
            let mut lanes: [f32; LANES] = std::array::from_fn(|lane| values[lane * LANES + at]);
            for half in [8, 4, 2, 1] {
                (0..half).for_each(|lane| lanes[lane] += lanes[lane + half]);
            }
            assert_eq!(sums[at].to_bits(), lanes[0].to_bits(), "{level:?}");
            assert_eq!((column[at], row[at]), (values[at * LANES + 5], values[3 * LANES + at]), "{level:?}");
        }
        let beyond = std::panic::catch_unwind(|| level::with(level, || lanewise(&values[1..])));
        assert!(beyond.is_err(), "{level:?} reads beyond the end");
    }
}
