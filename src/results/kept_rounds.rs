//! The trainings whose networks a run has kept, by the names of the slider over them.

use super::RunRecord;
use super::rounds::{Round, level_text, rounds};

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
    /// Its name with what remains: "round 5, 32.8 % remaining".
    pub fn caption(&self) -> String {
        format!("{}, {} remaining", self.name, level_text(self.remaining))
    }

    /// The trainings that are called so: by the name or the caption, or by the number of their round, or else of their
    /// training. Several where only their stages tell them apart.
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

/// The trainings of a run that are over and whose steps are among `stored`, in their order.
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

#[cfg(any(test, feature = "testing"))]
/// A training, and two rounds of a repetition; the step of the second is the last one, and in progress.
pub fn lottery_events() -> Vec<super::Event> {
    use super::{Event, Point, event::StageBegan};
    let events =
        [(0, None, 1.0), (2, Some(1), 0.8), (4, Some(2), 0.64)].map(|(number, round, remaining)| {
            let (stage, label, branch) = (number.to_string(), String::new(), String::new());
            let began = StageBegan { number, of: 5, stage: stage.clone(), label, round, branch };
            let series = "train_loss".to_owned();
            [
                Event::Stage(began),
                Event::Point(Point { series, stage, round, remaining, ..Point::default() }),
            ]
        });
    events.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Event;

    fn record(end: Option<Event>) -> RunRecord {
        RunRecord::of(lottery_events().into_iter().chain(end))
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
