//! Tables of the user's: a header, then one sample per line. Columns of numbers are features, columns of few words become
//! one-hot features, and one column names the class.

mod cell;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::io::{BufReader, Read};
use std::path::Path;

use crate::error::Memory;
use crate::samples::{Exact, WHOLE};
use crate::table::cell::{Number, begins_with_digit, like_number, may_be_thousands, number};
use crate::{Columns, DataError, Samples, Shape, stand_in};
use form::number::{counted, first_of};

pub use crate::table::cell::NumberStyle;

/// Bytes in which the separator is searched for.
const HEADER: usize = 1 << 16;
/// Bytes of the longest line: memory must not grow with a file that is no table.
const LONGEST_LINE: u64 = 8 << 20;
/// Lines after which the memory is compared with what is allowed.
const BLOCK: usize = 256;

/// The beginning of the name that pandas gives to a column without one; its position from 0 follows.
pub(crate) const UNNAMED: &str = "Unnamed: ";

/// The settings of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableSettings<'a> {
    pub label: &'a str,
    pub leave_out: &'a [String],
    /// Columns of words, also where they look like numbers or missing values.
    pub words: &'a [String],
    pub numbers: &'a NumberStyle,
    pub memory: Memory,
}

#[derive(Debug)]
pub(crate) struct Table {
    pub samples: Samples,
    /// Sorted: as numbers where all of them are, otherwise as text.
    pub classes: Vec<String>,
    pub columns: Columns,
    /// Which feature each column of numbers is.
    pub numbers: Vec<usize>,
    /// Whole sentences on what looks odd.
    pub notes: Vec<String>,
}

/// Reads the names of the columns.
pub(crate) fn columns(path: &Path) -> Result<Vec<String>, DataError> {
    Reader::open(path).map(|reader| reader.names)
}

pub(crate) fn read(path: &Path, settings: &TableSettings<'_>) -> Result<Table, DataError> {
    let mut reader = Reader::open(path)?;
    let mut columns = reader.columns(settings)?;
    let mut record = ::csv::StringRecord::new();
    let are_words: Vec<bool> = reader.names.iter().map(|name| settings.words.contains(name)).collect();
    let mut lines = 0;
    while reader.next(&mut record)? {
        lines += 1;
        if lines % BLOCK == 0 {
            let width = columns.iter().map(Column::width).sum();
            settings.memory.check(path, lines, width, true)?;
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

struct Reader<'a> {
    path: &'a Path,
    names: Vec<String>,
    separator: u8,
    /// Lines before the one with the names.
    lines_before: u64,
    unnamed: Vec<String>,
    records: ::csv::Reader<Lines>,
}

/// A file whose lines may not be too long.
struct Lines {
    file: BufReader<File>,
    /// The bytes that were read to find the separator.
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
        let unreadable = DataError::unreadable(path);
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
        let mut records = ::csv::ReaderBuilder::new().delimiter(separator).from_reader(source);
        let header = records.headers().map_err(|error| wrong(path, lines_before, &error))?;
        let name = |name: &str| name.trim_start_matches('\u{feff}').trim().to_owned();
        let (mut names, mut unnamed): (Vec<String>, _) = (header.iter().map(name).collect(), Vec::new());
        for (index, name) in names.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
            *name = format!("{UNNAMED}{index}");
            unnamed.push(name.clone());
        }
        let distinct: BTreeSet<&String> = names.iter().collect();
        if names.is_empty() || distinct.len() < names.len() {
            let remedy = "Give each column a name of its own in the first line";
            let expected = "a header with a name for each column";
            return Err(DataError::wrong(path, expected, shown(&names), remedy));
        }
        Ok(Self { path, names, separator, lines_before, unnamed, records })
    }

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
        if settings.label.is_empty() {
            let problem =
                format!("name the column with the classes of {}; {}", self.path.display(), there_are());
            return Err(DataError::setting("label", problem));
        }
        let named = std::iter::once(("label", settings.label));
        let named = named.chain(settings.leave_out.iter().map(|name| ("leave_out", name.as_str())));
        let mut named = named.chain(settings.words.iter().map(|name| ("words", name.as_str())));
        if let Some((setting, name)) = named.find(|(_, name)| self.names.iter().all(|known| known != name)) {
            let problem =
                format!("there is no column \"{name}\" in {}; {}", self.path.display(), there_are());
            return Err(DataError::setting(setting, problem));
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
            let expected = "a name for each column in the first line";
            return Err(DataError::wrong(self.path, expected, found, remedy));
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

    /// Reads the next line; returns false after the last one.
    fn next(&mut self, record: &mut ::csv::StringRecord) -> Result<bool, DataError> {
        self.records.get_mut().left = LONGEST_LINE;
        self.records.read_record(record).map_err(|error| wrong(self.path, self.lines_before, &error))
    }
}

fn table(
    path: &Path,
    names: &[String],
    columns: Vec<Column>,
    settings: &TableSettings<'_>,
) -> Result<Table, DataError> {
    let label =
        columns.iter().find_map(|column| if let Column::Label(words) = column { Some(words) } else { None });
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
    settings.memory.check(path, rows, width, false)?;
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

/// Returns the separator of a table, and where the line with the names begins. A first line `sep=;`, as Excel knows it,
/// names the separator; otherwise it is the one of comma, semicolon, tab and vertical bar that the first line has most
/// often.
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
    let wrong = |expected: String, found: &str, remedy| DataError::wrong(path, expected, found, remedy);
    match error.kind() {
        ::csv::ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            let remedy = "Check that the file is a table, with a sample to a line and quotes that are closed";
            wrong("lines of at most 8 MiB".to_owned(), "a longer one", remedy)
        }
        ::csv::ErrorKind::Io(error) => {
            DataError::unreadable(path)(io::Error::new(error.kind(), error.to_string()))
        }
        ::csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            let remedy = "Correct the line; cells with the separator in them need quotes";
            wrong(format!("{place}{expected_len} cells, as in the header"), &len.to_string(), remedy)
        }
        ::csv::ErrorKind::Utf8 { .. } => {
            wrong(format!("{place}text in UTF-8"), "other bytes", "Save the table with the encoding UTF-8")
        }
        _ => wrong(format!("{place}a table"), &error.to_string(), "Check the file"),
    }
}

