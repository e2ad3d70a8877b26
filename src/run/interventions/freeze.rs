//! Freezing and releasing single entries.

use super::{Source, entries_in};
use crate::error::RunError;
use crate::faults;
use crate::session::{Session, report, table};
use doc::intervention::{Freeze, Held, HeldAt, Params, Release, Select};
use doc::plan::Reading;
use doc::targets;
use form::number::{counted, grouped};
use intervene::Entry;
use intervene::freeze::{Candidate, Selection, select};
use intervene::stream::{Purpose, stream};

/// Holds entries of the present network at a value.
pub fn freeze(session: &mut Session, freeze: &Freeze) -> Result<(), RunError> {
    let structure = session.context.structure.clone();
    let chosen = targets::parameters(&structure, &freeze.target, &Params::Everything);
    let mask = match &freeze.select {
        Select::Mask(file) => Some(Source::from_file(session, file, &freeze.target, Reading::Freezes)?),
        Select::All | Select::Largest(_) | Select::Smallest(_) | Select::Random(_) | Select::Indices(_) => {
            None
        }
    };
    let mut held = Vec::new();
    for &index in &chosen {
        held.push(entries_to_hold(session, freeze, index, mask.as_ref())?);
    }
    let mut rows = Vec::new();
    for (&index, indices) in chosen.iter().zip(&held) {
        let values = held_values(session, freeze, index)?;
        let network = &mut session.state_mut().network;
        network.freeze(index, indices, values.as_deref());
        let parameter = &structure.parameters[index];
        rows.push(vec![
            parameter.name.clone(),
            parameter.len().to_string(),
            network.mask_counts(index).frozen.to_string(),
        ]);
    }
    let total: usize = held.iter().map(Vec::len).sum();
    let mut summary = format!("froze {} entries (parameters: {})", grouped(total as u64), chosen.len());
    if freeze.use_statistics {
        let norms: Vec<usize> = freeze.fixed_norms(&structure).collect();
        summary = format!("{summary}; {} batch norms use their running statistics", norms.len());
        session.state_mut().network.fix_norms(norms);
    }
    let frozen = table("freeze", summary, &["parameter", "entries", "held"], rows);
    session.report(match mask {
        Some(mask) => mask.noted(frozen),
        None => frozen,
    })
}

fn entries_to_hold(
    session: &Session,
    freeze: &Freeze,
    index: usize,
    mask: Option<&Source>,
) -> Result<Vec<u32>, RunError> {
    let parameter = &session.context.structure.parameters[index];
    let network = &session.state().network;
    let entries = entries_in(session, &freeze.target, index, Entry::Pruned); // those outside are passed over
    let selection = match &freeze.select {
        Select::All => Selection::All,
        Select::Largest(fraction) => Selection::Largest(*fraction),
        Select::Smallest(fraction) => Selection::Smallest(*fraction),
        Select::Random(fraction) => Selection::Random(*fraction),
        Select::Indices(indices) => Selection::Indices(indices.iter().map(|&index| index as u64).collect()),
        Select::Mask(_) => {
            let values = mask.and_then(|mask| mask.tensors.get(&parameter.name)).map(|tensor| &tensor.values);
            let nonzero = values.into_iter().flatten().enumerate().filter(|(_, value)| **value != 0.0);
            Selection::Indices(nonzero.map(|(at, _)| at as u64).collect())
        }
    };
    let weights = network.values(index);
    let candidate = Candidate { name: &parameter.name, weights, entries: &entries };
    let mut rng = stream(session.context.spec.seed, Purpose::Freeze, &[session.number(), index as u64]);
    select(&candidate, &selection, &mut rng).map_err(|error| session.stage_error(error))
}

/// Returns the values that entries are held at; none where they keep theirs.
fn held_values(session: &Session, freeze: &Freeze, index: usize) -> Result<Option<Vec<f32>>, RunError> {
    let state = session.state();
    let size = state.network.values(index).len();
    Ok(match &freeze.at {
        HeldAt::Own => None,
        HeldAt::Zero => Some(vec![0.0; size]),
        HeldAt::Value(value) => Some(vec![*value as f32; size]),
        HeldAt::Snapshot(name) => {
            let snapshot = state.snapshots.get(name);
            let missing = || session.stage_error(format!("there is no snapshot \"{name}\""));
            Some(snapshot.ok_or_else(missing)?.network.values(index).to_vec())
        }
    })
}

/// Releases entries; they continue from their current values.
pub fn release(session: &mut Session, release: &Release) -> Result<(), RunError> {
    let structure = session.context.structure.clone();
    let chosen = targets::parameters(&structure, &release.target, &Params::Everything);
    let (mut released, mut faults) = (0, 0);
    for what in &release.what {
        let held = match what {
            Held::Frozen => Entry::Frozen,
            Held::Pruned => Entry::Pruned,
            Held::Faults => {
                faults += faults::release(session, &release.target);
                continue;
            }
        };
        let network = &mut session.state_mut().network;
        for &index in &chosen {
            let inside =
                |entry: usize| targets::has_entry(&release.target, &structure.parameters[index], entry);
            released += network.release(index, held, &inside);
        }
        if held == Entry::Frozen {
            network.free_norms(|layer| release.frees_norm(&structure, layer));
        }
    }
    let mut parts = Vec::new();
    match released {
        0 => {}
        1 => parts.push("released 1 entry; it continues from its current value".to_owned()),
        _ => parts.push(format!(
            "released {} entries; they continue from their current values",
            grouped(released as u64)
        )),
    }
    if faults > 0 {
        let checksum = session.state().network.checksum();
        let (faults, checksum) = (counted(faults, "fault"), &checksum[..16]);
        parts.push(format!("removed {faults}; the stored weights have checksum {checksum}"));
    }
    let summary = if parts.is_empty() { "there was nothing to release".to_owned() } else { parts.join("; ") };
    session.report(report("release", summary))
}
