//! Faults in a checkpoint.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Active, Drawn, Faults};
use intervene::fault::Site;

/// Faults in place, as a checkpoint describes them; sites are in arrays next to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WrittenFaults {
    active: Vec<WrittenFault>,
    #[serde(rename = "struck")]
    changed: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct WrittenFault {
    #[serde(flatten)]
    fault: Active,
    /// Number of the array of sites, and the position of the stream.
    drawn: Option<(usize, String)>,
}

/// Bytes of one site, least significant first: 4 for the parameter, 8 for the entry, 4 for one more than the bit, 0 for
/// none.
const SITE: usize = 16;

/// What a checkpoint has of faults; `push` adds an array and returns its number.
pub fn written(faults: &Faults, push: &mut dyn FnMut(Vec<u8>) -> usize) -> WrittenFaults {
    let active = faults.active.iter().map(|fault| {
        let drawn = fault.drawn.as_ref().map(|Drawn { sites, position }| {
            (push(sites.iter().flat_map(site_bytes).collect()), position.to_string())
        });
        WrittenFault { fault: fault.clone(), drawn }
    });
    WrittenFaults { active: active.collect(), changed: faults.changed }
}

/// The faults of a checkpoint; `array` finds an array by its number.
///
/// # Errors
/// When an array is missing or damaged.
pub fn read<'a>(
    written: &WrittenFaults,
    array: &dyn Fn(usize) -> Result<&'a [u8], String>,
) -> Result<Faults, String> {
    let one = |written: &WrittenFault| {
        let WrittenFault { fault, drawn } = written.clone();
        let drawn = drawn.map(|(number, position)| {
            let (sites, rest) = array(number)?.as_chunks::<SITE>();
            let position = position.parse().map_err(|error| format!("{position} is no position: {error}"))?;
            if !rest.is_empty() {
                return Err("an array of fault sites is damaged".to_owned());
            }
            Ok(Drawn { sites: Arc::new(sites.iter().map(site).collect()), position })
        });
        Ok(Active { drawn: drawn.transpose()?, ..fault })
    };
    let active = written.active.iter().map(one).collect::<Result<_, String>>()?;
    Ok(Faults { active, changed: written.changed })
}

fn site_bytes(site: &Site) -> [u8; SITE] {
    let bit = site.bit.map_or(0, |bit| bit + 1);
    let [parameter, index] = [site.parameter, site.index].map(|number| number as u128);
    (parameter | index << 32 | u128::from(bit) << 96).to_le_bytes()
}

fn site(bytes: &[u8; SITE]) -> Site {
    let number = u128::from_le_bytes(*bytes);
    let [parameter, bit] = [number, number >> 96].map(|number| number as u32);
    let index = (number >> 32) as u64 as usize;
    Site { parameter: parameter as usize, index, bit: bit.checked_sub(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_survive_their_bytes() {
        for bit in [None, Some(0), Some(31)] {
            let there = Site { parameter: 7, index: 5_000_000_000, bit };
            assert_eq!(site(&site_bytes(&there)), there);
        }
    }
}
