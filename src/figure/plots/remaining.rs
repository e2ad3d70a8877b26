//! Accuracy over the share of remaining weights.

use super::curves::{Averaged, Series, figure, lines};
use super::{ArmRuns, Controls, Plot, REMAINING, x_axis};
use crate::axis::Axis;
use crate::model::{Figure, ReferenceLine};
use results::RunRecord;
use results::tiles::Group;
use results::view::{PlotOptions, XAxis};

const TEST: Series<'static> = Series { name: "test_accuracy", suffix: "", dash: None };

pub const PLOT: Plot = Plot {
    name: "remaining",
    title: "Accuracy vs. sparsity",
    group: Group::Pruning,
    subject: "accuracy over remaining weights",
    help: "The last test accuracy at each level of remaining weights, from all of them at the left to few at \
           the right: how sparse can a ticket get? An arm that never prunes is a dashed line. Where a ticket \
           falls below that line for good, too much is gone; its distance above the controls shows the value \
           of its mask and initial weights. Needs a stage that prunes.",
    controls: Controls::of_means(REMAINING),
    build,
    has_data_of: Some(|record| has_pruned(record, TEST.name)),
    lacks: "these runs pruned nothing",
    ..Plot::BASE
};

fn build(arms: &[ArmRuns], options: &PlotOptions) -> Figure {
    let options = PlotOptions { x: XAxis::Remaining, smoothing: 0.0, ..options.clone() };
    let all =
        arms.iter().flat_map(|arm| lines(arm, &TEST, &options).into_iter().map(move |line| (arm, line)));
    let (dense, pruned): (Vec<_>, Vec<_>) = all.partition(|(arm, drawn)| is_over(arm) && never_prunes(drawn));
    // A reference line needs something to compare with.
    let (dense, pruned) = if pruned.is_empty() { (pruned, dense) } else { (dense, pruned) };
    let reference_lines = dense.iter().filter_map(|(arm, drawn)| level(arm, drawn)).collect();
    let mut drawn: Vec<Averaged> = pruned.into_iter().map(|(_, drawn)| drawn).collect();
    for averaged in &mut drawn {
        // There are few levels, and only one at first.
        averaged.line.style = averaged.line.style.with_marker();
    }
    let is_one_level = drawn.iter().all(|drawn| drawn.line.points.len() == 1);
    let has_pruned = !drawn.iter().all(never_prunes);
    let axis = Axis::percent("Test accuracy");
    let mut figure = Figure { reference_lines, ..figure(x_axis(&options.x), axis, drawn, &options) };
    if is_one_level && has_pruned {
        figure.add_note(ONE_LEVEL);
    }
    figure
}

const ONE_LEVEL: &str = "one level of remaining weights in each arm: a line needs several rounds of pruning";

pub fn has_pruned(record: &RunRecord, series: &str) -> bool {
    record.points().is_pruned() && record.points().of(series).any(|point| point.remaining < 1.0)
}

/// Returns true if all its runs that have started are done: an unfinished arm at 100 % may still be pruned.
fn is_over(arm: &ArmRuns) -> bool {
    !arm.runs.iter().any(|(_, record)| record.state().is_partial())
}

fn never_prunes(drawn: &Averaged) -> bool {
    drawn.line.points.iter().all(|point| point[0] >= 1.0)
}

