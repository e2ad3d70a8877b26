//! All that a campaign needs before its first trial: cells, the golden network, what is kept of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::TrialResult;
use super::cells::{self, Cell};
use super::golden::{Cache, Golden, prepared_bytes};
use super::identity::Identity;
use super::injection_hooks::InjectionHooks;
use super::lists;
use super::protection::guards;
use super::trial::{Bench, TrialFaults};
use crate::context::RunContext;
use crate::evaluate::logits;
use crate::faults::stored::{in_format, storage};
use data::Dataset;
use doc::Structure;
use doc::fault::{Campaign, Draw, FaultAmount, FaultSource, Format, Protect, Trials};
use doc::fault_sites::{FaultPlace, fault_places};
use form::number::grouped;
use intervene::fault::list::{ListedTrial, PlacedFault};
use intervene::fault::{Injection, Storage, StreamCounters};
use intervene::stream::Stream;
use net::{Network, correct};

/// A campaign that is ready.
pub struct Setup<'a> {
    /// Which one it is.
    pub identity: Identity,
    /// Its settings.
    pub stage: &'a Campaign,
    /// Its cells.
    pub cells: Vec<Cell>,
    /// Every place that any cell has sites in, by number.
    pub places: BTreeMap<usize, FaultPlace>,
    /// Names of the layers that have sites, and of the residual blocks whose sums have.
    pub layers: Vec<String>,
    /// The network with its protection.
    pub bench: Bench<'a>,
    /// The network without it, where there is one.
    pub bare: Option<Bench<'a>>,
    /// Accuracy in float32 without protection.
    pub float32_accuracy: f64,
    /// Its trials where a list has them.
    listed: Option<Vec<ListedTrial>>,
    /// Number of images.
    pub images: usize,
    /// What the plan's report adds for the reader.
    pub notes: Vec<String>,
    /// Seed of the run.
    pub seed: u64,
}

