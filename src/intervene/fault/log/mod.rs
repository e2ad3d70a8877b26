//! `faults.csv`, read and written here alone: a line for each injected fault, or for a draw that is too long to list.
//!
//! | a line is | `parameter` | `index` | `bit`, `before`, `after` |
//! |---|---|---|---|
//! | a fault | the parameter, or the activations of a layer | the entry | the bit, and what is stored there |
//! | a draw too long to list | `stream 2 0 7`: the counters of its stream `fault` | the number of its faults | empty |

//!
//! Lists may also be written by hand or by another program. The first line names the columns, in any order; empty lines and lines that begin with `#` are passed over. Only
//! `parameter` and `index` must be there. What else may be left out, as a column or as an empty cell:
//!
//! | column | left out |
//! |---|---|
//! | `campaign`, `round` | all lines belong to one campaign |
//! | `trial` | the whole column only: every line is another trial |
//! | `image` | all images see the fault |
//! | `bit` | the model changes whole values, or `after` is enough |
//! | `before` | not compared with what is stored |
//! | `after` | the fault model of the campaign decides |

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io::BufRead;
use std::str::FromStr;

use thiserror::Error;

use super::model::Unit;
use super::{Format, Injected, Site, StreamCounters};

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
    pub logged: Logged<'a>,
}

/// A fault or a draw in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Logged<'a> {
    Fault(LoggedFault<'a>),
    /// All faults of a draw that is too long to list.
    Draw {
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

/// The start of the cell `parameter` of a long draw.
const STREAM: &str = "stream";

impl<'a> LoggedFault<'a> {
    /// Logs what was injected into a parameter (or activations) of this name.
    pub fn new(name: &'a str, injected: &Injected) -> Self {
        let Injected { site, before, after, value: _ } = *injected;
        let [before, after] = [before, after].map(Some);
        Self { parameter: name.into(), index: site.index as u64, bit: site.bit, before, after }
    }

    /// Returns the same fault, kept beyond the line that it was read from.
    pub fn into_owned(self) -> LoggedFault<'static> {
        LoggedFault { parameter: self.parameter.into_owned().into(), ..self }
    }

    /// Returns the layer that the parameter (or the activations) belongs to.
    pub fn layer(&self) -> &str {
        self.parameter.rsplit_once('.').map_or("", |(layer, _)| layer)
    }

    /// Returns the fault in words, with the image that alone saw it.
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

/// A line that cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct LineError {
    /// The line, from 1.
    pub line: usize,
    /// The problem there, and what would be right.
    pub problem: String,
}

/// Reads a whole log or list; each row with its line, from 1.
///
/// # Errors
/// A column that is not known, missing or there twice, a cell that is not what its column holds; with the line.
pub fn read(text: &str) -> Result<Vec<(usize, Row<'_>)>, LineError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = (1..).zip(text.lines().map(str::trim));
    let is_head = |(_, text): &(usize, &str)| !text.is_empty() && !text.starts_with('#');
    let Some((line, header)) = lines.find(is_head) else {
        let problem = "the list is empty; its first line must name the columns".to_owned();
        return Err(LineError { line: 1, problem });
    };
    let columns = Columns::parse(header).map_err(|problem| LineError { line, problem })?;
    let mut rows = Vec::new();
    for (line, text) in lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#')) {
        let row = columns.row(text, rows.len() as u64);
        rows.push((line, row.map_err(|problem| LineError { line, problem })?));
    }
    Ok(rows)
}

/// Reads the rows of one campaign and round in the log of a run, each with its line, from 1. Lines of others are passed
/// over, right or wrong, and so is a last line without a line break: the end of the run cut it off.
///
/// # Errors
/// A line of this campaign and round that cannot be used.
pub fn read_campaign<'a>(
    log: &'a str,
    campaign: &str,
    round: Option<u64>,
) -> Result<Vec<(usize, Row<'a>)>, LineError> {
    let columns = Columns::all();
    let start = format!("{campaign},{},", Blank(round));
    let whole = log.rfind('\n').map_or("", |end| &log[..end]);
    let mut rows = Vec::new();
    for (line, text) in (1..).zip(whole.lines()) {
        if text.starts_with(&start) {
            let row = columns.row(text, 0).map_err(|problem| LineError { line, problem })?;
            rows.push((line, row));
        }
    }
    Ok(rows)
}

