//! Carries out interventions on the present network, and reports what they did.

mod edit;
mod files;
mod freeze;
mod graft;
mod left;
mod prune;
mod reinitialize;

use super::error::RunError;
use super::faults;
use super::session::Session;
use crate::doc::Intervention;
use crate::results::Report;

/// Changes the present network as the intervention says.
pub fn carry_out(session: &mut Session, intervention: &Intervention) -> Result<(), RunError> {
    match intervention {
        Intervention::Prune(prune) => prune::prune(session, prune),
        Intervention::Snapshot(snapshot) => {
            let state = session.state_mut();
            let kept = state.snapshot();
            state.kept.insert(snapshot.name.clone(), kept);
            Ok(())
        }
        Intervention::Graft(graft) => graft::graft(session, graft),
        Intervention::Reinitialize(reinitialize) => reinitialize::reinitialize(session, reinitialize),
        Intervention::Freeze(freeze) => freeze::freeze(session, freeze),
        Intervention::Release(release) => freeze::release(session, release),
        Intervention::Set(set) => edit::set(session, set),
        Intervention::ShuffleMask(shuffle) => edit::shuffle_mask(session, shuffle),
        Intervention::Watch(_) => Ok(()), // training asks; see the watch
        Intervention::Import(file) => files::import(session, file),
        Intervention::Export(file) => files::export(session, file),
        Intervention::Fault(fault) => faults::put(session, fault),
    }
}

/// A report with a table.
fn table(kind: &str, summary: String, columns: &[&str], rows: Vec<Vec<String>>) -> Report {
    let columns = columns.iter().map(ToString::to_string).collect();
    Report { kind: kind.to_owned(), summary, columns, rows, ..Report::default() }
}
