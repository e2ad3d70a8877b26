//! Any result over any setting, or over another result.

mod lines;
mod names;

use std::collections::BTreeSet;

use super::curves::figure;
use super::values::{axis_of_numbers, axis_of_result, axis_of_texts};
use super::{ArmRuns, Controls, Plot};
use crate::axis::Axis;
use crate::model::{Figure, Line};
use form::number::counted;
use lines::{Found, lines, scatter};
use results::RunRecord;
use results::metric::{is_best_low, other_settings, setting};
use results::table::Row;
use results::table::columns::Column;
use results::view::PlotOptions;

/// A column of the table of runs over another one.
pub const PLOT: Plot = Plot {
    name: "metric",
    title: "Metric over setting",
    subject: "results over a setting",
    help: "Which value of a setting is best, and how much does it matter? Any result over any setting or over another \
           result. All columns of Runs can be x and y. A line joins the runs that agree in everything but x and the seed: the mean \
           over seeds with its interval, and a ring around the best mean. Lines of an arm that differ in another swept \
           setting are shades of its colour. Over another result, each run is a mark.",
    needs: &["test_accuracy"],
    controls: Controls::OF_COLUMNS,
    build,
    has_data_of: Some(has_results),
    ..Plot::BASE
};

fn has_results(record: &RunRecord) -> bool {
    !record.points().is_empty()
}

fn build(arms: &[ArmRuns<'_>], options: &PlotOptions) -> Figure {
    let started = arms.iter().flat_map(|arm| &arm.rows).copied().filter(|row| row.has_settings());
    let rows: Vec<&Row> = started.collect();
    if rows.is_empty() {
        return Figure::default();
    }
    let lacking = |lacks: String| Figure { lacks, ..Figure::default() };
    let Some(x) = options.metric.x_of(&rows) else {
        return lacking("No setting differs between these runs".to_owned());
    };
    let y = options.metric.y_of();
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

/// What the small print adds: rings, and runs that are not there.
fn note(figure: &mut Figure, left_out: usize) {
    let rings = figure.lines.iter().filter(|line| line.best.is_some()).count();
    if rings > 0 {
        figure.add_note(if rings == 1 { "ring: the best mean" } else { "rings: the best mean of each line" });
    }
    if left_out > 0 {
        figure.add_note(&format!("{} without a value left out", counted(left_out as u64, "run")));
    }
}

fn rows_have(arms: &[ArmRuns<'_>], column: &Column) -> bool {
    let all = || arms.iter().flat_map(|arm| arm.runs.iter().zip(&arm.rows));
    match column {
        Column::Setting(path) => all().any(|(_, row)| setting(row, path).is_some()),
        result => all().any(|((_, record), row)| result.value_of(row, record).is_some()),
    }
}

/// The runs with both values; `x` is that of a run.
fn found<'a, X>(
    arms: &[ArmRuns<'a>],
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

fn over_setting<'a>(arms: &[ArmRuns<'a>], path: &str, y: &Column) -> (Axis, Vec<Found<'a>>) {
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

fn over_result<'a>(arms: &[ArmRuns<'a>], x: &Column, y: &Column) -> (Axis, Vec<Found<'a>>) {
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

/// The axis of a result, which says whether accuracies are those of a vote or on validation data.
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

#[cfg(test)]
mod tests;
