//! Lines by round: one for each training of a plan, over the epochs of this training.

use super::ArmRuns;
use super::curves::{Averaged, Series, averaged};
use super::series::{Curve, Place};
use crate::figure::model::{Level, Line, LineRound};
use crate::figure::palette::{DASHES, Marker, Style, style_of};
use crate::results::rounds::{Levels, level_text, rounds};
use crate::results::view::PlotOptions;

/// As many trainings of an arm are drawn where nobody has chosen them: lines of several arms have to be told apart.
const MOST: usize = 4;

/// The trainings of one number in all runs of an arm.
struct Group {
    number: usize,
    /// The shares of weights that remain, one for each run, in [0, 1].
    remaining: Vec<f64>,
    curves: Vec<Curve>,
}

/// The training that a line stands for.
#[derive(Clone, Debug)]
pub struct TrainingLine {
    /// Its arm.
    pub arm: String,
    /// The name of the line beside lines of the same arm: "32.8 %".
    pub name: String,
    /// All trainings of the arm.
    pub all: Vec<Level>,
}

impl Group {
    fn remaining(&self) -> f64 {
        self.remaining.iter().sum::<f64>() / self.remaining.len() as f64
    }
}

/// The lines of an arm: a line for each chosen training, named by the weights that remain, in shades of the arm's colour
/// from light to dark.
pub fn lines(arm: &ArmRuns<'_>, series: &Series<'_>, options: &PlotOptions) -> Vec<Averaged> {
    let groups = groups(arm, series.name);
    let numbers: Vec<usize> = groups.iter().map(|group| group.number).collect();
    let chosen = chosen(&numbers, options);
    let level = |group: &Group| Level {
        number: group.number,
        remaining: group.remaining(),
        is_drawn: chosen.contains(&group.number),
    };
    let all: Vec<Level> = groups.iter().map(level).collect();
    let count = chosen.len();
    let groups = groups.into_iter().filter(|group| chosen.contains(&group.number));
    groups
        .enumerate()
        .map(|(position, group)| line(arm, series, (group, &all), (position, count), options))
        .collect()
}

fn line(
    arm: &ArmRuns<'_>,
    series: &Series<'_>,
    (group, all): (Group, &[Level]),
    (position, count): (usize, usize),
    options: &PlotOptions,
) -> Averaged {
    let own = style_of(arm.colour);
    let of = format!("{}{}", arm.name, series.suffix);
    let round = Some(LineRound { of: of.clone(), number: group.number });
    if all.len() == 1 {
        let drawn = averaged(arm, &of, own, group.curves, options);
        return Averaged { line: Line { round, ..drawn.line }, ..drawn };
    }
    let dash = DASHES[series.first_dash(own) % DASHES.len()];
    // Markers at each evaluation of several similar curves would hide them.
    let shade = position as f64 / (count - 1).max(1) as f64;
    let style = Style { dash, marker: Marker::None, ..own.with_shade(shade) };
    let level = level_text(group.remaining());
    let name = format!("{of}, {level}");
    let training =
        TrainingLine { arm: arm.name.clone(), name: format!("{level}{}", series.suffix), all: all.to_vec() };
    let drawn = averaged(arm, &name, style, group.curves, options);
    Averaged { training: Some(training), line: Line { round, ..drawn.line }, ..drawn }
}

