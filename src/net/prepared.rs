//! Weights in the order in which kernels read them, made once for many passes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::kernels::scratch::Aligned;
use super::network::Network;

/// What a backend has made of the weights of a network. It counts for every network that shares an array with that one;
/// other arrays, such as copies with faults, are not found here.
#[derive(Debug, Default)]
pub struct Prepared {
    weights: BTreeMap<usize, Packed>,
}

/// One weight of a convolution.
#[derive(Debug)]
pub(super) struct Packed {
    /// The array that it was packed from; while it is held here, nothing can write it.
    source: Arc<Vec<f32>>,
    /// The input channels that have rows, ascending; `None`: all.
    pub inputs: Option<Vec<usize>>,
    /// As the kernel packs them.
    pub values: Aligned,
}

impl Prepared {
    /// Adds the weight that is parameter `index` of a network.
    pub(super) fn add(
        &mut self,
        network: &Network,
        index: usize,
        inputs: Option<Vec<usize>>,
        values: Aligned,
    ) {
        let source = network.arrays().0[index].clone();
        self.weights.insert(index, Packed { source, inputs, values });
    }

    /// Parameter `index` of a network, if it is one of the arrays that were packed.
    pub(super) fn of(&self, network: &Network, index: usize) -> Option<&Packed> {
        self.weights.get(&index).filter(|packed| Arc::ptr_eq(&packed.source, &network.arrays().0[index]))
    }
}
