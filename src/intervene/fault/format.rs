//! Number formats: how many bits, and what each of them is for.

use super::{BitField, half};

form::choice! {
    /// How a value is stored.
    #[derive(Copy, Eq)]
    pub enum Format: "Format" {
        Float32, "float32", "IEEE single precision: b31 sign, b30–b23 exponent, b22–b0 mantissa";
        Float16, "float16", "IEEE half precision: b15 sign, b14–b10 exponent";
        Bfloat16, "bfloat16", "Upper half of float32: b15 sign, b14–b7 exponent";
        Int8, "int8", "Symmetric, one scale per output channel";
    }
}

impl Format {
    /// Number of bits of one value.
    pub fn bits(self) -> u32 {
        match self {
            Self::Float32 => 32,
            Self::Float16 | Self::Bfloat16 => 16,
            Self::Int8 => 8,
        }
    }

    /// Number of bits of the mantissa; of int8, all but the sign.
    pub fn mantissa_bits(self) -> u32 {
        match self {
            Self::Float32 => 23,
            Self::Float16 => 10,
            Self::Bfloat16 | Self::Int8 => 7,
        }
    }

    /// The field of a bit, counted from the least significant; none if the format has no such bit. int8 has no
    /// exponent, and its sign bit is that of two's complement.
    pub fn field(self, bit: u32) -> Option<BitField> {
        let sign = self.bits() - 1;
        match bit {
            _ if bit > sign => None,
            _ if bit == sign => Some(BitField::Sign),
            _ if bit >= self.mantissa_bits() => Some(BitField::Exponent),
            _ => Some(BitField::Mantissa),
        }
    }

    /// The name of a bit with its field: `b30, exponent`; `b8` alone if the format has no such bit.
    pub fn bit_name(self, bit: u32) -> String {
        let field = self.field(bit).map(|field| format!(", {}", field.label().to_lowercase()));
        format!("b{bit}{}", field.unwrap_or_default())
    }

    /// The number that stored bits stand for. Of int8 it is the whole number without the scale of its row, which the
    /// bits do not hold.
    pub fn value(self, bits: u32) -> f64 {
        match self {
            Self::Float32 => f32::from_bits(bits).into(),
            Self::Float16 => half::from_float16(bits as u16).into(),
            Self::Bfloat16 => half::from_bfloat16(bits as u16).into(),
            Self::Int8 => (bits as u8).cast_signed().into(),
        }
    }

    /// The format in which a parameter is stored when its network is stored in this one: with int8 only weights of
    /// convolution and linear layers are 8 bits wide; biases, norm parameters and running statistics stay float32.
    pub fn of_parameter(self, is_weight: bool) -> Self {
        if self == Self::Int8 && !is_weight { Self::Float32 } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
