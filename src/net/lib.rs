//! Networks: named parameters with their masks on the host, and the code that computes with them.
//!
//! A [`Network`] is plain data: a flat array for each parameter, in PyTorch's layout, and a mask where entries are held.
//! Cloning shares the arrays, writing copies them, so snapshots, branches and past states cost nothing until they differ.
//! [`Compute`] turns a network into logits and gradients: [`NativeCompute`] with hand-written CPU kernels on the host's
//! arrays, [`BurnCompute`] on one of Burn's devices.

mod activations;
mod burn_compute;
mod compute;
mod loss;
mod native;
mod network;
mod optimizer_state;
pub mod weights_file;

pub use activations::{Activations, Layout};
pub use burn_compute::{BurnCompute, DeviceError};
pub use compute::{
    AverageStatistics, BatchStatistics, Channels, Compute, DropoutStream, Gradients, NoTap, Prepared,
    Shortcuts, Tap, TrainPass, TrainingOutput,
};
pub use kernels::norm::EPSILON as NORM_EPSILON;
pub use kernels::simd::{processor_features, vectors};
pub use loss::{Answers, LossFunction, LossValue, Score, bits, correct, top1};
pub use native::NativeCompute;
pub use network::{Initialisation, Mask, Network, Written};
pub use optimizer_state::OptimizerState;

use doc::{Device, Kernels};

/// Returns the implementation of a device, with the kernels that the training settings name.
///
/// # Errors
/// When this build or this machine does not have the device.
pub fn backend(device: &Device, kernels: &Kernels) -> Result<Box<dyn Compute>, DeviceError> {
    Ok(match (device, kernels) {
        (Device::Cpu, Kernels::Fast) => Box::new(NativeCompute::fast()),
        (Device::Cpu, Kernels::Exact) => Box::new(NativeCompute::exact()),
        (Device::Cpu, Kernels::Burn) | (Device::Ndarray | Device::Cuda | Device::Wgpu, _) => {
            Box::new(BurnCompute::open(device)?)
        }
    })
}
