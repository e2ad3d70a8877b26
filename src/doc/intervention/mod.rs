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

use crate::plan::{Check, FileUse, Situation, StepWork};
use crate::stage::Planned;
use form::path::Place;

pub use crate::targets::{Layers, Params, Target};

form::registry! {
    /// Changes to weights between two stages.
    pub enum Intervention: "Intervention", each Planned {
        prune::Prune, "Prune", "Prunes weights and keeps them at zero";
        freeze::Freeze, "Freeze", "Freezes entries while the rest trains";
        release::Release, "Release", "Releases pruned and frozen weights; they continue from their current value";
        fault::Fault, "Fault", "Injects faults into every read of the network, until released";
        snapshot::Snapshot, "Snapshot", "Stores values and position under a name";
        graft::Graft, "Graft", "Copies values by name from a snapshot, a branch, a member or a file";
        set::Set, "Set", "Writes chosen values into chosen entries";
        reinitialize::Reinitialize, "Reinitialize", "Draws new initial weights; the mask stays";
        shuffle_mask::ShuffleMask, "Shuffle mask", "Prunes the same number of entries at random places";
        watch::Watch, "Watch", "Compares the network with itself some steps ago";
        weight_file::Import, "Import", "Reads weights from a file";
        weight_file::Export, "Export", "Writes weights to a file";
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
