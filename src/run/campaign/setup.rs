//! All that a campaign needs before its first trial: cells, the golden network, what is kept of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Done;
use super::cells::{self, Cell};
use super::golden::{Cache, Golden};
use super::hooks::{Hooks, guards};
use super::injection::{Injection, Memories, TrialKey};
use super::lists;
use super::passes::{Pass, first, raw_logits, seen};
use super::trial::Bench;
use crate::data::Dataset;
use crate::doc::Structure;
use crate::doc::fault::{Campaign, Draw, FaultAmount, FaultSource, Format, Protect, Trials};
use crate::doc::strikes::{Struck, struck};
use crate::doc::structure::Role;
use crate::form::number::grouped;
use crate::intervene::fault::list::{ListedTrial, PlacedFault};
use crate::intervene::fault::{Storage, TooManyFaults};
use crate::net::{Network, correct};
use crate::run::session::RunContext;

/// Which campaign of a run it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name in the column `campaign`.
    pub name: String,
    /// The round of the innermost repetition.
    pub round: Option<u64>,
    /// Number of its step.
    pub step: u64,
}

/// A campaign that is ready.
pub struct Setup<'a> {
    /// Which one it is.
    pub identity: Identity,
    /// Its settings.
    pub stage: &'a Campaign,
    /// Its cells.
    pub cells: Vec<Cell>,
    /// Everything that any cell can strike, by number.
    pub struck: BTreeMap<usize, Struck>,
    /// The layers that can be struck.
    pub layers: Vec<usize>,
    /// The network with its protection.
    pub bench: Bench<'a>,
    /// The network without it, where there is one.
    pub bare: Option<Bench<'a>>,
    /// Accuracy in float32 without protection.
    pub float32_accuracy: f64,
    /// How struck parameters (or flows) are stored.
    storages: BTreeMap<usize, Storage>,
    /// Its trials where a list says them.
    listed: Option<Vec<ListedTrial>>,
    /// Number of images.
    pub images: usize,
    /// What a person should know of it.
    pub notes: Vec<String>,
    seed: u64,
}

