//! Carries out interventions on the present network, and reports what they did.

mod edit;
mod files;
mod freeze;
mod graft;
mod mask_report;
mod prune;
mod reinitialize;
mod source;
pub mod watch;

use super::error::RunError;
use super::session::Session;
use super::{faults, sharing};
use doc::Intervention;
use results::Report;

/// Changes the present network as the intervention says; members of an ensemble keep sharing what they share.
pub fn carry_out(session: &mut Session, intervention: &Intervention) -> Result<(), RunError> {
    let before = sharing::before(session.state());
    change(session, intervention)?;
    if intervention.rule().ends_past() {
        watch::clear(session.state_mut());
    }
    sharing::after(session, before)?;
    session.state_mut().forget_held();
    Ok(())
}

fn change(session: &mut Session, intervention: &Intervention) -> Result<(), RunError> {
    match intervention {
        Intervention::Prune(prune) => prune::prune(session, prune),
        Intervention::Snapshot(snapshot) => {
            session.state_mut().keep_snapshot(&snapshot.name);
            Ok(())
        }
        Intervention::Graft(graft) => graft::graft(session, graft),
        Intervention::Reinitialize(reinitialize) => reinitialize::reinitialize(session, reinitialize),
        Intervention::Freeze(freeze) => freeze::freeze(session, freeze),
        Intervention::Release(release) => freeze::release(session, release),
        Intervention::Set(set) => edit::set(session, set),
        Intervention::ShuffleMask(shuffle) => edit::shuffle_mask(session, shuffle),
        Intervention::Watch(settings) => {
            watch::watch(session.state_mut(), settings);
            Ok(())
        }
        Intervention::Import(file) => files::import(session, &file.0),
        Intervention::Export(file) => files::export(session, &file.0),
        Intervention::Fault(fault) => faults::put(session, fault),
    }
}

/// A report without a table.
fn report(kind: &str, summary: String) -> Report {
    Report { kind: kind.to_owned(), summary, ..Report::default() }
}

/// A report with a table.
fn table(kind: &str, summary: String, columns: &[&str], rows: Vec<Vec<String>>) -> Report {
    let columns = columns.iter().map(ToString::to_string).collect();
    Report { columns, rows, ..report(kind, summary) }
}
