//! Number formats: how many bits, what each of them is for, which of them faults can hit, and values stored in them and read back.

use half::{bf16, f16};

form::choice! {
    /// A number format.
    #[derive(Copy, Eq)]
    pub enum Format: "Format" {
        Float32, "float32", "IEEE single precision: b31 sign, b30–b23 exponent, b22–b0 mantissa";
        Float16, "float16", "IEEE half precision: b15 sign, b14–b10 exponent";
        Bfloat16, "bfloat16", "Upper half of float32: b15 sign, b14–b7 exponent";
        Int8, "int8", "Symmetric, one scale per output channel";
    }
}

impl Format {
    /// Returns the number of bits of one value.
    pub fn bits(self) -> u32 {
        match self {
            Self::Float32 => 32,
            Self::Float16 | Self::Bfloat16 => 16,
            Self::Int8 => 8,
        }
    }

    /// Returns the number of bits of the mantissa; of int8, all but the sign.
    pub fn mantissa_bits(self) -> u32 {
        match self {
            Self::Float32 => 23,
            Self::Float16 => 10,
            Self::Bfloat16 | Self::Int8 => 7,
        }
    }

    /// Returns the field of a bit, counted from the least significant; none if the format has no such bit. int8 has
    /// no exponent, and its sign bit is that of two's complement.
    pub fn field(self, bit: u32) -> Option<BitField> {
        let sign = self.bits() - 1;
        match bit {
            _ if bit > sign => None,
            _ if bit == sign => Some(BitField::Sign),
            _ if bit >= self.mantissa_bits() => Some(BitField::Exponent),
            _ => Some(BitField::Mantissa),
        }
    }

    /// Returns the name of a bit with its field: `b30, exponent`; `b8` alone if the format has no such bit.
    pub fn bit_name(self, bit: u32) -> String {
        let field = self.field(bit).map(|field| format!(", {}", field.label().to_lowercase()));
        format!("b{bit}{}", field.unwrap_or_default())
    }

    /// Returns the number that stored bits stand for. Of int8 it is the whole number without the scale of its row,
    /// which the bits do not hold.
    pub fn value(self, bits: u32) -> f64 {
        match self {
            Self::Float32 => f32::from_bits(bits).into(),
            Self::Float16 => from_float16(bits as u16).into(),
            Self::Bfloat16 => from_bfloat16(bits as u16).into(),
            Self::Int8 => (bits as u8).cast_signed().into(),
        }
    }

    /// Returns the format in which a parameter is stored when its network is stored in this one: with int8 only weights of
    /// convolution and linear layers are 8 bits wide; biases, norm parameters and running statistics stay float32.
    pub fn of_parameter(self, is_weight: bool) -> Self {
        if self == Self::Int8 && !is_weight { Self::Float32 } else { self }
    }
}

form::choice! {
    /// A field of a number format.
    #[derive(Copy, Eq)]
    pub enum BitField: "Bit field" {
        Sign, "Sign", "The sign bit";
        Exponent, "Exponent", "The bits of the exponent";
        Mantissa, "Mantissa", "The bits of the mantissa";
    }
}

form::choice! {
    /// The bits that faults can hit, counted from the least significant.
    #[derive(Copy)]
    pub enum Bits: "Bits" {
        All, "All", "Every bit of the format";
        Bit(u32) = 30, "One bit", "This bit, counted from the least significant", range [0, 31];
        Field(BitField) = BitField::Exponent, "Field", "The bits of one field";
    }
}

impl Bits {
    /// Returns the chosen bits that a format has, ascending; empty if it has none of them (bit 30 of int8).
    pub fn in_format(self, format: Format) -> Vec<u32> {
        let is_chosen = |bit: &u32| match self {
            Self::All => true,
            Self::Bit(chosen) => *bit == chosen,
            Self::Field(field) => format.field(*bit) == Some(field),
        };
        (0..format.bits()).filter(is_chosen).collect()
    }
}

