//! What the user writes and what a run yields: the experiment, its file, its runs, their events and records.

pub mod campaign;
pub mod event;
mod experiment;
pub mod fault;
pub mod file;
pub mod file_names;
pub mod intervention;
mod log;
pub mod network;
pub mod plan;
mod points;
mod problem;
mod record;
mod scan;
mod spec;
pub mod stage;
pub mod strikes;
pub mod structure;
pub mod targets;
pub mod templates;
mod training;
mod validate;

pub use event::{Event, Point, PointRef, Report};
pub use experiment::{Arm, Device, Experiment, VERSION};
pub use intervention::{Intervention, Target};
pub use network::{Activation, Head, Mlp, Net, Output, Vgg};
pub use plan::words::{capitalised, listed};
pub use points::Points;
pub use problem::{Problem, Severity};
pub use record::{EarlyStop, RunRecord, RunState};
pub use spec::{ExpandedArm, Run, RunSpec, expand_arms, runs, runs_after};
pub use stage::{Stage, Train};
pub use structure::Structure;
pub use training::{Kernels, Loss, NonFinite, Training};
pub use validate::validate;

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}
