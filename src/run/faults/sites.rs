//! The sites of a fault in a network.

use std::collections::{BTreeMap, BTreeSet};

use doc::Structure;
use doc::fault::{Fault, FaultAmount};
use doc::fault_sites::{FaultPlace, fault_places};
use intervene::Entry;
use intervene::fault::{Region, SiteSpace, TooManyFaults};

/// Where one fault can be injected.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultSites {
    /// Its parameters, or the operations whose activations it is injected into, by their numbers.
    pub places: BTreeMap<usize, FaultPlace>,
    /// Its sites in them.
    pub space: SiteSpace,
}

impl FaultSites {
    /// Those of a fault; `entries` are the states of the entries of a parameter, where any is pruned or frozen.
    pub fn of<'a>(
        structure: &Structure,
        fault: &Fault,
        entries: &dyn Fn(usize) -> Option<&'a [Entry]>,
    ) -> Self {
        Self::at(fault_places(structure, fault), fault, entries)
    }

    /// The same in some of its places.
    pub fn at<'a>(
        places: Vec<FaultPlace>,
        fault: &Fault,
        entries: &dyn Fn(usize) -> Option<&'a [Entry]>,
    ) -> Self {
        let states = |number: usize| if fault.is_in_activations() { None } else { entries(number) };
        let region = |place: &FaultPlace| {
            let surviving = states(place.number).and_then(|entries| fault.pruned.candidates(entries));
            Region::new(place.number, place.entries, place.format, fault.model, fault.bits)
                .only(chosen(fault, place, surviving))
        };
        let space = SiteSpace::new(places.iter().map(region).collect());
        Self { places: places.into_iter().map(|place| (place.number, place)).collect(), space }
    }

    /// Refuses a fault that has no site, or fewer than it wants at once; `which` names the part of its target.
    ///
    /// # Errors
    /// Why, and what to choose instead.
    pub fn check(&self, fault: &Fault, which: &str) -> Result<(), String> {
        let sites = self.space.total();
        if sites == 0 {
            return Err(format!(
                "there is no fault site{which}: the target has no entry left, or {} has none of the chosen \
                    bits; choose another target, other bits, or pruned: Dense",
                fault.format.label()
            ));
        }
        match fault.amount {
            FaultAmount::Count(wanted) if wanted > sites => {
                Err(TooManyFaults::Count { wanted, sites }.to_string())
            }
            FaultAmount::Count(_) | FaultAmount::Rate(_) => Ok(()),
        }
    }
}

/// Those of the candidates that the fault lists, and that lie in its target's channels.
fn chosen(fault: &Fault, place: &FaultPlace, candidates: Option<Vec<u32>>) -> Option<Vec<u32>> {
    let (channels, indices) = (&fault.target.channels, &fault.indices);
    if channels.is_empty() && indices.is_empty() {
        return candidates;
    }
    let listed: BTreeSet<usize> = indices.iter().copied().collect();
    let is_chosen = |entry: &u32| {
        let entry = *entry as usize;
        (channels.is_empty() || channels.contains(&place.channel_of(entry)))
            && (listed.is_empty() || listed.contains(&entry))
    };
    let all = || (0..place.entries as u32).collect();
    Some(candidates.unwrap_or_else(all).into_iter().filter(is_chosen).collect())
}
