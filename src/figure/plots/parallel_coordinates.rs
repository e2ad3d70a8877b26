//! Settings and results of runs in parallel coordinates (Inselberg 1985).

use std::sync::Arc;

use super::values::{axis_of_numbers, axis_of_result, axis_of_texts};
use super::{ArmRuns, Controls, Plot};
use crate::axis::Axis;
use crate::cells::{Cells, ColourMap};
use crate::model::{Figure, Line, Trace};
use crate::palette::style_of;
use results::table::columns::Column;
use results::table::{Row, facts};
use results::tiles::Group;
use results::view::PlotOptions;

const RESULTS: [&str; 2] = ["test_accuracy", "validation_accuracy"];

/// More axes would be too dense to read.
const MOST_SETTINGS: usize = 10;

pub const PLOT: Plot = Plot {
    name: "parallel",
    title: "Parallel coordinates",
    group: Group::Runs,
    subject: "settings and results of runs",
    help: "Which settings go with which results? One line for each run in the colour of its result, across an \
           axis for each setting in which the runs differ and for each result; the last axis is the one that \
           colours show: test accuracy, or the y of *Metric over setting*. Lines that stay parallel \
           between two axes suggest a positive relation, lines that cross a negative one. Drag along an axis \
           to keep only the runs that pass there; click the axis to show all again, and a line to pin its \
           values. The columns of Runs are the axes once you choose some. The filter of Runs applies too.",
    controls: Controls::fixed("Settings and results"),
    build,
    has_data_of: Some(|record| RESULTS.iter().any(|series| record.points().latest(series).is_some())),
    ..Plot::BASE
};

fn build(arms: &[ArmRuns], options: &PlotOptions) -> Figure {
    let runs: Vec<&Row> =
        arms.iter().flat_map(|arm| &arm.rows).map(Arc::as_ref).filter(|row| has_result(row)).collect();
    if runs.is_empty() {
        return Figure::default();
    }
    let (axes, left_out) = axes(&runs, options);
    let mut next = 0;
    let mut lines = Vec::new();
    for arm in arms {
        let count = arm.rows.iter().filter(|row| has_result(row)).count();
        if count > 0 {
            lines.push(line(arm, &axes, next));
        }
        next += count;
    }
    let note = if left_out > 0 { format!("{left_out} more settings differ") } else { String::new() };
    let last = axes.last().map(|last| last.axis.clone());
    let run_scale = last.map(|axis| Cells { axis, colour_map: ColourMap::Lines, ..Cells::default() });
    Figure {
        run_scale,
        x: Axis::of_names("", axes.iter().map(|of| of.axis.label())),
        y: Axis { range: Some([0.0, 1.0]), ..Axis::default() },
        parallel: axes.into_iter().map(|of| of.axis).collect(),
        lines,
        note: note.into(),
        ..Figure::default()
    }
}

struct RunAxis {
    axis: Axis,
    /// In units of the axis; NaN for runs without a value.
    values: Vec<f64>,
}

fn has_result(row: &Row) -> bool {
    row.last.is_some()
}

/// Returns the axes, of the chosen columns or of settings that differ and results, and the number of settings left out. The
/// result that colours show is the last one.
fn axes(runs: &[&Row], options: &PlotOptions) -> (Vec<RunAxis>, usize) {
    // One axis alone compares nothing.
    let chosen = options
        .columns
        .as_deref()
        .filter(|columns| columns.iter().filter(|column| column.is_fact()).count() > 1);
    let mut columns = facts(runs, chosen);
    let is_setting = |column: &Column| matches!(column, Column::Setting(_));
    let settings = columns.iter().filter(|column| is_setting(column)).count();
    let left_out = if chosen.is_some() { 0 } else { settings.saturating_sub(MOST_SETTINGS) };
    columns.drain(settings.min(MOST_SETTINGS)..settings.min(MOST_SETTINGS) + left_out);
    let place = |wanted: &Column| columns.iter().position(|column| column == wanted);
    let result = options.metric.y.as_ref().and_then(place).or_else(|| place(&Column::Last));
    let result = result.map_or(Column::Last, |place| columns.remove(place));
    columns.push(result);
    (columns.iter().map(|column| axis(runs, column)).collect(), left_out)
}

