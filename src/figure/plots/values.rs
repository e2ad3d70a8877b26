//! Settings and results on an axis: numbers by size, words as names.

use std::collections::BTreeMap;

use crate::axis::{Axis, Scale};
use crate::distinct;
use results::number::Format;
use results::table::Labels;
use results::table::columns::Column;
use results::table::settings::{compare, number_of};

/// An axis of positive numbers is logarithmic from this ratio of the largest to the smallest.
const WIDE: f64 = 100.0;

/// Longer texts, such as whole plans, are named after their arms.
const LONGEST: usize = 40;

pub fn axis_of_result(column: &Column) -> Axis {
    let title = column.title(&Labels::default());
    match (column, column.format()) {
        (Column::Duration, _) => Axis::new(&title, "s").positive(),
        (Column::Series { series, .. }, _) if series.ends_with("loss") => Axis::new(&title, "").positive(),
        (_, Format::Percent) => Axis::percent(&title),
        (_, Format::Number | Format::Power) => Axis::new(&title, ""),
    }
}

/// Returns the axis with the range of these numbers, logarithmic if they span two decades.
pub fn axis_of_numbers(axis: Axis, values: &[f64]) -> Axis {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let scale = if low > 0.0 && high / low >= WIDE { Scale::Log10 } else { Scale::Linear };
    fitted(Axis { scale, ..axis }, values)
}

/// Returns the axis with the range of these values.
fn fitted(axis: Axis, values: &[f64]) -> Axis {
    let range = axis.fit(axis.range, values.iter().copied());
    Axis { range: Some(range), ..axis }
}

/// Returns [`axis_of_numbers`] of a setting; rates are logarithmic where they can be, as in the plot of fault rates.
fn axis_of_setting(axis: Axis, values: &[f64]) -> Axis {
    let is_rate = axis.title.split([' ', ',']).any(|word| word.eq_ignore_ascii_case("rate"));
    let is_log =
        is_rate && values.iter().all(|value| *value > 0.0) && values.iter().any(|value| *value != values[0]);
    if is_log { fitted(axis.log(), values) } else { axis_of_numbers(axis, values) }
}

/// Returns an axis for texts from a file, and the position of each text; `arms` are the arms of the runs.
pub fn axis_of_texts(title: &str, texts: &[&str], arms: &[&str]) -> (Axis, Vec<f64>) {
    let word = word_of(texts);
    let bare: Vec<&str> =
        texts.iter().map(|text| text.strip_prefix(word).unwrap_or(text).trim_start()).collect();
    if let Some((unit, values)) = numbers(&bare) {
        let word = if word.is_empty() { String::new() } else { format!(", {}", word.to_lowercase()) };
        return (axis_of_setting(Axis::new(&format!("{title}{word}"), unit), &values), values);
    }
    // In the order of the arms, unless there are numbers among them.
    let mut words: Vec<&str> = distinct(texts.iter().copied());
    if words.iter().any(|word| number_of(word).is_some()) {
        words.sort_by(|a, b| compare(a, b));
    }
    let places: BTreeMap<&str, usize> =
        words.iter().enumerate().map(|(place, word)| (*word, place)).collect();
    let values: Vec<f64> = texts.iter().map(|text| places[text] as f64).collect();
    let name = |word: &&str| {
        if word.chars().count() <= LONGEST {
            return (*word).to_owned();
        }
        let own = texts.iter().zip(arms).filter(|(text, _)| *text == word).map(|(_, arm)| *arm);
        in_common(&own.collect::<Vec<_>>())
    };
    (fitted(Axis::of_names(title, words.iter().map(name)), &values), values)
}

/// Returns a common name of these arms: the shared start of their names, as for an arm with swept values, otherwise a list.
fn in_common(arms: &[&str]) -> String {
    let Some((first, others)) = arms.split_first() else { return String::new() };
    let ends = first.match_indices(", ").map(|(at, _)| at).chain([first.len()]);
    let begins = |end: &usize| {
        let start = &first[..*end];
        others.iter().all(|other| {
            other.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(", "))
        })
    };
    if let Some(end) = ends.filter(begins).last() {
        return first[..end].to_owned();
    }
    distinct(arms.iter().copied()).join(", ")
}

