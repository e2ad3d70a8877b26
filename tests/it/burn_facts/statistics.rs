//! Batch norm: what the statistics are, who shares them, and when they are up to date.

use burn::module::{Module, ModuleMapper, Param, ParamGroup};
use burn::nn::{BatchNorm, BatchNormConfig};
use burn::tensor::Tensor;
use burn::tensor::module::{batch_norm, batch_norm_train};

use super::{TinyNet, flex, ndarray, tensor, values};

/// Batch norm of one feature, after one training batch with mean 2 and variance 4 (8 if unbiased).
fn norm_after_one_batch() -> BatchNorm {
    let device = flex().autodiff();
    let norm = BatchNormConfig::new(1).init(&device);
    feed(&norm);
    norm
}

fn feed(norm: &BatchNorm) {
    let _ = norm.forward(tensor(vec![0.0, 4.0], [2, 1], &flex().autodiff()));
}

fn assert_close(actual: &[f32], expected: &[f32]) {
    assert_eq!(actual.len(), expected.len());
    for (a, e) in actual.iter().zip(expected) {
        assert!((a - e).abs() < 1e-5, "{actual:?} is not {expected:?}");
    }
}

#[test]
fn the_batch_mean_and_biased_variance_come_back_per_channel() {
    for device in [flex(), flex().autodiff(), ndarray()] {
        // Two channels: 0, 4 with mean 2 and variance 4; 1, 3 with mean 2 and variance 1.
        let input = tensor(vec![0.0, 1.0, 4.0, 3.0], [2, 2], &device);
        let scale = tensor(vec![1.0, 1.0], [2], &device);
        let shift = tensor(vec![0.0, 5.0], [2], &device);
        let batch = batch_norm_train(input, scale, shift, 1e-5);
        assert_close(&values(batch.mean), &[2.0, 2.0]);
        assert_close(&values(batch.variance), &[4.0, 1.0]);
        assert_close(&values(batch.output), &[-1.0, 4.0, 1.0, 6.0]);
    }
}

#[test]
fn inference_uses_the_statistics_it_is_given() {
    for device in [flex(), ndarray()] {
        let one = |value: f32| tensor(vec![value], [1], &device);
        let input = tensor(vec![3.0, 7.0], [2, 1], &device);
        let output = batch_norm(input, one(2.0), one(10.0), one(1.0), one(4.0), 0.0);
        assert_close(&values(output), &[12.0, 16.0]);
    }
}

#[test]
fn the_running_variance_takes_the_biased_batch_variance() {
    let norm = norm_after_one_batch();
    assert_close(&values(norm.running_mean.value_sync()), &[0.2]);
    // 0.9 · 1 + 0.1 · 4; PyTorch has 0.9 · 1 + 0.1 · 8 = 1.7.
    assert_close(&values(norm.running_var.value_sync()), &[1.3]);
}

#[test]
fn the_running_value_lags_by_one_batch_until_it_is_synchronised() {
    let norm = norm_after_one_batch();
    assert_close(&values(norm.running_mean.value()), &[0.0]);
    assert_close(&values(norm.valid().running_mean.value()), &[0.2]);
    assert_close(&values(norm.running_mean.value()), &[0.2]);
}

#[test]
fn a_clone_shares_its_statistics_with_the_original() {
    let norm = norm_after_one_batch();
    feed(&norm.clone());
    assert_close(&values(norm.running_mean.value_sync()), &[0.38]);
}

#[test]
fn valid_then_train_makes_statistics_of_its_own_and_keeps_the_ids() {
    let norm = norm_after_one_batch();
    let copy = norm.valid().train();
    feed(&copy);
    assert_close(&values(norm.running_mean.value_sync()), &[0.2]);
    assert_close(&values(copy.running_mean.value_sync()), &[0.38]);
    assert_eq!(norm.gamma.id, copy.gamma.id);
}

#[test]
fn mapping_a_clone_writes_through_to_the_statistics_of_the_original() {
    struct Set(f32);
    impl ModuleMapper for Set {
        fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
            let value = self.0;
            param.map(|tensor| tensor.without_autodiff().full_like(value))
        }
    }
    let norm = norm_after_one_batch().valid();
    let changed = norm.clone().map(&mut Set(7.0));
    assert_eq!(values(changed.gamma.val()), [7.0]);
    assert_eq!(values(norm.gamma.val()), [1.0], "parameters are independent");
    assert_eq!(values(norm.running_mean.value_sync()), [7.0], "statistics are not");
}

#[test]
fn freezing_a_group_stops_its_statistics_and_taking_away_its_gradient_does_not() {
    let device = flex().autodiff();
    let group = || ParamGroup::from_predicate("norm");
    let without_gradient = TinyNet::new(&device).set_require_grad_group(group(), false);
    let frozen = TinyNet::new(&device).freeze_group(group());
    let _ = (without_gradient.loss(&device), frozen.loss(&device));
    assert_ne!(values(without_gradient.norm.running_mean.value_sync()), [0.0; 3]);
    assert_eq!(values(frozen.norm.running_mean.value_sync()), [0.0; 3]);
    assert!(without_gradient.gradients(&device).get::<1>(without_gradient.norm.gamma.id).is_none());
}

#[test]
fn batches_fed_from_two_threads_are_averaged_instead_of_following_each_other() {
    let norm = norm_after_one_batch();
    let clone = norm.clone();
    std::thread::spawn(move || feed(&clone)).join().unwrap();
    // The second thread started from 0 as well: (0.2 + 0.2) / 2, where one thread gives 0.38.
    assert_close(&values(norm.valid().running_mean.value()), &[0.2]);
}
