//! What stages and interventions report about themselves with. Each does so in one file: a stage in `doc/stage/`, an
//! intervention in `doc/intervention/`. What reads plans asks them, and knows none of them by name.

mod check;
mod files;
mod sites;
pub mod words;
mod work;

pub use check::{Check, Left, one_value};
pub use files::{FileUse, Reading, WeightUse, files_read};
pub use sites::possible;
pub use work::{Level, Situation, Sizes, StepWork};

#[cfg(test)]
pub mod testing {
    use crate::Stage;
    use form::ron_text;

    /// The sentence of a stage that is written as in a file.
    pub fn sentence(stage: &str) -> String {
        ron_text::from_str::<Stage>(stage).unwrap_or_else(|error| panic!("{stage}: {error}")).sentence()
    }

    /// The sentence of an intervention that is written as in a file.
    pub fn sentence_of_change(intervention: &str) -> String {
        sentence(&format!("Do({intervention})"))
    }
}
