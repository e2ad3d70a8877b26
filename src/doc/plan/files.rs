//! What stages do with files, before anything runs.

use std::collections::BTreeSet;

use crate::Stage;
use crate::fault::Campaign;
use crate::file_names::{TABLES, filled, is_file};
use crate::intervention::Params;
use crate::{Structure, Target, targets};
use form::path::Place;

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

/// The uses of files that the stages of a plan read, in their order, with the names of the files after filling in arm and seed.
/// Not of files that an earlier stage of the run writes, and not of networks of the run.
pub fn files_read<'a>(plan: &'a [Stage], arm: &str, seed: u64, place: &Place) -> Vec<(FileUse<'a>, String)> {
    let mut reads = Reads { arm, seed, written: BTreeSet::new(), kept: BTreeSet::new(), found: Vec::new() };
    reads.stages(plan, place);
    reads.found
}

struct Reads<'a, 'n> {
    arm: &'n str,
    seed: u64,
    /// Files that the stages so far write into the directory of the run.
    written: BTreeSet<String>,
    /// Snapshots and branches so far: they come before files of the same name.
    kept: BTreeSet<&'a str>,
    found: Vec<(FileUse<'a>, String)>,
}

impl<'a> Reads<'a, '_> {
    fn stages(&mut self, stages: &'a [Stage], place: &Place) {
        for (index, stage) in stages.iter().enumerate() {
            let place = place.index(index).variant(stage.key());
            if let Some(nested) = stage.nested().filter(|nested| nested.times > 0) {
                self.stages(nested.plan, &place.key(nested.key));
            }
            for used in stage.rule().files(&place) {
                self.take(used);
            }
        }
    }

    fn take(&mut self, used: FileUse<'a>) {
        let name = |file: &str| filled(file, self.arm, self.seed);
        let file = match &used {
            FileUse::Weights(weights) => name(weights.file),
            FileUse::Source(weights) if is_file(weights.file) && !self.kept.contains(weights.file) => {
                name(weights.file)
            }
            FileUse::Source(_) => return,
            FileUse::Faults(file, ..) => name(file),
            FileUse::Writes(file) => return self.written.extend([name(file)]),
            FileUse::Tables => return self.written.extend(TABLES.map(str::to_owned)),
            FileUse::Keeps(name) => return self.kept.extend([*name]),
        };
        if !self.written.contains(&file) {
            self.found.push((used, file));
        }
    }
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
