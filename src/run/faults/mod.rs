//! Faults: how they are injected into networks, and those in place.
//!
//! A network is read through `fault(mask(values))`: a copy in which entries with faults read as something else, with faults
//! in the activations between operations. Stored weights are never written, so that a released fault leaves no
//! trace. The trials of campaigns use the same functions; the lines of `faults.csv` are those of [`fault::log`](intervene::fault::log).

mod place;
mod view;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use doc::fault::{Draw, Fault, FaultAmount, FaultPlace, Format, fault_places};
use doc::intervention::{Params, Target};
use doc::structure::Role;
use doc::{Structure, targets};
use intervene::Entry;
use intervene::fault::log::{LONGEST_DRAW, Logged, LoggedFault, Row};
use intervene::fault::{
    Injected, Injection, Memory, Region, Site, SiteSpace, Storage, StreamCounters, TooManyFaults,
};
use net::{Activations, Layout, Network};
pub use place::{put, refuse_campaign, refuse_training, release, report_training, test};
pub use view::View;

/// The faults of a network, in the order in which they were put in place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    pub active: Vec<Active>,
    /// Values that read as something else than what is stored, since they were last reported.
    pub changed: u64,
}

/// A fault in place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Active {
    pub settings: Fault,
    /// Number of the step that put it in place; draws are derived from it.
    pub step: u64,
    pub stage: String,
    /// Branch of that stage; empty for the main branch.
    pub branch: String,
    pub round: Option<u64>,
    /// Where it was released since. Draws continue as before, and skip what they hit there.
    pub released: Vec<Target>,
    /// Sites that were drawn once and hold.
    #[serde(skip)]
    pub drawn: Option<Drawn>,
    /// Number of times that the network was read since: forward passes where each has a separate draw, and evaluations of
    /// a part of the data and training mini-batches otherwise.
    pub passes: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// In the order in which they are counted.
    pub sites: Arc<Vec<Site>>,
    /// Position of the stream after them, from which values are drawn.
    pub position: u128,
}

/// The values that one draw of a fault in place injected.
#[derive(Clone, Debug)]
pub struct InjectedDraw {
    /// Index of the fault among those in place.
    pub fault: usize,
    /// The image that saw it; none: all of them.
    pub image: Option<u64>,
    pub injected: Vec<Injected>,
}

impl Faults {
    pub fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// Returns the format in which the network is read. Parameters have one format, and so have activations that are
    /// not float32.
    pub fn format(&self) -> Format {
        let other = |fault: &&Active| fault.settings.format != Format::Float32;
        self.active.iter().find(other).map_or(Format::Float32, |fault| fault.settings.format)
    }

    /// Injects one fault into parameters of a view, drawn for all images or for one.
    fn inject(
        &self,
        number: usize,
        stored: &StoredNetwork,
        view: &mut Network,
        seed: u64,
        image: Option<u64>,
    ) -> Result<InjectedDraw, TooManyFaults> {
        let (fault, sites) = (&self.active[number], &stored.sites[number]);
        let mut injection = fault.injection(&sites.space, seed, image.unwrap_or(0))?;
        let injected = in_parameters(view, &stored.storages, &mut injection);
        let mut injected = injected.expect("faults that were drawn fit any value");
        injected.retain(|injected| !fault.is_released(view.structure(), sites, injected));
        for Injected { site, value, .. } in &injected {
            view.overlay(site.parameter, site.index, *value);
        }
        Ok(InjectedDraw { fault: number, image, injected })
    }

    /// Writes the lines of `faults.csv` for what was injected in a branch, into all images first, then image by image.
    fn lines(&self, network: &StoredNetwork, branch: &str, mut draws: Vec<InjectedDraw>) -> String {
        draws.sort_by_key(|draw| (draw.image, draw.fault));
        let mut lines = String::new();
        for InjectedDraw { fault, image, injected } in &draws {
            let (fault, places) = (&self.active[*fault], &network.sites[*fault].places);
            let campaign = fault.name(branch);
            let mut log = |logged| {
                let campaign = Cow::Borrowed(&*campaign);
                let row = Row { campaign, round: fault.round, trial: fault.passes, image: *image, logged };
                let _ = writeln!(lines, "{row}"); // text grows without errors
            };
            if injected.len() > LONGEST_DRAW {
                let stream = fault.stream(image.unwrap_or(0));
                log(Logged::Draw { faults: injected.len() as u64, stream });
                continue;
            }
            for injected in injected {
                let name = &places[&injected.site.parameter].name;
                log(Logged::Fault(LoggedFault::new(name, injected)));
            }
        }
        lines
    }
}

impl Active {
    fn is_in_activations(&self) -> bool {
        self.settings.is_in_activations()
    }

    /// Returns true if each image sees another network.
    fn is_for_each_image(&self) -> bool {
        self.settings.draw == Draw::EveryImage && !self.is_in_activations()
    }

