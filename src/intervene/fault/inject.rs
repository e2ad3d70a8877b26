//! What values read as when faults are injected into them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::log::{LineError, PlacedFault};
use super::model::StoredValue;
use super::{FaultAmount, FaultModel, Site, SiteSpace, Storage, TooManyFaults};
use crate::stream::Stream;

/// A parameter, or the activations of one image after an operation, before any of the faults.
#[derive(Debug, Clone, Copy)]
pub struct Memory<'a> {
    /// Its values; golden ones, or what is stored in float32.
    pub values: &'a [f32],
    /// Their stored form.
    pub storage: &'a Storage,
}

/// One fault that was injected: a site, what was stored there, and what is now.
#[derive(Debug, Clone, Copy)]
pub struct Injected {
    pub site: Site,
    /// The bits stored before, zero-extended to 32.
    pub before: u32,
    /// The bits stored afterwards.
    pub after: u32,
    /// The value that the entry reads as afterwards.
    pub value: f32,
}

impl Injected {
    /// Returns true if anything changed. A stuck-at that agrees with the stored bit is logged, and is no fault.
    pub fn is_fault(&self) -> bool {
        self.before != self.after
    }
}

/// Faults to inject together: what they find is known when they are injected.
#[derive(Debug, Clone)]
pub struct Injection {
    model: FaultModel,
    /// Ascending where they were drawn; in the order of the lines of a list.
    sites: Arc<Vec<Site>>,
    /// The listed fault of each site; empty where the sites were drawn.
    listed: Vec<PlacedFault>,
    /// The stream of values, after the draw of the sites.
    rng: Stream,
}

impl Injection {
    /// Returns the faults at sites that were drawn, which ascend; the stream continues after their draw.
    pub fn at(model: FaultModel, sites: Arc<Vec<Site>>, rng: Stream) -> Self {
        Self { model, sites, listed: Vec::new(), rng }
    }

    /// Draws the sites.
    ///
    /// # Errors
    /// When there are fewer sites than are wanted.
    pub fn draw(
        model: FaultModel,
        space: &SiteSpace,
        amount: FaultAmount,
        mut rng: Stream,
    ) -> Result<Self, TooManyFaults> {
        let sites = space.draw(amount, &mut rng)?;
        Ok(Self::at(model, Arc::new(sites), rng))
    }

    /// Returns the faults of a list: an entry holds the bits listed as `after` from then on, or what the model makes of it.
    pub fn listed(model: FaultModel, listed: Vec<PlacedFault>, rng: Stream) -> Self {
        let sites = listed.iter().map(|fault| fault.site).collect();
        Self { model, sites: Arc::new(sites), listed, rng }
    }