/// The stored form of a parameter, or of one layer's activations: values to bits and back.
#[derive(Debug, Clone, PartialEq)]
pub struct Storage {
    format: Format,
    /// One scale per row; empty unless int8.
    scales: Vec<f32>,
    row: usize,
    /// Smallest and largest finite value that is read back.
    range: [f32; 2],
}

impl Storage {
    /// Returns the storage of these values. `rows` is the first dimension, the output channels, and counts for int8
    /// only, whose scale is max|w|/127 of a row in float32 (1 for a row of zeros, or of numbers so small that the
    /// quotient is 0). Values that are not finite do not enter a scale.
    pub fn new(format: Format, values: &[f32], rows: usize) -> Self {
        let row = (values.len() / rows.max(1)).max(1);
        let scales = match format {
            Format::Int8 => values.chunks(row).map(scale).collect(),
            Format::Float32 | Format::Float16 | Format::Bfloat16 => Vec::new(),
        };
        let mut storage = Self { format, scales, row, range: [0.0; 2] };
        storage.range =
            range(values.iter().enumerate().map(|(index, &value)| storage.read_back(index, value)));
        storage
    }

    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the smallest and the largest finite value that is stored; zeros if there is none.
    pub fn range(&self) -> [f32; 2] {
        self.range
    }

    /// Returns the scale of each row of an int8 parameter; empty for other formats.
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// Returns the bits under which entry `index` stores a value, zero-extended to 32. int8: value/scale, rounded
    /// half to even, limited to ±127, in two's complement; NaN is stored as 0.
    #[inline]
    pub fn encode(&self, index: usize, value: f32) -> u32 {
        match self.format {
            Format::Float32 => value.to_bits(),
            Format::Float16 => u32::from(to_float16(value)),
            Format::Bfloat16 => u32::from(to_bfloat16(value)),
            Format::Int8 => {
                let steps = (value / self.scales[index / self.row]).round_ties_even().clamp(-127.0, 127.0);
                u32::from((steps as i8).cast_unsigned())
            }
        }
    }

    /// Returns the value that entry `index` reads as when it holds these bits. A flipped int8 of −128 reads as −128·scale.
    #[inline]
    pub fn decode(&self, index: usize, stored: u32) -> f32 {
        match self.format {
            Format::Float32 => f32::from_bits(stored),
            Format::Float16 => from_float16(stored as u16),
            Format::Bfloat16 => from_bfloat16(stored as u16),
            Format::Int8 => f32::from((stored as u8).cast_signed()) * self.scales[index / self.row],
        }
    }

    /// Returns what a value reads as once it is stored: itself in float32.
    #[inline]
    pub fn read_back(&self, index: usize, value: f32) -> f32 {
        self.decode(index, self.encode(index, value))
    }

    /// Returns what all values read as once they are stored: the golden values of the format.
    pub fn golden(&self, values: &[f32]) -> Vec<f32> {
        values.iter().enumerate().map(|(index, &value)| self.read_back(index, value)).collect()
    }
}

fn scale(row: &[f32]) -> f32 {
    let finite = row.iter().map(|value| value.abs()).filter(|value| value.is_finite());
    let scale = finite.fold(0.0, f32::max) / 127.0;
    if scale > 0.0 { scale } else { 1.0 }
}

fn range(values: impl Iterator<Item = f32>) -> [f32; 2] {
    let widen = |range: Option<[f32; 2]>, value: f32| match range {
        None => Some([value; 2]),
        Some([low, high]) => Some([low.min(value), high.max(value)]),
    };
    values.filter(|value| value.is_finite()).fold(None, widen).unwrap_or([0.0; 2])
}

// float16 and bfloat16 as bits: rounding to nearest, halves to even; overflow to infinity; NaN stays NaN and keeps the upper
// bits of its payload, so that reading and storing again changes no bit. (The crate `half` would set the quiet bit of a NaN.)

