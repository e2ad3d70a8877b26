//! The tables of results: groups of runs, differences seed by seed, what stages did, settings and notes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::Material;
use super::html::{Page, escaped};
use doc::{Run, RunSpec};
use form::number::{counted, grouped};
use results::campaign::{CampaignRecord, CellState, Estimate};
use results::inventory::is_of_data;
use results::number::{fixed, percent, plus_minus};
use results::statistics::{Comparison, Paired, Spread, level};
use results::table::columns::{Column, Numbers, Sort, cells};
use results::table::grouped::Grouped;
use results::table::settings::{NONE, settings as of_spec};
use results::table::view::Baseline;
use results::table::{Mark, Row};
use results::tickets::trainings;
use results::view::arm_key;
use results::{Report, ReportLevel, RunRecord, RunState};
use run::mask_overlap;

/// A table has no more lines than this, so that a report of many thousand runs stays a file that opens.
pub const MOST_LINES: usize = 2000;
/// Arms up to which every pair is compared; of more, each with the baseline.
const MOST_CROSSED: usize = 6;
const MOST_PAIRS: usize = 200;

/// Adds what follows a table that was cut; nothing where it was not.
pub fn cut(page: &mut Page, shown: usize, all: usize, what: &str) {
    if all > shown {
        let [shown, all] = [shown, all].map(|count| grouped(count as u64));
        page.paragraph(&format!("The table has the first {shown} of {all} {what}."));
    }
}

/// Writes the means of the groups, and the runs that lack something.
pub fn results(page: &mut Page, material: &Material<'_>) {
    let view = material.input.view;
    let mut keys = view.table.keys(view.group.as_ref());
    if keys.is_empty() {
        keys.push(Column::Arm);
    }
    let is_visible = |row: &Row| !material.left_out.contains(&row.run);
    let baseline = &view.table.baseline;
    let found =
        Grouped::new(&material.rows, is_visible, material.columns(), keys, baseline, &Sort::default());
    let lines = found.lines(|group| group.is_heading);
    let shown = lines.len().min(MOST_LINES);
    let rows = cells(&found, &lines[..shown], &material.rows, &material.labels, Numbers::Shown);
    let Some((head, rows)) = rows.split_first() else { return };
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
        material.rows.iter().zip(material.input.selected.runs).filter(|(row, _)| !is_sound(row)).collect();
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

/// Writes differences between arms over the seeds that both have, in the runs that the filter shows.
pub fn pairs(page: &mut Page, material: &Material<'_>) {
    let arms = material.arms();
    let pairs = crossed(&arms, &material.input.view.table.baseline);
    let is_visible = |row: &Row| !material.left_out.contains(&row.run);
    let mut rows = Vec::new();
    for [first, second] in pairs.into_iter().take(MOST_PAIRS) {
        let found = Comparison::new(&material.rows, [first, second], is_visible);
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
        let [all, compared] = [arms.len(), rows.len()].map(|count| grouped(count as u64));
        page.paragraph(&format!("There are {all} arms; {compared} of them are compared with one."));
    }
}

/// Isolates a name so that it does not change the order of what is beside it, which would turn a difference round: names with letters that
/// run from right to left are isolated (Unicode Standard Annex 9, 2.4.2).
fn isolated(name: &str) -> Cow<'_, str> {
    let runs_left = |letter: char| {
        let turns = ['\u{200f}', '\u{202b}', '\u{202e}', '\u{2067}'].contains(&letter);
        turns
            || matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
    };
    if name.chars().any(runs_left) { format!("\u{2068}{name}\u{2069}").into() } else { name.into() }
}

/// Returns the pairs of arms: all of a few, else each with the baseline, or with the first one where that is no arm.
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

const MOST_ROWS: usize = 400;
/// Seeds of an arm whose masks are compared: their pairs grow with the square.
const MOST_MASKS: usize = 30;

