//! What receives the events of a run.

use std::collections::BTreeMap;

use super::checkpoint::Checkpoint;
use super::error::RunError;
use super::tables::Table;
use net::Network;
use results::Event;

/// Receives events and checkpoints.
pub trait Listener {
    /// An event.
    ///
    /// # Errors
    /// When it cannot be kept; the run ends then.
    fn event(&mut self, event: Event) -> Result<(), RunError>;

    /// A checkpoint to resume from.
    ///
    /// # Errors
    /// When it cannot be kept; the run ends then.
    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError>;

    /// Lines of a table, each with its end.
    ///
    /// # Errors
    /// When they cannot be kept; the run ends then.
    fn lines(&mut self, table: Table, lines: &str) -> Result<(), RunError>;

    /// A network for a later replay: its values and masks, in files of these names.
    ///
    /// # Errors
    /// When it cannot be kept; the run ends then.
    fn network(&mut self, files: &[String; 2], network: &Network) -> Result<(), RunError>;

    /// Whether a stage may write into the run's directory.
    ///
    /// # Errors
    /// When another process has taken it over; the run ends then.
    fn may_write(&mut self) -> Result<(), RunError> {
        Ok(())
    }
}

/// Keeps all events, the last checkpoint, the lines of tables and networks in memory.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// All events so far.
    pub events: Vec<Event>,
    /// The last checkpoint.
    pub checkpoint: Option<Checkpoint>,
    /// Lines of tables, without their heads.
    pub tables: BTreeMap<Table, String>,
    /// Networks by the names of their files.
    pub networks: BTreeMap<String, Network>,
}

impl Listener for Recorder {
    fn event(&mut self, event: Event) -> Result<(), RunError> {
        self.events.push(event);
        Ok(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        self.checkpoint = Some(checkpoint.clone());
        Ok(())
    }

    fn lines(&mut self, table: Table, lines: &str) -> Result<(), RunError> {
        self.tables.entry(table).or_default().push_str(lines);
        Ok(())
    }

    fn network(&mut self, files: &[String; 2], network: &Network) -> Result<(), RunError> {
        self.networks.insert(files[0].clone(), network.clone());
        Ok(())
    }
}
