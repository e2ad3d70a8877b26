//! A plan written out: repetitions unrolled, branches as an entry and an exit, every step with its number.
//!
//! The number of a step is what a checkpoint counts and what random draws of a stage are derived from.

use crate::doc::Stage;
use crate::doc::stage::{Branch, Nested};

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Carries out a stage that holds no plan.
    Stage(Stage),
    /// Goes on with a clone.
    Enter(Branch),
    /// Leaves the clone and goes back to the original.
    Leave(String),
}

/// One step of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What it does.
    pub op: Op,
    /// Its place in the plan, such as `2.1`.
    pub stage: String,
    /// The round of the innermost repetition, from 1.
    pub round: Option<u64>,
    /// The branch that it belongs to, outer and inner with a slash between; empty for the main branch.
    pub branch: String,
    /// What it is, as a sentence.
    pub label: String,
}

/// Writes a plan out.
pub fn program(plan: &[Stage]) -> Vec<Step> {
    let mut writer = Writer { steps: Vec::new() };
    writer.stages(plan, "", None, "");
    writer.steps
}

struct Writer {
    steps: Vec<Step>,
}

impl Writer {
    fn stages(&mut self, stages: &[Stage], prefix: &str, round: Option<u64>, branch: &str) {
        for (index, stage) in stages.iter().enumerate() {
            let place = if prefix.is_empty() { index.to_string() } else { format!("{prefix}.{index}") };
            self.stage(stage, &place, round, branch);
        }
    }

    fn stage(&mut self, stage: &Stage, place: &str, round: Option<u64>, branch: &str) {
        let label = stage.sentence();
        match stage.nested() {
            None => self.push(Op::Stage(stage.clone()), label, place, round, branch),
            Some(Nested { plan, branch: Some(inner), .. }) => {
                let name =
                    if branch.is_empty() { inner.name.clone() } else { format!("{branch}/{}", inner.name) };
                self.push(Op::Enter(inner.clone()), label, place, round, &name);
                self.stages(plan, place, round, &name);
                let back = format!("Back from {}", inner.name);
                self.push(Op::Leave(inner.name.clone()), back, place, round, branch);
            }
            Some(Nested { plan, times, .. }) => {
                for time in 1..=times {
                    self.stages(plan, place, Some(time), branch);
                }
            }
        }
    }

    fn push(&mut self, op: Op, label: String, place: &str, round: Option<u64>, branch: &str) {
        self.steps.push(Step { op, stage: place.to_owned(), round, branch: branch.to_owned(), label });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::stage::{Repeat, Train};

    #[test]
    fn repetitions_are_unrolled_and_branches_have_an_entry_and_an_exit() {
        let inner = Branch { name: "copy".to_owned(), plan: vec![Stage::Test], ..Branch::default() };
        let body = vec![Stage::Train(Train::default()), Stage::Branch(inner)];
        let plan = [Stage::Test, Stage::Repeat(Repeat { times: 2, body })];
        let steps = program(&plan);
        let places: Vec<_> =
            steps.iter().map(|step| (step.stage.as_str(), step.round, step.branch.as_str())).collect();
        assert_eq!(
            places,
            [
                ("0", None, ""),
                ("1.0", Some(1), ""),
                ("1.1", Some(1), "copy"),
                ("1.1.0", Some(1), "copy"),
                ("1.1", Some(1), ""),
                ("1.0", Some(2), ""),
                ("1.1", Some(2), "copy"),
                ("1.1.0", Some(2), "copy"),
                ("1.1", Some(2), ""),
            ]
        );
    }
}
