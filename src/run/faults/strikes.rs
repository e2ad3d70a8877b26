//! Strikes into parameters of a view, and the lines that tell of them.

use std::fmt::Write as _;

use super::memory::{Ground, Memory};
use super::{Active, Faults};
use crate::doc::Structure;
use crate::intervene::fault::{self, FaultRecord, Strike, TooManyFaults};
use crate::net::Network;

/// A draw of more sites than this is logged by its stream alone.
pub const LOGGED: usize = 10_000;

/// What one draw of one fault struck.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Position of the fault among those in place.
    pub fault: usize,
    /// The image that saw it; none: all of them.
    pub image: Option<u64>,
    /// In the order of the sites.
    pub strikes: Vec<Strike>,
}

/// Values that were overlaid: parameter, entry, and what it read as before.
pub type Undo = Vec<(usize, usize, f32)>;

/// Draws one fault and strikes the parameters of `view`; `undo` takes in what they read as.
pub fn strike_parameters(
    fault: &Active,
    ground: &Ground,
    memory: &Memory,
    view: &mut Network,
    (seed, item): (u64, u64),
    undo: &mut Undo,
) -> Result<Vec<Strike>, TooManyFaults> {
    let (sites, mut rng) = fault.draw(&ground.space, seed, item)?;
    let found =
        |index: usize| fault::Memory { values: view.values(index), storage: &memory.storages[&index] };
    let mut strikes = fault::strike(fault.settings.model, &sites, found, &mut rng);
    keep_held(fault, ground, view.structure(), &mut strikes);
    for strike in &strikes {
        let (index, entry) = (strike.site.parameter, strike.site.index);
        undo.push((index, entry, view.overlay(index, entry, strike.value)));
    }
    Ok(strikes)
}

/// Leaves out what hit a place that was let go.
pub fn keep_held(fault: &Active, ground: &Ground, structure: &Structure, strikes: &mut Vec<Strike>) {
    if !fault.released.is_empty() {
        strikes.retain(|strike| {
            !fault.is_released(structure, &ground.places[&strike.site.parameter], strike.site.index)
        });
    }
}

/// Takes strikes back, the last one first.
pub fn take_back(view: &mut Network, undo: &mut Undo) {
    for (index, entry, value) in undo.drain(..).rev() {
        view.overlay(index, entry, value);
    }
}

/// Lines of `faults.csv` for what was struck, those of all images first, then image by image.
///
/// A draw of more than [`LOGGED`] sites is one line, whose parameter is `stream` and whose index is the number of sites:
/// who knows seed, step, pass and image can draw it again.
pub fn lines(faults: &Faults, grounds: &[Ground], branch: &str, mut hits: Vec<Hit>) -> String {
    hits.sort_by_key(|hit| (hit.image, hit.fault));
    let mut lines = String::new();
    for Hit { fault, image, strikes } in &hits {
        let (ground, fault) = (&grounds[*fault], &faults.active[*fault]);
        let campaign = fault.name(branch);
        if strikes.len() > LOGGED {
            let round = fault.round.map_or_else(String::new, |round| round.to_string());
            let image = image.map_or_else(String::new, |image| image.to_string());
            let _ =
                writeln!(lines, "{campaign},{round},{},{image},stream,{},,,", fault.passes, strikes.len());
            continue;
        }
        for strike in strikes {
            let name = &ground.places[&strike.site.parameter].name;
            let record = FaultRecord::new(&campaign, fault.round, fault.passes, *image, name, strike);
            let _ = writeln!(lines, "{record}"); // text grows without errors
        }
    }
    lines
}