    /// Returns the stream of a draw; `item` is the image, where images have separate draws.
    fn stream(&self, item: u64) -> StreamCounters {
        self.settings.draw.stream(self.step, self.passes, item)
    }

    /// Draws new sites, or values at those that hold.
    fn injection(&self, space: &SiteSpace, seed: u64, item: u64) -> Result<Injection, TooManyFaults> {
        let mut rng = self.stream(item).of_seed(seed);
        let Some(Drawn { sites, position }) = &self.drawn else {
            return Injection::draw(self.settings.model, space, self.settings.amount, rng);
        };
        rng.set_word_pos(*position);
        Ok(Injection::at(self.settings.model, sites.clone(), rng))
    }

    /// Returns true if a target means this place of the fault.
    fn has_place(&self, structure: &Structure, target: &Target, place: &FaultPlace) -> bool {
        if !self.is_in_activations() {
            return targets::parameters(structure, target, &Params::Everything).contains(&place.number);
        }
        let Some(kind) = &self.settings.target.params else { return false };
        let is_meant = |result: targets::LayerResult| result.op == place.number;
        (target.params.is_none() || target.params.as_ref() == Some(kind))
            && targets::results(structure, &target.layers, kind).into_iter().any(is_meant)
    }

    /// Returns true if it was released where it hit a parameter or activations.
    fn is_released(&self, structure: &Structure, sites: &FaultSites, injected: &Injected) -> bool {
        self.released.iter().any(|target| {
            let place = &sites.places[&injected.site.parameter];
            let channel = place.channel_of(injected.site.index);
            (target.channels.is_empty() || target.channels.contains(&channel))
                && self.has_place(structure, target, place)
        })
    }

    fn is_gone(&self, structure: &Structure) -> bool {
        let own = &self.settings.target.channels;
        let has_channels = |target: &Target| {
            target.channels.is_empty()
                || (!own.is_empty() && own.iter().all(|channel| target.channels.contains(channel)))
        };
        let places = fault_places(structure, &self.settings);
        let mut targets = self.released.iter().filter(|target| has_channels(target));
        places.iter().all(|place| targets.clone().any(|target| self.has_place(structure, target, place)))
            && targets.next().is_some()
    }

    /// Returns the column `campaign` of `faults.csv`: the stage, and the branch that inherited the fault.
    fn name(&self, branch: &str) -> String {
        if branch == self.branch { self.stage.clone() } else { format!("{}@{branch}", self.stage) }
    }
}

/// The places and sites where one fault can be injected.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultSites {
    /// Its parameters, or the operations whose activations it is injected into, by their numbers.
    pub places: BTreeMap<usize, FaultPlace>,
    pub space: SiteSpace,
}

impl FaultSites {
    /// Finds the sites of a fault in these of its places; `entries` are the states of the entries of a parameter, where any
    /// is pruned or frozen.
    pub fn new<'a>(
        places: Vec<FaultPlace>,
        fault: &Fault,
        entries: &dyn Fn(usize) -> Option<&'a [Entry]>,
    ) -> Self {
        let states = |number: usize| if fault.is_in_activations() { None } else { entries(number) };
        let region = |place: &FaultPlace| {
            let surviving = states(place.number).and_then(|entries| fault.pruned.candidates(entries));
            Region::new(place.number, place.entries, place.format, fault.model, fault.bits)
                .only(chosen(fault, place, surviving))
        };
        let space = SiteSpace::new(places.iter().map(region).collect());
        Self { places: places.into_iter().map(|place| (place.number, place)).collect(), space }
    }

    /// Refuses a fault that has no site, or fewer than it wants at once; `which` names the part of its target.
    pub fn check(&self, fault: &Fault, which: &str) -> Result<(), String> {
        let sites = self.space.total();
        if sites == 0 {
            let format = fault.format.label();
            return Err(format!(
                "there is no fault site{which}: the target has no entry left, or {format} has none of the chosen bits; \
                 choose another target, other bits, or pruned: Dense"
            ));
        }
        match fault.amount {
            FaultAmount::Count(wanted) if wanted > sites => {
                Err(TooManyFaults::Count { wanted, sites }.to_string())
            }
            FaultAmount::Count(_) | FaultAmount::Rate(_) => Ok(()),
        }
    }
}

/// Keeps the candidates that the fault lists, and that lie in its target's channels.
fn chosen(fault: &Fault, place: &FaultPlace, candidates: Option<Vec<u32>>) -> Option<Vec<u32>> {
    let (channels, indices) = (&fault.target.channels, &fault.indices);
    if channels.is_empty() && indices.is_empty() {
        return candidates;
    }
    let listed: BTreeSet<usize> = indices.iter().copied().collect();
    let is_chosen = |entry: &u32| {
        let entry = *entry as usize;
        (channels.is_empty() || channels.contains(&place.channel_of(entry)))
            && (listed.is_empty() || listed.contains(&entry))
    };
    let all = || (0..place.entries as u32).collect();
    Some(candidates.unwrap_or_else(all).into_iter().filter(is_chosen).collect())
}

