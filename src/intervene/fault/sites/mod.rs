//! Where faults can be injected: all sites of a set of parameters as one row of numbers; how many are drawn, when, and from
//! which stream. Draws are exact, and their cost follows the number drawn, not the number there are.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use form::number::grouped;
use rand::Rng;
use thiserror::Error;

use super::model::Unit;
use super::{Bits, FaultModel, Format};
use crate::Entry;
use crate::draw::{below, uniform_f64};
use crate::stream::{Purpose, Stream, stream};

/// One place of a fault. Sites order as they are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The parameter, by the number that its [`Region`] gives it.
    pub parameter: usize,
    /// The entry in the exported (PyTorch) layout.
    pub index: usize,
    /// The bit, from the least significant; none for models of whole values. Of a double flip the lower bit.
    pub bit: Option<u32>,
}

/// The sites of one parameter: its entries (or some of them), and of each the same bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    parameter: usize,
    entries: u64,
    candidates: Option<Vec<u32>>,
    /// The bits of each entry that are sites.
    bits: Vec<Option<u32>>,
}

impl Region {
    /// Returns the sites that a model has in a parameter of `entries` entries stored in `format`.
    ///
    /// `parameter` is any number by which the caller knows it again. For a model of whole values, `bits` plays no
    /// part and every entry is one site. A double flip inverts a chosen bit and the one above it, so that the highest
    /// bit of a format is no site of it.
    pub fn new(parameter: usize, entries: usize, format: Format, model: FaultModel, bits: Bits) -> Self {
        let bits = match model.unit() {
            Unit::Value => vec![None],
            Unit::Bits(width) => {
                let fits = |bit: &u32| bit + width <= format.bits();
                bits.in_format(format).into_iter().filter(fits).map(Some).collect()
            }
        };
        Self { parameter, entries: entries as u64, candidates: None, bits }
    }

    /// Keeps only these entries, ascending; all of them for `None`.
    pub fn only(mut self, candidates: Option<Vec<u32>>) -> Self {
        self.candidates = candidates;
        self
    }

    /// Returns the number of sites.
    pub fn sites(&self) -> u64 {
        let entries = self.candidates.as_ref().map_or(self.entries, |candidates| candidates.len() as u64);
        entries * self.bits.len() as u64
    }

    /// Returns site `number` of this parameter: entry by entry, and the bits of an entry from the lowest.
    fn site(&self, number: u64) -> Site {
        let (entry, bit) = (number / self.bits.len() as u64, number % self.bits.len() as u64);
        let entry = entry as usize;
        let index = self.candidates.as_ref().map_or(entry, |candidates| candidates[entry] as usize);
        Site { parameter: self.parameter, index, bit: self.bits[bit as usize] }
    }
}

/// All sites, numbered from 0: parameters in the order given, entries in the exported layout, bits from the lowest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteSpace {
    regions: Vec<Region>,
    /// Number of sites up to and with each region.
    ends: Vec<u64>,
}

impl SiteSpace {
    /// Returns the sites of these parameters, which come in the order of the network.
    pub fn new(regions: Vec<Region>) -> Self {
        let add = |total: &mut u64, region: &Region| {
            *total += region.sites();
            Some(*total)
        };
        let ends = regions.iter().scan(0, add).collect();
        Self { regions, ends }
    }

    /// Returns the number of sites: N of the planned number of trials, and the number of trials of an exhaustive campaign.
    pub fn total(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Returns site `number`, from 0.
    pub fn site(&self, number: u64) -> Site {
        let at = self.ends.partition_point(|&end| end <= number);
        let begin = if at == 0 { 0 } else { self.ends[at - 1] };
        self.regions[at].site(number - begin)
    }

    /// Draws sites, all different, every choice of as many equally likely, in the order in which they are counted.
    /// A rate is a binomial count first.
    ///
    /// # Errors
    /// When more are wanted than there are, or a rate is no probability.
    pub fn draw(&self, amount: FaultAmount, rng: &mut Stream) -> Result<Vec<Site>, TooManyFaults> {
        let count = match amount {
            FaultAmount::Count(wanted) if wanted > self.total() => {
                return Err(TooManyFaults::Count { wanted, sites: self.total() });
            }
            FaultAmount::Count(wanted) => wanted,
            FaultAmount::Rate(rate) if (0.0..=1.0).contains(&rate) => binomial(rng, self.total(), rate),
            FaultAmount::Rate(rate) => return Err(TooManyFaults::Rate(rate)),
        };
        Ok(distinct(rng, count, self.total()).into_iter().map(|number| self.site(number)).collect())
    }
}

/// More faults are wanted than there can be.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum TooManyFaults {
    #[error(
        "{} faults at once do not fit: the target has {} sites; choose fewer, a larger target or more bits",
        grouped(*.wanted),
        grouped(*.sites)
    )]
    Count { wanted: u64, sites: u64 },
    #[error("a fault rate of {0} is not a probability; it must be between 0 and 1")]
    Rate(f64),
}

