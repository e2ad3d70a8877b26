//! Stages as sentences made of their settings, so that a plan can be read without opening a form.

mod fault;
mod intervention;
mod training;
mod words;

use super::stage::{
    Branch, BranchInit, BranchOrder, Change, Connect, Ensemble, EnsembleEnd, Repeat, Sharing, Stage, Train,
};
use crate::doc::intervention::Layers;
use crate::form::{Steps, StepsUnit};
use crate::optimize::Schedule;
pub use words::{capitalised, listed};
use words::{counted, joined, number};

impl Stage {
    /// The stage in one short sentence: `Prune 20 % by magnitude, per layer, output at half rate`.
    ///
    /// Stages that hold a plan of their own are named without it.
    pub fn sentence(&self) -> String {
        match self {
            Self::Train(train) => train_sentence(train),
            Self::Test => "Test".to_owned(),
            Self::Do(intervention) => intervention.sentence(),
            Self::Repeat(repeat) => repeat_sentence(repeat),
            Self::Branch(branch) => branch_sentence(branch),
            Self::Connect(Connect { a, b, points }) => {
                format!("Measure the line from {a} to {b} at {}", counted(*points as u64, "point"))
            }
            Self::Campaign(campaign) => campaign.sentence(),
            Self::Ensemble(ensemble) => ensemble_sentence(ensemble),
        }
    }
}

fn train_sentence(train: &Train) -> String {
    let Train { steps, rate, batch, optimizer, schedule, evaluate } = train;
    let optimizer =
        optimizer.as_ref().map(|optimizer| format!(" with {}", optimizer.label())).unwrap_or_default();
    let rate = rate.map(|rate| format!(" at rate {}", number(rate))).unwrap_or_default();
    let batch = batch.map(|batch| format!(" in batches of {batch}")).unwrap_or_default();
    let schedule = schedule.as_ref().map(|schedule| match schedule {
        Schedule::Constant => "rate constant".to_owned(),
        Schedule::Steps(_) => "rate falling in steps".to_owned(),
        Schedule::Cosine(_) => "rate falling along a cosine".to_owned(),
    });
    let evaluate = evaluate.map(|every| format!("evaluated every {}", length(every)));
    joined([Some(format!("Train {}{optimizer}{rate}{batch}", length(*steps))), schedule, evaluate])
}

fn repeat_sentence(repeat: &Repeat) -> String {
    match repeat.times {
        0 => "Repeat never".to_owned(),
        1 => "Repeat once".to_owned(),
        times => format!("Repeat {times} times"),
    }
}

fn branch_sentence(branch: &Branch) -> String {
    let Branch { name, init, order, data, plan: _ } = branch;
    let init = (*init == BranchInit::Fresh).then(|| "with new weights".to_owned());
    let order = (*order == BranchOrder::Own).then(|| "in its own order of data".to_owned());
    let data = data.as_ref().map(|data| format!("on {}", data.key()));
    joined([Some(format!("Branch {name}")), init, order, data])
}

fn ensemble_sentence(ensemble: &Ensemble) -> String {
    let Ensemble { members, share, mode, local_steps, steps, until } = ensemble;
    let members = counted(*members as u64, "member");
    let (shared, kept_equal) = match (share, mode) {
        (Layers::First(0), _) => ("nothing".to_owned(), None),
        (layers, mode) => (
            words::layers(layers).unwrap_or_else(|| "all layers".to_owned()),
            Some(match mode {
                Sharing::CopyInTurn => "copied in turn".to_owned(),
                Sharing::Tied => "tied".to_owned(),
            }),
        ),
    };
    let turns = *local_steps != 1 && *mode == Sharing::CopyInTurn;
    let turns = turns.then(|| format!("{local_steps} steps each"));
    let until = match until {
        EnsembleEnd::Never => None,
        EnsembleEnd::Change(Change { below, over }) => {
            let (below, over) = (number(*below), length(*over));
            Some(format!("or until no shared weight moves by more than {below} in {over}"))
        }
    };
    let what = format!("Train {members} that share {shared}");
    joined([Some(what), kept_equal, Some(length(*steps)), turns, until])
}

/// `5 epochs`, `1 iteration`.
fn length(steps: Steps) -> String {
    match steps.unit {
        StepsUnit::Epochs => counted(steps.count, "epoch"),
        StepsUnit::Iterations => counted(steps.count, "iteration"),
    }
}

#[cfg(test)]
mod tests {
    use crate::doc::Stage;
    use crate::form::ron_text;

    /// The sentence of a stage that is written as in a file.
    pub(super) fn said(stage: &str) -> String {
        ron_text::from_str::<Stage>(stage).unwrap_or_else(|error| panic!("{stage}: {error}")).sentence()
    }

    #[test]
    fn training_is_a_length_and_what_differs_from_the_experiment() {
        assert_eq!(said(r#"Train("5ep")"#), "Train 5 epochs");
        assert_eq!(said(r#"Train(steps: "1ep", rate: 0.0001)"#), "Train 1 epoch at rate 0.0001");
        assert_eq!(
            said(
                r#"Train(steps: "20it", optimizer: AdamW(), batch: 8, schedule: Constant, evaluate: "5it")"#
            ),
            "Train 20 iterations with AdamW in batches of 8, rate constant, evaluated every 5 iterations"
        );
        assert_eq!(said("Test"), "Test");
    }

    #[test]
    fn stages_with_a_plan_are_named_without_it() {
        assert_eq!(said("Repeat(times: 6, body: [Test])"), "Repeat 6 times");
        assert_eq!(said("Repeat(times: 1)"), "Repeat once");
        assert_eq!(said(r#"Branch(name: "copy", plan: [Test])"#), "Branch copy");
        assert_eq!(
            said(r#"Branch(name: "fresh", init: Fresh, order: Own, data: Iris())"#),
            "Branch fresh, with new weights, in its own order of data, on Iris"
        );
        assert_eq!(
            said(r#"Connect(a: "left", b: "right")"#),
            "Measure the line from left to right at 11 points"
        );
    }

    #[test]
    fn ensembles_say_what_their_members_share() {
        assert_eq!(
            said(
                r#"Ensemble(members: 3, share: First(2), mode: CopyInTurn, steps: "60ep", until: Change(below: 1e-4, over: "1ep"))"#
            ),
            "Train 3 members that share the first 2 layers, copied in turn, 60 epochs, \
             or until no shared weight moves by more than 0.0001 in 1 epoch"
        );
        assert_eq!(
            said(r#"Ensemble(members: 3, share: First(2), mode: Tied, steps: "60ep")"#),
            "Train 3 members that share the first 2 layers, tied, 60 epochs"
        );
        assert_eq!(
            said(r#"Ensemble(members: 3, share: First(0), steps: "60ep")"#),
            "Train 3 members that share nothing, 60 epochs"
        );
    }
}
