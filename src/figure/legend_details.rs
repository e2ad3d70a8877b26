//! Details after the names in a legend: the settings in which the visible arms differ, and lines that coincide.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Figure, Line};
use super::plots::ArmRuns;
use results::outline::{Outline, differences};
use results::table::settings::{NONE, follows_from_another, short};

/// Settings beyond this number are only counted.
const MOST: usize = 4;
/// Longer values, such as whole plans, are unreadable in a legend.
const LONGEST: usize = 24;

/// The details for each name in the legend; names without details are left out.
pub fn details(figure: &Figure, arms: &[ArmRuns<'_>]) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let references = figure.reference_lines.iter().map(|reference| &reference.name);
    let mut settings = settings_of(arms);
    let places: BTreeMap<&str, usize> =
        arms.iter().enumerate().map(|(place, arm)| (arm.name.as_str(), place)).collect();
    for name in figure.lines.iter().map(|line| &line.name).chain(references) {
        // Only the first line of an arm gets the details.
        let text = arm_of(name, &places).map(|arm| std::mem::take(&mut settings[arm])).unwrap_or_default();
        if !text.is_empty() {
            found.insert(name.clone(), text);
        }
    }
    // Of thousands of lines, those with the same ends are compared.
    let mut alike: BTreeMap<Ends, Vec<&Line>> = BTreeMap::new();
    for line in &figure.lines {
        let Some(ends) = ends(line) else { continue };
        let earlier = alike.entry(ends).or_default();
        let other = earlier.iter().copied().find(|other| coincide(other, line));
        earlier.push(line);
        let Some(other) = other else { continue };
        let detail = found.entry(line.name.clone()).or_default();
        let gap = if detail.is_empty() { "" } else { "; " };
        *detail = format!("same values as {}{gap}{detail}", other.name);
    }
    found
}

/// How many points a line has, and the bits of the first and of the last.
type Ends = (usize, [u64; 2], [u64; 2]);

/// What lines that coincide have in common; nothing of a single point, which may coincide by chance.
fn ends(line: &Line) -> Option<Ends> {
    let [first, .., last] = line.points.as_slice() else { return None };
    Some((line.points.len(), first.map(f64::to_bits), last.map(f64::to_bits)))
}

/// Whether two lines with the same ends coincide at every x.
fn coincide(a: &Line, b: &Line) -> bool {
    let is_same = |(a, b): (&[f64; 2], &[f64; 2])| a.map(f64::to_bits) == b.map(f64::to_bits);
    a.points.iter().zip(&b.points).all(is_same)
}

/// The arm that a line belongs to: its name starts with the arm's, followed by the branch or series. The longest such name
/// counts; `arms` has their places by their names.
fn arm_of(name: &str, arms: &BTreeMap<&str, usize>) -> Option<usize> {
    let mut ends: Vec<usize> = [", ", " / "]
        .into_iter()
        .flat_map(|separator| name.match_indices(separator).map(|(at, _)| at))
        .chain([name.len()])
        .collect();
    ends.sort_unstable();
    ends.into_iter().rev().find_map(|end| arms.get(&name[..end]).copied())
}

/// The settings in which these arms differ, such as "rate 0.1, batch 64", without those in the arm's name.
fn settings_of(arms: &[ArmRuns<'_>]) -> Vec<String> {
    let rows = || arms.iter().flat_map(|arm| &arm.rows);
    let paths: BTreeSet<&String> = rows().flat_map(|row| row.settings.keys()).collect();
    let all: Vec<String> = paths.iter().map(|path| (*path).clone()).collect();
    let differs = |path: &&String| {
        let texts: Vec<&str> =
            rows().map(|row| row.settings.get(*path).map_or(NONE, String::as_str)).collect();
        texts.iter().any(|text| *text != texts[0]) && !follows_from_another(path, &texts, &all)
    };
    let differing: Vec<&String> = paths.into_iter().filter(differs).collect();
    let plans = if differing.iter().any(|path| *path == "plan") { plans(arms) } else { Vec::new() };
    let text = |(index, arm): (usize, &ArmRuns<'_>)| {
        let setting = |path: &&String| {
            let value = value_of(arm, path).filter(|value| !contains_word(&arm.name, value))?;
            Some(format!("{} {value}", short(path, &all)))
        };
        let of_plan = plans.get(index).into_iter().flatten().cloned();
        let mut parts: Vec<String> = differing.iter().filter_map(setting).chain(of_plan).collect();
        if let Some(more @ 1..) = parts.len().checked_sub(MOST) {
            parts.truncate(MOST);
            parts.push(format!("{more} more"));
        }
        parts.join(", ")
    };
    arms.iter().enumerate().map(text).collect()
}

/// How the plans of these arms differ, in words; empty if the runs of a line have several plans.
fn plans(arms: &[ArmRuns<'_>]) -> Vec<Vec<String>> {
    let own = |arm: &ArmRuns<'_>| {
        let mut outlines = arm.rows.iter().map(|row| row.outline.clone());
        let first = outlines.next()?;
        outlines.all(|other| other == first).then_some(first)
    };
    let outlines: Option<Vec<Outline>> = arms.iter().map(own).collect();
    let outlines = outlines.unwrap_or_default();
    differences(&outlines.iter().collect::<Vec<_>>())
}

/// The value that all runs of a line share, if it is short enough to read.
fn value_of<'a>(arm: &ArmRuns<'a>, path: &str) -> Option<&'a str> {
    let mut values = arm.rows.iter().map(|row| row.settings.get(path).map(String::as_str));
    let first = values.next()??;
    let is_readable = first != NONE && path != "plan" && first.chars().count() <= LONGEST;
    (is_readable && values.all(|value| value == Some(first))).then_some(first)
}

