//! What the user writes: the experiment, its file, its runs, and what the plan of a run means.

pub mod arch;
mod experiment;
pub mod fault;
pub mod file;
pub mod file_names;
pub mod intervention;
pub mod plan;
mod problem;
mod spec;
pub mod stage;
pub mod structure;
pub mod targets;
pub mod templates;
mod validate;

pub use arch::*;
pub use data::{ClassNames, Inventory, NOTHING, SAMPLES_DIGEST};
pub use experiment::{
    Arm, Device, Experiment, Kernels, Loss, NonFinite, Recording, Training, VERSION, WeightRecord,
};
pub use form::number::listed;
pub use intervention::Intervention;
pub use plan::words::{capitalised, length, named, stage_number};
pub use problem::{Problem, Severity, label_of};
pub use spec::{
    ExpandedArm, Inputs, Run, RunSpec, changed_inputs, expand_arms, inputs_to_look_at, planned, runs,
    runs_after, sets_of, settings_of,
};
pub use stage::{Stage, Train};
pub use structure::Structure;
pub use targets::Target;
pub use validate::{idle_sweeps, validate};
