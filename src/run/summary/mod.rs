//! The network at the end of a run, read from its directory: plain numbers for tables and figures.
//!
//! Reading a large network takes seconds, so the window does it in a thread.

mod chain;
mod faulty_trials;
mod predictions;
mod trial;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::context::initial_network;
use super::directory::{MASKS, is_done, spec_of};
use super::tables::Table;
use super::weights::files_of_round;
pub use chain::{chain, paths};
use doc::structure::{LayerKind, Misfit, Parameter, Role, Traced};
use doc::{RunSpec, Structure};
pub use faulty_trials::{FaultFilter, FaultyTrial, FaultyTrials, SingleCells, read_faulty_trials};
pub use intervene::fault::log::{LoggedFault, Stored};
use intervene::{Entry, MaskCounts};
use net::mask_file::read_masks;
use net::weights_file::{FileTensor, read_tensors};
pub use predictions::{DataPart, Prediction, SeenSamples, predict, read_samples};
use results::network::{
    Histogram, LayerSummary, NetworkSummary, ParameterSummary, ParameterValues, shape_text,
};
pub use results::weights::WeightHistogram;
pub use trial::{TrialFault, TrialFaults, TrialKey, read_trial};

/// When a network is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// At the end of a finished run.
    #[default]
    End,
    /// After the training of this step, as [`stored_rounds`] lists them; of a run in progress too.
    Round(usize),
}

/// The network at the end of a finished run.
///
/// # Errors
/// When the run has not finished, or its files cannot be read.
pub fn read_summary(folder: &Path, id: &str) -> Result<NetworkSummary, String> {
    read_summary_at(folder, id, Moment::End)
}

/// The network of a run at a moment.
///
/// # Errors
/// When it is not there, or its files cannot be read.
pub fn read_summary_at(folder: &Path, id: &str, moment: Moment) -> Result<NetworkSummary, String> {
    let files = Files::read(folder, id, moment)?;
    let spec = spec_of(folder, id)?;
    let structure = Arc::new(spec.structure().map_err(|misfit| misfit.to_string())?);
    let dense = initial_network(&spec, structure.clone(), 0);
    let mut parameters = Vec::new();
    for (index, parameter) in structure.parameters.iter().enumerate() {
        parameters.push(summary_of(parameter, &files.values(&parameter.name)?, dense.values(index)));
    }
    Ok(network_of(&structure, parameters))
}

/// The network that a run starts with, without values: nothing is held. Where a layer does not fit, its layers up to
/// that one, and what is wrong.
pub fn planned_summary(spec: &RunSpec) -> (NetworkSummary, Option<Misfit>) {
    match spec.trace() {
        Ok(Traced { structure, misfit, .. }) => (network_of(&structure, Vec::new()), misfit),
        Err(unknown) => (NetworkSummary::default(), Some(unknown)),
    }
}

fn network_of(structure: &Structure, parameters: Vec<ParameterSummary>) -> NetworkSummary {
    let layers = (0..structure.layers.len()).map(|layer| layer_of(structure, layer, &parameters)).collect();
    NetworkSummary { chain: chain(structure), layers, parameters }
}

/// The values of one parameter of a finished run.
///
/// # Errors
/// As [`read_summary`], and when the parameter does not exist.
pub fn read_values(folder: &Path, id: &str, parameter: &str) -> Result<ParameterValues, String> {
    read_values_at(folder, id, parameter, Moment::End)
}

/// The values of one parameter of a run at a moment.
///
/// # Errors
/// As [`read_summary_at`], and when the parameter does not exist.
pub fn read_values_at(
    folder: &Path,
    id: &str,
    parameter: &str,
    moment: Moment,
) -> Result<ParameterValues, String> {
    Files::read(folder, id, moment)?.values(parameter)
}

/// The values of all parameters of a run at a moment, by their names, statistics of batch norms among them.
///
/// # Errors
/// As [`read_summary_at`].
pub fn read_all_values_at(
    folder: &Path,
    id: &str,
    moment: Moment,
) -> Result<Vec<(String, ParameterValues)>, String> {
    let files = Files::read(folder, id, moment)?;
    files.tensors.keys().map(|name| Ok((name.clone(), files.values(name)?))).collect()
}

/// The trainings whose network a run has kept, by the numbers of their steps, in their order. [`rounds`] of its record
/// have the same numbers as `step`, with the remaining share of the weights.
///
/// [`rounds`]: results::rounds::rounds
pub fn stored_rounds(folder: &Path, id: &str) -> Vec<usize> {
    let Ok(files) = std::fs::read_dir(folder.join(id).join("rounds")) else { return Vec::new() };
    let step = |file: std::io::Result<std::fs::DirEntry>| -> Option<usize> {
        let name = file.ok()?.file_name();
        name.to_str()?.strip_prefix("step-")?.strip_suffix(".safetensors")?.parse().ok()
    };
    let mut steps: Vec<usize> = files.filter_map(step).collect();
    steps.sort_unstable();
    steps
}

