//! The trainings of a run, one after the other: the rounds of a lottery-ticket experiment.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::RunRecord;
use super::event::PointRef;
use super::number::fixed;
use doc::stage_number;

/// One training of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// Which training of its branch it is, from 1.
    pub number: usize,
    /// Number of its step in the order of execution, from 0; `None` where the log does not tell.
    pub step: Option<usize>,
    /// Place of the training in the plan, such as `2.1`.
    pub stage: String,
    /// The branch; empty for the main branch.
    pub branch: String,
    /// The round of the innermost repetition, from 1.
    pub round: Option<u64>,
    /// Share of the prunable weights that remain in it, in [0, 1].
    pub remaining: f64,
    /// Epochs trained before it.
    pub trained_before: f64,
    /// Positions of its points among all points of the run.
    points: Range<usize>,
}

impl Round {
    /// Returns what people call it: "round 5", or "training 1" where no repetition counts; with its branch.
    pub fn title(&self) -> String {
        let branch = if self.branch.is_empty() { String::new() } else { format!("{}: ", self.branch) };
        match self.round {
            Some(round) => format!("{branch}round {round}"),
            None => format!("{branch}training {}", self.number),
        }
    }

    /// Returns the place of its stage in the plan, counted from 1: "stage 3.1".
    pub fn place(&self) -> String {
        format!("stage {}", stage_number(&self.stage))
    }

    /// Returns its points of a series with the epochs since the start of the training, in (0, …]. Of an ensemble, all
    /// members.
    pub fn points<'a>(
        &self,
        record: &'a RunRecord,
        series: &str,
    ) -> impl Iterator<Item = (f64, PointRef<'a>)> {
        let points = record.points();
        let before = self.trained_before;
        points.of_within(series, self.points.clone()).map(move |point| (point.trained - before, point))
    }

    /// Returns the value of a series at epoch 0: what the step right before the training measured, such as a `Test`
    /// after pruning. `None` where that step measured nothing.
    pub fn start<'a>(&self, record: &'a RunRecord, series: &str) -> Option<PointRef<'a>> {
        let steps = record.steps();
        let at = steps.iter().position(|known| Some(known.number) == self.step)?;
        let before = steps[at.checked_sub(1)?].points;
        let last = record.points().of_within(series, before..self.points.start).next_back()?;
        (last.branch == self.branch).then_some(last)
    }
}

/// The trainings of a plan that have lines where x is the epoch within a training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Levels {
    /// All of a few, else some that are evenly spaced.
    #[default]
    Spread,
    All,
    /// The first, the third, and so on.
    EverySecond,
    /// Those in [`PlotOptions::rounds`](super::view::PlotOptions::rounds).
    Chosen,
}

impl Levels {
    /// Those that need no further choice, for menus.
    pub const SIMPLE: [Self; 3] = [Self::Spread, Self::All, Self::EverySecond];

    /// Returns its name in menus.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Spread => "evenly spread",
            Self::All => "all",
            Self::EverySecond => "every 2nd",
            Self::Chosen => "chosen",
        }
    }
}

/// Returns a level of remaining weights: "100 %", "32.8 %", "0.45 %".
pub fn level_text(remaining: f64) -> String {
    let percent = 100.0 * remaining;
    let digits = match percent {
        99.95.. => 0,
        ..0.995 => 2,
        _ => 1,
    };
    format!("{} %", fixed(percent, digits))
}

/// Every training emits this series, and no other stage does.
const TRAINS: &str = "train_loss";

/// Returns the trainings of a run in their order. It works for logs of every version.
pub fn rounds(record: &RunRecord) -> Vec<Round> {
    let mut rounds: Vec<Round> = Vec::new();
    let mut trained = Trained::default();
    for (step, branch, points) in steps(record) {
        if let Some(branch) = branch {
            trained.enter(branch);
        }
        for range in same_place(record, points) {
            let mut trains = record.points().of_within(TRAINS, range.clone());
            let Some(first) = trains.next() else {
                trained.note(record, range);
                continue;
            };
            let number = 1 + rounds.iter().filter(|round| round.branch == first.branch).count();
            rounds.push(Round {
                number,
                step,
                stage: first.stage.to_owned(),
                branch: first.branch.to_owned(),
                round: first.round,
                remaining: first.remaining,
                trained_before: trained.epochs,
                points: range.clone(),
            });
            trained.note(record, range);
        }
    }
    rounds
}

/// Returns number, branch and points of each step; of a log without steps, all points.
fn steps(record: &RunRecord) -> Vec<(Option<usize>, Option<&str>, Range<usize>)> {
    let steps = record.steps();
    let ends = steps.iter().skip(1).map(|step| step.points).chain([record.points().len()]);
    let first = steps.first().map_or(record.points().len(), |step| step.points);
    let before = (first > 0).then_some((None, None, 0..first));
    let known = steps.iter().zip(ends).map(|(step, end)| {
        let branch = step.branch.as_deref().unwrap_or_default();
        (Some(step.number), Some(branch), step.points..end)
    });
    before.into_iter().chain(known).collect()
}

