//! Faults in the parameters of a view: the stored network is never written.

use std::collections::BTreeMap;

use crate::intervene::fault::{Injected, Injection, Memory, Storage};
use crate::net::Network;

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

/// Values that were overlaid: parameter, entry, and what it read as before.
pub type Undo = Vec<(usize, usize, f32)>;

/// Lets a view read what was injected; `undo` takes in what it read before.
pub fn overlay(view: &mut Network, injected: &[Injected], undo: &mut Undo) {
    for fault in injected {
        let (index, entry) = (fault.site.parameter, fault.site.index);
        undo.push((index, entry, view.overlay(index, entry, fault.value)));
    }
}

/// Takes faults back, the last one first.
pub fn take_back(view: &mut Network, undo: &mut Undo) {
    for (index, entry, value) in undo.drain(..).rev() {
        view.overlay(index, entry, value);
    }
}
