//! Interventions: changes to weights between two stages of a run. One is one file here, with its settings and what it
//! reports about itself, and one line in [`Intervention`]; what it does is in `run/interventions/`.

mod fault;
mod freeze;
mod graft;
mod prune;
mod reinitialize;
mod release;
mod set;
mod shuffle_mask;
mod snapshot;
mod watch;
mod weight_file;

use crate::fault::Fault;
use crate::plan::{Check, FileUse, Situation, StepWork};
use crate::stage::Planned;
use form::path::Place;

pub use freeze::*;
pub use graft::*;
pub use prune::*;
pub use reinitialize::*;
pub use release::*;
pub use set::*;
pub use shuffle_mask::*;
pub use snapshot::*;
pub use watch::*;
pub use weight_file::*;

pub use crate::targets::{Layers, Params, Target};

form::choice! {
    /// Changes to weights between two stages.
    pub enum Intervention: "Intervention", each Planned {
        Prune(Prune) = Prune::default(), "Prune", "Prunes weights and keeps them at zero";
        Freeze(Freeze) = Freeze::default(), "Freeze", "Freezes entries while the rest trains";
        Release(Release) = Release::default(), "Release", "Releases pruned and frozen weights; they continue from their \
            current value";
        Fault(Fault) = Fault::default(), "Fault", "Injects faults into every read of the network, until \
            released";
        Snapshot(Snapshot) = Snapshot::default(), "Snapshot", "Stores values and position under a name";
        Graft(Graft) = Graft::default(), "Graft", "Copies values by name from a snapshot, a branch, a member or a file";
        Set(Set) = Set::default(), "Set", "Writes chosen values into chosen entries";
        Reinitialize(Reinitialize) = Reinitialize::default(), "Reinitialize", "Draws new initial weights; the mask stays";
        ShuffleMask(ShuffleMask) = ShuffleMask::default(), "Shuffle mask", "Prunes the same number of \
            entries at random places";
        Watch(Watch) = Watch::default(), "Watch", "Compares the network with itself some steps ago";
        Import(Import) = Import::default(), "Import", "Reads weights from a file";
        Export(Export) = Export::default(), "Export", "Writes weights to a file";
    }
}

impl Planned for Intervention {
    fn sentence(&self) -> String {
        self.rule().sentence()
    }

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        self.rule().check(check, &place.variant(self.key()));
    }

    fn work(&self, situation: &mut Situation<'_>) -> StepWork {
        self.rule().work(situation)
    }

    fn files(&self, place: &Place) -> Vec<FileUse<'_>> {
        self.rule().files(&place.variant(self.key()))
    }

    fn is_outlined(&self) -> bool {
        self.rule().is_outlined()
    }
}
