//! Trials again, from the log of their faults: the logits must be the same, bit for bit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::setup::{Identity, Setup, placed};
use super::thread_map;
use super::trial::{ReplayedImage, TrialFaults};
use crate::context::{Datasets, RunContext};
use crate::directory::spec_of;
use crate::listener::Table;
use crate::program::{Op, ProgramStep, data_settings, program};
use data::{ClassNames, Data, DataError, Dataset, Samples, Shape};
use doc::fault::Campaign;
use doc::structure::Parameter;
use doc::{RunSpec, Stage, stage_number};
use intervene::fault::StreamCounters;
use intervene::fault::log::{LineError, Logged, PlacedFault, read_campaign};
use net::weights_file::{FileTensor, read_held, read_tensors, write_tensors};
use net::{Mask, Network, backend};

/// A request for trials: everything, or one campaign, or one trial of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    pub trial: Option<u64>,
    /// Only the campaign of this name, as files have it: its place in the plan, counted from 0.
    pub campaign: Option<String>,
    /// Only the campaign of this stage, as plans show it: counted from 1.
    pub stage: Option<String>,
    pub round: Option<u64>,
    /// Folder that paths of the experiment are relative to; by default, the one that has the folder of runs.
    pub base: Option<PathBuf>,
    /// True to return the outcome of each image, and the first changed images as pictures.
    pub has_images: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    pub campaign: String,
    pub round: Option<u64>,
    pub trial: u64,
    pub faults: usize,
    /// SHA-256 over the logits, as the run wrote it.
    pub expected: String,
    pub found: String,
    /// Its images in the order of the test part, if they were asked for.
    pub images: Vec<ReplayedImage>,
    /// The settings of the run, with the data that the campaign saw: those of its branch.
    pub spec: Arc<RunSpec>,
    pub classes: ClassNames,
    /// The first images that were changed, if images were asked for and the data are images.
    pub pictures: Vec<Picture>,
}

/// An image of the data, as the network sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub image: usize,
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// Red, green and blue of each pixel, row by row; the lowest value of the image is 0 and the highest 255.
    pub pixels: Vec<[u8; 3]>,
}

const PICTURES: usize = 60;

impl Picture {
    /// Turns a sample of image data into a picture.
    pub fn new(samples: &Samples, image: usize) -> Result<Self, DataError> {
        let Shape { channels, height, width } = samples.shape;
        let values = samples.sample(image)?;
        let (low, high) = values.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), value| {
            (low.min(*value), high.max(*value))
        });
        let byte = |value: f32| (255.0 * (value - low) / (high - low).max(f32::MIN_POSITIVE)).round() as u8;
        let plane = height * width;
        let first_of = |colour: usize| if channels >= 3 { colour * plane } else { 0 };
        let pixel = |at: usize| [0, 1, 2].map(|colour| byte(values[first_of(colour) + at]));
        Ok(Self { image, size: [width, height], pixels: (0..plane).map(pixel).collect() })
    }
}

impl Replayed {
    /// Returns true if all logits have the same bits.
    pub fn is_equal(&self) -> bool {
        self.expected == self.found
    }
}

/// Injects the logged faults of a run directory into its weights again, and hashes the logits.
pub fn replay(directory: &Path, ask: &Replay) -> Result<Vec<Replayed>, String> {
    let (spec, base) = spec_and_base(directory, ask.base.as_deref())?;
    let steps = program(&spec.plan);
    if !steps.iter().any(|step| matches!(step.op, Op::Stage(Stage::Campaign(_)))) {
        return Err(format!(
            "the plan of {} has no Campaign stage; only campaigns can be replayed, since a Fault stage acts on \
                a network that changes",
            directory.display()
        ));
    }
    let hashes = hashes(directory, ask)?;
    let faults = read(&directory.join(Table::Faults.file())).unwrap_or_default();
    let mut replayed = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let Op::Stage(Stage::Campaign(stage)) = &step.op else { continue };
        let identity = Identity::new(&steps, number);
        let Some(trials) = hashes.get(&(identity.name.clone(), identity.round)) else { continue };
        let (data, seen) = data_of(&spec, &steps[..number], &base)?;
        let compute = backend(&spec.device, &spec.train.kernels).map_err(|error| error.to_string())?;
        let (arm, base, output) = (String::new(), base.clone(), directory.to_owned());
        let context = RunContext::new(spec.clone(), arm, data, compute, base, output)
            .map_err(|misfit| misfit.to_string())?;
        let spec = Arc::new(RunSpec { data: seen, ..spec.clone() });
        replayed.extend(campaign(&context, &spec, stage, identity, &faults, trials, ask.has_images)?);
    }
    if replayed.is_empty() {
        return Err("no campaign of the plan has these trials".to_owned());
    }
    Ok(replayed)
}

