//! What was typed and is no value yet. It stays in its field until it is mended, and counts as a problem.

use std::collections::BTreeMap;

use crate::doc::{Experiment, Problem};
use crate::form::path::{Place, reach};
use crate::form::{Field, Value, text};

/// Typed texts that differ from the document, by their place and the name of their field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drafts(BTreeMap<(String, String), Draft>);

/// A typed text that differs from the document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Draft {
    pub place: Place,
    /// The setting that it was typed into.
    pub field: Field,
    pub text: String,
    /// The text in the document at the time of typing. Once the document has another one, the draft is void.
    pub document: String,
    pub error: Option<String>,
    /// Whether it is a value that waits to be entered.
    pub is_pending: bool,
}

impl Drafts {
    /// Every text that is no value, as a problem of its setting.
    pub fn problems(&self) -> Vec<Problem> {
        let wrong = |draft: &Draft| Some(Problem::error(draft.place.clone(), draft.error.clone()?));
        self.0.values().filter_map(wrong).collect()
    }

    /// Whether a typed value waits to be entered.
    pub fn is_pending(&self) -> bool {
        self.0.values().any(|draft| draft.is_pending)
    }

    /// Writes the values that wait to be entered into the experiment.
    pub fn enter(&mut self, experiment: &mut Experiment) {
        for draft in self.0.values_mut().filter(|draft| draft.is_pending) {
            draft.is_pending = false;
            let Draft { place, field, text: typed, document, error, .. } = draft;
            reach(experiment, &place.0, &mut |value| {
                *error = text::set_text(value, typed, field).err();
                *document = text::to_text(value, field);
            });
        }
    }

    /// Forgets what was typed into settings that no longer exist, or have another value now.
    pub fn keep_reachable(&mut self, experiment: &mut Experiment) {
        self.0.retain(|_, draft| {
            let mut is_same = true;
            let mut compare =
                |value: &mut dyn Value| is_same = text::to_text(value, &draft.field) == draft.document;
            reach(experiment, &draft.place.0, &mut compare) && is_same
        });
    }

    /// Forgets everything inside of a place.
    pub fn forget(&mut self, place: &Place) {
        self.0.retain(|_, draft| !draft.place.0.starts_with(&place.0));
    }

    /// What was typed into a field, if the document still has the text that it had then.
    pub(super) fn get(&self, place: &Place, name: &str, document: &str) -> Option<Draft> {
        let draft = self.0.get(&(place.to_string(), name.to_owned()))?;
        (draft.document == document).then(|| draft.clone())
    }

    /// Keeps what was typed into a field, or forgets it.
    pub(super) fn put(&mut self, place: &Place, name: &str, draft: Option<Draft>) {
        let key = (place.to_string(), name.to_owned());
        match draft {
            Some(draft) => drop(self.0.insert(key, draft)),
            None => drop(self.0.remove(&key)),
        }
    }
}