/// Returns the word before the number in all of these texts, such as "Rate" in "Rate 1e-6"; empty if they have no such word in
/// common.
fn word_of<'a>(texts: &[&'a str]) -> &'a str {
    let word = texts.first().and_then(|first| first.split_once(' ')).map_or("", |(word, _)| word);
    let is_word = !word.is_empty() && word.chars().all(char::is_alphabetic);
    let has_word = |text: &&str| text.split_once(' ').is_some_and(|(own, _)| own == word);
    if is_word && texts.iter().all(has_word) { word } else { "" }
}

/// Returns the texts as finite numbers with a common unit, such as `ep` in `2ep`; `None` if one is no such number.
fn numbers<'a>(texts: &[&'a str]) -> Option<(&'a str, Vec<f64>)> {
    let parts: Option<Vec<(f64, &str)>> = texts.iter().map(|text| number(text)).collect();
    let parts = parts?;
    let (_, unit) = *parts.first()?;
    let is_one = parts.iter().all(|(_, other)| *other == unit);
    is_one.then(|| (unit, parts.into_iter().map(|(value, _)| value).collect()))
}

fn number(text: &str) -> Option<(f64, &str)> {
    let is_unit = |letter: char| letter.is_alphabetic() || letter == '%';
    let digits = text.trim_end_matches(is_unit);
    let value = digits.trim_end().parse().ok().filter(|value: &f64| value.is_finite())?;
    Some((value, &text[digits.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_one_unit_are_numbers_and_all_others_are_words() {
        let (axis, values) = axis_of_texts("steps", &["2ep", "10ep"], &["a", "b"]);
        assert_eq!((axis.label().as_str(), values), ("steps (ep)", vec![2.0, 10.0]));
        for texts in [["2ep", "10it"], ["8", "–"], ["true", "false"], ["", "1"], ["[8, 16]", "[8]"]] {
            let (axis, values) = axis_of_texts("s", &texts, &["a", "b"]);
            assert_eq!((axis.categories.len(), values.len()), (2, 2), "{texts:?}");
        }
        let long = "0.steps 2ep, 1.action Prune, 1.amount Fraction(0.5)";
        let (axis, _) = axis_of_texts("plan", &[long, "0 Test"], &["ticket", "dense"]);
        let names: Vec<_> = axis.categories.iter().map(|word| word.name.as_str()).collect();
        assert_eq!(names, ["ticket", "0 Test"], "in the order of the arms");
        let (axis, values) = axis_of_texts("s", &["–", "16", "8"], &["a"; 3]);
        assert_eq!(values, [2.0, 1.0, 0.0], "numbers by their size, then words: {axis:?}");
    }

    #[test]
    fn arms_with_one_long_setting_are_called_by_what_their_names_have_in_common() {
        assert_eq!(in_common(&["a, rate 1", "a, rate 2", "a, rate 1"]), "a");
        assert_eq!(in_common(&["a, b", "a, b"]), "a, b");
        assert_eq!(in_common(&["dense", "ticket", "dense"]), "dense, ticket");
        assert_eq!(in_common(&["ticket", "tick"]), "ticket, tick");
    }

    #[test]
    fn positive_numbers_over_two_decades_are_logarithmic() {
        assert_eq!(axis_of_texts("s", &["0.001", "0.1"], &["a"; 2]).0.scale, Scale::Log10);
        assert_eq!(axis_of_texts("s", &["1e-3", "0.09"], &["a"; 2]).0.scale, Scale::Linear);
        let (rate, values) = axis_of_texts("Amount", &["Rate 1e-4", "Rate 1e-3"], &["a"; 2]);
        assert_eq!((rate.title.as_str(), rate.scale), ("Amount, rate", Scale::Log10), "all rates are");
        assert_eq!(values, [1e-4, 1e-3]);
        assert_eq!(axis_of_texts("Amount", &["Rate 1e-4", "Count 1"], &["a"; 2]).0.categories.len(), 2);
        assert_eq!(axis_of_texts("Learning rate", &["0", "0.1"], &["a"; 2]).0.scale, Scale::Linear);
        assert_eq!(axis_of_texts("s", &["0", "100"], &["a"; 2]).0.scale, Scale::Linear);
        let axis = axis_of_numbers(Axis::percent("a"), &[f64::NAN, 0.5, 1.0]);
        assert!(axis.range.is_some_and(|[low, high]| low < 0.5 && high >= 1.0));
    }
}
