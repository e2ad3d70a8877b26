//! Values as people write them: `20 %`, `5 epochs`, `1-10`, `0.001, 0.003`, `1e-4..1e-1 log 4`.
//!
//! What a field shows, plan sentences print and users type is one language: [`set_text`] reads whatever [`to_text`] and
//! the sentences write. Files keep RON.

mod lists;
mod summary;

use super::number::{counted, grouped, number, share_in_percent};
use super::{Choice, Field, List, Node, Value};

pub use lists::read_list;
pub use summary::{summary, uncapitalized};

/// What a field in per cent takes: no share is above 1, so that a larger number can only be per cent.
pub const SHARE_RULE: &str =
    "20 %, 20 and 0.2 mean the same: a bare number above 1 is per cent, up to 1 a fraction";

/// What a field shows for a value.
pub fn to_text(value: &mut dyn Value, field: &Field) -> String {
    match value.node() {
        Node::Switch(on) => if *on { "on" } else { "off" }.to_owned(),
        Node::Integer(integer) => integer.get().to_string(),
        Node::Number(number) => number_text(*number, field),
        Node::Text(text) => text.clone(),
        Node::Parsed(parsed) => parsed.words(),
        Node::Choice(choice) => {
            let label = choice.variant().label;
            // Defaults are left out, so that empty brackets are settings that are all default.
            let is_plain = choice.payload().is_none_or(|payload| payload.to_ron() == "()");
            if is_plain { label.to_owned() } else { value.to_ron() }
        }
        Node::Optional(optional) => optional.value().map_or_else(String::new, |value| to_text(value, field)),
        Node::List(list) if is_plain(list) => list_text(list, field),
        Node::List(_) | Node::Group(_) | Node::Overrides(_) => value.to_ron(),
    }
}

/// A value among others of a list: as [`to_text`], a list in brackets.
pub fn item_text(value: &mut dyn Value, field: &Field) -> String {
    let is_list = matches!(value.node(), Node::List(list) if is_plain(list));
    let text = to_text(value, field);
    if is_list { format!("[{text}]") } else { text }
}

/// Reads what a person writes for a value.
///
/// # Errors
/// What is wrong, and what is allowed; the value is unchanged then.
pub fn set_text(value: &mut dyn Value, text: &str, field: &Field) -> Result<(), String> {
    let trimmed = text.trim();
    match value.node() {
        Node::Switch(on) => {
            *on = switch(trimmed).ok_or_else(|| format!("\"{trimmed}\" is not a switch; write on or off"))?;
        }
        Node::Integer(integer) => integer.set(read_whole(trimmed, field)?),
        Node::Number(number) => *number = read_number(trimmed, field)?,
        Node::Text(content) => text.clone_into(content),
        Node::Parsed(parsed) => parsed.set_text(trimmed)?,
        Node::Choice(choice) => match named_variant(choice, trimmed) {
            Some(index) => choice.select(index),
            None => return value.set_ron(trimmed),
        },
        Node::Optional(optional) if trimmed.is_empty() => optional.set(false),
        Node::Optional(optional) => {
            let was_set = optional.is_set();
            if !was_set {
                optional.set(true);
                // A bare number has the unit of the value before; here is none.
                if whole(trimmed).is_some()
                    && optional.value().is_some_and(|inner| matches!(inner.node(), Node::Parsed(_)))
                {
                    optional.set(false);
                    return Err(format!("\"{trimmed}\" has no unit; write {trimmed}ep or {trimmed}it"));
                }
            }
            let read = optional.value().map_or(Ok(()), |inner| set_text(inner, text, field));
            if read.is_err() && !was_set {
                optional.set(false);
            }
            return read;
        }
        Node::List(list) if is_plain(list) => {
            let items = read_list(list.sample().as_mut(), trimmed, field)?;
            return value.set_ron(&format!("[{}]", items.join(", ")));
        }
        Node::List(_) | Node::Group(_) | Node::Overrides(_) => return value.set_ron(trimmed),
    }
    Ok(())
}

