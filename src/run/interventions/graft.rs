//! Copying by name: from a snapshot, a branch or a file; with a check of shapes, all or nothing, by value.

use std::collections::BTreeMap;

use crate::doc::file_names::is_file;
use crate::doc::intervention::{Graft, Params};
use crate::doc::{Target, targets};
use crate::form::number::grouped;
use crate::net::Written;
use crate::net::weights_file::{FileTensor, read_tensors, tensors_of};
use crate::results::Report;
use crate::run::error::RunError;
use crate::run::session::Session;
use crate::run::state::Position;

/// Copies what the target means into the present network.
///
/// A whole graft from a snapshot puts the position back and starts a new optimizer; a graft of a part, or from a branch,
/// a member or a file, does neither.
pub fn graft(session: &mut Session, graft: &Graft) -> Result<(), RunError> {
    let (source, position) = source(session, &graft.from)?;
    if graft.weights {
        let report = copy(session, &source, &graft.target, &graft.from)?;
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

type Source = BTreeMap<String, FileTensor>;

fn source(session: &Session, from: &str) -> Result<(Source, Option<Position>), RunError> {
    if let Some(kept) = session.state().kept.get(from) {
        return Ok((tensors_of(&kept.network), kept.position));
    }
    if is_file(from) {
        let (tensors, _) = read_tensors(&session.input_path(from))?;
        return Ok((tensors, None));
    }
    Err(session.stage_error(format!("there is no snapshot, branch or weight file \"{from}\"")))
}

/// Copies by name, after all names and shapes are found to fit.
pub fn copy(session: &mut Session, source: &Source, target: &Target, from: &str) -> Result<Report, RunError> {
    let structure = session.context.structure.clone();
    let chosen = targets::parameters(&structure, target, &Params::Everything);
    for &index in &chosen {
        let parameter = &structure.parameters[index];
        let shape = source.get(&parameter.name).map(|tensor| &tensor.shape);
        if shape != Some(&parameter.shape) {
            let found = shape
                .map_or("no floating-point tensor of that name".to_owned(), |shape| format!("{shape:?}"));
            return Err(session.stage_error(format!(
                "{} has shape {:?} here, and {from} has {found}; nothing was copied. Choose a source of the \
                    same network, or a target without it",
                parameter.name, parameter.shape
            )));
        }
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
    Ok(super::table("graft", summary, &["parameter", "shape", "copied", "dropped"], rows))
}
