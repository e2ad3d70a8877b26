//! Any result over any setting, or over another result.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::classes::offset;
use super::curves::{Averaged, RunCounts, figure};
use super::values::{axis_of_numbers, axis_of_result, axis_of_texts};
use super::{ArmRuns, Controls, Plot};
use crate::axis::Axis;
use crate::distinct;
use crate::model::{Figure, Line, Seeds, Trace};
use crate::palette::{Style, style_of};
use doc::listed;
use form::number::{counted, first_of};
use results::metric::{MetricAxes, is_best_low, other_settings, setting, settings};
use results::statistics::level;
use results::table::Row;
use results::table::columns::Column;
use results::table::settings::{NONE, compare};
use results::view::PlotOptions;
use results::{RunRecord, Split, by_key};

pub const PLOT: Plot = Plot {
    name: "metric",
    title: "Metric over setting",
    subject: "results over a setting",
    help: "Which value of a setting is best, and how much does it matter? Any result over any setting or over another \
           result. All columns of Runs can be x and y. A line joins the runs that agree in everything but x and the seed: the mean \
           over seeds with its interval, and a ring around the best mean. Lines of an arm that differ in another swept \
           setting are shades of its colour. Over another result, each run is a mark.",
    controls: Controls::OF_COLUMNS,
    build,
    has_data_of: Some(|record| !record.points().is_empty()),
    ..Plot::BASE
};

fn build(arms: &[ArmRuns], options: &PlotOptions) -> Figure {
    let started = arms.iter().flat_map(|arm| &arm.rows).map(Arc::as_ref).filter(|row| row.has_settings());
    let rows: Vec<&Row> = started.collect();
    if rows.is_empty() {
        return Figure::default();
    }
    let lacking = |lacks: String| Figure { lacks, ..Figure::default() };
    let MetricAxes { x, y } = options.metric.clone();
    let Some(x) = x.or_else(|| settings(&rows).into_iter().next()) else {
        return lacking("No setting differs between these runs".to_owned());
    };
    let y = y.unwrap_or(Column::Last);
    let (x_axis, found) = match &x {
        Column::Setting(path) => over_setting(arms, path, &y),
        result => over_result(arms, result, &y),
    };
    if found.is_empty() {
        let without = [&x, &y].into_iter().find(|column| !rows_have(arms, column)).unwrap_or(&y);
        return lacking(format!("No run has a value of \u{201c}{}\u{201d}", without.title(&rows[0].labels)));
    }
    let options = PlotOptions { smoothing: 0.0, ..options.clone() };
    let y_axis = y_axis(&y, &found);
    let left_out = rows.len() - found.len();
    let mut figure = if let Column::Setting(path) = &x {
        let others = other_settings(&rows, &x);
        let is_named = !x_axis.categories.is_empty();
        let drawn = lines(arms, &found, (path, &others), (is_named, is_best_low(&y)), &options);
        figure(x_axis, y_axis, drawn, &options)
    } else {
        let lines = scatter(arms, &found);
        Figure { x: x_axis, y: y_axis, lines, note: "a mark for each run".into(), ..Figure::default() }
    };
    note(&mut figure, left_out);
    figure
}

fn note(figure: &mut Figure, left_out: usize) {
    let rings = figure.lines.iter().filter(|line| line.best.is_some()).count();
    if rings > 0 {
        figure.add_note(if rings == 1 { "ring: the best mean" } else { "rings: the best mean of each line" });
    }
    if left_out > 0 {
        figure.add_note(&format!("{} without a value left out", counted(left_out as u64, "run")));
    }
}

fn rows_have(arms: &[ArmRuns], column: &Column) -> bool {
    let all = || arms.iter().flat_map(|arm| arm.runs.iter().zip(&arm.rows));
    match column {
        Column::Setting(path) => all().any(|(_, row)| setting(row, path).is_some()),
        result => all().any(|((_, record), row)| result.value_of(row, record).is_some()),
    }
}

/// Returns the runs with both values; `x` is that of a run.
fn found<'a, X>(
    arms: &'a [ArmRuns],
    y: &Column,
    x: impl Fn(&'a Row, &'a RunRecord) -> Option<X>,
) -> (Vec<Found<'a>>, Vec<X>) {
    let mut runs = Vec::new();
    let mut xs = Vec::new();
    for (index, arm) in arms.iter().enumerate() {
        for (((_, record), row), name) in arm.runs.iter().zip(&arm.rows).zip(arm.run_names()) {
            if row.has_settings()
                && let (Some(x), Some(y)) = (x(row, record), y.value_of(row, record))
            {
                let is_unfinished = record.state().goes_on();
                runs.push(Found { arm: index, row, name, at: [f64::NAN, y], is_unfinished });
                xs.push(x);
            }
        }
    }
    (runs, xs)
}

