//! Convolutions and poolings with any window against plain loops, bit by bit where the order of sums is promised.

use super::*;
use crate::direct::{Epilogue, convolve};
use crate::geometry::{Direction, Packing};
use crate::pointwise::{self, Curve};
use crate::testing;
use crate::winograd::Winograd;

/// Forward as one chain of products for each output, then the bias.
fn chains(shape: &ConvShape, [input, weight, bias]: [&[f32]; 3], fused: bool) -> Vec<f32> {
    let mut sums = vec![0.0f32; shape.output_len()];
    each_product(shape, |i, w, o| {
        let (a, b) = (input[i], weight[w]);
        sums[o] = if fused { a.mul_add(b, sums[o]) } else { a * b + sums[o] };
    });
    sums.iter().enumerate().map(|(at, sum)| sum + bias[at % shape.outputs]).collect()
}

/// The output of a convolution with an epilogue.
fn convolved(shape: &ConvShape, input: &[f32], weight: &[f32], epilogue: &Epilogue) -> Vec<f32> {
    let (packing, scratch) = (Packing::new(shape, Direction::Forward), Scratch::default());
    let mut packed = vec![f32::NAN; packing.len()];
    packing.pack(weight, &mut packed);
    let to = output_images(shape);
    let mut output = vec![f32::NAN; if epilogue.pool { to.halved().len() } else { to.len() }];
    convolve(shape, input, &packing, &packed, epilogue, &mut output, &scratch);
    output
}

fn output_images(shape: &ConvShape) -> Images {
    Images {
        count: shape.images,
        height: shape.out_height(),
        width: shape.out_width(),
        channels: shape.outputs,
    }
}

/// A residual, a norm, a ReLU and a pooling at once, which must be as one after the other.
fn check_epilogue(shape: &ConvShape, relu: bool) {
    let [input, weight] =
        [(shape.input_len(), 1), (shape.weight_len(), 2)].map(|(len, seed)| numbers(len, seed));
    let mut residual = numbers(shape.output_len(), 3);
    residual.iter_mut().skip(5).step_by(41).for_each(|value| *value = f32::NAN);
    let [bias, mean, inverse, scale, shift] = [4, 5, 6, 7, 8].map(|seed| numbers(shape.outputs, seed));
    let norm = Norm { mean: &mean, inverse: &inverse, scale: &scale, shift: &shift };
    let plain = convolved(shape, &input, &weight, &Epilogue { bias: Some(&bias), ..Epilogue::default() });
    let mut expected = vec![f32::NAN; plain.len()];
    norm::normalise(&norm, false, &plain, None, &mut expected);
    let mut at_once = vec![f32::NAN; plain.len()];
    norm::normalise(&norm, relu, &plain, Some(&residual), &mut at_once);
    if relu {
        pointwise::add(&mut expected, &residual, true);
    } else {
        pointwise::add(&mut expected, &residual, false);
    }
    assert_eq!(bits(&at_once), bits(&expected));
    let whole = Epilogue {
        bias: Some(&bias),
        norm: Some(norm),
        residual: Some(&residual),
        relu,
        ..Epilogue::default()
    };
    assert_eq!(bits(&convolved(shape, &input, &weight, &whole)), bits(&expected));
    let images = output_images(shape);
    let half = images.halved().len();
    let (mut pooled, mut which) = (vec![f32::NAN; half], vec![9; half]);
    pool::max_pool(&images, Window::HALVES, &expected, &mut pooled, &mut which);
    let found = convolved(shape, &input, &weight, &Epilogue { pool: true, ..whole });
    assert_eq!(bits(&found), bits(&pooled));
}

/// Positions of a window, from first to last, with the pixels that each sees and their places.
fn positions(images: &Images, window: &Window) -> Vec<Vec<(usize, usize)>> {
    let Images { count, height, width, channels } = *images;
    let (down, across) = (window.output(height), window.output(width));
    let position = |at: usize| {
        let (c, x, y) = (at % channels, at / channels % across, at / channels / across % down);
        let image = at / channels / across / down;
        let pixel = move |place: usize| {
            let row = (y * window.stride + place / window.kernel).checked_sub(window.padding)?;
            let column = (x * window.stride + place % window.kernel).checked_sub(window.padding)?;
            let at = ((image * height + row) * width + column) * channels + c;
            (row < height && column < width).then_some((at, place))
        };
        (0..window.taps()).filter_map(pixel).collect()
    };
    (0..count * down * across * channels).map(position).collect()
}

