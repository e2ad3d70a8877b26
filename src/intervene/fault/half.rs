//! float16 and bfloat16 as bits: rounding to nearest, halves to even; overflow to infinity; NaN stays NaN and keeps the
//! upper bits of its payload, so that reading and storing again changes no bit. (The crate `half` would set the quiet bit
//! of a NaN.)

use half::{bf16, f16};

/// A float32 rounded to float16.
pub(super) fn to_float16(value: f32) -> u16 {
    if value.is_nan() {
        shorter(value, 13, [f16::INFINITY, f16::NAN].map(f16::to_bits))
    } else {
        f16::from_f32_const(value).to_bits()
    }
}

/// A float16 as float32, exactly.
pub(super) fn from_float16(half: u16) -> f32 {
    let value = f16::from_bits(half);
    if value.is_nan() {
        let (sign, payload) = (u32::from(half & 0x8000), u32::from(half & 0x3ff));
        return f32::from_bits(sign << 16 | f32::INFINITY.to_bits() | payload << 13);
    }
    value.to_f32_const()
}

/// A float32 rounded to bfloat16.
pub(super) fn to_bfloat16(value: f32) -> u16 {
    if value.is_nan() {
        shorter(value, 16, [bf16::INFINITY, bf16::NAN].map(bf16::to_bits))
    } else {
        bf16::from_f32_const(value).to_bits()
    }
}

/// A bfloat16 as float32, exactly.
pub(super) fn from_bfloat16(half: u16) -> f32 {
    f32::from_bits(u32::from(half) << 16)
}

/// A NaN in a shorter format, given that format's infinity and NaN: the lowest `count` bits of the payload are cut off, and
/// where nothing is left of it, which would be infinity, it becomes that NaN.
fn shorter(nan: f32, count: u32, [infinity, quiet]: [u16; 2]) -> u16 {
    let sign = (nan.to_bits() >> 16) as u16 & 0x8000;
    let payload = (nan.to_bits() >> count) as u16 & !infinity & 0x7fff;
    sign | if payload == 0 { quiet } else { infinity | payload }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_half_is_stored_again_as_it_was_read() {
        for half in 0..=u16::MAX {
            assert_eq!(to_float16(from_float16(half)), half, "float16 {half:04x}");
            assert_eq!(to_bfloat16(from_bfloat16(half)), half, "bfloat16 {half:04x}");
        }
    }

    /// The value of a float16 by IEEE 754's definition.
    fn defined(half: u16) -> f64 {
        let (exponent, mantissa) = (i32::from(half >> 10 & 0x1f), f64::from(half & 0x3ff) / 1024.0);
        let magnitude = match exponent {
            0 => mantissa * 2.0_f64.powi(-14),
            31 if mantissa == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1.0 + mantissa) * 2.0_f64.powi(exponent - 15),
        };
        if half >> 15 == 1 { -magnitude } else { magnitude }
    }

    #[test]
    fn every_half_reads_as_the_standard_defines_it() {
        for half in 0..=u16::MAX {
            let (read, defined) = (f64::from(from_float16(half)), defined(half));
            assert!(read == defined || read.is_nan() && defined.is_nan(), "{half:04x}: {read}, {defined}");
            assert_eq!(read.is_sign_negative(), half >> 15 == 1);
        }
    }

    /// Between each pair of neighbours: below the middle, the middle (to even), above the middle.
    #[test]
    fn rounding_is_to_nearest_with_halves_to_even() {
        type Codec = (fn(f32) -> u16, fn(u16) -> f32, u16);
        let codecs: [Codec; 2] = [(to_float16, from_float16, 0x7bff), (to_bfloat16, from_bfloat16, 0x7f7f)];
        for (to, from, largest) in codecs {
            for low in 0..largest {
                let middle = f64::midpoint(f64::from(from(low)), f64::from(from(low + 1)));
                let middle = middle as f32;
                let even = low + (low & 1);
                assert_eq!([to(middle.next_down()), to(middle), to(middle.next_up())], [low, even, low + 1]);
                assert_eq!(to(-middle), even | 0x8000);
            }
        }
    }

    #[test]
    fn too_large_is_infinity_and_too_small_is_zero_of_the_same_sign() {
        assert_eq!([65504.0, 65519.996, 65520.0, 1e30].map(to_float16), [0x7bff, 0x7bff, 0x7c00, 0x7c00]);
        assert_eq!([f32::NEG_INFINITY, -65520.0].map(to_float16), [0xfc00; 2]);
        assert_eq!([2e-8, 2.0_f32.powi(-25), 3.1e-8, -1e-40].map(to_float16), [0, 0, 1, 0x8000]);
        assert_eq!([f32::MAX, 3.38e38, f32::INFINITY].map(to_bfloat16), [0x7f80, 0x7f7e, 0x7f80]);
    }

    #[test]
    fn a_nan_stays_a_nan_even_if_its_payload_is_cut_off() {
        let nan = f32::from_bits(0xff80_0001);
        assert!(from_float16(to_float16(nan)).is_nan() && from_bfloat16(to_bfloat16(nan)).is_nan());
        assert_eq!([to_float16(nan), to_bfloat16(nan)], [0xfe00, 0xffc0]);
    }

    proptest! {
        #[test]
        fn no_other_half_is_nearer(bits: u32) {
            let value = f32::from_bits(bits);
            prop_assume!(value.abs() < 65504.0);
            let half = to_float16(value);
            let distance = |half: u16| (f64::from(from_float16(half)) - f64::from(value)).abs();
            for other in [half.wrapping_sub(1), half.wrapping_add(1)] {
                prop_assert!(distance(half) <= distance(other) || from_float16(other).is_nan());
            }
        }
    }
}
