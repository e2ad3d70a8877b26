//! Lines by round: one for each training of a plan, over the epochs of this training.

use std::collections::BTreeMap;

use super::ArmRuns;
use super::curves::{Averaged, Series, averaged};
use super::series::Curve;
use crate::model::{Figure, Level, Line, LineRound, training_text};
use crate::palette::{DASHES, Style, style_of};
use results::rounds::{Levels, level_text, rounds};
use results::view::PlotOptions;

/// As many trainings of an arm are drawn unless the user chooses: more lines of several arms look alike.
const MOST: usize = 4;

/// The trainings of one number in all runs of an arm.
struct Group {
    number: usize,
    /// The shares of weights that remain, one for each run, in [0, 1].
    remaining: Vec<f64>,
    curves: Vec<Curve>,
}

impl Group {
    /// Returns the mean over seeds; `None` for pooled arms that differ in it.
    fn remaining(&self, is_pooled: bool) -> Option<f64> {
        let first = level_text(self.remaining[0]);
        let differs = is_pooled && self.remaining.iter().any(|share| level_text(*share) != first);
        (!differs).then(|| self.remaining.iter().sum::<f64>() / self.remaining.len() as f64)
    }
}

impl LineRound {
    /// Names its training: "32.8 %", or "training 2".
    pub fn level(&self) -> String {
        training_text(self.number, self.remaining)
    }

    fn full_name(&self) -> String {
        format!("{}, {}", self.of, self.level())
    }

    /// Names the line without its arm: "32.8 %", "32.8 %, validation".
    fn short_name(&self) -> String {
        format!("{}{}", self.level(), self.of.strip_prefix(self.arm.as_str()).unwrap_or_default())
    }
}

