//! RON as this project writes and reads it.

use ron::error::{Position, SpannedError, SpannedResult};
use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Choice, Group, List, Node, Value};

const EXTENSIONS: Extensions = Extensions::UNWRAP_VARIANT_NEWTYPES.union(Extensions::IMPLICIT_SOME);

fn options() -> ron::Options {
    ron::Options::default().with_default_extension(EXTENSIONS)
}

/// Reads a value. Where brackets are expected and missing (`Digits` for `Digits()`), empty ones are assumed; where there are
/// empty ones too many (`Relu()` for `Relu`), they are skipped; and a number or a list alone is the first setting
/// (`Linear(10)` for `Linear(units: 10)`).
///
/// # Errors
/// What was expected, and where in the text as it was given.
pub fn from_str<T: DeserializeOwned>(text: &str) -> SpannedResult<T> {
    let mut repaired = text.to_owned();
    let mut repairs: Vec<Repair> = Vec::new();
    let mut read = 0;
    loop {
        let mut error = match options().from_str::<T>(&repaired) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        // The parser ends at the error, and the repair moves what is behind it, which takes less time.
        read += byte_offset(&repaired, error.span.end).unwrap_or_default() + repaired.len() / 16;
        let repair = bare_name_end(&repaired, &error)
            .or_else(|| empty_brackets(&repaired, &error))
            .or_else(|| first_setting::<T>(&repaired, &error));
        match repair {
            Some(repair) if read <= MOST_READ => {
                repaired.replace_range(repair.from..repair.from + repair.removed, &repair.inserted);
                repairs.push(repair);
                continue;
            }
            Some(_) => error.code = ron::Error::Message(TOO_MANY.to_owned()),
            None => {}
        }
        error.span.start = original_position(error.span.start, &repairs);
        error.span.end = original_position(error.span.end, &repairs);
        return Err(error);
    }
}

/// The most bytes that are read for the repairs of one text, each from its start: a second or two.
const MOST_READ: usize = 200_000_000;

const TOO_MANY: &str = "too many names up to here lack their brackets or have empty ones too many to be put right one by one; \
    write them out, as in BatchNorm(), Linear(units: 10) and Relu";

/// A change of a text that makes it one that the parser reads.
struct Repair {
    /// Byte offset, and position.
    from: usize,
    at: Position,
    /// Number of characters, all of one byte, that go.
    removed: usize,
    inserted: String,
}

impl Repair {
    fn new(text: &str, from: usize, removed: usize, inserted: &str) -> Self {
        Self { from, at: position(text, from), removed, inserted: inserted.to_owned() }
    }
}

/// Returns what is wrong with a text, without names of the program: the unknown word, and the known ones that are
/// most like it.
pub fn explain(error: &ron::Error) -> String {
    use ron::Error::{DuplicateStructField, MissingStructField, NoSuchEnumVariant, NoSuchStructField};
    match error {
        NoSuchEnumVariant { expected, found, .. } | NoSuchStructField { expected, found, .. } => {
            unknown(found, expected)
        }
        MissingStructField { field, .. } => format!("{field} is missing"),
        ron::Error::ExpectedFloat => "a number is missing, such as 0.5".to_owned(),
        ron::Error::ExpectedInteger => "a whole number is missing, such as 10".to_owned(),
        DuplicateStructField { field, .. } => format!("{field} occurs twice; remove one of them"),
        other => other.to_string(),
    }
}

fn unknown(word: &str, known: &[&str]) -> String {
    let mut near: Vec<(usize, &str)> = known.iter().map(|other| (distance(word, other), *other)).collect();
    near.sort_by_key(|(distance, _)| *distance);
    let most = (word.chars().count() / 2).max(1);
    let near: Vec<&str> =
        near.into_iter().filter(|(distance, _)| *distance <= most).map(|(_, it)| it).collect();
    match near.get(..near.len().min(3)) {
        Some(near @ [_, ..]) => format!("\"{word}\" is not known here; did you mean {}?", near.join(" or ")),
        _ => format!("\"{word}\" is not known here; known are {}", known.join(", ")),
    }
}

