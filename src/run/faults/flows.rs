//! Strikes into what flows between operations: every image has a draw of its own.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::Faults;
use super::memory::Memory;
use super::strikes::{Hit, keep_held};
use crate::intervene::fault::{self, Format, Site, Storage, TooManyFaults};
use crate::intervene::stream::Stream;
use crate::net::{Activations, Network, Tap};

/// The strikes into what flows for some images, in one pass.
pub struct Flows<'a> {
    faults: &'a Faults,
    memory: &'a Memory,
    network: &'a Network,
    draws: Vec<FlowDraw>,
}

/// What one fault strikes in one image.
struct FlowDraw {
    fault: usize,
    /// Which image of the batch.
    at: usize,
    sites: Arc<Vec<Site>>,
    rng: Stream,
    hit: Hit,
}

impl<'a> Flows<'a> {
    /// Draws for `count` images, the first of which has number `first` in its part of the data.
    pub fn draw(
        faults: &'a Faults,
        memory: &'a Memory,
        network: &'a Network,
        seed: u64,
        (first, count): (u64, usize),
    ) -> Result<Self, TooManyFaults> {
        let mut draws = Vec::new();
        let flowing = faults.active.iter().enumerate().filter(|(_, fault)| fault.strikes_flows());
        for (number, fault) in flowing {
            for at in 0..count {
                let image = first + at as u64;
                let (sites, rng) = fault.draw(&memory.grounds[number].space, seed, image)?;
                let hit = Hit { fault: number, image: Some(image), strikes: Vec::new() };
                draws.push(FlowDraw { fault: number, at, sites, rng, hit });
            }
        }
        Ok(Self { faults, memory, network, draws })
    }

    /// Operations behind which something is rounded or struck.
    pub fn ops(&self) -> BTreeSet<usize> {
        let flowing = self.faults.active.iter().zip(&self.memory.grounds);
        flowing
            .filter(|(fault, _)| fault.strikes_flows())
            .flat_map(|(_, ground)| ground.places.keys().copied())
            .collect()
    }

    /// What was struck.
    pub fn into_hits(self) -> impl Iterator<Item = Hit> {
        self.draws.into_iter().map(|draw| draw.hit).filter(|hit| !hit.strikes.is_empty())
    }

    /// The format in which what flows behind an operation is stored.
    fn format(&self, op: usize) -> Format {
        let flowing = self.faults.active.iter().zip(&self.memory.grounds);
        let mut here =
            flowing.filter(|(fault, ground)| fault.strikes_flows() && ground.places.contains_key(&op));
        let other = here.find(|(fault, _)| fault.settings.format != Format::Float32);
        other.map_or(Format::Float32, |(fault, _)| fault.settings.format)
    }
}

impl Tap for Flows<'_> {
    fn wants(&self, op: usize) -> bool {
        self.ops().contains(&op)
    }

    fn write(&mut self, op: usize, activations: &mut Activations) {
        let format = self.format(op);
        if format != Format::Float32 {
            activations.values = Storage::of(format, &activations.values, 1).golden(&activations.values);
        }
        for draw in &mut self.draws {
            let begin = draw.sites.partition_point(|site| site.parameter < op);
            let end = draw.sites.partition_point(|site| site.parameter <= op);
            if begin == end {
                continue;
            }
            let (fault, ground) = (&self.faults.active[draw.fault], &self.memory.grounds[draw.fault]);
            let values = in_order(activations, draw.at);
            let storage = Storage::of(ground.places[&op].format, &values, 1);
            let found = |_| fault::Memory { values: &values, storage: &storage };
            let sites = &draw.sites[begin..end];
            let mut strikes = fault::strike(fault.settings.model, sites, found, &mut draw.rng);
            drop(values);
            keep_held(fault, ground, self.network.structure(), &mut strikes);
            for strike in &strikes {
                let place = activations.place(draw.at, strike.site.index);
                activations.values[place] = strike.value;
            }
            draw.hit.strikes.append(&mut strikes);
        }
    }
}

/// The values of one sample as PyTorch counts them.
fn in_order(activations: &Activations, sample: usize) -> Cow<'_, [f32]> {
    match activations.layout {
        crate::net::Layout::ChannelsFirst => Cow::Borrowed(activations.sample(sample)),
        crate::net::Layout::ChannelsLast => Cow::Owned(
            (0..activations.shape.len())
                .map(|entry| activations.values[activations.place(sample, entry)])
                .collect(),
        ),
    }
}
