//! The early-stop iterations of an arm as a figure.

use super::distinct::distinct;
use super::{Axis, Figure, Line, style_of};
use crate::form::number::counted;
use crate::results::early_stops::Training;
use crate::results::statistics::{Spread, level};
use crate::results::view::XAxis;

/// The early-stop iteration over the weights that remain, its mean over seeds within a standard deviation: a line for the
/// rounds of each training.
pub fn early_stops(arm: &str, trainings: &[Training]) -> Figure {
    let series = distinct(trainings.iter().map(|training| training.series.as_str()));
    let lines = series.iter().enumerate().map(|(index, own)| {
        let name = if series.len() == 1 { arm.to_owned() } else { format!("{arm}, {own}") };
        line(&name, index, trainings.iter().filter(|training| training.series == *own).collect())
    });
    let lines: Vec<Line> = lines.collect();
    let seeds = lines.iter().flat_map(|line| &line.counts).max().copied().unwrap_or_default();
    let has_band = lines.iter().any(|line| !line.band.is_empty());
    let band = if has_band { ", band: standard deviation" } else { "" };
    Figure {
        x: XAxis::Remaining.axis(),
        y: Axis::new("Early-stop iteration", ""),
        lines,
        note: format!("mean over {}{band}", counted(seeds, "seed")),
        ..Figure::default()
    }
}

fn line(name: &str, index: usize, mut rounds: Vec<&Training>) -> Line {
    let mut line = Line::new(name, style_of(index), Vec::new());
    rounds.sort_by(|a, b| b.remaining.total_cmp(&a.remaining));
    for training in rounds {
        let level = level(training.remaining, &training.iterations(), Spread::StandardDeviation);
        line.points.push([level.x, level.mean]);
        line.counts.push(u32::try_from(level.n).unwrap_or(u32::MAX));
        line.band.extend(level.band);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::EarlyStop;
    use crate::results::statistics::Band;

    #[test]
    fn the_figure_goes_from_many_weights_to_few_with_the_spread_over_seeds() {
        let training = |series: &str, remaining: f64, iterations: &[u64]| Training {
            place: String::new(),
            series: series.to_owned(),
            remaining,
            stops: iterations.iter().map(|iteration| (1, stop(*iteration))).collect(),
        };
        let rounds = [training("Stage 2", 0.5, &[100]), training("Stage 2", 1.0, &[200, 204, 208])];
        let control = training("Stage 2, control", 0.5, &[150]);
        let both = early_stops("ticket", &[rounds[0].clone(), control, rounds[1].clone()]);
        let names: Vec<_> = both.lines.iter().map(|line| (line.name.as_str(), line.points.len())).collect();
        assert_eq!(names, [("ticket, Stage 2", 2), ("ticket, Stage 2, control", 1)]);
        let figure = early_stops("ticket", &rounds);
        let line = &figure.lines[0];
        assert_eq!(
            (line.points.as_slice(), line.counts.as_slice()),
            (&[[1.0, 204.0], [0.5, 100.0]][..], &[3, 1][..])
        );
        assert_eq!(line.band, [Band { x: 1.0, low: 200.0, high: 208.0 }]);
        assert_eq!(figure.note, "mean over 3 seeds, band: standard deviation");
    }

    fn stop(iteration: u64) -> EarlyStop {
        EarlyStop {
            stage: "1".to_owned(),
            branch: String::new(),
            round: None,
            iteration,
            validation_loss: 0.5,
            test_accuracy: None,
            remaining: 0.5,
        }
    }
}