impl<'a> Setup<'a> {
    /// Prepares a campaign on a network; `listed` are its trials where a list has them.
    ///
    /// # Errors
    /// Why it cannot be carried out, and what to do.
    pub fn new(
        context: &'a RunContext,
        data: &Dataset,
        stage: &'a Campaign,
        network: &Network,
        identity: Identity,
        listed: Option<Vec<ListedTrial>>,
    ) -> Result<Self, String> {
        let structure = network.structure().clone();
        let samples = data.test.first(stage.images.unwrap_or(usize::MAX));
        let images = samples.len();
        if images == 0 {
            return Err("the data have no test part, so there are no images for a campaign".to_owned());
        }
        let cells = cells_of(stage, network, listed.as_deref())?;
        let places = places(&structure, stage, listed.as_deref());
        let in_activations = stage.fault.is_in_activations();
        let mut layers: Vec<String> = places.iter().map(|place| place.source.clone()).collect();
        layers.dedup();
        let numbers: Vec<usize> = places.iter().map(|place| place.number).collect();
        let of_parameters = |numbers: &[usize]| -> Vec<usize> {
            numbers.iter().map(|&number| structure.parameters[number].layer).collect()
        };
        let (ops, with_faults) =
            if in_activations { (numbers, Vec::new()) } else { (Vec::new(), of_parameters(&numbers)) };
        let is_single = !in_activations && is_for_each_image(stage, listed.as_deref());
        let batch = if is_single { 1 } else { context.spec.train.evaluation_batch };

        let compute = context.compute.as_ref();
        let format = stage.fault.format;
        let rounded = ops.iter().copied().filter(|_| format != Format::Float32).collect();
        let hooks = InjectionHooks { format, rounded, guards: BTreeMap::new() };
        let all = Cache::new(&structure, &with_faults, &ops, images);
        let is_protected = stage.protect != Protect::Nothing;
        let (keep, notes) = kept(&structure, &all, stage, if is_protected { 2 } else { 1 });
        let measures_ranges = in_activations && stage.fault.model.rule().needs_range();
        let measure = if measures_ranges { &all } else { &keep };
        let stored = in_format(network, format);
        let golden = |hooks| Golden::new(compute, stored.clone(), hooks, &samples, batch, [measure, &keep]);
        let plain = golden(hooks.clone()).map_err(|error| error.to_string())?;
        let protected = is_protected.then(|| {
            let guards = guards(&stage.protect, &plain, batch, &data.train)?;
            golden(InjectionHooks { guards, ..hooks })
        });
        let protected = protected.transpose().map_err(|error| error.to_string())?;
        let storages: BTreeMap<usize, Storage> = if in_activations {
            let ends = |op: usize| plain.ranges.get(&(op + 1)).copied().filter(|_| measures_ranges);
            ops.iter().map(|&op| (op, Storage::of(format, &ends(op).unwrap_or_default(), 1))).collect()
        } else {
            let of = |place: &FaultPlace| (place.number, storage(network, place.number, place.format));
            places.iter().map(of).collect()
        };
        let storages = Arc::new(storages);
        let bench = |golden: Golden<'a>| Bench {
            logits: golden.logits(),
            golden,
            labels: samples.labels.clone(),
            storages: storages.clone(),
        };
        let (bench, bare) = match protected {
            Some(protected) => (bench(protected), Some(bench(plain))),
            None => (bench(plain), None),
        };
        let raw = logits(compute, network, &samples, context.spec.train.evaluation_batch)
            .map_err(|error| error.to_string())?;
        let setup = Self {
            identity,
            stage,
            cells,
            places: places.into_iter().map(|place| (place.number, place)).collect(),
            layers,
            float32_accuracy: correct(&raw, structure.outputs, &samples.labels) as f64 / images as f64,
            bench,
            bare,
            listed,
            images,
            notes,
            seed: context.spec.seed,
        };
        setup.refuse_nan(&raw)?;
        setup.check_list()?;
        Ok(setup)
    }

    /// A campaign compares with a network that predicts.
    fn refuse_nan(&self, raw: &[f32]) -> Result<(), String> {
        let outputs = self.bench.golden.network.structure().outputs;
        let lost = |logits: &[f32]| {
            logits.chunks(outputs).filter(|row| row.iter().any(|logit| !logit.is_finite())).count()
        };
        if let count @ 1.. = lost(raw) {
            return Err(format!(
                "the network already predicts NaN or infinity for {} of {} images, which would hide faults; \
                    train it again with a smaller learning rate",
                grouped(count as u64),
                grouped(self.images as u64)
            ));
        }
        match lost(&self.bench.logits) + self.bare.as_ref().map_or(0, |bare| lost(&bare.logits)) {
            0 => Ok(()),
            count => Err(format!(
                "stored as {}, the network already predicts NaN or infinity for {} of {} images; choose \
                    another format",
                self.stage.fault.format.label(),
                grouped(count as u64),
                grouped(self.images as u64)
            )),
        }
    }

    /// A list is read as a whole before its first trial, so that nothing runs when a line is wrong.
    fn check_list(&self) -> Result<(), String> {
        if self.stage.fault.is_in_activations() {
            return Ok(()); // what they hold is known in a trial
        }
        let count = self.listed.as_ref().map_or(0, Vec::len);
        for trial in 0..count as u64 {
            let injections = match self.faults(0, trial)? {
                TrialFaults::Shared(injection) => vec![injection],
                TrialFaults::PerImage(images) | TrialFaults::Activations(images) => images,
            };
            for mut injection in injections {
                self.bench.in_parameters(&mut injection)?;
            }
        }
        Ok(())
    }

    /// Checksums of the networks without faults as the format reads them.
    pub fn golden_checksums(&self) -> Vec<String> {
        self.benches().map(|bench| bench.golden.network.checksum()).collect()
    }

    /// Whether passes over all images without faults yield the logits that trials were compared with, bit for bit.
    pub fn is_golden_reproduced(&self) -> bool {
        let is_same = |bench: &Bench| {
            let again = bench.golden.logits_again();
            again.iter().map(|logit| logit.to_bits()).eq(bench.logits.iter().map(|logit| logit.to_bits()))
        };
        self.benches().all(is_same)
    }

    fn benches(&self) -> impl Iterator<Item = &Bench<'a>> {
        std::iter::once(&self.bench).chain(&self.bare)
    }

    /// The faults of a trial of a cell.
    ///
    /// # Errors
    /// When there cannot be so many.
    pub fn faults(&self, cell: usize, trial: u64) -> Result<TrialFaults, String> {
        match &self.listed {
            Some(listed) => self.listed(&listed[trial as usize].faults, cell, trial),
            None => self.drawn(cell, trial),
        }
    }

    /// The faults of a trial as they are drawn: one draw for all images; with `EveryImage`, and in activations, one for
    /// each image.
    ///
    /// # Errors
    /// When there cannot be so many.
    pub fn drawn(&self, cell: usize, trial: u64) -> Result<TrialFaults, String> {
        let Cell { fault, sites, .. } = &self.cells[cell];
        let is_exhaustive = self.stage.trials == Trials::Exhaustive;
        let is_for_each_image = fault.draw == Draw::EveryImage && !is_exhaustive;
        TrialFaults::of(fault, is_for_each_image, self.images, |image| {
            let rng = self.stream(cell, trial, image);
            if is_exhaustive {
                return Ok(Injection::at(fault.model, Arc::new(vec![sites.space.site(trial)]), rng));
            }
            let injection = Injection::draw(fault.model, &sites.space, fault.amount, rng);
            injection.map_err(|error| error.to_string())
        })
    }

    /// The faults of a trial as a list names them.
    ///
    /// # Errors
    /// Never: the type is that of [`drawn`](Self::drawn).
    pub fn listed(&self, faults: &[PlacedFault], cell: usize, trial: u64) -> Result<TrialFaults, String> {
        let fault = &self.cells[cell].fault;
        let is_for_each_image = faults.iter().any(|fault| fault.image.is_some());
        TrialFaults::of(fault, is_for_each_image, self.images, |image| {
            let is_own =
                |fault: &&PlacedFault| image.is_none() || fault.image.is_none() || fault.image == image;
            let own = faults.iter().filter(is_own).copied().collect();
            Ok(Injection::listed(fault.model, own, self.stream(cell, trial, image)))
        })
    }

    /// Counters of the stream of a trial, without that of the image.
    pub fn counters(&self, cell: usize, trial: u64) -> StreamCounters {
        StreamCounters(vec![self.identity.step, cell as u64, trial])
    }

    fn stream(&self, cell: usize, trial: u64, image: Option<u64>) -> Stream {
        let counters = self.counters(cell, trial);
        image.map_or(counters.clone(), |image| counters.of_image(image)).of_seed(self.seed)
    }

    /// The first parameter with a fault of a trial, by its number; nothing where images have separate faults, of which one
    /// nearly always is in the first layers.
    ///
    /// # Errors
    /// As [`faults`](Self::faults).
    pub fn first(&self, cell: usize, trial: u64) -> Result<Option<usize>, String> {
        let fault = &self.cells[cell].fault;
        if fault.draw == Draw::EveryImage || fault.is_in_activations() {
            return Ok(None);
        }
        Ok(match self.faults(cell, trial)? {
            TrialFaults::Shared(injection) => injection.numbers().min(),
            TrialFaults::PerImage(_) | TrialFaults::Activations(_) => None,
        })
    }

    /// Carries out a trial, with the protection and without it. Its faults are drawn here, so that no more of them are in
    /// memory than of the trials under way.
    ///
    /// # Errors
    /// When there cannot be so many faults, or a list names other bits than are stored.
    pub fn carry_out(&self, cell: usize, trial: u64) -> Result<TrialResult, String> {
        let faults = self.faults(cell, trial)?;
        let Some(bare) = &self.bare else {
            return Ok(TrialResult { outcome: self.bench.trial(faults)?, unprotected: None });
        };
        let outcome = self.bench.trial(faults.clone())?;
        let mut unprotected = bare.trial(faults)?;
        unprotected.injected.listed.truncate(1); // those of the result
        Ok(TrialResult { outcome, unprotected: Some(unprotected) })
    }

    /// Whether every trial of a cell has one fault; a list decides that trial by trial.
    pub fn is_single(&self, cell: usize) -> bool {
        let is_one = self.cells[cell].fault.amount == FaultAmount::Count(1);
        is_one || !self.is_drawn() || self.stage.trials == Trials::Exhaustive
    }

    /// Whether its faults are drawn.
    pub const fn is_drawn(&self) -> bool {
        self.listed.is_none()
    }

    /// The place of the layer of a parameter (or of activations) in the list of layers.
    pub fn layer_of(&self, number: usize) -> usize {
        let source = &self.places[&number].source;
        self.layers.iter().position(|known| known == source).unwrap_or_default()
    }

    /// Entries with sites in each of the layers; nothing for activations.
    pub fn layer_entries(&self) -> Vec<u64> {
        if self.stage.fault.is_in_activations() {
            return Vec::new();
        }
        let of = |layer: &String| {
            let own = self.places.values().filter(|place| place.source == *layer);
            own.map(|place| place.entries as u64).sum()
        };
        self.layers.iter().map(of).collect()
    }

    /// Name of a parameter (or of activations).
    pub fn name_of(&self, number: usize) -> &str {
        &self.places[&number].name
    }
}

