//! Fused operations give the same bits as separate ones.
//!
//! A number that is not finite spoils every result it enters, and all NaN count as equal; therefore plain numbers are
//! compared first, and then plain numbers with a few special ones.

use super::*;
use crate::direct::{Epilogue, convolve};
use crate::geometry::{Direction, Packing};
use crate::testing;

/// Numbers of which one in every `step` is special.
fn special(len: usize, step: usize, seed: u64) -> Vec<f32> {
    let mut values = numbers(len, seed);
    let kinds = [f32::NAN, f32::INFINITY, -0.0, f32::NEG_INFINITY].into_iter().cycle();
    values.iter_mut().skip(step / 3).step_by(step).zip(kinds).for_each(|(value, kind)| *value = kind);
    values
}

fn are_half_finite(values: &[f32]) -> bool {
    2 * values.iter().filter(|value| value.is_finite()).count() >= values.len()
}

/// Images, and a batch norm over their channels.
struct Case {
    images: Images,
    statistics: [Vec<f32>; 4],
}

impl Case {
    fn new(images: Images) -> Self {
        let statistics = [5, 6, 7, 8].map(|seed| numbers(images.channels, seed));
        Self { images, statistics }
    }

    fn norm(&self) -> Norm<'_> {
        let [mean, inverse, scale, shift] = &self.statistics;
        Norm { mean, inverse, scale, shift }
    }

    fn pooled(&self, values: &[f32]) -> (Vec<f32>, Vec<u8>) {
        let half = self.images.halved().len();
        let (mut output, mut which) = (vec![f32::NAN; half], vec![9; half]);
        pool::max_pool(&self.images, Window::HALVES, values, &mut output, &mut which);
        (output, which)
    }

    /// The norm with a pooling after it: maxima and their positions.
    fn forward(&self, relu: bool, input: &[f32], at_once: bool) -> (Vec<f32>, Vec<u8>) {
        if !at_once {
            let mut normal = vec![f32::NAN; input.len()];
            norm::normalise(&self.norm(), relu, input, None, &mut normal);
            return self.pooled(&normal);
        }
        let half = self.images.halved().len();
        let (mut output, mut which) = (vec![f32::NAN; half], vec![9; half]);
        let outputs = (&mut output[..], &mut which[..]);
        norm::normalise_pooled(&self.norm(), relu, (&self.images, input), outputs, &Scratch::default());
        (output, which)
    }

    /// Gradients of the input, the scale, the shift, and a bias before the norm.
    fn backward(&self, way: Way, input: &[f32], which: &[u8], at_once: bool) -> [Vec<f32>; 4] {
        let (images, after, scratch) = (self.images, numbers(which.len(), 2), Scratch::default());
        let pooled = Pooled { images, gradient: &after, which };
        let mut gradient = vec![f32::NAN; input.len()];
        let [mut scale, mut shift, mut bias] = [0, 1, 2].map(|_| vec![f32::NAN; images.channels]);
        let gradients = NormGradients { scale: &mut scale, shift: &mut shift, bias: &mut bias };
        if !at_once {
            pool::max_pool_backward(&pooled, Window::HALVES, &mut gradient);
        }
        norm::backward(
            &self.norm(),
            way,
            input,
            if at_once { Next::Pooling(pooled) } else { Next::Alone },
            &mut gradient,
            gradients,
            &scratch,
        );
        [gradient, scale, shift, bias]
    }
}

/// The pooled outputs of a convolution for this input, which are those of one that is pooled later.
fn convolved_and_pooled(shape: &ConvShape, relu: bool, input: &[f32]) -> Vec<f32> {
    let scratch = Scratch::default();
    let outputs = shape.outputs;
    let (height, width) = (shape.out_height(), shape.out_width());
    let case = Case::new(Images { count: shape.images, height, width, channels: outputs });
    let (weight, bias) = (numbers(shape.weight_len(), 2), numbers(outputs, 3));
    let packing = Packing::new(shape, Direction::Forward);
    let mut packed = vec![f32::NAN; packing.len()];
    packing.pack(&weight, &mut packed);
    let whole =
        Epilogue { bias: Some(&bias), norm: Some(case.norm()), residual: None, relu, ..Epilogue::default() };
    let mut output = vec![f32::NAN; case.images.len()];
    convolve(shape, input, &packing, &packed, &whole, &mut output, &scratch);
    let expected = case.pooled(&output).0;
    let mut found = vec![f32::NAN; expected.len()];
    convolve(shape, input, &packing, &packed, &Epilogue { pool: true, ..whole }, &mut found, &scratch);
    assert_eq!(bits(&found), bits(&expected));
    found
}