/// Counts the letters to add, remove or replace, whatever their case.
fn distance(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(|text| text.to_lowercase().chars().collect::<Vec<char>>());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut before = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = before + usize::from(x != y);
            before = row[j + 1];
            row[j + 1] = replaced.min(before + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// Writes a value on one line, for identities, `--set` and messages.
pub fn to_line<T: Serialize>(value: &T) -> String {
    let config = PrettyConfig::new()
        .new_line("")
        .indentor("")
        .separator(" ")
        .struct_names(false)
        .compact_arrays(true)
        .compact_structs(true)
        .compact_maps(true);
    options().to_string_pretty(value, config).expect("settings hold nothing that RON cannot write")
}

/// Adds empty brackets after a bare name for which the parser expects some.
fn bare_name_end(text: &str, error: &SpannedError) -> Option<Repair> {
    use ron::Error::{ExpectedNamedStructLike, ExpectedStructLike};
    if !matches!(error.code, ExpectedStructLike | ExpectedNamedStructLike(_)) {
        return None;
    }
    let reached = byte_offset(text, error.span.end)?;
    let name_end = text[..reached].trim_end().len();
    let next = text[name_end..].trim_start().chars().next();
    let is_bare = ends_with_name(&text[..name_end]) && matches!(next, None | Some(',' | ')' | ']'));
    is_bare.then(|| Repair::new(text, name_end, 0, "()"))
}

/// Removes the empty brackets after a name that has no settings.
fn empty_brackets(text: &str, error: &SpannedError) -> Option<Repair> {
    use ron::Error::{ExpectedArrayEnd, ExpectedComma, ExpectedStructLikeEnd, TrailingCharacters};
    if !matches!(error.code, ExpectedComma | ExpectedArrayEnd | ExpectedStructLikeEnd | TrailingCharacters) {
        return None;
    }
    let reached = byte_offset(text, error.span.end)?;
    let rest = text.get(reached.saturating_sub(1)..)?;
    let open = reached.saturating_sub(1) + rest.find("()").filter(|at| *at <= 1)?;
    ends_with_name(&text[..open]).then(|| Repair::new(text, open, 2, ""))
}

/// Adds the name of the first setting before a number or a list that is alone in its brackets, or first in them.
fn first_setting<T: DeserializeOwned>(text: &str, error: &SpannedError) -> Option<Repair> {
    use ron::Error::{ExpectedIdentifier, InvalidIdentifier, NoSuchStructField, SuggestRawIdentifier};
    // No setting has this name, so that the parser says which ones there are.
    const NO_SETTING: &str = "no_setting";
    if !matches!(error.code, ExpectedIdentifier | InvalidIdentifier(_) | SuggestRawIdentifier(_)) {
        return None;
    }
    let reached = byte_offset(text, error.span.end)?;
    let before = text[..reached].trim_end_matches(|c: char| c.is_ascii_digit() || ".[_".contains(c));
    let open = before.trim_end().strip_suffix('(')?.len();
    let is_value = text[open + 1..].trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '[');
    if !is_value || !ends_with_name(&text[..open]) {
        return None;
    }
    let tried = format!("{}{NO_SETTING}: {}", &text[..=open], &text[open + 1..]);
    let known = match options().from_str::<T>(&tried).err()?.code {
        NoSuchStructField { found, expected, .. } if found == NO_SETTING => expected,
        _ => return None,
    };
    Some(Repair::new(text, open + 1, 0, &format!("{}: ", known.first()?)))
}

fn ends_with_name(text: &str) -> bool {
    let name = text.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
    name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
}

fn byte_offset(text: &str, at: Position) -> Option<usize> {
    let line_start: usize = text.split_inclusive('\n').take(at.line - 1).map(str::len).sum();
    let line = text.get(line_start..)?;
    let columns = line.char_indices().nth(at.col - 1).map_or(line.len(), |(offset, _)| offset);
    Some(line_start + columns)
}

/// Returns the line and column, both from 1, of a byte offset.
pub fn position(text: &str, offset: usize) -> Position {
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Position { line: before.matches('\n').count() + 1, col: before[line_start..].chars().count() + 1 }
}

/// Undoes the shifts of later positions on the lines of repairs.
fn original_position(mut at: Position, repairs: &[Repair]) -> Position {
    for Repair { at: from, removed, inserted, .. } in repairs.iter().rev() {
        if from.line == at.line && from.col < at.col {
            at.col = (at.col + removed).saturating_sub(inserted.len()).max(from.col);
        }
    }
    at
}

/// The longest line, where brackets allow a break, in characters.
const WIDTH: usize = 100;
const STEP: usize = 4;

/// A value as a text of the file format has it, by its brackets. Offsets are in bytes.
#[derive(Default)]
pub struct Written<'a> {
    pub offset: usize,
    /// The last word before the brackets: an alternative, or the title of a group.
    pub name: Option<&'a str>,
    /// The opening bracket; 0 without brackets.
    pub bracket: u8,
    pub entries: Vec<Entry<'a>>,
}

/// A setting or an item in brackets.
pub struct Entry<'a> {
    pub offset: usize,
    /// The name of the setting.
    pub key: Option<&'a str>,
    pub value: Written<'a>,
}

impl<'a> Written<'a> {
    /// Returns the setting of this name.
    pub fn setting(&self, key: &str) -> Option<&Entry<'a>> {
        self.entries.iter().find(|entry| entry.key == Some(key))
    }

    fn item(&self, index: usize) -> Option<&Self> {
        self.entries.get(index).map(|entry| &entry.value)
    }
}

