//! Networks: named parameters with their pins on the host, and what computes with them.
//!
//! A [`Network`] is plain data: one flat array for each parameter, in PyTorch's layout, and what holds each entry. It is
//! cloned in constant time and copied where it is written, so that snapshots, branches and past states cost nothing
//! until they differ. [`Compute`] turns one into logits and gradients; Burn does that on a device, and what follows may
//! do it with kernels of its own.

mod burn_compute;
mod compute;
mod loss;
mod metrics;
mod network;
mod optimizer_state;
pub mod pins_file;
pub mod weights_file;

pub use burn_compute::BurnCompute;
pub use compute::{BatchStatistics, Compute, DropoutStream, Gradients, TrainPass};
pub use loss::{Criterion, LossValue};
pub use metrics::{Score, correct, top1};
pub use network::{Initialisation, Network, Written};
pub use optimizer_state::OptimizerState;
