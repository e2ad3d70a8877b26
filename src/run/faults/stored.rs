//! Networks and activations as a format stores them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Faults;
use super::sites::FaultSites;
use doc::structure::Role;
use intervene::fault::{Format, Storage};
use net::Network;

/// A network as the faults in place find it, before any of them is injected.
#[derive(Debug)]
pub struct StoredNetwork {
    network: Network,
    /// What it reads as in its format.
    pub golden: Network,
    /// How its parameters with sites are stored.
    pub storages: BTreeMap<usize, Storage>,
    /// The sites of each fault.
    pub sites: Vec<FaultSites>,
}

impl StoredNetwork {
    /// The network as these faults find it.
    pub fn of(faults: &Faults, network: &Network) -> Self {
        let structure = network.structure();
        let sites = |settings| FaultSites::of(structure, settings, &|index| network.entries(index));
        let sites: Vec<FaultSites> = faults.active.iter().map(|fault| sites(&fault.settings)).collect();
        let mut storages = BTreeMap::new();
        let parameters = faults.active.iter().zip(&sites).filter(|(fault, _)| !fault.is_in_activations());
        for (&index, place) in parameters.flat_map(|(_, sites)| &sites.places) {
            storages.entry(index).or_insert_with(|| storage(network, index, place.format));
        }
        Self { network: network.clone(), golden: in_format(network, faults.format()), storages, sites }
    }

    /// Whether it is that of this network.
    pub fn is_of(&self, network: &Network) -> bool {
        self.network.shares_arrays(network)
    }
}

/// What a network reads as in a format: every parameter in it, with int8 the weights alone.
pub fn in_format(network: &Network, format: Format) -> Network {
    let values = network.arrays().0.iter().enumerate().map(|(index, values)| {
        let is_weight = network.structure().parameters[index].role == Role::Weight;
        match format.of_parameter(is_weight) {
            Format::Float32 => values.clone(),
            format => Arc::new(storage(network, index, format).golden(values)),
        }
    });
    network.reading_as(values.collect())
}

/// How a format stores a parameter.
pub fn storage(network: &Network, index: usize, format: Format) -> Storage {
    let rows = network.structure().parameters[index].shape.first().copied().unwrap_or(1);
    Storage::of(format, network.values(index), rows)
}

/// Rounds activations to a format. They have no scale, so that every entry is stored in the same way.
pub fn round(format: Format, values: &mut [f32]) {
    if format != Format::Float32 {
        let storage = Storage::of(format, &[], 1);
        for value in values {
            *value = storage.read_back(0, *value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_are_rounded_to_a_format_and_float32_keeps_them() {
        let fine = 1.0 + 2f32.powi(-12);
        let read = |format| {
            let mut values = [fine, -3.0];
            round(format, &mut values);
            values
        };
        assert_eq!(read(Format::Float16), [1.0, -3.0]);
        assert_eq!(read(Format::Float32), [fine, -3.0]);
    }
}
