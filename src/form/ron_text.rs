//! RON as this project writes and reads it.

use ron::error::{Position, SpannedError, SpannedResult};
use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use serde::{Serialize, de::DeserializeOwned};

const EXTENSIONS: Extensions = Extensions::UNWRAP_VARIANT_NEWTYPES.union(Extensions::IMPLICIT_SOME);

fn options() -> ron::Options {
    ron::Options::default().with_default_extension(EXTENSIONS)
}

/// Reads a value. Where brackets are expected and missing (`Digits` for `Digits()`), empty ones are assumed.
///
/// # Errors
/// What was expected, and where in the text as it was given.
pub fn from_str<T: DeserializeOwned>(text: &str) -> SpannedResult<T> {
    let mut repaired = text.to_owned();
    let mut insertions: Vec<Position> = Vec::new();
    loop {
        let mut error = match options().from_str(&repaired) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        if let Some((offset, position)) = bare_name_end(&repaired, &error) {
            repaired.insert_str(offset, "()");
            insertions.push(position);
        } else {
            error.span.start = original_position(error.span.start, &insertions);
            error.span.end = original_position(error.span.end, &insertions);
            return Err(error);
        }
    }
}

/// What is wrong with a text, without names of the program: the unknown word, and the known ones that are most like it.
pub fn explain(error: &ron::Error) -> String {
    use ron::Error::{DuplicateStructField, MissingStructField, NoSuchEnumVariant, NoSuchStructField};
    match error {
        NoSuchEnumVariant { expected, found, .. } | NoSuchStructField { expected, found, .. } => {
            unknown(found, expected)
        }
        MissingStructField { field, .. } => format!("{field} is missing"),
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

/// How many letters have to be added, removed or replaced, whatever their case.
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

/// Writes a value over several lines, for files.
///
/// # Errors
/// When the value holds something that RON cannot write.
pub fn to_pretty<T: Serialize>(value: &T) -> ron::Result<String> {
    let config = PrettyConfig::new().indentor("    ").struct_names(false).compact_arrays(false);
    options().to_string_pretty(value, config)
}

/// End of the bare name after which the parser expects brackets: byte offset and position.
fn bare_name_end(text: &str, error: &SpannedError) -> Option<(usize, Position)> {
    use ron::Error::{ExpectedNamedStructLike, ExpectedStructLike};
    if !matches!(error.code, ExpectedStructLike | ExpectedNamedStructLike(_)) {
        return None;
    }
    let reached = byte_offset(text, error.span.end)?;
    let name_end = text[..reached].trim_end().len();
    let name = text[..name_end].rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let next = text[name_end..].trim_start().chars().next();
    let is_bare =
        name.starts_with(|c: char| c.is_ascii_uppercase()) && matches!(next, None | Some(',' | ')' | ']'));
    is_bare.then(|| (name_end, position(text, name_end)))
}

fn byte_offset(text: &str, at: Position) -> Option<usize> {
    let line_start: usize = text.split_inclusive('\n').take(at.line - 1).map(str::len).sum();
    let line = text.get(line_start..)?;
    let columns = line.char_indices().nth(at.col - 1).map_or(line.len(), |(offset, _)| offset);
    Some(line_start + columns)
}

/// Line and column, both from 1, of a byte offset.
pub fn position(text: &str, offset: usize) -> Position {
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Position { line: before.matches('\n').count() + 1, col: before[line_start..].chars().count() + 1 }
}

/// Undoes the shift that inserted brackets gave to later positions on their line.
fn original_position(mut at: Position, insertions: &[Position]) -> Position {
    for insertion in insertions.iter().rev() {
        if insertion.line == at.line && insertion.col < at.col {
            at.col = at.col.saturating_sub(2).max(insertion.col);
        }
    }
    at
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
    fn an_unknown_word_is_named_with_those_that_are_like_it() {
        let why = |text: &str| explain(&from_str::<Shape>(text).unwrap_err().code);
        assert_eq!(why("Squar"), "\"Squar\" is not known here; did you mean Square?");
        assert_eq!(why("Square(sied: 2)"), "\"sied\" is not known here; did you mean side?");
        assert_eq!(why("Circle"), "\"Circle\" is not known here; known are Square, Dot");
        assert_eq!(why("Square(side: 2, side: 3)"), "side occurs twice; remove one of them");
    }

    #[test]
    fn an_error_behind_assumed_brackets_keeps_its_column() {
        let error = from_str::<Vec<Shape>>("[Square, Square(sied: 2)]").unwrap_err();
        assert_eq!((error.span.start.line, error.span.start.col), (1, 17), "{error}");
    }
}
