//! Host vectors and tensors: what is copied, and what shape a gradient has.

use burn::tensor::Tensor;

use super::{flex, ndarray, tensor, values};

#[test]
fn on_flex_a_vector_goes_into_a_tensor_and_comes_back_without_a_copy() {
    for device in [flex(), flex().autodiff()] {
        let weights = vec![0.5_f32; 1000];
        let address = weights.as_ptr();
        let back = values(tensor(weights, [1000], &device));
        assert_eq!(back.as_ptr(), address, "{device:?}");
    }
}

#[test]
fn on_flex_a_reshaped_tensor_still_owns_the_vector_it_was_made_from() {
    let weights = vec![0.5_f32; 1000];
    let address = weights.as_ptr();
    let back = values(tensor(weights, [1000], &flex()).reshape([10, 100]));
    assert_eq!(back.as_ptr(), address);
}

#[test]
fn on_flex_a_second_handle_makes_reading_a_copy() {
    let first = tensor(vec![0.5; 1000], [1000], &flex());
    let second = first.clone();
    let (copied, owned) = (values(first), values(second));
    assert_ne!(copied.as_ptr(), owned.as_ptr());
}

#[test]
fn on_flex_a_leaf_gives_its_vector_back_after_the_backward_pass_consumed_the_graph() {
    let device = flex().autodiff();
    let weights = vec![0.5_f32; 1000];
    let address = weights.as_ptr();
    let leaf = tensor(weights, [1000], &device).require_grad();
    let product = leaf.clone().reshape([10, 100]).matmul(tensor(vec![1.0; 100], [100, 1], &device));
    let mut gradients = product.sum().backward();
    let gradient = values(leaf.grad_remove(&mut gradients).unwrap());
    assert_eq!(gradient, vec![1.0; 1000]);
    let back = values(leaf.inner());
    assert_eq!(back.as_ptr(), address);
}

#[test]
fn a_flat_leaf_used_as_a_pytorch_linear_weight_has_a_flat_gradient() {
    for device in [flex().autodiff(), ndarray().autodiff()] {
        // y = x Wᵀ with W of shape [out, in] = [2, 3], and a loss of Σ y · c.
        let weight = tensor(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [6], &device).require_grad();
        let input = tensor(vec![1.0, 2.0, -1.0], [1, 3], &device);
        let output = input.matmul(weight.clone().reshape([2, 3]).transpose());
        assert_eq!(values(output.clone()), [2.0, 8.0]);
        let loss = (output * tensor(vec![1.0, 10.0], [1, 2], &device)).sum();
        let mut gradients = loss.backward();
        let gradient: Tensor<1> = weight.grad_remove(&mut gradients).unwrap();
        assert_eq!(values(gradient), [1.0, 2.0, -1.0, 10.0, 20.0, -10.0]);
    }
}

#[test]
fn a_gradient_is_not_on_the_autodiff_device_and_can_be_taken_once() {
    let leaf = tensor(vec![1.0, 2.0], [2], &flex().autodiff()).require_grad();
    let mut gradients = (leaf.clone() * 3.0).sum().backward();
    assert!(!leaf.grad(&gradients).unwrap().is_autodiff());
    assert!(leaf.grad_remove(&mut gradients).is_some());
    assert!(leaf.grad_remove(&mut gradients).is_none());
}
