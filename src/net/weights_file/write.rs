//! Writing safetensors; and the masks of a network as a file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::ErrorKind;
use std::path::Path;

use data::Data;
use doc::file::remove_if_there;
use doc::structure::{LayerKind, Parameter, Structure};
use intervene::Entry;
use safetensors::{Dtype, SafeTensors, View, tensor::TensorView};
use serde_json::Value;

use super::{BATCHES_TRACKED, FileTensor, WeightFileError, f32_bytes};
use crate::network::Network;

/// Writes named tensors, and a note of a key and its value; several would come in a random order.
///
/// # Errors
/// The operating system's; an existing file is left unchanged.
pub fn write_tensors(
    path: &Path,
    tensors: &BTreeMap<String, FileTensor>,
    about: Option<(&str, String)>,
) -> Result<(), WeightFileError> {
    write_views(path, tensors.iter().map(|(name, tensor)| (name, StateTensor::Values(tensor))), about)
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
    let mut entries: BTreeMap<String, StateTensor<'_>> =
        tensors.iter().map(|(name, tensor)| (name.clone(), StateTensor::Values(tensor))).collect();
    for layer in structure.layers.iter().filter(|layer| layer.kind == LayerKind::BatchNorm) {
        if tensors.contains_key(&format!("{}.running_var", layer.name)) {
            let count = StateTensor::Count(i64::try_from(batches).unwrap_or(i64::MAX).to_le_bytes());
            entries.insert(format!("{}.{BATCHES_TRACKED}", layer.name), count);
        }
    }
    write_views(path, entries, about)
}

enum StateTensor<'a> {
    Values(&'a FileTensor),
    /// A whole number, without a shape.
    Count([u8; 8]),
}

impl View for StateTensor<'_> {
    fn dtype(&self) -> Dtype {
        match self {
            Self::Values(_) => Dtype::F32,
            Self::Count(_) => Dtype::I64,
        }
    }
    fn shape(&self) -> &[usize] {
        match self {
            Self::Values(tensor) => &tensor.shape,
            Self::Count(_) => &[],
        }
    }
    fn data(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Values(tensor) => Cow::Owned(f32_bytes(&tensor.values)),
            Self::Count(bytes) => Cow::Borrowed(bytes),
        }
    }
    fn data_len(&self) -> usize {
        match self {
            Self::Values(tensor) => tensor.values.len() * 4,
            Self::Count(bytes) => bytes.len(),
        }
    }
}

/// The key under which this program says in weight files what wrote them, and that of the scaling of inputs in there.
pub const WRITER: &str = "weightlab";
/// See [`WRITER`].
pub const SCALING: &str = "normalize";

/// Returns the note of this program in a weight file: what the weights are `of`, and how the inputs of their network
/// were scaled.
pub fn note_of_writer(of: &[(&str, Value)], data: &Data) -> (&'static str, String) {
    let of = of.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
    let scaling = [("data", data.name().into()), (SCALING, data.normalize().text().into())];
    let scaling = scaling.map(|(key, value): (&str, Value)| (key.to_owned(), value));
    (WRITER, Value::Object(of.chain(scaling).collect()).to_string())
}

fn write_views<V: View>(
    path: &Path,
    views: impl IntoIterator<Item = (impl AsRef<str> + Ord + Display, V)>,
    about: Option<(&str, String)>,
) -> Result<(), WeightFileError> {
    let about = about.map(|(key, value)| std::iter::once((key.to_owned(), value)).collect());
    let bytes = safetensors::serialize(views, about)
        .map_err(|error| WeightFileError::Damaged { path: path.to_owned(), detail: error.to_string() })?;
    doc::file::write_atomically(path, &bytes)
        .map_err(|source| WeightFileError::Io { path: path.to_owned(), source })
}

/// Returns the named tensors of a network.
pub fn tensors_of(network: &Network) -> BTreeMap<String, FileTensor> {
    let parameters = network.structure().parameters.iter().enumerate();
    parameters
        .map(|(index, parameter)| {
            let values = network.values(index).to_vec();
            (parameter.name.clone(), FileTensor { shape: parameter.shape.clone(), values })
        })
        .collect()
}

/// Writes the masks of a network; without any held entry there is no file.
///
/// # Errors
/// The operating system's.
pub fn write_held(path: &Path, network: &Network) -> Result<(), WeightFileError> {
    let parameters = network.structure().parameters.iter().enumerate();
    let held: Vec<(&Parameter, Vec<u8>)> = parameters
        .filter_map(|(index, parameter)| {
            let entries = network.entries(index)?.iter().map(|entry| *entry as u8).collect();
            Some((parameter, entries))
        })
        .collect();
    if held.is_empty() {
        return remove_if_there(path).map_err(|source| WeightFileError::Io { path: path.to_owned(), source });
    }
    let views = held.iter().map(|(parameter, entries)| {
        let view = TensorView::new(Dtype::U8, parameter.shape.clone(), entries);
        (&parameter.name, view.expect("a mask has the shape of its parameter"))
    });
    write_views(path, views, None)
}

/// Reads what [`write_held`] wrote; nothing where there is no file.
///
/// # Errors
/// When the file cannot be read or is damaged.
pub fn read_held(path: &Path) -> Result<BTreeMap<String, Vec<Entry>>, WeightFileError> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(source) => return Err(WeightFileError::Io { path: path.to_owned(), source }),
    };
    let damaged = |detail: String| WeightFileError::Damaged { path: path.to_owned(), detail };
    let file = SafeTensors::deserialize(&bytes).map_err(|error| damaged(error.to_string()))?;
    let mut masks = BTreeMap::new();
    for (name, view) in file.iter() {
        let entries: Result<_, _> = view.data().iter().map(|byte| Entry::try_from(*byte)).collect();
        match entries {
            Ok(entries) if view.dtype() == Dtype::U8 => masks.insert(name.to_owned(), entries),
            _ => return Err(damaged(format!("{name} has values other than 0, 1 and 2"))),
        };
    }
    Ok(masks)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Initialisation;
    use data::Shape;
    use doc::{Loss, Mlp, Net, Structure};
    use intervene::{BiasInit, Init};

    fn network() -> Network {
        let net = Net::Mlp(Mlp { hidden: Vec::new(), ..Mlp::default() });
        let structure = Structure::new(&net, Shape::new(2, 1, 1), 2, &Loss::CrossEntropy).unwrap();
        let initialisation = Initialisation { weights: Init::PyTorch, biases: BiasInit::Usual };
        Network::new(Arc::new(structure), initialisation, 1, 0)
    }

    #[test]
    fn held_entries_survive_a_file_and_without_any_there_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pins.safetensors");
        let mut network = network();
        network.prune(0, &[1]);
        network.freeze(0, &[3], None);
        write_held(&path, &network).unwrap();
        let masks = read_held(&path).unwrap();
        let entries = vec![Entry::Free, Entry::Pruned, Entry::Free, Entry::Frozen];
        assert_eq!(masks, BTreeMap::from([("fc1.weight".to_owned(), entries)]));
        write_held(&path, &self::network()).unwrap();
        assert!(!path.exists());
        assert!(read_held(&path).unwrap().is_empty());
    }

    #[test]
    fn a_mask_of_another_type_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pins.safetensors");
        let view = TensorView::new(Dtype::I8, vec![2], &[0, 1]).unwrap();
        std::fs::write(&path, safetensors::serialize([("w", view)], None).unwrap()).unwrap();
        assert!(read_held(&path).unwrap_err().to_string().contains("w has values other than 0, 1 and 2"));
    }
}
