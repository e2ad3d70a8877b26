//! Numbers of a file as float32 or as a mask.

use safetensors::Dtype;

/// Little-endian bytes of numbers.
pub fn f32_bytes(values: &[f32]) -> Vec<u8> {
    let mut bytes = vec![0u8; values.len() * 4];
    for (bytes, value) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(values) {
        *bytes = value.to_le_bytes();
    }
    bytes
}

/// Numbers from their little-endian bytes.
pub fn f32_values(bytes: &[u8]) -> Vec<f32> {
    numbers(bytes, f32::from_le_bytes)
}

/// PyTorch's name of a type.
pub const fn dtype_name(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::F32 => "float32",
        Dtype::F64 => "float64",
        Dtype::F16 => "float16",
        Dtype::BF16 => "bfloat16",
        Dtype::I64 => "int64",
        Dtype::I32 => "int32",
        Dtype::I16 => "int16",
        Dtype::I8 => "int8",
        Dtype::U64 => "uint64",
        Dtype::U32 => "uint32",
        Dtype::U16 => "uint16",
        Dtype::U8 => "uint8",
        Dtype::BOOL => "bool",
        Dtype::C64 => "complex64",
        Dtype::F8_E5M2 | Dtype::F8_E4M3 | Dtype::F8_E8M0 | Dtype::F8_E4M3FNUZ | Dtype::F8_E5M2FNUZ => {
            "float8"
        }
        _ => "other", // types of 4 and 6 bits, and those of later versions of the format
    }
}

/// Numbers of a type as float32; none for a type that holds no floating-point numbers of 16 to 64 bits.
pub fn to_f32(dtype: Dtype, bytes: &[u8]) -> Option<Vec<f32>> {
    Some(match dtype {
        Dtype::F32 => f32_values(bytes),
        Dtype::F64 => numbers(bytes, |bytes| f64::from_le_bytes(bytes) as f32),
        Dtype::BF16 => numbers(bytes, |[low, high]| f32::from_le_bytes([0, 0, low, high])),
        Dtype::F16 => numbers(bytes, |bytes| half_to_f32(u16::from_le_bytes(bytes))),
        _ => return None,
    })
}

fn numbers<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|bytes| number(*bytes)).collect()
}

/// Number of values of a type that are finite, and infinite as float32.
pub fn too_large(dtype: Dtype, bytes: &[u8]) -> usize {
    if dtype != Dtype::F64 {
        return 0;
    }
    let values = bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
    values.filter(|value| value.is_finite() && (*value as f32).is_infinite()).count()
}

/// Numbers of a type as a mask: integers, booleans and float64 that are not 0 become 1. (As float32 small ones would be 0.)
pub fn to_mask(dtype: Dtype, bytes: &[u8]) -> Option<Vec<f32>> {
    let size = match dtype {
        Dtype::BOOL | Dtype::U8 | Dtype::I8 => 1,
        Dtype::U16 | Dtype::I16 => 2,
        Dtype::U32 | Dtype::I32 => 4,
        Dtype::U64 | Dtype::I64 => 8,
        Dtype::F64 => {
            let is_set = |bytes| if f64::from_le_bytes(bytes) == 0.0 { 0.0 } else { 1.0 };
            return Some(numbers(bytes, is_set));
        }
        _ => return to_f32(dtype, bytes),
    };
    let is_set = |bytes: &[u8]| bytes.iter().any(|&byte| byte != 0);
    Some(bytes.chunks(size).map(|bytes| if is_set(bytes) { 1.0 } else { 0.0 }).collect())
}

/// A float16 as float32, exactly; every NaN becomes the same one.
fn half_to_f32(bits: u16) -> f32 {
    let value = half::f16::from_bits(bits);
    if value.is_nan() { f32::NAN } else { value.to_f32_const() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_width_are_read() {
        let double: Vec<u8> = [-0.5_f64, 3.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(to_f32(Dtype::F64, &double), Some(vec![-0.5, 3.0]));
        assert_eq!(to_f32(Dtype::F32, &[0, 0, 0x80, 0x3f]), Some(vec![1.0]));
        assert_eq!(to_f32(Dtype::BF16, &[0x80, 0x3f]), Some(vec![1.0]));
        assert_eq!(to_f32(Dtype::F16, &[0, 0x3c]), Some(vec![1.0]));
    }

    #[test]
    fn numbers_beyond_float32_are_counted_and_stay_in_masks() {
        let double: Vec<u8> = [1e200, -1e200, 1e-60, f64::INFINITY, -0.0]
            .iter()
            .flat_map(|value: &f64| value.to_le_bytes())
            .collect();
        assert_eq!((too_large(Dtype::F64, &double), too_large(Dtype::F32, &double)), (2, 0));
        assert_eq!(to_mask(Dtype::F64, &double), Some(vec![1.0, 1.0, 1.0, 1.0, 0.0]));
    }

    #[test]
    fn half_precision_is_read_exactly() {
        for (bits, value) in [(0x3c00, 1.0), (0xc000, -2.0), (0x0001, 2f32.powi(-24)), (0x7bff, 65504.0)] {
            assert_eq!(half_to_f32(bits), value);
        }
        assert!(half_to_f32(0x7e00).is_nan() && half_to_f32(0xfc00) == f32::NEG_INFINITY);
    }
}