fn shown(names: &[String]) -> String {
    first_of(names.iter().map(|name| format!("\"{}\"", short(name))), 20, ", ")
}

fn short(cell: &str) -> String {
    if cell.chars().count() <= 40 { cell.to_owned() } else { cell.chars().take(39).chain(['…']).collect() }
}

/// The most different words of a feature, and the most classes: more are names or measurements.
const MOST_WORDS: usize = 32;
const MOST_CLASSES: usize = 1000;
const LONGEST_WORD: usize = 1000;
/// Words for a missing value: what pandas takes for it, and a question mark.
const MISSING: [&str; 21] = [
    "", "?", "NA", "N/A", "na", "n/a", "NaN", "nan", "-NaN", "-nan", "null", "NULL", "None", "<NA>", "#NA",
    "#N/A", "#N/A N/A", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN",
];

/// A column while it is read.
pub(crate) enum Column {
    LeftOut,
    Label(Words),
    /// Numbers or words: the first line decides.
    Unknown,
    Numbers(Numbers),
    Words(Words),
}

#[derive(Default)]
pub(crate) struct Numbers {
    /// Less the origin.
    pub values: Vec<f64>,
    /// The first number, if it is a whole one from 2⁵³ on; otherwise 0.
    pub origin: f64,
    /// Each may be one with points between thousands; one has a point.
    may_be_thousands: bool,
    has_points: bool,
}

impl Numbers {
    fn push(&mut self, Number { value, whole }: Number, cell: &str) {
        let is_first = self.values.is_empty();
        if is_first && value.abs() >= WHOLE {
            self.origin = value;
        }
        self.may_be_thousands = (is_first || self.may_be_thousands) && may_be_thousands(cell);
        self.has_points |= cell.contains('.');
        let less =
            whole.filter(|_| self.origin != 0.0).and_then(|whole| whole.checked_sub(self.origin as i128));
        self.values.push(less.map_or(value - self.origin, |less| less as f64));
    }
}

/// Words by numbers that are given in the order of their first occurrence.
#[derive(Default)]
pub(crate) struct Words {
    pub known: BTreeMap<String, u32>,
    pub codes: Vec<u32>,
}

impl Words {
    /// Adds a word; returns true if there are too many different ones now.
    fn push(&mut self, word: &str, most: usize) -> bool {
        let next = self.known.len() as u32;
        let code = match self.known.get(word) {
            Some(code) => *code,
            None => *self.known.entry(word.to_owned()).or_insert(next),
        };
        self.codes.push(code);
        self.known.len() > most
    }

    /// Returns the word that is the same number as a new one, written otherwise.
    fn same_number(&self, word: &str) -> Option<&String> {
        let value: f64 = word.parse().ok().filter(|_| !self.known.contains_key(word))?;
        self.known.keys().find(|known| known.parse().is_ok_and(|known: f64| known == value))
    }

    /// Says which words stand for missing values elsewhere.
    fn missing(&self, name: &str) -> Vec<String> {
        let words = self.known.iter().filter(|(word, _)| MISSING.contains(&word.as_str()));
        let note = |(word, code): (&String, &u32)| {
            let lines = self.codes.iter().filter(|known| *known == code).count();
            let lines = counted(lines as u64, "line");
            format!("Column \"{name}\": \"{word}\" in {lines} is a word, since words names the column.")
        };
        words.map(note).collect()
    }

