//! Weight files of others: which of their tensors are which parameters of a network, what does not fit, and which network
//! a file is of.

mod fit;
mod guess;
mod inspect;
mod names;
mod naming;
mod sources;

use std::collections::BTreeMap;
use std::path::Path;

pub use fit::{Fit, FitRow};
pub use guess::{Guess, guess};
pub use inspect::{Inspection, Statistics, TensorSummary, inspect};
pub use naming::Naming;
pub use sources::{Scaling, Source};

use doc::Structure;
use net::weights_file::{FileTensor, NamedTensors, TensorFile, WeightFileError, read_masks, read_tensors};

/// Shapes of tensors by name.
pub type Shapes = BTreeMap<String, Vec<usize>>;

/// What the header of a weight file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileShapes {
    /// Shapes of the tensors by name.
    pub shapes: Shapes,
    /// The names in the order in which the writer had them; empty where the file does not say it.
    pub order: Vec<String>,
    /// Notes that the writer left in it, by key.
    pub about: BTreeMap<String, String>,
    /// What is computed, converted or left out, in sentences.
    pub notes: Vec<String>,
    /// Which types are not read, in sentences.
    pub left_out: Vec<String>,
}

impl FileShapes {
    /// The shapes under the names that a network gives them.
    pub fn named_for(&self, structure: &Structure) -> Shapes {
        Naming::of(structure, self).apply(self.shapes.clone())
    }

    /// What is under this beginning of names, without it.
    fn under(&self, prefix: &str) -> Self {
        let short = |name: &String| name.strip_prefix(prefix).map(str::to_owned);
        let shapes =
            self.shapes.iter().filter_map(|(name, shape)| Some((short(name)?, shape.clone()))).collect();
        let order = self.order.iter().filter_map(short).collect();
        Self { shapes, order, ..Self::default() }
    }
}

/// Names and shapes of the tensors of a weight file that can be read as values, or as masks; reads only the header.
///
/// # Errors
/// When the file cannot be read or is no weight file.
pub fn read_shapes(path: &Path, as_mask: bool) -> Result<FileShapes, String> {
    let file = TensorFile::open(path).map_err(|error| error.to_string())?;
    let notes = if as_mask { Vec::new() } else { file.notes() };
    let (shapes, left_out) = (file.shapes(as_mask), file.left_out(as_mask));
    Ok(FileShapes { shapes, order: file.order, about: file.about, notes, left_out })
}

/// The tensors of a weight file under the names that a network gives them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read {
    /// By the names of the network.
    pub tensors: BTreeMap<String, FileTensor>,
    /// What was converted, renamed or left out.
    pub notes: Vec<String>,
    /// What was taken although the file leaves it open.
    pub doubts: Vec<String>,
}

/// Reads the tensors of a weight file for a network.
///
/// # Errors
/// When the file cannot be read or is damaged.
pub fn read_for(structure: &Structure, path: &Path, as_mask: bool) -> Result<Read, WeightFileError> {
    let NamedTensors { tensors, order, mut notes, .. } =
        if as_mask { read_masks(path)? } else { read_tensors(path)? };
    let file = FileShapes { shapes: shapes_of(&tensors), order, ..FileShapes::default() };
    let naming = Naming::of(structure, &file);
    let tensors = naming.apply(tensors);
    notes.extend(naming.notes);
    Ok(Read { tensors, notes, doubts: naming.doubts })
}

/// The shapes of tensors.
pub fn shapes_of(tensors: &BTreeMap<String, FileTensor>) -> Shapes {
    tensors.iter().map(|(name, tensor)| (name.clone(), tensor.shape.clone())).collect()
}

#[cfg(test)]
mod files;
#[cfg(test)]
mod tests;
