//! Weight files of others: which of their tensors are which parameters of a network, what does not fit, and which network
//! a file is of.

#[cfg(test)]
mod file_tests;
mod guess;
mod names;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub use guess::{Guess, Scaling, Source, guess};
pub use names::Naming;
use names::natural;

use super::directory::{spec_of, weights_path};
use doc::Structure;
use doc::plan::Reading;
use form::number::{counted, first_of};
use net::weights_file::{
    FileTensor, NamedTensors, TensorFile, WeightFileError, dtype_name, note_on_infinite, read_tensors,
};
use results::network::shape_text;

/// Shapes of tensors by name.
pub type Shapes = BTreeMap<String, Vec<usize>>;

/// The header of a weight file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileShapes {
    pub shapes: Shapes,
    /// The names in the order in which the writer had them; empty where the file does not say it.
    pub order: Vec<String>,
    /// Notes that the writer left in it, by key.
    pub about: BTreeMap<String, String>,
    /// Sentences on tensors that are computed, converted or left out.
    pub notes: Vec<String>,
    /// Which types are not read, in sentences.
    pub left_out: Vec<String>,
}

impl FileShapes {
    /// Returns the shapes under the names that a network gives them.
    pub fn named_for(&self, structure: &Structure) -> Shapes {
        Naming::new(structure, self).apply(self.shapes.clone())
    }

    /// Returns the tensors under this beginning of names, without it.
    fn under(&self, prefix: &str) -> Self {
        let short = |name: &String| name.strip_prefix(prefix).map(str::to_owned);
        let shapes =
            self.shapes.iter().filter_map(|(name, shape)| Some((short(name)?, shape.clone()))).collect();
        let order = self.order.iter().filter_map(short).collect();
        Self { shapes, order, ..Self::default() }
    }
}

/// Reads the names and shapes of the tensors of a weight file that can be read as values, or as masks; reads only the
/// header.
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
    /// Sentences on tensors that were converted, renamed or left out.
    pub notes: Vec<String>,
    /// Sentences on choices that the file leaves open.
    pub doubts: Vec<String>,
}

/// Reads the tensors of a weight file for a network.
pub fn read_for(structure: &Structure, path: &Path, as_mask: bool) -> Result<Read, WeightFileError> {
    let NamedTensors { tensors, order, mut notes, .. } = read_tensors(path, as_mask)?;
    let file = FileShapes { shapes: shapes_of(&tensors), order, ..FileShapes::default() };
    let naming = Naming::new(structure, &file);
    let tensors = naming.apply(tensors);
    notes.extend(naming.notes);
    Ok(Read { tensors, notes, doubts: naming.doubts })
}

pub fn shapes_of(tensors: &BTreeMap<String, FileTensor>) -> Shapes {
    tensors.iter().map(|(name, tensor)| (name.clone(), tensor.shape.clone())).collect()
}

/// Rows of a table in a message; more are counted.
const SOME: usize = 5;
/// Tensors without a place in the network that are named; more are counted.
const SOME_UNUSED: usize = 5;

/// A parameter of a network or a tensor of a file, and its shapes here and there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitRow {
    pub name: String,
    /// The shape that the network needs; none for a tensor that it does not have.
    pub here: Option<Vec<usize>>,
    /// The shape in the file; none for a parameter that it does not have.
    pub file: Option<Vec<usize>>,
}

impl FitRow {
    pub fn matches(&self) -> bool {
        self.here == self.file
    }

    /// Returns true if it keeps the file from fitting: a tensor that the network does not have does not.
    pub fn is_refused(&self) -> bool {
        self.here.is_some() && !self.matches()
    }
}

/// All parameters of a network that a file is read for, and all tensors of the file that the network does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Parameters in the order of the network, then the other tensors.
    pub rows: Vec<FitRow>,
    pub reading: Reading,
}

impl Fit {
    /// Compares these parameters of a network with a file whose tensors have our names.
    pub fn new(structure: &Structure, parameters: &[usize], file: &Shapes, reading: Reading) -> Self {
        let here = parameters.iter().map(|&index| {
            let parameter = &structure.parameters[index];
            let found = file.get(&parameter.name).cloned();
            FitRow { name: parameter.name.clone(), here: Some(parameter.shape.clone()), file: found }
        });
        let names: BTreeSet<&str> =
            structure.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let others = file.iter().filter(|(name, _)| !names.contains(name.as_str()));
        let others =
            others.map(|(name, shape)| FitRow { name: name.clone(), here: None, file: Some(shape.clone()) });
        Self { rows: here.chain(others).collect(), reading }
    }

    /// Compares all parameters of a network with values.
    pub fn whole(structure: &Structure, file: &Shapes) -> Self {
        let all: Vec<usize> = (0..structure.parameters.len()).collect();
        Self::new(structure, &all, file, Reading::Copies)
    }

    /// Returns true if the file has every parameter in its shape.
    pub fn fits(&self) -> bool {
        !self.rows.iter().any(FitRow::is_refused)
    }

    /// Returns true if it has nothing else either.
    pub fn is_exact(&self) -> bool {
        self.rows.iter().all(FitRow::matches)
    }

    /// Says `12 of 14 parameters fit`.
    pub fn verdict(&self) -> String {
        let parameters = self.rows.iter().filter(|row| row.here.is_some());
        let fitting = parameters.clone().filter(|row| row.matches()).count();
        format!("{fitting} of {} fit", counted(parameters.count(), "parameter"))
    }

