//! Accuracy of each class.

use super::curves::{Averaged, RunCounts, figure};
use super::{ArmRuns, Controls, Plot};
use crate::axis::Axis;
use crate::model::{Figure, Line, Trace};
use crate::palette::style_of;
use form::number::counted;
use results::statistics::level;
use results::view::PlotOptions;
use results::{PointRef, RunRecord, Split};

/// Series with accuracies by class; the first one that a run has is shown.
const SERIES: [&str; 2] = ["test_accuracy", "validation_accuracy"];
/// The share of a name's width that its arms fill.
const FILLED: f64 = 0.7;

pub const PLOT: Plot = Plot {
    name: "classes",
    title: "Per-class accuracy",
    subject: "accuracy by class",
    help: "Which classes does a network know, and which does it lose first when it is pruned? \
           Accuracy on each class at the last evaluation of the test data (or else of the \
           validation data): the mean over seeds with its interval. Each arm has its own marker.",
    controls: Controls::of_means("Class"),
    build,
    has_data_of: Some(|record| last(record).is_some()),
    ..Plot::BASE
};

fn build(arms: &[ArmRuns], options: &PlotOptions) -> Figure {
    let measured: Vec<(&ArmRuns, Split<Shares<'_>>)> = arms
        .iter()
        .map(|arm| (arm, arm.split(shares(arm), |shares| shares.place)))
        .filter(|(_, split)| !split.averaged.is_empty())
        .collect();
    let count = measured.iter().flat_map(|(_, split)| &split.averaged).map(|shares| shares.classes.len());
    let x = Axis::of_names("Class", names(arms, count.max().unwrap_or_default()));
    let arms = measured.len();
    // Values in the middle of a training are no results, and dots of all classes would hide those that are.
    let left_out: usize = measured.iter().map(|(_, split)| split.beside.len()).sum();
    let line = |(position, (arm, split)): (usize, (&ArmRuns, Split<Shares<'_>>))| {
        let split = Split { beside: Vec::new(), ..split };
        let options = &PlotOptions { band: split.spread(options.band), ..options.clone() };
        let line = marks(arm, &split.averaged, offset(position, arms), options);
        Averaged {
            line: Line { seeds: arm.seeds(&split), ..line },
            counts: RunCounts::new(arm, split.averaged.iter().map(|shares| shares.seed)),
            trainings: Vec::new(),
        }
    };
    let drawn = measured.into_iter().enumerate().map(line).collect();
    let options = PlotOptions { smoothing: 0.0, ..options.clone() };
    let mut figure = figure(x, Axis::percent("Accuracy of the class"), drawn, &options);
    if left_out > 0 {
        figure.add_note(&format!("{} left out", counted(left_out as u64, "unfinished run")));
    }
    figure
}

/// A run and its accuracy on each class.
struct Shares<'a> {
    place: usize,
    seed: u64,
    name: String,
    classes: &'a [Option<f64>],
}

/// Returns the last evaluation of the main branch by class; for an ensemble, that of its first member.
fn last(record: &RunRecord) -> Option<PointRef<'_>> {
    let is_own =
        |point: &PointRef<'_>| point.branch.is_empty() && point.member.is_none_or(|member| member == 1);
    let last_of = |series: &&str| {
        let mut counted = record.points().by_class().rev();
        counted.find(|point| point.series == *series && is_own(point))
    };
    SERIES.iter().find_map(last_of)
}

fn shares<'a>(arm: &'a ArmRuns) -> Vec<Shares<'a>> {
    let of = |(place, ((seed, record), name)): (usize, (&'a (u64, RunRecord), String))| {
        Some(Shares { place, seed: *seed, name, classes: last(record)?.classes })
    };
    arm.runs.iter().zip(arm.run_names()).enumerate().filter_map(of).collect()
}

/// Returns the names of classes: those of the data if all arms agree, otherwise numbers.
fn names(arms: &[ArmRuns], count: usize) -> Vec<String> {
    let mut known = arms.iter().flat_map(|arm| &arm.rows).map(|row| &row.classes);
    let first = known.next();
    let agree = first.is_some_and(|first| known.all(|names| names == first));
    let name = |index: usize| match first.and_then(|first| first.get(index)).filter(|_| agree) {
        Some(name) => name.to_owned(),
        None => index.to_string(),
    };
    (0..count).map(name).collect()
}

/// Returns the offset of an arm's marker from the middle of a name.
pub fn offset(position: usize, arms: usize) -> f64 {
    FILLED * ((position as f64 + 0.5) / arms.max(1) as f64 - 0.5)
}