fn axis(runs: &[&Row], column: &Column) -> RunAxis {
    let title = column.title(&runs[0].labels);
    let arms: Vec<&str> = runs.iter().map(|row| row.arm.as_str()).collect();
    let of_texts = |texts: &[&str]| {
        let (axis, values) = axis_of_texts(&title, texts, &arms);
        RunAxis { axis, values }
    };
    match column {
        Column::Setting(path) => {
            let texts: Vec<String> = runs.iter().map(|row| column.cell(row)).collect();
            let shown = runs.iter().zip(&texts).map(|(row, text)| row.labels.value(path, text));
            of_texts(&shown.collect::<Vec<_>>())
        }
        Column::Plan => of_texts(&runs.iter().map(|row| &*row.plan).collect::<Vec<_>>()),
        _ => {
            let values: Vec<f64> = runs.iter().map(|row| column.value(row).unwrap_or(f64::NAN)).collect();
            RunAxis { axis: axis_of_numbers(axis_of_result(column), &values), values }
        }
    }
}

/// Returns the runs of an arm; `first` is the index of its first run among all.
fn line(arm: &ArmRuns, axes: &[RunAxis], first: usize) -> Line {
    let rows = arm.rows.iter().filter(|row| has_result(row));
    let is_mixed = arm.pooled() > 1;
    let trace = |(nth, row): (usize, &Arc<Row>)| {
        let seed = format!("seed {}", row.seed);
        let point = |(place, of): (usize, &RunAxis)| [place as f64, of.values[first + nth]];
        Trace {
            name: if is_mixed { format!("{}, {seed}", row.arm) } else { seed },
            points: axes.iter().enumerate().map(point).collect(),
        }
    };
    let traces = rows.enumerate().map(trace).collect();
    Line { traces, ..Line::new(&arm.name, style_of(arm.colour), Vec::new()) }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{arm, rows as shared};
    use super::*;
    use crate::axis::Scale;
    use crate::legend::samples;
    use crate::palette::Theme;
    use crate::scene::lines::{in_drawing_order, run_colour};
    use results::metric::MetricAxes;

    fn row(arm: &str, seed: u64, settings: &[(&str, &str)], best: f64) -> Row {
        let settings = settings.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned()));
        Row {
            arm: arm.to_owned(),
            seed,
            settings: std::sync::Arc::new(settings.collect()),
            best: Some(best),
            last: Some(best - 0.25),
            remaining: Some(1.0),
            secs: 10.0,
            ..Row::default()
        }
    }

    #[test]
    fn a_run_is_a_line_across_differing_settings_and_results() {
        let rows = [
            row(
                "a",
                1,
                &[("train.optimizer.rate", "0.001"), ("train.optimizer", "Adam"), ("net.bias", "true")],
                0.75,
            ),
            row(
                "a",
                2,
                &[("train.optimizer.rate", "0.001"), ("train.optimizer", "Adam"), ("net.bias", "true")],
                0.5,
            ),
            row(
                "b",
                1,
                &[("train.optimizer.rate", "0.1"), ("train.optimizer", "Sgd"), ("net.bias", "true")],
                1.0,
            ),
        ];
        let [first, second, third] = &rows;
        let waiting = Row::default();
        let arms = [
            ArmRuns { rows: shared([first, &waiting, second]), ..arm("a", 3, []) },
            ArmRuns { rows: shared([third]), ..arm("b", 1, []) },
        ];
        let figure = build(&arms, &PlotOptions::default());
        let titles: Vec<_> = figure.parallel.iter().map(Axis::label).collect();
        assert_eq!(titles, ["Optimizer", "Rate", "Best accuracy (%)", "Time (s)", "Test accuracy (%)"]);
        assert_eq!(figure.parallel[1].scale, Scale::Log10, "two decades");
        let words: Vec<_> = figure.parallel[0].categories.iter().map(|word| word.name.as_str()).collect();
        assert_eq!(words, ["Adam", "Sgd"]);
        let [a, b] = figure.lines.as_slice() else { panic!("two arms") };
        assert_eq!((a.traces.len(), a.style.colour, b.traces[0].name.as_str()), (2, 3, "seed 1"));
        assert_eq!(a.traces[1].points, [[0.0, 0.0], [1.0, 0.001], [2.0, 0.5], [3.0, 10.0], [4.0, 0.25]]);
        assert_eq!(b.traces[0].points[..3], [[0.0, 1.0], [1.0, 0.1], [2.0, 1.0]]);
    }

    #[test]
    fn runs_have_the_colours_of_their_result_and_the_best_one_is_on_top() {
        let rows = [row("a", 1, &[("rate", "1")], 0.75), row("b", 1, &[("rate", "2")], 0.5)];
        let arms = rows.each_ref().map(|row| ArmRuns { rows: shared([row]), ..arm(&row.arm, 0, []) });
        let figure = build(&arms, &PlotOptions::default());
        assert_eq!(figure.scale().map(|scale| scale.axis.label()).as_deref(), Some("Test accuracy (%)"));
        assert!(samples(&figure).is_empty(), "the scale is the legend");
        assert_eq!(in_drawing_order(&figure), [[1, 0], [0, 0]]);
        let [best, worst] = [[0, 0], [1, 0]].map(|run| run_colour(&figure, run, Theme::Light));
        assert_ne!(best, worst, "both arms have one style");
        let metric = MetricAxes { y: Some(Column::Duration), ..MetricAxes::default() };
        let figure = build(&arms, &PlotOptions { metric, ..PlotOptions::default() });
        assert_eq!(figure.parallel.last().map(Axis::label).as_deref(), Some("Time (s)"));
    }

    #[test]
    fn the_chosen_columns_of_the_table_are_the_axes() {
        let settings = [("train.optimizer.rate", "0.001"), ("net.bias", "true")];
        let rows = [row("a", 1, &settings, 0.75), row("b", 1, &settings, 0.5)];
        let arms = rows.each_ref().map(|row| ArmRuns { rows: shared([row]), ..arm(&row.arm, 0, []) });
        let titles = |columns: &[Column]| -> Vec<String> {
            let options = PlotOptions { columns: Some(columns.to_vec()), ..PlotOptions::default() };
            build(&arms, &options).parallel.iter().map(Axis::label).collect()
        };
        let rate = Column::Setting("train.optimizer.rate".to_owned());
        assert_eq!(titles(&[Column::Seed, Column::Last, rate]), ["Rate", "Test accuracy (%)"]);
        assert_eq!(titles(&[Column::Last]).len(), 3, "one axis compares nothing");
    }

    #[test]
    fn more_settings_than_have_room_are_counted() {
        let settings = |value: &'static str| -> Vec<(String, &str)> {
            (0..13).map(|index| (format!("s{index:02}"), value)).collect()
        };
        let make = |arm: &str, value: &'static str| {
            let settings = settings(value);
            let settings: Vec<(&str, &str)> =
                settings.iter().map(|(path, value)| (path.as_str(), *value)).collect();
            row(arm, 1, &settings, 0.5)
        };
        let rows = [make("a", "1"), make("b", "2")];
        let arms = rows.each_ref().map(|row| ArmRuns { rows: shared([row]), ..arm(&row.arm, 0, []) });
        let figure = build(&arms, &PlotOptions::default());
        assert_eq!((figure.parallel.len(), figure.note.what.as_str()), (13, "3 more settings differ"));
    }
}
