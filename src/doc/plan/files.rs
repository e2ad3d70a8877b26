//! What stages do with files, before anything runs.

use crate::doc::fault::Campaign;
use crate::form::path::Place;

/// A use of a file or of a name, with the place of the setting that names it.
#[derive(Clone, Debug, PartialEq)]
pub enum FileUse<'a> {
    /// Reads a weight file.
    Weights(&'a str, Place),
    /// Reads a network of this run, or a weight file where no network has that name.
    Source(&'a str, Place),
    /// Reads the list of faults of a campaign.
    Faults(&'a str, &'a Campaign, Place),
    /// Writes a file into the run's directory.
    Writes(&'a str),
    /// Adds lines to the tables of the run.
    Tables,
    /// Keeps a network under a name.
    Keeps(&'a str),
}
