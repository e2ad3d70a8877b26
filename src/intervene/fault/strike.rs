//! What struck values read as.

use std::collections::BTreeMap;

use super::model::Struck;
use super::{FaultModel, Site, Storage};
use crate::intervene::stream::Stream;

/// A parameter as faults see it.
#[derive(Debug, Clone, Copy)]
pub struct Memory<'a> {
    /// Its values, as they are before any of these faults; golden ones, or what is stored in float32.
    pub values: &'a [f32],
    /// How they are stored.
    pub storage: &'a Storage,
}

impl Memory<'_> {
    /// The bits that an entry holds.
    pub fn stored(self, index: usize) -> u32 {
        self.storage.encode(index, self.values[index])
    }
}

/// One fault: a site, what was stored there, and what is now.
#[derive(Debug, Clone, Copy)]
pub struct Strike {
    /// Where.
    pub site: Site,
    /// The bits stored before, zero-extended to 32.
    pub before: u32,
    /// The bits stored afterwards.
    pub after: u32,
    /// What the entry reads as afterwards.
    pub value: f32,
}

impl Strike {
    /// Whether anything changed. A stuck-at that agrees with the stored bit is logged, and is no fault.
    pub fn is_fault(&self) -> bool {
        self.before != self.after
    }
}

/// Strikes all sites in their order. Where an entry is struck more than once, each fault finds what the one before it
/// left, so that writing every `after` (or every `value`) in order gives what the entry reads as in the end. `memory` is
/// asked for a site's parameter.
pub fn strike<'a>(
    model: FaultModel,
    sites: &[Site],
    memory: impl Fn(usize) -> Memory<'a>,
    rng: &mut Stream,
) -> Vec<Strike> {
    let rule = model.rule();
    let mut held = Held::default();
    let mut one =
        |&site: &Site| held.strike(site, memory(site.parameter), |struck| rule.corrupt(struck, rng));
    sites.iter().map(&mut one).collect()
}

/// What struck entries hold by now, by parameter and index.
#[derive(Debug, Default)]
pub(super) struct Held(BTreeMap<(usize, usize), u32>);

impl Held {
    /// Strikes once more; `after` gives the bits that the entry holds from then on.
    pub(super) fn strike(&mut self, site: Site, memory: Memory, after: impl FnOnce(Struck) -> u32) -> Strike {
        let (index, storage) = (site.index, memory.storage);
        let held = self.0.entry((site.parameter, index)).or_insert_with(|| memory.stored(index));
        let before = *held;
        *held = after(Struck { stored: before, bit: site.bit.unwrap_or(0), index, storage });
        Strike { site, before, after: *held, value: storage.decode(index, *held) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intervene::fault::Format;
    use crate::intervene::stream::{Purpose, stream};

    fn site(index: usize, bit: u32) -> Site {
        Site { parameter: 0, index, bit: Some(bit) }
    }

    fn strikes(model: FaultModel, format: Format, values: &[f32], sites: &[Site]) -> Vec<Strike> {
        let storage = Storage::of(format, values, 1);
        strike(model, sites, |_| Memory { values, storage: &storage }, &mut stream(0, Purpose::Fault, &[]))
    }

    #[test]
    fn two_faults_in_one_entry_build_on_each_other() {
        let both =
            strikes(FaultModel::Flip, Format::Float32, &[0.0, 1.0], &[site(1, 23), site(0, 30), site(1, 31)]);
        let brief: Vec<_> = both.iter().map(|strike| (strike.before, strike.after, strike.value)).collect();
        assert_eq!(
            brief,
            [(0x3f80_0000, 0x3f00_0000, 0.5), (0, 0x4000_0000, 2.0), (0x3f00_0000, 0xbf00_0000, -0.5),]
        );
    }

    #[test]
    fn minus_128_of_int8_is_struck_again_as_it_is_stored() {
        let both = strikes(FaultModel::Flip, Format::Int8, &[0.0, 127.0], &[site(0, 7), site(0, 0)]);
        assert_eq!((both[0].value, both[1].value), (-128.0, -127.0));
    }

    #[test]
    fn a_stuck_at_that_agrees_is_logged_and_no_fault() {
        let strike = strikes(FaultModel::StuckAt0, Format::Float32, &[1.0], &[site(0, 30)])[0];
        assert_eq!((strike.before, strike.after), (0x3f80_0000, 0x3f80_0000));
        assert!(!strike.is_fault());
        assert!(strikes(FaultModel::StuckAt1, Format::Float32, &[1.0], &[site(0, 30)])[0].is_fault());
    }

    #[test]
    fn golden_and_raw_values_are_struck_alike() {
        let raw = [0.1_f32, -0.3, 0.777];
        for format in Format::all() {
            let storage = Storage::of(format, &raw, 1);
            let golden = storage.golden(&raw);
            let struck = |values: &[f32]| {
                let memory = |_| Memory { values, storage: &storage };
                let strikes =
                    strike(FaultModel::Flip, &[site(2, 3)], memory, &mut stream(0, Purpose::Fault, &[]));
                (strikes[0].before, strikes[0].after, strikes[0].value)
            };
            assert_eq!(struck(&raw), struck(&golden), "{}", format.key());
        }
    }
}