fn over_setting<'a>(arms: &'a [ArmRuns], path: &str, y: &Column) -> (Axis, Vec<Found<'a>>) {
    let (mut runs, texts) = found(arms, y, |row, _| setting(row, path));
    let Some(first) = runs.first() else { return (Axis::default(), runs) };
    let title = Column::Setting(path.to_owned()).title(&first.row.labels);
    let shown: Vec<&str> =
        runs.iter().zip(&texts).map(|(run, text)| run.row.labels.value(path, text)).collect();
    let names: Vec<&str> = runs.iter().map(|run| run.row.arm.as_str()).collect();
    let (axis, xs) = axis_of_texts(&title, &shown, &names);
    put(&mut runs, &xs);
    (Axis { range: None, ..axis }, runs)
}

fn over_result<'a>(arms: &'a [ArmRuns], x: &Column, y: &Column) -> (Axis, Vec<Found<'a>>) {
    let (mut runs, xs) = found(arms, y, |row, record| x.value_of(row, record));
    let axis = axis_of_numbers(axis_of_result(x), &xs);
    put(&mut runs, &xs);
    // A mark cannot show an interruption.
    runs.retain(|run| run.at.iter().all(|value| value.is_finite()));
    (Axis { range: None, ..axis }, runs)
}

fn put(runs: &mut [Found<'_>], xs: &[f64]) {
    for (run, x) in runs.iter_mut().zip(xs) {
        run.at[0] = *x;
    }
}

/// Returns the axis of a result, which says whether accuracies are those of a vote or on validation data.
fn y_axis(y: &Column, found: &[Found<'_>]) -> Axis {
    let axis = axis_of_result(y);
    let kinds: BTreeSet<&str> = found.iter().map(|run| run.row.kind()).collect();
    match (y, kinds.first()) {
        (Column::Best | Column::Last, Some(kind)) if kinds.len() == 1 => {
            Axis { title: axis.title + kind, ..axis }
        }
        _ => axis,
    }
}

pub struct Found<'a> {
    pub arm: usize,
    pub row: &'a Row,
    pub name: String,
    pub at: [f64; 2],
    /// True if it is under way or stopped.
    pub is_unfinished: bool,
}

struct Group<'a> {
    /// The values in which they agree and other lines differ.
    key: Vec<&'a str>,
    name: String,
    style: Style,
    runs: Vec<&'a Found<'a>>,
}

