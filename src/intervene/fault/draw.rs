//! When faults are drawn, and from which stream.

use crate::intervene::Entry;
use crate::intervene::stream::{Purpose, Stream, stream};

crate::choice! {
    /// When faults are drawn.
    #[derive(Copy, Eq)]
    pub enum Draw: "Drawn" {
        Once, "Once", "When the stage is reached; they hold until released";
        EveryForward, "Every forward", "Anew for each evaluation or training batch";
        EveryImage, "Every image", "Anew for each image";
    }
}

crate::choice! {
    /// Whether pruned entries are in memory.
    #[derive(Copy, Eq)]
    pub enum PrunedMemory: "Pruned entries" {
        Dense, "In memory", "Zeros are stored and can be struck";
        Sparse, "Not in memory", "Only surviving entries can be struck";
    }
}

impl Draw {
    /// The stream of one draw. `step` is the number of the step that put the fault in place; `pass` counts the
    /// evaluations and trainings since then; `item` is the batch or the image within the pass. What a coarser draw
    /// does not depend on is left out of its counters, so that `Once` asks for the same stream every time.
    pub fn stream(self, seed: u64, step: u64, pass: u64, item: u64) -> Stream {
        match self {
            Self::Once => stream(seed, Purpose::Fault, &[step]),
            Self::EveryForward | Self::EveryImage => stream(seed, Purpose::Fault, &[step, pass, item]),
        }
    }
}

impl PrunedMemory {
    /// The entries of a parameter that are in memory, ascending; none stands for all of them.
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
        let first = |draw: Draw, pass, item| draw.stream(7, 3, pass, item).next_u64();
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