/// Whether a name contains a value as a separate word.
fn contains_word(name: &str, value: &str) -> bool {
    let (name, value) = (name.to_lowercase(), value.to_lowercase());
    let is_part =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '.');
    name.match_indices(&value).any(|(at, _)| {
        let (before, after) = (&name[..at], &name[at + value.len()..]);
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style_of;
    use results::table::Row;

    fn row(settings: &[(&str, &str)]) -> Row {
        let settings = settings.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned()));
        Row { settings: std::sync::Arc::new(settings.collect()), ..Row::default() }
    }

    fn arm<'a>(name: &str, rows: &'a [Row]) -> ArmRuns<'a> {
        ArmRuns { name: name.to_owned(), rows: rows.iter().collect(), ..ArmRuns::default() }
    }

    fn figure(lines: &[(&str, &[f64])]) -> Figure {
        let points = |ys: &[f64]| (0..).zip(ys).map(|(x, y)| [f64::from(x), *y]).collect();
        let line = |(name, ys): &(&str, &[f64])| Line::new(name, style_of(0), points(ys));
        Figure { lines: lines.iter().map(line).collect(), ..Figure::default() }
    }

    fn shown(figure: &Figure, arms: &[ArmRuns<'_>]) -> Vec<String> {
        details(figure, arms).into_iter().map(|(name, text)| format!("{name}: {text}")).collect()
    }

    #[test]
    fn the_first_line_of_an_arm_says_in_what_it_differs() {
        let plan = "0 Train, 0.steps 12ep";
        let rows = [
            [row(&[
                ("net.bias", "true"),
                ("train.batch", "8"),
                ("train.optimizer.rate", "0.1"),
                ("plan", plan),
            ])],
            [row(&[
                ("net.bias", "true"),
                ("train.batch", "16"),
                ("train.optimizer.rate", "0.2"),
                ("plan", "0 Test"),
            ])],
        ];
        let arms = [arm("small", &rows[0]), arm("small, rate 0.2", &rows[1])];
        let figure =
            figure(&[("small, test", &[0.5]), ("small / twin", &[0.5]), ("small, rate 0.2", &[0.5])]);
        assert_eq!(shown(&figure, &arms), ["small, rate 0.2: batch 16", "small, test: batch 8, rate 0.1"]);
        assert!(details(&figure, &arms[..1]).is_empty(), "an arm alone differs from none");
    }

    #[test]
    fn settings_of_the_other_choice_and_values_that_runs_do_not_share_are_left_out() {
        let adam = [("train.optimizer", "Adam"), ("train.optimizer.beta1", "0.9")];
        let sgd = [("train.optimizer", "Sgd"), ("train.optimizer.beta1", NONE)];
        let mixed = [row(&[("a", "1"), adam[0], adam[1]]), row(&[("a", "2"), adam[0], adam[1]])];
        let rows = [row(&[("a", "1"), sgd[0], sgd[1]])];
        let arms = [arm("mixed", &mixed), arm("plain SGD", &rows)];
        let figure = figure(&[("mixed", &[1.0]), ("plain SGD", &[2.0])]);
        assert_eq!(shown(&figure, &arms), ["mixed: optimizer Adam", "plain SGD: a 1"]);
    }

    #[test]
    fn of_many_settings_the_last_ones_are_counted() {
        let settings = |value: &'static str| ["a", "b", "c", "d", "e", "f"].map(|path| (path, value));
        let rows = [[row(&settings("1"))], [row(&settings("2"))]];
        let arms = [arm("x", &rows[0]), arm("y", &rows[1])];
        assert_eq!(shown(&figure(&[("x", &[1.0])]), &arms), ["x: a 1, b 1, c 1, d 1, 2 more"]);
    }

    #[test]
    fn lines_that_coincide_name_the_first_of_them() {
        let nan = f64::NAN;
        let lines: [(&str, &[f64]); 5] =
            [("a", &[1.0, nan]), ("b", &[1.0, nan]), ("c", &[1.0, 2.0]), ("d", &[1.0]), ("e", &[1.0])];
        assert_eq!(shown(&figure(&lines), &[]), ["b: same values as a"], "one point alone says nothing");
    }

    #[test]
    fn a_name_says_a_value_as_a_word_of_its_own() {
        assert!(
            contains_word("arm, rate 0.1", "0.1")
                && contains_word("SGD, slow", "Sgd")
                && contains_word("(8)", "8")
        );
        assert!(
            !contains_word("rate 0.15", "0.1")
                && !contains_word("10.1", "0.1")
                && !contains_word("truely", "true")
        );
    }

    #[test]
    fn the_arm_of_a_line_is_that_with_the_longest_name_before_it() {
        let names = ["a", "a, rate 0.1", "a, rate 0.1, batch 8", "a / b", "b", "a, rate 0.1", "", "é, x 1"];
        let places: BTreeMap<&str, usize> =
            names.iter().enumerate().map(|(place, name)| (*name, place)).collect();
        let plain = |line: &str| {
            let belongs = |name: &&str| {
                let rest = line.strip_prefix(name);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(", ") || rest.starts_with(" / "))
            };
            let own = names.iter().enumerate().filter(|(_, name)| belongs(name));
            own.max_by_key(|(_, name)| name.len()).map(|(place, _)| place)
        };
        for line in [
            "a",
            "a, validation",
            "a / b / c",
            "a / b, validation",
            "a, rate 0.1, validation",
            "a, rate 0.12",
            "a, rate 0.1, batch 8 / member 2",
            "ab",
            "b, a",
            ", a",
            "é, x 1, 50 % left",
            "",
            "c",
        ] {
            assert_eq!(arm_of(line, &places), plain(line), "{line}");
        }
    }

    #[test]
    fn lines_with_the_same_ends_and_another_middle_do_not_coincide() {
        let lines: [(&str, &[f64]); 5] = [
            ("a", &[0.5, 0.25, 1.0]),
            ("b", &[0.5, 0.75, 1.0]),
            ("c", &[0.5, 0.75, 1.0]),
            ("d", &[0.5, 1.0]),
            ("e", &[0.5, 0.25, 1.0]),
        ];
        assert_eq!(shown(&figure(&lines), &[]), ["c: same values as b", "e: same values as a"]);
    }
}