/// Returns a line for all runs that agree in these settings, or for each arm where a person made lines of the values of another
/// setting.
pub fn lines(
    arms: &[ArmRuns],
    found: &[Found<'_>],
    (x, settings): (&str, &[String]),
    (is_named, is_best_low): (bool, Option<bool>),
    options: &PlotOptions,
) -> Vec<Averaged> {
    // Lines of the values of x would be points.
    let is_pooled = are_pooled(arms) && go_on(found);
    let mut groups = groups(arms, found, settings, is_pooled);
    if !is_pooled {
        let rows: Vec<Vec<&Row>> =
            groups.iter().map(|group| group.runs.iter().map(|run| run.row).collect()).collect();
        for (group, name) in groups.iter_mut().zip(names(&rows, x)) {
            group.name = name;
        }
        give_shades(&mut groups);
    }
    let count = groups.len();
    let line = |(position, group): (usize, Group<'_>)| {
        let offset = if is_named { offset(position, count) } else { 0.0 };
        averaged(group, offset, is_best_low, options)
    };
    groups.into_iter().enumerate().map(line).collect()
}

/// Returns true if a person made lines of the values of a setting, which then pool arms.
fn are_pooled(arms: &[ArmRuns]) -> bool {
    arms.iter().any(|arm| arm.pooled() > 1)
}

/// Returns true if some of these lines has several values of x.
fn go_on(found: &[Found<'_>]) -> bool {
    let mut first: BTreeMap<usize, f64> = BTreeMap::new();
    found.iter().any(|run| first.entry(run.arm).or_insert(run.at[0]).total_cmp(&run.at[0]).is_ne())
}

fn groups<'a>(
    arms: &[ArmRuns],
    found: &'a [Found<'a>],
    settings: &[String],
    is_pooled: bool,
) -> Vec<Group<'a>> {
    let keyed = |run: &'a Found<'a>| -> ((usize, Vec<&'a str>), &'a Found<'a>) {
        let value = |path: &String| run.row.settings.get(path).map_or(NONE, String::as_str);
        (if is_pooled { (run.arm, Vec::new()) } else { (0, settings.iter().map(value).collect()) }, run)
    };
    let group = |((_, key), runs): ((usize, Vec<&'a str>), Vec<&'a Found<'a>>)| {
        let arm = &arms[runs[0].arm];
        Group { key, name: arm.name.clone(), style: style_of(arm.colour).with_marker(), runs }
    };
    by_key(found.iter().map(keyed)).into_iter().map(group).collect()
}

/// Shades lines of one colour, in the order of the values in which they differ.
fn give_shades(groups: &mut [Group<'_>]) {
    let own = |group: &Group<'_>| Style { shade: None, ..group.style };
    let shades: Vec<Option<f64>> = groups
        .iter()
        .map(|group| {
            let same: Vec<&Group<'_>> = groups.iter().filter(|other| own(other) == own(group)).collect();
            let before = same.iter().filter(|other| order(&other.key, &group.key).is_lt()).count();
            (same.len() > 1).then(|| before as f64 / (same.len() - 1) as f64)
        })
        .collect();
    for (group, shade) in groups.iter_mut().zip(shades) {
        let style = own(group);
        group.style = shade.map_or(style, |share| style.with_shade(share));
    }
}

fn order(a: &[&str], b: &[&str]) -> std::cmp::Ordering {
    let each = a.iter().zip(b).map(|(a, b)| compare(a, b));
    each.into_iter().find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
}

/// Returns the mean at each x with its spread, single runs as dots, and a ring around the best mean. Once a run is
/// finished, unfinished ones are dots alone: a value in the middle of a training says nothing about a setting.
fn averaged(group: Group<'_>, offset: f64, is_best_low: Option<bool>, options: &PlotOptions) -> Averaged {
    let mut runs = group.runs;
    // Arms may share a run.
    let mut seen = BTreeSet::new();
    runs.retain(|run| run.row.run.is_empty() || seen.insert(run.row.run.as_str()));
    runs.sort_by(|a, b| a.at[0].total_cmp(&b.at[0]));
    let split = Split::new(runs, |run| run.is_unfinished);
    let dot =
        |run: &Found<'_>| Trace { name: run.name.clone(), points: vec![[run.at[0] + offset, run.at[1]]] };
    let mut line = Line::new(&group.name, group.style, Vec::new());
    line.traces = split.beside.iter().map(|run| dot(run)).collect();
    let mut counts = RunCounts { runs: 0, seeds: 0, arms: 0 };
    for here in split.averaged.chunk_by(|a, b| a.at[0].total_cmp(&b.at[0]).is_eq()) {
        let values: Vec<f64> = here.iter().map(|run| run.at[1]).collect();
        let level = level(here[0].at[0] + offset, &values, split.spread(options.band));
        line.push(level);
        // Dots hide less than the lines of individual runs.
        if here.len() > 1 {
            line.traces.extend(here.iter().map(|run| dot(run)));
        }
        let seeds: BTreeSet<u64> = here.iter().map(|run| run.row.seed).collect();
        let arms: BTreeSet<&str> = here.iter().map(|run| run.row.arm.as_str()).collect();
        counts.runs = counts.runs.max(here.len());
        counts.seeds = counts.seeds.max(seeds.len());
        counts.arms = counts.arms.max(arms.len());
    }
    let is_partial = !split.is_of_finished || !split.beside.is_empty();
    let done = if split.is_of_finished { counts.runs } else { 0 };
    line.seeds = is_partial.then_some(Seeds { done, planned: 0, running: split.beside.len() });
    line.best = is_best_low.filter(|_| line.points.len() > 1).and_then(|is_low| best(&line.points, is_low));
    Averaged { line, counts, trainings: Vec::new() }
}

fn best(points: &[[f64; 2]], is_low: bool) -> Option<usize> {
    let finite = points.iter().enumerate().filter(|(_, point)| point[1].is_finite());
    let better = |a: f64, b: f64| if is_low { a < b } else { a > b };
    let best = finite.reduce(|best, next| if better(next.1[1], best.1[1]) { next } else { best });
    best.map(|(index, _)| index)
}

/// Returns a mark for each run, in the style of its arm, or of its line where a person made lines of the values of a setting.
pub fn scatter(arms: &[ArmRuns], found: &[Found<'_>]) -> Vec<Line> {
    let is_pooled = are_pooled(arms);
    let lines = by_key(found.iter().map(|run| (if is_pooled { run.arm } else { run.row.arm_index }, run)));
    let line = |(_, mut runs): (usize, Vec<&Found<'_>>)| {
        runs.sort_by(|a, b| a.at[0].total_cmp(&b.at[0]));
        let arm = &arms[runs[0].arm];
        let is_swept = runs.iter().any(|run| run.arm != runs[0].arm);
        let (name, style) = if is_swept {
            let rows: Vec<&Row> = runs.iter().map(|run| run.row).collect();
            (names(&[rows], "").remove(0), Style { shade: None, ..style_of(arm.colour) })
        } else {
            (arm.name.clone(), style_of(arm.colour))
        };
        let name_of = |run: &&Found<'_>| match (is_swept, &run.name) {
            (true, name) => format!("{}, {name}", run.row.arm),
            (false, name) => name.clone(),
        };
        let points = runs.iter().map(|run| run.at).collect();
        Line { names: runs.iter().map(name_of).collect(), ..Line::new(&name, style.with_marker(), points) }
    };
    lines.into_iter().map(line).collect()
}

/// The name of a line names as many arms.
const MOST_ARMS: usize = 3;

/// Returns the names of lines with these runs: their arms, with the swept values that tell the lines apart. `x` is the path of the
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

/// Returns the arms of a line, and the swept values that all of its runs share.
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

/// Returns the name of the arm of a run, and each of its swept values: "rate 0.1".
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

/// Returns the parts between commas that are in no brackets.
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
mod tests;
