//! Weight files of others: which of their tensors are which parameters of a network, what does not fit, and which network
//! a file is of.

mod fit;
mod guess;
mod inspect;
mod names;

use std::collections::BTreeMap;
use std::path::Path;

pub use fit::{Fit, FitRow};
pub use guess::{Guess, guess};
pub use inspect::{Inspection, Statistics, TensorSummary, inspect};
pub use names::{Named, named_as_here};

use crate::doc::Structure;
use crate::net::weights_file::{
    FileTensor, NamedTensors, TensorFile, WeightFileError, read_masks, read_tensors,
};

/// Shapes of tensors by name.
pub type Shapes = BTreeMap<String, Vec<usize>>;

/// What the header of a weight file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileShapes {
    /// Shapes of the tensors by name.
    pub shapes: Shapes,
    /// The names in the order in which the writer had them; empty where the file does not say it.
    pub order: Vec<String>,
}

impl FileShapes {
    /// The shapes under the names that a network gives them.
    pub fn named_for(&self, structure: &Structure) -> Shapes {
        named_as_here(structure, self.shapes.clone(), &self.order).tensors
    }
}

/// Names and shapes of the tensors of a weight file that can be read as values, or as masks; reads only the header.
///
/// # Errors
/// When the file cannot be read or is no weight file.
pub fn read_shapes(path: &Path, as_mask: bool) -> Result<FileShapes, String> {
    let file = TensorFile::open(path).map_err(|error| error.to_string())?;
    Ok(FileShapes { shapes: file.shapes(as_mask), order: file.order })
}

/// The tensors of a weight file under the names that a network gives them, and notes on what was converted, renamed or left
/// out.
///
/// # Errors
/// When the file cannot be read or is damaged.
pub fn read_for(
    structure: &Structure,
    path: &Path,
    as_mask: bool,
) -> Result<(BTreeMap<String, FileTensor>, Vec<String>), WeightFileError> {
    let NamedTensors { tensors, order, mut notes, .. } =
        if as_mask { read_masks(path)? } else { read_tensors(path)? };
    let Named { tensors, renamed } = named_as_here(structure, tensors, &order);
    notes.extend(names::note(&renamed));
    Ok((tensors, notes))
}

#[cfg(test)]
mod files;
#[cfg(test)]
mod tests;