/// The cells of a campaign, which have as many sites as one trial needs.
fn cells_of(
    stage: &Campaign,
    network: &Network,
    listed: Option<&[ListedTrial]>,
) -> Result<Vec<Cell>, String> {
    let mut cells = cells::cells(stage, network.structure(), &|number| network.entries(number));
    for cell in &mut cells {
        cell.plan.trials = listed.map_or(cell.plan.trials, |listed| listed.len() as u64);
        if stage.faults == FaultSource::Drawn {
            let which = cell.plan.layer.as_ref().map_or_else(String::new, |layer| format!(" of {layer}"));
            cell.sites.check(&cell.fault, &which)?;
        }
    }
    Ok(cells)
}

/// Whether any fault is in parameters for one image alone: images then pass one by one.
fn is_for_each_image(stage: &Campaign, listed: Option<&[ListedTrial]>) -> bool {
    let faults = listed.unwrap_or_default().iter().flat_map(|trial| &trial.faults);
    let is_drawn = stage.faults == FaultSource::Drawn;
    (is_drawn && stage.fault.draw == Draw::EveryImage && stage.trials != Trials::Exhaustive)
        || faults.into_iter().any(|fault| fault.image.is_some())
}

/// The places that a campaign has sites in; with a list those that it names.
fn places(structure: &Structure, stage: &Campaign, listed: Option<&[ListedTrial]>) -> Vec<FaultPlace> {
    let mut places = fault_places(structure, &lists::fault_of(stage));
    if let Some(listed) = listed.filter(|_| stage.faults != FaultSource::Drawn) {
        places.retain(|place| {
            let mut faults = listed.iter().flat_map(|trial| &trial.faults);
            faults.any(|fault| fault.site.parameter == place.number)
        });
    }
    places
}

/// What is kept of the passes without faults within the memory, and a note where that is nothing.
fn kept(structure: &Structure, all: &Cache, stage: &Campaign, networks: u64) -> (Cache, Vec<String>) {
    let needed = all.bytes * networks;
    if needed <= stage.memory << 20 {
        let weights = prepared_bytes(structure) * networks;
        let has_weights = needed + weights <= stage.memory << 20;
        return (all.clone().with_weights(has_weights), Vec::new());
    }
    let note = format!(
        "the fault-free activations take {} MiB, and memory is {} MiB: every trial starts at the images, \
            which takes longer and gives the same results",
        needed.div_ceil(1 << 20),
        stage.memory
    );
    (Cache::nothing(), vec![note])
}
