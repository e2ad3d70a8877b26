//! The masks of a network as a file: u8 tensors with the names and shapes of the parameters, 0 free, 1 pruned, 2 frozen;
//! only of parameters with held entries.

use std::collections::BTreeMap;
use std::path::Path;

use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use super::network::Network;
use super::weights_file::{WeightFileError, write_views};
use doc::file::remove_if_there;
use doc::structure::Parameter;
use intervene::Entry;

/// Writes the masks of a network; without any held entry there is no file.
///
/// # Errors
/// The operating system's.
pub fn write_masks(path: &Path, network: &Network) -> Result<(), WeightFileError> {
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

/// Reads what [`write_masks`] wrote; nothing where there is no file.
///
/// # Errors
/// When the file cannot be read or is damaged.
pub fn read_masks(path: &Path) -> Result<BTreeMap<String, Vec<Entry>>, WeightFileError> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
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
        write_masks(&path, &network).unwrap();
        let masks = read_masks(&path).unwrap();
        let entries = vec![Entry::Free, Entry::Pruned, Entry::Free, Entry::Frozen];
        assert_eq!(masks, BTreeMap::from([("fc1.weight".to_owned(), entries)]));
        write_masks(&path, &self::network()).unwrap();
        assert!(!path.exists());
        assert!(read_masks(&path).unwrap().is_empty());
    }

    #[test]
    fn a_mask_of_another_type_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pins.safetensors");
        let view = TensorView::new(Dtype::I8, vec![2], &[0, 1]).unwrap();
        std::fs::write(&path, safetensors::serialize([("w", view)], None).unwrap()).unwrap();
        assert!(read_masks(&path).unwrap_err().to_string().contains("w has values other than 0, 1 and 2"));
    }
}
