//! What a stage reads weights or a mask from, compared with the network before anything is written.

use std::collections::BTreeMap;

use crate::error::RunError;
use crate::session::Session;
use crate::weight_files::{Fit, Read, read_for, shapes_of};
use doc::Target;
use doc::plan::Reading;
use net::Network;
use net::weights_file::{FileTensor, tensors_of};
use results::Report;

/// Tensors that fit all parameters that they are for.
pub struct Source {
    /// By the names of the network.
    pub tensors: BTreeMap<String, FileTensor>,
    /// Positions of the parameters.
    pub chosen: Vec<usize>,
    /// What was converted, renamed or left out, and what the network has no place for.
    notes: Vec<String>,
    /// Whether the report is a warning: the network does not have some tensors, or the file leaves something open.
    is_doubtful: bool,
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
        let Read { tensors, notes, doubts } = read.map_err(|error| session.stage_error(error.to_string()))?;
        session.check_input(file, &path)?;
        let mut source = Self::fitting(session, file, tensors, target, reading, &notes)?;
        source.is_doubtful |= !doubts.is_empty();
        source.notes.extend(doubts.into_iter().chain(notes));
        Ok(source)
    }

    /// Takes the values of a network of this run.
    pub fn of_network(
        session: &Session,
        name: &str,
        network: &Network,
        target: &Target,
    ) -> Result<Self, RunError> {
        Self::fitting(session, name, tensors_of(network), target, Reading::Copies, &[])
    }

    fn fitting(
        session: &Session,
        from: &str,
        tensors: BTreeMap<String, FileTensor>,
        target: &Target,
        reading: Reading,
        notes: &[String],
    ) -> Result<Self, RunError> {
        let structure = &session.context.structure;
        let chosen = reading.parameters(structure, target);
        let fit = Fit::of(structure, &chosen, &shapes_of(&tensors), reading);
        if let Some(refusal) = fit.refusal(from) {
            let details = [&[fit.table()], notes].concat().join("\n");
            return Err(session.stage_error(format!("{refusal}. {details}")));
        }
        let unused = fit.unused(from);
        let is_doubtful = unused.is_some();
        Ok(Self { tensors, chosen, notes: unused.into_iter().collect(), is_doubtful })
    }

    /// The report with the notes on the source at its end; a warning if part of the source is unused, or its use is a guess.
    pub fn noted(&self, mut report: Report) -> Report {
        for note in &self.notes {
            report.summary = format!("{}; {note}", report.summary);
        }
        if self.is_doubtful { report.warning() } else { report }
    }
}
