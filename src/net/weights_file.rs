//! Weight files: safetensors with PyTorch's names and layouts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use safetensors::{Dtype, SafeTensors, View};

use super::network::Network;

/// Why a weight file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum WeightFileError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// It is damaged or not a safetensors file.
    #[error("{} is not a readable safetensors file ({detail}); write it again, or choose another one", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The parser's message.
        detail: String,
    },
}

/// A tensor of a file: its shape, and its values as float32.
#[derive(Clone, Debug, PartialEq)]
pub struct FileTensor {
    /// Shape as the file has it.
    pub shape: Vec<usize>,
    /// Values, row by row.
    pub values: Vec<f32>,
}

/// Writes named tensors, and a note of a key and its value; several would come in a random order.
///
/// # Errors
/// The operating system's; an existing file is left unchanged.
pub fn write_tensors(
    path: &Path,
    tensors: &BTreeMap<String, FileTensor>,
    about: Option<(&str, String)>,
) -> Result<(), WeightFileError> {
    write_views(path, tensors, about)
}

pub(super) fn write_views<'a, V: View>(
    path: &Path,
    views: impl IntoIterator<Item = (&'a String, V)>,
    about: Option<(&str, String)>,
) -> Result<(), WeightFileError> {
    let about = about.map(|(key, value)| std::iter::once((key.to_owned(), value)).collect());
    let bytes = safetensors::serialize(views, about)
        .map_err(|error| WeightFileError::Damaged { path: path.to_owned(), detail: error.to_string() })?;
    crate::doc::file::write_atomically(path, &bytes)
        .map_err(|source| WeightFileError::Io { path: path.to_owned(), source })
}

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

impl View for &FileTensor {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Owned(f32_bytes(&self.values))
    }
    fn data_len(&self) -> usize {
        self.values.len() * 4
    }
}

/// Reads all tensors of a file and its metadata. float16, bfloat16 and float64 become float32; other types are left out.
///
/// # Errors
/// When the file cannot be read or is damaged.
pub fn read_tensors(path: &Path) -> Result<NamedTensors, WeightFileError> {
    read_as(path, to_f32)
}

/// Reads all tensors of a file as masks: those of [`read_tensors`], and also integers and booleans, of which 0 stays 0 and
/// everything else becomes 1.
///
/// # Errors
/// When the file cannot be read or is damaged.
pub fn read_masks(path: &Path) -> Result<NamedTensors, WeightFileError> {
    read_as(path, to_mask)
}

/// Whether tensors of this type are read: as values, or as masks.
pub fn is_readable(dtype: Dtype, as_mask: bool) -> bool {
    if as_mask { to_mask(dtype, &[]).is_some() } else { to_f32(dtype, &[]).is_some() }
}

/// Tensors and metadata by name.
pub type NamedTensors = (BTreeMap<String, FileTensor>, BTreeMap<String, String>);

fn read_as(
    path: &Path,
    convert: fn(Dtype, &[u8]) -> Option<Vec<f32>>,
) -> Result<NamedTensors, WeightFileError> {
    let damaged = |detail: String| WeightFileError::Damaged { path: path.to_owned(), detail };
    let bytes =
        std::fs::read(path).map_err(|source| WeightFileError::Io { path: path.to_owned(), source })?;
    let (_, metadata) = SafeTensors::read_metadata(&bytes).map_err(|error| damaged(error.to_string()))?;
    let about =
        metadata.metadata().iter().flatten().map(|(key, value)| (key.clone(), value.clone())).collect();
    let file = SafeTensors::deserialize(&bytes).map_err(|error| damaged(error.to_string()))?;
    let tensors = file
        .iter()
        .filter_map(|(name, view)| {
            let values = convert(view.dtype(), view.data())?;
            Some((name.to_owned(), FileTensor { shape: view.shape().to_vec(), values }))
        })
        .collect();
    Ok((tensors, about))
}

