//! The engine: a spec in, events out.
//!
//! [`Session`] carries out the plan of one run and knows neither files nor listeners. [`directory`] stores its events and
//! checkpoints, from which it resumes; [`Queue`] runs many in parallel.

mod batches;
mod campaign;
mod checkpoint;
mod context;
mod cost;
mod datasets;
mod directory;
mod error;
mod evaluate;
mod expected;
mod faults;
mod first_test;
mod inputs;
mod interventions;
mod listener;
mod looking;
mod masks;
mod members;
mod outdated_runs;
mod past;
mod program;
mod queue;
mod reestimate;
mod session;
mod sharing;
mod stages;
mod state;
mod steps;
mod stop;
pub mod summary;
mod tables;
mod train;
pub mod trash;
pub mod weight_files;
mod weights;
mod work;

pub use campaign::{Picture, Replay, Replayed, ReplayedImage, planned, replay, write_images};
pub use checkpoint::Checkpoint;
pub use context::RunContext;
pub use cost::{Cost, cost};
pub use datasets::Datasets;
pub use directory::{
    Hold, Machine, Provenance, RunDirectory, Stamp, StoredRun, folder_of, is_done as is_marked_done,
    provenance, read_each, read_record, read_records, read_states, weights_path, writer_of,
};
pub use error::{RunError, panic_text};
pub use expected::{
    Costs, Expected, ExpectedTime, FinishedRun, Pace, Paces, RemainingRun, RunProgress, expected, measure,
};
pub use faults::Faults;
pub use inputs::input_problems;
pub use listener::{Listener, Recorder};
pub use looking::Looker;
pub use masks::{mask_overlap, mask_overlaps};
pub use outdated_runs::{outdated_notes, outdated_runs};
pub use past::{Tally, Watch};
pub use program::{Op, ProgramStep, program};
pub use queue::{
    Command, Ended, Job, Message, Queue, QueueOptions, QueueView, QueuedRun, QueuedState, RunOrder,
    WaitReason, parallelism,
};
pub use session::{RunEnd, Session};
pub use state::{HandOvers, Member, Position, Snapshot, State};
pub use stop::{StopFlag, StopKind};
pub use tables::Table;
pub use work::{Task, Work};

pub use net::{processor_features, vectors};
