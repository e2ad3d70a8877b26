//! Everything that a campaign needs before its first trial: cells, listed faults, the golden network, what is kept of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::TrialResult;
use super::golden::{Cache, Golden, InjectionHooks, guards, prepared_bytes};
use super::trial::{Baseline, TrialFaults};
use crate::context::RunContext;
use crate::evaluate::logits;
use crate::faults::{FaultSites, in_format, storage};
use crate::program::{Op, ProgramStep};
use crate::session::Session;
use data::{Dataset, stand_in};
use doc::fault::{Campaign, Draw, Fault, FaultAmount, FaultSource, Format, Protect, Trials};
use doc::fault::{CellPlan, FaultPlace, cell_places, fault_places, varied};
use doc::intervention::{Params, Target};
use doc::{Stage, Structure};
use form::number::grouped;
use intervene::Entry;
use intervene::fault::log::{LineError, ListedTrial, Place, PlacedFault, Row, read, trials};
use intervene::fault::statistics::planned_trials;
use intervene::fault::{Injection, Storage, StreamCounters};
use intervene::stream::Stream;
use net::{Network, correct};

pub struct Setup<'a> {
    pub identity: Identity,
    pub stage: &'a Campaign,
    pub cells: Vec<Cell>,
    /// Every place that any cell has sites in, by number.
    pub places: BTreeMap<usize, FaultPlace>,
    /// Names of the layers that have sites, and of the residual blocks whose sums have.
    pub layers: Vec<String>,
    /// The network with its protection.
    pub baseline: Baseline<'a>,
    /// The network without it, where there is one.
    pub bare: Option<Baseline<'a>>,
    pub float32_accuracy: f64,
    listed: Option<Vec<ListedTrial>>,
    pub images: usize,
    /// Remarks at the end of the plan's report.
    pub notes: Vec<String>,
    pub seed: u64,
}

impl<'a> Setup<'a> {
    /// Prepares a campaign on a network; `listed` are its trials where a list has them.
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
        let layer_of = |&number: &usize| structure.parameters[number].layer;
        let with_faults: Vec<usize> =
            if in_activations { Vec::new() } else { numbers.iter().map(layer_of).collect() };
        let ops = if in_activations { numbers } else { Vec::new() };
        let is_single = !in_activations && is_for_each_image(stage, listed.as_deref());
        let batch = if is_single { 1 } else { context.spec.train.evaluation_batch };

