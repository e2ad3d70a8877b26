//! Values as people write them: `20 %`, `5 epochs`, `1-10`, `0.001, 0.003`, `1e-4..1e-1 log 4`.
//!
//! What a field shows, plan sentences print and users type is one language: [`set_text`] reads whatever [`to_text`] and
//! the sentences write. Files keep RON.

use crate::number::{counted, grouped, number, share_in_percent};
use crate::{Choice, Field, Group, List, Node, Optional, Value};

/// What a field in per cent takes: no share is above 1, so that a larger number can only be per cent.
pub const SHARE_RULE: &str =
    "20 %, 20 and 0.2 mean the same: a bare number above 1 is per cent, up to 1 a fraction";

/// Returns what a field shows for a value.
pub fn to_text(value: &mut dyn Value, field: &Field) -> String {
    match value.node() {
        Node::Switch(on) => if *on { "on" } else { "off" }.to_owned(),
        Node::Integer(integer) => integer.get().to_string(),
        Node::Number(number) => number_text(*number, field),
        Node::Text(text) => text.clone(),
        Node::Length(length) => length.words(),
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

/// Returns a value among others of a list: as [`to_text`], a list in brackets.
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
            *on = match trimmed.to_lowercase().as_str() {
                "on" | "true" | "yes" => true,
                "off" | "false" | "no" => false,
                _ => return Err(format!("\"{trimmed}\" is not a switch; write on or off")),
            };
        }
        Node::Integer(integer) => integer.set(read_whole(trimmed, field)?),
        Node::Number(number) => *number = read_number(trimmed, field)?,
        Node::Text(content) => text.clone_into(content),
        Node::Length(length) => length.set_text(trimmed)?,
        Node::Choice(choice) => match named_variant(choice, trimmed) {
            Some(index) => choice.select(index),
            None => return value.set_ron(trimmed),
        },
        Node::Optional(optional) if trimmed.is_empty() => optional.set(false),
        Node::Optional(optional) => {
            let was_set = optional.is_set();
            return write_optional(optional, |inner| {
                // A bare number has the unit of the value before.
                if !was_set && whole(trimmed).is_some() && matches!(inner.node(), Node::Length(_)) {
                    return Err(format!("\"{trimmed}\" has no unit; write {trimmed}ep or {trimmed}it"));
                }
                set_text(inner, text, field)
            });
        }
        Node::List(list) if is_plain(list) => {
            let items = read_list(list.sample().as_mut(), trimmed, field)?;
            return value.set_ron(&format!("[{}]", items.join(", ")));
        }
        Node::List(_) | Node::Group(_) | Node::Overrides(_) => return value.set_ron(trimmed),
    }
    Ok(())
}

/// Writes a value that may be left out; where that fails, it stays left out.
pub(crate) fn write_optional(
    optional: &mut dyn Optional,
    write: impl FnOnce(&mut dyn Value) -> Result<(), String>,
) -> Result<(), String> {
    let was_set = optional.is_set();
    if !was_set {
        optional.set(true);
    }
    let written = optional.value().map_or(Ok(()), write);
    if written.is_err() && !was_set {
        optional.set(false);
    }
    written
}

/// Returns what is wrong with a number that its field does not allow, and what is allowed.
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

