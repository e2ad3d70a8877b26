//! Which tensors of a file fit which parameters of a network.

use super::Shapes;
use crate::doc::Structure;
use crate::form::number::counted;
use crate::results::network::shape_text;

/// Rows of a table in a message; more are counted.
const SOME: usize = 12;

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

    /// What is wrong.
    pub fn text(&self) -> String {
        let shape =
            |shape: &[usize]| if shape.is_empty() { "a number".to_owned() } else { shape_text(shape) };
        match (&self.here, &self.file) {
            (Some(here), Some(file)) if here == file => format!("{} in both", shape(here)),
            (Some(here), Some(file)) => format!("{} here, {} in the file", shape(here), shape(file)),
            (Some(here), None) => {
                format!("{} here, no floating-point tensor of that name in the file", shape(here))
            }
            (None, Some(file)) => format!("not in this network, {} in the file", shape(file)),
            (None, None) => String::new(),
        }
    }
}

/// All parameters of a network that a file is read for, and all other tensors of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Parameters in the order of the network, then the other tensors.
    pub rows: Vec<FitRow>,
}

impl Fit {
    /// Compares these parameters of a network with a file whose tensors have our names.
    pub fn of(structure: &Structure, parameters: &[usize], file: &Shapes) -> Self {
        let here = parameters.iter().map(|&index| {
            let parameter = &structure.parameters[index];
            let found = file.get(&parameter.name).cloned();
            FitRow { name: parameter.name.clone(), here: Some(parameter.shape.clone()), file: found }
        });
        let others = file.iter().filter(|(name, _)| structure.find(name).is_none());
        let others =
            others.map(|(name, shape)| FitRow { name: name.clone(), here: None, file: Some(shape.clone()) });
        Self { rows: here.chain(others).collect() }
    }

    /// Compares all parameters of a network.
    pub fn of_all(structure: &Structure, file: &Shapes) -> Self {
        Self::of(structure, &(0..structure.parameters.len()).collect::<Vec<_>>(), file)
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

    /// The verdict, and a line for each row that does not match, up to a limit.
    pub fn table(&self) -> String {
        let rest: Vec<&FitRow> = self.rows.iter().filter(|row| !row.matches()).collect();
        if rest.is_empty() {
            return self.verdict();
        }
        let width = rest.iter().take(SOME).map(|row| row.name.chars().count()).max().unwrap_or_default();
        let mut lines = vec![format!("{}; these differ:", self.verdict())];
        lines.extend(rest.iter().take(SOME).map(|row| format!("  {:<width$}  {}", row.name, row.text())));
        if rest.len() > SOME {
            lines.push(format!("  and {} more", rest.len() - SOME));
        }
        lines.join("\n")
    }
}
