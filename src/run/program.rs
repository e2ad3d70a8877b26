//! A flattened plan: repetitions unrolled, branches as an entry and an exit.
//!
//! Checkpoints store the number of a step, and random draws of a stage derive from it.

use doc::Stage;
use doc::stage::{Branch, Nested};

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Carries out a stage that holds no plan.
    Stage(Stage),
    /// Continues with a clone.
    Enter(Branch),
    /// Leaves the clone and returns to the original.
    Leave(String),
}

/// One step of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramStep {
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

/// The steps of a plan.
pub fn program(plan: &[Stage]) -> Vec<ProgramStep> {
    let mut steps = Vec::new();
    add_plan(&mut steps, plan, "", None, "");
    steps
}

fn add_plan(steps: &mut Vec<ProgramStep>, plan: &[Stage], prefix: &str, round: Option<u64>, branch: &str) {
    for (index, stage) in plan.iter().enumerate() {
        let place = if prefix.is_empty() { index.to_string() } else { format!("{prefix}.{index}") };
        add_stage(steps, stage, &place, round, branch);
    }
}

fn add_stage(steps: &mut Vec<ProgramStep>, stage: &Stage, place: &str, round: Option<u64>, branch: &str) {
    let step = |op, label, branch: &str| ProgramStep {
        op,
        stage: place.to_owned(),
        round,
        branch: branch.to_owned(),
        label,
    };
    let label = stage.sentence();
    match stage.nested() {
        None => steps.push(step(Op::Stage(stage.clone()), label, branch)),
        Some(Nested { plan, branch: Some(inner), .. }) => {
            let name =
                if branch.is_empty() { inner.name.clone() } else { format!("{branch}/{}", inner.name) };
            steps.push(step(Op::Enter(inner.clone()), label, &name));
            add_plan(steps, plan, place, round, &name);
            let back = format!("Back from {}", inner.name);
            steps.push(step(Op::Leave(inner.name.clone()), back, branch));
        }
        Some(Nested { plan, times, .. }) => {
            for time in 1..=times {
                add_plan(steps, plan, place, Some(time), branch);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doc::stage::{Repeat, Train};

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