/// What is wrong with a number that its field does not allow, and what is allowed.
pub fn range_problem(number: f64, field: &Field) -> Option<String> {
    if !number.is_finite() {
        return Some(format!("{number} is not a finite number"));
    }
    if !field.allowed.is_empty() {
        let is_allowed = field.allowed.iter().any(|allowed| *allowed as f64 == number);
        return (!is_allowed).then(|| format!("{number} is not allowed; choose {}", one_of(field.allowed)));
    }
    let [low, high] = field.range?;
    let (bound, side) = match number {
        _ if number < low => (low, "below"),
        _ if number > high => (high, "above"),
        _ => return None,
    };
    let [number, bound] = [number, bound].map(|value| bound_text(value, field));
    Some(format!("{number} is {side} {bound}; allowed: {}", allowed(field)?))
}

/// As [`range_problem`], with the name of the setting.
pub(super) fn range_message(number: f64, field: &Field) -> Option<String> {
    range_problem(number, field)?;
    let [label, written] = [field.label.to_owned(), number_text(number, field)];
    if !field.allowed.is_empty() && number.is_finite() {
        return Some(format!("{label} is {written}; it must be {}", one_of(field.allowed)));
    }
    let Some([low, high]) = field.range.filter(|_| number.is_finite()) else {
        return Some(format!("{label} is {written}; write a finite number"));
    };
    let [least, most] = [low, high].map(|bound| number_text(bound, field));
    Some(if high >= 1e15 {
        format!("{label} is {written}; it must be at least {least}")
    } else {
        format!("{label} is {written}; it must be between {least} and {most}")
    })
}

/// A whole number, also as 10 000, `10_000`, 10,000 or 1e4.
pub fn whole(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
    let digits = ungrouped(&digits);
    if let Ok(whole) = digits.parse() {
        return Some(whole);
    }
    let number: f64 = digits.parse().ok()?;
    ((0.0..9e15).contains(&number) && number.fract() == 0.0).then_some(number as u64)
}

/// A number as short as it can be read back: 0.05, 1e-7; a share as 5 %.
pub fn number_text(value: f64, field: &Field) -> String {
    if field.is_share() && value.is_finite() { share_in_percent(value) } else { number(value) }
}

/// Whether a list holds values that a line of text can have.
pub fn is_plain(list: &dyn List) -> bool {
    matches!(list.sample().node(), Node::Integer(_) | Node::Number(_) | Node::Parsed(_) | Node::Text(_))
}

fn switch(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "on" | "true" | "yes" => Some(true),
        "off" | "false" | "no" => Some(false),
        _ => None,
    }
}

/// The alternative without settings that a text names.
fn named_variant(choice: &mut dyn Choice, text: &str) -> Option<usize> {
    let is_named =
        |variant: &Field| variant.label.eq_ignore_ascii_case(text) || variant.key.eq_ignore_ascii_case(text);
    let index = choice.variants().iter().position(is_named)?;
    Some(index)
}

fn read_whole(text: &str, field: &Field) -> Result<u64, String> {
    let typed = without_noun(text, field);
    whole(typed).ok_or_else(|| {
        let is_number = !typed.is_empty() && typed.chars().all(|c| c.is_ascii_digit());
        match allowed(field) {
            _ if !is_number => wanted(text, "whole number", field),
            Some(allowed) => format!("{text} is too large; allowed: {allowed}"),
            None => format!("{text} is too large; write at most {}", grouped(u64::MAX)),
        }
    })
}

fn read_number(text: &str, field: &Field) -> Result<f64, String> {
    if field.is_share() && ["half", "half the amount"].contains(&text) {
        return Ok(0.5);
    }
    let text: String = text.replace('−', "-");
    if let Some(percent) = text.strip_suffix('%') {
        let number = plain_number(percent).ok_or_else(|| wanted(&text, "number", field))?;
        return Ok(hundredths(number));
    }
    let read = plain_number(without_noun(&text, field)).ok_or_else(|| wanted(&text, "number", field))?;
    Ok(if field.is_share() && read > 1.0 { hundredths(read) } else { read })
}

