//! Values written by hand, and masks that are moved.

use super::left::Left;
use crate::doc::intervention::{Set, ShuffleMask};
use crate::form::number::grouped;
use crate::intervene::shuffle::{Region, shuffle as moved};
use crate::intervene::stream::{Purpose, stream};
use crate::intervene::{Entry, MaskCounts};
use crate::results::Report;
use crate::run::error::RunError;
use crate::run::session::Session;

/// Writes chosen values into chosen entries.
pub fn set(session: &mut Session, set: &Set) -> Result<(), RunError> {
    let structure = session.context.structure.clone();
    let index = structure.find(&set.parameter).ok_or_else(|| {
        let known: Vec<&str> = structure.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        session.stage_error(format!(
            "there is no parameter \"{}\"; there are {}",
            set.parameter,
            known.join(", ")
        ))
    })?;
    let mut values = session.state().network.values(index).to_vec();
    let size = values.len();
    if let Some(entry) = set.indices.iter().find(|&&entry| entry >= size) {
        return Err(session.stage_error(format!(
            "{} has {} entries, so there is no entry {entry}",
            set.parameter,
            grouped(size as u64)
        )));
    }
    if set.indices.is_empty() {
        values.fill(set.value as f32);
    }
    for &entry in &set.indices {
        values[entry] = set.value as f32;
    }
    let network = &mut session.state_mut().network;
    let mut asked: Vec<usize> =
        if set.indices.is_empty() { (0..size).collect() } else { set.indices.clone() };
    asked.sort_unstable();
    asked.dedup();
    let held = |entry: &&usize| network.entries(index).is_some_and(|entries| !entries[**entry].is_free());
    let dropped = asked.iter().filter(held).count();
    network.write(index, &values);
    let mut summary = format!(
        "set {} entries of {} to {}",
        grouped((asked.len() - dropped) as u64),
        set.parameter,
        set.value
    );
    if dropped > 0 {
        summary = format!("{summary}; {} held entries kept theirs", grouped(dropped as u64));
    }
    session.report(Report { kind: "set".to_owned(), summary, ..Report::default() })
}

/// As many pruned entries in other places, within layers or across them. Only parameters with pruned entries take part:
/// what was left out of the pruning stays left out of its control.
pub fn shuffle_mask(session: &mut Session, shuffle: &ShuffleMask) -> Result<(), RunError> {
    let structure = session.context.structure.clone();
    let network = &session.state().network;
    let is_masked = |index: &usize| network.mask_counts(*index).pruned > 0;
    let chosen: Vec<usize> = (0..network.len()).filter(is_masked).collect();
    let before: Vec<MaskCounts> = chosen.iter().map(|&index| network.mask_counts(index)).collect();
    let entries: Vec<Vec<Entry>> = chosen.iter().map(|&index| network.all_entries(index)).collect();
    let regions: Vec<Region> = chosen
        .iter()
        .zip(&entries)
        .map(|(&index, entries)| Region { layer: structure.parameters[index].layer, entries })
        .collect();
    let mut rng = stream(session.context.spec.seed, Purpose::Mask, &[session.number()]);
    let moved = moved(&regions, shuffle.scope, &mut rng);
    let network = &mut session.state_mut().network;
    let pruned: u64 = chosen.iter().map(|&index| network.mask_counts(index).pruned).sum();
    for (&index, entries) in chosen.iter().zip(moved) {
        network.set_entries(index, entries);
    }
    let summary = format!("moved {} pruned entries to other places", grouped(pruned));
    let report = Left::of(network, &chosen, &before).report("shuffle", summary);
    session.report(report)
}
