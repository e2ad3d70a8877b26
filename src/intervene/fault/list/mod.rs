//! Lists of faults: the trials of a log, or of a list by hand, whose places exist in a network.

use std::collections::BTreeMap;

use super::log::{LineError, Logged, LoggedFault, Row};
use super::model::Unit;
use super::{Format, Site};

/// A parameter that a list may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// Its name.
    pub name: &'a str,
    /// How many entries it has.
    pub entries: usize,
    /// How it is stored.
    pub format: Format,
}

/// A listed fault whose place exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedFault {
    /// The line, from 1.
    pub line: usize,
    /// The image that sees it; none: all.
    pub image: Option<u64>,
    /// Where; the parameter is the position in the list of places.
    pub site: Site,
    /// The bits that should be stored before.
    pub before: Option<u32>,
    /// The bits that are stored afterwards; none: the fault model decides.
    pub after: Option<u32>,
}

/// The faults of one trial, in the order of the lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTrial {
    /// Its campaign; empty if the list names none.
    pub campaign: String,
    /// Its round.
    pub round: Option<u64>,
    /// Its number.
    pub trial: u64,
    /// Its faults.
    pub faults: Vec<PlacedFault>,
}

/// Groups a list into trials, in the order of their first lines, after every place was found.
///
/// # Errors
/// A parameter, index or bit that is not there, bits that the format does not have, neither `bit` nor `after` where the
/// fault model changes bits, a `bit` that has not as many above it as the model changes, a draw whose faults are not in the
/// list; with the line.
pub fn trials<'a>(
    rows: impl IntoIterator<Item = &'a (usize, Row<'a>)>,
    places: &[Place],
    unit: Unit,
) -> Result<Vec<ListedTrial>, LineError> {
    let mut trials = Vec::<ListedTrial>::new();
    let mut known = BTreeMap::new();
    for (line, row) in rows {
        let Row { campaign, round, trial, image, logged } = row;
        let error = |problem| LineError { line: *line, problem };
        let Logged::Fault(fault) = logged else { return Err(error(UNLISTED.to_owned())) };
        let site = site(fault, places, unit).map_err(error)?;
        let at = *known.entry((campaign, *round, *trial)).or_insert(trials.len());
        if at == trials.len() {
            let campaign = campaign.clone().into_owned();
            trials.push(ListedTrial { campaign, round: *round, trial: *trial, faults: Vec::new() });
        }
        let LoggedFault { before, after, .. } = *fault;
        trials[at].faults.push(PlacedFault { line: *line, image: *image, site, before, after });
    }
    Ok(trials)
}

const UNLISTED: &str =
    "the list does not have the faults of this draw; remove the line to skip them, or draw them again";

fn site(fault: &LoggedFault, places: &[Place], unit: Unit) -> Result<Site, String> {
    let LoggedFault { parameter: ref name, index, bit, before, after } = *fault;
    let Some(parameter) = places.iter().position(|place| place.name == name) else {
        let names: Vec<&str> = places.iter().map(|place| place.name).collect();
        return Err(format!("there is no parameter {name:?}; there are {}", names.join(", ")));
    };
    let Place { entries, format, .. } = places[parameter];
    let index = usize::try_from(index).ok().filter(|index| *index < entries).ok_or_else(|| {
        format!(
            "{name} has {entries} entries, so its last index is {}, not {index}",
            entries.saturating_sub(1)
        )
    })?;
    let bits = format.bits();
    if let Some(bit) = bit.filter(|bit| *bit >= bits) {
        return Err(format!(
            "{name} is stored as {}, whose highest bit is {}, not {bit}",
            format.label(),
            bits - 1
        ));
    }
    if let (Unit::Bits(width), None) = (unit, after) {
        let Some(lowest) = bit else {
            return Err(
                "the fault model changes bits, but both bit and after are empty; give one of them".into()
            );
        };
        if lowest + width > bits {
            return Err(format!(
                "the fault model changes {width} neighbouring bits; the lowest of them in {} is at most {}, \
                    not {lowest}",
                format.label(),
                bits - width
            ));
        }
    }
    let too_wide = [before, after].into_iter().flatten().find(|stored| bits < 32 && stored >> bits != 0);
    if let Some(stored) = too_wide {
        return Err(format!("{stored:08x} does not fit into the {bits} bits of {}", format.label()));
    }
    Ok(Site { parameter, index, bit })
}

#[cfg(test)]
mod tests;
