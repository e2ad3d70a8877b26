//! What stages and interventions report about themselves. Each does so in one file: a stage in `doc/stage/`, an
//! intervention in `doc/intervention/`. What reads plans asks them, and knows none of them by name.

mod check;
mod files;
mod sites;
pub mod words;
mod work;

pub use check::{Check, Left, check};
pub use files::FileUse;
pub use sites::possible;
pub use work::{Level, Situation, Sizes, StepWork};

use super::stage::{Branch, Stage};
use crate::form::path::Place;

/// What a stage reports about itself; what it does is in `run/stages/`.
pub trait Planned {
    /// One short sentence made of its settings: `Prune 20 % by magnitude, per layer, output at half rate`. A stage that
    /// holds a plan is named without it.
    fn sentence(&self) -> String;

    /// Adds what is wrong with it, and notes what later stages depend on. `place` is that of its settings.
    fn check(&self, check: &mut Check<'_>, place: &Place);

    /// The work of its step, and how it changes what later steps take.
    fn work(&self, situation: &mut Situation<'_>) -> StepWork;

    /// The files that it reads and writes, in this order.
    fn files(&self, _place: &Place) -> Vec<FileUse<'_>> {
        Vec::new()
    }

    /// The plan that it holds.
    fn nested(&self) -> Option<Nested<'_>> {
        None
    }

    /// As [`nested`](Self::nested), to be changed.
    fn nested_mut(&mut self) -> Option<&mut Vec<Stage>> {
        None
    }

    /// Whether legends tell plans apart by it: it changes networks, or trains them.
    fn is_outlined(&self) -> bool {
        true
    }
}

/// A plan that a stage holds.
#[derive(Clone, Copy, Debug)]
pub struct Nested<'a> {
    /// The setting that it is.
    pub key: &'static str,
    /// Its stages.
    pub plan: &'a [Stage],
    /// How often it is carried out.
    pub times: u64,
    /// The branch that it is the plan of, which is entered and left.
    pub branch: Option<&'a Branch>,
}

#[cfg(test)]
pub mod testing {
    use super::Planned;
    use crate::doc::{Intervention, Stage};
    use crate::form::ron_text;

    /// The sentence of a stage that is written as in a file.
    pub fn sentence(stage: &str) -> String {
        ron_text::from_str::<Stage>(stage).unwrap_or_else(|error| panic!("{stage}: {error}")).sentence()
    }

    /// The sentence of an intervention that is written as in a file.
    pub fn sentence_of_change(intervention: &str) -> String {
        let read = ron_text::from_str::<Intervention>(intervention);
        read.unwrap_or_else(|error| panic!("{intervention}: {error}")).sentence()
    }
}