/// Returns the [`range_problem`] with the name of the setting.
pub(crate) fn range_message(number: f64, field: &Field) -> Option<String> {
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

/// Returns a whole number, also as 10 000, `10_000`, 10,000 or 1e4.
pub fn whole(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
    let digits = ungrouped(&digits);
    if let Ok(whole) = digits.parse() {
        return Some(whole);
    }
    let number: f64 = digits.parse().ok()?;
    ((0.0..9e15).contains(&number) && number.fract() == 0.0).then_some(number as u64)
}

/// Returns a number as short as it can be read back: 0.05, 1e-7; a share as 5 %.
pub fn number_text(value: f64, field: &Field) -> String {
    if field.is_share() && value.is_finite() { share_in_percent(value) } else { number(value) }
}

/// Returns true if a list holds values that a line of text can have.
pub fn is_plain(list: &dyn List) -> bool {
    matches!(list.sample().node(), Node::Integer(_) | Node::Number(_) | Node::Length(_) | Node::Text(_))
}

/// Returns the alternative without settings that a text names.
fn named_variant(choice: &mut dyn Choice, text: &str) -> Option<usize> {
    let is_named =
        |variant: &Field| variant.label.eq_ignore_ascii_case(text) || variant.key.eq_ignore_ascii_case(text);
    choice.variants().iter().position(is_named)
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

/// Divides by 100 through text: 7 / 100 is 0.07, and 7 · 0.01 is not.
fn hundredths(percent: f64) -> f64 {
    format!("{percent}e-2").parse().unwrap_or(percent / 100.0)
}

fn plain_number(text: &str) -> Option<f64> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    ungrouped(&text).parse().ok().filter(|number: &f64| number.is_finite())
}

/// Returns the text without commas between groups of three digits, where they are such.
fn ungrouped(text: &str) -> String {
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    let mut groups = whole.split(',');
    let is_first = groups.next().is_some_and(|first| (1..=3).contains(&first.trim_start_matches('-').len()));
    let is_grouped = is_first && groups.all(|group| group.len() == 3);
    if is_grouped { text.replace(',', "") } else { text.to_owned() }
}

/// Returns the text without the noun after its number: the unit, or what the setting is called.
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

fn one_of(numbers: &[u64]) -> String {
    let texts: Vec<String> = numbers.iter().map(u64::to_string).collect();
    match texts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => texts.concat(),
    }
}

/// Returns what a field allows: `1 to 65,536`, `at least 1`, `2, 4 or 6`.
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

/// Returns the whole numbers in order; three and more in a row as a range, up or down: `1-3, 7`, `31-22`.
fn ranges(mut numbers: &[u64]) -> String {
    let mut texts = Vec::new();
    while let Some(first) = numbers.first() {
        let run = |next: fn(u64, u64) -> Option<u64>| {
            1 + numbers.windows(2).take_while(|pair| next(pair[0], 1) == Some(pair[1])).count()
        };
        let length = run(u64::checked_add).max(run(u64::checked_sub));
        let length = if length < 3 { 1 } else { length };
        let last = numbers[length - 1];
        texts.push(if length == 1 { first.to_string() } else { format!("{first}-{last}") });
        numbers = &numbers[length..];
    }
    texts.join(", ")
}

/// Counts the values of a list, where its unit is a noun for them: `3 seeds`.
pub fn count_text(count: usize, field: &Field) -> Option<String> {
    let noun = field.unit.strip_suffix('s').filter(|_| field.label.eq_ignore_ascii_case(field.unit))?;
    Some(counted(count as u64, noun))
}

/// Longer lists are typing errors.
const MOST_ITEMS: usize = 100_000;

/// Returns the items of a text such as `1-3, 7` or `1e-4..1e-1 log 4`, in the text of the file format. `sample` is a value of
/// their kind. In a field in per cent, one number above 1 makes all of them per cent: `1, 5` is 1 % and 5 %.
///
/// # Errors
/// What is wrong with which item.
pub fn read_list(sample: &mut dyn Value, text: &str, field: &Field) -> Result<Vec<String>, String> {
    let mut items = Vec::new();
    let parts = parts(without_brackets(sample, text));
    let is_large = |text: &str| plain_number(text).is_some_and(|number| number > 1.0);
    let is_percent = field.is_share() && parts.iter().any(|part| numbers(part).iter().any(|it| is_large(it)));
    let is_small = |text: &String| plain_number(text).is_some_and(|number| number > 0.0 && number < 1.0);
    let small = parts.iter().flat_map(|part| numbers(part)).find(is_small);
    if let Some(small) = small.filter(|_| is_percent) {
        return Err(format!(
            "\"{small}\" is beside numbers above 1: write {small} %, or all of them as fractions"
        ));
    }
    for part in parts {
        let expanded = match expand(sample, part, field, is_percent)? {
            Some(expanded) => expanded,
            None => vec![in_percent(part, is_percent)],
        };
        if items.len() + expanded.len() > MOST_ITEMS {
            return Err(too_many(text.trim()));
        }
        for item in expanded {
            let is_list = matches!(sample.node(), Node::List(_));
            let inner = if is_list { bracketed(&item).unwrap_or(&item) } else { &item };
            set_text(sample, inner, field)?;
            items.push(sample.to_ron());
        }
    }
    Ok(items)
}

/// Returns the text of a number, with the sign where all bare numbers are per cent.
fn in_percent(text: &str, is_percent: bool) -> String {
    if is_percent && plain_number(text).is_some() { format!("{text} %") } else { text.to_owned() }
}

