use crate::plan::words::{counted, joined, length, number};
use crate::plan::{Check, Situation, StepWork, words};
use crate::stage::Planned;
use crate::targets::{self, Layers};
use form::Steps;
use form::path::Place;

form::choice! {
    /// The way in which members share their first layers.
    pub enum Sharing: "Sharing" {
        CopyInTurn, "Copied in turn", "Each member takes its step and hands its shared layers to the next";
        Tied, "Tied", "One set of shared parameters, gradients summed";
    }
}

form::form! {
    /// Settings of an end by standstill.
    pub struct Change: "Change" {
        below: f64 = 1e-4, "Below", "Largest move of any shared weight", range [0.0, 1e6];
        over: Steps = Steps::epochs(1), "Over", "Within this time";
    }
}

form::choice! {
    /// The early end of an ensemble's training.
    pub enum EnsembleEnd: "Ends" {
        Never, "At its length", "After its full length";
        Change(Change) = Change::default(), "At a standstill", "As soon as no shared weight moves by more \
            than a bound";
    }
}

form::form! {
    /// Settings of networks that share their first layers.
    pub struct Ensemble: "Ensemble" {
        members: usize = 3, "Members", "How many networks; the first is the current one", range [1, 1000];
        share: Layers = Layers::First(1), "Shared layers", "The layers that all members share";
        mode: Sharing = Sharing::CopyInTurn, "Sharing", "How they stay equal";
        local_steps: usize = 1, "Local steps", "Steps of a member before it hands over", range [1, 10_000];
        steps: Steps = Steps::epochs(10), "Length", "Length, such as 10ep or 500it";
        until: EnsembleEnd = EnsembleEnd::Never, "Ends", "When it ends early";
    }
}

impl Planned for Ensemble {
    fn sentence(&self) -> String {
        let Self { members, share, mode, local_steps, steps, until } = self;
        let members = counted(*members as u64, "member");
        let (shared, kept_equal) = match share {
            Layers::First(0) => ("nothing".to_owned(), None),
            layers => (
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

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        check.no_fault_for_each_image(place);
        check.layers(&self.share, &place.key("share"));
        let (structure, all) = (check.structure, check.left.fixed_norms.iter());
        // What members do not share is free in the new ones.
        let is_fixed =
            |norm: &&usize| self.members == 1 || targets::has_layer(structure, &self.share, **norm);
        let fixed = all.filter(is_fixed).copied().collect();
        check.mini_batches(self.steps, check.spec.train.batch, &fixed, place);
        if self.steps.count == 0 {
            let message = "training for 0 steps does nothing; give it a length such as 60ep";
            check.error(place.key("steps"), message);
        }
        if self.mode == Sharing::Tied && self.local_steps != 1 {
            let message = "tied members take one step together; remove local_steps, or use mode: CopyInTurn";
            check.error(place.key("local_steps"), message);
        }
        if let EnsembleEnd::Change(change) = &self.until {
            check_standstill(change, &self.share, check, &place.key("until").variant("Change"));
        }
        for name in (1..=self.members).map(|member| format!("member {member}")) {
            check.left.positions.remove(&name);
            check.left.names.insert(name);
        }
    }

    fn work(&self, situation: &mut Situation<'_>) -> StepWork {
        situation.level.members = self.members as f64;
        let training = situation.train.clone();
        situation.training(self.steps, training, (self.members * self.local_steps) as f64)
    }
}

fn check_standstill(change: &Change, share: &Layers, check: &mut Check<'_>, place: &Place) {
    if change.over.count == 0 {
        let message = "a change within 0 steps means nothing; write 1ep or 100it";
        check.error(place.key("over"), message);
    }
    let mut layers = 0..check.structure.layers.len();
    if !layers.any(|layer| targets::has_layer(check.structure, share, layer)) {
        let message = "no layer is shared, so no change can be measured; remove until, or share a layer";
        check.error(place.clone(), message);
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::sentence;

    #[test]
    fn ensembles_say_what_their_members_share() {
        assert_eq!(
            sentence(
                r#"Ensemble(members: 3, share: First(2), mode: CopyInTurn, steps: "60ep", until: Change(below: 1e-4, over: "1ep"))"#
            ),
            "Train 3 members that share the first 2 layers, copied in turn, 60 epochs, \
             or until no shared weight moves by more than 0.0001 in 1 epoch"
        );
        assert_eq!(
            sentence(r#"Ensemble(members: 3, share: First(2), mode: Tied, steps: "60ep")"#),
            "Train 3 members that share the first 2 layers, tied, 60 epochs"
        );
        assert_eq!(
            sentence(r#"Ensemble(members: 3, share: First(0), steps: "60ep")"#),
            "Train 3 members that share nothing, 60 epochs"
        );
    }
}
