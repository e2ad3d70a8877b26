use proptest::prelude::*;

use super::*;
use crate::fault::Format;
use crate::stream::{Purpose, stream};

fn rng() -> Stream {
    stream(1, Purpose::Fault, &[])
}

/// Returns what the first of these values reads as after one fault.
fn read(model: FaultModel, format: Format, values: &[f32], bit: u32) -> f32 {
    let storage = Storage::new(format, values, 1);
    let found = StoredValue { stored: storage.encode(0, values[0]), bit, index: 0, storage: &storage };
    storage.decode(0, model.rule().corrupt(found, &mut rng()))
}

/// From the table of the bits of float32: arithmetic, printed with few digits.
#[test]
fn flips_of_float32_have_the_values_of_the_table() {
    let bits = [31, 30, 29, 26, 25, 24, 23, 22];
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let rows: [(f32, [f32; 8]); 5] = [
        (0.0, [-0.0, 2.0, 1.0842e-19, 1.5046e-36, 9.404e-38, 2.351e-38, 1.1755e-38, 5.877e-39]),
        (0.01, [-0.01, 3.4028e36, 5.421e-22, 3.90625e-5, 0.16, 0.04, 0.02, 0.013_906_25]),
        (0.5, [-0.5, 1.7014e38, 2.7105e-20, 0.001_953_125, 0.03125, 0.125, 1.0, 0.75]),
        (1.0, [-1.0, inf, 5.421e-20, 0.003_906_25, 0.0625, 0.25, 0.5, 1.5]),
        (1.5, [-1.5, nan, 8.1315e-20, 0.005_859, 0.09375, 0.375, 0.75, 1.0]),
    ];
    for (value, expected) in rows {
        for (bit, expected) in bits.into_iter().zip(expected) {
            let flipped = read(FaultModel::Flip, Format::Float32, &[value], bit);
            let is_near = (flipped - expected).abs() <= 2e-4 * expected.abs();
            let is_same = flipped.to_bits() == expected.to_bits() || flipped.is_nan() && expected.is_nan();
            let agrees = if expected.abs() < inf && expected != 0.0 { is_near } else { is_same };
            assert!(agrees, "{value} b{bit}: {flipped} instead of {expected}");
        }
    }
}

#[test]
fn flips_of_int8_one_have_the_values_of_the_table() {
    // 127 in the same row makes the scale 1.
    let flipped: Vec<f32> =
        (0..8).map(|bit| read(FaultModel::Flip, Format::Int8, &[1.0, 127.0], bit)).collect();
    assert_eq!(flipped, [0.0, 3.0, 5.0, 9.0, 17.0, 33.0, 65.0, -127.0]);
}

#[test]
fn a_flipped_zero_of_int8_reads_as_minus_128_scales() {
    assert_eq!(read(FaultModel::Flip, Format::Int8, &[0.0, 254.0], 7), -256.0);
}

#[test]
fn flips_of_the_short_floats_are_those_of_their_formats() {
    let flips = |format, bits: [u32; 4]| bits.map(|bit| read(FaultModel::Flip, format, &[1.0], bit));
    // float16: sign, ×2^16 is infinity, ÷2, the highest bit of the mantissa.
    assert_eq!(flips(Format::Float16, [15, 14, 10, 9]), [-1.0, f32::INFINITY, 0.5, 1.5]);
    assert_eq!(flips(Format::Bfloat16, [15, 14, 7, 6]), [-1.0, f32::INFINITY, 0.5, 1.5]);
    // 0.5 = 2^-1: exponents 14 (01110) and 126 (01111110), whose highest bit is 0.
    assert_eq!(read(FaultModel::Flip, Format::Float16, &[0.5], 14), 32768.0);
    assert_eq!(read(FaultModel::Flip, Format::Bfloat16, &[0.5], 14), 2.0_f32.powi(127));
}

#[test]
fn a_double_flip_inverts_the_bit_and_the_next_higher_one() {
    // 127 = 0b01111111 of the exponent of 1.0; its lowest two bits gone: 2^(124 − 127).
    assert_eq!(read(FaultModel::DoubleFlip, Format::Float32, &[1.0], 23), 0.125);
    assert_eq!(read(FaultModel::DoubleFlip, Format::Int8, &[1.0, 127.0], 0), 2.0);
    assert_eq!(FaultModel::DoubleFlip.unit(), Unit::Bits(2));
}

#[test]
fn value_models_do_what_they_say_in_every_format() {
    for format in Format::all() {
        // The scale of int8 is 1, so that all of these are stored exactly.
        let read = |model| read(model, format, &[3.0, -2.0, 127.0], 0);
        assert_eq!(read(FaultModel::Zero).to_bits(), 0, "{}", format.key());
        assert_eq!(read(FaultModel::Value(Value(-5.0))), -5.0);
        assert_eq!(read(FaultModel::Sign), -3.0);
        assert_eq!(read(FaultModel::Noise(Noise(0.0))), 3.0);
        assert!((-2.0..=127.0).contains(&read(FaultModel::Random)));
    }
    assert_eq!(read(FaultModel::Value(Value(1000.0)), Format::Int8, &[3.0, 127.0], 0), 127.0);
    assert_eq!(read(FaultModel::Value(Value(0.1)), Format::Float16, &[3.0], 0), 0.099_975_586);
}