/// Splits points by their place in the plan; those of a step have one.
fn same_place(record: &RunRecord, points: Range<usize>) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut place = None;
    for (at, point) in record.points().range(points) {
        let here = Some((point.stage, point.branch, point.round));
        match parts.last_mut().filter(|_| place == here) {
            Some(last) => last.end = at + 1,
            None => parts.push(at..at + 1),
        }
        place = here;
    }
    parts
}

/// Epochs trained so far, by the main branch and the branches within branches.
#[derive(Default)]
struct Trained {
    outer: Vec<(String, f64)>,
    branch: String,
    epochs: f64,
}

impl Trained {
    /// Goes on in a branch: a clone begins with the epochs of its original, and leaves them as they are.
    fn enter(&mut self, branch: &str) {
        if branch == self.branch {
            return;
        }
        if let Some(at) = self.outer.iter().position(|(outer, _)| outer == branch) {
            (self.branch, self.epochs) = self.outer.swap_remove(at);
            self.outer.truncate(at);
        } else {
            self.outer.push((std::mem::replace(&mut self.branch, branch.to_owned()), self.epochs));
        }
    }

    fn note(&mut self, record: &RunRecord, points: Range<usize>) {
        if let Some((_, last)) = record.points().range(points).next_back() {
            self.epochs = last.trained;
        }
    }
}

/// A training whose network is on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptRound {
    /// Number of its step in the order of execution, from 0.
    pub step: usize,
    /// "round 5", or "training 1" where no repetition counts; with its stage where another one has the same name.
    pub name: String,
    /// Share of the prunable weights that remain in it, in [0, 1].
    pub remaining: f64,
}

impl KeptRound {
    /// Returns its name with what remains: "round 5, 32.8 % remaining".
    pub fn caption(&self) -> String {
        format!("{}, {} remaining", self.name, level_text(self.remaining))
    }

    /// Returns the trainings that are called so: by the name or the caption, or by the number of their round, or else
    /// of their training. Several where only their stages tell them apart.
    pub fn find<'a>(kept: &'a [Self], wanted: &str) -> Vec<&'a Self> {
        let wanted = wanted.trim().to_lowercase();
        let exact = |own: &Self| [&own.name, &own.caption()].iter().any(|name| name.to_lowercase() == wanted);
        if let Some(own) = kept.iter().find(|own| exact(own)) {
            return vec![own];
        }
        let names = [wanted.clone(), format!("round {wanted}"), format!("training {wanted}")];
        let called = |name: &String| -> Vec<&'a Self> {
            let rest = |own: &Self| own.name.to_lowercase().strip_prefix(name.as_str()).map(str::to_owned);
            let is_it =
                |own: &&Self| rest(own).is_some_and(|rest| rest.is_empty() || rest.starts_with(", stage "));
            kept.iter().filter(is_it).collect()
        };
        names.iter().map(called).find(|found| !found.is_empty()).unwrap_or_default()
    }
}

/// Returns the trainings of a run that are over and whose steps are among `stored`, in their order.
pub fn kept_rounds(record: &RunRecord, stored: &[usize]) -> Vec<KeptRound> {
    // The file of a training in progress is that of an earlier attempt.
    let last = record.steps().last().map(|step| step.number);
    let is_over = |step: usize| record.is_done() || last.is_some_and(|last| step < last);
    let kept: Vec<(usize, Round)> = rounds(record)
        .into_iter()
        .filter_map(|round| Some((round.step.filter(|step| stored.contains(step) && is_over(*step))?, round)))
        .collect();
    let named = |(step, round): &(usize, Round)| {
        let title = round.title();
        let is_double = kept.iter().filter(|(_, other)| other.title() == title).count() > 1;
        let stage = if is_double { format!(", {}", round.place()) } else { String::new() };
        KeptRound { step: *step, name: title + &stage, remaining: round.remaining }
    };
    kept.iter().map(named).collect()
}