fn marks(arm: &ArmRuns, shares: &[Shares<'_>], offset: f64, options: &PlotOptions) -> Line {
    let mut line = Line::new(&arm.name, style_of(arm.colour).with_marker(), Vec::new());
    let classes = shares.iter().map(|shares| shares.classes.len()).max().unwrap_or_default();
    for class in 0..classes {
        let values: Vec<f64> = shares.iter().filter_map(|shares| *shares.classes.get(class)?).collect();
        if values.is_empty() {
            continue; // without samples of the class nothing was measured, so this is no gap
        }
        let level = level(class as f64 + offset, &values, options.band);
        line.points.push([level.x, level.mean]);
        line.band.extend(level.band);
    }
    if options.traces && shares.len() > 1 {
        let point = |(class, share): (usize, &Option<f64>)| Some([class as f64 + offset, (*share)?]);
        let trace = |Shares { name, classes, .. }: &Shares<'_>| Trace {
            name: name.clone(),
            points: classes.iter().enumerate().filter_map(point).collect(),
        };
        line.traces = shares.iter().map(trace).collect();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::super::testing::{arm, at, branch, record, rows};
    use super::*;
    use doc::ClassNames;
    use results::statistics::Spread;
    use results::table::Row;
    use results::{Event, Point};

    fn counted(trained: f64, classes: &[Option<f64>]) -> Point {
        Point { classes: classes.to_vec(), ..at("test_accuracy", trained, 0.5) }
    }

    #[test]
    fn the_last_evaluation_counts_and_a_class_without_samples_has_no_mark() {
        let first = record([
            counted(1.0, &[Some(0.0), Some(0.0), None]),
            counted(2.0, &[Some(0.5), Some(1.0), None]),
            branch("other", counted(3.0, &[Some(0.0), Some(0.0), None])),
        ]);
        let second = record([counted(2.0, &[Some(0.75), Some(1.0), None])]);
        let row = Row { classes: ClassNames::known(&["cat", "dog", "frog"]), ..Row::default() };
        let arms = [
            ArmRuns { rows: rows([&row; 2]), ..arm("a", 0, [&first, &second]) },
            ArmRuns { rows: rows([&row]), ..arm("b", 1, [&second]) },
        ];
        let options = PlotOptions { band: Spread::MinMax, traces: true, ..PlotOptions::default() };
        let figure = build(&arms, &options);
        let names: Vec<&str> = figure.x.categories.iter().map(|category| category.name.as_str()).collect();
        assert_eq!(names, ["cat", "dog", "frog"]);
        let [a, b] = figure.lines.as_slice() else { panic!("two arms") };
        assert_eq!(a.points, [[-0.175, 0.625], [0.825, 1.0]], "beside the other arm");
        assert_eq!((a.band[0].low, a.band[0].high, a.traces.len()), (0.5, 0.75, 2));
        assert_eq!(b.points, [[0.175, 0.75], [1.175, 1.0]]);
        assert_eq!(
            [a, b].map(|line| line.style.marker),
            [0, 1].map(|arm| style_of(arm).marker),
            "those of the arms"
        );
        assert_eq!((b.band.len(), b.traces.len()), (0, 0));
        assert_eq!(figure.remarks("bands")[0], "mean over 1 to 2 seeds, bars: min to max", "drawn as bars");
        assert!(figure.has_data() && figure.remarks("").len() == 1);
    }

    #[test]
    fn a_failed_run_counts_and_a_running_one_is_left_out_with_its_number() {
        let after = |share: f64, event: Event| {
            let mut run = record([counted(1.0, &[Some(share)])]);
            run.apply(event);
            run
        };
        let runs = [
            after(0.5, Event::Finished { secs: 1.0 }),
            after(0.25, Event::Failed { message: String::new() }),
            after(0.0, Event::Started { resumed: true, threads: 1 }),
        ];
        let of = |runs: &[RunRecord]| build(&[arm("", 0, runs)], &PlotOptions::default());
        let figure = of(&runs);
        assert_eq!(figure.lines[0].points, [[0.0, 0.375]]);
        assert_eq!(figure.note.rest, "1 unfinished run left out");
        assert_eq!(of(&runs[2..]).note.rest, "all seeds unfinished");
    }

    #[test]
    fn where_data_differ_classes_have_numbers_and_older_runs_have_no_marks() {
        let run = record([counted(1.0, &[Some(0.5), Some(1.0)])]);
        let older = record([at("test_accuracy", 1.0, 0.5)]);
        assert!(last(&run).is_some() && last(&older).is_none());
        let known = Row { classes: ClassNames::known(&["even", "odd"]), ..Row::default() };
        let arm = |run, row| ArmRuns { rows: rows([row]), ..arm("", 0, [run]) };
        let figure = build(&[arm(&run, &known), arm(&older, &Row::default())], &PlotOptions::default());
        assert_eq!((figure.lines.len(), figure.x.categories[1].name.as_str()), (1, "1"));
    }
}
