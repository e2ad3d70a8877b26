//! The tables of results: groups of runs, what is missing, and differences seed by seed.

use std::borrow::Cow;

use super::html::Page;
use super::material::Material;
use doc::Run;
use form::number::{counted, grouped};
use results::paired::{Comparison, Paired};
use results::table::Row;
use results::table::columns::{Column, Sort};
use results::table::copy::{Numbers, cells};
use results::table::grouped::Grouped;
use results::table::view::{Baseline, Key};
use results::{RunRecord, RunState};

/// A table has no more lines than this, so that a report of many thousand runs stays a file that opens.
pub const MOST_LINES: usize = 2000;
/// Arms up to which every pair is compared; of more, each with the baseline.
const MOST_CROSSED: usize = 6;
/// The most pairs of arms.
const MOST_PAIRS: usize = 200;

/// What follows a table that was cut; nothing where it was not.
pub fn cut(page: &mut Page, shown: usize, all: usize, what: &str) {
    if all > shown {
        let [shown, all] = [shown, all].map(|count| grouped(count as u64));
        page.paragraph(&format!("The table has the first {shown} of {all} {what}."));
    }
}

/// The means of the groups, and the runs that lack something.
pub fn results(page: &mut Page, material: &Material<'_>) {
    let view = material.input.view;
    let mut keys = view.table.keys(view.group.as_ref());
    if keys.is_empty() {
        keys.push(Key::Arm);
    }
    let is_visible = |row: &Row| !material.left_out.contains(&row.run);
    let baseline = &view.table.baseline;
    let found = Grouped::of(&material.rows, is_visible, material.columns(), keys, baseline, &Sort::default());
    let lines = found.lines(&std::collections::BTreeSet::new());
    let shown = lines.len().min(MOST_LINES);
    let rows = cells(&found, &lines[..shown], &material.rows, &material.labels, Numbers::Shown);
    let Some((head, rows)) = rows.split_first() else { return };
    let is_seed = |column: &&Column| **column == Column::Seed;
    let place = found.columns.iter().position(|column| is_seed(&column)).map(|place| place + 1);
    let name =
        |(nth, text): (usize, &String)| if Some(nth) == place { "Seeds".to_owned() } else { text.clone() };
    let head: Vec<String> = head.iter().enumerate().map(name).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    page.table(
        "Mean ± half of the 95 % confidence interval over seeds (Student's t). Done and failed runs count, with their last values; runs that go on count while there are no others.",
        &head,
        rows,
    );
    cut(page, shown, lines.len(), "groups");
    let filter = view.filter_note(&material.rows, &material.left_out);
    if !filter.is_empty() {
        page.paragraph(&format!("Table and figures show the runs that pass the {filter}."));
    }
    unfinished(page, material);
}

/// Says of every arm which seeds are missing, and of runs that failed or diverged why.
fn unfinished(page: &mut Page, material: &Material<'_>) {
    const MOST: usize = 200;
    let is_sound = |row: &&Row| row.state == RunState::Done.word() && !row.diverged;
    let lacking: Vec<_> =
        material.rows.iter().zip(material.input.runs).filter(|(row, _)| !is_sound(row)).collect();
    let line = |(row, run): &(&Row, &Run)| {
        let record = material.record(run);
        let why = record.and_then(|record| record.failure()).unwrap_or_default();
        let place = record.filter(|record| !record.is_done()).map(RunRecord::position).unwrap_or_default();
        vec![
            row.arm.clone(),
            row.seed.to_string(),
            row.state_in_words(),
            if why.is_empty() { place } else { why.to_owned() },
        ]
    };
    let rows: Vec<Vec<String>> = lacking.iter().take(MOST).map(line).collect();
    if rows.is_empty() {
        return;
    }
    page.raw("<h3>Runs that are not done, failed or diverged</h3>");
    let count = counted(lacking.len(), "run");
    page.table(
        &format!("{count} of {}", material.rows.len()),
        &["Arm", "Seed", "State", "Where or why"],
        &rows,
    );
    cut(page, rows.len(), lacking.len(), "runs");
}

