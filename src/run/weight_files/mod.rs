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

/// Names and shapes of the tensors of a weight file that can be read as values, or as masks; reads only the header.
///
/// # Errors
/// When the file cannot be read or is no weight file.
pub fn read_shapes(path: &Path, as_mask: bool) -> Result<Shapes, String> {
    let file = TensorFile::open(path).map_err(|error| error.to_string())?;
    Ok(file.shapes(as_mask))
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
    let NamedTensors { tensors, mut notes, .. } =
        if as_mask { read_masks(path)? } else { read_tensors(path)? };
    let Named { tensors, renamed } = named_as_here(structure, tensors);
    notes.extend(names::note(&renamed));
    Ok((tensors, notes))
}

#[cfg(test)]
mod tests;
