//! Who hears what a run says.

use super::checkpoint::Checkpoint;
use super::error::RunError;
use crate::doc::Event;

/// Hears events, and keeps checkpoints.
pub trait Listener {
    /// Something happened.
    ///
    /// # Errors
    /// When it cannot be kept; the run ends then.
    fn event(&mut self, event: Event) -> Result<(), RunError>;

    /// The run could go on from here.
    ///
    /// # Errors
    /// When it cannot be kept; the run ends then.
    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError>;
}

/// Keeps all events and the last checkpoint in memory.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// All events so far.
    pub events: Vec<Event>,
    /// The last checkpoint.
    pub checkpoint: Option<Checkpoint>,
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
}
