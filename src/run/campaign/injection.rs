//! What one trial injects: drawn from the run's stream, or read from a list.

use std::collections::BTreeMap;

use super::cells::Cell;
use crate::doc::fault::{Draw, FaultModel};
use crate::intervene::fault::list::{self, PlacedFault};
use crate::intervene::fault::{Memory, Site, Storage, Strike, TooManyFaults, strike};
use crate::intervene::stream::{Purpose, Stream, stream};

/// The faults of one trial.
#[derive(Clone, Debug)]
pub enum Injection {
    /// The same for all images, into parameters.
    Shared(Vec<Strike>),
    /// Into parameters, for each image its own.
    PerImage(Vec<Vec<Strike>>),
    /// Into what flows, for each image its own.
    Flows(Vec<FlowFaults>),
}

/// What will strike the flow of one image; what it finds there is known when it flows.
#[derive(Clone, Debug)]
pub struct FlowFaults {
    how: How,
    rng: Stream,
}

#[derive(Clone, Debug)]
enum How {
    Drawn(FaultModel, Vec<Site>),
    Listed(FaultModel, Vec<PlacedFault>),
}

/// What a parameter, or what flows behind an operation, holds; by its number.
pub struct Memories<'a> {
    /// Values of parameters.
    pub values: &'a dyn Fn(usize) -> &'a [f32],
    /// How they are stored.
    pub storages: &'a BTreeMap<usize, Storage>,
}

impl<'a> Memories<'a> {
    fn of(&self, number: usize) -> Memory<'a> {
        Memory { values: (self.values)(number), storage: &self.storages[&number] }
    }
}

/// Which trial: what its stream is derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialKey {
    /// Seed of the run.
    pub seed: u64,
    /// Number of the step.
    pub step: u64,
    /// Number of the cell.
    pub cell: u64,
    /// Number of the trial within the cell.
    pub trial: u64,
}

impl TrialKey {
    fn stream(self) -> Stream {
        stream(self.seed, Purpose::Fault, &[self.step, self.cell, self.trial])
    }

    fn stream_of(self, image: usize) -> Stream {
        stream(self.seed, Purpose::Fault, &[self.step, self.cell, self.trial, image as u64])
    }
}

impl Injection {
    /// Draws the faults of a trial: one draw for all images; with `EveryImage`, and for what flows, one for each image.
    ///
    /// # Errors
    /// When more are wanted than can be.
    pub fn drawn(
        cell: &Cell,
        key: TrialKey,
        images: usize,
        memories: &Memories,
    ) -> Result<Self, TooManyFaults> {
        let fault = &cell.fault;
        let sites = |rng: &mut Stream| cell.space.draw(fault.amount, rng);
        if fault.strikes_flows() {
            let image = |image: usize| {
                let mut rng = key.stream_of(image);
                Ok(FlowFaults { how: How::Drawn(fault.model, sites(&mut rng)?), rng })
            };
            return (0..images).map(image).collect::<Result<_, _>>().map(Self::Flows);
        }
        let draw = |mut rng: Stream| {
            let sites = sites(&mut rng)?;
            Ok(strike(fault.model, &sites, |number| memories.of(number), &mut rng))
        };
        match fault.draw {
            Draw::Once | Draw::EveryForward => draw(key.stream()).map(Self::Shared),
            Draw::EveryImage => (0..images)
                .map(|image| draw(key.stream_of(image)))
                .collect::<Result<_, _>>()
                .map(Self::PerImage),
        }
    }

    /// The only fault of a trial of an exhaustive campaign.
    pub fn nth(cell: &Cell, key: TrialKey, images: usize, memories: &Memories) -> Self {
        let site = cell.space.site(key.trial);
        let model = cell.fault.model;
        if cell.fault.strikes_flows() {
            let rng = |image| key.stream_of(image);
            let image = |image| FlowFaults { how: How::Drawn(model, vec![site]), rng: rng(image) };
            return Self::Flows((0..images).map(image).collect());
        }
        Self::Shared(strike(model, &[site], |number| memories.of(number), &mut key.stream()))
    }

    /// The faults of a listed trial, whose sites have the numbers of `memories`.
    ///
    /// # Errors
    /// The line, and what is stored, where the list says that something else is.
    pub fn listed(
        faults: &[PlacedFault],
        cell: &Cell,
        key: TrialKey,
        images: usize,
        memories: &Memories,
    ) -> Result<Self, String> {
        let model = cell.fault.model;
        let is_single =
            |fault: &&PlacedFault, image: usize| fault.image.is_none_or(|own| own == image as u64);
        if cell.fault.strikes_flows() {
            let image = |image: usize| {
                let own = faults.iter().filter(|fault| is_single(fault, image)).copied().collect();
                FlowFaults { how: How::Listed(model, own), rng: key.stream_of(image) }
            };
            return Ok(Self::Flows((0..images).map(image).collect()));
        }
        if faults.iter().all(|fault| fault.image.is_none()) {
            return relive(model, faults, &|number| memories.of(number), &mut key.stream()).map(Self::Shared);
        }
        let image = |image: usize| {
            let own: Vec<PlacedFault> =
                faults.iter().filter(|fault| is_single(fault, image)).copied().collect();
            relive(model, &own, &|number| memories.of(number), &mut key.stream_of(image))
        };
        (0..images).map(image).collect::<Result<_, _>>().map(Self::PerImage)
    }

    /// Number of the first parameter or operation that is struck.
    pub fn first(&self) -> Option<usize> {
        let strikes = |strikes: &[Strike]| strikes.iter().map(|strike| strike.site.parameter).min();
        match self {
            Self::Shared(shared) => strikes(shared),
            Self::PerImage(images) => images.iter().filter_map(|own| strikes(own)).min(),
            Self::Flows(images) => images.iter().flat_map(FlowFaults::ops).min(),
        }
    }
}

impl FlowFaults {
    /// The operations behind which it strikes, each as often as it does.
    pub fn ops(&self) -> impl Iterator<Item = usize> {
        let (drawn, listed): (&[Site], &[PlacedFault]) = match &self.how {
            How::Drawn(_, sites) => (sites, &[]),
            How::Listed(_, faults) => (&[], faults),
        };
        drawn.iter().map(|site| site.parameter).chain(listed.iter().map(|fault| fault.site.parameter))
    }

    /// What the faults behind operation `op` make of the values that flow there, in PyTorch's order. Operations come in
    /// their order.
    ///
    /// # Errors
    /// As [`Injection::listed`].
    pub fn strike(&mut self, op: usize, values: &[f32], storage: &Storage) -> Result<Vec<Strike>, String> {
        let memory = |_| Memory { values, storage };
        match &self.how {
            How::Drawn(model, sites) => {
                let here: Vec<Site> = sites.iter().filter(|site| site.parameter == op).copied().collect();
                Ok(strike(*model, &here, memory, &mut self.rng))
            }
            How::Listed(model, faults) => {
                let here = faults.iter().filter(|fault| fault.site.parameter == op).copied();
                relive(*model, &here.collect::<Vec<_>>(), &memory, &mut self.rng)
            }
        }
    }
}

/// What listed faults read as: what the list says is stored afterwards, or what the model makes of it.
fn relive<'a>(
    model: FaultModel,
    faults: &[PlacedFault],
    memory: &dyn Fn(usize) -> Memory<'a>,
    rng: &mut Stream,
) -> Result<Vec<Strike>, String> {
    list::strikes(faults, model, memory, rng).map_err(|error| error.to_string())
}
