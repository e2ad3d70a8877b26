//! What a stage reads weights or a mask from, compared with the network before anything is written.

use std::collections::BTreeMap;

use crate::doc::Target;
use crate::doc::plan::Reading;
use crate::net::Network;
use crate::net::weights_file::{FileTensor, tensors_of};
use crate::results::Report;
use crate::run::error::RunError;
use crate::run::session::Session;
use crate::run::weight_files::{Fit, Shapes, read_for};

/// Tensors that fit all parameters that they are for.
pub struct Source {
    /// By the names of the network.
    pub tensors: BTreeMap<String, FileTensor>,
    /// Positions of the parameters.
    pub chosen: Vec<usize>,
    /// What was converted, renamed or left out, and what the network has no place for.
    notes: Vec<String>,
    /// Whether there are tensors that the network does not have: perhaps they are of another network.
    has_unused: bool,
}

impl Source {
    /// Reads a weight file.
    pub fn of_file(
        session: &Session,
        file: &str,
        target: &Target,
        reading: Reading,
    ) -> Result<Self, RunError> {
        let file = &session.file_name(file);
        let path = session.input_path(file);
        let read = read_for(&session.context.structure, &path, reading.is_mask());
        let (tensors, notes) = read.map_err(|error| session.stage_error(error.to_string()))?;
        session.check_input(file, &path)?;
        Self::fitting(session, file, tensors, target, reading).map(|source| source.with(notes))
    }

    /// Takes the values of a network of this run.
    pub fn of_network(
        session: &Session,
        name: &str,
        network: &Network,
        target: &Target,
    ) -> Result<Self, RunError> {
        Self::fitting(session, name, tensors_of(network), target, Reading::Copies)
    }

    fn fitting(
        session: &Session,
        from: &str,
        tensors: BTreeMap<String, FileTensor>,
        target: &Target,
        reading: Reading,
    ) -> Result<Self, RunError> {
        let structure = &session.context.structure;
        let chosen = reading.parameters(structure, target);
        let shapes: Shapes =
            tensors.iter().map(|(name, tensor)| (name.clone(), tensor.shape.clone())).collect();
        let fit = Fit::of(structure, &chosen, &shapes, reading);
        if let Some(refusal) = fit.refusal(from) {
            return Err(session.stage_error(format!("{refusal}. {}", fit.table())));
        }
        let unused = fit.unused(from);
        let has_unused = unused.is_some();
        Ok(Self { tensors, chosen, notes: unused.into_iter().collect(), has_unused })
    }

    fn with(mut self, notes: Vec<String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// The report with the notes on the source at its end; a warning if part of the source is unused.
    pub fn noted(&self, mut report: Report) -> Report {
        for note in &self.notes {
            report.summary = format!("{}; {note}", report.summary);
        }
        if self.has_unused { report.warning() } else { report }
    }
}
