//! Tables of the user's: a header, then one sample per line. Columns of numbers are features, columns of few words become
//! one-hot features, and one column names the class.

mod column;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::memory::Memory;
use super::{DataError, Samples, Shape};
use crate::form::number::{counted, hexadecimal};
use column::{Column, Words};

/// The header is searched for the separator this far.
const HEADER: usize = 1 << 16;
/// Bytes of the longest line: memory must not grow with a file that is no table.
const LONGEST_LINE: u64 = 8 << 20;
/// Lines after which the memory is compared with what is allowed.
const BLOCK: usize = 256;

/// How a table is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableSettings<'a> {
    /// The column with the classes.
    pub label: &'a str,
    /// Columns that are no features.
    pub leave_out: &'a [String],
    /// Columns of numbers that are words.
    pub words: &'a [String],
    /// What the samples may take.
    pub memory: Memory,
}

/// A table that was read.
#[derive(Debug)]
pub(super) struct Table {
    /// In the order of the lines.
    pub samples: Samples,
    /// Names of the classes, sorted: as numbers where all of them are, otherwise as text.
    pub classes: Vec<String>,
    /// Begins the SHA-256 of the file.
    pub content: String,
}

/// The columns of a table.
///
/// # Errors
/// A file that cannot be read, or has no header.
pub(super) fn columns(path: &Path) -> Result<Vec<String>, DataError> {
    Reader::open(path).map(|reader| reader.names)
}

/// Reads a table.
///
/// # Errors
/// What is wrong, with its line and column.
pub(super) fn read(path: &Path, settings: &TableSettings<'_>) -> Result<Table, DataError> {
    let mut reader = Reader::open(path)?;
    let mut columns = reader.columns(settings)?;
    let mut record = ::csv::StringRecord::new();
    let mut lines = 0;
    while reader.next(&mut record)? {
        lines += 1;
        if lines % BLOCK == 0 {
            let width = columns.iter().map(Column::width).sum();
            settings.memory.check_begun(path, lines, width)?;
        }
        let line = record.position().map_or(0, ::csv::Position::line);
        for (index, (column, cell)) in columns.iter_mut().zip(&record).enumerate() {
            let is_word = settings.words.contains(&reader.names[index]);
            column.push(cell.trim(), is_word).map_err(|(expected, remedy)| {
                let name = short(&reader.names[index]);
                let place = format!("line {line}, column \"{name}\": {expected}");
                DataError::wrong(
                    path,
                    place,
                    format!("\"{}\"", short(cell.trim())),
                    remedy.replace('…', &name),
                )
            })?;
        }
    }
    let content = reader.content()?;
    table(path, &columns, settings, content)
}

/// A table with an open file.
struct Reader<'a> {
    path: &'a Path,
    names: Vec<String>,
    records: ::csv::Reader<Hashing>,
}

/// A file that is hashed while it is read.
struct Hashing {
    file: BufReader<File>,
    /// What was read to find the separator.
    begun: io::Cursor<Vec<u8>>,
    hash: Sha256,
    /// Bytes that may be read before the present line has to end.
    left: u64,
}

impl Read for Hashing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match self.begun.read(buffer)? {
            0 => self.file.read(buffer)?,
            count => count,
        };
        self.hash.update(&buffer[..count]);
        let left = self.left.checked_sub(count as u64);
        self.left = left.ok_or_else(|| io::Error::from(io::ErrorKind::FileTooLarge))?;
        Ok(count)
    }
}

impl<'a> Reader<'a> {
    fn open(path: &'a Path) -> Result<Self, DataError> {
        let unreadable = |source| DataError::Unreadable { path: path.to_owned(), source };
        let mut file = BufReader::new(File::open(path).map_err(unreadable)?);
        let mut head = Vec::new();
        file.by_ref().take(HEADER as u64).read_to_end(&mut head).map_err(unreadable)?;
        let separator = separator(&head);
        let source = Hashing { file, begun: io::Cursor::new(head), hash: Sha256::new(), left: LONGEST_LINE };
        let records = ::csv::ReaderBuilder::new().delimiter(separator).from_reader(source);
        let mut reader = Self { path, names: Vec::new(), records };
        let header = reader.records.headers().map_err(|error| wrong(path, &error))?;
        let name = |name: &str| name.trim_start_matches('\u{feff}').trim().to_owned();
        let names: Vec<String> = header.iter().map(name).collect();
        let distinct: BTreeSet<&String> = names.iter().collect();
        if names.is_empty() || distinct.len() < names.len() || names.iter().any(String::is_empty) {
            let remedy = "Give each column a name of its own in the first line";
            return Err(DataError::wrong(
                path,
                "a header with a name for each column",
                shown(&names),
                remedy,
            ));
        }
        reader.names = names;
        Ok(reader)
    }