impl<'a> Setup<'a> {
    /// Prepares a campaign on a network; `listed` are its trials where a list says them.
    ///
    /// # Errors
    /// Why it cannot be carried out, and what to do.
    pub fn new(
        place: &'a RunContext,
        data: &Dataset,
        stage: &'a Campaign,
        network: &Network,
        identity: Identity,
        listed: Option<Vec<ListedTrial>>,
    ) -> Result<Self, String> {
        let structure = network.structure().clone();
        let samples = first(&data.test, stage.images);
        let images = samples.len();
        if images == 0 {
            return Err("the data have no test part, so there are no images for a campaign".to_owned());
        }
        let mut cells = cells::cells(stage, &structure, &|number| network.entries(number));
        if let Some(listed) = &listed {
            for cell in &mut cells {
                cell.plan.trials = listed.len() as u64;
            }
        }
        check_spaces(stage, &cells)?;
        let struck = places(&structure, stage, listed.as_deref());
        let strikes_flows = stage.fault.strikes_flows();
        let mut layers: Vec<usize> = struck.iter().map(|place| place.layer).collect();
        layers.dedup();
        let flows: Vec<usize> = struck.iter().map(|place| place.number).filter(|_| strikes_flows).collect();
        let is_single = !strikes_flows && strikes_images(stage, listed.as_deref());
        let batch = if is_single { 1 } else { place.spec.train.evaluation_batch };

        let compute = place.compute.as_ref();
        let stored = stored(network, stage.fault.format);
        let mut hooks = Hooks::default();
        if stage.fault.format != Format::Float32 {
            hooks.stored = flows.iter().map(|&op| (op, Storage::of(stage.fault.format, &[], 1))).collect();
        }
        let plain = Pass { compute, network: &stored, hooks: &hooks, batch };
        let all = Cache::new(&structure, if strikes_flows { &[] } else { &layers }, &flows, images);
        let is_protected = stage.protect != Protect::Nothing;
        let (keep, notes) = kept(&all, stage, if is_protected { 2 } else { 1 });
        let measures_ranges = strikes_flows && stage.fault.model.rule().needs_range();
        let measure = if measures_ranges { &all } else { &keep };
        let golden = plain.golden(&hooks, &samples, [measure, &keep]);
        let protected = is_protected.then(|| {
            let ranges = seen(&plain, &data.train);
            let guards = guards(&stage.protect, &structure, &ranges);
            plain.golden(&Hooks { guards, ..hooks.clone() }, &samples, [measure, &keep])
        });
        let storages = if strikes_flows {
            let ends = |op: usize| golden.ranges.get(&(op + 1)).copied().filter(|_| measures_ranges);
            let of = |&op: &usize| (op, Storage::of(stage.fault.format, &ends(op).unwrap_or_default(), 1));
            flows.iter().map(of).collect()
        } else {
            struck.iter().map(|place| (place.number, storage(network, place.number, place.format))).collect()
        };
        let bench = |golden: Golden<'a>| Bench {
            logits: golden.logits(),
            golden,
            labels: samples.labels.clone(),
            flows: if strikes_flows { BTreeMap::clone(&storages) } else { BTreeMap::new() },
        };
        let (bench, bare) = match protected {
            Some(protected) => (bench(protected), Some(bench(golden))),
            None => (bench(golden), None),
        };
        let raw = raw_logits(compute, network, &samples, place.spec.train.evaluation_batch);
        let mut setup = Self {
            identity,
            stage,
            cells,
            struck: struck.into_iter().map(|place| (place.number, place)).collect(),
            layers,
            float32_accuracy: share(correct(&raw, structure.outputs, &samples.labels), images),
            bench,
            bare,
            storages,
            listed,
            images,
            notes,
            seed: place.spec.seed,
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
                "the network predicts NaN or infinity for {} of {} images already, so that faults cannot be told from it; \
                 train it again, with a smaller learning rate",
                grouped(count as u64),
                grouped(self.images as u64)
            ));
        }
        match lost(&self.bench.logits) + self.bare.as_ref().map_or(0, |bare| lost(&bare.logits)) {
            0 => Ok(()),
            count => Err(format!(
                "stored as {}, the network predicts NaN or infinity for {} of {} images already; choose another format",
                self.stage.fault.format.label(),
                grouped(count as u64),
                grouped(self.images as u64)
            )),
        }
    }

    /// A list is read as a whole before its first trial, so that nothing runs when a line is wrong.
    fn check_list(&mut self) -> Result<(), String> {
        if self.stage.fault.strikes_flows() {
            return Ok(()); // what is stored there is known when it flows
        }
        let count = self.listed.as_ref().map_or(0, Vec::len);
        (0..count as u64).try_for_each(|trial| self.injection(0, trial).map(drop))
    }

    /// The accuracy without faults, with protection or without it.
    pub fn golden_accuracy(&self, bench: &Bench) -> f64 {
        let outputs = bench.golden.network.structure().outputs;
        share(correct(&bench.logits, outputs, &bench.labels), self.images)
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
    /// When there cannot be so many, or a list names other bits than are stored.
    pub fn injection(&self, cell: usize, trial: u64) -> Result<Injection, String> {
        match &self.listed {
            Some(listed) => self.listed(&listed[trial as usize].faults, cell, trial),
            None => self.drawn(cell, trial),
        }
    }

    /// The faults of a trial as they are drawn.
    ///
    /// # Errors
    /// When there cannot be so many.
    pub fn drawn(&self, cell: usize, trial: u64) -> Result<Injection, String> {
        let (own, key) = (&self.cells[cell], self.key(cell, trial));
        self.with_memories(|memories| {
            if self.stage.trials == Trials::Exhaustive {
                return Ok(Injection::nth(own, key, self.images, memories));
            }
            Injection::drawn(own, key, self.images, memories).map_err(|error| error.to_string())
        })
    }

    /// The faults of a trial as a list names them.
    ///
    /// # Errors
    /// When the list names other bits than are stored.
    pub fn listed(&self, faults: &[PlacedFault], cell: usize, trial: u64) -> Result<Injection, String> {
        let (own, key) = (&self.cells[cell], self.key(cell, trial));
        self.with_memories(|memories| Injection::listed(faults, own, key, self.images, memories))
    }

    fn key(&self, cell: usize, trial: u64) -> TrialKey {
        TrialKey { seed: self.seed, step: self.identity.step, cell: cell as u64, trial }
    }

    fn with_memories<T>(&self, work: impl FnOnce(&Memories) -> T) -> T {
        let network = &self.bench.golden.network;
        work(&Memories { values: &|number| network.values(number), storages: &self.storages })
    }

    /// The first parameter that a trial strikes, by its number; nothing where every image is struck on its own, of which
    /// one nearly always begins at the front.
    ///
    /// # Errors
    /// As [`injection`](Self::injection).
    pub fn first(&self, cell: usize, trial: u64) -> Result<Option<usize>, String> {
        let fault = &self.cells[cell].fault;
        let is_shared = fault.draw != Draw::EveryImage && !fault.strikes_flows();
        if is_shared { Ok(self.injection(cell, trial)?.first()) } else { Ok(None) }
    }

    /// Carries out a trial, with the protection and without it. Its faults are drawn here, so that no more of them are in
    /// memory than of the trials under way.
    ///
    /// # Errors
    /// When there cannot be so many faults, or a list names other bits than are stored.
    pub fn carry_out(&self, cell: usize, trial: u64) -> Result<Done, String> {
        let injection = self.injection(cell, trial)?;
        let Some(bare) = &self.bare else {
            return Ok(Done { result: self.bench.trial(injection)?, unprotected: None });
        };
        let result = self.bench.trial(injection.clone())?;
        let mut unprotected = bare.trial(injection)?;
        unprotected.strikes.listed.truncate(1); // those of the result
        Ok(Done { result, unprotected: Some(unprotected) })
    }

    /// Whether every trial of a cell strikes once; a list says so trial by trial.
    pub fn is_single(&self, cell: usize) -> bool {
        let is_one = self.cells[cell].fault.amount == FaultAmount::Count(1);
        is_one || !self.is_drawn() || self.stage.trials == Trials::Exhaustive
    }

    /// Seed of the run.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Whether its faults are drawn.
    pub const fn is_drawn(&self) -> bool {
        self.listed.is_none()
    }

    /// The place of the layer of a struck parameter (or flow) in the list of layers.
    pub fn layer_of(&self, number: usize) -> usize {
        let layer = self.struck[&number].layer;
        self.layers.iter().position(|known| *known == layer).unwrap_or_default()
    }

    /// Name of a struck parameter (or flow).
    pub fn name_of(&self, number: usize) -> String {
        self.struck[&number].name.clone()
    }
}