fn level(arm: &ArmRuns, drawn: &Averaged) -> Option<ReferenceLine> {
    let [x, y] = *drawn.line.points.last()?;
    let band = drawn.line.band.iter().rfind(|band| band.x.total_cmp(&x).is_eq());
    let spread = band.map(|band| [band.low, band.high]);
    let by_seed = drawn.line.by_seed.last().cloned().unwrap_or_default();
    Some(ReferenceLine { spread, by_seed, ..ReferenceLine::level(&drawn.line.name, y, Some(arm.colour)) })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{arm, at, branch, left, record};
    use super::*;
    use results::{Event, Point};

    fn level(remaining: f64, trained: f64, value: f64) -> Point {
        left(remaining, at("test_accuracy", trained, value))
    }

    fn done(points: impl IntoIterator<Item = Point>) -> RunRecord {
        let mut record = record(points);
        record.apply(Event::Finished { secs: 1.0 });
        record
    }

    #[test]
    fn the_last_test_of_each_level_is_drawn_and_the_dense_arm_is_a_level() {
        let ticket = record([
            level(1.0, 1.0, 0.5),
            level(1.0, 2.0, 1.0),
            level(0.5, 2.0, 0.25),
            level(0.5, 3.0, 0.75),
            branch("reinitialized", level(0.5, 3.0, 0.5)),
        ]);
        let dense = done([level(1.0, 1.0, 0.5), level(1.0, 2.0, 0.875)]);
        let arms = [arm("dense", 4, [&dense]), arm("ticket", 1, [&ticket])];
        let figure = build(&arms, &PlotOptions::default());
        let shown: Vec<_> =
            figure.lines.iter().map(|line| (line.name.as_str(), line.points.clone())).collect();
        assert_eq!(
            shown,
            [("ticket", vec![[0.5, 0.75], [1.0, 1.0]]), ("ticket / reinitialized", vec![[0.5, 0.5]])]
        );
        let level = ReferenceLine::level("dense", 0.875, Some(4));
        assert_eq!(figure.reference_lines, [ReferenceLine { by_seed: vec![(1, 0.875)], ..level }]);
        assert!(figure.x.reversed);
    }

    #[test]
    fn a_level_counts_once_its_training_is_over() {
        let points = [level(1.0, 1.0, 0.5), level(0.5, 2.0, 0.75), level(0.25, 3.0, 0.125)];
        let mut stopped = RunRecord::from_events([Event::Started { resumed: false, threads: 1 }]);
        for point in points {
            stopped.apply(Event::Point(point));
        }
        stopped.apply(Event::Stopped { secs: 1.0 });
        let drawn = |run: &RunRecord| {
            let figure = build(&[arm("ticket", 1, [run])], &PlotOptions::default());
            figure.lines[0].points.clone()
        };
        assert_eq!(drawn(&stopped), [[0.5, 0.75], [1.0, 0.5]]);
        stopped.apply(Event::Started { resumed: true, threads: 1 });
        stopped.apply(Event::Finished { secs: 2.0 });
        assert_eq!(drawn(&stopped).len(), 3);
    }

    #[test]
    fn an_arm_before_its_first_pruning_is_no_level_yet() {
        let begun = RunRecord::from_events([
            Event::Started { resumed: false, threads: 1 },
            Event::Point(level(1.0, 1.0, 0.5)),
        ]);
        let pruned = record([level(0.5, 1.0, 0.5)]);
        let figure = build(&[arm("a", 0, [&begun]), arm("b", 1, [&pruned])], &PlotOptions::default());
        assert_eq!((figure.lines.len(), figure.reference_lines.len()), (2, 0));
    }

    #[test]
    fn it_is_about_runs_in_which_something_was_pruned() {
        let dense = done([level(1.0, 1.0, 0.5)]);
        let pruned = done([level(1.0, 1.0, 0.5), level(0.8, 2.0, 0.5)]);
        assert!(!has_pruned(&dense, TEST.name) && has_pruned(&pruned, TEST.name));
    }

    #[test]
    fn a_dense_arm_alone_is_a_point() {
        let dense = done([level(1.0, 1.0, 0.5)]);
        let figure = build(&[arm("dense", 0, [&dense])], &PlotOptions::default());
        assert!(figure.has_data() && figure.reference_lines.is_empty() && figure.note.rest.is_empty());
        let pruned = record([level(0.5, 1.0, 0.5)]);
        let figure =
            build(&[arm("ticket", 1, [&pruned]), arm("dense", 0, [&dense])], &PlotOptions::default());
        assert_eq!(figure.note.rest, ONE_LEVEL);
    }
}
