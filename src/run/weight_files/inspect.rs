//! Everything about a weight file, in numbers.

use std::path::{Path, PathBuf};

use super::guess::{Guess, guess};
use super::names::natural;
use super::{FileShapes, Fit, Naming};
use crate::directory::{spec_of, weights_path};
use doc::Structure;
use net::weights_file::{TensorFile, dtype_name, note_on_infinite};

/// What a weight file holds.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// How it is laid out.
    pub form: &'static str,
    /// Its tensors, in the order of the numbers in their names.
    pub tensors: Vec<TensorSummary>,
    /// What is converted or left out by an import, in sentences.
    pub notes: Vec<String>,
    /// Notes that the writer left in it, by key.
    pub about: Vec<(String, String)>,
    /// The network that it is of, or what it has instead.
    pub guess: Result<Guess, String>,
}

/// A tensor and its values. Smallest, largest, mean and deviation are those of its finite values.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorSummary {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// PyTorch's name of its type.
    pub dtype: &'static str,
    /// Its values; none of types that are no floating-point numbers.
    pub values: Option<Statistics>,
}

/// Statistics of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Statistics {
    /// The smallest finite value; 0 where there is none.
    pub minimum: f64,
    /// The largest finite value; 0 where there is none.
    pub maximum: f64,
    /// Mean of the finite values.
    pub mean: f64,
    /// Standard deviation of the finite values, over their number.
    pub deviation: f64,
    /// Share of zeros among all values, in [0, 1].
    pub zeros: f64,
    /// Number of values that are NaN.
    pub nan: usize,
    /// Number of infinite values.
    pub infinite: usize,
}

impl Statistics {
    /// Of values.
    pub fn of(values: &[f32]) -> Self {
        let finite = || values.iter().copied().filter(|value| value.is_finite()).map(f64::from);
        let count = finite().count().max(1) as f64;
        let mean = finite().sum::<f64>() / count;
        let squares: f64 = finite().map(|value| (value - mean).powi(2)).sum();
        let zeros = values.iter().filter(|value| **value == 0.0).count();
        Self {
            minimum: finite().reduce(f64::min).unwrap_or_default(),
            maximum: finite().reduce(f64::max).unwrap_or_default(),
            mean,
            deviation: (squares / count).sqrt(),
            zeros: zeros as f64 / values.len().max(1) as f64,
            nan: values.iter().filter(|value| value.is_nan()).count(),
            infinite: values.iter().filter(|value| value.is_infinite()).count(),
        }
    }
}

/// Reads a weight file, one tensor at a time; of the directory of a run, the weights at its end.
///
/// # Errors
/// When the file cannot be read, is damaged or is no weight file.
pub fn inspect(path: &Path) -> Result<Inspection, String> {
    let of_run = if path.is_dir() { Some(of_run(path)?) } else { None };
    let (path, guessed) = of_run.unwrap_or_else(|| (path.to_owned(), None));
    let file = TensorFile::open(&path).map_err(|error| error.to_string())?;
    let (mut tensors, mut infinite) = (Vec::new(), 0);
    for (name, head) in &file.heads {
        let read = file.values(name).map_err(|error| error.to_string())?;
        infinite += read.as_ref().map_or(0, |read| read.too_large);
        let values = read.map(|read| Statistics::of(&read.tensor.values));
        let dtype = dtype_name(head.dtype);
        tensors.push(TensorSummary { name: name.clone(), shape: head.shape.clone(), dtype, values });
    }
    tensors.sort_by_cached_key(|tensor| natural(&tensor.name));
    let about = file.about.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
    let mut notes = file.notes();
    notes.extend(note_on_infinite(infinite));
    let shapes = FileShapes { shapes: file.shapes(false), order: file.order, ..FileShapes::default() };
    let guess = guessed.map_or_else(|| guess(&shapes), Ok);
    let structure = guess.as_ref().ok().and_then(Guess::structure);
    if let Some(structure) = structure {
        let naming = Naming::of(&structure, &shapes);
        let unused = Fit::of_all(&structure, &naming.apply(shapes.shapes)).unused("the file");
        notes.extend(naming.notes.into_iter().chain(naming.doubts).chain(unused));
    }
    Ok(Inspection { form: file.form.name(), tensors, notes, about, guess })
}

/// The weights at the end of a run, and its network.
fn of_run(folder: &Path) -> Result<(PathBuf, Option<Guess>), String> {
    let folder = std::path::absolute(folder).map_err(|error| error.to_string())?;
    let (Some(parent), Some(id)) = (folder.parent(), folder.file_name().and_then(|name| name.to_str()))
    else {
        return Err(format!("{} is not the directory of a run", folder.display()));
    };
    let spec = spec_of(parent, id).map_err(|why| {
        format!(
            "{} is not the directory of a run ({why}); choose a weight file, or such a directory",
            folder.display()
        )
    })?;
    let path = weights_path(parent, id);
    if !path.is_file() {
        return Err(format!("{}: the run is not done; it writes its weights at the end", folder.display()));
    }
    let guess = spec.structure().ok().map(|structure| {
        let Structure { input, outputs, .. } = structure;
        Guess {
            net: spec.net.clone(),
            same_classes: spec.net.clone(),
            input,
            classes: outputs,
            unknown: None,
            source: None,
        }
    });
    Ok((path, guess))
}