    /// What each column is.
    fn columns(&self, settings: &TableSettings<'_>) -> Result<Vec<Column>, DataError> {
        let there_are = || format!("there are {}", shown(&self.names));
        let unknown = |(setting, name): (&'static str, &str)| {
            let problem =
                format!("there is no column \"{name}\" in {}; {}", self.path.display(), there_are());
            DataError::setting(setting, problem)
        };
        if settings.label.is_empty() {
            let problem =
                format!("name the column with the classes of {}; {}", self.path.display(), there_are());
            return Err(DataError::setting("label", problem));
        }
        let named = std::iter::once(("label", settings.label));
        let named = named.chain(settings.leave_out.iter().map(|name| ("leave_out", name.as_str())));
        let mut named = named.chain(settings.words.iter().map(|name| ("words", name.as_str())));
        if let Some(named) = named.find(|(_, name)| self.names.iter().all(|known| known != name)) {
            return Err(unknown(named));
        }
        let column = |name: &String| match name {
            name if name == settings.label => Column::Label(Words::default()),
            name if settings.leave_out.contains(name) => Column::LeftOut,
            _ => Column::Unknown,
        };
        let columns: Vec<Column> = self.names.iter().map(column).collect();
        if !columns.iter().any(|column| matches!(column, Column::Unknown)) {
            let remedy = "A table needs one column with classes and at least one other";
            return Err(DataError::wrong(self.path, "a column of features", shown(&self.names), remedy));
        }
        Ok(columns)
    }

    /// Reads the next line; whether there was one.
    fn next(&mut self, record: &mut ::csv::StringRecord) -> Result<bool, DataError> {
        self.records.get_mut().left = LONGEST_LINE;
        self.records.read_record(record).map_err(|error| wrong(self.path, &error))
    }

    /// The hash of the whole file, after its last line.
    fn content(self) -> Result<String, DataError> {
        let mut source = self.records.into_inner();
        io::copy(&mut source, &mut io::sink())
            .map_err(|source| DataError::Unreadable { path: self.path.to_owned(), source })?;
        Ok(hexadecimal(&source.hash.finalize()[..8]))
    }
}

/// The samples of the columns.
fn table(
    path: &Path,
    columns: &[Column],
    settings: &TableSettings<'_>,
    content: String,
) -> Result<Table, DataError> {
    let label = columns.iter().find_map(|column| match column {
        Column::Label(words) => Some(words),
        _ => None,
    });
    let label = label.expect("one column is the label");
    let (rows, width) = (label.codes.len(), columns.iter().map(Column::width).sum::<usize>());
    if rows < 2 || label.known.len() < 2 {
        let classes = match label.known.len() {
            1 => "1 class".to_owned(),
            count => format!("{count} classes"),
        };
        let found = format!("{} with {classes}", counted(rows as u64, "line"));
        return Err(DataError::wrong(path, "two classes at least", found, "Add lines below the header"));
    }
    settings.memory.check(path, rows, width)?;
    let mut values = vec![0.0; rows * width];
    let mut first = 0;
    for column in columns {
        match column {
            Column::Numbers(numbers) => {
                let places = values.iter_mut().skip(first).step_by(width);
                places.zip(numbers).for_each(|(place, number)| *place = *number);
            }
            Column::Words(words) => {
                let (_, places) = words.sorted();
                for (row, code) in words.codes.iter().enumerate() {
                    values[row * width + first + places[*code as usize] as usize] = 1.0;
                }
            }
            Column::LeftOut | Column::Label(_) | Column::Unknown => {}
        }
        first += column.width();
    }
    let (classes, places) = label.sorted();
    let labels = label.codes.iter().map(|code| places[*code as usize]).collect();
    Ok(Table { samples: Samples::new(Shape::new(width, 1, 1), values, labels), classes, content })
}

/// The separator of a table: of comma, semicolon and tab the one that its first line has most often.
fn separator(head: &[u8]) -> u8 {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |separator: u8| {
        let mut in_quotes = false;
        line.iter()
            .filter(|byte| {
                in_quotes ^= **byte == b'"';
                !in_quotes && **byte == separator
            })
            .count()
    };
    // The first one where several are equal.
    [b'\t', b';', b','].into_iter().max_by_key(|separator| count(*separator)).unwrap_or(b',')
}

fn wrong(path: &Path, error: &::csv::Error) -> DataError {
    let line = error.position().map(::csv::Position::line);
    let place = line.map_or_else(String::new, |line| format!("line {line}: "));
    match error.kind() {
        ::csv::ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => DataError::wrong(
            path,
            "lines of at most 8 MiB",
            "a longer one",
            "Check that the file is a table, with a sample to a line and quotes that are closed",
        ),
        ::csv::ErrorKind::Io(error) => DataError::Unreadable {
            path: path.to_owned(),
            source: io::Error::new(error.kind(), error.to_string()),
        },
        ::csv::ErrorKind::UnequalLengths { expected_len, len, .. } => DataError::wrong(
            path,
            format!("{place}{expected_len} cells, as in the header"),
            format!("{len}"),
            "Correct the line; cells with the separator in them need quotes",
        ),
        ::csv::ErrorKind::Utf8 { .. } => {
            let remedy = "Save the table with the encoding UTF-8";
            DataError::wrong(path, format!("{place}text in UTF-8"), "other bytes", remedy)
        }
        _ => DataError::wrong(path, format!("{place}a table"), error.to_string(), "Check the file"),
    }
}

/// The names of columns, the first ones of many.
fn shown(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(20).map(|name| format!("\"{}\"", short(name))).collect();
    let more = names.len().saturating_sub(20);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

/// The beginning of a long cell.
fn short(cell: &str) -> String {
    if cell.chars().count() <= 40 { cell.to_owned() } else { cell.chars().take(39).chain(['…']).collect() }
}

#[cfg(test)]
mod tests;
