//! Error and loss along the straight line between two networks.

use std::collections::BTreeMap;

use super::curves::{Averaged, Series, averaged, figure, style};
use super::series::{Curve, Path};
use super::{ArmRuns, Controls, Plot};
use crate::axis::Axis;
use crate::model::Figure;
use doc::stage::LineStatistics;
use doc::stage_number;
use results::tiles::Group;
use results::view::PlotOptions;
use results::{PointRef, Report, RunRecord};

const ACCURACY: &str = "line_accuracy";
const LOSS: &str = "line_loss";

pub const LINE_ERROR: Plot = Plot {
    name: "line",
    title: "Linear interpolation",
    group: Group::Geometry,
    subject: "the error between two networks",
    help: "Test error of the networks on the straight line between two networks. Without a barrier in the \
           middle, both are in the same valley: they are linearly connected. Batch-norm statistics are \
           re-estimated at each point unless the stage interpolates them. Needs a Connect stage.",
    has_data_of: Some(|record| record.points().first_of(ACCURACY).is_some()),
    controls: Controls::of_means(POSITION),
    build: |arms, options| {
        along(arms, ACCURACY, Axis::percent("Test error"), options, |accuracy| 1.0 - accuracy)
    },
    lacks: "it needs results of a Connect stage; the distances, those of Ensemble or Watch",
    ..Plot::BASE
};

pub const LINE_LOSS: Plot = Plot {
    name: "line-loss",
    title: "Interpolation loss",
    group: Group::Geometry,
    subject: "the loss between two networks",
    help: "Test loss of the networks on the straight line between two networks. It shows a barrier \
           before the error does, since a loss can rise while predictions stay correct. The ends \
           are the two networks, also with re-estimated batch-norm statistics unless the stage \
           interpolates them. Needs a Connect stage.",
    has_data_of: Some(|record| record.points().first_of(LOSS).is_some()),
    controls: Controls::of_means(POSITION),
    build: |arms, options| along(arms, LOSS, Axis::new("Test loss", "").positive(), options, |loss| loss),
    lacks: "it needs results of a Connect stage; the distances, those of Ensemble or Watch",
    ..Plot::BASE
};

const POSITION: &str = "Interpolation coefficient α";

fn along(
    arms: &[ArmRuns],
    series: &'static str,
    y: Axis,
    options: &PlotOptions,
    value: fn(f64) -> f64,
) -> Figure {
    let options = PlotOptions { smoothing: 0.0, ..options.clone() };
    let drawn = arms.iter().flat_map(|arm| lines(arm, series, &options, value)).collect();
    figure(Axis::new(POSITION, ""), y, drawn, &options)
}

/// Identifies a measurement: a plan can have several, and repeat them in every round.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Measurement {
    branch: String,
    /// The stage's path as numbers, so that stage 10 comes after stage 2.
    order: Vec<u64>,
    stage: String,
    round: Option<u64>,
}

impl Measurement {
    fn from_point(point: &PointRef<'_>) -> Self {
        let order = point.stage.split('.').map(|number| number.parse().unwrap_or(u64::MAX)).collect();
        Self { branch: point.branch.to_owned(), order, stage: point.stage.to_owned(), round: point.round }
    }

    /// Names the networks at the ends, "one order ↔ another order", and unusual statistics; `None` if no report tells.
    fn ends(&self, arm: &ArmRuns) -> Option<String> {
        let is_own = |report: &&Report| {
            report.stage == self.stage && report.branch == self.branch && report.round == self.round
        };
        let mut reports = arm.runs.iter().flat_map(|(_, record)| record.reports().iter().filter(is_own));
        let ([a, b], statistics) =
            reports.find_map(|report| Some((report.line_ends()?, report.line_statistics())))?;
        let usual = LineStatistics::default().in_words();
        let statistics = statistics.filter(|statistics| *statistics != usual);
        let statistics = statistics.map(|statistics| format!(", {statistics} statistics"));
        Some(format!("{a} ↔ {b}{}", statistics.unwrap_or_default()))
    }
}

/// Returns the names of an arm's lines: the networks at their ends and, where several measurements have the same, their places.
fn names(arm: &ArmRuns, found: &[&Measurement]) -> Vec<String> {
    let own = |measurement: &&Measurement| {
        let name = Path { branch: measurement.branch.clone(), member: None }.name(&arm.name);
        let ends = measurement.ends(arm).map_or_else(String::new, |ends| format!(", {ends}"));
        name + &ends
    };
    let names: Vec<String> = found.iter().map(own).collect();
    let full = |(name, measurement): (&String, &&Measurement)| {
        let same = || found.iter().zip(&names).filter(|(_, other)| *other == name).map(|(same, _)| same);
        let is_elsewhere = same().any(|same| same.stage != measurement.stage);
        let stage = is_elsewhere.then(|| format!(", stage {}", stage_number(&measurement.stage)));
        let round = measurement.round.filter(|_| same().count() > 1);
        let round = round.map(|round| format!(", round {round}"));
        [Some(name.clone()), stage, round].into_iter().flatten().collect()
    };
    names.iter().zip(found).map(full).collect()
}

