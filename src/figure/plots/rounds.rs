//! Lines by round: one for each training of a plan, over the epochs of this training.

use super::ArmRuns;
use super::curves::{Averaged, Series, averaged};
use super::series::{Curve, Place};
use crate::figure::palette::{DASHES, Marker, Style, style_of};
use crate::results::number::percent;
use crate::results::rounds::rounds;
use crate::results::view::PlotOptions;

/// As many rounds of an arm are drawn where nobody has chosen them: the first, the last, and two between.
const CHOSEN: usize = 4;

/// The trainings of one number in all runs of an arm.
struct Group {
    number: usize,
    /// The shares of weights that remain, one for each run, in [0, 1].
    remaining: Vec<f64>,
    curves: Vec<Curve>,
}

/// The lines of an arm: a line for each chosen round, named by the weights that remain, in shades of the arm's colour from
/// light to dark.
pub fn lines(arm: &ArmRuns<'_>, series: &Series, options: &PlotOptions) -> Vec<Averaged> {
    let groups = groups(arm, series.name);
    let numbers: Vec<usize> = groups.iter().map(|group| group.number).collect();
    let chosen = chosen(&numbers, &options.rounds);
    let count = chosen.len();
    let groups = groups.into_iter().filter(|group| chosen.contains(&group.number));
    groups.enumerate().map(|(position, group)| line(arm, series, group, (position, count), options)).collect()
}

fn line(
    arm: &ArmRuns<'_>,
    series: &Series,
    group: Group,
    (position, count): (usize, usize),
    options: &PlotOptions,
) -> Averaged {
    let own = style_of(arm.colour);
    if count == 1 {
        return averaged(arm, &format!("{}{}", arm.name, series.suffix), own, group.curves, options);
    }
    let dash = DASHES[series.first_dash(own) % DASHES.len()];
    // Markers at each evaluation of several similar curves would hide them.
    let style = Style { dash, marker: Marker::None, ..own.with_shade(position as f64 / (count - 1) as f64) };
    let remaining = group.remaining.iter().sum::<f64>() / group.remaining.len() as f64;
    let name = format!("{}{}, {} left", arm.name, series.suffix, percent(remaining));
    averaged(arm, &name, style, group.curves, options)
}

/// The trainings of the main branch by number, each with the curve of every run that has come so far.
fn groups(arm: &ArmRuns<'_>, series: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for ((seed, record), run) in arm.runs.iter().zip(arm.run_names()) {
        for round in rounds(record).into_iter().filter(|round| round.branch.is_empty()) {
            let start = round.start(record, series).map(|point| [0.0, point.value]);
            let within = round.points(record, series);
            let points: Vec<[f64; 2]> = start
                .into_iter()
                .chain(
                    within
                        .filter(|(_, point)| point.member.is_none_or(|member| member == 1))
                        .map(|(epochs, point)| [epochs, point.value]),
                )
                .collect();
            if points.is_empty() {
                continue;
            }
            let places = points.iter().map(|point| Place { at: point[0], nth: 0 }).collect();
            let curve = Curve { seed: *seed, run: run.clone(), places, points };
            match groups.iter_mut().find(|group| group.number == round.number) {
                Some(group) => {
                    group.remaining.push(round.remaining);
                    group.curves.push(curve);
                }
                None => groups.push(Group {
                    number: round.number,
                    remaining: vec![round.remaining],
                    curves: vec![curve],
                }),
            }
        }
    }
    groups.sort_by_key(|group| group.number);
    groups
}

/// The rounds to draw: those that were chosen, as far as they are there; else a few, evenly spaced.
fn chosen(numbers: &[usize], wanted: &[usize]) -> Vec<usize> {
    let there: Vec<usize> = wanted.iter().copied().filter(|number| numbers.contains(number)).collect();
    if !there.is_empty() || numbers.len() <= CHOSEN {
        return if there.is_empty() { numbers.to_vec() } else { there };
    }
    let last = numbers.len() - 1;
    (0..CHOSEN).map(|step| numbers[(step * last + (CHOSEN - 1) / 2) / (CHOSEN - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::accuracy;
    use super::super::testing::{at, record};
    use super::*;
    use crate::results::view::XAxis;

    #[test]
    fn a_few_rounds_stand_for_many() {
        let all: Vec<usize> = (1..=13).collect();
        assert_eq!(chosen(&all, &[]), [1, 5, 9, 13]);
        assert_eq!(chosen(&all, &[2, 3, 99]), [2, 3]);
        assert_eq!(chosen(&all[..3], &[]), [1, 2, 3]);
    }

    #[test]
    fn each_training_is_a_line_that_begins_at_its_first_epoch() {
        let train = |trained: f64, remaining: f64| {
            let point = |series: &str, value: f64| crate::results::Point {
                remaining,
                stage: if remaining < 1.0 { "2".to_owned() } else { "1".to_owned() },
                ..at(series, trained, value)
            };
            [point("train_loss", 0.1), point("test_accuracy", trained / 10.0)]
        };
        let record = record(
            [train(1.0, 1.0), train(2.0, 1.0), train(3.0, 0.5), train(4.0, 0.5)].into_iter().flatten(),
        );
        let arm = ArmRuns { name: "ticket".to_owned(), runs: vec![(1, &record)], ..ArmRuns::default() };
        let options = PlotOptions { x: XAxis::Training, ..PlotOptions::default() };
        let figure = (accuracy::PLOT.build)(&[arm], &options);
        let lines: Vec<_> =
            figure.lines.iter().map(|line| (line.name.as_str(), line.points.clone())).collect();
        assert_eq!(
            lines,
            [
                ("ticket, 100.00 % left", vec![[1.0, 0.1], [2.0, 0.2]]),
                ("ticket, 50.00 % left", vec![[1.0, 0.3], [2.0, 0.4]])
            ]
        );
        assert!(figure.lines[0].style.shade < figure.lines[1].style.shade);
        assert_eq!(figure.x.label(), "Epochs in this training");
    }
}
