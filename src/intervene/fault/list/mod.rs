//! Lists of faults in the format of `faults.csv`: from a run, by hand, or from another program.
//!
//! The first line names the columns, in any order; empty lines and lines that begin with `#` are passed over. Only
//! `parameter` and `index` must be there. What else may be left out, as a column or as an empty cell:
//!
//! | column | left out |
//! |---|---|
//! | `campaign`, `round` | all lines belong to one campaign |
//! | `trial` | the whole column only: every line is a trial of its own |
//! | `image` | all images see the fault |
//! | `bit` | the model strikes values, or `after` says all |
//! | `before` | not compared with what is stored |
//! | `after` | the fault model of the campaign decides |
//!
//! Lines of one campaign, round and trial are one trial, struck in the order of the lines.

use std::collections::BTreeMap;

use super::model::Unit;
use super::record::HEADER;
use super::strike::Held;
use super::{FaultModel, Format, Memory, Site, Strike};
use crate::intervene::stream::Stream;
use thiserror::Error;

/// A fault list that cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct ListError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there, and what would be right.
    pub problem: String,
}

/// One line of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFault {
    /// The line, from 1.
    pub line: usize,
    /// Its campaign; empty if the list does not say.
    pub campaign: String,
    /// Its round.
    pub round: Option<u64>,
    /// Its trial; if the list does not say, lines are counted from 0.
    pub trial: u64,
    /// The image that sees it; none: all.
    pub image: Option<u64>,
    /// The parameter's name.
    pub parameter: String,
    /// The entry in the exported (PyTorch) layout.
    pub index: u64,
    /// The bit, from the least significant.
    pub bit: Option<u32>,
    /// The bits that should be stored before.
    pub before: Option<u32>,
    /// The bits that are stored afterwards.
    pub after: Option<u32>,
}

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
    /// Its campaign; empty if the list does not say.
    pub campaign: String,
    /// Its round.
    pub round: Option<u64>,
    /// Its number.
    pub trial: u64,
    /// Its faults.
    pub faults: Vec<PlacedFault>,
}

/// Reads a list.
///
/// # Errors
/// A column that is not known, missing or there twice, a cell that is not what its column holds; with the line.
pub fn read(text: &str) -> Result<Vec<ListedFault>, ListError> {
    let text = text.trim_start_matches('\u{feff}');
    let lines = (1..).zip(text.lines().map(str::trim));
    let mut lines = lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#'));
    let Some((line, header)) = lines.next() else {
        return Err(ListError {
            line: 1,
            problem: "the list is empty; its first line names the columns".into(),
        });
    };
    let columns = columns(header).map_err(|problem| ListError { line, problem })?;
    let fault = |(number, (line, text)): (u64, (usize, &str))| {
        let row = Row { columns: &columns, cells: text.split(',').map(str::trim).collect() };
        fault(&row, line, number).map_err(|problem| ListError { line, problem })
    };
    (0..).zip(lines).map(fault).collect()
}

/// Groups a list into trials, in the order of their first lines, after every place was found.
///
/// # Errors
/// A parameter, index or bit that is not there, bits that the format does not have, neither `bit` nor `after` where the
/// fault model strikes bits, a `bit` that has not as many above it as the model strikes; with the line.
pub fn trials(list: &[ListedFault], places: &[Place], unit: Unit) -> Result<Vec<ListedTrial>, ListError> {
    let mut trials = Vec::<ListedTrial>::new();
    let mut known = BTreeMap::new();
    for fault in list {
        let placed = place(fault, places, unit);
        let placed = placed.map_err(|problem| ListError { line: fault.line, problem })?;
        let key = (&fault.campaign, fault.round, fault.trial);
        let at = *known.entry(key).or_insert(trials.len());
        if at == trials.len() {
            let ListedFault { round, trial, .. } = *fault;
            trials.push(ListedTrial { campaign: fault.campaign.clone(), round, trial, faults: Vec::new() });
        }
        trials[at].faults.push(placed);
    }
    Ok(trials)
}

/// Strikes listed faults in their order, as [`strike`](super::strike) does drawn ones: an entry holds the bits listed as
/// `after` from then on, or what the model makes of it. `memory` is asked for a site's parameter, by its position in the
/// list of places.
///
/// # Errors
/// Where an entry does not hold the bits listed as `before`; with the line.
pub fn strikes<'a, 'm>(
    faults: impl IntoIterator<Item = &'a PlacedFault>,
    model: FaultModel,
    memory: impl Fn(usize) -> Memory<'m>,
    rng: &mut Stream,
) -> Result<Vec<Strike>, ListError> {
    let rule = model.rule();
    let mut held = Held::default();
    let mut one = |fault: &PlacedFault| {
        let PlacedFault { line, site, before, after, image: _ } = *fault;
        let strike = held.strike(site, memory(site.parameter), |struck| {
            after.unwrap_or_else(|| rule.corrupt(struck, rng))
        });
        match before.filter(|before| *before != strike.before) {
            None => Ok(strike),
            Some(before) => Err(ListError {
                line,
                problem: format!(
                    "before is {before:08x}, but the entry holds {:08x}; the list was made for another network",
                    strike.before
                ),
            }),
        }
    };
    faults.into_iter().map(&mut one).collect()
}