fn lines(arm: &ArmRuns, series: &'static str, options: &PlotOptions, value: fn(f64) -> f64) -> Vec<Averaged> {
    let mut found: BTreeMap<Measurement, Vec<Curve>> = BTreeMap::new();
    for (place, ((seed, record), run)) in arm.runs.iter().zip(arm.run_names()).enumerate() {
        for (measurement, curve) in curves(*seed, record, series, value) {
            found.entry(measurement).or_default().push(Curve { place, run: run.clone(), ..curve });
        }
    }
    let names = names(arm, &found.keys().collect::<Vec<_>>());
    let last = found.len().saturating_sub(1);
    let line = |(index, (name, curves)): (usize, (String, Vec<Curve>))| {
        let own = style(arm, &Series { name: series, suffix: "", dash: Some(index) }, &Path::default(), 0);
        let style = if last > 0 { own.with_shade(index as f64 / last as f64) } else { own };
        averaged(arm, &name, style, curves, options)
    };
    names.into_iter().zip(found.into_values()).enumerate().map(line).collect()
}

fn curves(
    seed: u64,
    record: &RunRecord,
    series: &str,
    value: fn(f64) -> f64,
) -> BTreeMap<Measurement, Curve> {
    let mut found: BTreeMap<Measurement, Curve> = BTreeMap::new();
    for point in record.points().of(series) {
        let Some(position) = point.along else { continue };
        let curve = found
            .entry(Measurement::from_point(&point))
            .or_insert_with(|| Curve { seed, ..Curve::default() });
        curve.points.push([position, value(point.value)]);
    }
    for curve in found.values_mut() {
        curve.keep_last_of_each_level();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::testing::{arm, at, record};
    use super::*;
    use results::event::line_summary;
    use results::{Event, Point};

    fn place(series: &str, stage: &str, t: f64, value: f64) -> Point {
        Point { along: Some(t), stage: stage.to_owned(), ..at(series, 3.0, value) }
    }

    #[test]
    fn the_error_is_drawn_over_the_position_between_the_two_networks() {
        let points = [(0.0, 0.75), (0.5, 0.25), (1.0, 1.0)];
        let run = record(points.map(|(t, value)| place("line_accuracy", "4", t, value)));
        let figure = (LINE_ERROR.build)(&[arm("a", 0, [&run])], &PlotOptions::default());
        assert_eq!(figure.lines[0].points, [[0.0, 0.25], [0.5, 0.75], [1.0, 0.0]]);
        assert_eq!(figure.lines[0].name, "a");
        assert_eq!(figure.x.label(), "Interpolation coefficient α");
    }

    #[test]
    fn several_measurements_of_a_plan_have_different_names() {
        let run = record([place("line_loss", "10", 0.0, 2.0), place("line_loss", "2", 0.0, 1.0)]);
        let figure = (LINE_LOSS.build)(&[arm("a", 0, [&run])], &PlotOptions::default());
        let shown: Vec<_> = figure.lines.iter().map(|line| (line.name.as_str(), line.points[0][1])).collect();
        assert_eq!(shown, [("a, stage 3", 1.0), ("a, stage 11", 2.0)]);
        assert_ne!(figure.lines[0].style, figure.lines[1].style);
    }

    #[test]
    fn lines_are_called_after_the_networks_at_their_ends_in_shades_of_their_arm() {
        let ends = [("2", None, "one order", "another order"), ("3", None, "start", "one order")];
        let rounds = [("4", Some(1), "a", "b"), ("4", Some(2), "a", "b")];
        let mut events = Vec::new();
        for (stage, round, a, b) in ends.into_iter().chain(rounds) {
            let point = Point { round, ..place("line_loss", stage, 0.0, 1.0) };
            let summary = line_summary([a, b], "1.25", 0.5, None);
            let (stage, kind) = (stage.to_owned(), "line".to_owned());
            events.extend([
                Event::Point(point),
                Event::Report(Report { stage, round, kind, summary, ..Report::default() }),
            ]);
        }
        let run = RunRecord::from_events(events);
        let figure = (LINE_LOSS.build)(&[arm("a", 0, [&run])], &PlotOptions::default());
        let names: Vec<_> = figure.lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "a, one order ↔ another order",
                "a, start ↔ one order",
                "a, a ↔ b, round 1",
                "a, a ↔ b, round 2"
            ]
        );
        let shades: Vec<_> = figure.lines.iter().map(|line| line.style.shade.unwrap()).collect();
        assert_eq!(shades, [0, 33, 67, 100]);
        let both = [LineStatistics::Reestimated, LineStatistics::Interpolated].into_iter().zip(["2", "3"]);
        let events = both.flat_map(|(statistics, stage)| {
            let summary = line_summary(["x", "y"], "1.25", 0.5, Some(&statistics));
            let report =
                Report { stage: stage.to_owned(), kind: "line".to_owned(), summary, ..Report::default() };
            [Event::Point(place("line_loss", stage, 0.0, 1.0)), Event::Report(report)]
        });
        let run = RunRecord::from_events(events);
        let figure = (LINE_LOSS.build)(&[arm("a", 0, [&run])], &PlotOptions::default());
        let names: Vec<_> = figure.lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["a, x ↔ y", "a, x ↔ y, interpolated statistics"]);
        let unclear =
            Report { summary: line_summary(["x and y", "z"], "0.00", 0.0, None), ..Report::default() };
        assert_eq!(unclear.line_ends(), None);
    }
}
