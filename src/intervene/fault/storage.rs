//! The stored form of a parameter: values to bits and back.

use super::{Format, half};

/// How the values of one parameter, or of one layer's activations, are stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Storage {
    format: Format,
    /// One scale per row; empty unless int8.
    scales: Vec<f32>,
    /// Entries of a row.
    row: usize,
    /// Smallest and largest finite value that is read back.
    range: [f32; 2],
}

impl Storage {
    /// The storage of these values. `rows` is the first dimension, the output channels, and counts for int8 only,
    /// whose scale is max|w|/127 of a row in float32 (1 for a row of zeros, or of numbers so small that the quotient
    /// is 0). Values that are not finite do not enter a scale.
    pub fn of(format: Format, values: &[f32], rows: usize) -> Self {
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

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The smallest and the largest finite value that is stored; zeros if there is none.
    pub fn range(&self) -> [f32; 2] {
        self.range
    }

    /// The scale of each row of an int8 parameter; empty for other formats.
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// The bits under which entry `index` stores a value, zero-extended to 32. int8: value/scale, rounded half to even,
    /// limited to ±127, in two's complement; NaN is stored as 0.
    pub fn encode(&self, index: usize, value: f32) -> u32 {
        match self.format {
            Format::Float32 => value.to_bits(),
            Format::Float16 => u32::from(half::to_float16(value)),
            Format::Bfloat16 => u32::from(half::to_bfloat16(value)),
            Format::Int8 => {
                let steps = (value / self.scales[index / self.row]).round_ties_even().clamp(-127.0, 127.0);
                u32::from((steps as i8).cast_unsigned())
            }
        }
    }

    /// The value that entry `index` reads as when it holds these bits. A flipped int8 of −128 reads as −128·scale.
    pub fn decode(&self, index: usize, stored: u32) -> f32 {
        match self.format {
            Format::Float32 => f32::from_bits(stored),
            Format::Float16 => half::from_float16(stored as u16),
            Format::Bfloat16 => half::from_bfloat16(stored as u16),
            Format::Int8 => f32::from((stored as u8).cast_signed()) * self.scales[index / self.row],
        }
    }

    /// What a value reads as once it is stored: itself in float32.
    pub fn read_back(&self, index: usize, value: f32) -> f32 {
        self.decode(index, self.encode(index, value))
    }

    /// What all values read as once they are stored: the golden values of the format.
    pub fn golden(&self, values: &[f32]) -> Vec<f32> {
        values.iter().enumerate().map(|(index, &value)| self.read_back(index, value)).collect()
    }
}

/// The scale of one row of int8.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn int8_has_one_scale_per_row_and_one_for_a_row_of_zeros() {
        let storage = Storage::of(Format::Int8, &[127.0, -1.0, -254.0, 3.0, 0.0, -0.0], 3);
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
        let storage = Storage::of(Format::Int8, &[127.0, f32::INFINITY, f32::NAN], 1);
        let values = [1e9, -1e9, f32::INFINITY, f32::NAN];
        assert_eq!(values.map(|value| storage.read_back(0, value)), [127.0, -127.0, 127.0, 0.0]);
    }

    #[test]
    fn a_row_too_small_for_a_scale_is_stored_as_zeros() {
        let tiny = f32::from_bits(1);
        let storage = Storage::of(Format::Int8, &[tiny, -tiny], 1);
        assert_eq!((storage.scales(), storage.golden(&[tiny])[0]), (&[1.0_f32][..], 0.0));
    }

    #[test]
    fn the_range_is_that_of_what_is_read_back_and_zero_without_values() {
        assert_eq!(
            Storage::of(Format::Float16, &[0.1, f32::NAN, 1e6, -0.3], 1).range(),
            [-0.300_048_83, 0.099_975_586]
        );
        assert_eq!(Storage::of(Format::Float32, &[], 1).range(), [0.0, 0.0]);
    }

    #[test]
    fn float32_keeps_every_bit() {
        let nan = f32::from_bits(0x7f80_0001);
        let storage = Storage::of(Format::Float32, &[nan], 1);
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
                let storage = Storage::of(format, &values, 1);
                for (index, value) in storage.golden(&values).into_iter().enumerate() {
                    prop_assert_eq!(storage.encode(index, value), storage.encode(index, values[index]));
                }
            }
        }

        #[test]
        fn int8_is_off_by_half_a_scale_at_most(values in prop::collection::vec(-10.0_f32..10.0, 1..20)) {
            let storage = Storage::of(Format::Int8, &values, 1);
            for (value, golden) in values.iter().zip(storage.golden(&values)) {
                // Quotient and product are rounded to float32: each by up to 127 · 2⁻²⁴ of a scale.
                prop_assert!((value - golden).abs() <= storage.scales()[0] * 0.500_02);
            }
        }
    }
}