/// Calls `take` for every row of the log of a run, line by line. The head, and half a line at the end, are passed over.
///
/// # Errors
/// Those of the operating system.
pub fn each_row(log: impl BufRead, mut take: impl FnMut(Row<'_>)) -> std::io::Result<()> {
    let columns = Columns::all();
    for line in log.lines() {
        let line = line?;
        columns.row(&line, 0).into_iter().for_each(&mut take);
    }
    Ok(())
}

/// Where each column of [`HEADER`] is in a file.
#[derive(Default)]
struct Columns([Option<usize>; 9]);

impl Columns {
    fn all() -> Self {
        Self(std::array::from_fn(Some))
    }

    fn parse(header: &str) -> Result<Self, String> {
        let mut columns = Self::default();
        for (at, name) in header.split(',').map(str::trim).enumerate() {
            let Some(known) = HEADER.split(',').position(|known| known == name) else {
                let known = HEADER.replace(',', ", ");
                return Err(format!("there is no column {name:?}; columns are {known}"));
            };
            if columns.0[known].replace(at).is_some() {
                return Err(format!("the column {name} appears twice"));
            }
        }
        let [_, _, _, _, parameter, index, ..] = columns.0;
        match [("parameter", parameter), ("index", index)].into_iter().find(|(_, at)| at.is_none()) {
            None => Ok(columns),
            Some((missing, _)) => {
                Err(format!("the column {missing} is missing; a list needs parameter and index at least"))
            }
        }
    }

    /// Returns a line as the row of this number; without a column for trials, that is its trial.
    fn row<'a>(&self, line: &'a str, row: u64) -> Result<Row<'a>, String> {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let columns = self.0.iter().flatten().count();
        if cells.len() != columns {
            return Err(format!("{} cells, but the first line names {columns} columns", cells.len()));
        }
        // A column that is left out is one of empty cells.
        let [campaign, round, trial, image, parameter, index, bit, before, after] =
            self.0.map(|at| at.map_or("", |at| cells[at]));
        if parameter.is_empty() {
            return Err("parameter is empty".to_owned());
        }
        let index = number("index", index)?.ok_or("index is empty")?;
        let stream = parameter.strip_prefix(STREAM).and_then(|counters| counters.parse().ok());
        let logged = match stream {
            Some(stream) => Logged::Draw { faults: index, stream },
            None => Logged::Fault(LoggedFault {
                parameter: parameter.into(),
                index,
                bit: number("bit", bit)?,
                before: bits("before", before)?,
                after: bits("after", after)?,
            }),
        };
        let [_, _, trials, ..] = self.0;
        Ok(Row {
            campaign: campaign.into(),
            round: number("round", round)?,
            trial: match trials {
                None => row,
                Some(_) => number("trial", trial)?.ok_or("trial is empty")?,
            },
            image: number("image", image)?,
            logged,
        })
    }
}

/// Reads a number from a cell of a column; none where the cell is empty.
fn number<T: FromStr>(column: &str, cell: &str) -> Result<Option<T>, String> {
    if cell.is_empty() {
        return Ok(None);
    }
    let number =
        cell.parse().map_err(|_| format!("{column} is {cell:?}; a whole number of 0 or more is expected"));
    number.map(Some)
}

/// Reads stored bits from a cell of a column; none where the cell is empty.
fn bits(column: &str, cell: &str) -> Result<Option<u32>, String> {
    if cell.is_empty() {
        return Ok(None);
    }
    let digits = cell.strip_prefix("0x").unwrap_or(cell);
    let is_hexadecimal = digits.len() <= 8 && digits.chars().all(|digit| digit.is_ascii_hexdigit());
    let bits = u32::from_str_radix(digits, 16).ok().filter(|_| is_hexadecimal);
    bits.map(Some).ok_or_else(|| {
        format!("{column} is {cell:?}; up to eight hexadecimal digits are expected, such as 3f800000")
    })
}

/// A parameter that a list may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    pub name: &'a str,
    /// Its number of entries.
    pub entries: usize,
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
    pub round: Option<u64>,
    pub trial: u64,
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