    /// Returns the words in their order, and for each code the position of its word.
    pub fn sorted(&self) -> (Vec<String>, Vec<u32>) {
        let mut words: Vec<(&String, u32)> = self.known.iter().map(|(word, code)| (word, *code)).collect();
        let number = |word: &str| number(word, &NumberStyle::Plain).map(|number| number.value);
        if words.iter().all(|(word, _)| number(word).is_some()) {
            let value = |word: &str| number(word).unwrap_or_default();
            words.sort_by(|(a, _), (b, _)| value(a).total_cmp(&value(b)).then_with(|| a.cmp(b)));
        }
        let mut places = vec![0; words.len()];
        for (place, (_, code)) in words.iter().enumerate() {
            places[*code as usize] = place as u32;
        }
        (words.into_iter().map(|(word, _)| word.clone()).collect(), places)
    }
}

impl Column {
    /// Adds a cell, with numbers in this style; otherwise what was expected in its place, and the remedy, where … is the name
    /// of the column. A column that `is_word` takes every cell for a word but an empty one.
    pub fn push(
        &mut self,
        cell: &str,
        is_word: bool,
        style: &NumberStyle,
    ) -> Result<(), (&'static str, String)> {
        const MIXED: &str = "Correct it; or, if the column has words, name it: words: [\"…\"]; or leave it out: \
            leave_out: [\"…\"]";
        const LEAVE_OUT: &str = "Leave the column out: leave_out: [\"…\"]";
        let refused = |expected, remedy: &str| Err((expected, remedy.to_owned()));
        let is_label = matches!(self, Self::Label(_));
        if matches!(self, Self::LeftOut) {
            return Ok(());
        }
        if cell.is_empty() || (!is_word && MISSING.contains(&cell)) {
            return Err(("a value, not a missing one", missing(cell, is_label)));
        }
        // A word that is known was looked at before.
        let is_word = is_word || matches!(self, Self::Words(words) if words.known.contains_key(cell));
        let may_be_number = !is_word && !is_label;
        let number = if may_be_number { number(cell, style) } else { None };
        if may_be_number
            && number.is_none()
            && let Some(refusal) = like_number(cell)
        {
            return Err(refusal);
        }
        if matches!(self, Self::Unknown) {
            let words = || Self::Words(Words::default());
            *self = number.map_or_else(words, |_| Self::Numbers(Numbers::default()));
        }
        match self {
            Self::Numbers(numbers) => match number {
                Some(number) => numbers.push(number, cell),
                None => return refused("a finite number, as in the lines before", MIXED),
            },
            Self::Words(_) if number.is_some() => {
                return refused("a word, as in the lines before", MIXED);
            }
            Self::Words(_) | Self::Label(_) if cell.len() > LONGEST_WORD => {
                return refused("a word of at most 1,000 letters", LEAVE_OUT);
            }
            Self::Words(words) => {
                if words.push(cell, MOST_WORDS) {
                    return refused("at most 32 different words", LEAVE_OUT);
                }
            }
            Self::Label(words) => {
                if let Some(known) = words.same_number(cell).filter(|_| !is_word) {
                    let remedy = format!(
                        "\"{known}\" is the same number: write both alike; or, if they are two classes, name the column: \
                         words: [\"…\"]"
                    );
                    return Err(("a class written as in the lines before", remedy));
                }
                if words.push(cell, MOST_CLASSES) {
                    return refused("at most 1,000 classes", "Name the column with the classes as the label");
                }
            }
            Self::LeftOut | Self::Unknown => {}
        }
        Ok(())
    }

    pub fn width(&self) -> usize {
        match self {
            Self::LeftOut | Self::Label(_) | Self::Unknown => 0,
            Self::Numbers(_) => 1,
            Self::Words(words) => words.known.len(),
        }
    }

    /// Says what looks odd in it, in whole sentences. A column that `is_word` was named in the settings; points in numbers
    /// may be `between_thousands` in tables as Germans have them.
    pub fn notes(&self, name: &str, is_word: bool, between_thousands: bool) -> Vec<String> {
        match self {
            Self::Numbers(numbers) if numbers.may_be_thousands && numbers.has_points && between_thousands => {
                vec![format!(
                    "Column \"{name}\": every number with a point has three digits behind it, and is read with a decimal point. \
                     If 1.000 is a thousand, write numbers: DecimalComma."
                )]
            }
            Self::Label(words) | Self::Words(words) if is_word => words.missing(name),
            Self::Words(words)
                if words.known.len() > 2 && words.known.keys().all(|word| begins_with_digit(word)) =>
            {
                let (count, known) = (words.known.len(), &words.sorted().0[0]);
                vec![format!(
                    "Column \"{name}\": its {count} words begin with digits, as \"{known}\", and each is a feature of its own. If \
                     they are numbers, write them as such."
                )]
            }
            Self::LeftOut | Self::Unknown | Self::Numbers(_) | Self::Label(_) | Self::Words(_) => Vec::new(),
        }
    }
}

fn missing(cell: &str, is_label: bool) -> String {
    let leave_out = if is_label {
        " or remove the line"
    } else {
        ", remove the line, or leave the column out: leave_out: [\"…\"]"
    };
    let words = if cell.is_empty() { "" } else { "; or, if it is a word, name the column: words: [\"…\"]" };
    format!("Fill it in{leave_out}{words}")
}