/// Returns the records of an arm's runs with their seeds, arm by arm.
fn by_arm<'a>(material: &'a Material<'_>) -> Vec<(&'a str, Vec<(u64, &'a RunRecord, &'a str)>)> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut arms: Vec<(&str, Vec<_>)> = Vec::new();
    for run in material.input.selected.runs {
        let Some(record) = material.record(run) else { continue };
        let place = *places.entry(&run.arm).or_insert_with(|| {
            arms.push((&run.arm, Vec::new()));
            arms.len() - 1
        });
        arms[place].1.push((run.seed, record, run.id.as_str()));
    }
    arms
}

/// Writes the cells of fault campaigns, run by run.
pub fn campaigns(page: &mut Page, material: &Material<'_>) {
    let mut rows = Vec::new();
    let mut confidence = None;
    for (arm, runs) in by_arm(material) {
        for (seed, record, _) in runs {
            for campaign in record.campaigns() {
                confidence = confidence.or(Some(campaign.began.confidence));
                for state in &campaign.cells {
                    rows.push(cell(arm, seed, campaign, state));
                }
            }
        }
    }
    let all = rows.len();
    rows.truncate(MOST_ROWS);
    let caption = format!(
        "Shares of images with their {} intervals: SDC-1, another class than without faults; DUE, an output that is no number; masked, the same output",
        percent(confidence.unwrap_or(0.95))
    );
    let head = "Arm,Seed,Campaign,Cell,Trials,Accuracy without faults,Accuracy,SDC-1,DUE,Masked";
    let head: Vec<&str> = head.split(',').collect();
    page.table(&caption, &head, &rows);
    cut(page, rows.len(), all, "cells");
}

fn cell(arm: &str, seed: u64, campaign: &CampaignRecord, state: &CellState) -> Vec<String> {
    let share = |estimate: &Estimate| {
        let [value, low, high] =
            [estimate.value, estimate.low, estimate.high].map(|share| fixed(share * 100.0, 2));
        format!("{value} % ({low}–{high})")
    };
    let plan = campaign.began.cells.get(state.cell);
    let name = plan.map(doc::fault::CellPlan::name).unwrap_or_default();
    let unprotected = if state.unprotected { ", unprotected" } else { "" };
    let open = if state.done { "" } else { " so far" };
    vec![
        arm.to_owned(),
        seed.to_string(),
        campaign.title(),
        format!("{name}{unprotected}"),
        format!("{}{open}", grouped(state.trials)),
        percent(campaign.began.golden_accuracy),
        share(&state.accuracy),
        share(&state.sdc1),
        share(&state.due),
        share(&state.masked),
    ]
}

/// Writes early stops by the validation loss, and how much the masks of an arm's seeds have in common.
pub fn tickets(page: &mut Page, material: &Material<'_>) {
    let (mut stops, mut overlaps) = (Vec::new(), Vec::new());
    let with_half = |values: &[f64], decimals: usize| {
        let level = level(0.0, values, Spread::Interval95);
        let half = level.band.map(|band| (band.high - band.low) / 2.0);
        let half = half.map(|half| format!(" {}", plus_minus(half, &fixed(half, decimals))));
        format!("{}{}", fixed(level.mean, decimals), half.unwrap_or_default())
    };
    for (arm, runs) in by_arm(material) {
        for training in trainings(runs.iter().map(|(seed, record, _)| (*seed, *record))) {
            let accuracies: Vec<f64> = training.accuracies().iter().map(|share| share * 100.0).collect();
            let accuracy = if accuracies.is_empty() { "–".to_owned() } else { with_half(&accuracies, 2) };
            stops.push(vec![
                arm.to_owned(),
                training.place.clone(),
                percent(training.remaining),
                training.stops.len().to_string(),
                with_half(&training.iterations(), 0),
                accuracy,
            ]);
        }
        let ids: Vec<&str> = runs.iter().take(MOST_MASKS).map(|(_, _, id)| *id).collect();
        if overlaps.len() < MOST_ROWS
            && let Some(overlap) = mask_overlap(material.input.selected.folder, &ids)
        {
            let half = overlap.half_width().map(|half| format!(" ± {}", fixed(half, 3)));
            overlaps.push(vec![
                arm.to_owned(),
                overlap.indices.len().to_string(),
                format!("{}{}", fixed(overlap.mean(), 3), half.unwrap_or_default()),
                fixed(overlap.chance, 3),
            ]);
        }
    }
    let all = stops.len();
    stops.truncate(MOST_LINES);
    let caption =
        "Early stops by the least validation loss: mean ± half of the 95 % confidence interval over seeds";
    let head = ["Arm", "Training", "Remaining", "Seeds", "Iteration", "Test accuracy there (%)"];
    page.table(caption, &head, &stops);
    cut(page, stops.len(), all, "trainings");
    let is_cut = by_arm(material).iter().any(|(_, runs)| runs.len() > MOST_MASKS);
    let limit = format!("; of an arm with more than {MOST_MASKS} seeds, of the first {MOST_MASKS}");
    let limit = if is_cut { limit.as_str() } else { "" };
    let caption = format!(
        "Overlap of the final masks between the seeds of an arm: mean Jaccard index ± half of its 95 % confidence interval{limit}"
    );
    page.table(&caption, &["Arm", "Pairs of seeds", "Overlap", "By chance"], &overlaps);
}

