//! Lines of `faults.csv`, from a run, written by hand or by another program.
//!
//! The first line names the columns, in any order; empty lines and lines that begin with `#` are passed over. Only
//! `parameter` and `index` must be there. What else may be left out, as a column or as an empty cell:
//!
//! | column | left out |
//! |---|---|
//! | `campaign`, `round` | all lines belong to one campaign |
//! | `trial` | the whole column only: every line is a trial of its own |
//! | `image` | all images see the fault |
//! | `bit` | the model changes whole values, or `after` says all |
//! | `before` | not compared with what is stored |
//! | `after` | the fault model of the campaign decides |

use std::io::BufRead;
use std::str::FromStr;

use thiserror::Error;

use super::{Blank, HEADER, Logged, LoggedFault, LongDraw, Row, STREAM};

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
    for (line, text) in lines.filter(|(_, text)| !text.is_empty()) {
        if text.starts_with('#') {
            rows.extend(remark(text).map(|row| (line, row)));
            continue;
        }
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
    let columns = Columns::of(HEADER).unwrap_or_default();
    let start = format!("{campaign},{},", Blank(round));
    let whole = log.rfind('\n').map_or("", |end| &log[..end]);
    let mut rows = Vec::new();
    for (line, text) in (1..).zip(whole.lines()) {
        if text.starts_with(&start) {
            let row = columns.row(text, 0).map_err(|problem| LineError { line, problem })?;
            rows.push((line, row));
        } else if text.strip_prefix("# ").is_some_and(|place| place.starts_with(&start)) {
            rows.extend(remark(text).map(|row| (line, row)));
        }
    }
    Ok(rows)
}

/// Calls `take` for every row of the log of a run, line by line. The head, and half a line at the end, are passed over.
///
/// # Errors
/// What the system says.
pub fn each_row(log: impl BufRead, mut take: impl FnMut(Row<'_>)) -> std::io::Result<()> {
    let columns = Columns::of(HEADER).unwrap_or_default();
    for line in log.lines() {
        let line = line?;
        let row = if line.starts_with('#') { remark(&line) } else { columns.row(&line, 0).ok() };
        row.into_iter().for_each(&mut take);
    }
    Ok(())
}

/// Logs of 2026-11-22 and before have a remark in the place of the faults of a large trial:
/// `# 1,,7: 200000 faults are too many to be listed; they are the draw of the stream fault 2, 0, 7`.
fn remark(text: &str) -> Option<Row<'_>> {
    let (place, rest) = text.strip_prefix("# ")?.split_once(": ")?;
    let (faults, stream) = rest.split_once(" faults are too many to be listed")?;
    let (trial, mut others) = place.rsplit_once(',').map(|(others, trial)| (trial, others.splitn(2, ',')))?;
    let stream = stream.rsplit_once("stream fault ").map_or("", |(_, counters)| counters);
    let draw = LongDraw { faults: faults.parse().ok()?, stream: stream.replace(',', "").parse().ok()? };
    Some(Row {
        campaign: others.next()?.into(),
        round: others.next()?.parse().ok(),
        trial: trial.parse().ok()?,
        image: None,
        logged: Logged::Draw(draw),
    })
}

const COLUMNS: [&str; 9] =
    ["campaign", "round", "trial", "image", "parameter", "index", "bit", "before", "after"];

/// Where each known column stands in a file.
#[derive(Default)]
struct Columns([Option<usize>; COLUMNS.len()]);

impl Columns {
    fn of(header: &str) -> Result<Self, String> {
        let mut columns = Self::default();
        for (at, name) in header.split(',').map(str::trim).enumerate() {
            let Some(known) = COLUMNS.iter().position(|known| *known == name) else {
                return Err(format!("there is no column {name:?}; columns are {}", COLUMNS.join(", ")));
            };
            if columns.0[known].replace(at).is_some() {
                return Err(format!("the column {name} appears twice"));
            }
        }
        match ["parameter", "index"].into_iter().find(|name| columns.at(name).is_none()) {
            None => Ok(columns),
            Some(missing) => {
                Err(format!("the column {missing} is missing; a list needs parameter and index at least"))
            }
        }
    }

    fn at(&self, column: &str) -> Option<usize> {
        COLUMNS.iter().position(|known| *known == column).and_then(|known| self.0[known])
    }

    /// A line as a row; without a column for trials, it is trial `number`.
    fn row<'a>(&self, line: &'a str, number: u64) -> Result<Row<'a>, String> {
        let cells = Cells { columns: self, cells: line.split(',').map(str::trim).collect() };
        let columns = self.0.iter().flatten().count();
        if cells.cells.len() != columns {
            return Err(format!("{} cells, but the first line names {columns} columns", cells.cells.len()));
        }
        let parameter = cells.required("parameter")?;
        let index = cells.number("index")?.ok_or("index is empty")?;
        let stream = parameter.strip_prefix(STREAM).and_then(|counters| counters.parse().ok());
        let logged = match stream {
            Some(stream) => Logged::Draw(LongDraw { faults: index, stream }),
            None => Logged::Fault(LoggedFault {
                parameter: parameter.into(),
                index,
                bit: cells.number("bit")?,
                before: cells.bits("before")?,
                after: cells.bits("after")?,
            }),
        };
        Ok(Row {
            campaign: cells.cell("campaign").unwrap_or_default().into(),
            round: cells.number("round")?,
            trial: match self.at("trial") {
                None => number,
                Some(_) => cells.number("trial")?.ok_or("trial is empty")?,
            },
            image: cells.number("image")?,
            logged,
        })
    }
}

/// The cells of one line.
struct Cells<'a, 'b> {
    columns: &'b Columns,
    cells: Vec<&'a str>,
}

impl<'a> Cells<'a, '_> {
    /// A cell; none if it is empty or its column is not there.
    fn cell(&self, column: &str) -> Option<&'a str> {
        let cell = self.columns.at(column).and_then(|at| self.cells.get(at)).copied();
        cell.filter(|cell| !cell.is_empty())
    }

    fn required(&self, column: &str) -> Result<&'a str, String> {
        self.cell(column).ok_or_else(|| format!("{column} is empty"))
    }

    fn number<T: FromStr>(&self, column: &str) -> Result<Option<T>, String> {
        let problem = |cell: &str| format!("{column} is {cell:?}; a whole number of 0 or more is expected");
        self.cell(column).map(|cell| cell.parse().map_err(|_| problem(cell))).transpose()
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
