//! Networks on Burn: values become tensors on a device, and autodiff computes the gradients.
//!
//! The host's arrays are the truth. A parameter travels to the device when a pass needs values that are not there yet: after
//! each optimizer step all that it changed, in evaluations and campaigns only what a fault or an intervention wrote.
//! Burn queues these copies and the operations, so that the device computes the first layers while later ones travel; the
//! host waits where it reads logits, and once more where it reads all gradients together.

mod device;
mod forward;
#[cfg(test)]
mod tests;
mod transfer;
mod uploads;

use std::ops::Range;

use burn::tensor::{Device, Tensor, TensorData, Transaction};

pub use self::device::DeviceError;
use self::forward::{Batch, Forward, Mode, Normalized};
use self::uploads::Uploads;
use super::activations::Activations;
use super::compute::{BatchStatistics, Compute, DropoutStream, NoTap, Tap, TrainPass, TrainingOutput};
use super::network::Network;
use doc::structure::Op;

/// Computes with Burn on one device.
#[derive(Debug)]
pub struct BurnCompute {
    device: Device,
    hardware: Option<String>,
    is_linear_convolved: bool,
    uploads: Uploads,
}

impl BurnCompute {
    /// On the device that the document names.
    ///
    /// # Errors
    /// When this build or this machine does not have it.
    pub fn open(device: &doc::Device) -> Result<Self, DeviceError> {
        let (burn, hardware) = device::open(device)?;
        Ok(Self {
            device: burn,
            hardware,
            is_linear_convolved: *device == doc::Device::Cuda,
            uploads: Uploads::default(),
        })
    }

    /// On a device that every machine has.
    ///
    /// # Panics
    /// On a device that this build or this machine does not have.
    pub fn new(device: &doc::Device) -> Self {
        Self::open(device).unwrap_or_else(|error| panic!("{error}"))
    }

    fn tensor(&self, values: &[f32]) -> Tensor<1> {
        Tensor::from_data(TensorData::new(values.to_vec(), [values.len()]), &self.device)
    }

    /// Parameters of the layers among these operations; none for the others.
    fn parameters(&self, network: &Network, ops: &[Op]) -> Vec<Option<Tensor<1>>> {
        let (arrays, _) = network.arrays();
        let mut parameters = vec![None; network.len()];
        for op in ops {
            let Op::Layer(layer) = op else { continue };
            for &index in &network.structure().layers[*layer].parameters {
                let upload = |values: &[f32]| self.tensor(values);
                parameters[index] = Some(self.uploads.get(index, &arrays[index], upload));
            }
        }
        parameters
    }

    fn pass<'a>(
        &self,
        network: &'a Network,
        parameters: Vec<Option<Tensor<1>>>,
        mode: Mode,
        tap: &'a mut dyn Tap,
    ) -> Forward<'a> {
        Forward {
            structure: network.structure(),
            fixed_norms: network.fixed_norms(),
            parameters,
            mode,
            tap,
            is_linear_convolved: self.is_linear_convolved,
        }
    }

    fn evaluate(&self, network: &Network, ops: Range<usize>, batch: Batch) -> Batch {
        let parameters = self.parameters(network, &network.structure().ops[ops.clone()]);
        let mut tap = NoTap::all();
        let mut pass = self.pass(network, parameters, Mode::Evaluate, &mut tap);
        ops.fold(batch, |batch, op| pass.step(batch, op))
    }
}

impl Compute for BurnCompute {
    fn logits(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<f32> {
        let structure = network.structure();
        let batch = Batch::of_inputs(structure, self.tensor(inputs), count);
        read([self.evaluate(network, 0..structure.ops.len(), batch).x.flatten(0, 3)]).swap_remove(0)
    }

    fn forward(&self, network: &Network, ops: Range<usize>, input: &Activations) -> Activations {
        if ops.is_empty() {
            return input.clone();
        }
        self.evaluate(network, ops, Batch::new(self, input)).into_activations()
    }

    fn hardware(&self) -> Option<&str> {
        self.hardware.as_deref()
    }

    fn training_forward(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
    ) -> TrainingOutput {
        let parameters = self.parameters(network, &network.structure().ops);
        let mut tap = NoTap::all();
        let mode = Mode::Train { dropout, statistics: Vec::new() };
        let mut pass = self.pass(network, parameters, mode, &mut tap);
        let logits = pass.run(self.tensor(inputs), count).flatten(0, 1);
        let (mut found, statistics) = read_with(vec![logits], pass.mode.into_statistics());
        TrainingOutput { logits: found.swap_remove(0), statistics }
    }

    fn train_tapped(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
        tap: &mut dyn Tap,
        gradient: &mut dyn FnMut(&[f32]) -> Vec<f32>,
    ) -> TrainPass {
        let structure = network.structure();
        let trained = |index: usize| structure.parameters[index].role.is_trained();
        let leaf = |(index, tensor): (usize, Option<Tensor<1>>)| {
            let tensor = tensor?.autodiff();
            Some(if trained(index) { tensor.require_grad() } else { tensor })
        };
        let leaves: Vec<Option<Tensor<1>>> =
            self.parameters(network, &structure.ops).into_iter().enumerate().map(leaf).collect();
        let mode = Mode::Train { dropout, statistics: Vec::new() };
        let mut pass = self.pass(network, leaves.clone(), mode, tap);
        let logits = pass.run(self.tensor(inputs).autodiff(), count);
        let statistics = pass.mode.into_statistics();
        let outputs = logits.dims()[1];
        let found = read([logits.clone().without_autodiff().flatten(0, 1)]).swap_remove(0);
        let gradients = self.tensor(&gradient(&found)).reshape([count, outputs]).autodiff();
        let mut gradients = (logits * gradients).sum().backward();
        let found: Vec<Option<Tensor<1>>> = leaves
            .iter()
            .enumerate()
            .map(|(index, leaf)| leaf.as_ref().filter(|_| trained(index))?.grad_remove(&mut gradients))
            .collect();
        let there: Vec<bool> = found.iter().map(Option::is_some).collect();
        let (values, statistics) = read_with(found.into_iter().flatten().collect(), statistics);
        let mut values = values.into_iter();
        let gradients =
            there.into_iter().map(|is_there| if is_there { values.next() } else { None }).collect();
        TrainPass { gradients, statistics }
    }
}

/// The values of tensors, in one transfer.
fn read(tensors: impl IntoIterator<Item = Tensor<1>>) -> Vec<Vec<f32>> {
    let reads = tensors.into_iter().fold(Transaction::default(), Transaction::register);
    let values = |data: TensorData| data.try_into_vec().expect("networks are made of f32");
    reads.execute().into_iter().map(values).collect()
}

/// The values of tensors, and the statistics of batch norms, in one transfer.
fn read_with(tensors: Vec<Tensor<1>>, norms: Vec<Normalized>) -> (Vec<Vec<f32>>, Vec<BatchStatistics>) {
    let count = tensors.len();
    let about: Vec<(usize, usize)> = norms.iter().map(|norm| (norm.layer, norm.count)).collect();
    let mut values = read(tensors.into_iter().chain(norms.into_iter().flat_map(|norm| norm.moments)));
    let mut moments = values.split_off(count).into_iter();
    let mut next = || moments.next().expect("every batch norm has a mean and a variance");
    let statistics = about
        .into_iter()
        .map(|(layer, count)| BatchStatistics { layer, mean: next(), variance: next(), count })
        .collect();
    (values, statistics)
}
