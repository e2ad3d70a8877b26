//! Values written by hand, and masks that are moved.

use std::collections::BTreeSet;

use super::mask_report;
use crate::error::RunError;
use crate::session::{Session, report};
use doc::intervention::{Set, ShuffleMask};
use form::number::grouped;
use intervene::stream::{Purpose, stream};
use intervene::{Entry, shuffle_masks};
use net::Written;

/// Writes chosen values into chosen entries.
pub fn set(session: &mut Session, set: &Set) -> Result<(), RunError> {
    let structure = session.context.structure.clone();
    let index = structure.find(&set.parameter).ok_or_else(|| {
        let known: Vec<&str> = structure.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let known = known.join(", ");
        session.stage_error(format!("there is no parameter \"{}\"; there are {known}", set.parameter))
    })?;
    let size = structure.parameters[index].len();
    if let Some(entry) = set.indices.iter().find(|&&entry| entry >= size) {
        let (name, size) = (&set.parameter, grouped(size as u64));
        return Err(session.stage_error(format!("{name} has {size} entries, so there is no entry {entry}")));
    }
    let chosen: BTreeSet<usize> = set.indices.iter().copied().collect();
    let inside = |entry: usize| chosen.is_empty() || chosen.contains(&entry);
    let values = vec![set.value as f32; size];
    let Written { taken, dropped } = session.state_mut().network.write_inside(index, &values, &inside);
    let mut summary = format!("set {} entries of {} to {}", grouped(taken as u64), set.parameter, set.value);
    if dropped > 0 {
        summary = format!("{summary}; {} pruned or frozen weights kept theirs", grouped(dropped as u64));
    }
    session.report(report("set", summary))
}

/// Moves the pruned entries to other places, within layers or across them. Only parameters with pruned entries take
/// part: what was left out of the pruning stays left out of its control.
pub fn shuffle_mask(session: &mut Session, settings: &ShuffleMask) -> Result<(), RunError> {
    let structure = session.context.structure.clone();
    let network = &session.state().network;
    let is_masked = |index: &usize| network.mask_counts(*index).pruned > 0;
    let chosen: Vec<usize> = (0..network.len()).filter(is_masked).collect();
    let before = network.clone();
    let entries: Vec<Vec<Entry>> = chosen.iter().map(|&index| network.all_entries(index)).collect();
    let layers = chosen.iter().map(|&index| structure.parameters[index].layer);
    let masks: Vec<(usize, &[Entry])> = layers.zip(entries.iter().map(Vec::as_slice)).collect();
    let mut rng = stream(session.context.spec.seed, Purpose::Mask, &[session.number()]);
    let shuffled = shuffle_masks(&masks, settings.scope, &mut rng);
    let network = &mut session.state_mut().network;
    for (&index, entries) in chosen.iter().zip(shuffled) {
        network.set_entries(index, entries);
    }
    let pruned: u64 = chosen.iter().map(|&index| network.mask_counts(index).pruned).sum();
    let summary = format!("moved {} pruned entries to other places", grouped(pruned));
    let moved = mask_report("shuffle", summary, &chosen, [&before, network]);
    session.report(moved)
}