fn to_f32(dtype: Dtype, bytes: &[u8]) -> Option<Vec<f32>> {
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

fn to_mask(dtype: Dtype, bytes: &[u8]) -> Option<Vec<f32>> {
    let size = match dtype {
        Dtype::BOOL | Dtype::U8 | Dtype::I8 => 1,
        Dtype::U16 | Dtype::I16 => 2,
        Dtype::U32 | Dtype::I32 => 4,
        Dtype::U64 | Dtype::I64 => 8,
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

/// The named tensors of a network.
pub fn tensors_of(network: &Network) -> BTreeMap<String, FileTensor> {
    let parameters = network.structure().parameters.iter().enumerate();
    parameters
        .map(|(index, parameter)| {
            let values = network.values(index).to_vec();
            (parameter.name.clone(), FileTensor { shape: parameter.shape.clone(), values })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_survive_a_file_bit_for_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights.safetensors");
        let values =
            vec![0.0, -0.0, f32::from_bits(0x7fa0_0001), f32::INFINITY, 1.5, f32::MIN_POSITIVE / 2.0];
        let tensor = FileTensor { shape: vec![2, 3], values };
        let tensors = BTreeMap::from([("fc1.weight".to_owned(), tensor.clone())]);
        let about = BTreeMap::from([("seed".to_owned(), "1".to_owned())]);
        write_tensors(&path, &tensors, Some(("seed", "1".to_owned()))).unwrap();
        let (again, about_again) = read_tensors(&path).unwrap();
        let bits =
            |tensor: &FileTensor| tensor.values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&again["fc1.weight"]), bits(&tensor));
        assert_eq!(about_again, about);
    }

    #[test]
    fn a_truncated_file_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights.safetensors");
        std::fs::write(&path, [9, 0, 0, 0, 0, 0, 0, 0, b'{']).unwrap();
        let message = read_tensors(&path).unwrap_err().to_string();
        assert!(message.contains("weights.safetensors is not a readable safetensors file"), "{message}");
    }

    #[test]
    fn whole_numbers_and_truth_values_are_masks_and_no_values() {
        use safetensors::tensor::TensorView;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mask.safetensors");
        let wide: Vec<u8> = [0_i64, 256, -1].iter().flat_map(|number| number.to_le_bytes()).collect();
        let views = [
            ("bool", TensorView::new(Dtype::BOOL, vec![3], &[0, 1, 1]).unwrap()),
            ("i64", TensorView::new(Dtype::I64, vec![3], &wide).unwrap()),
            ("i8", TensorView::new(Dtype::I8, vec![3], &[0, 2, 255]).unwrap()),
        ];
        std::fs::write(&path, safetensors::serialize(views, None).unwrap()).unwrap();
        let (masks, _) = read_masks(&path).unwrap();
        assert_eq!(masks.len(), 3);
        assert!(masks.values().all(|mask| mask.values == [0.0, 1.0, 1.0]), "{masks:?}");
        assert!(read_tensors(&path).unwrap().0.is_empty());
        assert!(is_readable(Dtype::I64, true) && !is_readable(Dtype::I64, false));
    }

    #[test]
    fn numbers_of_every_width_are_read() {
        let double: Vec<u8> = [-0.5_f64, 3.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(to_f32(Dtype::F64, &double), Some(vec![-0.5, 3.0]));
        assert_eq!(to_f32(Dtype::F32, &[0, 0, 0x80, 0x3f]), Some(vec![1.0]));
        assert_eq!(to_f32(Dtype::BF16, &[0x80, 0x3f]), Some(vec![1.0]));
        assert_eq!(to_f32(Dtype::F16, &[0, 0x3c]), Some(vec![1.0]));
    }

    #[test]
    fn half_precision_is_read_exactly() {
        for (bits, value) in [(0x3c00, 1.0), (0xc000, -2.0), (0x0001, 2f32.powi(-24)), (0x7bff, 65504.0)] {
            assert_eq!(half_to_f32(bits), value);
        }
        assert!(half_to_f32(0x7e00).is_nan() && half_to_f32(0xfc00) == f32::NEG_INFINITY);
    }
}
