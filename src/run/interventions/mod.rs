//! Carries out interventions on the present network, and reports what they did.

mod edit;
mod files;
mod flow;
mod freeze;
mod graft;
mod prune;
mod reinitialize;
pub mod watch;

use std::collections::BTreeMap;

pub use watch::{Tally, Watch};

use super::error::RunError;
use super::faults;
use super::session::{Session, table};
use super::stages::ensemble;
use super::state::Snapshot;
use super::weight_files::{Fit, Read, read_for, shapes_of};
use doc::intervention::FileContent;
use doc::plan::Reading;
use doc::{Intervention, Target, targets};
use intervene::{Entry, MaskCounts};
use net::Network;
use net::weights_file::FileTensor;
use results::Report;

/// Changes the present network as the intervention says; members of an ensemble keep sharing what they share.
pub fn apply(session: &mut Session, intervention: &Intervention) -> Result<(), RunError> {
    let before = (!session.state().others.is_empty()).then(|| session.state().network.clone());
    change(session, intervention)?;
    if ends_past(intervention) {
        watch::clear(session.state_mut());
    }
    if let Some(before) = before {
        ensemble::share_change(session, &before)?;
    }
    session.state_mut().forget_held();
    Ok(())
}

/// Returns true if networks of some steps ago are those of another network afterwards: values come from elsewhere, or
/// entries that were held are let go. Watching begins with nothing remembered.
fn ends_past(intervention: &Intervention) -> bool {
    match intervention {
        Intervention::Graft(_)
        | Intervention::Reinitialize(_)
        | Intervention::Release(_)
        | Intervention::Watch(_) => true,
        Intervention::Import(file) => file.0.content == FileContent::Values, // a mask is as pruning
        Intervention::Prune(_)
        | Intervention::Freeze(_)
        | Intervention::Fault(_)
        | Intervention::Snapshot(_)
        | Intervention::Set(_)
        | Intervention::ShuffleMask(_)
        | Intervention::Export(_) => false,
    }
}

fn change(session: &mut Session, intervention: &Intervention) -> Result<(), RunError> {
    match intervention {
        Intervention::Prune(prune) => prune::prune(session, prune),
        Intervention::Snapshot(named) => {
            let state = session.state_mut();
            let snapshot = Snapshot { network: state.network.clone(), position: Some(state.position) };
            state.snapshots.insert(named.name.clone(), snapshot);
            Ok(())
        }
        Intervention::Graft(graft) => graft::graft(session, graft),
        Intervention::Reinitialize(reinitialize) => reinitialize::reinitialize(session, reinitialize),
        Intervention::Freeze(freeze) => freeze::freeze(session, freeze),
        Intervention::Release(release) => freeze::release(session, release),
        Intervention::Set(set) => edit::set(session, set),
        Intervention::ShuffleMask(shuffle) => edit::shuffle_mask(session, shuffle),
        Intervention::Watch(settings) => {
            session.state_mut().watch = Some(Watch::new(settings.clone()));
            Ok(())
        }
        Intervention::Import(file) => files::import(session, &file.0),
        Intervention::Export(file) => files::export(session, &file.0),
        Intervention::Fault(fault) => faults::put(session, fault),
    }
}

/// Builds a report on the chosen parameters; the summary ends with those that have no entry left.
fn mask_report(kind: &str, summary: String, chosen: &[usize], [before, after]: [&Network; 2]) -> Report {
    let (mut rows, mut emptied) = (Vec::new(), Vec::new());
    for &index in chosen {
        let name = &after.structure().parameters[index].name;
        let [then, now] = [before, after].map(|network| network.mask_counts(index));
        let pruned = i128::from(now.pruned) - i128::from(then.pruned);
        rows.push(vec![
            name.clone(),
            now.size().to_string(),
            pruned.to_string(),
            now.surviving().to_string(),
            percent(now),
        ]);
        if now.is_emptied() {
            emptied.push(name.as_str());
        }
    }
    let columns = ["parameter", "entries", "pruned now", "remaining", "remaining %"];
    if emptied.is_empty() {
        return table(kind, summary, &columns, rows);
    }
    let summary = format!("{summary}; no entry remains in {}", emptied.join(", "));
    table(kind, summary, &columns, rows).warning()
}

/// Returns what holds the entries of a parameter; those outside of the target's channels count as `outside`.
fn entries_in(session: &Session, target: &Target, index: usize, outside: Entry) -> Vec<Entry> {
    let parameter = &session.context.structure.parameters[index];
    let mut entries = session.state().network.all_entries(index);
    for (at, entry) in entries.iter_mut().enumerate() {
        if !targets::has_entry(target, parameter, at) {
            *entry = outside;
        }
    }
    entries
}

/// Formats the surviving share in percent.
fn percent(mask_counts: MaskCounts) -> String {
    format!("{:.2}", 100.0 * mask_counts.surviving() as f64 / mask_counts.size().max(1) as f64)
}

/// Tensors that fit all parameters that they are for.
struct Source {
    /// By the names of the network.
    tensors: BTreeMap<String, FileTensor>,
    /// Positions of the parameters.
    chosen: Vec<usize>,
    /// Remarks on tensors that were converted, renamed, left out or unused.
    notes: Vec<String>,
    /// True where the network does not have some tensors, or the file leaves something open: the report is a warning.
    is_doubtful: bool,
}

impl Source {
    /// Reads a weight file.
    fn from_file(session: &Session, file: &str, target: &Target, reading: Reading) -> Result<Self, RunError> {
        let file = &session.file_name(file);
        let path = session.input_path(file);
        let read = read_for(&session.context.structure, &path, reading.is_mask());
        let Read { tensors, notes, doubts } = read.map_err(|error| session.stage_error(error))?;
        session.check_input(file, &path)?;
        let mut source = Self::new(session, file, tensors, target, reading, &notes)?;
        source.is_doubtful |= !doubts.is_empty();
        source.notes.extend(doubts.into_iter().chain(notes));
        Ok(source)
    }

    /// Refuses tensors that do not fit, with `notes` on what was read.
    fn new(
        session: &Session,
        from: &str,
        tensors: BTreeMap<String, FileTensor>,
        target: &Target,
        reading: Reading,
        notes: &[String],
    ) -> Result<Self, RunError> {
        let structure = &session.context.structure;
        let chosen = reading.parameters(structure, target);
        let fit = Fit::new(structure, &chosen, &shapes_of(&tensors), reading);
        if let Some(refusal) = fit.refusal(from) {
            let details = [&[fit.table()], notes].concat().join("\n");
            return Err(session.stage_error(format!("{refusal}. {details}")));
        }
        let unused = fit.unused(from);
        let is_doubtful = unused.is_some();
        Ok(Self { tensors, chosen, notes: unused.into_iter().collect(), is_doubtful })
    }

    /// Adds the notes on the source to a report; makes it a warning if part of the source is unused, or its use is a
    /// guess.
    fn noted(&self, mut report: Report) -> Report {
        for note in &self.notes {
            report.summary = format!("{}; {note}", report.summary);
        }
        if self.is_doubtful { report.warning() } else { report }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surviving_share_has_two_decimals_and_frozen_entries_survive() {
        assert_eq!(percent(MaskCounts { free: 1, pruned: 2, frozen: 0 }), "33.33");
        assert_eq!(percent(MaskCounts { free: 1, pruned: 1, frozen: 2 }), "75.00");
        assert_eq!(percent(MaskCounts { free: 3, pruned: 0, frozen: 0 }), "100.00");
        assert_eq!(percent(MaskCounts::default()), "0.00", "of nothing, nothing remains");
    }
}
