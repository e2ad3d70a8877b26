//! Tables of the user's: a header, then one sample per line. Columns of numbers are features, columns of few words become
//! one-hot features, and one column names the class.

mod cell;
mod column;
mod date;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::exact::Exact;
use super::memory::Memory;
use super::{Columns, DataError, Samples, Shape, stand_in};
pub use cell::NumberStyle;
use column::{Column, Words};
use form::number::{counted, first_of};

/// The header is searched for the separator this far.
const HEADER: usize = 1 << 16;
/// Bytes of the longest line: memory must not grow with a file that is no table.
const LONGEST_LINE: u64 = 8 << 20;
/// Lines after which the memory is compared with what is allowed.
const BLOCK: usize = 256;

/// What pandas calls a column without a name begins so; its position from 0 follows.
pub(super) const UNNAMED: &str = "Unnamed: ";

/// How a table is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableSettings<'a> {
    /// The column with the classes.
    pub label: &'a str,
    /// Columns that are no features.
    pub leave_out: &'a [String],
    /// Columns of words, also where they look like numbers or missing values.
    pub words: &'a [String],
    /// How numbers are written.
    pub numbers: &'a NumberStyle,
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
    /// What the columns became.
    pub columns: Columns,
    /// Which feature each column of numbers is.
    pub numbers: Vec<usize>,
    /// What looks odd, as whole sentences.
    pub notes: Vec<String>,
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
    let are_words: Vec<bool> = reader.names.iter().map(|name| settings.words.contains(name)).collect();
    let mut lines = 0;
    while reader.next(&mut record)? {
        lines += 1;
        if lines % BLOCK == 0 {
            let width = columns.iter().map(Column::width).sum();
            settings.memory.check_begun(path, lines, width)?;
        }
        let line = reader.lines_before + record.position().map_or(0, ::csv::Position::line);
        for (index, (column, cell)) in columns.iter_mut().zip(&record).enumerate() {
            column.push(cell.trim(), are_words[index], settings.numbers).map_err(|(expected, remedy)| {
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
    let mut notes = Vec::new();
    let between_thousands = reader.separator == b';' && *settings.numbers == NumberStyle::Plain;
    for ((column, name), is_word) in columns.iter().zip(&reader.names).zip(are_words) {
        notes.extend(column.notes(&short(name), is_word, between_thousands));
    }
    let names = std::mem::take(&mut reader.names);
    Ok(Table { notes, ..table(path, &names, columns, settings)? })
}

/// A table with an open file.
struct Reader<'a> {
    path: &'a Path,
    names: Vec<String>,
    separator: u8,
    /// Lines before the one with the names.
    lines_before: u64,
    /// Columns without a name of their own.
    unnamed: Vec<String>,
    records: ::csv::Reader<Lines>,
}

/// A file whose lines may not be too long.
struct Lines {
    file: BufReader<File>,
    /// What was read to find the separator.
    begun: io::Cursor<Vec<u8>>,
    /// Bytes that may be read before the present line has to end.
    left: u64,
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match self.begun.read(buffer)? {
            0 => self.file.read(buffer)?,
            count => count,
        };
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
        if let Some(what) = stand_in(&head) {
            return Err(DataError::StandIn { path: path.to_owned(), what });
        }
        let (separator, begin) = separator(&head);
        let lines_before = u64::from(begin > 0);
        let mut begun = io::Cursor::new(head);
        begun.set_position(begin as u64);
        let source = Lines { file, begun, left: LONGEST_LINE };
        let records = ::csv::ReaderBuilder::new().delimiter(separator).from_reader(source);
        let (names, unnamed) = (Vec::new(), Vec::new());
        let mut reader = Self { path, names, separator, lines_before, unnamed, records };
        let header = reader.records.headers().map_err(|error| wrong(path, lines_before, &error))?;
        let name = |name: &str| name.trim_start_matches('\u{feff}').trim().to_owned();
        let mut names: Vec<String> = header.iter().map(name).collect();
        for (index, name) in names.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
            *name = format!("{UNNAMED}{index}");
            reader.unnamed.push(name.clone());
        }
        let distinct: BTreeSet<&String> = names.iter().collect();
        if names.is_empty() || distinct.len() < names.len() {
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
        if self.names.len() == 1 {
            let found = format!("one column {}", shown(&self.names));
            let remedy =
                "Save the table with one of these, and with the names of the columns in its first line";
            let expected = "columns with commas, semicolons, tabs or vertical bars between them";
            return Err(DataError::wrong(self.path, expected, found, remedy));
        }
        let there_are = || {
            let is_comment = self.names[0].starts_with('#');
            let remedy = if is_comment { "; remove comments before the names of the columns" } else { "" };
            format!("there are {}{remedy}", shown(&self.names))
        };
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
        let is_named = |name: &&String| {
            *name != settings.label && !settings.leave_out.contains(name) && !settings.words.contains(name)
        };
        let unnamed: Vec<String> = self.unnamed.iter().filter(is_named).cloned().collect();
        if !unnamed.is_empty() {
            let remedy = format!(
                "Leave out what has none, by the name that pandas gives it: leave_out: [{}]; or name it",
                shown(&unnamed)
            );
            let found = format!("none for {}", counted(unnamed.len() as u64, "column"));
            return Err(DataError::wrong(
                self.path,
                "a name for each column in the first line",
                found,
                remedy,
            ));
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
        self.records.read_record(record).map_err(|error| wrong(self.path, self.lines_before, &error))
    }
}

/// The samples of the columns.
fn table(
    path: &Path,
    names: &[String],
    columns: Vec<Column>,
    settings: &TableSettings<'_>,
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
    let (classes, places) = label.sorted();
    let labels = label.codes.iter().map(|code| places[*code as usize]).collect();
    let (mut values, mut origins) = (vec![0.0; rows * width], vec![0.0; width]);
    let (mut first, mut kinds, mut numeric) = (0, Columns::default(), Vec::new());
    for (column, name) in columns.into_iter().zip(names) {
        let end = first + column.width();
        match column {
            Column::Numbers(numbers) => {
                let places = values.iter_mut().skip(first).step_by(width);
                places.zip(&numbers.values).for_each(|(place, number)| *place = *number);
                origins[first] = numbers.origin;
                kinds.numbers.push(name.clone());
                numeric.push(first);
            }
            Column::Words(words) => {
                let (_, places) = words.sorted();
                for (row, code) in words.codes.iter().enumerate() {
                    values[row * width + first + places[*code as usize] as usize] = 1.0;
                }
                kinds.words.push((name.clone(), words.known.len()));
            }
            Column::LeftOut => kinds.left_out.push(name.clone()),
            Column::Label(_) | Column::Unknown => {}
        }
        first = end;
    }
    let samples = Samples::exact(Shape::new(width, 1, 1), Exact { values, origins }, labels);
    Ok(Table { samples, classes, columns: kinds, numbers: numeric, notes: Vec::new() })
}

/// The separator of a table, and where the line with the names begins. A first line `sep=;`, as Excel knows it, names the
/// separator; otherwise it is the one of comma, semicolon, tab and vertical bar that the first line has most often.
fn separator(head: &[u8]) -> (u8, usize) {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let text = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    if let Some([separator, b'\r'] | [separator]) = text.strip_prefix(b"sep=") {
        return (*separator, head.len().min(line.len() + 1));
    }
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
    let separators = [b'|', b'\t', b';', b','].into_iter();
    (separators.max_by_key(|separator| count(*separator)).unwrap_or(b','), 0)
}

fn wrong(path: &Path, lines_before: u64, error: &::csv::Error) -> DataError {
    let line = error.position().map(|position| lines_before + position.line());
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
    first_of(names.iter().map(|name| format!("\"{}\"", short(name))), 20, ", ")
}

/// The beginning of a long cell.
fn short(cell: &str) -> String {
    if cell.chars().count() <= 40 { cell.to_owned() } else { cell.chars().take(39).chain(['…']).collect() }
}

#[cfg(test)]
mod tests;
