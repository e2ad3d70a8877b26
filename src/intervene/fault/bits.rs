//! Which bits faults can hit.

use super::Format;

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
    /// Which bits faults can hit, counted from the least significant.
    #[derive(Copy)]
    pub enum Bits: "Bits" {
        All, "All", "Every bit of the format";
        Bit(u32) = 30, "One bit", "This bit, counted from the least significant", range [0, 31];
        Field(BitField) = BitField::Exponent, "Field", "The bits of one field";
    }
}

impl Bits {
    /// The chosen bits that a format has, ascending; empty if it has none of them (bit 30 of int8).
    pub fn of(self, format: Format) -> Vec<u32> {
        let is_chosen = |bit: &u32| match self {
            Self::All => true,
            Self::Bit(chosen) => *bit == chosen,
            Self::Field(field) => format.field(*bit) == Some(field),
        };
        (0..format.bits()).filter(is_chosen).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_its_bits_and_a_bit_that_is_not_there_is_none() {
        assert_eq!(Bits::Field(BitField::Exponent).of(Format::Float16), [10, 11, 12, 13, 14]);
        assert_eq!(Bits::Field(BitField::Sign).of(Format::Int8), [7]);
        assert_eq!(Bits::Bit(30).of(Format::Float32), [30]);
        assert!(Bits::Bit(30).of(Format::Int8).is_empty());
        assert!(Bits::Field(BitField::Exponent).of(Format::Int8).is_empty());
    }

    #[test]
    fn the_fields_of_a_format_are_all_of_its_bits() {
        for format in Format::all() {
            let mut bits: Vec<u32> =
                BitField::all().into_iter().flat_map(|field| Bits::Field(field).of(format)).collect();
            bits.sort_unstable();
            assert_eq!(bits, Bits::All.of(format), "{}", format.key());
        }
    }
}
