//! Faults in the activations of a batch.

use std::borrow::Cow;

use intervene::fault::{Injected, Injection, Memory, Storage};
use net::{Activations, Layout};

/// What the activations of one image after operation `op` hold with the faults that are injected there. `storage` returns
/// how its values are stored; it gets them in PyTorch's order.
///
/// # Errors
/// When a list has other bits than are stored.
pub fn injected(
    activations: &Activations,
    (sample, op): (usize, usize),
    injection: &mut Injection,
    storage: impl FnOnce(&[f32]) -> Storage,
) -> Result<Vec<Injected>, String> {
    if !injection.is_at(op) {
        return Ok(Vec::new());
    }
    let values = in_order(activations, sample);
    let storage = storage(&values);
    let memory = Memory { values: &values, storage: &storage };
    injection.inject_at(op, memory).map_err(|error| error.to_string())
}

/// Writes what was injected into the activations of one image.
pub fn write(activations: &mut Activations, sample: usize, injected: &[Injected]) {
    for fault in injected {
        let place = activations.place(sample, fault.site.index);
        activations.values[place] = fault.value;
    }
}

/// The values of one sample as PyTorch counts them.
fn in_order(activations: &Activations, sample: usize) -> Cow<'_, [f32]> {
    match activations.layout {
        Layout::ChannelsFirst => Cow::Borrowed(activations.sample(sample)),
        Layout::ChannelsLast => Cow::Owned(
            (0..activations.shape.len())
                .map(|entry| activations.values[activations.place(sample, entry)])
                .collect(),
        ),
    }
}
