//! Lines of `faults.csv`, from a run, written by hand or by another program.
//!
//! The first line names the columns, in any order; empty lines and lines that begin with `#` are passed over. Only
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

use std::io::BufRead;
use std::str::FromStr;

use thiserror::Error;

use super::{Blank, HEADER, Logged, LoggedFault, Row, STREAM};

/// A line that cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct LineError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there, and what would be right.
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
    let columns = Columns::of(header).map_err(|problem| LineError { line, problem })?;
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
    /// The columns of a log.
    fn all() -> Self {
        Self(std::array::from_fn(Some))
    }

    fn of(header: &str) -> Result<Self, String> {
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

    /// A line as the row of this number; without a column for trials, that is its trial.
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

/// A number in a cell of a column; none where the cell is empty.
fn number<T: FromStr>(column: &str, cell: &str) -> Result<Option<T>, String> {
    if cell.is_empty() {
        return Ok(None);
    }
    let number =
        cell.parse().map_err(|_| format!("{column} is {cell:?}; a whole number of 0 or more is expected"));
    number.map(Some)
}

/// Stored bits in a cell of a column; none where the cell is empty.
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
