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

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use burn::tensor::{Device, Tensor, TensorData, Transaction};

pub use self::device::DeviceError;
use self::forward::{Batch, Forward, Mode, Normalized};
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
    /// Opens the device that the document names.
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

    /// Opens a device that every machine has; panics on others.
    pub fn new(device: &doc::Device) -> Self {
        Self::open(device).unwrap_or_else(|error| panic!("{error}"))
    }

    fn tensor(&self, values: &[f32]) -> Tensor<1> {
        Tensor::from_data(TensorData::new(values.to_vec(), [values.len()]), &self.device)
    }

    /// Returns the parameters of the layers among these operations; none for the others.
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

// What a pass moves between the host and the device, without the pass: for measuring what share of its time that is. Both ways
// go through the code of passes, and both return when everything has arrived, so a clock can be read before and after. In a pass,
// copies and operations overlap: without its transfers it would be faster by at most their time. Left out are masks of dropout,
// what a tap writes, and the few indices of shortcuts that leave pixels out.
impl BurnCompute {
    /// Moves what [`logits`](crate::Compute::logits) moves: parameters that are not on the device yet and the inputs
    /// there, as many values as there are logits back.
    pub fn move_evaluation(&self, network: &Network, inputs: &[f32], count: usize) {
        self.move_forward(network, inputs, count);
        self.wait();
    }

    /// Moves what [`train`](crate::Compute::train) moves: as for an evaluation, then the gradient of the loss with respect
    /// to the logits there, and as many values as there are gradients and statistics of batch norms back.
    ///
    /// In place of a gradient comes the parameter itself, in place of statistics the running ones. They are returned, in the
    /// order of the structure; none for parameters whose gradients or statistics a pass does not return.
    pub fn move_step(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<Option<Vec<f32>>> {
        let structure = network.structure();
        let parameters = self.move_forward(network, inputs, count);
        let _gradient = self.tensor(&vec![0.0; count * structure.outputs]);
        let comes_back = |index: usize| {
            let parameter = &structure.parameters[index];
            parameter.role.is_trained() || !network.fixed_norms().contains(&parameter.layer)
        };
        let sent: Vec<Option<Tensor<1>>> = parameters
            .into_iter()
            .enumerate()
            .map(|(index, tensor)| tensor.filter(|_| comes_back(index)))
            .collect();
        let mut values = read(sent.iter().flatten().cloned()).into_iter();
        self.wait();
        sent.into_iter().map(|tensor| tensor.and_then(|_| values.next())).collect()
    }

    /// Moves what travels before and after the forward pass; returns the parameters on the device.
    fn move_forward(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<Option<Tensor<1>>> {
        let structure = network.structure();
        let parameters = self.parameters(network, &structure.ops);
        let _inputs = self.tensor(inputs);
        read([Tensor::zeros([count * structure.outputs], &self.device)]);
        parameters
    }

    /// Waits for all that the device has been given.
    fn wait(&self) {
        self.device.sync().expect("a device that was just read from works");
    }
}

impl Compute for BurnCompute {
    fn logits(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<f32> {
        let structure = network.structure();
        let batch = Batch::from_inputs(structure, self.tensor(inputs), count);
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

/// Reads the values of tensors, in one transfer.
fn read(tensors: impl IntoIterator<Item = Tensor<1>>) -> Vec<Vec<f32>> {
    let reads = tensors.into_iter().fold(Transaction::default(), Transaction::register);
    let values = |data: TensorData| data.try_into_vec().expect("networks are made of f32");
    reads.execute().into_iter().map(values).collect()
}

/// Reads the values of tensors, and the statistics of batch norms, in one transfer.
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

/// Versions of a parameter that stay on the device: those of a network with and without faults, for trials side by side.
const KEPT: usize = 4;

/// Copies of host arrays on a device.
///
/// An array is known by its allocation, which a weak reference keeps from being used again. Whoever writes an array in place
/// needs it for itself, and so moves it to another allocation first ([`Arc::make_mut`]): what is found here has the values
/// that were copied.
#[derive(Debug, Default)]
struct Uploads(Mutex<Vec<Vec<Upload>>>);

#[derive(Debug)]
struct Upload {
    of: Weak<Vec<f32>>,
    tensor: Tensor<1>,
}

impl Uploads {
    /// Returns the copy of an array of parameter `index`, made by `upload` where there is none yet.
    fn get(
        &self,
        index: usize,
        array: &Arc<Vec<f32>>,
        upload: impl FnOnce(&[f32]) -> Tensor<1>,
    ) -> Tensor<1> {
        let of = Arc::downgrade(array);
        if let Some(tensor) = self.with(index, |known| {
            let found = known.iter().position(|upload| Weak::ptr_eq(&upload.of, &of))?;
            known[found..].rotate_left(1); // the last used is the last to go
            known.last().map(|upload| upload.tensor.clone())
        }) {
            return tensor;
        }
        // Not under the lock: other threads need their parameters meanwhile, and two copies of an array are equal.
        let tensor = upload(array);
        self.with(index, |known| {
            known.retain(|upload| upload.of.strong_count() > 0);
            if known.len() == KEPT {
                known.remove(0);
            }
            known.push(Upload { of, tensor: tensor.clone() });
        });
        tensor
    }

    fn with<T>(&self, index: usize, act: impl FnOnce(&mut Vec<Upload>) -> T) -> T {
        let mut parameters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if parameters.len() <= index {
            parameters.resize_with(index + 1, Vec::new);
        }
        act(&mut parameters[index])
    }
}
