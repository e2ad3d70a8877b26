//! How the present network is read: as it is stored, or through the faults that are in place.

use super::Session;
use crate::run::error::RunError;
use crate::run::faults::View;
use crate::run::tables::Table;

impl Session<'_> {
    /// What computes with the present network and its members in one pass: one mini-batch, or one evaluation of a part of
    /// the data. It is [put back](Self::put_back) behind the pass.
    pub(in crate::run) fn reader(&self) -> View {
        View::new(self.context.clone(), self.state().faults.clone(), self.branch())
    }

    /// Keeps what a reader counted and logged.
    ///
    /// # Errors
    /// When a fault could not be drawn, or the log cannot be written.
    pub(in crate::run) fn put_back(&mut self, reader: View) -> Result<(), RunError> {
        let seen = reader.close();
        if let Some(error) = seen.error {
            return Err(self.stage_error(error.to_string()));
        }
        self.state_mut().faults = seen.faults;
        if seen.lines.is_empty() { Ok(()) } else { self.log(Table::Faults, &seen.lines) }
    }

    /// The branch of the present stage; empty for the main branch.
    pub(in crate::run) fn branch(&self) -> String {
        self.program.get(self.next).map_or_else(String::new, |step| step.branch.clone())
    }

    /// Round of the innermost repetition around the present stage, from 1.
    pub(in crate::run) fn round(&self) -> Option<u64> {
        self.program.get(self.next).and_then(|step| step.round)
    }
}
