//! Lists as people write them: values with commas between them, and ranges.

use super::{number_text, plain_number, read_number, set_text, whole};
use crate::number::grouped;
use crate::{Field, Node, Numeral, Value};

/// Longer lists are typing errors.
const MOST_ITEMS: usize = 100_000;

/// The items of a text such as `1-3, 7` or `1e-4..1e-1 log 4`, in the text of the file format. `sample` is a value of
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

/// The text of a number, with the sign where all bare numbers are per cent.
fn in_percent(text: &str, is_percent: bool) -> String {
    if is_percent && plain_number(text).is_some() { format!("{text} %") } else { text.to_owned() }
}

/// A range, as it is typed.
struct Range<'a> {
    low: &'a str,
    high: String,
    /// What is between the values: `step 0.25`, `log 4`.
    way: Vec<&'a str>,
}

impl<'a> Range<'a> {
    /// The parts of `0..1 step 0.25`; of whole numbers, of `1-10` too.
    fn of(part: &'a str, is_whole: bool) -> Option<Self> {
        let dashed = || part.split_once(['-', '–']).filter(|(low, _)| is_whole && !low.trim().is_empty());
        let (low, rest) = part.split_once("..").or_else(dashed)?;
        let mut words = rest.split_whitespace().peekable();
        let mut high = words.next().unwrap_or_default().to_owned();
        if words.next_if_eq(&"%").is_some() {
            high.push('%');
        }
        Some(Self { low: low.trim(), high, way: words.collect() })
    }

    /// The distance between its values, where it has one.
    fn step(&self) -> Option<String> {
        match self.way[..] {
            ["step", ref step @ ..] if !step.is_empty() => Some(step.concat()),
            _ => None,
        }
    }
}

/// The numbers of an item, as they are typed.
fn numbers(part: &str) -> Vec<String> {
    match Range::of(part, false) {
        Some(range) => {
            let step = range.step();
            [range.low.to_owned(), range.high].into_iter().chain(step).collect()
        }
        None => vec![part.to_owned()],
    }
}

/// What lies between commas that are in no brackets or quotes.
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

/// The text between brackets, where they enclose all of it.
fn bracketed(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let mut depth = 0_i64;
    let is_one = inner.chars().all(|c| {
        depth += i64::from(c == '[') - i64::from(c == ']');
        depth >= 0
    });
    is_one.then_some(inner)
}

/// The items of a list that may be written in brackets, as in files.
fn without_brackets<'a>(sample: &mut dyn Value, text: &'a str) -> &'a str {
    let is_list = matches!(sample.node(), Node::List(_));
    match bracketed(text) {
        Some(inner) if !is_list || inner.trim_start().starts_with('[') || inner.trim().is_empty() => inner,
        _ => text,
    }
}

/// The values of a range: `1-10` and `1..10` of whole numbers, `0..1 step 0.25`, `0..1 lin 5`, `1e-4..1e-1 log 4`.
fn expand(
    sample: &mut dyn Value,
    part: &str,
    field: &Field,
    is_percent: bool,
) -> Result<Option<Vec<String>>, String> {
    // Ranges are of numbers.
    let Some(number) = sample.node().numeral() else { return Ok(None) };
    let is_whole = matches!(number, Numeral::Whole(_));
    let Some(range) = Range::of(part, is_whole) else { return Ok(None) };
    for (end, name) in [(range.low, "start"), (&range.high, "end")] {
        if end.is_empty() {
            return Err(format!("\"{part}\" has no {name}; write {}", example(&range, is_whole)));
        }
    }
    let read = |text: &str| read_number(&in_percent(text, is_percent), field);
    let (low, high) = (read(range.low)?, read(&range.high)?);
    let step = range.step().map(|step| read(&step)).transpose()?;
    let is_stepped = step.is_some() || (is_whole && range.way.is_empty());
    if is_stepped && (high - low) / step.unwrap_or(1.0) >= MOST_ITEMS as f64 {
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

/// A range like the one that is typed, with both ends.
fn example(range: &Range<'_>, is_whole: bool) -> String {
    if !is_whole {
        return "1e-4..1e-1 log 4".to_owned();
    }
    let low = whole(range.low).unwrap_or(1);
    format!("{low}-{}", low.saturating_add(9))
}

/// A number without loss of what a person sees: 0.1 + 0.2 is 0.3.
fn plain_text(value: f64, is_whole: bool, field: &Field) -> String {
    let value = if is_whole { value.round() } else { value };
    let value = format!("{value:.12e}").parse::<f64>().unwrap_or(value);
    // Up to 1, a bare number is a fraction.
    if field.is_share() && value > 1.0 { number_text(value, field) } else { value.to_string() }
}

fn by_step(low: f64, high: f64, step: f64) -> Option<Vec<f64>> {
    let steps = ((high - low) / step * (1.0 + 1e-9)).floor();
    (step > 0.0 && (0.0..MOST_ITEMS as f64).contains(&steps))
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
