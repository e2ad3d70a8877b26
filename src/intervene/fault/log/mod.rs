//! `faults.csv`, read and written here alone: a line for each injected fault, or for a draw that is too long to list.
//!
//! | a line is | `parameter` | `index` | `bit`, `before`, `after` |
//! |---|---|---|---|
//! | a fault | the parameter, or the activations of a layer | the entry | the bit, and what is stored there |
//! | a draw too long to list | `stream 2 0 7`: the counters of its stream `fault` | the number of its faults | empty |

mod read;

use std::borrow::Cow;
use std::fmt;

use super::{Injected, StreamCounters};

pub use read::{LineError, each_row, read, read_campaign};

/// The first line of `faults.csv`, without the line break: its columns.
pub const HEADER: &str = "campaign,round,trial,image,parameter,index,bit,before,after";

/// A line of `faults.csv`. `Display` is the line, without the line break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<'a> {
    /// The place of its stage in the plan, as in the column `stage` of `points.csv`.
    pub campaign: Cow<'a, str>,
    /// The round of the innermost `Repeat`, from 1; none outside of one.
    pub round: Option<u64>,
    /// The trial, counted through all cells of the campaign; of a fault in place, the pass.
    pub trial: u64,
    /// The only image that sees it; none: all of them.
    pub image: Option<u64>,
    /// What the line logs.
    pub logged: Logged<'a>,
}

/// What a line logs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Logged<'a> {
    /// One fault.
    Fault(LoggedFault<'a>),
    /// All faults of a draw that is too long to list.
    Draw {
        /// How many there are.
        faults: u64,
        /// Counters of the stream that they are drawn from, without that of the image; none in logs of 2026-11-22 and
        /// before for faults in place.
        stream: StreamCounters,
    },
}

/// One fault as it is logged, or listed by hand. `Display` is `fc1.weight[17] b30: 3d23d70a → 7d23d70a`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedFault<'a> {
    /// The parameter, or the activations: `fc1.weight`, `fc1.output`.
    pub parameter: Cow<'a, str>,
    /// The entry in the exported (PyTorch) layout.
    pub index: u64,
    /// The bit, from the least significant; none for models of whole values.
    pub bit: Option<u32>,
    /// The bits stored before, zero-extended to 32; only a list leaves them out.
    pub before: Option<u32>,
    /// The bits stored afterwards; only a list leaves them out.
    pub after: Option<u32>,
}

/// A draw of a fault in place that has more faults than this is one line. That is fewer than [`LONGEST_TRIAL`], since
/// training with a fault may log a draw for every batch; neither changes, so that a run writes the bytes that it did.
pub const LONGEST_DRAW: usize = 10_000;

/// A trial of a campaign that has more faults than this is one line.
pub const LONGEST_TRIAL: u64 = 100_000;

/// What the cell `parameter` of a long draw begins with.
const STREAM: &str = "stream";

impl<'a> LoggedFault<'a> {
    /// What was injected into a parameter (or activations) of this name.
    pub fn new(name: &'a str, injected: &Injected) -> Self {
        let Injected { site, before, after, value: _ } = *injected;
        let [before, after] = [before, after].map(Some);
        Self { parameter: name.into(), index: site.index as u64, bit: site.bit, before, after }
    }

    /// The same fault, kept beyond the line that it was read from.
    pub fn into_owned(self) -> LoggedFault<'static> {
        LoggedFault { parameter: self.parameter.into_owned().into(), ..self }
    }

    /// The layer that the parameter (or the activations) belongs to.
    pub fn layer(&self) -> &str {
        self.parameter.rsplit_once('.').map_or("", |(layer, _)| layer)
    }

    /// The fault in words, with the image that alone saw it.
    pub fn described(&self, image: Option<u64>) -> String {
        let bit = self.bit.map_or_else(String::new, |bit| format!(" b{bit}"));
        let image = image.map_or_else(String::new, |image| format!(" of image {image}"));
        let [before, after] = [self.before, self.after].map(Stored);
        format!("{}[{}]{bit}{image}: {before} → {after}", self.parameter, self.index)
    }
}

impl fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { campaign, round, trial, image, logged } = self;
        write!(f, "{campaign},{},{trial},{},", Blank(*round), Blank(*image))?;
        match logged {
            Logged::Fault(LoggedFault { parameter, index, bit, before, after }) => {
                write!(f, "{parameter},{index},{},{},{}", Blank(*bit), Stored(*before), Stored(*after))
            }
            Logged::Draw { faults, stream } => write!(f, "{STREAM} {stream},{faults},,,"),
        }
    }
}

/// A number, or nothing.
struct Blank<T>(Option<T>);

impl<T: fmt::Display> fmt::Display for Blank<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |value| value.fmt(f))
    }
}

/// Stored bits as eight hexadecimal digits, or nothing.
pub struct Stored(pub Option<u32>);

impl fmt::Display for Stored {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.map_or(Ok(()), |bits| write!(f, "{bits:08x}"))
    }
}

#[cfg(test)]
mod tests;