/// Returns the lines of an arm: a line for each chosen training, named by the weights that remain, in shades of the arm's colour
/// from light to dark.
pub fn lines(arm: &ArmRuns, series: &Series<'_>, options: &PlotOptions) -> Vec<Averaged> {
    let groups = groups(arm, series.name);
    let numbers: Vec<usize> = groups.iter().map(|group| group.number).collect();
    let chosen = chosen(&numbers, options);
    let is_pooled = arm.pooled() > 1;
    let level = |group: &Group| Level {
        number: group.number,
        remaining: group.remaining(is_pooled),
        // The line of an arm's only training cannot be left out.
        is_drawn: chosen.contains(&group.number) && numbers.len() > 1,
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
    arm: &ArmRuns,
    series: &Series<'_>,
    (group, all): (Group, &[Level]),
    (position, count): (usize, usize),
    options: &PlotOptions,
) -> Averaged {
    let own = style_of(arm.colour);
    let of = format!("{}{}", arm.name, series.suffix);
    let (number, remaining) = (group.number, group.remaining(arm.pooled() > 1));
    let round = LineRound { arm: arm.name.clone(), of, number, remaining };
    let (name, style) = if all.len() == 1 {
        (round.of.clone(), own)
    } else {
        let dash = DASHES[series.first_dash(own) % DASHES.len()];
        let shade = position as f64 / (count - 1).max(1) as f64;
        (round.full_name(), Style { dash, ..own.with_shade(shade) })
    };
    let drawn = averaged(arm, &name, style, group.curves, options);
    Averaged { trainings: all.to_vec(), line: Line { round: Some(round), ..drawn.line }, ..drawn }
}

/// Returns the trainings of the main branch by number, each with the curve of every run that has come so far.
fn groups(arm: &ArmRuns, series: &str) -> Vec<Group> {
    let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
    for (of, ((seed, record), run)) in arm.runs.iter().zip(arm.run_names()).enumerate() {
        for round in rounds(record).into_iter().filter(|round| round.branch.is_empty()) {
            let start = round.start(record, series).map(|point| [0.0, point.value]);
            let within = round.points(record, series);
            let within = within.filter(|(_, point)| point.member.is_none_or(|member| member == 1));
            let mut curve = Curve { seed: *seed, place: of, run: run.clone(), ..Curve::default() };
            for point in start.into_iter().chain(within.map(|(epochs, point)| [epochs, point.value])) {
                curve.push(point[0], point);
            }
            if curve.points.is_empty() {
                continue;
            }
            let empty = || Group { number: round.number, remaining: Vec::new(), curves: Vec::new() };
            let group = groups.entry(round.number).or_insert_with(empty);
            group.remaining.push(round.remaining);
            group.curves.push(curve);
        }
    }
    groups.into_values().collect()
}

/// Returns all trainings that the arms of these lines have, by number. Where all lines are of one arm, their names leave it out.
pub fn levels_of(drawn: &mut [Averaged]) -> Vec<Level> {
    let levels = united(drawn.iter().flat_map(|averaged| averaged.trainings.clone()));
    let mut lines: Vec<&mut Line> = drawn.iter_mut().map(|averaged| &mut averaged.line).collect();
    if are_of_one_arm(&lines) {
        rename(&mut lines, LineRound::short_name);
    }
    levels
}

/// Gives lines by round the same names and shades in all panels: names without the arm only where all panels are of one.
/// Returns all trainings of the panels.
pub fn in_panels(figures: &mut [Figure]) -> Vec<Level> {
    let levels = united(figures.iter().flat_map(|figure| figure.levels.clone()));
    let mut lines: Vec<&mut Line> = figures.iter_mut().flat_map(|figure| &mut figure.lines).collect();
    let name = if are_of_one_arm(&lines) { LineRound::short_name } else { LineRound::full_name };
    rename(&mut lines, name);
    give_shades(&mut lines);
    levels
}

/// Merges levels by number; the remaining weights stay where all agree.
fn united(levels: impl Iterator<Item = Level>) -> Vec<Level> {
    let mut found: BTreeMap<usize, Level> = BTreeMap::new();
    for level in levels {
        let known = found.entry(level.number).or_insert(level);
        known.is_drawn |= level.is_drawn;
        if known.remaining.map(level_text) != level.remaining.map(level_text) {
            known.remaining = None;
        }
    }
    found.into_values().collect()
}

/// Returns the training of a line that is one of several of its arm.
fn one_of_several(line: &Line) -> Option<&LineRound> {
    line.round.as_ref().filter(|round| line.name != round.of)
}

fn are_of_one_arm(lines: &[&mut Line]) -> bool {
    let mut arms = lines.iter().map(|line| one_of_several(line).map(|round| &round.arm));
    let first = arms.next().flatten();
    first.is_some() && arms.all(|arm| arm == first)
}

fn rename(lines: &mut [&mut Line], name: fn(&LineRound) -> String) {
    for line in lines {
        if let Some(name) = one_of_several(line).map(name) {
            line.name = name;
        }
    }
}

/// Shades the lines of each arm by level, from light to dark.
fn give_shades(lines: &mut [&mut Line]) {
    let mut levels: BTreeMap<String, Vec<LineRound>> = BTreeMap::new();
    for round in lines.iter().filter_map(|line| one_of_several(line)) {
        let known = levels.entry(round.of.clone()).or_default();
        if known.iter().all(|other| other.level() != round.level()) {
            known.push(round.clone());
        }
    }
    let place = |round: &LineRound| round.remaining.map_or(f64::INFINITY, |share| -share);
    for known in levels.values_mut() {
        known.sort_by(|a, b| place(a).total_cmp(&place(b)).then(a.number.cmp(&b.number)));
    }
    for line in lines {
        let Some(round) = one_of_several(line) else { continue };
        let known = &levels[&round.of];
        let nth = known.iter().position(|other| other.level() == round.level()).unwrap_or_default();
        line.style = line.style.with_shade(nth as f64 / (known.len() - 1).max(1) as f64);
    }
}

/// Returns the trainings to draw: none of those that were chosen may be there.
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
    use super::super::testing::{arm, at, record, rows as shared};
    use super::*;
    use crate::palette::Marker;
    use results::view::XAxis;

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
    fn lottery(levels: &[f64]) -> results::RunRecord {
        let point = |series: &str, place: usize, trained: f64, value: f64| results::Point {
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

    #[test]
    fn each_training_is_a_line_that_begins_at_its_first_epoch() {
        let record = lottery(&[1.0, 0.5]);
        let options = PlotOptions { x: XAxis::Training, ..PlotOptions::default() };
        let figure = (accuracy::PLOT.build)(&[arm("ticket", 0, [&record])], &options);
        let lines: Vec<_> =
            figure.lines.iter().map(|line| (line.name.as_str(), line.points.clone())).collect();
        assert_eq!(
            lines,
            [("100 %", vec![[1.0, 0.1], [2.0, 0.2]]), ("50.0 %", vec![[1.0, 0.3], [2.0, 0.4]])]
        );
        assert!(figure.lines[0].style.shade < figure.lines[1].style.shade);
        assert_eq!(figure.x.label(), "Epochs in this training");
        let both =
            (accuracy::PLOT.build)(&[arm("ticket", 0, [&record]), arm("control", 0, [&record])], &options);
        assert_eq!(both.lines[3].name, "control, 50.0 %", "of several arms, the name says which");
        let dense = lottery(&[1.0]);
        let figure =
            (accuracy::PLOT.build)(&[arm("dense", 2, [&dense]), arm("ticket", 0, [&record])], &options);
        assert_eq!(figure.lines[0].style, style_of(2), "an arm of one training has its own colour");
        assert!(figure.lines.iter().all(|line| line.style.marker != Marker::None), "all have marks");
    }

    #[test]
    fn a_training_in_which_arms_differ_goes_by_its_number() {
        let records = [&[1.0, 0.8, 0.64][..], &[1.0, 0.5, 0.25], &[0.5]].map(lottery);
        let options = PlotOptions { x: XAxis::Training, ..PlotOptions::default() };
        let arms = [arm("a", 0, [&records[0]]), arm("b", 0, [&records[1]]), arm("pruned", 0, [&records[2]])];
        let of = |arms: &[ArmRuns]| {
            let figure = (accuracy::PLOT.build)(arms, &options);
            let text = |level: &Level| training_text(level.number, level.remaining);
            let names: Vec<String> = figure.lines.iter().map(|line| line.name.clone()).collect();
            (names, figure.levels.iter().map(text).collect::<Vec<_>>())
        };
        let (names, levels) = of(&arms[..2]);
        assert_eq!(levels, ["100 %", "training 2", "training 3"]);
        assert_eq!(names[2..], ["a, 64.0 %", "b, 100 %", "b, 50.0 %", "b, 25.0 %"]);
        assert_eq!(of(&arms).1[0], "training 1", "the only training of an arm may be after its pruning");
        let rows = ["a", "b"].map(|arm| results::table::Row { arm: arm.to_owned(), ..Default::default() });
        let pooled = ArmRuns {
            name: "batch 16".to_owned(),
            runs: [0, 1].map(|index| (1, records[index].clone())).to_vec(),
            rows: shared(&rows),
            ..ArmRuns::default()
        };
        assert_eq!(of(&[pooled]).0, ["100 %", "training 2", "training 3"]);
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
        let figure = (accuracy::PLOT.build)(&[arm("ticket", 0, [&record])], &options);
        assert_eq!(figure.lines.iter().map(|line| line.name.as_str()).collect::<Vec<_>>(), ["25.0 %"]);
        let levels: Vec<_> =
            figure.levels.iter().map(|level| (level.number, level.remaining, level.is_drawn)).collect();
        assert_eq!(levels, [(1, Some(1.0), false), (2, Some(0.5), false), (3, Some(0.25), true)]);
        let over_epochs = (accuracy::PLOT.build)(&[arm("ticket", 0, [&record])], &PlotOptions::default());
        assert!(over_epochs.levels.is_empty());
    }
}