form::choice! {
    /// The number of faults drawn at once.
    #[derive(Copy)]
    pub enum FaultAmount: "Number of faults" {
        Count(u64) = 1, "Count", "This many", range [0, 1e9];
        Rate(f64) = 1e-6, "Rate", "Each bit (or value) with this probability", range [0.0, 1.0];
    }
}

form::choice! {
    /// The time at which faults are drawn.
    #[derive(Copy, Eq, PartialOrd, Ord)]
    pub enum Draw: "Drawn" {
        Once, "Once", "When the plan reaches the stage; active until released";
        EveryForward, "Every forward", "New faults for each evaluation or training batch";
        EveryImage, "Every image", "New faults for each image";
    }
}

form::choice! {
    /// The place of pruned entries: in memory, or not.
    #[derive(Copy, Eq)]
    pub enum PrunedMemory: "Pruned entries" {
        Dense, "In memory", "Zeros are stored and can be faulty";
        Sparse, "Not in memory", "Only surviving entries can be faulty";
    }
}

impl Draw {
    /// Returns the stream of one draw. `step` is the number of the step that put the fault in place; `pass` counts
    /// the evaluations and trainings since then; `item` is the batch or the image within the pass. What a coarser
    /// draw does not depend on is left out of its counters, so that `Once` asks for the same stream every time.
    pub fn stream(self, step: u64, pass: u64, item: u64) -> StreamCounters {
        StreamCounters(match self {
            Self::Once => vec![step],
            Self::EveryForward | Self::EveryImage => vec![step, pass, item],
        })
    }
}

/// Counters of a stream `fault`, which faults are drawn from. As text they are separated by spaces: `2 0 7`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamCounters(pub Vec<u64>);

impl StreamCounters {
    /// Returns the stream of a seed.
    pub fn of_seed(&self, seed: u64) -> Stream {
        stream(seed, Purpose::Fault, &self.0)
    }

    /// Returns those of one image, where images have separate draws.
    pub fn of_image(&self, image: u64) -> Self {
        Self(self.0.iter().copied().chain([image]).collect())
    }
}

impl fmt::Display for StreamCounters {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let counters: Vec<String> = self.0.iter().map(u64::to_string).collect();
        f.write_str(&counters.join(" "))
    }
}

impl FromStr for StreamCounters {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.split_whitespace().map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl PrunedMemory {
    /// Returns the entries of a parameter that are in memory, ascending; `None` means all of them.
    pub fn candidates(self, entries: &[Entry]) -> Option<Vec<u32>> {
        let all_survive = || entries.iter().all(|entry| entry.survives());
        if self == Self::Dense || all_survive() {
            return None;
        }
        let surviving = (0_u32..).zip(entries).filter(|(_, entry)| entry.survives());
        Some(surviving.map(|(index, _)| index).collect())
    }
}

/// Draws how many of `trials` independent trials succeed, each with `probability`, which lies in [0, 1].
///
/// Adds up the failures before each success, which are geometric (Devroye, *Non-Uniform Random Variate Generation*,
/// 1986, X.4.3, first waiting time algorithm): exact for any number of trials and the smallest probabilities, in time
/// proportional to the successes. Above ½, failures are counted instead.
fn binomial(rng: &mut impl Rng, trials: u64, probability: f64) -> u64 {
    if probability > 0.5 {
        return trials - binomial(rng, trials, 1.0 - probability);
    }
    if probability <= 0.0 {
        return 0;
    }
    let failure = (-probability).ln_1p();
    let (mut successes, mut left) = (0, trials);
    loop {
        let failures = ((-uniform_f64(rng)).ln_1p() / failure) as u64;
        if failures >= left {
            return successes;
        }
        left -= failures + 1;
        successes += 1;
    }
}

/// Draws `count` different numbers below `size`, ascending, every choice equally likely (Floyd's algorithm: Bentley
/// and Floyd, *Communications of the ACM* 30(9), 1987). One [`below`] each; memory for `count` numbers. All of them
/// if `count` is larger than `size`.
fn distinct(rng: &mut impl Rng, count: u64, size: u64) -> BTreeSet<u64> {
    let mut chosen = BTreeSet::new();
    for last in size.saturating_sub(count)..size {
        let number = below(rng, last + 1);
        if !chosen.insert(number) {
            chosen.insert(last);
        }
    }
    chosen
}
