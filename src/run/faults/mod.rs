//! Faults: how they are injected into networks, and those in place.
//!
//! A network is read through `fault(mask(values))`: a copy in which entries with faults read as something else, with faults
//! in the activations between operations. Stored weights are never written, so that a released fault leaves no
//! trace. [`sites`], [`stored`], [`parameters`] and [`activations`] do this for the trials of campaigns too; the lines of
//! `faults.csv` are those of [`fault::log`](intervene::fault::log).

pub(super) mod activations;
pub(super) mod parameters;
mod place;
mod saved;
pub(super) mod sites;
pub(super) mod stored;
mod tap;
mod view;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use doc::Structure;
use doc::fault::{Draw, Fault, Format};
use doc::fault_sites::{FaultPlace, fault_places};
use doc::intervention::{Params, Target};
use doc::targets;
use intervene::fault::log::{LONGEST_DRAW, Logged, LoggedFault, Row};
use intervene::fault::{Injected, Injection, Site, SiteSpace, StreamCounters, TooManyFaults};
use net::Network;
use parameters::overlay;
use sites::FaultSites;
use stored::StoredNetwork;

pub use place::{put, refuse_campaign, refuse_training, release, report_training, test};
pub use saved::{WrittenFaults, read, written};
pub use view::View;

/// The faults of a network, in the order in which they were put in place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// Each with its counters.
    pub active: Vec<Active>,
    /// Values that read as something else than what is stored, since they were last reported.
    pub changed: u64,
}

/// A fault in place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Active {
    /// Its settings in the plan.
    pub settings: Fault,
    /// Number of the step that put it in place; draws are derived from it.
    pub step: u64,
    /// Place of that stage in the plan.
    pub stage: String,
    /// Branch of that stage; empty for the main branch.
    pub branch: String,
    /// Round of the innermost repetition, from 1.
    pub round: Option<u64>,
    /// Where it was released since. Draws continue as before, and skip what they hit there.
    pub released: Vec<Target>,
    /// Sites that were drawn once and hold.
    #[serde(skip)]
    pub drawn: Option<Drawn>,
    /// How often the network was read since: forward passes where each has a separate draw, and evaluations of a part
    /// of the data and training mini-batches otherwise.
    pub passes: u64,
}

/// Sites that hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// In the order in which they are counted.
    pub sites: Arc<Vec<Site>>,
    /// Position of the stream after them, from which values are drawn.
    pub position: u128,
}

/// What one draw of one fault in place injected.
#[derive(Clone, Debug)]
pub struct InjectedDraw {
    /// Position of the fault among those in place.
    pub fault: usize,
    /// The image that saw it; none: all of them.
    pub image: Option<u64>,
    /// In the order of the sites.
    pub injected: Vec<Injected>,
}

impl Faults {
    /// Whether the network is read as it is.
    pub fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// The format in which the network is read. Parameters have one format, and so have activations that are not float32.
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
        (seed, image): (u64, Option<u64>),
    ) -> Result<InjectedDraw, TooManyFaults> {
        let (fault, sites) = (&self.active[number], &stored.sites[number]);
        let mut injection = fault.injection(&sites.space, seed, image.unwrap_or(0))?;
        let injected = parameters::injected(view, &stored.storages, &mut injection);
        let mut injected = injected.expect("faults that were drawn fit any value");
        fault.leave_released(view.structure(), sites, &mut injected);
        overlay(view, &injected);
        Ok(InjectedDraw { fault: number, image, injected })
    }

    /// Lines of `faults.csv` for what was injected in a branch, into all images first, then image by image.
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
    /// Whether it is injected into activations rather than parameters.
    fn is_in_activations(&self) -> bool {
        self.settings.is_in_activations()
    }

    /// Whether each image sees another network.
    fn is_for_each_image(&self) -> bool {
        self.settings.draw == Draw::EveryImage && !self.is_in_activations()
    }

    /// The stream of a draw; `item` is the image, where images have separate draws.
    fn stream(&self, item: u64) -> StreamCounters {
        self.settings.draw.stream(self.step, self.passes, item)
    }

    /// One draw: of new sites, or of values at those that hold.
    fn injection(&self, space: &SiteSpace, seed: u64, item: u64) -> Result<Injection, TooManyFaults> {
        let mut rng = self.stream(item).of_seed(seed);
        let Some(Drawn { sites, position }) = &self.drawn else {
            return Injection::draw(self.settings.model, space, self.settings.amount, rng);
        };
        rng.set_word_pos(*position);
        Ok(Injection::at(self.settings.model, sites.clone(), rng))
    }

    /// Whether a target means this place of the fault.
    fn has_place(&self, structure: &Structure, target: &Target, place: &FaultPlace) -> bool {
        if !self.is_in_activations() {
            return targets::parameters(structure, target, &Params::Everything).contains(&place.number);
        }
        let Some(kind) = &self.settings.target.params else { return false };
        let is_meant = |result: targets::LayerResult| result.op == place.number;
        (target.params.is_none() || target.params.as_ref() == Some(kind))
            && targets::results(structure, &target.layers, kind).into_iter().any(is_meant)
    }

    /// Whether it was released in this entry of a parameter or of activations.
    fn is_released(&self, structure: &Structure, place: &FaultPlace, entry: usize) -> bool {
        let has_entry = |target: &Target| {
            target.channels.is_empty() || target.channels.contains(&place.channel_of(entry))
        };
        self.released.iter().any(|target| has_entry(target) && self.has_place(structure, target, place))
    }

    /// Removes what hit an entry in which it was released.
    fn leave_released(&self, structure: &Structure, sites: &FaultSites, injected: &mut Vec<Injected>) {
        if !self.released.is_empty() {
            injected.retain(|fault| {
                !self.is_released(structure, &sites.places[&fault.site.parameter], fault.site.index)
            });
        }
    }

    /// Whether it was released everywhere.
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

    /// The column `campaign` of `faults.csv`: the stage, and the branch that inherited the fault.
    fn name(&self, branch: &str) -> String {
        if branch == self.branch { self.stage.clone() } else { format!("{}@{branch}", self.stage) }
    }
}
