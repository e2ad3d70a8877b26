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

pub use freeze::{Freeze, HeldAt, Select};
pub use graft::Graft;
pub use prune::Prune;
pub use reinitialize::Reinitialize;
pub use release::{Held, Release};
pub use set::Set;
pub use shuffle_mask::ShuffleMask;
pub use snapshot::Snapshot;
pub use watch::Watch;
pub use weight_file::{Export, FileContent, Import, WeightFile};

pub use super::target::{Layers, Params, Target};

use super::fault::Fault;
use super::plan::{Check, FileUse, Situation, StepWork};
use form::path::Place;

/// What an intervention reports about itself; as [`Planned`](super::stage::Planned), where that asks the same.
pub trait Intervene {
    /// One short sentence made of its settings.
    fn sentence(&self) -> String;

    /// Adds what is wrong with it, and notes what later stages depend on. `place` is that of its settings.
    fn check(&self, check: &mut Check<'_>, place: &Place);

    /// The kind of parameters that it acts on where its target names none.
    fn usual_params(&self) -> Params {
        Params::Everything
    }

    /// Whether networks of some steps ago are those of another network from here on: values come from elsewhere, or
    /// entries that were held are let go.
    fn ends_past(&self) -> bool;

    /// The work of its step, and how it changes what later steps take.
    fn work(&self, situation: &mut Situation<'_>) -> StepWork {
        situation.little()
    }

    /// The files that it reads and writes, in this order.
    fn files(&self, _place: &Place) -> Vec<FileUse<'_>> {
        Vec::new()
    }

    /// Whether legends tell plans apart by it.
    fn is_outlined(&self) -> bool {
        true
    }
}

form::choice! {
    /// Changes to weights between two stages.
    pub enum Intervention: "Intervention", each Intervene {
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
