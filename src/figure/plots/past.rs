//! The difference between a network and itself some steps ago.

use super::curves::{Averaged, Series, figure, lines};
use super::{ArmRuns, Controls, Plot, x_axis};
use crate::axis::Axis;
use crate::model::Figure;
use results::tiles::Group;
use results::view::PlotOptions;

/// Distance, divergence and share of changed predictions.
const SERIES: [Series<'static>; 3] = [
    Series { name: "past_distance", suffix: ", distance", dash: Some(0) },
    Series { name: "past_kl", suffix: ", KL", dash: Some(1) },
    Series { name: "past_changed", suffix: ", changed", dash: Some(2) },
];

pub const PLOT: Plot = Plot {
    name: "past",
    title: "Distance to past",
    group: Group::Geometry,
    subject: "the distance to the past",
    help: "The difference between the network and itself some steps ago: relative L2 distance of \
           the logits, Kullback-Leibler divergence of the predictions (dashed), and share of \
           changed predictions (dotted). How fast does it change, and how much does pruning disturb \
           it? A peak is a sudden change; near 0 the network does not change. Needs a Watch stage.",
    has_data_of: Some(|record| SERIES.iter().any(|series| record.points().first_of(series.name).is_some())),
    controls: Controls { rounds: false, ..Controls::ALL },
    build,
    lacks: "it needs results of a plan that watches the past",
    ..Plot::BASE
};

fn build(arms: &[ArmRuns], options: &PlotOptions) -> Figure {
    let options = &options.without_rounds();
    let all = |arm| SERIES.map(|series| lines(arm, &series, options));
    let mut drawn: Vec<Averaged> = arms.iter().flat_map(all).flatten().collect();
    let zeros: usize = drawn.iter_mut().map(without_zeros).sum();
    let mut figure = figure(
        x_axis(&options.x),
        Axis::new("Difference from the past", "").positive().log(),
        drawn,
        options,
    );
    if zeros > 0 {
        let noun = if zeros == 1 { "1 value of 0 has" } else { &format!("{zeros} values of 0 have") };
        figure.add_note(&format!("{noun} no place on the logarithmic axis"));
    }
    figure
}

/// Removes exact zeros, which are common and have no place on a logarithmic axis; returns their number.
fn without_zeros(averaged: &mut Averaged) -> usize {
    let is_drawn = |point: &[f64; 2]| point[1] != 0.0;
    let line = &mut averaged.line;
    let before = line.points.len();
    let mut drawn = line.points.iter().map(is_drawn);
    line.counts.retain(|_| drawn.next().unwrap_or_default());
    line.points.retain(is_drawn);
    line.band.retain(|band| band.low > 0.0);
    for trace in &mut line.traces {
        trace.points.retain(is_drawn);
    }
    before - line.points.len()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{arm, at, record};
    use super::*;

    #[test]
    fn the_three_measures_have_a_line_each_and_zeros_are_counted() {
        let run = record([
            at("past_distance", 1.0, 0.5),
            at("past_kl", 1.0, 0.125),
            at("past_changed", 1.0, 0.0),
            at("past_changed", 2.0, 0.25),
        ]);
        let arm = arm("a", 0, [&run]);
        let figure = build(&[arm], &PlotOptions::default());
        let shown: Vec<_> = figure.lines.iter().map(|line| (line.name.as_str(), &line.points[..])).collect();
        assert_eq!(
            shown,
            [("a, distance", &[[1.0, 0.5]][..]), ("a, KL", &[[1.0, 0.125]]), ("a, changed", &[[2.0, 0.25]]),]
        );
        assert_eq!(figure.note.rest, "1 value of 0 has no place on the logarithmic axis");
    }
}