/// Returns the settings of a group, one to a line, without its brackets; `first` comes before them. `before` is what the text so
/// far has written down: those settings stay, also with their defaults.
///
/// # Errors
/// What RON cannot read again: half a value in overrides.
pub fn settings(root: &mut dyn Group, before: &Written<'_>, first: &str) -> ron::Result<String> {
    let mut text = format!("{}{first},\n", " ".repeat(STEP));
    for (key, part) in fields(root, Some(before))? {
        let line = format!("{}{key}", " ".repeat(STEP));
        text.push_str(&part.after(line, STEP));
        text.push_str(",\n");
    }
    Ok(text)
}

/// A value, ready to be laid out.
enum Part {
    /// A text without brackets, or with none to break at.
    Atom(String),
    /// Entries in brackets.
    Brackets { open: String, entries: Vec<(String, Self)>, close: String },
}

impl Part {
    fn flat(&self) -> String {
        match self {
            Self::Atom(text) => text.clone(),
            Self::Brackets { open, entries, close } => {
                let entries: Vec<String> =
                    entries.iter().map(|(key, part)| format!("{key}{}", part.flat())).collect();
                format!("{open}{}{close}", entries.join(", "))
            }
        }
    }

    /// Writes the value after `line`; `indent` is that of the line.
    fn after(&self, line: String, indent: usize) -> String {
        let flat = self.flat();
        // The comma after it counts.
        let fits = line.chars().count() + flat.chars().count() < WIDTH;
        let Self::Brackets { open, entries, close } = self else { return line + &flat };
        if fits || entries.is_empty() {
            return line + &flat;
        }
        let inner = indent + STEP;
        let is_plain = |(key, part): &(String, Self)| key.is_empty() && matches!(part, Self::Atom(_));
        let body = if entries.iter().all(is_plain) { filled(entries, inner) } else { listed(entries, inner) };
        format!("{line}{open}\n{body}{}{close}", " ".repeat(indent))
    }
}

/// Writes one entry to a line.
fn listed(entries: &[(String, Part)], indent: usize) -> String {
    let line =
        |(key, part): &(String, Part)| part.after(format!("{}{key}", " ".repeat(indent)), indent) + ",\n";
    entries.iter().map(line).collect()
}

/// Writes as many entries to a line as fit.
fn filled(entries: &[(String, Part)], indent: usize) -> String {
    let (mut text, mut line) = (String::new(), " ".repeat(indent));
    for (_, part) in entries {
        let entry = part.flat() + ",";
        let is_first = line.len() == indent;
        if !is_first && line.chars().count() + entry.chars().count() >= WIDTH {
            text.push_str(&line);
            text.push('\n');
            line = " ".repeat(indent);
        } else if !is_first {
            line.push(' ');
        }
        line.push_str(&entry);
    }
    format!("{text}{line}\n")
}

fn part(value: &mut dyn Value, before: Option<&Written<'_>>) -> ron::Result<Part> {
    match value.node() {
        Node::Group(group) => of_group(group, before),
        Node::Choice(choice) => of_choice(choice, before),
        Node::List(list) => of_list(list, before),
        Node::Optional(optional) => match optional.value() {
            Some(inner) => part(inner, before),
            None => Ok(Part::Atom("None".to_owned())),
        },
        Node::Overrides(overrides) => {
            let entry = |(path, text): (&String, &String)| {
                let read = from_str::<Box<ron::value::RawValue>>(text);
                read.map_err(|error| error.code)?;
                Ok((format!("{}: ", to_line(path)), Part::Atom(text.clone())))
            };
            let entries = overrides.0.iter().map(entry).collect::<ron::Result<_>>()?;
            Ok(Part::Brackets { open: "{".to_owned(), entries, close: "}".to_owned() })
        }
        Node::Switch(_) | Node::Integer(_) | Node::Number(_) | Node::Text(_) | Node::Length(_) => {
            Ok(Part::Atom(value.to_ron()))
        }
    }
}

/// Returns the settings of a group that are to be written, by `key: `.
fn fields(group: &mut dyn Group, before: Option<&Written<'_>>) -> ron::Result<Vec<(String, Part)>> {
    let mut found = Vec::new();
    for (index, field) in group.fields().iter().enumerate() {
        let before = before.and_then(|before| before.setting(field.key)).map(|entry| &entry.value);
        if before.is_some() || field.is_always_written || !group.is_default(index) {
            found.push((format!("{}: ", field.key), part(group.value(index), before)?));
        }
    }
    Ok(found)
}

