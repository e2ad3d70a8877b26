//! Facts about Burn 0.22.1 that Weightlab is built on, pinned by small tests.
//!
//! When a newer Burn fails here, the code that relies on the fact has to change with it.

mod bits;
mod defaults;
mod ownership;
mod pins;
mod statistics;
mod threads;
mod training;

use burn::module::{Module, Param};
use burn::nn::{BatchNorm, BatchNormConfig, Linear};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor, TensorData};

/// The default device.
fn flex() -> Device {
    Device::flex()
}

/// The reference device; deprecated upstream, which is why it is named in one place only.
#[allow(deprecated)]
fn ndarray() -> Device {
    Device::ndarray()
}

/// A linear layer with batch norm behind it, `[n, 2] -> [n, 3]`.
#[derive(Module, Debug)]
struct TinyNet {
    linear: Linear,
    norm: BatchNorm,
}

/// The weight of [`TinyNet::linear`], `[in, out]` row by row.
const WEIGHT: [f32; 6] = [0.5, -0.25, 0.75, -1.0, 0.125, 0.25];

impl TinyNet {
    /// The same weights every time, all of them made on the host.
    fn new(device: &Device) -> Self {
        let weight = Param::from_data(TensorData::new(WEIGHT.to_vec(), [2, 3]), device);
        let bias = Param::from_data(TensorData::new(vec![0.1_f32, 0.2, -0.3], [3]), device);
        let norm = BatchNormConfig::new(3).init(device);
        Self { linear: Linear { weight, bias: Some(bias) }, norm }
    }

    fn forward(&self, input: Tensor<2>) -> Tensor<2> {
        self.norm.forward(self.linear.forward(input))
    }

    /// The squared error against fixed targets on four fixed samples.
    fn loss(&self, device: &Device) -> Tensor<1> {
        let input = vec![0.0, 1.0, 1.0, 0.0, 2.0, -1.0, -0.5, 0.5];
        let target = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, -1.0, 0.5];
        let error = self.forward(tensor(input, [4, 2], device)) - tensor(target, [4, 3], device);
        (error.clone() * error).mean()
    }

    fn gradients(&self, device: &Device) -> GradientsParams {
        GradientsParams::from_grads(self.loss(device).backward(), self)
    }
}

fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D], device: &Device) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values, shape), device)
}

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().unwrap()
}

fn bits<const D: usize>(tensor: Tensor<D>) -> Vec<u32> {
    values(tensor).into_iter().map(f32::to_bits).collect()
}