/// A range, as it is typed.
struct Range<'a> {
    low: &'a str,
    high: String,
    /// The words between the values: `step 0.25`, `log 4`.
    way: Vec<&'a str>,
}

impl<'a> Range<'a> {
    /// Returns the parts of `0..1 step 0.25`; of whole numbers, of `1-10` too.
    fn parse(part: &'a str, is_whole: bool) -> Option<Self> {
        let dashed = || part.split_once(['-', '–']).filter(|(low, _)| is_whole && !low.trim().is_empty());
        let (low, rest) = part.split_once("..").or_else(dashed)?;
        let mut words = rest.split_whitespace().peekable();
        let mut high = words.next().unwrap_or_default().to_owned();
        if words.next_if_eq(&"%").is_some() {
            high.push('%');
        }
        Some(Self { low: low.trim(), high, way: words.collect() })
    }

    /// Returns the distance between its values, where it has one.
    fn step(&self) -> Option<String> {
        match self.way[..] {
            ["step", ref step @ ..] if !step.is_empty() => Some(step.concat()),
            _ => None,
        }
    }
}

/// Returns the numbers of an item, as they are typed.
fn numbers(part: &str) -> Vec<String> {
    match Range::parse(part, false) {
        Some(range) => {
            let step = range.step();
            [range.low.to_owned(), range.high].into_iter().chain(step).collect()
        }
        None => vec![part.to_owned()],
    }
}

/// Returns what lies between commas that are in no brackets or quotes.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut is_quoted) = (0_usize, false);
    let is_end = |c: char| {
        match c {
            '"' => is_quoted = !is_quoted,
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        matches!(c, ',' | ';') && depth == 0 && !is_quoted
    };
    text.split(is_end).map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Returns the text between brackets, where they enclose all of it.
fn bracketed(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let mut depth = 0_i64;
    let is_one = inner.chars().all(|c| {
        depth += i64::from(c == '[') - i64::from(c == ']');
        depth >= 0
    });
    is_one.then_some(inner)
}

/// Returns the items of a list that may be written in brackets, as in files.
fn without_brackets<'a>(sample: &mut dyn Value, text: &'a str) -> &'a str {
    let is_list = matches!(sample.node(), Node::List(_));
    match bracketed(text) {
        Some(inner) if !is_list || inner.trim_start().starts_with('[') || inner.trim().is_empty() => inner,
        _ => text,
    }
}

/// Returns the values of a range, up or down: `1-10` and `31..22` of whole numbers, `0..1 step 0.25`, `0..1 lin 5`, `1e-4..1e-1 log 4`.
fn expand(
    sample: &mut dyn Value,
    part: &str,
    field: &Field,
    is_percent: bool,
) -> Result<Option<Vec<String>>, String> {
    // Ranges are of numbers.
    if sample.node().number().is_none() {
        return Ok(None);
    }
    let is_whole = matches!(sample.node(), Node::Integer(_));
    let Some(range) = Range::parse(part, is_whole) else { return Ok(None) };
    for (end, name) in [(range.low, "start"), (&range.high, "end")] {
        if end.is_empty() {
            return Err(format!("\"{part}\" has no {name}; write {}", example(&range, is_whole)));
        }
    }
    let read = |text: &str| read_number(&in_percent(text, is_percent), field);
    let (low, high) = (read(range.low)?, read(&range.high)?);
    let step = range.step().map(|step| read(&step)).transpose()?;
    let is_stepped = step.is_some() || (is_whole && range.way.is_empty());
    if is_stepped && ((high - low) / step.unwrap_or(1.0)).abs() >= MOST_ITEMS as f64 {
        return Err(too_many(part));
    }
    let values = match step {
        Some(step) => by_step(low, high, step),
        None => spaced(low, high, &range.way, is_whole),
    };
    let values = values.ok_or_else(|| {
        format!("\"{part}\" is not a range; write 1e-4..1e-1 log 4, 0..1 step 0.25 or 1-10")
    })?;
    let mut texts: Vec<String> = values.into_iter().map(|value| plain_text(value, is_whole, field)).collect();
    texts.dedup();
    Ok(Some(texts))
}

fn too_many(text: &str) -> String {
    format!("\"{text}\" makes more than {} values; write fewer, such as 1-10", grouped(MOST_ITEMS as u64))
}