/// The trainings of the main branch by number, each with the curve of every run that has come so far.
fn groups(arm: &ArmRuns<'_>, series: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (of, ((seed, record), run)) in arm.runs.iter().zip(arm.run_names()).enumerate() {
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
            let curve = Curve { seed: *seed, place: of, run: run.clone(), places, points };
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

/// All trainings that the arms of these lines have, by number. Where all lines are of one arm, their names leave it out.
pub fn levels_of(drawn: &mut [Averaged]) -> Vec<Level> {
    let trainings = || drawn.iter().map(|averaged| averaged.training.as_ref());
    let mut levels: Vec<Level> = trainings().flatten().flat_map(|training| training.all.clone()).collect();
    levels.sort_by_key(|level| level.number);
    levels.dedup_by(|next, level| {
        let is_same = next.number == level.number;
        level.is_drawn |= is_same && next.is_drawn;
        is_same
    });
    let mut arms = trainings().map(|training| training.map(|training| &training.arm));
    let first = arms.next().flatten();
    if first.is_some() && arms.all(|arm| arm == first) {
        for averaged in drawn {
            averaged.line.name = averaged.training.take().map(|training| training.name).unwrap_or_default();
        }
    }
    levels
}

/// The trainings to draw: none of those that were chosen may be there.
fn chosen(numbers: &[usize], options: &PlotOptions) -> Vec<usize> {
    let spread = || {
        let last = numbers.len() - 1;
        (0..MOST).map(|step| numbers[(step * last + (MOST - 1) / 2) / (MOST - 1)]).collect()
    };
    let those: Vec<usize> =
        numbers.iter().copied().filter(|number| options.rounds.contains(number)).collect();
    match options.levels {
        Levels::All => numbers.to_vec(),
        Levels::EverySecond => numbers.iter().copied().step_by(2).collect(),
        Levels::Chosen if !those.is_empty() => those,
        Levels::Spread | Levels::Chosen if numbers.len() <= MOST => numbers.to_vec(),
        Levels::Spread | Levels::Chosen => spread(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::accuracy;
    use super::super::testing::{at, record};
    use super::*;
    use crate::results::view::XAxis;

    #[test]
    fn a_few_trainings_stand_for_many_unless_somebody_chooses() {
        let all: Vec<usize> = (1..=15).collect();
        let of = |levels, rounds: &[usize], numbers: &[usize]| {
            chosen(numbers, &PlotOptions { levels, rounds: rounds.to_vec(), ..PlotOptions::default() })
        };
        assert_eq!(of(Levels::Spread, &[], &all), [1, 6, 10, 15]);
        assert_eq!(of(Levels::Spread, &[], &all[..4]), all[..4]);
        assert_eq!(of(Levels::All, &[], &all), all);
        assert_eq!(of(Levels::EverySecond, &[], &all[..4]), [1, 3]);
        assert_eq!(of(Levels::Chosen, &[99, 3, 2], &all), [2, 3]);
    }

    /// A training of two epochs at each level of remaining weights.
    fn lottery(levels: &[f64]) -> crate::results::RunRecord {
        let point = |series: &str, place: usize, trained: f64, value: f64| crate::results::Point {
            remaining: levels[place],
            stage: place.to_string(),
            ..at(series, trained, value)
        };
        record((0..levels.len()).flat_map(|place| {
            let trained = [2 * place + 1, 2 * place + 2].map(|epochs| epochs as f64);
            trained.into_iter().flat_map(move |trained| {
                [
                    point("train_loss", place, trained, 0.1),
                    point("test_accuracy", place, trained, trained / 10.0),
                ]
            })
        }))
    }

    fn arm<'a>(name: &str, record: &'a crate::results::RunRecord) -> ArmRuns<'a> {
        ArmRuns { name: name.to_owned(), runs: vec![(1, record)], ..ArmRuns::default() }
    }

    #[test]
    fn each_training_is_a_line_that_begins_at_its_first_epoch() {
        let record = lottery(&[1.0, 0.5]);
        let options = PlotOptions { x: XAxis::Training, ..PlotOptions::default() };
        let figure = (accuracy::PLOT.build)(&[arm("ticket", &record)], &options);
        let lines: Vec<_> =
            figure.lines.iter().map(|line| (line.name.as_str(), line.points.clone())).collect();
        assert_eq!(
            lines,
            [("100 %", vec![[1.0, 0.1], [2.0, 0.2]]), ("50.0 %", vec![[1.0, 0.3], [2.0, 0.4]])]
        );
        assert!(figure.lines[0].style.shade < figure.lines[1].style.shade);
        assert_eq!(figure.x.label(), "Epochs in this training");
        let both = (accuracy::PLOT.build)(&[arm("ticket", &record), arm("control", &record)], &options);
        assert_eq!(both.lines[3].name, "control, 50.0 %", "of several arms, the name says which");
    }

    #[test]
    fn the_figure_knows_the_trainings_that_are_not_drawn_too() {
        let record = lottery(&[1.0, 0.5, 0.25]);
        let options = PlotOptions {
            x: XAxis::Training,
            levels: Levels::Chosen,
            rounds: vec![3],
            ..PlotOptions::default()
        };
        let figure = (accuracy::PLOT.build)(&[arm("ticket", &record)], &options);
        assert_eq!(figure.lines.iter().map(|line| line.name.as_str()).collect::<Vec<_>>(), ["25.0 %"]);
        let levels: Vec<_> =
            figure.levels.iter().map(|level| (level.number, level.remaining, level.is_drawn)).collect();
        assert_eq!(levels, [(1, 1.0, false), (2, 0.5, false), (3, 0.25, true)]);
        let over_epochs = (accuracy::PLOT.build)(&[arm("ticket", &record)], &PlotOptions::default());
        assert!(over_epochs.levels.is_empty());
    }
}