/// Writes the test images that campaigns of a run see, and their labels, for another program: tensors `images`
/// `[n, channels, height, width]` and `labels` `[n]`. Campaigns in branches with other data see other images.
pub fn write_images(directory: &Path, base: Option<&Path>, to: &Path) -> Result<usize, String> {
    let (spec, base) = spec_and_base(directory, base)?;
    let (data, _) = data_of(&spec, &[], &base)?;
    let test = &data.test;
    let Shape { channels, height, width } = test.shape;
    let values = test.values().map_err(|error| error.to_string())?;
    let images = FileTensor { shape: vec![test.len(), channels, height, width], values: values.into_owned() };
    let labels = test.labels.iter().map(|&label| label as f32).collect();
    let labels = FileTensor { shape: vec![test.len()], values: labels };
    let tensors = BTreeMap::from([("images".to_owned(), images), ("labels".to_owned(), labels)]);
    write_tensors(to, &tensors, None).map_err(|error| error.to_string())?;
    Ok(test.len())
}

/// Reads the spec from a run directory, and returns the base folder for its relative paths.
fn spec_and_base(directory: &Path, base: Option<&Path>) -> Result<(RunSpec, PathBuf), String> {
    let (Some(folder), Some(id)) = (directory.parent(), directory.file_name().and_then(|name| name.to_str()))
    else {
        return Err(format!("{} is not a run directory", directory.display()));
    };
    let base = base.or_else(|| folder.parent()).unwrap_or(folder);
    Ok((spec_of(folder, id)?, base.to_owned()))
}

/// Reads the hashes that the run wrote, by campaign and round, those that were asked for.
fn hashes(
    directory: &Path,
    ask: &Replay,
) -> Result<BTreeMap<(String, Option<u64>), Vec<(u64, String)>>, String> {
    let path = directory.join(Table::Logits.file());
    let text = read(&path)?;
    let mut hashes = BTreeMap::<_, Vec<(u64, String)>>::new();
    let mut known = BTreeSet::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [campaign, round, trial, hash] = cells[..] else { continue }; // half a line at the end
        let Ok(trial) = trial.parse::<u64>() else { continue };
        known.insert(campaign);
        let is_asked = ask.campaign.as_deref().is_none_or(|asked| asked == campaign)
            && ask.stage.as_deref().is_none_or(|asked| asked == stage_number(campaign))
            && ask.round.is_none_or(|asked| round.parse() == Ok(asked))
            && ask.trial.is_none_or(|asked| asked == trial);
        if is_asked && hash.len() == 64 {
            hashes
                .entry((campaign.to_owned(), round.parse().ok()))
                .or_default()
                .push((trial, hash.to_owned()));
        }
    }
    if hashes.is_empty() {
        let known: Vec<String> = known.into_iter().map(stage_number).collect();
        let campaigns =
            if known.is_empty() { "no campaign".to_owned() } else { format!("stage {}", known.join(", ")) };
        return Err(format!("{} has no such trial; there are trials of {campaigns}", path.display()));
    }
    Ok(hashes)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("{}: {error}; a run has it once a campaign has trials", path.display()))
}

/// Reads the data that the step after these sees, and returns their settings.
fn data_of(spec: &RunSpec, earlier: &[ProgramStep], base: &Path) -> Result<(Arc<Dataset>, Data), String> {
    let data = data_settings(spec, earlier);
    let read = Datasets::default().get(data, &spec.net, base).map_err(|error| error.to_string())?;
    Ok((read, data.clone()))
}