/// Returns a range like the one that is typed, with both ends.
fn example(range: &Range<'_>, is_whole: bool) -> String {
    if !is_whole {
        return "1e-4..1e-1 log 4".to_owned();
    }
    let low = whole(range.low).unwrap_or(1);
    format!("{low}-{}", low.saturating_add(9))
}

/// Returns a number without loss of what a person sees: 0.1 + 0.2 is 0.3.
fn plain_text(value: f64, is_whole: bool, field: &Field) -> String {
    let value = if is_whole { value.round() } else { value };
    let value = format!("{value:.12e}").parse::<f64>().unwrap_or(value);
    // Up to 1, a bare number is a fraction.
    if field.is_share() && value > 1.0 { number_text(value, field) } else { value.to_string() }
}

fn by_step(low: f64, high: f64, step: f64) -> Option<Vec<f64>> {
    let steps = ((high - low).abs() / step * (1.0 + 1e-9)).floor();
    let step = if high < low { -step } else { step };
    (step != 0.0 && (0.0..MOST_ITEMS as f64).contains(&steps))
        .then(|| (0..=steps as usize).map(|index| low + index as f64 * step).collect())
}

fn spaced(low: f64, high: f64, way: &[&str], is_whole: bool) -> Option<Vec<f64>> {
    let count = |text: &str| text.parse::<usize>().ok().filter(|count| (2..=MOST_ITEMS).contains(count));
    let between = |count: usize, at: &dyn Fn(f64) -> f64| {
        Some((0..count).map(|index| at(index as f64 / (count - 1) as f64)).collect())
    };
    match way {
        [] if is_whole => by_step(low, high, 1.0),
        ["log", points] if low > 0.0 && high > 0.0 => {
            between(count(points)?, &|share| low * (high / low).powf(share))
        }
        ["lin", points] | [points] => between(count(points)?, &|share| low + (high - low) * share),
        _ => None,
    }
}

/// Returns a value in words: what it is, and what differs from the defaults. Empty where nothing does.
pub fn summary(value: &mut dyn Value, field: &Field) -> String {
    match value.node() {
        Node::Choice(choice) => {
            if let Some(words) = choice.words() {
                return words;
            }
            let variant = choice.variant();
            let Some(payload) = choice.payload() else { return variant.label.to_owned() };
            let separator = if matches!(payload.node(), Node::Group(_)) { ", " } else { " " };
            joined(&[variant.label.to_owned(), summary(payload, &variant)], separator)
        }
        Node::Group(group) => of_group(group),
        Node::Optional(optional) => optional.value().map_or_else(String::new, |inner| summary(inner, field)),
        Node::List(list) if !is_plain(list) => match list.count() {
            0 => String::new(),
            1 => summary(list.item(0), field),
            count => counted(count, "entry"),
        },
        Node::Overrides(overrides) => match overrides.0.len() {
            0 => String::new(),
            count => counted(count as u64, "setting"),
        },
        Node::Switch(_)
        | Node::Integer(_)
        | Node::Number(_)
        | Node::Text(_)
        | Node::Length(_)
        | Node::List(_) => to_text(value, field),
    }
}

fn of_group(group: &mut dyn Group) -> String {
    let mut parts = Vec::new();
    for (index, field) in group.fields().iter().enumerate() {
        if group.is_default(index) {
            continue;
        }
        let name = uncapitalized(field.label);
        let value = group.value(index);
        let text = summary(value, field);
        parts.push(match value.node() {
            Node::Switch(true) => name,
            Node::Switch(false) => format!("no {name}"),
            Node::Choice(_) | Node::Group(_) => text,
            _ if text.is_empty() => format!("no {name}"),
            _ => format!("{name} {text}"),
        });
    }
    joined(&parts, ", ")
}

/// Returns the label within a sentence; abbreviations keep their capitals, such as SGD and ReLU.
pub fn uncapitalized(label: &str) -> String {
    let mut letters = label.chars();
    let Some(first) = letters.next() else { return String::new() };
    let word = letters.as_str().split(' ').next().unwrap_or_default();
    let is_word = word.starts_with(char::is_lowercase) && !word.contains(char::is_uppercase);
    if is_word { first.to_lowercase().chain(letters).collect() } else { label.to_owned() }
}

fn joined(parts: &[String], separator: &str) -> String {
    parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests;
