//! Edits that can be taken back, and made again.
//!
//! What the user edits is looked at once per frame; whatever is different then is one step. What is typed into one
//! field, or dragged on one control, without a break is one step too.

use eframe::egui::Id;

use crate::doc::Experiment;

/// As many steps are kept.
const KEPT: usize = 1_000;

/// The experiment as it was, step by step.
pub struct History {
    present: Experiment,
    past: Vec<Experiment>,
    future: Vec<Experiment>,
    /// The field that has the keyboard or the pointer.
    field: Option<Id>,
    /// Whether the last step came from this field, and further typing belongs to it.
    is_typing: bool,
}

impl History {
    /// The history of an experiment that nobody has edited.
    #[must_use]
    pub fn new(present: Experiment) -> Self {
        Self { present, past: Vec::new(), future: Vec::new(), field: None, is_typing: false }
    }

    /// Notes which field is being edited, if any.
    pub fn at(&mut self, field: Option<Id>) {
        if self.field != field {
            self.field = field;
            self.is_typing = false;
        }
    }

    /// Notes what the experiment is now.
    pub fn note(&mut self, experiment: &Experiment) {
        if *experiment == self.present {
            return;
        }
        let before = std::mem::replace(&mut self.present, experiment.clone());
        self.future.clear();
        if !self.is_typing {
            self.past.push(before);
            let forgotten = self.past.len().saturating_sub(KEPT);
            self.past.drain(..forgotten);
        }
        self.is_typing = self.field.is_some();
    }

    /// Whether there is a step to take back.
    #[must_use]
    pub const fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether a step was taken back.
    #[must_use]
    pub const fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// Takes the last step back; what the experiment is then.
    pub fn undo(&mut self) -> Option<&Experiment> {
        let before = self.past.pop()?;
        self.future.push(std::mem::replace(&mut self.present, before));
        self.is_typing = false;
        Some(&self.present)
    }

    /// Makes the step again that was taken back last; what the experiment is then.
    pub fn redo(&mut self) -> Option<&Experiment> {
        let after = self.future.pop()?;
        self.past.push(std::mem::replace(&mut self.present, after));
        self.is_typing = false;
        Some(&self.present)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::doc::templates;

    fn start() -> Experiment {
        templates::all()[0].experiment()
    }

    #[test]
    fn typing_in_one_field_is_one_step_and_leaving_it_begins_another() {
        let (name, notes) = (Some(Id::unique("name")), Some(Id::unique("notes")));
        let mut experiment = start();
        let mut history = History::new(experiment.clone());
        let mut type_at = |field, text: &str, history: &mut History| {
            history.at(field);
            experiment.name.push_str(text);
            history.note(&experiment);
        };
        for (field, text) in [(name, "a"), (name, "b"), (notes, "c"), (None, "d"), (None, "e")] {
            type_at(field, text, &mut history);
        }
        let name = start().name;
        let mut seen = Vec::new();
        while let Some(experiment) = history.undo() {
            seen.push(experiment.name[name.len()..].to_owned());
        }
        assert_eq!(seen, ["abcd", "abc", "ab", ""]);
        assert_eq!(history.redo().unwrap().name, format!("{name}ab"));
    }

    #[test]
    fn an_edit_after_undo_ends_what_could_be_redone() {
        let mut experiment = start();
        let mut history = History::new(experiment.clone());
        experiment.seeds.push(77);
        history.note(&experiment);
        history.undo();
        let mut other = start();
        other.seeds.push(78);
        history.note(&other);
        assert!(!history.can_redo() && history.can_undo());
    }

    #[derive(Clone, Debug)]
    enum Edit {
        Name(String),
        Seed(u64),
        NoSeed,
        Batch(usize),
        CopyArm(usize),
        RemoveArm(usize),
        SwapArms(usize, usize),
        RemoveStage(usize, usize),
        CopyStage(usize, usize),
    }

    impl Edit {
        fn apply(&self, experiment: &mut Experiment) {
            let arms = experiment.arms.len();
            match self {
                Self::Name(name) => experiment.name.clone_from(name),
                Self::Seed(seed) => experiment.seeds.push(*seed),
                Self::NoSeed => experiment.seeds.truncate(experiment.seeds.len().saturating_sub(1)),
                Self::Batch(batch) => experiment.train.batch = *batch,
                _ if arms == 0 => {}
                Self::CopyArm(arm) => experiment.arms.push(experiment.arms[arm % arms].clone()),
                Self::RemoveArm(arm) => drop(experiment.arms.remove(arm % arms)),
                Self::SwapArms(a, b) => experiment.arms.swap(a % arms, b % arms),
                Self::RemoveStage(arm, stage) | Self::CopyStage(arm, stage) => {
                    let plan = &mut experiment.arms[arm % arms].plan;
                    if plan.is_empty() {
                        return;
                    }
                    let stage = stage % plan.len();
                    match self {
                        Self::CopyStage(..) => plan.push(plan[stage].clone()),
                        _ => drop(plan.remove(stage)),
                    }
                }
            }
        }
    }

    fn edit() -> impl Strategy<Value = Edit> {
        prop_oneof![
            "[a-z]{0,3}".prop_map(Edit::Name),
            any::<u64>().prop_map(Edit::Seed),
            Just(Edit::NoSeed),
            (1_usize..300).prop_map(Edit::Batch),
            any::<usize>().prop_map(Edit::CopyArm),
            any::<usize>().prop_map(Edit::RemoveArm),
            any::<(usize, usize)>().prop_map(|(a, b)| Edit::SwapArms(a, b)),
            any::<(usize, usize)>().prop_map(|(a, b)| Edit::RemoveStage(a, b)),
            any::<(usize, usize)>().prop_map(|(a, b)| Edit::CopyStage(a, b)),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn taking_everything_back_gives_the_start_and_making_it_again_the_end(
            edits in prop::collection::vec((edit(), prop::option::of(0_u8..3), 0_usize..3), 0..40)
        ) {
            let mut experiment = start();
            let mut history = History::new(experiment.clone());
            for (edit, field, undone) in edits {
                history.at(field.map(Id::unique));
                edit.apply(&mut experiment);
                history.note(&experiment);
                for _ in 0..undone {
                    if let Some(before) = history.undo() {
                        experiment = before.clone();
                    }
                }
            }
            while history.redo().is_some() {}
            let end = history.present.clone();
            while history.undo().is_some() {}
            prop_assert_eq!(&history.present, &start());
            while history.redo().is_some() {}
            prop_assert_eq!(&history.present, &end);
        }
    }
}
