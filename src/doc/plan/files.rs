//! What stages do with files, before anything runs.

use crate::doc::fault::Campaign;
use crate::doc::intervention::Params;
use crate::doc::{Structure, Target, targets};
use crate::form::path::Place;

/// A use of a file or of a name, with the place of the setting that names it.
#[derive(Clone, Debug, PartialEq)]
pub enum FileUse<'a> {
    /// Reads a weight file.
    Weights(WeightUse<'a>),
    /// Reads a network of this run, or a weight file where no network has that name.
    Source(WeightUse<'a>),
    /// Reads the list of faults of a campaign.
    Faults(&'a str, &'a Campaign, Place),
    /// Writes a file into the folder of the run's exports.
    Writes(&'a str),
    /// Adds lines to the tables of the run.
    Tables,
    /// Keeps a network under a name.
    Keeps(&'a str),
}

/// What a stage takes from weights.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightUse<'a> {
    /// The file, or the name of a network.
    pub file: &'a str,
    /// The setting that names it.
    pub place: Place,
    /// What it is read for.
    pub target: &'a Target,
    /// How it is read.
    pub reading: Reading,
}

/// What becomes of the tensors of a weight file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Their values are copied.
    Copies,
    /// As a mask: entries that are zero are pruned.
    Prunes,
    /// As a mask: entries that are not zero are frozen.
    Freezes,
}

impl Reading {
    /// Whether the tensors are a mask, for which all numbers count.
    pub const fn is_mask(self) -> bool {
        match self {
            Self::Copies => false,
            Self::Prunes | Self::Freezes => true,
        }
    }

    /// What happens to entries: "copied".
    pub const fn done(self) -> &'static str {
        match self {
            Self::Copies => "copied",
            Self::Prunes => "pruned",
            Self::Freezes => "frozen",
        }
    }

    /// Positions of the parameters that have to be in the file.
    pub fn parameters(self, structure: &Structure, target: &Target) -> Vec<usize> {
        match self {
            Self::Copies | Self::Freezes => targets::parameters(structure, target, &Params::Everything),
            Self::Prunes => targets::prunable(structure, target),
        }
    }
}
