//! Networks: named parameters with their pins on the host, and what computes with them.
//!
//! A [`Network`] is plain data: one flat array for each parameter, in PyTorch's layout, and what holds each entry. It is
//! cloned in constant time and copied where it is written, so that snapshots, branches and past states cost nothing
//! until they differ. [`Compute`] turns one into logits and gradients: [`NativeCompute`] with kernels of our own on the
//! host's arrays, [`BurnCompute`] on a device of Burn's.

mod activations;
mod burn_compute;
mod compute;
mod kernels;
mod loss;
pub mod mask_file;
mod metrics;
mod native;
mod network;
mod optimizer_state;
pub mod weights_file;

pub use activations::{Activations, Layout, shapes};
pub use burn_compute::BurnCompute;
pub use compute::{BatchStatistics, Compute, DropoutStream, Gradients, NoTap, Tap, TrainPass};
pub use loss::{LossFunction, LossValue};
pub use metrics::{ByClass, Score, correct, top1};
pub use native::NativeCompute;
pub use network::{Initialisation, Network, Written};
pub use optimizer_state::OptimizerState;

use crate::doc::{Device, Kernels};

/// What computes on a device, with the kernels that a training asks for.
pub fn backend(device: &Device, kernels: &Kernels) -> Box<dyn Compute> {
    match (device, kernels) {
        (Device::Flex, Kernels::Direct) => Box::new(NativeCompute::direct()),
        (Device::Flex, Kernels::Winograd) => Box::new(NativeCompute::winograd()),
        (Device::Flex, Kernels::Burn) | (Device::Ndarray, _) => Box::new(BurnCompute::new(device)),
    }
}
