//! One logged fault, and its line in `faults.csv`.

use std::fmt;

use super::Strike;

/// The first line of `faults.csv`, without the line break: its columns.
pub const HEADER: &str = "campaign,round,trial,image,parameter,index,bit,before,after";

/// One fault as `faults.csv` tells it. `Display` is its line, without the line break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultRecord {
    /// The place of its stage in the plan, as in the column `stage` of `points.csv`.
    pub campaign: String,
    /// The round of the innermost `Repeat`, from 1; none outside of one.
    pub round: Option<u64>,
    /// The trial, counted through all cells of the campaign.
    pub trial: u64,
    /// The image that saw the fault; none: all of them.
    pub image: Option<u64>,
    /// The parameter's name.
    pub parameter: String,
    /// The entry in the exported (PyTorch) layout.
    pub index: u64,
    /// The bit, from the least significant; none for models that strike values.
    pub bit: Option<u32>,
    /// The bits stored before, zero-extended to 32.
    pub before: u32,
    /// The bits stored afterwards.
    pub after: u32,
}

impl FaultRecord {
    /// The record of a strike on a parameter of this name.
    pub fn new(
        campaign: &str,
        round: Option<u64>,
        trial: u64,
        image: Option<u64>,
        name: &str,
        strike: &Strike,
    ) -> Self {
        let Strike { site, before, after, value: _ } = *strike;
        Self {
            campaign: campaign.to_owned(),
            round,
            trial,
            image,
            parameter: name.to_owned(),
            index: site.index as u64,
            bit: site.bit,
            before,
            after,
        }
    }
}

impl fmt::Display for FaultRecord {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { campaign, round, trial, image, parameter, index, bit, before, after } = self;
        write!(f, "{campaign},{},{trial},{},{parameter},{index}", Blank(*round), Blank(*image))?;
        write!(f, ",{},{before:08x},{after:08x}", Blank(*bit))
    }
}

/// A number, or nothing.
struct Blank<T>(Option<T>);

impl<T: fmt::Display> fmt::Display for Blank<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |value| value.fmt(f))
    }
}