/// Whether any fault strikes parameters for one image alone: images then pass one by one.
fn strikes_images(stage: &Campaign, listed: Option<&[ListedTrial]>) -> bool {
    let faults = listed.unwrap_or_default().iter().flat_map(|trial| &trial.faults);
    let is_drawn = stage.faults == FaultSource::Drawn;
    (is_drawn && stage.fault.draw == Draw::EveryImage && stage.trials != Trials::Exhaustive)
        || faults.into_iter().any(|fault| fault.image.is_some())
}

fn storage(network: &Network, number: usize, format: Format) -> Storage {
    let rows = network.structure().parameters[number].shape.first().copied().unwrap_or(1);
    Storage::of(format, network.values(number), rows)
}

/// The places that a campaign can strike; with a list those that it names.
fn places(structure: &Structure, stage: &Campaign, listed: Option<&[ListedTrial]>) -> Vec<Struck> {
    let mut places = struck(structure, &lists::fault_of(stage));
    if let Some(listed) = listed.filter(|_| stage.faults != FaultSource::Drawn) {
        places.retain(|place| {
            let mut faults = listed.iter().flat_map(|trial| &trial.faults);
            faults.any(|fault| fault.site.parameter == place.number)
        });
    }
    places
}

/// What is kept of the passes without faults within the memory, and a note where that is nothing.
fn kept(all: &Cache, stage: &Campaign, networks: u64) -> (Cache, Vec<String>) {
    let needed = all.bytes * networks;
    if needed <= stage.memory << 20 {
        return (all.clone(), Vec::new());
    }
    let note = format!(
        "keeping what flows without faults takes {} MiB, and memory is {} MiB: every trial begins at the images, which takes longer and gives the same",
        needed.div_ceil(1 << 20),
        stage.memory
    );
    (Cache::nothing(), vec![note])
}

/// The network as a format reads it.
fn stored(network: &Network, format: Format) -> Network {
    if format == Format::Float32 {
        return network.clone();
    }
    let structure: &Arc<Structure> = network.structure();
    let read = |number: usize| {
        let format = format.of_parameter(structure.parameters[number].role == Role::Weight);
        Arc::new(storage(network, number, format).golden(network.values(number)))
    };
    network.with_structure(structure.clone(), (0..network.len()).map(read).collect())
}

fn check_spaces(stage: &Campaign, cells: &[Cell]) -> Result<(), String> {
    if stage.faults != FaultSource::Drawn {
        return Ok(());
    }
    for cell in cells {
        let which = cell.plan.layer.as_ref().map_or_else(String::new, |layer| format!(" of {layer}"));
        if cell.plan.possible == 0 {
            return Err(format!(
                "nothing{which} can be struck: the target has no entry left, or {} has none of the chosen bits",
                stage.fault.format.label()
            ));
        }
        if let FaultAmount::Count(wanted) = cell.fault.amount
            && wanted > cell.plan.possible
        {
            return Err(TooManyFaults::Count { wanted, sites: cell.plan.possible }.to_string());
        }
    }
    Ok(())
}

fn share(count: usize, of: usize) -> f64 {
    count as f64 / of as f64
}