/// Where each known column stands in the list.
fn columns(header: &str) -> Result<BTreeMap<&'static str, usize>, String> {
    let mut columns = BTreeMap::new();
    for (at, name) in header.split(',').map(str::trim).enumerate() {
        let Some(known) = HEADER.split(',').find(|known| *known == name) else {
            return Err(format!("there is no column {name:?}; columns are {}", HEADER.replace(',', ", ")));
        };
        if columns.insert(known, at).is_some() {
            return Err(format!("the column {name} is there twice"));
        }
    }
    match ["parameter", "index"].iter().find(|name| !columns.contains_key(*name)) {
        Some(missing) => {
            Err(format!("the column {missing} is missing; a list needs parameter and index at least"))
        }
        None => Ok(columns),
    }
}

/// The cells of one line.
struct Row<'a> {
    columns: &'a BTreeMap<&'static str, usize>,
    cells: Vec<&'a str>,
}

impl<'a> Row<'a> {
    /// A cell; none if it is empty or its column is not there.
    fn cell(&self, column: &str) -> Option<&'a str> {
        let cell = self.columns.get(column).and_then(|&at| self.cells.get(at)).copied();
        cell.filter(|cell| !cell.is_empty())
    }

    fn required(&self, column: &str) -> Result<&'a str, String> {
        self.cell(column).ok_or_else(|| format!("{column} is empty"))
    }

    fn number<T: std::str::FromStr>(&self, column: &str) -> Result<Option<T>, String> {
        let parse = |cell: &str| {
            cell.parse().map_err(|_| format!("{column} is {cell:?}; a whole number of 0 or more is expected"))
        };
        self.cell(column).map(parse).transpose()
    }

    fn bits(&self, column: &str) -> Result<Option<u32>, String> {
        let parse = |cell: &str| {
            let digits = cell.strip_prefix("0x").unwrap_or(cell);
            let is_hexadecimal = digits.len() <= 8 && digits.chars().all(|digit| digit.is_ascii_hexdigit());
            let bits = u32::from_str_radix(digits, 16).ok().filter(|_| is_hexadecimal);
            bits.ok_or_else(|| {
                format!("{column} is {cell:?}; up to eight hexadecimal digits are expected, such as 3f800000")
            })
        };
        self.cell(column).map(parse).transpose()
    }
}

fn fault(row: &Row, line: usize, number: u64) -> Result<ListedFault, String> {
    if row.cells.len() != row.columns.len() {
        return Err(format!(
            "{} cells, but the first line names {} columns",
            row.cells.len(),
            row.columns.len()
        ));
    }
    let has_trials = row.columns.contains_key("trial");
    let index = row.number("index")?;
    Ok(ListedFault {
        line,
        campaign: row.cell("campaign").unwrap_or_default().to_owned(),
        round: row.number("round")?,
        trial: match row.number("trial")? {
            None if has_trials => return Err("trial is empty".into()),
            trial => trial.unwrap_or(number),
        },
        image: row.number("image")?,
        parameter: row.required("parameter")?.to_owned(),
        index: index.ok_or("index is empty")?,
        bit: row.number("bit")?,
        before: row.bits("before")?,
        after: row.bits("after")?,
    })
}

fn place(fault: &ListedFault, places: &[Place], unit: Unit) -> Result<PlacedFault, String> {
    let ListedFault { line, image, index, bit, before, after, .. } = *fault;
    let name = &fault.parameter;
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
                "the fault model strikes bits, but both bit and after are empty; give one of them".into()
            );
        };
        if lowest + width > bits {
            return Err(format!(
                "the fault model strikes {width} neighbouring bits from the lowest on, which of {} is at most {}, not {lowest}",
                format.label(),
                bits - width
            ));
        }
    }
    let too_wide = [before, after].into_iter().flatten().find(|stored| bits < 32 && stored >> bits != 0);
    if let Some(stored) = too_wide {
        return Err(format!("{stored:08x} does not fit into the {bits} bits of {}", format.label()));
    }
    Ok(PlacedFault { line, image, site: Site { parameter, index, bit }, before, after })
}

#[cfg(test)]
mod tests;