/// Replays trials of a campaign, given with the hashes that the run wrote; `faults` is the text of `faults.csv`, and `spec`
/// has the data that the campaign saw.
fn campaign(
    context: &RunContext,
    spec: &Arc<RunSpec>,
    stage: &Campaign,
    identity: Identity,
    faults: &str,
    trials: &[(u64, String)],
    has_images: bool,
) -> Result<Vec<Replayed>, String> {
    let network = weights(context, &identity)?;
    let in_log = |problem: LineError| format!("{}: {problem}", Table::Faults.file());
    let mut rows = read_campaign(faults, &identity.name, identity.round).map_err(in_log)?;
    // The streams of the trials whose faults were too many to list.
    let mut streams = BTreeMap::new();
    rows.retain(|(_, row)| match &row.logged {
        Logged::Fault(_) => true,
        Logged::Draw { stream, .. } => {
            streams.insert(row.trial, stream.clone());
            false
        }
    });
    let listed = placed(&rows, stage, network.structure(), None).map_err(in_log)?;
    let by_trial: BTreeMap<u64, Vec<PlacedFault>> =
        listed.iter().map(|trial| (trial.trial, trial.faults.clone())).collect();
    let (name, round) = (identity.name.clone(), identity.round);
    let setup = Setup::new(context, &context.data, stage, &network, identity, Some(listed))?;
    let outcomes = thread_map(trials.len(), |at| {
        let trial = trials[at].0;
        let faults = match streams.get(&trial) {
            Some(stream) => drawn(&setup, trial, stream)?,
            None => setup.listed(by_trial.get(&trial).map_or(&[], Vec::as_slice), 0, trial)?,
        };
        let (logits, injected) = setup.baseline.inject(faults)?;
        let images = if has_images { setup.baseline.images(&logits) } else { Vec::new() };
        Ok::<_, String>((setup.baseline.outcome(&logits, injected), images))
    });
    let test = &context.data.test;
    let pictures = |images: &[ReplayedImage]| {
        let is_changed = |image: &usize| images[*image].is_changed();
        let changed = (0..images.len()).filter(is_changed).filter(|_| test.shape.is_image());
        let pictures = changed.take(PICTURES).map(|image| Picture::new(test, image));
        pictures.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())
    };
    let replayed = trials.iter().zip(outcomes).map(|((trial, expected), outcome)| {
        let (outcome, images) = outcome?;
        Ok(Replayed {
            pictures: pictures(&images)?,
            images,
            spec: spec.clone(),
            classes: spec.data.class_names(),
            campaign: name.clone(),
            round,
            trial: *trial,
            faults: outcome.injected.count as usize,
            expected: expected.clone(),
            found: outcome.hash,
        })
    });
    replayed.collect()
}

/// Reads the weights without faults, as the run wrote them.
fn weights(context: &RunContext, identity: &Identity) -> Result<Network, String> {
    let [values, masks] = identity.files().map(|file| context.output.join(file));
    let tensors = read_tensors(&values, false).map_err(|error| error.to_string())?.tensors;
    let blank = context.fresh_network(0);
    let parameter = |parameter: &Parameter| {
        let tensor = tensors.get(&parameter.name).filter(|tensor| tensor.shape == parameter.shape);
        tensor.map(|tensor| Arc::new(tensor.values.clone())).ok_or_else(|| {
            format!("{} has no {} of shape {:?}", values.display(), parameter.name, parameter.shape)
        })
    };
    let arrays = blank.structure().parameters.iter().map(parameter).collect::<Result<_, _>>()?;
    let mut masks = read_held(&masks).map_err(|error| error.to_string())?;
    let parameters = blank.structure().parameters.iter();
    let masks = parameters.map(|parameter| Mask::new(masks.remove(&parameter.name)?).map(Arc::new)).collect();
    blank.with_arrays(arrays, masks)
}

/// Draws the faults of a trial again from their stream.
fn drawn(setup: &Setup, trial: u64, stream: &StreamCounters) -> Result<TrialFaults, String> {
    let [_, cell, within] = stream.0[..] else {
        return Err(format!(
            "{} has neither the faults of trial {trial} nor their stream",
            Table::Faults.file()
        ));
    };
    let cell = cell as usize;
    if cell >= setup.cells.len() || setup.counters(cell, within) != *stream {
        return Err(format!("the stream {stream} of trial {trial} does not belong to this campaign"));
    }
    setup.drawn(cell, within)
}
