//! The samples that a network sees, and the class that it predicts for each.

use std::path::Path;
use std::sync::Arc;

use super::{Files, Moment};
use crate::context::initial_network;
use crate::directory::spec_of;
use data::{ClassNames, Inventory, Samples, Standardisation};
use doc::RunSpec;
use net::{LossFunction, Mask, backend, top1};

/// Samples that are measured where they have to be read from files.
const MEASURED: usize = 1000;

/// A part of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum DataPart {
    /// What networks are trained on.
    Training,
    /// What was held out of it.
    Validation,
    /// What networks are tested on.
    #[default]
    Test,
}

/// The samples of a part as networks see them: resized and scaled.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenSamples {
    /// The samples.
    pub samples: Samples,
    /// Names of the classes, `[classes]`.
    pub classes: ClassNames,
    /// Samples of each class, `[classes]`.
    pub counts: Vec<u64>,
    /// Mean and deviation of each channel, over `measured` samples at equal distances.
    pub channels: Standardisation,
    /// All samples, unless they have to be read from files again and again.
    pub measured: usize,
    /// What was found in all parts.
    pub inventory: Inventory,
}

/// What a network predicts for a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The class with the largest logit; `None` where logits are not finite.
    pub class: Option<u32>,
    /// Its probability, in [0, 1]; NaN without a class.
    pub confidence: f64,
}

impl DataPart {
    /// All parts.
    pub const ALL: [Self; 3] = [Self::Training, Self::Validation, Self::Test];

    /// Its name: "Test".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Training => "Training",
            Self::Validation => "Validation",
            Self::Test => "Test",
        }
    }
}

/// The samples of a part of the data of a run; a folder of data is relative to `base`.
///
/// # Errors
/// What cannot be read, where it was looked for, and where to get it.
pub fn read_samples(spec: &RunSpec, base: &Path, part: DataPart) -> Result<SeenSamples, String> {
    let data = spec.data.read(spec.net.image_side(), base).map_err(|error| error.to_string())?;
    let inventory = Inventory::of_read(&spec.data, &data);
    let samples = match part {
        DataPart::Training => data.train,
        DataPart::Validation => data.validation,
        DataPart::Test => data.test,
    };
    let measured = if samples.is_streamed() { samples.len().min(MEASURED) } else { samples.len() };
    let of = if measured < samples.len() { &spread(&samples, measured) } else { &samples };
    let channels = Standardisation::of(of).map_err(|error| error.to_string())?;
    let classes = spec.data.class_names();
    let mut counts = vec![0; classes.len()];
    for label in &samples.labels {
        if let Some(count) = counts.get_mut(*label as usize) {
            *count += 1;
        }
    }
    Ok(SeenSamples { samples, classes, counts, channels, measured, inventory })
}

/// So many samples at equal distances.
fn spread(samples: &Samples, count: usize) -> Samples {
    let indices = (0..count).map(|index| (index * samples.len() / count) as u32);
    samples.pick(&indices.collect::<Vec<_>>())
}

/// What the network of a run at a moment predicts for each of the samples, in evaluation mode.
///
/// # Errors
/// When the run has no network at that moment, its files cannot be read, or the samples do not fit it.
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
    let batch = spec.train.evaluation_batch;
    let mut predictions = Vec::with_capacity(samples.len());
    for part in samples.batches(batch) {
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