fn check_maxima(images: &Images, window: Window) {
    let mut input = numbers(images.len(), 1);
    // Equal ones, NaN, and windows without any number.
    input.iter_mut().step_by(3).for_each(|x| *x = 0.5);
    input.iter_mut().step_by(11).for_each(|x| *x = f32::NAN);
    input.iter_mut().take(2 * images.channels).for_each(|x| *x = f32::NEG_INFINITY);
    let positions = positions(images, &window);
    let gradient = numbers(positions.len(), 2);
    let (mut output, mut which) = (vec![0.0; gradient.len()], vec![255; gradient.len()]);
    pool::max_pool(images, window, &input, &mut output, &mut which);
    let mut expected = vec![0.0; images.len()];
    for (at, seen) in positions.iter().enumerate() {
        let is_better = |value: f32, best: f32| value > best || value.is_nan();
        let best =
            seen[1..].iter().fold(seen[0], |b, s| if is_better(input[s.0], input[b.0]) { *s } else { b });
        assert_eq!((output[at].to_bits(), usize::from(which[at])), (input[best.0].to_bits(), best.1));
        expected[best.0] += gradient[at];
    }
    let mut back = vec![9.0; images.len()];
    pool::max_pool_backward(
        &Pooled { images: *images, gradient: &gradient, which: &which },
        window,
        &mut back,
    );
    assert_eq!(back, expected);
}

fn check_averages(images: &Images, window: Window) {
    let (input, positions) = (numbers(images.len(), 1), positions(images, &window));
    let (gradient, count) = (numbers(positions.len(), 2), window.taps() as f32);
    let (mut output, mut back) = (vec![f32::NAN; gradient.len()], vec![f32::NAN; images.len()]);
    pool::average_windows(images, window, &input, &mut output);
    pool::average_windows_backward(images, window, &gradient, &mut back);
    let mut expected = vec![0.0; images.len()];
    for (at, seen) in positions.iter().enumerate() {
        let sum = seen.iter().fold(0.0, |sum, (pixel, _)| sum + input[*pixel]);
        assert_eq!(output[at].to_bits(), (sum / count).to_bits());
        for (pixel, _) in seen {
            expected[*pixel] += gradient[at] / count;
        }
    }
    assert_eq!(back, expected);
}

/// A shortcut without parameters, number by number.
fn check_shortcut(images: &Images, stride: usize, outputs: usize) {
    let Images { count, height, width, channels } = *images;
    let (down, across, before) = (height.div_ceil(stride), width.div_ceil(stride), (outputs - channels) / 2);
    let (input, gradient) = (numbers(images.len(), 1), numbers(count * down * across * outputs, 2));
    let mut output = vec![f32::NAN; gradient.len()];
    pointwise::subsample_pad(images, stride, outputs, &input, &mut output);
    let mut back = vec![f32::NAN; input.len()];
    pointwise::subsample_pad_backward(images, stride, outputs, &gradient, &mut back);
    let mut expected = vec![0.0; input.len()];
    for at in 0..gradient.len() {
        let (o, x, y, n) =
            (at % outputs, at / outputs % across, at / outputs / across % down, at / outputs / across / down);
        let from = ((n * height + y * stride) * width + x * stride) * channels;
        let is_inside = (before..before + channels).contains(&o);
        assert_eq!(output[at], if is_inside { input[from + o - before] } else { 0.0 });
        if is_inside {
            expected[from + o - before] = gradient[at];
        }
    }
    assert_eq!(back, expected);
}

