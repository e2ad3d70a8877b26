//! The lines over a setting, and the marks over a result.

use std::collections::{BTreeMap, BTreeSet};

use super::super::classes::offset;
use super::super::curves::Averaged;
use super::super::note::RunCounts;
use super::names::names;
use super::{ArmRuns, Line};
use crate::model::{Seeds, Trace};
use crate::palette::{Style, style_of};
use results::Split;
use results::statistics::level;
use results::table::Row;
use results::table::settings::{NONE, compare};
use results::view::PlotOptions;

/// A run with both values.
pub struct Found<'a> {
    /// The index of its arm.
    pub arm: usize,
    /// Its row in the table of runs.
    pub row: &'a Row,
    /// What it is called among the runs of its arm.
    pub name: String,
    /// x and y.
    pub at: [f64; 2],
    /// Whether it is under way or stopped.
    pub is_unfinished: bool,
}

/// The runs of a line.
struct Group<'a> {
    /// The values in which they agree and other lines differ.
    key: Vec<&'a str>,
    name: String,
    style: Style,
    runs: Vec<&'a Found<'a>>,
}

/// A line for all runs that agree in these settings, or for each arm where a person made lines of the values of another
/// setting.
pub fn lines(
    arms: &[ArmRuns<'_>],
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

/// Whether a person made lines of the values of a setting, which then pool arms.
fn are_pooled(arms: &[ArmRuns<'_>]) -> bool {
    arms.iter().any(|arm| arm.pooled() > 1)
}

/// Whether some of these lines has several values of x.
fn go_on(found: &[Found<'_>]) -> bool {
    let mut first: BTreeMap<usize, f64> = BTreeMap::new();
    found.iter().any(|run| first.entry(run.arm).or_insert(run.at[0]).total_cmp(&run.at[0]).is_ne())
}

fn groups<'a>(
    arms: &[ArmRuns<'_>],
    found: &'a [Found<'a>],
    settings: &[String],
    is_pooled: bool,
) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for run in found {
        let value = |path: &String| run.row.settings.get(path).map_or(NONE, String::as_str);
        let key: Vec<&str> = if is_pooled { Vec::new() } else { settings.iter().map(value).collect() };
        let arm = &arms[run.arm];
        let is_own = |group: &&mut Group<'_>| {
            if is_pooled { group.runs[0].arm == run.arm } else { group.key == key }
        };
        if let Some(group) = groups.iter_mut().find(is_own) {
            group.runs.push(run);
        } else {
            let style = style_of(arm.colour).with_marker();
            groups.push(Group { key, name: arm.name.clone(), style, runs: vec![run] });
        }
    }
    groups
}

/// Lines of one colour are shades of it, in the order of the values in which they differ.
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

/// The mean at each x with its spread, the single runs as dots, and a ring around the best mean. Once a run of the line is
/// finished, the others are dots alone: a value in the middle of a training says nothing about a setting.
fn averaged(group: Group<'_>, offset: f64, is_best_low: Option<bool>, options: &PlotOptions) -> Averaged {
    let mut runs = group.runs;
    // Arms may share a run.
    let mut seen = BTreeSet::new();
    runs.retain(|run| run.row.run.is_empty() || seen.insert(run.row.run.as_str()));
    runs.sort_by(|a, b| a.at[0].total_cmp(&b.at[0]));
    let split = Split::of(runs, |run| run.is_unfinished);
    let dot =
        |run: &Found<'_>| Trace { name: run.name.clone(), points: vec![[run.at[0] + offset, run.at[1]]] };
    let mut line = Line::new(&group.name, group.style, Vec::new());
    line.traces = split.beside.iter().map(|run| dot(run)).collect();
    let mut counts = RunCounts { runs: 0, seeds: 0, arms: 0 };
    for here in split.averaged.chunk_by(|a, b| a.at[0].total_cmp(&b.at[0]).is_eq()) {
        let values: Vec<f64> = here.iter().map(|run| run.at[1]).collect();
        let level = level(here[0].at[0] + offset, &values, split.spread(options.band));
        line.points.push([level.x, level.mean]);
        line.counts.push(u32::try_from(level.n).unwrap_or(u32::MAX));
        line.band.extend(level.band);
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

/// The index of the first of the best points.
fn best(points: &[[f64; 2]], is_low: bool) -> Option<usize> {
    let finite = points.iter().enumerate().filter(|(_, point)| point[1].is_finite());
    let better = |a: f64, b: f64| if is_low { a < b } else { a > b };
    let best = finite.reduce(|best, next| if better(next.1[1], best.1[1]) { next } else { best });
    best.map(|(index, _)| index)
}

/// A mark for each run, in the style of its arm, or of its line where a person made lines of the values of a setting.
pub fn scatter(arms: &[ArmRuns<'_>], found: &[Found<'_>]) -> Vec<Line> {
    let is_pooled = are_pooled(arms);
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    let mut lines: Vec<Vec<&Found<'_>>> = Vec::new();
    for run in found {
        let own = if is_pooled { run.arm } else { run.row.arm_index };
        let place = *places.entry(own).or_insert_with(|| {
            lines.push(Vec::new());
            lines.len() - 1
        });
        lines[place].push(run);
    }
    let line = |mut runs: Vec<&Found<'_>>| {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_the_first_of_the_highest_or_the_lowest() {
        let points = [[1.0, 0.5], [2.0, f64::NAN], [3.0, 0.75], [4.0, 0.75], [5.0, 0.25]];
        assert_eq!((best(&points, false), best(&points, true)), (Some(2), Some(4)));
        assert_eq!(best(&points[1..2], false), None);
    }
}
