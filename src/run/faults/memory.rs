//! A network as faults find it: in its format, with all places that can be struck.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Active, Faults};
use crate::doc::strikes::{Struck, struck};
use crate::doc::structure::Role;
use crate::intervene::fault::{Format, SiteSpace, Storage};
use crate::net::Network;
use crate::run::campaign::cells;

/// A network before any fault strikes it, and what each of its faults can strike.
#[derive(Debug)]
pub struct Memory {
    stored: Network,
    /// What it reads as in its format.
    pub golden: Network,
    /// How the parameters are stored that can be struck.
    pub storages: BTreeMap<usize, Storage>,
    /// For each fault.
    pub grounds: Vec<Ground>,
}

/// What one fault can strike.
#[derive(Debug)]
pub struct Ground {
    /// Its places, by their numbers.
    pub places: BTreeMap<usize, Struck>,
    /// Its sites.
    pub space: SiteSpace,
}

impl Ground {
    /// What a fault can strike in a network.
    pub fn of(fault: &Active, network: &Network) -> Self {
        let structure = network.structure();
        let places = struck(structure, &fault.settings);
        let places = places.into_iter().map(|place| (place.number, place)).collect();
        Self { places, space: cells::space(structure, &fault.settings, &|index| network.entries(index)) }
    }
}

impl Memory {
    /// The network as these faults find it.
    pub fn of(faults: &Faults, network: &Network) -> Self {
        let grounds: Vec<Ground> = faults.active.iter().map(|fault| Ground::of(fault, network)).collect();
        let struck = faults.active.iter().zip(&grounds).filter(|(fault, _)| !fault.strikes_flows());
        let mut storages = BTreeMap::new();
        for (&index, place) in struck.flat_map(|(_, ground)| &ground.places) {
            storages.entry(index).or_insert_with(|| storage(network, index, place.format));
        }
        Self { stored: network.clone(), golden: in_format(network, faults.format()), storages, grounds }
    }

    /// Whether it is that of this network.
    pub fn is_of(&self, network: &Network) -> bool {
        self.stored.shares_arrays(network)
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

fn storage(network: &Network, index: usize, format: Format) -> Storage {
    let rows = network.structure().parameters[index].shape.first().copied().unwrap_or(1);
    Storage::of(format, network.values(index), rows)
}
