//! Sentences of stages in tests.

use crate::Stage;
use form::ron_text;

/// Returns the sentence of a stage that is written as in a file.
pub fn sentence(stage: &str) -> String {
    ron_text::from_str::<Stage>(stage).unwrap_or_else(|error| panic!("{stage}: {error}")).sentence()
}

/// Returns the sentence of an intervention that is written as in a file.
pub fn sentence_of_change(intervention: &str) -> String {
    sentence(&format!("Do({intervention})"))
}