    /// Returns the number of the parameter (or operation) of each fault.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        self.sites.iter().map(|site| site.parameter)
    }

    /// Returns the numbers of the faults at a parameter (or operation), and of others where a list has them in between.
    fn at_parameter(&self, parameter: usize) -> Range<usize> {
        if !self.listed.is_empty() {
            return 0..self.sites.len();
        }
        self.sites.partition_point(|site| site.parameter < parameter)
            ..self.sites.partition_point(|site| site.parameter <= parameter)
    }

    /// Returns true if any fault is at a parameter (or operation).
    pub fn is_at(&self, parameter: usize) -> bool {
        self.sites[self.at_parameter(parameter)].iter().any(|site| site.parameter == parameter)
    }

    /// Injects the faults at one operation, into the activations of an image. Operations come in their order.
    ///
    /// # Errors
    /// As [`inject`](Self::inject).
    pub fn inject_at(&mut self, op: usize, memory: Memory<'_>) -> Result<Vec<Injected>, LineError> {
        self.inject_range(self.at_parameter(op), |number| (number == op).then_some(memory))
    }

    /// Injects the faults in their order. Where an entry has more than one, each finds what the one before it left, so that
    /// writing every `after` (or every `value`) in order gives what the entry reads as in the end. `memory` is asked for a
    /// site's parameter.
    ///
    /// # Errors
    /// Where an entry does not hold the bits that a list has as `before`; with the line.
    pub fn inject<'m>(&mut self, memory: impl Fn(usize) -> Memory<'m>) -> Result<Vec<Injected>, LineError> {
        self.inject_range(0..self.sites.len(), |number| Some(memory(number)))
    }

    /// Injects the faults of this range where there is a memory for them.
    fn inject_range<'m>(
        &mut self,
        range: Range<usize>,
        memory: impl Fn(usize) -> Option<Memory<'m>>,
    ) -> Result<Vec<Injected>, LineError> {
        // What entries with faults hold by now, by parameter and index.
        let mut stored = BTreeMap::new();
        let mut injected = Vec::new();
        for number in range {
            let site = self.sites[number];
            let Site { parameter, index, bit } = site;
            let Some(Memory { values, storage }) = memory(parameter) else { continue };
            let stored =
                stored.entry((parameter, index)).or_insert_with(|| storage.encode(index, values[index]));
            let before = *stored;
            let found = StoredValue { stored: before, bit: bit.unwrap_or(0), index, storage };
            let listed = self.listed.get(number);
            let after = listed.and_then(|fault| fault.after);
            *stored = after.unwrap_or_else(|| self.model.rule().corrupt(found, &mut self.rng));
            if let Some(&PlacedFault { line, before: Some(expected), .. }) = listed
                && expected != before
            {
                let problem = format!(
                    "before is {expected:08x}, but the entry holds {before:08x}; the list was made for \
                        another network"
                );
                return Err(LineError { line, problem });
            }
            injected.push(Injected { site, before, after: *stored, value: storage.decode(index, *stored) });
        }
        Ok(injected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Format;
    use crate::stream::{Purpose, stream};

    fn site(index: usize, bit: u32) -> Site {
        Site { parameter: 0, index, bit: Some(bit) }
    }

    fn injected(model: FaultModel, format: Format, values: &[f32], sites: &[Site]) -> Vec<Injected> {
        let storage = Storage::new(format, values, 1);
        let mut injection = Injection::at(model, Arc::new(sites.to_vec()), stream(0, Purpose::Fault, &[]));
        injection.inject(|_| Memory { values, storage: &storage }).unwrap()
    }

    #[test]
    fn two_faults_in_one_entry_build_on_each_other() {
        let sites = [site(1, 23), site(0, 30), site(1, 31)];
        let both = injected(FaultModel::Flip, Format::Float32, &[0.0, 1.0], &sites);
        let brief: Vec<_> = both.iter().map(|fault| (fault.before, fault.after, fault.value)).collect();
        assert_eq!(
            brief,
            [(0x3f80_0000, 0x3f00_0000, 0.5), (0, 0x4000_0000, 2.0), (0x3f00_0000, 0xbf00_0000, -0.5),]
        );
    }

    #[test]
    fn faults_are_injected_behind_their_operations_one_after_the_other() {
        let at = |parameter: usize| Site { parameter, index: 0, bit: Some(31) };
        let storage = Storage::new(Format::Float32, &[1.0], 1);
        let memory = Memory { values: &[1.0], storage: &storage };
        let sites = Arc::new(vec![at(2), at(5), at(5), at(7)]);
        let mut injection = Injection::at(FaultModel::Flip, sites, stream(0, Purpose::Fault, &[]));
        assert_eq!(injection.numbers().collect::<Vec<_>>(), [2, 5, 5, 7]);
        let found = [1, 2, 5, 7].map(|op| {
            let injected = injection.inject_at(op, memory).unwrap();
            injected.iter().map(|fault| fault.value).collect::<Vec<_>>()
        });
        assert_eq!(found, [vec![], vec![-1.0], vec![-1.0, 1.0], vec![-1.0]]);
    }

    #[test]
    fn minus_128_of_int8_is_hit_again_as_it_is_stored() {
        let both = injected(FaultModel::Flip, Format::Int8, &[0.0, 127.0], &[site(0, 7), site(0, 0)]);
        assert_eq!((both[0].value, both[1].value), (-128.0, -127.0));
    }

    #[test]
    fn a_stuck_at_that_agrees_is_logged_and_no_fault() {
        let fault = injected(FaultModel::StuckAt0, Format::Float32, &[1.0], &[site(0, 30)])[0];
        assert_eq!((fault.before, fault.after), (0x3f80_0000, 0x3f80_0000));
        assert!(!fault.is_fault());
        assert!(injected(FaultModel::StuckAt1, Format::Float32, &[1.0], &[site(0, 30)])[0].is_fault());
    }

    #[test]
    fn golden_and_raw_values_get_the_same_faults() {
        let raw = [0.1_f32, -0.3, 0.777];
        for format in Format::all() {
            let storage = Storage::new(format, &raw, 1);
            let golden = storage.golden(&raw);
            let fault = |values: &[f32]| {
                let rng = stream(0, Purpose::Fault, &[]);
                let mut injection = Injection::at(FaultModel::Flip, Arc::new(vec![site(2, 3)]), rng);
                let fault = injection.inject(|_| Memory { values, storage: &storage }).unwrap()[0];
                (fault.before, fault.after, fault.value)
            };
            assert_eq!(fault(&raw), fault(&golden), "{}", format.key());
        }
    }
}