/// Through text: 7 / 100 is 0.07, and 7 · 0.01 is not.
fn hundredths(percent: f64) -> f64 {
    format!("{percent}e-2").parse().unwrap_or(percent / 100.0)
}

fn plain_number(text: &str) -> Option<f64> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    ungrouped(&text).parse().ok().filter(|number: &f64| number.is_finite())
}

/// The text without commas between groups of three digits, where they are such.
fn ungrouped(text: &str) -> String {
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    let mut groups = whole.split(',');
    let is_first = groups.next().is_some_and(|first| (1..=3).contains(&first.trim_start_matches('-').len()));
    let is_grouped = is_first && groups.all(|group| group.len() == 3);
    if is_grouped { text.replace(',', "") } else { text.to_owned() }
}

/// The text without the noun after its number: the unit, or what the setting is called.
fn without_noun<'a>(text: &'a str, field: &Field) -> &'a str {
    let singular = |noun: &str| noun.to_lowercase().trim_end_matches('s').trim_end_matches("ie").to_owned();
    let Some(at) = text.rfind(|c: char| c.is_whitespace() || c.is_ascii_digit()) else { return text };
    let (number, noun) = text.split_at(at + text[at..].chars().next().map_or(1, char::len_utf8));
    let stem = singular(noun.trim_end_matches('y'));
    let is_noun = |name: &str| !name.is_empty() && singular(name.trim_end_matches('y')) == stem;
    if !stem.is_empty() && [field.unit, field.label].into_iter().any(is_noun) {
        number.trim_end()
    } else {
        text
    }
}

fn wanted(text: &str, what: &str, field: &Field) -> String {
    let example = if field.is_share() { ", such as 20 %" } else { "" };
    let allowed = allowed(field).map(|allowed| format!("; allowed: {allowed}")).unwrap_or_default();
    if text.is_empty() {
        format!("Write a {what}{example}{allowed}")
    } else {
        format!("\"{text}\" is not a {what}{example}{allowed}")
    }
}

/// `2, 4 or 6`.
fn one_of(numbers: &[u64]) -> String {
    let texts: Vec<String> = numbers.iter().map(u64::to_string).collect();
    match texts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => texts.concat(),
    }
}

/// What a field allows: `1 to 65,536`, `at least 1`, `2, 4 or 6`.
fn allowed(field: &Field) -> Option<String> {
    if !field.allowed.is_empty() {
        return Some(one_of(field.allowed));
    }
    let [low, high] = field.range?;
    let low = bound_text(low, field);
    Some(if high >= 1e9 {
        format!("at least {low}")
    } else {
        format!("{low} to {}", bound_text(high, field))
    })
}

fn bound_text(bound: f64, field: &Field) -> String {
    if bound.fract() == 0.0 && (1e4..1e15).contains(&bound) && !field.is_share() {
        grouped(bound as u64)
    } else {
        number_text(bound, field)
    }
}

fn list_text(list: &mut dyn List, field: &Field) -> String {
    let whole: Option<Vec<u64>> = (0..list.count())
        .map(|index| match list.item(index).node() {
            Node::Integer(integer) => Some(integer.get()),
            _ => None,
        })
        .collect();
    match whole {
        Some(whole) => ranges(&whole),
        None => {
            (0..list.count()).map(|index| to_text(list.item(index), field)).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Whole numbers in order; three and more in a row as a range: `1-3, 7`.
fn ranges(numbers: &[u64]) -> String {
    let runs = numbers.chunk_by(|a, b| a.checked_add(1) == Some(*b));
    let texts = runs.flat_map(|run| match run {
        [first, _, .., last] => vec![format!("{first}-{last}")],
        few => few.iter().map(u64::to_string).collect(),
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// `3 seeds`: how many values a list has, where its unit is a noun for them.
pub fn count_text(count: usize, field: &Field) -> Option<String> {
    let noun = field.unit.strip_suffix('s').filter(|_| field.label.eq_ignore_ascii_case(field.unit))?;
    Some(counted(count as u64, noun))
}

#[cfg(test)]
mod tests;
