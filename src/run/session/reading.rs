//! How the present network is read: as it is stored, or through the faults that are in place.

use super::Session;
use crate::error::RunError;
use crate::faults::View;
use crate::tables::Table;

impl Session<'_> {
    /// What computes with the present network and its members in one pass: one mini-batch, or one evaluation of a part of
    /// the data. The caller [puts it back](Self::put_back) after the pass.
    pub(crate) fn reader(&self) -> View {
        View::new(self.context.clone(), self.state().faults.clone(), self.branch())
    }

    /// Keeps what a reader counted and logged.
    ///
    /// # Errors
    /// When a fault could not be drawn, or the log cannot be written.
    pub(crate) fn put_back(&mut self, reader: View) -> Result<(), RunError> {
        let (faults, lines) = reader.close().map_err(|error| self.stage_error(error.to_string()))?;
        self.state_mut().faults = faults;
        if lines.is_empty() { Ok(()) } else { self.log(Table::Faults, &lines) }
    }
}
