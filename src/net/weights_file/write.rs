//! Writing safetensors.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use safetensors::{Dtype, View};
use serde_json::Value;

use super::{BATCHES_TRACKED, FileTensor, WeightFileError, f32_bytes};
use crate::network::Network;
use data::Data;
use doc::structure::{LayerKind, Structure};

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

/// Writes tensors of a network as a state dict that PyTorch's `load_state_dict` takes as it is: as [`write_tensors`], with
/// the number of mini-batches, `batches`, for every batch norm whose statistics are among them.
///
/// # Errors
/// The operating system's; an existing file is left unchanged.
pub fn write_state_dict(
    path: &Path,
    structure: &Structure,
    tensors: &BTreeMap<String, FileTensor>,
    batches: u64,
    about: Option<(&str, String)>,
) -> Result<(), WeightFileError> {
    let mut entries: BTreeMap<String, Entry<'_>> =
        tensors.iter().map(|(name, tensor)| (name.clone(), Entry::Values(tensor))).collect();
    for layer in structure.layers.iter().filter(|layer| layer.kind == LayerKind::BatchNorm) {
        if tensors.contains_key(&format!("{}.running_var", layer.name)) {
            let count = Entry::Count(i64::try_from(batches).unwrap_or(i64::MAX).to_le_bytes());
            entries.insert(format!("{}.{BATCHES_TRACKED}", layer.name), count);
        }
    }
    write_views(path, &entries, about)
}

/// A tensor of a state dict.
enum Entry<'a> {
    Values(&'a FileTensor),
    /// A whole number, without a shape.
    Count([u8; 8]),
}

impl View for &Entry<'_> {
    fn dtype(&self) -> Dtype {
        match self {
            Entry::Values(_) => Dtype::F32,
            Entry::Count(_) => Dtype::I64,
        }
    }
    fn shape(&self) -> &[usize] {
        match self {
            Entry::Values(tensor) => &tensor.shape,
            Entry::Count(_) => &[],
        }
    }
    fn data(&self) -> Cow<'_, [u8]> {
        match self {
            Entry::Values(tensor) => Cow::Owned(f32_bytes(&tensor.values)),
            Entry::Count(bytes) => Cow::Borrowed(bytes),
        }
    }
    fn data_len(&self) -> usize {
        match self {
            Entry::Values(tensor) => tensor.values.len() * 4,
            Entry::Count(bytes) => bytes.len(),
        }
    }
}

/// The key under which this program says in weight files what wrote them, and that of the scaling of inputs in there.
pub const WRITER: &str = "weightlab";
/// See [`WRITER`].
pub const SCALING: &str = "normalize";

/// The note of this program in a weight file: what the weights are `of`, and how the inputs of their network were scaled.
pub fn note_of_writer(of: &[(&str, Value)], data: &Data) -> (&'static str, String) {
    let of = of.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
    let scaling = [("data", data.name().into()), (SCALING, data.normalize().text().into())];
    let scaling = scaling.map(|(key, value): (&str, Value)| (key.to_owned(), value));
    (WRITER, Value::Object(of.chain(scaling).collect()).to_string())
}

pub fn write_views<'a, V: View>(
    path: &Path,
    views: impl IntoIterator<Item = (&'a String, V)>,
    about: Option<(&str, String)>,
) -> Result<(), WeightFileError> {
    let about = about.map(|(key, value)| std::iter::once((key.to_owned(), value)).collect());
    let bytes = safetensors::serialize(views, about)
        .map_err(|error| WeightFileError::Damaged { path: path.to_owned(), detail: error.to_string() })?;
    doc::file::write_atomically(path, &bytes)
        .map_err(|source| WeightFileError::Io { path: path.to_owned(), source })
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
