//! Where faults can be injected: all sites of a set of parameters as one row of numbers, and draws from it.

use super::model::Unit;
use super::{Bits, FaultAmount, FaultModel, Format, sample};
use crate::stream::Stream;
use form::number::grouped;
use thiserror::Error;

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
    /// The sites that a model has in a parameter of `entries` entries stored in `format`.
    ///
    /// `parameter` is any number by which the caller knows it again. For a model of whole values, `bits` plays no
    /// part and every entry is one site. A double flip inverts a chosen bit and the one above it, so that the highest
    /// bit of a format is no site of it.
    pub fn new(parameter: usize, entries: usize, format: Format, model: FaultModel, bits: Bits) -> Self {
        let bits = match model.unit() {
            Unit::Value => vec![None],
            Unit::Bits(width) => {
                let fits = |bit: &u32| bit + width <= format.bits();
                bits.of(format).into_iter().filter(fits).map(Some).collect()
            }
        };
        Self { parameter, entries: entries as u64, candidates: None, bits }
    }

    /// Only these entries, ascending; all of them for `None`.
    pub fn only(mut self, candidates: Option<Vec<u32>>) -> Self {
        self.candidates = candidates;
        self
    }

    /// How many sites there are.
    pub fn sites(&self) -> u64 {
        let entries = self.candidates.as_ref().map_or(self.entries, |candidates| candidates.len() as u64);
        entries * self.bits.len() as u64
    }

    /// Site `number` of this parameter: entry by entry, and the bits of an entry from the lowest.
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
    /// The sites of these parameters, which come in the order of the network.
    pub fn new(regions: Vec<Region>) -> Self {
        let add = |total: &mut u64, region: &Region| {
            *total += region.sites();
            Some(*total)
        };
        let ends = regions.iter().scan(0, add).collect();
        Self { regions, ends }
    }

    /// How many sites there are: N of the planned number of trials, and the number of trials of an exhaustive campaign.
    pub fn total(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Site `number`, from 0.
    ///
    /// # Panics
    /// If there are not so many.
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
            FaultAmount::Rate(rate) if (0.0..=1.0).contains(&rate) => {
                sample::binomial(rng, self.total(), rate)
            }
            FaultAmount::Rate(rate) => return Err(TooManyFaults::Rate(rate)),
        };
        Ok(sample::distinct(rng, count, self.total()).into_iter().map(|number| self.site(number)).collect())
    }
}

/// More faults are wanted than there can be.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum TooManyFaults {
    /// A count.
    #[error(
        "{} faults at once do not fit: the target has {} sites; choose fewer, a larger target or more bits",
        grouped(*.wanted),
        grouped(*.sites)
    )]
    Count {
        /// How many are wanted.
        wanted: u64,
        /// How many sites there are.
        sites: u64,
    },
    /// A rate.
    #[error("a fault rate of {0} is not a probability; it must be between 0 and 1")]
    Rate(f64),
}

#[cfg(test)]
mod tests;