#[test]
fn the_sign_of_zero_is_inverted_in_floating_point_only() {
    assert_eq!(read(FaultModel::Sign, Format::Float16, &[0.0], 0).to_bits(), (-0.0_f32).to_bits());
    assert_eq!(read(FaultModel::Sign, Format::Int8, &[0.0], 0).to_bits(), 0);
}

/// Many draws of a model for one value, without int8's rounding.
fn draws(model: FaultModel, values: &[f32]) -> Vec<f32> {
    let storage = Storage::new(Format::Float32, values, 1);
    let found = StoredValue { stored: values[0].to_bits(), bit: 0, index: 0, storage: &storage };
    let (rule, mut rng) = (model.rule(), rng());
    (0..4000).map(|_| f32::from_bits(rule.corrupt(found, &mut rng))).collect()
}

#[test]
fn random_values_fill_the_range_of_the_parameter_evenly() {
    let mut quarters = [0_u32; 4];
    for value in draws(FaultModel::Random, &[0.5, -1.0, 3.0, f32::NAN, f32::INFINITY]) {
        quarters[(value + 1.0) as usize] += 1;
    }
    assert!(quarters.iter().all(|&count| (900..1100).contains(&count)), "{quarters:?}");
}

#[test]
fn noise_is_relative_and_has_the_given_deviation() {
    let values = draws(FaultModel::Noise(Noise(0.1)), &[2.0]);
    let mean_of = |f: &dyn Fn(f64) -> f64| {
        values.iter().map(|&value| f(f64::from(value))).sum::<f64>() / values.len() as f64
    };
    let mean = mean_of(&|value| value);
    assert!((mean - 2.0).abs() < 0.01, "{mean}");
    assert!((mean_of(&|value| (value - 2.0).powi(2)).sqrt() - 0.2).abs() < 0.01);
}

#[test]
fn random_bits_set_every_bit_half_of_the_time() {
    for format in Format::all() {
        let storage = Storage::new(format, &[1.0], 1);
        let found = StoredValue { stored: storage.encode(0, 1.0), bit: 0, index: 0, storage: &storage };
        let (rule, mut rng) = (FaultModel::RandomBits.rule(), rng());
        let stored: Vec<u32> = (0..2000).map(|_| rule.corrupt(found, &mut rng)).collect();
        for bit in 0..32 {
            let ones = stored.iter().filter(|stored| *stored >> bit & 1 == 1).count();
            assert!(if bit < format.bits() { (900..1100).contains(&ones) } else { ones == 0 }, "{ones}");
        }
    }
}

proptest! {
    #[test]
    fn flipping_twice_gives_back_the_bits(stored: u32, bit in 0_u32..31) {
        let storage = Storage::new(Format::Float32, &[1.0], 1);
        for model in [FaultModel::Flip, FaultModel::DoubleFlip, FaultModel::Sign] {
            let flip = |stored| {
                model.rule().corrupt(StoredValue { stored, bit, index: 0, storage: &storage }, &mut rng())
            };
            prop_assert_ne!(flip(stored), stored);
            prop_assert_eq!(flip(flip(stored)), stored);
        }
    }

    #[test]
    fn a_stuck_bit_has_its_level_and_being_stuck_again_changes_nothing(stored: u32, bit in 0_u32..32) {
        let storage = Storage::new(Format::Float32, &[1.0], 1);
        for (level, model) in [(0, FaultModel::StuckAt0), (1, FaultModel::StuckAt1)] {
            let stick = |stored| {
                model.rule().corrupt(StoredValue { stored, bit, index: 0, storage: &storage }, &mut rng())
            };
            let stuck = stick(stored);
            prop_assert_eq!(stuck >> bit & 1, level);
            prop_assert_eq!(stick(stuck), stuck);
            prop_assert_eq!(stuck == stored, stored >> bit & 1 == level);
            prop_assert!((stuck ^ stored) & !(1 << bit) == 0);
        }
    }

    /// Whatever a model does, a format only holds as many bits as it has.
    #[test]
    fn no_model_sets_a_bit_that_the_format_lacks(value in -10.0_f32..10.0, seed: u64, bit in 0_u32..7) {
        for format in Format::all() {
            let storage = Storage::new(format, &[value, 4.0], 1);
            for model in FaultModel::all() {
                let found = StoredValue { stored: storage.encode(0, value), bit, index: 0, storage: &storage };
                let after = model.rule().corrupt(found, &mut stream(seed, Purpose::Fault, &[]));
                prop_assert_eq!(u64::from(after) >> format.bits(), 0, "{} {}", format.key(), model.key());
            }
        }
    }
}