    /// Says what is wrong with a row.
    pub fn text(&self, row: &FitRow) -> String {
        let shape =
            |shape: &[usize]| if shape.is_empty() { "a number".to_owned() } else { shape_text(shape) };
        let tensor = if self.reading.is_mask() { "tensor" } else { "floating-point tensor" };
        match (&row.here, &row.file) {
            (Some(here), Some(file)) if here == file => format!("{} in both", shape(here)),
            (Some(here), Some(file)) => format!("{} here, {} in the file", shape(here), shape(file)),
            (Some(here), None) => format!("{} here, no {tensor} of that name in the file", shape(here)),
            (None, Some(file)) => format!("not in this network, {} in the file", shape(file)),
            (None, None) => String::new(),
        }
    }

    /// Lists the rows that do not match below the verdict, up to a limit.
    pub fn table(&self) -> String {
        let rest: Vec<&FitRow> = self.rows.iter().filter(|row| !row.matches()).collect();
        if rest.is_empty() {
            return self.verdict();
        }
        let width = rest.iter().take(SOME).map(|row| row.name.chars().count()).max().unwrap_or_default();
        let mut lines = vec![format!("{}; these differ:", self.verdict())];
        lines.extend(rest.iter().take(SOME).map(|row| format!("  {:<width$}  {}", row.name, self.text(row))));
        if rest.len() > SOME {
            lines.push(format!("  and {} more", rest.len() - SOME));
        }
        lines.join("\n")
    }

    /// Says why a file is refused as a whole, and what to do; none if it fits. The [table](Self::table) has the
    /// details.
    pub fn refusal(&self, file: &str) -> Option<String> {
        let done = self.reading.done();
        let remedy = "Choose a source of the same network, or a target without what differs";
        let refusal = || format!("{file} does not fit this network, so nothing is {done}. {remedy}");
        (!self.fits()).then(refusal)
    }

    /// Names tensors that the network does not have, if there are any: perhaps they are of another network.
    pub fn unused(&self, file: &str) -> Option<String> {
        let others = self.rows.iter().filter(|row| row.here.is_none());
        let some = first_of(others.map(|row| row.name.as_str()), SOME_UNUSED, ", ");
        (!some.is_empty()).then(|| format!("{file} also has {some}, which this network does not have"))
    }
}

/// The content of a weight file.
#[derive(Clone, Debug)]
pub struct Inspection {
    pub form: &'static str,
    pub tensors: Vec<TensorSummary>,
    pub notes: Vec<String>,
    /// Notes that the writer left in it, by key.
    pub about: Vec<(String, String)>,
    /// The network that it is of, or what it has instead.
    pub guess: Result<Guess, String>,
}

/// A tensor and its values. Smallest, largest, mean and deviation are those of its finite values.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct TensorSummary {
    pub name: String,
    pub shape: Vec<usize>,
    /// PyTorch's name of its type.
    pub dtype: &'static str,
    /// Its values; none of types that are no floating-point numbers.
    #[serde(flatten)]
    pub values: Option<Statistics>,
}

/// Statistics of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Statistics {
    /// The smallest finite value; 0 where there is none.
    pub minimum: f64,
    /// The largest finite value; 0 where there is none.
    pub maximum: f64,
    pub mean: f64,
    /// Standard deviation of the finite values, over their number.
    pub deviation: f64,
    /// Share of zeros among all values, in [0, 1].
    pub zeros: f64,
    pub nan: usize,
    pub infinite: usize,
}

impl Statistics {
    pub fn new(values: &[f32]) -> Self {
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
pub fn inspect(path: &Path) -> Result<Inspection, String> {
    let (path, guessed) = if path.is_dir() { of_run(path)? } else { (path.to_owned(), None) };
    let file = TensorFile::open(&path).map_err(|error| error.to_string())?;
    let (mut tensors, mut infinite) = (Vec::new(), 0);
    for (name, head) in &file.heads {
        let read = file.values(name, false).map_err(|error| error.to_string())?;
        infinite += read.as_ref().map_or(0, |read| read.too_large);
        let values = read.map(|read| Statistics::new(&read.tensor.values));
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
        let naming = Naming::new(&structure, &shapes);
        let unused = Fit::whole(&structure, &naming.apply(shapes.shapes)).unused("the file");
        notes.extend(naming.notes.into_iter().chain(naming.doubts).chain(unused));
    }
    Ok(Inspection { form: file.form.name(), tensors, notes, about, guess })
}

/// Finds the weights at the end of a run, and its network.
fn of_run(folder: &Path) -> Result<(PathBuf, Option<Guess>), String> {
    let folder = std::path::absolute(folder).map_err(|error| error.to_string())?;
    let (Some(parent), Some(id)) = (folder.parent(), folder.file_name().and_then(|name| name.to_str()))
    else {
        return Err(format!("{} is not the directory of a run", folder.display()));
    };
    let shown = folder.display();
    let spec = spec_of(parent, id).map_err(|why| {
        format!("{shown} is not the directory of a run ({why}); choose a weight file, or such a directory")
    })?;
    let path = weights_path(parent, id);
    if !path.is_file() {
        return Err(format!("{shown}: the run is not done; it writes its weights at the end"));
    }
    let guess = |Structure { input, outputs: classes, .. }| {
        let (net, same_classes) = (spec.net.clone(), spec.net.clone());
        Guess { net, same_classes, input, classes, unknown: None, source: None }
    };
    Ok((path, spec.structure().ok().map(guess)))
}
