//! Training of networks with held entries whose gradients are not read.

use super::{bits, network, networks, pass_bits, train, vgg};
use crate::{Compute, NativeCompute, Network, NoTap, TrainPass};
use data::Shape;
use doc::Head;
use doc::structure::Role;
use intervene::Entry;
use kernels::testing::assert_same_bits;

/// Prunes every second channel of every layer, with all of its weights; and freezes a part of the first layer.
fn prune_channels(network: &mut Network) {
    let parameters = network.structure().parameters.clone();
    let weights = parameters.iter().enumerate().filter(|(_, parameter)| parameter.role == Role::Weight);
    let last = weights.clone().count() - 1;
    for (layer, (index, parameter)) in weights.enumerate() {
        let (outputs, inputs) = (parameter.shape[0], parameter.shape[1]);
        let places = parameter.len() / (outputs * inputs);
        let is_gone = |entry: &u32| {
            let (output, input) = (*entry as usize / (inputs * places), *entry as usize / places % inputs);
            layer < last && output % 2 > 0 || layer > 0 && input % 2 > 0
        };
        let gone: Vec<u32> = (0..parameter.len() as u32).filter(is_gone).collect();
        network.prune(index, &gone);
        if layer == 0 {
            network.freeze(index, &[0, 1, 2], None);
        }
    }
}

/// Statistics, and gradients of free entries.
fn read(network: &Network, pass: &TrainPass) -> Vec<Vec<u32>> {
    let statistics = pass.statistics.iter().flat_map(|batch| [bits(&batch.mean), bits(&batch.variance)]);
    let gradients = pass.gradients.iter().enumerate().map(|(index, gradient)| {
        let entries = network.all_entries(index);
        let free = gradient.iter().flatten().zip(&entries).filter(|(_, entry)| **entry == Entry::Free);
        free.map(|(gradient, _)| gradient.to_bits()).collect()
    });
    statistics.chain(gradients).collect()
}

#[test]
fn what_is_left_out_of_held_gradients_changes_no_other() {
    let wide = network(&vgg(true, Head::Linear, 32), Shape { channels: 3, height: 32, width: 32 });
    for mut network in networks().into_iter().chain([wide]) {
        prune_channels(&mut network);
        for compute in [NativeCompute::exact(), NativeCompute::fast()] {
            let all = train(&compute, &network, 16, &mut NoTap::all());
            // A second pass finds buffers with numbers of the first.
            for _ in 0..2 {
                let pass = train(&compute, &network, 16, &mut NoTap { reads_held: false });
                assert_eq!(read(&network, &pass), read(&network, &all));
                compute.recycle(pass);
            }
            let whole = train(&compute, &network, 16, &mut NoTap::all());
            assert_eq!(pass_bits(&whole), pass_bits(&all));
        }
    }
}

#[test]
fn what_is_left_does_not_depend_on_threads() {
    let mut network = network(&vgg(true, Head::Linear, 32), Shape { channels: 3, height: 32, width: 32 });
    prune_channels(&mut network);
    let fast = NativeCompute::fast();
    assert_same_bits(|| read(&network, &train(&fast, &network, 16, &mut NoTap { reads_held: false })));
}