/// Returns a training, and two rounds of a repetition; the step of the second is the last one, and in progress.
#[cfg(any(test, feature = "testing"))]
pub fn lottery_events() -> Vec<super::Event> {
    use super::{Event, Point, event::StageBegan};
    let events = [(0, None, 1.0), (2, Some(1), 0.8), (4, Some(2), 0.64)].map(|(number, round, remaining)| {
        let (stage, label, branch) = (number.to_string(), String::new(), String::new());
        let began = StageBegan { number, of: 5, stage: stage.clone(), label, round, branch };
        let series = "train_loss".to_owned();
        [Event::Stage(began), Event::Point(Point { series, stage, round, remaining, ..Point::default() })]
    });
    events.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::StageBegan;
    use crate::{Event, Point};

    fn stage(number: usize, branch: &str) -> Event {
        Event::Stage(StageBegan {
            number,
            of: 9,
            stage: String::new(),
            label: String::new(),
            round: None,
            branch: branch.to_owned(),
        })
    }

    fn points(series: &str, branch: &str, remaining: f64, trained: &[f64]) -> Vec<Event> {
        let point = |&trained: &f64| {
            Event::Point(Point {
                series: series.to_owned(),
                stage: "1".to_owned(),
                branch: branch.to_owned(),
                remaining,
                trained,
                value: trained,
                ..Point::default()
            })
        };
        trained.iter().map(point).collect()
    }

    #[test]
    fn a_clone_trains_on_from_its_original_and_changes_nothing_there() {
        let mut events = vec![stage(0, "")];
        events.extend(points("train_loss", "", 1.0, &[1.0, 2.0]));
        for round in [0, 3] {
            events.push(stage(1 + round, "copy"));
            events.push(stage(2 + round, "copy"));
            events.extend(points("train_loss", "copy", 1.0, &[4.0]));
            events.push(stage(3 + round, ""));
        }
        events.push(stage(7, ""));
        events.extend(points("test_accuracy", "", 0.5, &[2.0]));
        events.push(stage(8, ""));
        events.extend(points("train_loss", "", 0.5, &[2.5, 3.0]));
        let record = RunRecord::from_events(events);
        let found = rounds(&record);
        let seen: Vec<_> = found
            .iter()
            .map(|round| (round.number, round.step, round.branch.as_str(), round.trained_before))
            .collect();
        assert_eq!(
            seen,
            [
                (1, Some(0), "", 0.0),
                (1, Some(2), "copy", 2.0),
                (2, Some(5), "copy", 2.0),
                (2, Some(8), "", 2.0)
            ]
        );
        let epochs: Vec<f64> = found[3].points(&record, "train_loss").map(|(epochs, _)| epochs).collect();
        assert_eq!((epochs, found[3].remaining), (vec![0.5, 1.0], 0.5));
        let start = |round: usize| found[round].start(&record, "test_accuracy").map(|point| point.value);
        assert_eq!((start(0), start(3)), (None, Some(2.0)));
    }

    #[test]
    fn levels_have_as_many_digits_as_tell_them_apart() {
        assert_eq!(
            [1.0, 0.9996, 0.8, 0.327_68, 0.0101, 0.0045].map(level_text),
            ["100 %", "100 %", "80.0 %", "32.8 %", "1.0 %", "0.45 %"]
        );
    }

    #[test]
    fn a_log_without_steps_is_divided_by_places() {
        let mut events = points("train_loss", "", 1.0, &[1.0]);
        events.extend(points("train_loss", "b", 1.0, &[2.0]));
        let found = rounds(&RunRecord::from_events(events));
        assert_eq!(found.iter().map(|round| round.branch.as_str()).collect::<Vec<_>>(), ["", "b"]);
    }

    fn record(end: Option<Event>) -> RunRecord {
        RunRecord::from_events(lottery_events().into_iter().chain(end))
    }

    #[test]
    fn a_training_is_kept_once_it_is_over() {
        let names = |record: &RunRecord, stored: &[usize]| -> Vec<String> {
            kept_rounds(record, stored).iter().map(KeptRound::caption).collect()
        };
        let first = ["training 1, 100 % remaining", "round 1, 80.0 % remaining"];
        assert_eq!(names(&record(None), &[0, 2, 4]), first, "the last one is in progress");
        let done = record(Some(Event::Finished { secs: 1.0 }));
        assert_eq!(names(&done, &[0, 2, 4])[2], "round 2, 64.0 % remaining");
        assert_eq!(names(&done, &[4]), ["round 2, 64.0 % remaining"]);
        assert!(kept_rounds(&RunRecord::default(), &[0]).is_empty());
    }

    #[test]
    fn a_round_is_found_by_its_number_and_any_training_by_its_name() {
        let kept = kept_rounds(&record(Some(Event::Finished { secs: 1.0 })), &[0, 2, 4]);
        let step = |wanted: &str| KeptRound::find(&kept, wanted).first().map(|found| found.step);
        assert_eq!(step("round 1, 80.0 % remaining"), Some(2), "its caption");
        assert_eq!(
            ["1", "2", "3", "training 1", "Round 2"].map(step),
            [Some(2), Some(4), None, Some(0), Some(4)]
        );
        assert_eq!(
            KeptRound::find(&kept[..1], "1").first().map(|found| found.step),
            Some(0),
            "no round has that number"
        );
    }

    #[test]
    fn a_number_that_two_rounds_have_is_neither_of_them_and_no_training() {
        let names = ["training 1", "round 1, stage 2.2", "round 1, stage 3.2", "round 12"];
        let kept =
            |(step, name): (usize, &&str)| KeptRound { step, name: (*name).to_owned(), remaining: 1.0 };
        let kept: Vec<KeptRound> = names.iter().enumerate().map(kept).collect();
        let steps = |wanted: &str| -> Vec<usize> {
            KeptRound::find(&kept, wanted).iter().map(|found| found.step).collect()
        };
        assert_eq!(
            (steps("1"), steps("Round 1"), steps("round 1, stage 3.2")),
            (vec![1, 2], vec![1, 2], vec![2])
        );
        assert_eq!(steps("training 1"), [0]);
    }
}