fn check_convolution_with_pooling(shape: &ConvShape, relu: bool) -> [Vec<u32>; 2] {
    let plain = convolved_and_pooled(shape, relu, &numbers(shape.input_len(), 1));
    assert!(plain.iter().all(|value| value.is_finite()));
    // One for each image, a pixel and a channel further on in each.
    let size = shape.height * shape.width * shape.inputs;
    let spoilt = convolved_and_pooled(shape, relu, &special(shape.input_len(), size + shape.inputs + 1, 1));
    // It spoils up to four of the nine maxima that images of six by six pixels have.
    let is_small = shape.height.min(shape.width) < 6 || shape.window != Window::SAME3;
    assert!(is_small || are_half_finite(&spoilt));
    [bits(&plain), bits(&spoilt)]
}

/// All results of a batch norm with a pooling after it: forward, also for special numbers, and backward.
fn norm_and_pooling(images: Images, way: Way, at_once: bool) -> (Vec<Vec<u32>>, [Vec<u8>; 2]) {
    let case = Case::new(images);
    let plain = numbers(images.len(), 1);
    let (output, which) = case.forward(way.relu, &plain, at_once);
    let (spoilt, which_spoilt) = case.forward(way.relu, &special(images.len(), 11, 1), at_once);
    let gradients = case.backward(way, &plain, &which, at_once);
    if images.count > 0 {
        assert!(output.iter().chain(gradients.iter().flatten()).all(|value| value.is_finite()));
    }
    let values = [output, spoilt].into_iter().chain(gradients);
    (values.map(|values| bits(&values)).collect(), [which, which_spoilt])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_convolution_pools_as_one_that_is_pooled_later(shape in shapes(), relu: bool) {
        level::each(|| check_convolution_with_pooling(&shape, relu));
    }

    #[test]
    fn a_norm_pools_as_one_that_is_pooled_later(count in 0usize..5, height in 1usize..9, width in 1usize..9, channels in 1usize..70, relu: bool, batch: bool) {
        let (images, way) = (Images { count, height, width, channels }, Way { relu, batch });
        level::each(|| assert_eq!(norm_and_pooling(images, way, true), norm_and_pooling(images, way, false)));
    }
}

#[test]
fn channels_that_are_asked_for_have_the_bits_that_they_have_among_all() {
    let shape = shape(3, 9, 7, 5, 72);
    let (input, weight) = (numbers(shape.input_len(), 1), numbers(shape.weight_len(), 2));
    let packing = Packing::new(&shape, Direction::Forward);
    let mut packed = vec![f32::NAN; packing.len()];
    packing.pack(&weight, &mut packed);
    let images = Images { count: 3, height: shape.out_height(), width: shape.out_width(), channels: 72 };
    let case = Case::new(images);
    let convolved = |pool: bool, asked: Option<[usize; 2]>| {
        let epilogue = Epilogue { norm: Some(case.norm()), relu: true, pool, asked, ..Epilogue::default() };
        let to = if pool { images.halved() } else { images };
        let mut output = vec![f32::NAN; to.len()];
        convolve(&shape, &input, &packing, &packed, &epilogue, &mut output, &Scratch::default());
        output
    };
    level::each(|| {
        for pool in [false, true] {
            let all = convolved(pool, None);
            for [first, end] in [[0, 1], [15, 17], [33, 34], [20, 70], [71, 72]] {
                let found = convolved(pool, Some([first, end]));
                let of = |values: &[f32]| -> Vec<u32> {
                    values.chunks(72).flat_map(|pixel| bits(&pixel[first..end])).collect()
                };
                assert_eq!(of(&found), of(&all), "{first} to {end}, pooled: {pool}");
            }
        }
    });
}

#[test]
fn threads_change_no_bit() {
    let shape = shape(31, 7, 8, 40, 72);
    let images = Images { count: 31, height: 12, width: 9, channels: 40 };
    testing::assert_same_bits(|| {
        let norm = norm_and_pooling(images, Way { relu: true, batch: true }, true);
        (check_convolution_with_pooling(&shape, true), norm)
    });
}

/// With few input channels, the sums of a group fill the cache.
#[test]
fn a_convolution_of_few_channels_pools_in_several_groups() {
    check_convolution_with_pooling(&shape(17, 32, 32, 3, 37), true);
}
