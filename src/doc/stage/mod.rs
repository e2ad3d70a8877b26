//! Stages: what a run does, in order. A stage is one file here, with its settings and what it reports about itself, and
//! one line in [`Stage`]; what it does is in `run/stages/`.

mod branch;
mod campaign;
mod connect;
mod ensemble;
mod repeat;
mod test;
mod train;

use test::Test;

use crate::fault::Campaign;
use crate::intervention::{Intervention, Params};
use crate::plan::{Check, FileUse, Situation, StepWork};
use form::path::Place;
use form::{Choice, Field};

pub use branch::*;
pub use connect::*;
pub use ensemble::*;
pub use repeat::*;
pub use train::*;

/// A step of a plan: a stage or an intervention, as it reports about itself; what it does is in `run/stages/` and
/// `run/interventions/`.
pub trait Planned {
    /// Returns one short sentence made of its settings: `Prune 20 % by magnitude, per layer, 10 % of the output layer`. A
    /// stage that holds a plan is named without it.
    fn sentence(&self) -> String;

    /// Adds what is wrong with it, and notes what later stages depend on; by default nothing. `place` is that of its settings.
    fn check(&self, _check: &mut Check<'_>, _place: &Place) {}

    /// Returns the work of its step, and changes what later steps take.
    fn work(&self, situation: &mut Situation<'_>) -> StepWork {
        situation.little()
    }

    /// Returns the files that it reads and writes, in this order.
    fn files(&self, _place: &Place) -> Vec<FileUse<'_>> {
        Vec::new()
    }

    /// Returns the plan that it holds.
    fn nested(&self) -> Option<Nested<'_>> {
        None
    }

    fn nested_mut(&mut self) -> Option<&mut Vec<Stage>> {
        None
    }

    /// Returns the kind of parameters that an intervention acts on where its target names none.
    fn usual_params(&self) -> Params {
        Params::Everything
    }

    /// Returns true if legends tell plans apart by it: it changes networks, or trains them.
    fn is_outlined(&self) -> bool {
        true
    }
}

/// A plan that a stage holds.
#[derive(Clone, Copy, Debug)]
pub struct Nested<'a> {
    /// The setting that holds it.
    pub key: &'static str,
    pub plan: &'a [Stage],
    /// The number of repetitions.
    pub times: u64,
    /// The branch that it is the plan of, which is entered and left.
    pub branch: Option<&'a Branch>,
}

form::choice! {
    /// One step of a plan.
    pub enum Stage: "Stage", each Planned {
        Train(Train) = Train::default(), "Train", "Trains the network";
        Test, "Test", "Evaluates the network on the validation and test parts";
        Do(Intervention) = Intervention::default(), "Intervene", "Changes weights";
        Repeat(Repeat) = Repeat::default(), "Repeat", "Repeats its stages";
        Branch(Branch) = Branch::default(), "Branch", "Runs stages on a clone; the original stays unchanged";
        Connect(Connect) = Connect::default(), "Connect", "Measures the error along the line between two networks";
        Campaign(Campaign) = Campaign::default(), "Campaign", "Runs many fault trials on the present \
            network, with statistics";
        Ensemble(Ensemble) = Ensemble::default(), "Ensemble", "Trains members that share their first layers";
    }
}

impl Stage {
    /// Returns [`Planned::sentence`].
    pub fn sentence(&self) -> String {
        self.rule().sentence()
    }

    /// Returns the plan that it holds.
    pub fn nested(&self) -> Option<Nested<'_>> {
        self.rule().nested()
    }

    pub fn nested_mut(&mut self) -> Option<&mut Vec<Self>> {
        self.rule_mut()?.nested_mut()
    }

    /// Returns the kind of parameters that it acts on where its target names none.
    pub fn usual_params(&self) -> Params {
        if let Self::Do(intervention) = self { intervention.rule().usual_params() } else { Params::Weights }
    }

    /// Returns its name in legends where plans differ in it; none where it changes nothing of a network.
    pub fn outline(&self) -> Option<&'static str> {
        self.rule().is_outlined().then_some(self.about().label)
    }

    /// Returns the declaration of its intervention, or its own.
    pub fn about(&self) -> Field {
        if let Self::Do(intervention) = self { intervention.variant() } else { self.variant() }
    }
}

/// Checks the stages of a plan one after the other.
pub fn check_plan(stages: &[Stage], check: &mut Check<'_>, place: &Place) {
    for (index, stage) in stages.iter().enumerate() {
        stage.rule().check(check, &place.index(index).variant(stage.key()));
    }
}

/// Counts the steps of a plan with its repetitions, without writing them out.
pub fn count_steps(plan: &[Stage]) -> u64 {
    let steps = plan.iter().map(|stage| match stage.nested() {
        None => 1,
        Some(Nested { plan, times, branch, .. }) => {
            times.saturating_mul(count_steps(plan)).saturating_add(2 * u64::from(branch.is_some()))
        }
    });
    steps.fold(0, u64::saturating_add)
}