fn images() -> impl Strategy<Value = Images> {
    (0usize..4, 1usize..10, 1usize..10, 1usize..36).prop_map(|(count, height, width, channels)| Images {
        count,
        height,
        width,
        channels,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn outputs_are_chains_of_products(shape in shapes()) {
        let values = [(shape.input_len(), 1), (shape.weight_len(), 2), (shape.outputs, 3)];
        let [input, weight, bias] = values.map(|(len, seed)| numbers(len, seed));
        let forward = |convolution: &dyn Convolution, bias: Option<&[f32]>| {
            let mut output = vec![f32::NAN; shape.output_len()];
            let factors = Factors { shape: &shape, input: &input, weight: &weight, scratch: &Scratch::default(), part: None };
            convolution.forward(&factors, bias, &mut output);
            bits(&output)
        };
        for (level, [with, without]) in level::each(|| [forward(&Direct, Some(&bias)), forward(&Direct, None)]) {
            let fused = level.is_some() || cfg!(target_arch = "aarch64");
            prop_assert_eq!(with, bits(&chains(&shape, [&input, &weight, &bias], fused)));
            let zeros = vec![-0.0; shape.outputs];
            prop_assert_eq!(without, bits(&chains(&shape, [&input, &weight, &zeros], fused)));
        }
        if shape.window != Window::SAME3 {
            prop_assert_eq!(forward(&Winograd, Some(&bias)), forward(&Direct, Some(&bias)));
        }
    }

    #[test]
    fn an_epilogue_is_as_separate_operations(shape in shapes(), relu: bool) {
        level::each(|| check_epilogue(&shape, relu));
    }

    #[test]
    fn maxima_and_averages_are_those_of_plain_loops(images in images(), window in windows()) {
        level::each(|| {
            check_maxima(&images, window);
            check_averages(&images, window);
        });
    }

    #[test]
    fn shortcuts_move_numbers(images in images(), stride in 1usize..4, more in 0usize..20) {
        level::each(|| check_shortcut(&images, stride, images.channels + more));
    }
}

/// What overlaps by halves and thirds, with special numbers where the border is.
#[test]
fn a_border_is_never_multiplied() {
    let window = Window { kernel: 5, stride: 2, padding: 3 };
    let shape = ConvShape { window, ..shape(2, 6, 7, 3, 20) };
    let [mut input, mut weight] =
        [(shape.input_len(), 1), (shape.weight_len(), 2)].map(|(len, seed)| numbers(len, seed));
    let scratch = Scratch::default();
    // The corner of the window lies outside for all outputs but one of each image.
    (0..weight.len()).step_by(25).for_each(|corner| weight[corner] = f32::INFINITY);
    for value in &mut input {
        *value = value.abs() + 0.1;
    }
    let mut output = vec![f32::NAN; shape.output_len()];
    let factors = Factors { shape: &shape, input: &input, weight: &weight, scratch: &scratch, part: None };
    Direct.forward(&factors, None, &mut output);
    let mut sees = vec![false; output.len()];
    each_product(&shape, |_, w, o| sees[o] |= w % 25 == 0);
    assert!(sees.contains(&true) && sees.contains(&false));
    assert!(output.iter().zip(&sees).all(|(value, sees)| value.is_finite() != *sees));
}

#[test]
fn threads_change_no_bit() {
    let images = Images { count: 5, height: 13, width: 11, channels: 40 };
    let window = Window { kernel: 3, stride: 2, padding: 1 };
    testing::assert_same_bits(|| {
        check_maxima(&images, window);
        check_averages(&images, window);
        check_shortcut(&images, 2, 80);
        check_epilogue(&ConvShape { window, ..shape(31, 7, 8, 40, 72) }, true);
        let mut sum = numbers(40_000, 1);
        pointwise::add(&mut sum, &numbers(40_000, 2), true);
        bits(&sum)
    });
}

#[test]
fn a_sum_with_relu_is_as_a_sum_and_then_a_relu() {
    let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 1e-40, 0.0, 3.0];
    let (left, right): (Vec<f32>, Vec<f32>) =
        special.iter().flat_map(|a| special.iter().map(move |b| (*a, *b))).unzip();
    let (mut at_once, mut separate) = (left.clone(), left);
    pointwise::add(&mut at_once, &right, true);
    pointwise::add(&mut separate, &right, false);
    pointwise::forward(Curve::Relu, &mut separate);
    assert_eq!(bits(&at_once), bits(&separate));
}
