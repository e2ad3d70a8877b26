//! Faults in the activations of a batch.

use std::borrow::{Borrow, Cow};

use crate::intervene::fault::{Injected, Injection, Memory, Storage};
use crate::net::{Flow, Layout};

/// What the activations of one image behind operation `op` hold with the faults that are injected there. `storage` says
/// how its values are stored, which come in PyTorch's order.
///
/// # Errors
/// Where a list has other bits than are stored.
pub fn injected<S: Borrow<Storage>>(
    flow: &Flow,
    (sample, op): (usize, usize),
    injection: &mut Injection,
    storage: impl FnOnce(&[f32]) -> S,
) -> Result<Vec<Injected>, String> {
    if !injection.is_behind(op) {
        return Ok(Vec::new());
    }
    let values = in_order(flow, sample);
    let storage = storage(&values);
    let memory = Memory { values: &values, storage: storage.borrow() };
    injection.inject_behind(op, memory).map_err(|error| error.to_string())
}

/// Writes what was injected into the activations of one image.
pub fn write(flow: &mut Flow, sample: usize, injected: &[Injected]) {
    for fault in injected {
        let place = flow.place(sample, fault.site.index);
        flow.values[place] = fault.value;
    }
}

/// The values of one sample as PyTorch counts them.
fn in_order(flow: &Flow, sample: usize) -> Cow<'_, [f32]> {
    match flow.layout {
        Layout::ChannelsFirst => Cow::Borrowed(flow.sample(sample)),
        Layout::ChannelsLast => {
            Cow::Owned((0..flow.shape.len()).map(|entry| flow.values[flow.place(sample, entry)]).collect())
        }
    }
}