/// Differences between arms over the seeds that both have, in the runs that the filter shows.
pub fn pairs(page: &mut Page, material: &Material<'_>) {
    let arms = material.arms();
    let pairs = crossed(&arms, &material.input.view.table.baseline);
    let is_visible = |row: &Row| !material.left_out.contains(&row.run);
    let mut rows = Vec::new();
    for [first, second] in pairs.into_iter().take(MOST_PAIRS) {
        let found = Comparison::of(&material.rows, [first, second], is_visible);
        let Some(last) = found.last else { continue };
        let data = if found.validation { ", on the validation data" } else { "" };
        rows.push(vec![
            format!("{} − {}{data}", isolated(second), isolated(first)),
            last.number_of_points(),
            found.best.as_ref().map_or_else(|| "–".to_owned(), Paired::number_of_points),
            last.n.to_string(),
            if last.is_identical() { last.identical() } else { last.verdict().to_owned() },
        ]);
    }
    let caption = "Differences of test accuracies in percentage points, seed by seed, with half of their 95 % confidence intervals (paired, Student's t)";
    page.table(caption, &["Arms", "Last accuracy", "Best accuracy", "Seeds", "Verdict on the last"], &rows);
    if arms.len() > MOST_CROSSED && !rows.is_empty() {
        page.paragraph(&format!(
            "There are {} arms; {} of them are compared with one.",
            grouped(arms.len() as u64),
            grouped(rows.len() as u64)
        ));
    }
}

/// A name that does not change the order of what is beside it, which would turn a difference round: names with letters that
/// run from right to left are isolated (Unicode Standard Annex 9, 2.4.2).
fn isolated(name: &str) -> Cow<'_, str> {
    let runs_left = |letter: char| {
        let turns = ['\u{200f}', '\u{202b}', '\u{202e}', '\u{2067}'].contains(&letter);
        turns
            || matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
    };
    if name.chars().any(runs_left) { format!("\u{2068}{name}\u{2069}").into() } else { name.into() }
}

/// The pairs of arms: all of a few, else each with the baseline, or with the first one where that is no arm.
fn crossed<'a>(arms: &[&'a str], baseline: &Baseline) -> Vec<[&'a str; 2]> {
    if arms.len() <= MOST_CROSSED {
        let pairs = arms.iter().enumerate();
        return pairs
            .flat_map(|(nth, first)| arms[nth + 1..].iter().map(|second| [*first, *second]))
            .collect();
    }
    let base = match baseline {
        Baseline::Group(name) => arms.iter().position(|arm| arm == name).unwrap_or(0),
        Baseline::First | Baseline::None => 0,
    };
    let others = arms.iter().enumerate().filter(|(nth, _)| *nth != base);
    others.map(|(_, second)| [arms[base], *second]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_would_turn_a_difference_round_are_isolated() {
        assert_eq!(isolated("é <b>, rate 0.1"), "é <b>, rate 0.1");
        assert_eq!(isolated("שלום, batch 8"), "\u{2068}שלום, batch 8\u{2069}");
    }

    #[test]
    fn of_many_arms_each_is_compared_with_the_baseline() {
        let few = crossed(&["a", "b", "c"], &Baseline::Group("b".to_owned()));
        assert_eq!(few, [["a", "b"], ["a", "c"], ["b", "c"]]);
        let many = ["a", "b", "c", "d", "e", "f", "g"];
        let found = crossed(&many, &Baseline::Group("c".to_owned()));
        assert_eq!((found.len(), found[0], found[2]), (6, ["c", "a"], ["c", "d"]));
        assert_eq!(crossed(&many, &Baseline::Group("gone".to_owned()))[5], ["a", "g"]);
    }
}