fn to_float16(value: f32) -> u16 {
    if value.is_nan() {
        shorter(value, 13, [f16::INFINITY, f16::NAN].map(f16::to_bits))
    } else {
        f16::from_f32_const(value).to_bits()
    }
}

/// Returns a float16 as float32, exactly.
fn from_float16(half: u16) -> f32 {
    let value = f16::from_bits(half);
    if value.is_nan() {
        let (sign, payload) = (u32::from(half & 0x8000), u32::from(half & 0x3ff));
        return f32::from_bits(sign << 16 | f32::INFINITY.to_bits() | payload << 13);
    }
    value.to_f32_const()
}

fn to_bfloat16(value: f32) -> u16 {
    if value.is_nan() {
        shorter(value, 16, [bf16::INFINITY, bf16::NAN].map(bf16::to_bits))
    } else {
        bf16::from_f32_const(value).to_bits()
    }
}

fn from_bfloat16(half: u16) -> f32 {
    f32::from_bits(u32::from(half) << 16)
}

/// Returns a NaN in a shorter format, given that format's infinity and NaN: the lowest `count` bits of the payload
/// are cut off, and where nothing is left of it, which would be infinity, it becomes that NaN.
fn shorter(nan: f32, count: u32, [infinity, quiet]: [u16; 2]) -> u16 {
    let sign = (nan.to_bits() >> 16) as u16 & 0x8000;
    let payload = (nan.to_bits() >> count) as u16 & !infinity & 0x7fff;
    sign | if payload == 0 { quiet } else { infinity | payload }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// How many bits of each format are sign, exponent and mantissa.
    #[test]
    fn fields_have_the_widths_of_the_standards() {
        let widths = Format::all().into_iter().map(|format| {
            [BitField::Sign, BitField::Exponent, BitField::Mantissa]
                .map(|field| (0..40).filter(|&bit| format.field(bit) == Some(field)).count())
        });
        assert_eq!(widths.collect::<Vec<_>>(), [[1, 8, 23], [1, 5, 10], [1, 8, 7], [1, 0, 7]]);
    }

    #[test]
    fn fields_begin_where_the_help_says() {
        let ends = |format: Format, bits: [u32; 2]| bits.map(|bit| format.field(bit));
        let exponent = [Some(BitField::Exponent); 2];
        assert_eq!(ends(Format::Float32, [30, 23]), exponent);
        assert_eq!(ends(Format::Float16, [14, 10]), exponent);
        assert_eq!(ends(Format::Bfloat16, [14, 7]), exponent);
        assert_eq!(ends(Format::Int8, [7, 8]), [Some(BitField::Sign), None]);
    }

    #[test]
    fn a_bit_is_named_with_its_field() {
        assert_eq!(Format::Float32.bit_name(30), "b30, exponent");
        assert_eq!(Format::Int8.bit_name(7), "b7, sign");
        assert_eq!(Format::Int8.bit_name(8), "b8");
    }

    #[test]
    fn bits_are_read_as_numbers_of_the_format() {
        let values: Vec<f64> = Format::all().into_iter().map(|format| format.value(0x3F80)).collect();
        // As float32 it is subnormal: 16,256 units of 2^-149.
        assert_eq!(values, [16_256.0 * 2.0_f64.powi(-149), 1.875, 1.0, -128.0]);
        assert!((Format::Float32.value(0x7E30_89A0) - 5.866e37).abs() < 1e34);
    }

    #[test]
    fn only_weights_become_int8() {
        assert_eq!(Format::Int8.of_parameter(true), Format::Int8);
        assert_eq!(Format::Int8.of_parameter(false), Format::Float32);
        assert_eq!(Format::Float16.of_parameter(false), Format::Float16);
    }

    #[test]
    fn a_field_is_its_bits_and_a_bit_that_is_not_there_is_none() {
        assert_eq!(Bits::Field(BitField::Exponent).in_format(Format::Float16), [10, 11, 12, 13, 14]);
        assert_eq!(Bits::Field(BitField::Sign).in_format(Format::Int8), [7]);
        assert_eq!(Bits::Bit(30).in_format(Format::Float32), [30]);
        assert!(Bits::Bit(30).in_format(Format::Int8).is_empty());
        assert!(Bits::Field(BitField::Exponent).in_format(Format::Int8).is_empty());
    }

    #[test]
    fn the_fields_of_a_format_are_all_of_its_bits() {
        for format in Format::all() {
            let mut bits: Vec<u32> =
                BitField::all().into_iter().flat_map(|field| Bits::Field(field).in_format(format)).collect();
            bits.sort_unstable();
            assert_eq!(bits, Bits::All.in_format(format), "{}", format.key());
        }
    }

    #[test]
    fn int8_has_one_scale_per_row_and_one_for_a_row_of_zeros() {
        let storage = Storage::new(Format::Int8, &[127.0, -1.0, -254.0, 3.0, 0.0, -0.0], 3);
        assert_eq!(storage.scales(), [1.0, 2.0, 1.0]);
        assert_eq!(
            storage.golden(&[126.5, -1.5, -254.0, 3.0, 0.0, 0.0]),
            [126.0, -2.0, -254.0, 4.0, 0.0, 0.0]
        );
        assert_eq!(storage.encode(2, -254.0), 0x81);
        assert_eq!(storage.range(), [-254.0, 127.0]);
    }

    #[test]
    fn int8_limits_what_is_too_large_and_stores_nan_as_zero() {
        let storage = Storage::new(Format::Int8, &[127.0, f32::INFINITY, f32::NAN], 1);
        let values = [1e9, -1e9, f32::INFINITY, f32::NAN];
        assert_eq!(values.map(|value| storage.read_back(0, value)), [127.0, -127.0, 127.0, 0.0]);
    }

    #[test]
    fn a_row_too_small_for_a_scale_is_stored_as_zeros() {
        let tiny = f32::from_bits(1);
        let storage = Storage::new(Format::Int8, &[tiny, -tiny], 1);
        assert_eq!((storage.scales(), storage.golden(&[tiny])[0]), (&[1.0_f32][..], 0.0));
    }

    #[test]
    fn the_range_is_that_of_what_is_read_back_and_zero_without_values() {
        assert_eq!(
            Storage::new(Format::Float16, &[0.1, f32::NAN, 1e6, -0.3], 1).range(),
            [-0.300_048_83, 0.099_975_586]
        );
        assert_eq!(Storage::new(Format::Float32, &[], 1).range(), [0.0, 0.0]);
    }

    #[test]
    fn float32_keeps_every_bit() {
        let nan = f32::from_bits(0x7f80_0001);
        let storage = Storage::new(Format::Float32, &[nan], 1);
        assert_eq!(storage.read_back(0, nan).to_bits(), 0x7f80_0001);
    }

    proptest! {
        /// Golden values are stored as they are: quantising them again changes no bit, and storing finds the bits anew.
        #[test]
        fn what_was_read_back_is_stored_under_the_same_bits(
            values in prop::collection::vec(-1e3_f32..1e3, 1..20),
            exponent in -140..40,
        ) {
            let values: Vec<f32> = values.iter().map(|value| value * 2.0_f32.powi(exponent)).collect();
            for format in Format::all() {
                let storage = Storage::new(format, &values, 1);
                for (index, value) in storage.golden(&values).into_iter().enumerate() {
                    prop_assert_eq!(storage.encode(index, value), storage.encode(index, values[index]));
                }
            }
        }

        #[test]
        fn int8_is_off_by_half_a_scale_at_most(values in prop::collection::vec(-10.0_f32..10.0, 1..20)) {
            let storage = Storage::new(Format::Int8, &values, 1);
            for (value, golden) in values.iter().zip(storage.golden(&values)) {
                // Quotient and product are rounded to float32: each by up to 127 · 2⁻²⁴ of a scale.
                prop_assert!((value - golden).abs() <= storage.scales()[0] * 0.500_02);
            }
        }
    }

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
