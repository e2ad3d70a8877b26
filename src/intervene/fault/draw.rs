//! How many faults are drawn, when, and from which stream.

use std::fmt;
use std::str::FromStr;

use crate::Entry;
use crate::stream::{Purpose, Stream, stream};

form::choice! {
    /// How many faults are drawn at once.
    #[derive(Copy)]
    pub enum FaultAmount: "Number of faults" {
        Count(u64) = 1, "Count", "This many", range [0, 1e9];
        Rate(f64) = 1e-6, "Rate", "Each bit (or value) with this probability", range [0.0, 1.0];
    }
}

form::choice! {
    /// When faults are drawn.
    #[derive(Copy, Eq, PartialOrd, Ord)]
    pub enum Draw: "Drawn" {
        Once, "Once", "When the plan reaches the stage; active until released";
        EveryForward, "Every forward", "New faults for each evaluation or training batch";
        EveryImage, "Every image", "New faults for each image";
    }
}

form::choice! {
    /// Whether pruned entries are in memory.
    #[derive(Copy, Eq)]
    pub enum PrunedMemory: "Pruned entries" {
        Dense, "In memory", "Zeros are stored and can be faulty";
        Sparse, "Not in memory", "Only surviving entries can be faulty";
    }
}

impl Draw {
    /// The stream of one draw. `step` is the number of the step that put the fault in place; `pass` counts the
    /// evaluations and trainings since then; `item` is the batch or the image within the pass. What a coarser draw
    /// does not depend on is left out of its counters, so that `Once` asks for the same stream every time.
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
    /// The stream itself.
    pub fn of_seed(&self, seed: u64) -> Stream {
        stream(seed, Purpose::Fault, &self.0)
    }

    /// Those of one image, where images have separate draws.
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
    /// The entries of a parameter that are in memory, ascending; `None` means all of them.
    pub fn candidates(self, entries: &[Entry]) -> Option<Vec<u32>> {
        let all_survive = || entries.iter().all(|entry| entry.survives());
        if self == Self::Dense || all_survive() {
            return None;
        }
        let surviving = (0_u32..).zip(entries).filter(|(_, entry)| entry.survives());
        Some(surviving.map(|(index, _)| index).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn once_is_the_same_stream_for_every_pass_and_image_and_the_others_are_not() {
        let first = |draw: Draw, pass, item| draw.stream(3, pass, item).of_seed(7).next_u64();
        assert_eq!(first(Draw::Once, 0, 0), first(Draw::Once, 1, 5));
        for draw in [Draw::EveryForward, Draw::EveryImage] {
            assert_ne!(first(draw, 0, 0), first(draw, 1, 0));
            assert_ne!(first(draw, 0, 0), first(draw, 0, 1));
        }
    }

    #[test]
    fn only_survivors_are_in_sparse_memory() {
        let entries = [Entry::Free, Entry::Pruned, Entry::Frozen];
        assert_eq!(PrunedMemory::Sparse.candidates(&entries), Some(vec![0, 2]));
        assert_eq!(PrunedMemory::Dense.candidates(&entries), None);
        assert_eq!(PrunedMemory::Sparse.candidates(&entries[..1]), None);
        assert_eq!(PrunedMemory::Sparse.candidates(&[Entry::Pruned]), Some(vec![]));
    }
}