/// Reports that are alike but for their numbers, with how many runs gave one.
struct Alike<'a> {
    arm: &'a str,
    place: String,
    first: &'a Report,
    seeds: Vec<u64>,
    failed: usize,
}

/// Warnings, checks and results in words; of several seeds the first.
pub fn reports(page: &mut Page, material: &Material<'_>) {
    let mut found: Vec<Alike<'_>> = Vec::new();
    for (arm, runs) in by_arm(material) {
        let mut places: BTreeMap<(String, &str, ReportLevel), usize> = BTreeMap::new();
        for (seed, record, _) in runs {
            // What was found in data has tables of its own; what was missing in them is a warning here, too.
            let has_own = |report: &Report| is_of_data(report) && report.level != ReportLevel::Warning;
            for report in record.reports().iter().filter(|report| !has_own(report)) {
                let (place, level) = (record.place_of(report), report.level);
                let nth = *places.entry((place.clone(), &report.kind, level)).or_insert_with(|| {
                    found.push(Alike { arm, place, first: report, seeds: Vec::new(), failed: 0 });
                    found.len() - 1
                });
                if found[nth].seeds.last() != Some(&seed) {
                    found[nth].seeds.push(seed);
                }
                found[nth].failed += usize::from(report.passed == Some(false));
            }
        }
    }
    let (warnings, others): (Vec<&Alike<'_>>, Vec<&Alike<'_>>) =
        found.iter().partition(|alike| alike.first.level == ReportLevel::Warning || alike.failed > 0);
    let head = ["Arm", "Stage", "Seeds", "Verdict", "Report (of the first of these seeds)"];
    let rows: Vec<Vec<String>> = warnings.iter().take(MOST_ROWS).map(|alike| line(alike)).collect();
    page.table("Warnings, and checks that failed", &head, &rows);
    cut(page, rows.len(), warnings.len(), "warnings");
    let rows: Vec<Vec<String>> = others.iter().take(MOST_ROWS).map(|alike| line(alike)).collect();
    if !rows.is_empty() {
        page.details("Checks that passed, and what each stage did", |page| {
            page.table("Reports of stages", &head, &rows);
            cut(page, rows.len(), others.len(), "reports");
        });
    }
}

fn line(alike: &Alike<'_>) -> Vec<String> {
    let verdict = match (alike.first.passed, alike.failed) {
        (None, _) => String::new(),
        (Some(_), 0) => "passed".to_owned(),
        (Some(_), failed) => format!("failed in {failed}"),
    };
    let summary = alike.first.summary.clone();
    vec![alike.arm.to_owned(), alike.place.clone(), alike.seeds.len().to_string(), verdict, summary]
}

/// More differing settings than this are left to the table of all.
const MOST_COLUMNS: usize = 12;

