//! float16 and bfloat16 as bits, by integer arithmetic: rounding to nearest, halves to even; overflow to infinity;
//! NaN stays NaN and keeps the upper bits of its payload, so that reading and storing again changes no bit.

/// Bits of a float32 without its sign, from which on it is NaN.
const INFINITY: u32 = 0x7f80_0000;
/// 2⁻¹⁴ as float32: the smallest normal float16.
const SMALLEST_NORMAL: u32 = 0x3880_0000;
/// What the exponent of a float32 is larger by, at its place.
const BIAS: u32 = (127 - 15) << 23;
/// Subnormal float16 values are multiples of one over this, 2²⁴.
const STEPS: f32 = 16_777_216.0;

/// A float32 rounded to float16.
pub(super) fn to_float16(value: f32) -> u16 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    let rounded = if magnitude > INFINITY {
        0x7c00 | at_least_one_bit(magnitude >> 13 & 0x3ff, 0x200)
    } else if magnitude < SMALLEST_NORMAL {
        (f32::from_bits(magnitude) * STEPS).round_ties_even() as u32
    } else {
        drop_bits(magnitude - BIAS, 13).min(0x7c00)
    };
    (bits >> 16 & 0x8000 | rounded) as u16
}

/// A float16 as float32, exactly.
pub(super) fn from_float16(half: u16) -> f32 {
    let (sign, exponent, mantissa) =
        (u32::from(half & 0x8000) << 16, half >> 10 & 0x1f, u32::from(half & 0x3ff));
    let magnitude = match exponent {
        0 => (mantissa as f32 / STEPS).to_bits(),
        0x1f => INFINITY | mantissa << 13,
        _ => (u32::from(half & 0x7fff) << 13) + BIAS,
    };
    f32::from_bits(sign | magnitude)
}

/// A float32 rounded to bfloat16.
pub(super) fn to_bfloat16(value: f32) -> u16 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    let rounded = if magnitude > INFINITY {
        0x7f80 | at_least_one_bit(magnitude >> 16 & 0x7f, 0x40)
    } else {
        drop_bits(magnitude, 16)
    };
    (bits >> 16 & 0x8000 | rounded) as u16
}

/// A bfloat16 as float32, exactly.
pub(super) fn from_bfloat16(half: u16) -> f32 {
    f32::from_bits(u32::from(half) << 16)
}

/// Without its lowest `count` bits, rounded to nearest, halves to even. A carry into the exponent is right: above the
/// largest mantissa comes the next power of two, above the largest exponent infinity.
fn drop_bits(magnitude: u32, count: u32) -> u32 {
    let below_half = (1 << (count - 1)) - 1;
    (magnitude + below_half + (magnitude >> count & 1)) >> count
}

/// The payload of a NaN; a NaN whose payload is cut to 0 would be infinity.
fn at_least_one_bit(payload: u32, quiet: u32) -> u32 {
    if payload == 0 { quiet } else { payload }
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