        let compute = context.compute.as_ref();
        let format = stage.fault.format;
        let rounded = ops.iter().copied().filter(|_| format != Format::Float32).collect();
        let hooks = InjectionHooks { format, rounded, guards: BTreeMap::new() };
        let all = Cache::new(&structure, &with_faults, &ops, images);
        let is_protected = stage.protect != Protect::Nothing;
        let (keep, notes) = cache(&structure, &all, stage, if is_protected { 2 } else { 1 });
        let measures_ranges = in_activations && stage.fault.model.rule().needs_range();
        let measure = if measures_ranges { &all } else { &keep };
        let stored = in_format(network, format);
        let golden = |hooks| Golden::new(compute, stored.clone(), hooks, &samples, batch, [measure, &keep]);
        let plain = golden(hooks.clone())?;
        let protected = is_protected.then(|| {
            let guards = guards(&stage.protect, &plain, batch, &data.train)?;
            golden(InjectionHooks { guards, ..hooks })
        });
        let protected = protected.transpose()?;
        let storages: BTreeMap<usize, Storage> = if in_activations {
            let ends = |op: usize| plain.ranges.get(&(op + 1)).copied().filter(|_| measures_ranges);
            ops.iter().map(|&op| (op, Storage::new(format, &ends(op).unwrap_or_default(), 1))).collect()
        } else {
            let of = |place: &FaultPlace| (place.number, storage(network, place.number, place.format));
            places.iter().map(of).collect()
        };
        let storages = Arc::new(storages);
        let baseline = |golden: Golden<'a>| Baseline {
            logits: golden.logits(),
            golden,
            labels: samples.labels.clone(),
            storages: storages.clone(),
        };
        let (baseline, bare) = match protected {
            Some(protected) => (baseline(protected), Some(baseline(plain))),
            None => (baseline(plain), None),
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
            baseline,
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

    /// Refuses a network that predicts NaN or infinity, which a campaign cannot compare with.
    fn refuse_nan(&self, raw: &[f32]) -> Result<(), String> {
        let outputs = self.baseline.golden.network.structure().outputs;
        let lost = |logits: &[f32]| {
            logits.chunks(outputs).filter(|row| row.iter().any(|logit| !logit.is_finite())).count()
        };
        if let count @ 1.. = lost(raw) {
            return Err(format!(
                "the network already predicts NaN or infinity for {} of {} images, which would hide faults; train it \
                 again with a smaller learning rate",
                grouped(count as u64),
                grouped(self.images as u64)
            ));
        }
        match self.baselines().map(|baseline| lost(&baseline.logits)).sum::<usize>() {
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

    /// Reads the whole list before the first trial, so that nothing runs when a line is wrong.
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
                self.baseline.in_parameters(&mut injection)?;
            }
        }
        Ok(())
    }

    /// Returns the checksums of the networks without faults as the format reads them.
    pub fn golden_checksums(&self) -> Vec<String> {
        self.baselines().map(|baseline| baseline.golden.network.checksum()).collect()
    }

    /// Returns true if passes over all images without faults yield the logits that trials were compared with, bit for
    /// bit.
    pub fn is_golden_reproduced(&self) -> bool {
        let is_same = |baseline: &Baseline| {
            let again = baseline.golden.logits_again();
            again.iter().map(|logit| logit.to_bits()).eq(baseline.logits.iter().map(|logit| logit.to_bits()))
        };
        self.baselines().all(is_same)
    }

    fn baselines(&self) -> impl Iterator<Item = &Baseline<'a>> {
        std::iter::once(&self.baseline).chain(&self.bare)
    }

    pub fn faults(&self, cell: usize, trial: u64) -> Result<TrialFaults, String> {
        match &self.listed {
            Some(listed) => self.listed(&listed[trial as usize].faults, cell, trial),
            None => self.drawn(cell, trial),
        }
    }

    /// Draws the faults of a trial: once for all images; with `EveryImage`, and in activations, once for each image.
    pub fn drawn(&self, cell: usize, trial: u64) -> Result<TrialFaults, String> {
        let Cell { fault, sites, .. } = &self.cells[cell];
        let is_exhaustive = self.stage.trials == Trials::Exhaustive;
        let is_for_each_image = fault.draw == Draw::EveryImage && !is_exhaustive;
        TrialFaults::collect(fault, is_for_each_image, self.images, |image| {
            let rng = self.stream(cell, trial, image);
            if is_exhaustive {
                return Ok(Injection::at(fault.model, Arc::new(vec![sites.space.site(trial)]), rng));
            }
            let injection = Injection::draw(fault.model, &sites.space, fault.amount, rng);
            injection.map_err(|error| error.to_string())
        })
    }

    /// Returns the faults of a trial that a list names.
    pub fn listed(&self, faults: &[PlacedFault], cell: usize, trial: u64) -> Result<TrialFaults, String> {
        let fault = &self.cells[cell].fault;
        let is_for_each_image = faults.iter().any(|fault| fault.image.is_some());
        TrialFaults::collect(fault, is_for_each_image, self.images, |image| {
            let is_own =
                |fault: &&PlacedFault| image.is_none() || fault.image.is_none() || fault.image == image;
            let own = faults.iter().filter(is_own).copied().collect();
            Ok(Injection::listed(fault.model, own, self.stream(cell, trial, image)))
        })
    }

    /// Returns the counters of the stream of a trial, without that of the image.
    pub fn counters(&self, cell: usize, trial: u64) -> StreamCounters {
        StreamCounters(vec![self.identity.step, cell as u64, trial])
    }

    fn stream(&self, cell: usize, trial: u64, image: Option<u64>) -> Stream {
        let counters = self.counters(cell, trial);
        image.map_or(counters.clone(), |image| counters.of_image(image)).of_seed(self.seed)
    }

    /// Returns the first parameter with a fault of a trial, by its number; nothing where images have separate faults,
    /// of which one nearly always is in the first layers.
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

    /// Runs a trial, with the protection and without it. Its faults are drawn here, so that no more of them are in
    /// memory than of the trials under way.
    pub fn run_trial(&self, cell: usize, trial: u64) -> Result<TrialResult, String> {
        let faults = self.faults(cell, trial)?;
        let Some(bare) = &self.bare else {
            return Ok(TrialResult { outcome: self.baseline.trial(faults)?, unprotected: None });
        };
        let outcome = self.baseline.trial(faults.clone())?;
        let mut unprotected = bare.trial(faults)?;
        unprotected.injected.listed.truncate(1); // those of the result
        Ok(TrialResult { outcome, unprotected: Some(unprotected) })
    }

    /// Returns true if every trial of a cell has one fault; a list decides that trial by trial.
    pub fn is_single(&self, cell: usize) -> bool {
        let is_one = self.cells[cell].fault.amount == FaultAmount::Count(1);
        is_one || !self.is_drawn() || self.stage.trials == Trials::Exhaustive
    }

    pub const fn is_drawn(&self) -> bool {
        self.listed.is_none()
    }

    /// Returns the index of the layer of a parameter (or of activations) in the list of layers.
    pub fn layer_of(&self, number: usize) -> usize {
        let source = &self.places[&number].source;
        self.layers.iter().position(|known| known == source).unwrap_or_default()
    }

    /// Returns the entries with sites in each of the layers; nothing for activations.
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

    /// Returns the name of a parameter (or of activations).
    pub fn name_of(&self, number: usize) -> &str {
        &self.places[&number].name
    }
}

