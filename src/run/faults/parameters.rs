//! Faults in the parameters of a view: the stored network is never written.

use std::collections::BTreeMap;

use intervene::fault::{Injected, Injection, Memory, Site, Storage};
use net::Network;

/// What parameters hold with these faults, each of which finds what the ones before it left.
///
/// # Errors
/// Where a list has other bits than are stored.
pub fn injected(
    view: &Network,
    storages: &BTreeMap<usize, Storage>,
    injection: &mut Injection,
) -> Result<Vec<Injected>, String> {
    let memory = |index: usize| Memory { values: view.values(index), storage: &storages[&index] };
    injection.inject(memory).map_err(|error| error.to_string())
}

/// Lets a view read what was injected.
pub fn overlay(view: &mut Network, injected: &[Injected]) {
    for fault in injected {
        view.overlay(fault.site.parameter, fault.site.index, fault.value);
    }
}

/// Lets a view read what another network has where faults were injected.
pub fn restore(view: &mut Network, injected: &[Injected], from: &Network) {
    for Site { parameter, index, .. } in injected.iter().map(|fault| fault.site) {
        view.overlay(parameter, index, from.values(parameter)[index]);
    }
}