pub fn settings(page: &mut Page, material: &Material<'_>) {
    let mut seen = BTreeSet::new();
    let arms: Vec<&Row> = material.rows.iter().filter(|row| seen.insert(row.arm.as_str())).collect();
    let Some(first) = arms.first() else { return };
    let usual = of_spec(&RunSpec::default());
    let is_shared = |path: &str| arms.iter().all(|row| row.all.get(path) == first.all.get(path));
    // Stages say what they change of the training.
    let is_said = |path: &String, value: &String| !(is_plan(path) && value == NONE);
    let shared = first.all.iter().filter(|(path, value)| is_shared(path) && is_said(path, value));
    let is_chosen = |(path, value): &(&String, &String)| usual.get(*path) != Some(*value);
    let (chosen, kept): (Vec<_>, Vec<_>) = shared.partition(is_chosen);
    differences(page, material, &arms);
    let head = ["Setting", "Value", "Unit", "In the file"];
    let line = |(path, value): &(&String, &String)| {
        let labels = &material.labels;
        let value = labels.value(path, value).to_owned();
        vec![labels.title(path), value, labels.unit(path).to_owned(), String::clone(path)]
    };
    let rows: Vec<Vec<String>> = chosen.iter().map(line).collect();
    page.table("Settings that all arms share and that do not have their defaults", &head, &rows);
    let rows: Vec<Vec<String>> = kept.iter().map(line).collect();
    if !rows.is_empty() {
        page.details("Settings that have their defaults", |page| {
            page.table("Defaults that all arms share", &head, &rows);
        });
    }
}

fn is_plan(path: &str) -> bool {
    path == "plan" || path.starts_with("plan.")
}

/// Writes a row for each arm with what it has where arms differ.
fn differences(page: &mut Page, material: &Material<'_>, arms: &[&Row]) {
    let mut paths: Vec<&String> = material.differing.iter().filter(|path| !is_plan(path)).collect();
    let all = paths.len();
    paths.truncate(MOST_COLUMNS);
    let titles: Vec<String> = paths.iter().map(|path| material.labels.title(path)).collect();
    let head: Vec<&str> = ["Arm", "Plan"].into_iter().chain(titles.iter().map(String::as_str)).collect();
    let line = |row: &&Row| {
        let value = |path: &str| row.all.get(path).map_or(NONE, String::as_str);
        let own = paths.iter().map(|path| material.labels.value(path, value(path)).to_owned());
        [row.arm.clone(), row.plan.to_string()].into_iter().chain(own).collect()
    };
    let rows: Vec<Vec<String>> = arms.iter().take(MOST_LINES).map(line).collect();
    page.table("In what the arms differ", &head, &rows);
    cut(page, rows.len(), arms.len(), "arms");
    cut(page, paths.len(), all, "settings in which arms differ");
}

const MOST_NOTES: usize = 500;

pub fn notes(page: &mut Page, material: &Material<'_>) {
    let view = material.input.view;
    if !view.notes.trim().is_empty() {
        page.raw(&format!("<p class=\"note\" dir=\"auto\">{}</p>", escaped(view.notes.trim())));
    }
    let arms = material.arms().into_iter();
    let of_arms = arms.filter_map(|arm| Some((arm.to_owned(), view.marks.get(&arm_key(arm))?)));
    let of_runs = material.rows.iter().filter_map(|row| {
        let mark = view.marks.get(&row.run)?;
        Some((doc::named(&row.arm, row.seed), mark))
    });
    let marks: Vec<(String, &Mark)> =
        of_arms.chain(of_runs).filter(|(_, mark)| **mark != Mark::default()).collect();
    let line = |(name, mark): &(String, &Mark)| {
        let star = if mark.starred { "starred" } else { "" };
        vec![name.clone(), star.to_owned(), mark.tags.join(", "), mark.note.clone()]
    };
    let rows: Vec<Vec<String>> = marks.iter().take(MOST_NOTES).map(line).collect();
    page.table("Stars, tags and notes", &["Arm or run", "Star", "Tags", "Note"], &rows);
    cut(page, rows.len(), marks.len(), "notes");
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