/// Returns the cells of a campaign, which have as many sites as one trial needs.
fn cells_of(
    stage: &Campaign,
    network: &Network,
    listed: Option<&[ListedTrial]>,
) -> Result<Vec<Cell>, String> {
    let mut cells = cells(stage, network.structure(), &|number| network.entries(number));
    for cell in &mut cells {
        cell.plan.trials = listed.map_or(cell.plan.trials, |listed| listed.len() as u64);
        if stage.faults == FaultSource::Drawn {
            let which = cell.plan.layer.as_ref().map_or_else(String::new, |layer| format!(" of {layer}"));
            cell.sites.check(&cell.fault, &which)?;
        }
    }
    Ok(cells)
}

/// Returns true if any fault is in parameters for one image alone: images then pass one by one.
fn is_for_each_image(stage: &Campaign, listed: Option<&[ListedTrial]>) -> bool {
    let faults = listed.unwrap_or_default().iter().flat_map(|trial| &trial.faults);
    let is_drawn = stage.faults == FaultSource::Drawn;
    (is_drawn && stage.fault.draw == Draw::EveryImage && stage.trials != Trials::Exhaustive)
        || faults.into_iter().any(|fault| fault.image.is_some())
}

/// Returns the places that a campaign has sites in; with a list those that it names.
fn places(structure: &Structure, stage: &Campaign, listed: Option<&[ListedTrial]>) -> Vec<FaultPlace> {
    let mut places = fault_places(structure, &fault_of(stage));
    if let Some(listed) = listed.filter(|_| stage.faults != FaultSource::Drawn) {
        places.retain(|place| {
            let mut faults = listed.iter().flat_map(|trial| &trial.faults);
            faults.any(|fault| fault.site.parameter == place.number)
        });
    }
    places
}

/// Decides what is kept of the passes without faults within the memory, and notes where that is nothing.
fn cache(structure: &Structure, all: &Cache, stage: &Campaign, networks: u64) -> (Cache, Vec<String>) {
    let needed = all.bytes * networks;
    if needed <= stage.memory << 20 {
        let weights = prepared_bytes(structure) * networks;
        let has_weights = needed + weights <= stage.memory << 20;
        return (Cache { has_weights, ..all.clone() }, Vec::new());
    }
    let note = format!(
        "the fault-free activations take {} MiB, and memory is {} MiB: every trial starts at the images, \
            which takes longer and gives the same results",
        needed.div_ceil(1 << 20),
        stage.memory
    );
    (Cache::default(), vec![note])
}

/// Margin and confidence that trials are planned for where a campaign names none, and of its intervals.
const MARGIN: f64 = 0.01;
const CONFIDENCE: f64 = 0.95;

/// One setting of what a campaign varies.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its setting, and the number of its trials.
    pub plan: CellPlan,
    pub fault: Fault,
    pub sites: FaultSites,
}

/// Returns the confidence of a campaign's intervals.
pub fn confidence(campaign: &Campaign) -> f64 {
    if let Trials::Until(until) = &campaign.trials { until.confidence } else { CONFIDENCE }
}

