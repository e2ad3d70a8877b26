//! Weights and masks as files, in the middle of a plan.

use std::path::Path;

use super::{Source, graft, mask_report};
use crate::error::RunError;
use crate::session::{Session, report};
use doc::file_names::{EXPORTS, stays_inside};
use doc::intervention::{FileContent, Params, WeightFile};
use doc::plan::Reading;
use doc::targets;
use intervene::Entry;
use net::weights_file::{note_of_writer, tensors_of, write_state_dict, write_tensors};
use results::Report;

/// Reads values, or the zeros of a file as a mask.
pub fn import(session: &mut Session, file: &WeightFile) -> Result<(), RunError> {
    let source = |session: &Session, reading| Source::from_file(session, &file.file, &file.target, reading);
    let report = match file.content {
        FileContent::Values => {
            let source = source(session, Reading::Copies)?;
            graft::copy(session, &source, &file.target, &file.file)
        }
        FileContent::Mask => {
            let source = source(session, Reading::Prunes)?;
            mask(session, &source, file)
        }
    };
    session.report(report)
}

fn mask(session: &mut Session, source: &Source, file: &WeightFile) -> Report {
    let structure = session.context.structure.clone();
    let Source { tensors, chosen, .. } = source;
    let before = session.state().network.clone();
    let network = &mut session.state_mut().network;
    for &index in chosen {
        let parameter = &structure.parameters[index];
        let entries = network.all_entries(index);
        let values = tensors[&parameter.name].values.iter();
        let zeros = values.zip(&entries).enumerate().filter(|(at, (value, entry))| {
            **value == 0.0 && entry.is_free() && targets::has_entry(&file.target, parameter, *at)
        });
        let zeros: Vec<u32> = zeros.filter_map(|(at, _)| u32::try_from(at).ok()).collect();
        network.prune(index, &zeros);
    }
    let summary =
        format!("the zeros of {} are the mask: {:.2} % remain", file.file, 100.0 * network.remaining());
    source.noted(mask_report("mask", summary, chosen, [&before, network]))
}

/// Writes values, or the mask as ones and zeros, into a file below the exports of the run.
pub fn export(session: &mut Session, file: &WeightFile) -> Result<(), RunError> {
    let structure = session.context.structure.clone();
    let chosen = targets::parameters(&structure, &file.target, &Params::Everything);
    let network = &session.state().network;
    let mut tensors = tensors_of(network);
    tensors.retain(|name, _| chosen.iter().any(|&index| structure.parameters[index].name == *name));
    if file.content == FileContent::Mask {
        for &index in &chosen {
            let entries = network.all_entries(index);
            let ones = entries.iter().map(|entry| if *entry == Entry::Pruned { 0.0 } else { 1.0 });
            if let Some(tensor) = tensors.get_mut(&structure.parameters[index].name) {
                tensor.values = ones.collect();
            }
        }
    }
    let name = session.file_name(&file.file);
    if !stays_inside(&name) {
        return Err(
            session.stage_error(format!("{name} is not inside the run's exports; choose another name"))
        );
    }
    let inside = Path::new(EXPORTS).join(&name);
    let path = session.context.output.join(&inside);
    let on_the_way = inside.ancestors().filter(|part| !part.as_os_str().is_empty());
    let links = on_the_way.map(|part| session.context.output.join(part)).filter(|path| path.is_symlink());
    if let Some(link) = links.last() {
        return Err(session.stage_error(format!(
            "{} is a link, and exports stay in the run's directory; remove it, or choose another name",
            link.display()
        )));
    }
    session.listener.may_write()?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(RunError::disk(folder))?;
    }
    let (arm, seed) = (session.context.arm.as_str(), session.context.spec.seed);
    let about =
        Some(note_of_writer(&[("arm", arm.into()), ("seed", seed.into())], &session.context.spec.data));
    let written = match file.content {
        FileContent::Values => {
            let batches = session.state().position.iteration;
            write_state_dict(&path, &structure, &tensors, batches, about)
        }
        FileContent::Mask => write_tensors(&path, &tensors, about),
    };
    written.map_err(|error| session.stage_error(error))?;
    let summary = format!("wrote {} tensors to {EXPORTS}/{name}", tensors.len());
    session.report(report("export", summary))
}