/// A network as the faults in place find it, before any of them is injected.
#[derive(Debug)]
pub struct StoredNetwork {
    network: Network,
    /// The network as its format reads it.
    pub golden: Network,
    /// Formats of its parameters with sites.
    pub storages: BTreeMap<usize, Storage>,
    pub sites: Vec<FaultSites>,
}

impl StoredNetwork {
    /// Stores the network as these faults find it.
    fn new(faults: &Faults, network: &Network) -> Self {
        let structure = network.structure();
        let sites = |Active { settings, .. }: &Active| {
            FaultSites::new(fault_places(structure, settings), settings, &|index| network.entries(index))
        };
        let sites: Vec<FaultSites> = faults.active.iter().map(sites).collect();
        let mut storages = BTreeMap::new();
        let parameters = faults.active.iter().zip(&sites).filter(|(fault, _)| !fault.is_in_activations());
        for (&index, place) in parameters.flat_map(|(_, sites)| &sites.places) {
            storages.entry(index).or_insert_with(|| storage(network, index, place.format));
        }
        Self { network: network.clone(), golden: in_format(network, faults.format()), storages, sites }
    }

    fn is_of(&self, network: &Network) -> bool {
        self.network.shares_arrays(network)
    }
}

/// Returns what a network reads as in a format: every parameter in it, with int8 the weights alone.
pub fn in_format(network: &Network, format: Format) -> Network {
    let values = network.arrays().0.iter().enumerate().map(|(index, values)| {
        let is_weight = network.structure().parameters[index].role == Role::Weight;
        match format.of_parameter(is_weight) {
            Format::Float32 => values.clone(),
            format => Arc::new(storage(network, index, format).golden(values)),
        }
    });
    network.reading_as(values.collect())
}

/// Describes how a format stores a parameter.
pub fn storage(network: &Network, index: usize, format: Format) -> Storage {
    let rows = network.structure().parameters[index].shape.first().copied().unwrap_or(1);
    Storage::new(format, network.values(index), rows)
}

/// Rounds activations to a format. They have no scale, so that every entry is stored in the same way.
pub fn round(format: Format, values: &mut [f32]) {
    if format != Format::Float32 {
        let storage = Storage::new(format, &[], 1);
        for value in values {
            *value = storage.read_back(0, *value);
        }
    }
}

/// Returns what parameters hold with these faults, each of which finds what the ones before it left. Fails where a list has
/// other bits than are stored.
pub fn in_parameters(
    view: &Network,
    storages: &BTreeMap<usize, Storage>,
    injection: &mut Injection,
) -> Result<Vec<Injected>, String> {
    let memory = |index: usize| Memory { values: view.values(index), storage: &storages[&index] };
    injection.inject(memory).map_err(|error| error.to_string())
}

/// Injects the faults of an operation into the activations of an image, and returns those that `keep` lets through. `storage`
/// gets its values in PyTorch's order. Fails where a list has other bits than are stored.
pub fn inject_activations(
    activations: &mut Activations,
    [sample, op]: [usize; 2],
    injection: &mut Injection,
    storage: impl FnOnce(&[f32]) -> Storage,
    keep: impl FnMut(&Injected) -> bool,
) -> Result<Vec<Injected>, String> {
    if !injection.is_at(op) {
        return Ok(Vec::new());
    }
    let values = in_order(activations, sample);
    let storage = storage(&values);
    let memory = Memory { values: &values, storage: &storage };
    let mut injected = injection.inject_at(op, memory).map_err(|error| error.to_string())?;
    injected.retain(keep);
    for Injected { site, value, .. } in &injected {
        let place = activations.place(sample, site.index);
        activations.values[place] = *value;
    }
    Ok(injected)
}

/// Returns the values of one sample as PyTorch counts them.
fn in_order(activations: &Activations, sample: usize) -> Cow<'_, [f32]> {
    match activations.layout {
        Layout::ChannelsFirst => Cow::Borrowed(activations.sample(sample)),
        Layout::ChannelsLast => {
            let value = |entry| activations.values[activations.place(sample, entry)];
            Cow::Owned((0..activations.shape.len()).map(value).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_are_rounded_to_a_format_and_float32_keeps_them() {
        let fine = 1.0 + 2f32.powi(-12);
        let read = |format| {
            let mut values = [fine, -3.0];
            round(format, &mut values);
            values
        };
        assert_eq!(read(Format::Float16), [1.0, -3.0]);
        assert_eq!(read(Format::Float32), [fine, -3.0]);
    }
}
