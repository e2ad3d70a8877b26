//! The network at the end of a run, read from its directory: plain numbers for tables and figures.
//!
//! Reading a large network takes seconds, so the window does it in a thread.

mod chain;
mod masks;
#[cfg(test)]
mod tests;
mod trials;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::context::initial_network;
use super::directory::{MASKS, is_done, spec_of};
use super::evaluate::{files_of_round, spread};
use super::folder::names;
use super::listener::Table;
pub use chain::{chain, paths};
use data::{ClassNames, Inventory, Samples, Standardisation};
use doc::structure::{LayerKind, Misfit, Parameter, Role, Traced};
use doc::{RunSpec, Structure};
pub use intervene::fault::log::{LoggedFault, Stored};
use intervene::{Entry, MaskCounts};
pub use masks::{mask_overlap, mask_overlaps};
use net::weights_file::{FileTensor, read_held, read_tensors};
use net::{LossFunction, Mask, backend, top1};
use results::network::{
    Histogram, LayerSummary, NetworkSummary, ParameterSummary, ParameterValues, shape_text,
};
pub use results::weights::WeightHistogram;
pub use trials::{
    FaultFilter, FaultyTrial, FaultyTrials, SingleCells, TrialFault, TrialFaults, TrialKey,
    read_faulty_trials, read_trial,
};

/// The time at which a network is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    #[default]
    End,
    /// After the training of this step, as [`stored_rounds`] lists them; of a run in progress too.
    Round(usize),
}

/// Reads the network of a run at a moment.
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

/// Summarises the network that a run starts with, without values. Where a layer does not fit, its layers up to that
/// one, and what is wrong.
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

/// Reads the values of one parameter of a run at a moment.
pub fn read_values_at(
    folder: &Path,
    id: &str,
    parameter: &str,
    moment: Moment,
) -> Result<ParameterValues, String> {
    Files::read(folder, id, moment)?.values(parameter)
}

/// Reads the values of all parameters of a run at a moment, statistics of batch norms among them.
pub fn read_all_values_at(
    folder: &Path,
    id: &str,
    moment: Moment,
) -> Result<Vec<(String, ParameterValues)>, String> {
    let files = Files::read(folder, id, moment)?;
    files.tensors.keys().map(|name| Ok((name.clone(), files.values(name)?))).collect()
}

/// Lists the trainings whose network a run has kept, by the numbers of their steps, in their order. [`rounds`] of its
/// record have the same numbers as `step`, with the remaining share of the weights.
///
/// [`rounds`]: results::rounds::rounds
pub fn stored_rounds(folder: &Path, id: &str) -> Vec<usize> {
    let step = |name: &String| name.strip_prefix("step-")?.strip_suffix(".safetensors")?.parse().ok();
    let mut steps: Vec<usize> = names(&folder.join(id).join("rounds")).iter().filter_map(step).collect();
    steps.sort_unstable();
    steps
}

/// Reads the histograms of weights that a run has recorded, in their order.
pub fn read_histograms(folder: &Path, id: &str) -> Vec<WeightHistogram> {
    let text = std::fs::read_to_string(folder.join(id).join(Table::Histograms.file()));
    WeightHistogram::parse(&text.unwrap_or_default())
}

impl Moment {
    /// Returns the files of values and masks.
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
        let [values, masks] = moment.files().map(|file| folder.join(id).join(file));
        let tensors = read_tensors(&values, false).map_err(|error| error.to_string())?.tensors;
        Ok(Self { tensors, masks: read_held(&masks).map_err(|error| error.to_string())? })
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
    let mask_counts = MaskCounts::new(&values.entries);
    let (histogram, [minimum, maximum]) = Histogram::measure(&values.values, &values.entries, dense);
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

/// Summarises a layer from its parameters; without any, nothing is pruned or frozen.
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

/// Samples that are measured where they have to be read from files.
const MEASURED: usize = 1000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum DataPart {
    Training,
    /// Samples held out of the training part.
    Validation,
    #[default]
    Test,
}

/// The samples of a part as networks see them: resized and scaled.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenSamples {
    pub samples: Samples,
    pub classes: ClassNames,
    /// Samples of each class, `[classes]`.
    pub counts: Vec<u64>,
    /// Mean and deviation of each channel, over `measured` samples at equal distances.
    pub channels: Standardisation,
    /// All samples, unless they have to be read from files again and again.
    pub measured: usize,
    pub inventory: Inventory,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The class with the largest logit; `None` where logits are not finite.
    pub class: Option<u32>,
    /// Its probability, in [0, 1]; NaN without a class.
    pub confidence: f64,
}

impl DataPart {
    pub const ALL: [Self; 3] = [Self::Training, Self::Validation, Self::Test];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Training => "Training",
            Self::Validation => "Validation",
            Self::Test => "Test",
        }
    }
}

/// Reads the samples of a part of the data of a run; a folder of data is relative to `base`.
pub fn read_samples(spec: &RunSpec, base: &Path, part: DataPart) -> Result<SeenSamples, String> {
    let data = spec.data.read(spec.net.image_side(), base).map_err(|error| error.to_string())?;
    let inventory = Inventory::from_read(&spec.data, &data);
    let samples = match part {
        DataPart::Training => data.train,
        DataPart::Validation => data.validation,
        DataPart::Test => data.test,
    };
    let measured = if samples.is_streamed() { samples.len().min(MEASURED) } else { samples.len() };
    let of = if measured < samples.len() { &spread(&samples, measured) } else { &samples };
    let channels = Standardisation::measure(of).map_err(|error| error.to_string())?;
    let classes = spec.data.class_names();
    let mut counts = vec![0; classes.len()];
    for label in &samples.labels {
        if let Some(count) = counts.get_mut(*label as usize) {
            *count += 1;
        }
    }
    Ok(SeenSamples { samples, classes, counts, channels, measured, inventory })
}

/// Predicts the class of each of the samples by the network of a run at a moment, in evaluation mode.
pub fn predict(
    folder: &Path,
    id: &str,
    moment: Moment,
    samples: &Samples,
) -> Result<Vec<Prediction>, String> {
    let files = Files::read(folder, id, moment)?;
    let spec = spec_of(folder, id)?;
    let structure = Arc::new(spec.structure().map_err(|misfit| misfit.to_string())?);
    if samples.shape != structure.input {
        return Err(format!("the network takes {}, and the data are {}", structure.input, samples.shape));
    }
    let (mut values, mut masks) = (Vec::new(), Vec::new());
    for parameter in &structure.parameters {
        let read = files.values(&parameter.name)?;
        values.push(Arc::new(read.values));
        masks.push(Mask::new(read.entries).map(Arc::new));
    }
    let network = initial_network(&spec, structure.clone(), 0).with_arrays(values, masks)?;
    let compute = backend(&spec.device, &spec.train.kernels).map_err(|error| error.to_string())?;
    let loss = LossFunction::new(spec.train.loss.clone(), structure.output.clone(), structure.outputs);
    let mut predictions = Vec::with_capacity(samples.len());
    for part in samples.batches(spec.train.evaluation_batch) {
        let (inputs, labels) = part.map_err(|error| error.to_string())?;
        let logits = compute.logits(&network, &inputs, labels.len());
        predictions.extend(logits.chunks_exact(structure.outputs).map(|row| prediction(&loss, row)));
    }
    Ok(predictions)
}

fn prediction(loss: &LossFunction, logits: &[f32]) -> Prediction {
    let class = top1(logits);
    let probability = |class: u32| loss.probabilities(logits).get(class as usize).copied();
    Prediction { class, confidence: class.and_then(probability).unwrap_or(f64::NAN) }
}