fn of_group(group: &mut dyn Group, before: Option<&Written<'_>>) -> ron::Result<Part> {
    let entries = fields(group, before)?;
    if let Some(index) = group.shorthand() {
        let key = group.fields()[index].key;
        let is_other = |(written, _): &(String, Part)| written.trim_end_matches(": ") != key;
        if !entries.iter().any(is_other) {
            return part(group.value(index), None);
        }
    }
    Ok(Part::Brackets { open: "(".to_owned(), entries, close: ")".to_owned() })
}

/// Writes an alternative in the brackets of its group: `Prune(amount: Fraction(0.2))`.
fn of_choice(choice: &mut dyn Choice, before: Option<&Written<'_>>) -> ron::Result<Part> {
    let key = choice.variant().key;
    let before = before.filter(|before| before.name == Some(key));
    let Some(payload) = choice.payload() else { return Ok(Part::Atom(key.to_owned())) };
    let is_group = matches!(payload.node(), Node::Group(_));
    let inner = if is_group { before } else { before.and_then(|before| before.item(0)) };
    Ok(match part(payload, inner)? {
        Part::Atom(text) => Part::Atom(format!("{key}({text})")),
        Part::Brackets { open, entries, close } if is_group => {
            Part::Brackets { open: format!("{key}{open}"), entries, close }
        }
        Part::Brackets { open, entries, close } => {
            Part::Brackets { open: format!("{key}({open}"), entries, close: format!("{close})") }
        }
    })
}

fn of_list(list: &mut dyn List, before: Option<&Written<'_>>) -> ron::Result<Part> {
    let count = list.count();
    let item = |index| {
        let before = before.and_then(|before| before.item(index));
        Ok((String::new(), part(list.item(index), before)?))
    };
    let entries = (0..count).map(item).collect::<ron::Result<_>>()?;
    Ok(Part::Brackets { open: "[".to_owned(), entries, close: "]".to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, Default)]
    #[serde(default, deny_unknown_fields)]
    struct Size {
        side: u32,
    }

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    enum Shape {
        Square(Size),
        Dot,
    }

    #[test]
    fn brackets_may_be_left_out_where_nothing_stands_in_them() {
        assert_eq!(from_str::<Shape>("Square").unwrap(), Shape::Square(Size::default()));
        assert_eq!(from_str::<Vec<Shape>>("[Square, Dot, Square ]").unwrap().len(), 3);
        assert_eq!(from_str::<Shape>("Square(side: 2)").unwrap(), Shape::Square(Size { side: 2 }));
        assert_eq!(to_line(&Shape::Square(Size { side: 2 })), "Square(side: 2)");
    }

    #[test]
    fn a_value_alone_is_the_first_setting_and_empty_brackets_too_many_are_skipped() {
        assert_eq!(from_str::<Shape>("Square(2)").unwrap(), Shape::Square(Size { side: 2 }));
        assert_eq!(from_str::<Shape>("Square( 2, )").unwrap(), Shape::Square(Size { side: 2 }));
        assert_eq!(from_str::<Shape>("Dot()").unwrap(), Shape::Dot);
        let all = [Shape::Dot, Shape::Square(Size { side: 3 }), Shape::Dot];
        assert_eq!(from_str::<Vec<Shape>>("[Dot(), Square(3), Dot()]").unwrap(), all);
        let error = from_str::<Vec<Shape>>("[Square(3), Dot(), Square(sied: 2)]").unwrap_err();
        assert_eq!((error.span.start.line, error.span.start.col), (1, 27), "{error}");
        assert!(from_str::<Shape>("Square(side: 2, 3)").is_err() && from_str::<Shape>("Dot(1)").is_err());
    }

    #[test]
    fn an_unknown_word_is_named_with_those_that_are_like_it() {
        let why = |text: &str| explain(&from_str::<Shape>(text).unwrap_err().code);
        assert_eq!(why("Squar"), "\"Squar\" is not known here; did you mean Square?");
        assert_eq!(why("Square(sied: 2)"), "\"sied\" is not known here; did you mean side?");
        assert_eq!(why("Circle"), "\"Circle\" is not known here; known are Square, Dot");
        assert_eq!(why("Square(side: 2, side: 3)"), "side occurs twice; remove one of them");
    }

    #[test]
    fn repairs_of_a_long_text_come_to_an_end() {
        let few = format!("[{}]", "Square,".repeat(1000));
        assert_eq!(from_str::<Vec<Shape>>(&few).unwrap().len(), 1000);
        let many = format!("[{}]", "Dot(),Square,".repeat(100_000));
        let error = from_str::<Vec<Shape>>(&many).unwrap_err();
        assert!(error.to_string().contains("too many names up to here"), "{error}");
    }

    #[test]
    fn an_error_behind_assumed_brackets_keeps_its_column() {
        let error = from_str::<Vec<Shape>>("[Square, Square(sied: 2)]").unwrap_err();
        assert_eq!((error.span.start.line, error.span.start.col), (1, 17), "{error}");
    }
}
