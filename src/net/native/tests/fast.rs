//! Training with fast kernels beside exact training.

use super::{Writer, bits, inputs, network, pass_bits, train, vgg};
use crate::{Compute, NativeCompute, NoTap, Tap};
use data::Shape;
use doc::Head;
use kernels::testing::assert_same_bits;

#[test]
fn fast_kernels_train_nearly_as_exact_ones_do() {
    let network = network(&vgg(true, Head::Linear, 32), Shape { channels: 3, height: 32, width: 32 });
    let [exact, fast] = [NativeCompute::exact(), NativeCompute::fast()]
        .map(|compute| train(&compute, &network, 16, &mut NoTap::all()).gradients);
    assert_ne!(exact, fast, "some convolutions are computed in another way");
    for (index, parameter) in network.structure().parameters.iter().enumerate() {
        let (Some(exact), Some(fast)) = (&exact[index], &fast[index]) else { continue };
        if parameter.name.ends_with("weight") {
            let (mut error, mut size) = (0.0, 0.0);
            for (exact, fast) in exact.iter().zip(fast) {
                error += f64::from(exact - fast).powi(2);
                size += f64::from(*exact).powi(2);
            }
            assert!(error < 1e-4 * size, "{}: {error} of {size}", parameter.name);
        }
    }
}

#[test]
fn fast_kernels_leave_evaluation_and_threads_alone() {
    let network = network(&vgg(true, Head::Linear, 32), Shape { channels: 3, height: 32, width: 32 });
    let values = inputs(network.structure().input, 3);
    let (exact, fast) = (NativeCompute::exact(), NativeCompute::fast());
    let logits = exact.logits(&network, &values, 3);
    assert_eq!(bits(&logits), bits(&fast.logits(&network, &values, 3)));
    assert_same_bits(|| pass_bits(&train(&fast, &network, 16, &mut NoTap::all())));
    assert_same_bits(|| bits(&fast.logits(&network, &values, 3)));
}

#[test]
fn the_structure_tells_whether_fast_kernels_have_other_bits() {
    for (width, is_wide) in [(2, false), (4, true), (32, true)] {
        let shape = Shape { channels: 3, height: 32, width: 32 };
        let network = network(&vgg(true, Head::Linear, width), shape);
        let [fast, exact] = [NativeCompute::fast(), NativeCompute::exact()]
            .map(|compute| pass_bits(&train(&compute, &network, 4, &mut NoTap::all())));
        assert_eq!(network.structure().has_wide_convolution(), is_wide, "{width}");
        assert_eq!(fast != exact, is_wide, "{width}");
    }
}

/// Faults come through taps.
#[test]
fn a_tap_gets_exact_sums_from_fast_kernels_too() {
    let network = network(&vgg(true, Head::Linear, 32), Shape { channels: 3, height: 32, width: 32 });
    let of = |compute: NativeCompute, tap: &mut dyn Tap| pass_bits(&train(&compute, &network, 4, tap));
    for ops in [[1, 7], [usize::MAX; 2]] {
        let tap = || Writer(ops);
        assert_eq!(of(NativeCompute::fast(), &mut tap()), of(NativeCompute::exact(), &mut tap()), "{ops:?}");
    }
    assert_ne!(of(NativeCompute::fast(), &mut NoTap::all()), of(NativeCompute::exact(), &mut NoTap::all()));
}
