//! Sums of activations, and shortcuts that only move numbers (He et al. 2016, option A).

use super::activate::positive;
use super::images::Images;
use super::parallel::{COST, chunks_mut};
use super::simd::{Kernel, Simd, dispatch};

/// Numbers per task.
const BLOCK: usize = 16 * 1024;

/// `into` += `values`.
///
/// # Panics
/// When they are not as many.
pub fn add(into: &mut [f32], values: &[f32]) {
    sum(into, values, false);
}

/// `into` = max(0, `into` + `values`); NaN stays.
///
/// # Panics
/// When they are not as many.
pub fn add_relu(into: &mut [f32], values: &[f32]) {
    sum(into, values, true);
}

fn sum(into: &mut [f32], values: &[f32], relu: bool) {
    assert_eq!(into.len(), values.len(), "one number for each");
    let work = values.len() * COST;
    chunks_mut(into, BLOCK, work, |block, into| {
        let values = &values[block * BLOCK..][..into.len()];
        dispatch(Add { into, values, relu });
    });
}

/// `into` += `values`, then max(0, ·) with `relu`.
struct Add<'a> {
    into: &'a mut [f32],
    values: &'a [f32],
    relu: bool,
}

impl Kernel for Add<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let pairs = self.into.iter_mut().zip(self.values);
        if self.relu {
            pairs.for_each(|(into, value)| *into = positive(*into + value));
        } else {
            pairs.for_each(|(into, value)| *into += value);
        }
    }
}

/// Every `stride`-th pixel of each axis.
const fn subsampled(images: &Images, stride: usize, channels: usize) -> Images {
    let Images { count, height, width, .. } = *images;
    Images { count, height: height.div_ceil(stride), width: width.div_ceil(stride), channels }
}

/// Every `stride`-th pixel of each axis, with (`outputs` − channels)/2 channels of zeros before its channels, and the rest
/// after them: a shortcut without parameters.
///
/// # Panics
/// When the lengths do not fit the images, or there are fewer outputs than channels.
pub fn subsample_pad(images: &Images, stride: usize, outputs: usize, input: &[f32], output: &mut [f32]) {
    let to = subsampled(images, stride, outputs);
    assert_eq!((input.len(), output.len()), (images.len(), to.len()), "the images have their shape");
    let (first, work) = (before(images, outputs), output.len() * COST);
    chunks_mut(output, to.width * outputs, work, |row, output| {
        let from = (row / to.height * images.height + row % to.height * stride) * images.width;
        for (x, output) in output.chunks_exact_mut(outputs).enumerate() {
            let (before, rest) = output.split_at_mut(first);
            let (middle, after) = rest.split_at_mut(images.channels);
            before.fill(0.0);
            middle.copy_from_slice(&input[(from + x * stride) * images.channels..][..images.channels]);
            after.fill(0.0);
        }
    });
}

/// The gradient goes back to the pixels that were taken; all others get 0.
///
/// # Panics
/// As [`subsample_pad`].
pub fn subsample_pad_backward(
    images: &Images,
    stride: usize,
    outputs: usize,
    gradient: &[f32],
    input_gradient: &mut [f32],
) {
    let to = subsampled(images, stride, outputs);
    assert_eq!(
        (input_gradient.len(), gradient.len()),
        (images.len(), to.len()),
        "the images have their shape"
    );
    let (first, work) = (before(images, outputs), gradient.len() * COST);
    chunks_mut(input_gradient, images.width * images.channels, work, |row, input_gradient| {
        let (image, y) = (row / images.height, row % images.height);
        input_gradient.fill(0.0);
        if y % stride > 0 {
            return;
        }
        let from = (image * to.height + y / stride) * to.width;
        for (x, to) in input_gradient.chunks_exact_mut(images.channels).step_by(stride).enumerate() {
            let gradient = &gradient[(from + x) * outputs + first..][..images.channels];
            to.copy_from_slice(gradient);
        }
    });
}

/// Channels of zeros before those of the images.
fn before(images: &Images, outputs: usize) -> usize {
    assert!(outputs >= images.channels && images.channels > 0, "channels are added");
    (outputs - images.channels) / 2
}
