//! Defaults that differ from PyTorch, seen in what they do.

use burn::module::{Module, Param};
use burn::optim::momentum::MomentumConfig;
use burn::optim::{AdamConfig, AdamWConfig, GradientsParams, ModuleOptimizer, SgdConfig};
use burn::tensor::Tensor;

use super::{flex, tensor, values};

/// One parameter that starts at 0.
#[derive(Module, Debug)]
struct One {
    weight: Param<Tensor<1>>,
}

/// Where the parameter is after `steps` steps at rate 1 with the same gradient each time.
fn walk(mut optimizer: ModuleOptimizer, gradient: f32, steps: usize) -> f32 {
    let mut net = One { weight: Param::from_tensor(tensor(vec![0.0], [1], &flex().autodiff())) };
    for _ in 0..steps {
        let mut gradients = GradientsParams::new();
        gradients.register(net.weight.id, tensor::<1>(vec![gradient], [1], &flex()));
        net = optimizer.step(1.0, net, gradients);
    }
    values(net.weight.val())[0]
}

fn assert_close(actual: f32, expected: f32) {
    assert!((actual - expected).abs() < 1e-4, "{actual} is not {expected}");
}

#[test]
fn momentum_dampens_by_a_tenth_unless_told_otherwise() {
    let sgd = |momentum| SgdConfig::new().with_momentum(Some(momentum)).init();
    // Velocities 1, then 0.9 · 1 + 0.9 · 1; PyTorch's are 1, then 1 + 0.9 · 1.
    assert_close(walk(sgd(MomentumConfig::new()), 1.0, 2), -2.8);
    assert_close(walk(sgd(MomentumConfig::new().with_dampening(0.0)), 1.0, 2), -2.9);
}

#[test]
fn adam_and_adamw_divide_by_an_epsilon_of_1e_5() {
    // The first step is g / (|g| + ε): a half where g = ε.
    assert_close(walk(AdamConfig::new().init(), 1e-5, 1), -0.5);
    assert_close(walk(AdamWConfig::new().init(), 1e-5, 1), -0.5);
    assert_close(walk(AdamConfig::new().with_epsilon(1e-8).init(), 1e-5, 1), -0.999);
}

#[test]
fn adamw_decays_by_1e_4_where_pytorch_has_1e_2() {
    assert!(AdamWConfig::new().to_string().contains("\"weight_decay\": 0.0001"), "{}", AdamWConfig::new());
}
