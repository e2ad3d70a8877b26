//! Runs on a cluster: an experiment as one array of Slurm tasks, each of which carries out a shard of the runs.
//!
//! There is no server of ours. A task is `weightlab run FILE --shard I/K` on a shared folder, and what became of it is
//! in the run directories, as for any other process. So [`prepare`] looks at these and at Slurm's queue, and hands out
//! what neither has; [`submit`] writes one script and calls `sbatch` once; [`status`](Status) folds both again.
//!
//! ```text
//! lottery.runs/cluster/submit-1.sh    the batch script
//!                      submit-1.ron   its job, and which runs its tasks have
//!                      logs/          what each task printed
//! ```

mod error;
mod packing;
mod prepare;
mod quote;
mod record;
mod script;
mod settings;
mod shard;
mod slurm;
mod status;
mod submit;
#[cfg(any(test, feature = "testing"))]
#[allow(clippy::unwrap_used, reason = "tests may stop with a panic")]
pub mod testing;
#[cfg(test)]
mod tests;

pub use error::ClusterError;
pub use packing::{Packing, Runs};
pub use prepare::{Plan, Request, prepare};
pub use quote::words;
pub use record::{FOLDER, Submission, submissions};
pub use settings::ClusterSettings;
pub use shard::{Shard, TakenShard};
pub use slurm::{ClusterTask, Slurm};
pub use status::{Counts, RunPlace, Status, active_jobs, cancel};
pub use submit::{Submitted, submit};
