//! Which tensors of a file fit which parameters of a network.

use std::collections::BTreeSet;

use super::Shapes;
use doc::Structure;
use doc::plan::Reading;
use form::number::{counted, first_of};
use results::network::shape_text;

/// Rows of a table in a message; more are counted.
const SOME: usize = 12;
/// Tensors without a place in the network that are named; more are counted.
const SOME_UNUSED: usize = 5;

/// A parameter of a network or a tensor of a file, and its shapes here and there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitRow {
    /// Its name.
    pub name: String,
    /// The shape that the network needs; none for a tensor that it does not have.
    pub here: Option<Vec<usize>>,
    /// The shape in the file; none for a parameter that it does not have.
    pub file: Option<Vec<usize>>,
}

impl FitRow {
    /// Whether network and file agree.
    pub fn matches(&self) -> bool {
        self.here == self.file
    }

    /// Whether it keeps the file from fitting: a tensor that the network does not have does not.
    pub fn is_refused(&self) -> bool {
        self.here.is_some() && !self.matches()
    }
}

/// All parameters of a network that a file is read for, and all tensors of the file that the network does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Parameters in the order of the network, then the other tensors.
    pub rows: Vec<FitRow>,
    /// How the file is read.
    pub reading: Reading,
}

impl Fit {
    /// Compares these parameters of a network with a file whose tensors have our names.
    pub fn of(structure: &Structure, parameters: &[usize], file: &Shapes, reading: Reading) -> Self {
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
    pub fn of_all(structure: &Structure, file: &Shapes) -> Self {
        let all: Vec<usize> = (0..structure.parameters.len()).collect();
        Self::of(structure, &all, file, Reading::Copies)
    }

    /// Whether the file has every parameter in its shape.
    pub fn fits(&self) -> bool {
        !self.rows.iter().any(FitRow::is_refused)
    }

    /// Whether it has nothing else either.
    pub fn is_exact(&self) -> bool {
        self.rows.iter().all(FitRow::matches)
    }

    /// `12 of 14 parameters fit`
    pub fn verdict(&self) -> String {
        let parameters = self.rows.iter().filter(|row| row.here.is_some());
        let fitting = parameters.clone().filter(|row| row.matches()).count();
        format!("{fitting} of {} fit", counted(parameters.count(), "parameter"))
    }

    /// What is wrong with a row.
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

    /// The verdict, and a line for each row that does not match, up to a limit.
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

    /// Why a file is refused as a whole, and what to do; none if it fits. The [table](Self::table) has the details.
    pub fn refusal(&self, file: &str) -> Option<String> {
        let done = self.reading.done();
        let message = || {
            format!(
                "{file} does not fit this network, so nothing is {done}. Choose a source of the same network, or a \
                    target without what differs"
            )
        };
        (!self.fits()).then(message)
    }

    /// One sentence about tensors that the network does not have, if there are any: perhaps they are of another network.
    pub fn unused(&self, file: &str) -> Option<String> {
        let others = self.rows.iter().filter(|row| row.here.is_none());
        let some = first_of(others.map(|row| row.name.as_str()), SOME_UNUSED, ", ");
        (!some.is_empty()).then(|| format!("{file} also has {some}, which this network does not have"))
    }
}
