//! Every pattern of 32 bits survives the way into a tensor and back.

use burn::tensor::{Device, Tensor, TensorData};

use super::{bits, flex, ndarray, tensor};

/// Signs, infinities, subnormals, and NaNs quiet and signalling with a payload.
const PATTERNS: [u32; 14] = [
    0x0000_0000, // 0
    0x8000_0000, // -0
    0x0000_0001, // the smallest subnormal
    0x807f_ffff, // the largest negative subnormal
    0x0080_0000, // the smallest normal number
    0x7f7f_ffff, // the largest finite number
    0x7f80_0000, // infinity
    0xff80_0000, // -infinity
    0x7fc0_0000, // the quiet NaN
    0xffc0_1234, // a quiet NaN with sign and payload
    0x7fa0_0000, // a signalling NaN
    0xff80_0001, // a signalling NaN with sign and the smallest payload
    0x3f80_0000, // 1
    0xbf80_0001, // the number below -1
];

fn patterns() -> Vec<f32> {
    PATTERNS.into_iter().map(f32::from_bits).collect()
}

fn devices() -> [Device; 4] {
    [flex(), flex().autodiff(), ndarray(), ndarray().autodiff()]
}

#[test]
fn every_bit_pattern_survives_a_write_and_a_read() {
    for device in devices() {
        assert_eq!(bits(tensor(patterns(), [14], &device)), PATTERNS, "{device:?}");
    }
}

#[test]
fn every_bit_pattern_survives_reshape_transpose_and_clone() {
    for device in devices() {
        let flat = tensor(patterns(), [14], &device);
        let turned = flat.clone().reshape([2, 7]).transpose().reshape([14]);
        let back = turned.reshape([7, 2]).transpose().reshape([14]);
        assert_eq!(bits(back), PATTERNS, "{device:?}");
        assert_eq!(bits(flat), PATTERNS, "{device:?}");
    }
}

#[test]
fn every_bit_pattern_survives_a_mask_as_pinned_and_as_free_entry() {
    for device in devices() {
        let pinned: Vec<bool> = (0..14).map(|entry| entry % 2 == 0).collect();
        let pinned = Tensor::from_data(TensorData::new(pinned, [14]), &device);
        let pattern = || tensor(patterns(), [14], &device);
        assert_eq!(bits(pattern().mask_where(pinned, pattern())), PATTERNS, "{device:?}");
    }
}

#[test]
fn every_bit_pattern_survives_as_a_leaf_that_requires_a_gradient() {
    for device in [flex().autodiff(), ndarray().autodiff()] {
        let leaf = tensor(patterns(), [14], &device).require_grad();
        assert_eq!(bits(leaf.clone().inner()), PATTERNS, "{device:?}");
        assert_eq!(bits(leaf), PATTERNS, "{device:?}");
    }
}
