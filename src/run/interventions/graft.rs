//! Copying by name: from a snapshot, a branch or a file; with a check of shapes, all or nothing, by value.

use super::Source;
use crate::error::RunError;
use crate::session::{Session, report, table};
use doc::file_names::is_file;
use doc::intervention::Graft;
use doc::plan::Reading;
use doc::{Target, targets};
use form::number::grouped;
use net::Written;
use net::weights_file::tensors_of;
use results::Report;
use results::network::shape_text;

/// Copies what the target means into the present network.
///
/// A whole graft from a snapshot puts the position back and starts a new optimizer; a graft of a part, or from a branch,
/// a member or a file, does neither.
pub fn graft(session: &mut Session, graft: &Graft) -> Result<(), RunError> {
    let position = session.state().snapshots.get(&graft.from).and_then(|snapshot| snapshot.position);
    if graft.weights {
        let source = source(session, graft)?;
        let copied = copy(session, &source, &graft.target, &graft.from);
        session.report(copied)?;
    }
    let Some(position) = position else {
        if graft.weights {
            return Ok(());
        }
        return Err(session
            .stage_error(format!("{} has no position to rewind to; only a snapshot has one", graft.from)));
    };
    if !targets::is_whole(&session.context.structure, &graft.target) {
        return Ok(());
    }
    let state = session.state_mut();
    state.position = position;
    if graft.weights {
        state.restart_optimizer();
        return Ok(());
    }
    let summary = format!(
        "rewound to iteration {} of {}; weights and optimizer are unchanged",
        position.iteration, graft.from
    );
    session.report(report("graft", summary))
}

fn source(session: &Session, Graft { from, target, .. }: &Graft) -> Result<Source, RunError> {
    if let Some(snapshot) = session.state().snapshots.get(from) {
        let tensors = tensors_of(&snapshot.network);
        return Source::new(session, from, tensors, target, Reading::Copies, &[]);
    }
    if is_file(from) {
        return Source::from_file(session, from, target, Reading::Copies);
    }
    Err(session.stage_error(format!("there is no snapshot, branch or weight file \"{from}\"")))
}

/// Copies tensors by name, and reports what is copied.
pub fn copy(session: &mut Session, source: &Source, target: &Target, from: &str) -> Report {
    let structure = session.context.structure.clone();
    let Source { tensors, chosen, .. } = source;
    let mut rows = Vec::new();
    let mut total = Written::default();
    for &index in chosen {
        let parameter = &structure.parameters[index];
        let network = &mut session.state_mut().network;
        let inside = |entry: usize| targets::has_entry(target, parameter, entry);
        let written = network.write_inside(index, &tensors[&parameter.name].values, &inside);
        total += written;
        rows.push(vec![
            parameter.name.clone(),
            shape_text(&parameter.shape),
            written.taken.to_string(),
            written.dropped.to_string(),
        ]);
    }
    let mut summary = format!("copied {} parameters from {from}", chosen.len());
    let others = structure.parameters.len() - chosen.len();
    if others > 0 {
        summary = format!("{summary}, left {others} unchanged");
    }
    if total.dropped > 0 {
        summary = format!(
            "{summary}; {} values for pruned or frozen weights were dropped",
            grouped(total.dropped as u64)
        );
    }
    source.noted(table("graft", summary, &["parameter", "shape", "copied", "dropped"], rows))
}