/// The masks that a run has kept after the training of a step, by parameter; parameters without held entries are left out.
///
/// # Errors
/// When the files cannot be read.
pub fn read_masks_at(
    folder: &Path,
    id: &str,
    moment: Moment,
) -> Result<BTreeMap<String, Vec<Entry>>, String> {
    let [_, masks] = moment.files();
    read_masks(&folder.join(id).join(masks)).map_err(|error| error.to_string())
}

/// The histograms of weights that a run has recorded, in their order; nothing where it has recorded none.
pub fn read_histograms(folder: &Path, id: &str) -> Vec<WeightHistogram> {
    let text = std::fs::read_to_string(folder.join(id).join(Table::Histograms.file()));
    WeightHistogram::of_lines(&text.unwrap_or_default())
}

impl Moment {
    /// The files of values and masks.
    fn files(self) -> [String; 2] {
        match self {
            Self::End => ["weights.safetensors", MASKS].map(str::to_owned),
            Self::Round(step) => files_of_round(step),
        }
    }
}

struct Files {
    tensors: BTreeMap<String, FileTensor>,
    masks: BTreeMap<String, Vec<Entry>>,
}

impl Files {
    fn read(folder: &Path, id: &str, moment: Moment) -> Result<Self, String> {
        if moment == Moment::End && !is_done(folder, id) {
            return Err("the run is not done; it writes its weights at the end".to_owned());
        }
        let [values, _] = moment.files();
        let tensors = read_tensors(&folder.join(id).join(values)).map_err(|error| error.to_string())?.tensors;
        Ok(Self { tensors, masks: read_masks_at(folder, id, moment)? })
    }

    fn values(&self, name: &str) -> Result<ParameterValues, String> {
        let tensor = self.tensors.get(name).ok_or_else(|| format!("the run has no parameter {name}"))?;
        let free = || vec![Entry::Free; tensor.values.len()];
        let entries = self.masks.get(name).filter(|entries| entries.len() == tensor.values.len());
        let entries = entries.cloned().unwrap_or_else(free);
        Ok(ParameterValues { shape: tensor.shape.clone(), values: tensor.values.clone(), entries })
    }
}

fn summary_of(parameter: &Parameter, values: &ParameterValues, dense: &[f32]) -> ParameterSummary {
    let mask_counts = MaskCounts::of(&values.entries);
    let (histogram, [minimum, maximum]) = Histogram::of(&values.values, &values.entries, dense);
    ParameterSummary {
        name: parameter.name.clone(),
        shape: parameter.shape.clone(),
        minimum,
        maximum,
        histogram,
        pruned: mask_counts.pruned,
        frozen: mask_counts.frozen,
    }
}

/// The summary of a layer from those of its parameters; without any, nothing is pruned or frozen.
fn layer_of(structure: &Structure, position: usize, parameters: &[ParameterSummary]) -> LayerSummary {
    let layer = &structure.layers[position];
    let own = || layer.parameters.iter().map(|&index| (&structure.parameters[index], parameters.get(index)));
    let size = |parameter: &Parameter| parameter.len() as u64;
    let weight = own().find(|(parameter, _)| parameter.role == Role::Weight);
    let weights = weight.map_or(0, |(parameter, _)| size(parameter));
    let pruned = weight.and_then(|(_, summary)| summary).map_or(0, |summary| summary.pruned);
    let remaining = weights - pruned.min(weights);
    LayerSummary {
        name: layer.name.clone(),
        kind: match layer.kind {
            LayerKind::Linear => "Linear",
            LayerKind::Convolution(_) => "Convolution",
            LayerKind::BatchNorm => "Batch norm",
        },
        shape: shape_text(own().next().map_or(&[], |(parameter, _)| &parameter.shape)),
        parameters: own().filter(|(parameter, _)| parameter.role.is_trained()).map(|(p, _)| size(p)).sum(),
        weights,
        remaining,
        frozen: own().filter_map(|(_, summary)| summary).map(|summary| summary.frozen).sum(),
        multiply_adds: layer.multiply_adds(weights),
        surviving_multiply_adds: layer.multiply_adds(remaining),
    }
}

#[cfg(any(test, feature = "testing"))]
#[allow(clippy::unwrap_used, reason = "tests may stop with a panic")]
pub mod testing;
#[cfg(test)]
mod tests;
