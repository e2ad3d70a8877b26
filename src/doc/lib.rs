//! What the user writes: the experiment, its file, its runs, and what the plan of a run means.

pub mod arch;
mod device;
mod experiment;
pub mod fault;
pub mod fault_sites;
pub mod file;
pub mod file_names;
mod identity;
mod inputs;
pub mod intervention;
mod location;
#[cfg(test)]
mod one_value_tests;
pub mod paths;
pub mod plan;
mod problem;
mod run_count;
mod scan;
mod spec;
pub mod stage;
pub mod structure;
pub mod target;
pub mod targets;
pub mod templates;
mod training;
mod validate;

pub use arch::{
    Activation, Architecture, ConvNet, Head, LeNet5, Mlp, Module, Net, Output, ResNet, Sequential, Vgg,
};
pub use data::{ClassNames, Inventory, NOTHING, SAMPLES_DIGEST};
pub use device::Device;
pub use experiment::{Arm, Experiment, VERSION};
pub use inputs::{Inputs, changed_inputs, inputs_to_look_at, sets_of};
pub use intervention::Intervention;
pub use location::label_of;
pub use plan::words::{capitalised, listed, stage_number};
pub use problem::{Problem, Remedy, Severity};
pub use spec::{ExpandedArm, Run, RunSpec, expand_arms, planned, runs, runs_after, settings_of};
pub use stage::{Stage, Train};
pub use structure::Structure;
pub use target::Target;
pub use training::{Kernels, Loss, NonFinite, Recording, Training, WeightRecord};
pub use validate::{idle_sweeps, validate};