/// Returns the cells of a campaign with the sites of each of them; `entries` as for [`FaultSites::new`].
fn cells<'a>(
    campaign: &Campaign,
    structure: &Structure,
    entries: &dyn Fn(usize) -> Option<&'a [Entry]>,
) -> Vec<Cell> {
    let margin = if let Trials::Until(until) = &campaign.trials { until.margin } else { MARGIN };
    let cell = |(plan, fault): (CellPlan, Fault)| {
        let sites = FaultSites::new(cell_places(structure, &plan, &fault), &fault, entries);
        let possible = sites.space.total();
        let trials = campaign.trials_of(possible);
        let planned = planned_trials(possible, margin, confidence(campaign));
        Cell { plan: CellPlan { trials, possible, planned, ..plan }, fault, sites }
    };
    varied(campaign, structure).into_iter().map(cell).collect()
}

/// Returns the cells of a campaign before it starts: how many trials each takes, how many single faults are possible in
/// it, and how many trials Leveugle et al. (DATE 2009) plan for: ± 1 % at 95 % confidence, or what `Until` asks for.
/// Entries that will be pruned by then are counted as if they were not. A list of faults is counted when the campaign
/// starts.
pub fn planned(campaign: &Campaign, structure: &Structure) -> Vec<CellPlan> {
    let is_drawn = campaign.faults == FaultSource::Drawn;
    let plans = cells(campaign, structure, &|_| None).into_iter().map(|cell| cell.plan);
    plans.map(|plan| CellPlan { trials: if is_drawn { plan.trials } else { 0 }, ..plan }).collect()
}

/// Reads the trials of a campaign's list; none where its faults are drawn.
pub fn read_listed(
    session: &Session,
    campaign: &Campaign,
    samples: usize,
) -> Result<Option<Vec<ListedTrial>>, String> {
    let FaultSource::File(file) = &campaign.faults else { return Ok(None) };
    let images = campaign.images.unwrap_or(samples).min(samples);
    let path = session.input_path(file);
    let list = read_list(campaign, &session.context.structure, &path, Some(images))?;
    session.check_input(file, &path).map_err(|error| error.to_string())?;
    Ok(Some(list))
}

/// Reads the trials of a list. Sites have the numbers of parameters (or operations).
fn read_list(
    campaign: &Campaign,
    structure: &Structure,
    path: &Path,
    images: Option<usize>,
) -> Result<Vec<ListedTrial>, String> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    if let Some(what) = stand_in(text.as_bytes()) {
        return Err(format!("{name} is {what}"));
    }
    let trials = read(&text).and_then(|rows| placed(&rows, campaign, structure, images));
    match trials {
        Ok(trials) if trials.is_empty() => {
            Err(format!("{name}: the list has no fault, so there is no trial"))
        }
        trials => trials.map_err(|problem| format!("{name}: {problem}")),
    }
}

/// Returns the fault of a campaign; a list may name any parameter, or the activations of any layer, whatever the target
/// is.
fn fault_of(campaign: &Campaign) -> Fault {
    let fault = campaign.fault.clone();
    if campaign.faults == FaultSource::Drawn {
        return fault;
    }
    let params = if fault.is_in_activations() { fault.target.params } else { Some(Params::Everything) };
    Fault { target: Target { params, ..Target::default() }, indices: Vec::new(), ..fault }
}

/// Places the trials of some rows of a log or of a list.
pub fn placed<'a>(
    rows: impl IntoIterator<Item = &'a (usize, Row<'a>)>,
    campaign: &Campaign,
    structure: &Structure,
    images: Option<usize>,
) -> Result<Vec<ListedTrial>, LineError> {
    let fault = &fault_of(campaign);
    let known = fault_places(structure, fault);
    let places = known.iter();
    let places = places.map(|FaultPlace { name, entries, format, .. }| Place {
        name,
        entries: *entries,
        format: *format,
    });
    let places: Vec<Place> = places.collect();
    let mut trials = trials(rows, &places, fault.model.unit())?;
    for fault in trials.iter_mut().flat_map(|trial| &mut trial.faults) {
        let images = images.map(|images| images as u64);
        if let Some((image, images)) = fault.image.zip(images).filter(|(image, images)| image >= images) {
            let problem = format!("there is no image {image}; the campaign has {images}, numbered from 0");
            return Err(LineError { line: fault.line, problem });
        }
        fault.site.parameter = known[fault.site.parameter].number;
    }
    Ok(trials)
}

