//! What is done at once yields the bits of what is done one by one.

use super::super::direct::{Epilogue, convolve};
use super::super::pack::{Packing, Side};
use super::super::parallel::testing;
use super::*;

/// Some numbers, a few of them special.
fn special(len: usize, seed: u64) -> Vec<f32> {
    let mut values = numbers(len, seed);
    for (at, special) in [f32::NAN, f32::INFINITY, -0.0, f32::NEG_INFINITY].into_iter().enumerate() {
        values.iter_mut().skip(3 * at + 1).step_by(101).for_each(|value| *value = special);
    }
    values
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
        pool::max_pool(&self.images, values, &mut output, &mut which);
        (output, which)
    }
}

fn check_convolution_with_pooling(shape: &ConvShape, relu: bool) {
    let scratch = Scratch::default();
    let ConvShape { images, height, width, outputs, .. } = *shape;
    let case = Case::new(Images { count: images, height, width, channels: outputs });
    let (input, weight) = (special(shape.input_len(), 1), numbers(shape.weight_len(), 2));
    let bias = numbers(outputs, 3);
    let packing = Packing { rows: shape.inputs, columns: outputs, side: Side::Forward };
    let mut packed = vec![f32::NAN; packing.len()];
    packing.pack(&weight, &mut packed);
    let whole = Epilogue { bias: Some(&bias), norm: Some(case.norm()), relu, pool: false };
    let mut output = vec![f32::NAN; case.images.len()];
    convolve(shape, &input, &packing, &packed, &whole, &mut output, &scratch);
    let expected = case.pooled(&output).0;
    let mut found = vec![f32::NAN; expected.len()];
    convolve(shape, &input, &packing, &packed, &Epilogue { pool: true, ..whole }, &mut found, &scratch);
    assert_eq!(bits(&found), bits(&expected));
}

/// All that a batch norm with a pooling behind it yields, forward and backward.
fn norm_and_pooling(images: Images, way: Way, at_once: bool) -> (Vec<Vec<u32>>, Vec<u8>) {
    let (case, scratch) = (Case::new(images), Scratch::default());
    let (norm, input, half) = (case.norm(), special(images.len(), 1), images.halved().len());
    let behind = numbers(half, 2);
    let (mut output, mut which) = (vec![f32::NAN; half], vec![9; half]);
    if at_once {
        let outputs = (&mut output[..], &mut which[..]);
        norm::normalise_pooled(&norm, way.relu, (&images, &input), outputs, &scratch);
    } else {
        let mut normal = vec![f32::NAN; images.len()];
        norm::normalise(&norm, way.relu, &input, &mut normal);
        (output, which) = case.pooled(&normal);
    }
    let pooled = Pooled { images, slope: &behind, which: &which };
    let mut slope = vec![f32::NAN; images.len()];
    let [mut scale, mut shift, mut bias] = [0, 1, 2].map(|_| vec![f32::NAN; images.channels]);
    let slopes = Slopes { scale: &mut scale, shift: &mut shift, bias: &mut bias };
    if at_once {
        norm::backward(&norm, way, &input, Some(&pooled), &mut slope, slopes, &scratch);
    } else {
        pool::max_pool_backward(&pooled, &mut slope);
        norm::backward(&norm, way, &input, None, &mut slope, slopes, &scratch);
    }
    ([output, slope, scale, shift, bias].iter().map(|values| bits(values)).collect(), which)
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
fn threads_change_no_bit() {
    let shape = ConvShape { images: 31, height: 7, width: 8, inputs: 40, outputs: 72 };
    let images = Images { count: 31, height: 12, width: 9, channels: 40 };
    testing::assert_same_bits(|| {
        check_convolution_with_pooling(&shape, true);
        norm_and_pooling(images, Way { relu: true, batch: true }, true)
    });
}
