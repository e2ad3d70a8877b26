//! Copying by name: from a snapshot, a branch or a file; with a check of shapes, all or nothing, by value.

use std::collections::BTreeMap;

use crate::doc::file_names::is_file;
use crate::doc::intervention::{Graft, Params};
use crate::doc::{Target, targets};
use crate::form::number::grouped;
use crate::net::Written;
use crate::net::weights_file::{FileTensor, tensors_of};
use crate::results::Report;
use crate::run::error::RunError;
use crate::run::session::Session;
use crate::run::state::Position;
use crate::run::weight_files::{Fit, Shapes, read_for};

/// Copies what the target means into the present network.
///
/// A whole graft from a snapshot puts the position back and starts a new optimizer; a graft of a part, or from a branch,
/// a member or a file, does neither.
pub fn graft(session: &mut Session, graft: &Graft) -> Result<(), RunError> {
    let Source { tensors, notes, position } = source(session, &graft.from)?;
    if graft.weights {
        let report = copy(session, &tensors, &notes, &graft.target, &graft.from)?;
        session.report(report)?;
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
    session.report(super::report("graft", summary))
}

/// Tensors of a file that are named when the network has none of their names.
const SOME: usize = 5;

/// What is copied from.
struct Source {
    tensors: BTreeMap<String, FileTensor>,
    /// What was converted, renamed or left out.
    notes: Vec<String>,
    position: Option<Position>,
}

fn source(session: &Session, from: &str) -> Result<Source, RunError> {
    if let Some(kept) = session.state().kept.get(from) {
        let tensors = tensors_of(&kept.network);
        return Ok(Source { tensors, notes: Vec::new(), position: kept.position });
    }
    if is_file(from) {
        let (tensors, notes) = read_for(&session.context.structure, &session.input_path(from), false)?;
        return Ok(Source { tensors, notes, position: None });
    }
    Err(session.stage_error(format!("there is no snapshot, branch or weight file \"{from}\"")))
}

/// Copies by name, after all names and shapes are found to fit. `notes` are about the source.
pub fn copy(
    session: &mut Session,
    source: &BTreeMap<String, FileTensor>,
    notes: &[String],
    target: &Target,
    from: &str,
) -> Result<Report, RunError> {
    let structure = session.context.structure.clone();
    let chosen = targets::parameters(&structure, target, &Params::Everything);
    let shapes: Shapes = source.iter().map(|(name, tensor)| (name.clone(), tensor.shape.clone())).collect();
    let fit = Fit::of(&structure, &chosen, &shapes);
    if !fit.fits() {
        return Err(session.stage_error(format!(
            "{from} does not fit this network; nothing was copied. Choose a source of the same network, or a target \
                without what differs. {}",
            fit.table()
        )));
    }
    let mut rows = Vec::new();
    let mut total = Written::default();
    for &index in &chosen {
        let parameter = &structure.parameters[index];
        let network = &mut session.state_mut().network;
        let inside = |entry: usize| targets::has_entry(target, parameter, entry);
        let written = network.write_inside(index, &source[&parameter.name].values, &inside);
        total += written;
        let shape = parameter.shape.iter().map(ToString::to_string).collect::<Vec<_>>().join("×");
        rows.push(vec![
            parameter.name.clone(),
            shape,
            written.taken.to_string(),
            written.dropped.to_string(),
        ]);
    }
    let mut summary = format!("copied {} parameters from {from}", chosen.len());
    let others = structure.parameters.len() - chosen.len();
    if others > 0 {
        summary = format!("{summary}, left {others} unchanged");
    }
    let extra: Vec<&str> =
        source.keys().map(String::as_str).filter(|name| structure.find(name).is_none()).collect();
    if !extra.is_empty() {
        let some = extra.iter().take(SOME).copied().collect::<Vec<_>>().join(", ");
        let more = extra.len().saturating_sub(SOME);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        summary = format!("{summary}; {from} also has {some}{more}, which this network does not have");
    }
    if total.dropped > 0 {
        summary = format!(
            "{summary}; {} values for pruned or frozen weights were dropped",
            grouped(total.dropped as u64)
        );
    }
    for note in notes {
        summary = format!("{summary}; {note}");
    }
    Ok(super::table("graft", summary, &["parameter", "shape", "copied", "dropped"], rows))
}
