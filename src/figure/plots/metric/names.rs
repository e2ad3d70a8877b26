//! The names of lines that join the arms of a sweep.

use crate::distinct::distinct;
use doc::listed;
use form::number::first_of;
use results::table::Row;

/// The name of a line names as many arms.
const MOST_ARMS: usize = 3;

/// The names of lines with these runs: their arms, with the swept values that tell the lines apart. `x` is the path of the
/// setting along x.
pub fn names(lines: &[Vec<&Row>], x: &str) -> Vec<String> {
    let found: Vec<(String, Vec<&str>)> = lines.iter().map(|rows| name(rows, x)).collect();
    let is_telling = |part: &&&str| !found.iter().all(|(_, parts)| parts.contains(part));
    let whole = |(arms, parts): &(String, Vec<&str>)| {
        let parts = parts.iter().filter(is_telling).copied();
        std::iter::once(arms.as_str()).chain(parts).collect::<Vec<_>>().join(", ")
    };
    found.iter().map(whole).collect()
}

/// The arms of a line, and the swept values that all of its runs share.
fn name<'a>(rows: &[&'a Row], x: &str) -> (String, Vec<&'a str>) {
    let split: Vec<(String, Vec<&str>)> = distinct(rows.iter().map(|row| split(row)));
    let arms: Vec<&String> = distinct(split.iter().map(|(arm, _)| arm));
    let last = last_step(x);
    // Where another setting is called alike, its values in the name cannot be told from those of x.
    let is_alone =
        rows.iter().all(|row| row.settings.keys().filter(|path| last_step(path) == last).count() < 2);
    let is_x = |part: &str| is_alone && is_value_of(part, last);
    let mut shared = split.first().map(|(_, parts)| parts.clone()).unwrap_or_default();
    shared.retain(|part| !is_x(part) && split.iter().all(|(_, parts)| parts.contains(part)));
    let arms = if arms.len() <= MOST_ARMS { listed(&arms) } else { first_of(arms, MOST_ARMS, ", ") };
    (arms, shared)
}

/// The name of the arm of a run, and each of its swept values: "rate 0.1".
fn split(row: &Row) -> (String, Vec<&str>) {
    let parts = parts(&row.arm);
    let is_swept = |part: &&str| row.settings.keys().any(|path| is_value_of(part, last_step(path)));
    let swept = parts[1..].iter().rev().take_while(|part| is_swept(part)).count();
    let (arm, swept) = parts.split_at(parts.len() - swept);
    (arm.join(", "), swept.to_vec())
}

fn last_step(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

fn is_value_of(part: &str, setting: &str) -> bool {
    part.strip_prefix(setting).is_some_and(|rest| rest.starts_with(' '))
}

/// The parts between commas that are in no brackets.
fn parts(name: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth) = (Vec::new(), 0, 0_i32);
    for (at, letter) in name.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth <= 0 && name[at..].starts_with(", ") => {
                found.push(&name[start..at]);
                start = at + 2;
            }
            _ => {}
        }
    }
    found.push(&name[start..]);
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn named(x: &str, lines: &[&[&str]]) -> Vec<String> {
        let settings =
            ["train.rate", "net.hidden", "train.batch"].map(|path| (path.to_owned(), String::new()));
        let settings = Arc::new(settings.into());
        let row =
            |arm: &&str| Row { arm: (*arm).to_owned(), settings: Arc::clone(&settings), ..Row::default() };
        let rows: Vec<Vec<Row>> = lines.iter().map(|arms| arms.iter().map(row).collect()).collect();
        names(&rows.iter().map(|rows| rows.iter().collect()).collect::<Vec<_>>(), x)
    }

    #[test]
    fn a_line_is_called_by_its_arm_and_the_swept_values_that_others_do_not_have() {
        let line = |batch: u32| [1, 2].map(|rate| format!("a, rate {rate}, batch {batch}"));
        let (small, large) = (line(8), line(16));
        let [small, large] = [&small, &large].map(|line| line.each_ref().map(String::as_str));
        assert_eq!(named("train.rate", &[&small, &large]), ["a, batch 8", "a, batch 16"]);
        assert_eq!(named("train.rate", &[&small]), ["a"], "the batch size is that of all lines");
        let other = ["b, rate 1, batch 8"];
        assert_eq!(named("train.rate", &[&small, &other]), ["a", "b"], "one value of x is no name either");
        assert_eq!(
            named("net.hidden", &[&["a, hidden [8], rate 1", "a, hidden [16, 8], rate 1"], &["b"]])[0],
            "a, rate 1"
        );
    }

    #[test]
    fn commas_in_the_names_of_arms_are_no_values() {
        assert_eq!(
            named("train.rate", &[&["dense, plain"], &["dense, wide, rate 1"]]),
            ["dense, plain", "dense, wide"]
        );
        assert_eq!(named("train.rate", &[&["a"], &["b", "c", "d", "e"]]), ["a", "b, c, d and 1 more"]);
    }
}
