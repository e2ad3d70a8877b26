//! The engine: a spec in, events out.
//!
//! [`Session`] carries out the plan of one run and knows neither files nor listeners. [`directory`] stores its events and
//! checkpoints, from which it resumes; [`Queue`] runs many in parallel.

#![allow(clippy::missing_errors_doc, reason = "errors are sentences that say what to do")]

mod campaign;
mod checkpoint;
mod context;
mod directory;
mod error;
mod evaluate;
mod expected;
mod faults;
mod folder;
mod inputs;
mod interventions;
mod listener;
mod program;
mod queue;
mod session;
mod stages;
mod state;
mod stop;
pub mod summary;
#[cfg(any(test, feature = "testing"))]
#[allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests may stop with a panic and say why")]
pub mod testing;
mod train;
pub mod weight_files;

pub use campaign::{Picture, Replay, Replayed, ReplayedImage, planned, replay, write_images};
pub use checkpoint::Checkpoint;
pub use context::{Datasets, RunContext};
pub use directory::{
    Hold, Machine, Provenance, RunDirectory, Stamp, StoredRun, convert_old_runs, folder_of,
    is_done as is_marked_done, provenance, read_each, read_record, read_records, read_states, weights_path,
    writer_of,
};
pub use error::{RunError, panic_text};
pub use expected::{
    Costs, Expected, ExpectedTime, FinishedRun, MeasuredPace, Pace, Paces, RemainingRun, RunProgress,
    expected, measure,
};
pub use faults::Faults;
pub use folder::{archive, outdated_notes, outdated_runs, restore, trashed};
pub use inputs::{Looker, input_problems};
pub use interventions::{Tally, Watch};
pub use listener::{Listener, Table};
pub use program::{Cost, Op, ProgramStep, Task, Work, cost, program};
pub use queue::{
    Command, Ended, Job, Message, Queue, QueueOptions, QueueView, QueuedRun, QueuedState, RunOrder,
    WaitReason, parallelism,
};
pub use session::{RunEnd, Session};
pub use state::{HandOvers, Member, Position, Snapshot, State};
pub use stop::{StopFlag, StopKind};
pub use summary::{mask_overlap, mask_overlaps};

pub use net::{processor_features, vectors};
