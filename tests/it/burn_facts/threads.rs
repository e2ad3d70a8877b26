//! The number of threads, and a neighbour's training, change no bit of a result on flex.

use burn::tensor::activation::{log_softmax, relu};
use burn::tensor::module::{batch_norm_train, conv2d, max_pool2d};
use burn::tensor::ops::{ConvOptions, MaxPoolOptions};
use burn::tensor::{Device, Int, Tensor, TensorData};

use super::{flex, tensor, values};

const BATCH: usize = 64;
const CHANNELS: usize = 16;
const CLASSES: usize = 10;
/// Wide enough that flex splits the matrix products over threads: 64 · 1024 · 256 multiplications.
const HIDDEN: usize = 256;
const FEATURES: usize = CHANNELS * 8 * 8;

/// Flat weights of a convolution and two linear layers, laid out as [out, in, …].
struct Weights {
    kernel: Vec<f32>,
    hidden: Vec<f32>,
    output: Vec<f32>,
}

/// Numbers between -1 and 1 that look random and are the same everywhere.
fn scattered(count: usize, scale: f32) -> Vec<f32> {
    (0..count).map(|i| scale * ((i * 7919 + 13) % 2003) as f32 / 1001.0 - scale).collect()
}

impl Weights {
    fn new() -> Self {
        Self {
            kernel: scattered(CHANNELS * 3 * 3 * 3, 0.3),
            hidden: scattered(HIDDEN * FEATURES, 0.05),
            output: scattered(CLASSES * HIDDEN, 0.1),
        }
    }

    /// One step of gradient descent on one fixed batch.
    fn step(self, device: &Device) -> Self {
        let leaf = |values: Vec<f32>| {
            let count = values.len();
            tensor(values, [count], device).require_grad()
        };
        let leaves = [leaf(self.kernel), leaf(self.hidden), leaf(self.output)];
        let loss = loss(&leaves, device);
        let mut gradients = loss.backward();
        let [kernel, hidden, output] = leaves.map(|leaf| {
            let gradient = values(leaf.grad_remove(&mut gradients).unwrap());
            let mut weights = values(leaf.inner());
            weights.iter_mut().zip(gradient).for_each(|(w, g)| *w -= 0.1 * g);
            weights
        });
        Self { kernel, hidden, output }
    }

    fn bits(&self) -> Vec<u32> {
        let all = [&self.kernel, &self.hidden, &self.output];
        all.into_iter().flatten().map(|weight| weight.to_bits()).collect()
    }
}

/// Cross-entropy of convolution, batch norm, ReLU, max pooling and two linear layers on 3×16×16 images.
fn loss(leaves: &[Tensor<1>; 3], device: &Device) -> Tensor<1> {
    let [kernel, hidden, output] = leaves.clone();
    let images = tensor(scattered(BATCH * 3 * 16 * 16, 1.0), [BATCH, 3, 16, 16], device);
    let same = ConvOptions::new([1, 1], [1, 1], [1, 1], 1);
    let maps = conv2d(images, kernel.reshape([CHANNELS, 3, 3, 3]), None, same);
    let scale = tensor(vec![1.0; CHANNELS], [CHANNELS], device);
    let shift = tensor(vec![0.0; CHANNELS], [CHANNELS], device);
    let maps = relu(batch_norm_train(maps, scale, shift, 1e-5).output);
    let features = max_pool2d(maps, MaxPoolOptions::new([2, 2])).reshape([BATCH, FEATURES]);
    let hidden = relu(features.matmul(hidden.reshape([HIDDEN, FEATURES]).transpose()));
    let logits = hidden.matmul(output.reshape([CLASSES, HIDDEN]).transpose());
    let labels: Vec<i64> = (0..BATCH).map(|sample| i64::try_from(sample % CLASSES).unwrap()).collect();
    let labels = Tensor::<2, Int>::from_data(TensorData::new(labels, [BATCH, 1]), device);
    log_softmax(logits, 1).gather(1, labels).mean().neg()
}

fn train_in_a_pool_of(threads: usize) -> Vec<u32> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let device = flex().autodiff();
        (0..3).fold(Weights::new(), |weights, _| weights.step(&device)).bits()
    })
}

#[test]
fn pools_of_one_and_of_two_threads_train_bit_identical_weights() {
    let one = train_in_a_pool_of(1);
    assert_ne!(one, Weights::new().bits(), "the network learns");
    assert!(one == train_in_a_pool_of(2), "two threads gave other bits than one");
}

#[test]
fn two_trainings_side_by_side_do_not_disturb_each_other() {
    let alone = train_in_a_pool_of(1);
    let side_by_side = [1, 2].map(|threads| std::thread::spawn(move || train_in_a_pool_of(threads)));
    for training in side_by_side {
        assert!(training.join().unwrap() == alone, "a neighbour changed the bits");
    }
}