/// Returns what is wrong with the list of a campaign: the file and the line.
pub fn list_problem(campaign: &Campaign, structure: &Structure, path: &Path) -> Option<String> {
    read_list(campaign, structure, path, campaign.images).err()
}

/// The identity of a campaign within a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name in the column `campaign`.
    pub name: String,
    pub round: Option<u64>,
    pub step: u64,
}

impl Identity {
    /// Identifies the campaign of a step.
    pub fn new(program: &[ProgramStep], number: usize) -> Self {
        let step = &program[number];
        let is_like = |other: &&ProgramStep| {
            matches!(other.op, Op::Stage(Stage::Campaign(_)))
                && (&other.stage, other.round) == (&step.stage, step.round)
        };
        let previous = program[..number].iter().filter(is_like).count();
        let name =
            if previous == 0 { step.stage.clone() } else { format!("{}#{}", step.stage, previous + 1) };
        Self { name, round: step.round, step: number as u64 }
    }

    /// Names the files of the weights that the campaign injects faults into, and of their mask.
    pub fn files(&self) -> [String; 2] {
        let round = self.round.map_or_else(String::new, |round| format!("-round-{round}"));
        let name = format!("campaign-{}{round}", self.name);
        [format!("{name}.safetensors"), format!("{name}.pins.safetensors")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::program;
    use data::Shape;
    use doc::stage::Repeat;
    use doc::{Loss, Mlp, Net, Train, Vgg};
    use form::ron_text;

    fn structure() -> Structure {
        let net = Net::Mlp(Mlp { hidden: vec![300, 100], ..Mlp::default() });
        Structure::new(&net, Shape { channels: 1, height: 28, width: 28 }, 10, &Loss::CrossEntropy).unwrap()
    }

    fn plans(text: &str) -> Vec<CellPlan> {
        planned(&ron_text::from_str(text).unwrap(), &structure())
    }

    #[test]
    fn what_is_varied_replaces_its_setting() {
        let rates = plans("(vary: Rate([1e-6, 1e-3]), trials: Fixed(7))");
        assert_eq!(
            rates.iter().map(|cell| (cell.rate, cell.trials)).collect::<Vec<_>>(),
            [(Some(1e-6), 7), (Some(1e-3), 7)]
        );
        let bits = plans("(fault: (bits: Field(Sign)), vary: Bit([3, 30]), trials: Exhaustive)");
        assert!(bits.iter().all(|cell| cell.possible == 266_200 && cell.trials == 266_200));
        let layers = plans("(fault: (target: (layers: Except([\"fc1\"]))), vary: Layer)");
        let found: Vec<_> = layers.iter().map(|cell| (cell.layer.as_deref(), cell.possible)).collect();
        assert_eq!(found, [(Some("fc2"), 32 * 30_000), (Some("fc3"), 32 * 1000)]);
    }

    /// Leveugle et al., as the project's own list of numbers has it.
    #[test]
    fn the_planned_number_is_known_before_anything_runs() {
        let cells = plans("(trials: Until(margin: 0.01, confidence: 0.99, at_most: 5))");
        assert_eq!((cells[0].possible, cells[0].planned, cells[0].trials), (8_518_400, 16_609, 5));
    }

    #[test]
    fn pruned_entries_and_other_channels_are_left_out() {
        let structure = structure();
        let mut held = vec![Entry::Free; 1000];
        held[7] = Entry::Pruned;
        held[107] = Entry::Pruned;
        let text =
            "(fault: (target: (layers: Only([\"fc3\"]), channels: [1]), bits: Bit(3), pruned: Sparse))";
        let campaign: Campaign = ron_text::from_str(text).unwrap();
        let cells = cells(&campaign, &structure, &|_| Some(&held));
        assert_eq!(cells[0].sites.space.total(), 99);
        assert_eq!(cells[0].sites.space.site(7).index, 108);
    }

    #[test]
    fn listed_entries_alone_are_sites_in_their_order() {
        let structure = structure();
        let mut held = vec![Entry::Free; 1000];
        held[2] = Entry::Pruned;
        let sites = |text: &str| -> Vec<usize> {
            let campaign: Campaign = ron_text::from_str(text).unwrap();
            let space = &cells(&campaign, &structure, &|_| Some(&held))[0].sites.space;
            (0..space.total()).map(|number| space.site(number).index).collect()
        };
        let fc3 = "target: (layers: Only([\"fc3\"]), channels: [0, 9]), bits: Bit(3)";
        let all = format!("(fault: ({fc3}, indices: [901, 7, 2, 7, 500]))");
        assert_eq!(sites(&all), [2, 7, 901]);
        assert_eq!(sites(&all.replace("indices", "pruned: Sparse, indices")), [7, 901]);
        let activations =
            "(fault: (target: (layers: First(1), params: Activations), bits: Bit(3), indices: [299, 0]))";
        assert_eq!(sites(activations), [0, 299]);
    }

    /// The size comes from the output of a layer, and so do the shapes between operations.
    #[test]
    fn the_document_knows_the_size_of_what_flows() {
        let net = Net::Vgg(Vgg { depth: 11, width: 4, ..Vgg::default() });
        let shape = Shape { channels: 3, height: 32, width: 32 };
        for structure in [structure(), Structure::new(&net, shape, 10, &Loss::CrossEntropy).unwrap()] {
            let shapes = structure.shapes();
            for kind in ["Activations", "Preactivations"] {
                let fault: Fault = ron_text::from_str(&format!("(target: (params: {kind}))")).unwrap();
                for place in fault_places(&structure, &fault) {
                    let flowing = shapes[place.number + 1];
                    assert_eq!(
                        (place.entries, place.row),
                        (flowing.len(), flowing.plane()),
                        "{}",
                        place.name
                    );
                }
            }
        }
    }

    fn placed(text: &str) -> Result<Vec<ListedTrial>, String> {
        let net = Net::Mlp(Mlp { hidden: vec![3], ..Mlp::default() });
        let structure =
            Structure::new(&net, Shape { channels: 4, height: 1, width: 1 }, 3, &Loss::CrossEntropy).unwrap();
        let campaign = form::ron_text::from_str("(fault: (target: (params: WeightsAndBiases)))").unwrap();
        let trials = read(text).and_then(|rows| super::placed(&rows, &campaign, &structure, Some(10)));
        trials.map_err(|error| error.to_string())
    }

    #[test]
    fn lines_that_name_what_is_not_there_are_told() {
        let trials = placed("parameter,index,bit\nfc2.weight,8,30\nfc1.bias,0,31\n").unwrap();
        let sites: Vec<_> =
            trials.iter().map(|trial| (trial.trial, trial.faults[0].site.parameter)).collect();
        assert_eq!(sites, [(0, 2), (1, 1)]);
        for (list, part) in [
            ("parameter,index,bit\nfc9.weight,0,0\n", "line 2: there is no parameter"),
            ("parameter,index,bit\nfc1.bias,1,1\nfc1.bias,3,0\n", "line 3: fc1.bias has 3 entries"),
            ("parameter,index,bit\nfc1.bias,0,32\n", "line 2: fc1.bias is stored as float32"),
            ("parameter,index,bit,image\nfc1.bias,0,3,10\n", "line 2: there is no image 10"),
        ] {
            let problem = placed(list).unwrap_err();
            assert!(problem.starts_with(part), "{problem}");
        }
    }

    #[test]
    fn a_list_without_faults_is_refused() {
        let path = std::env::temp_dir().join(format!("weightlab-empty-list-{}.csv", std::process::id()));
        std::fs::write(&path, "parameter,index\n# nothing\n").unwrap();
        let campaign = form::ron_text::from_str("(faults: File(\"list.csv\"))").unwrap();
        let net = Net::Mlp(Mlp::default());
        let structure =
            Structure::new(&net, Shape { channels: 4, height: 1, width: 1 }, 3, &Loss::CrossEntropy).unwrap();
        let problem = read_list(&campaign, &structure, &path, None).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert!(problem.ends_with("the list has no fault, so there is no trial"), "{problem}");
    }

    #[test]
    fn campaigns_of_nested_repetitions_have_names_of_their_own() {
        let inner = Stage::Repeat(Repeat { times: 2, body: vec![Stage::Campaign(Campaign::default())] });
        let plan = [Stage::Train(Train::default()), Stage::Repeat(Repeat { times: 2, body: vec![inner] })];
        let steps = program(&plan);
        let names: Vec<_> =
            (1..steps.len()).map(|step| Identity::new(&steps, step).files()[0].clone()).collect();
        assert_eq!(
            names[..3],
            [
                "campaign-1.0.0-round-1.safetensors",
                "campaign-1.0.0-round-2.safetensors",
                "campaign-1.0.0#2-round-1.safetensors"
            ]
        );
    }
}
