//! What was typed and is no value yet. It stays in its field until it is mended, and counts as a problem.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use doc::{Experiment, Problem};
use form::path::{Place, Segment, reach, walk};
use form::{Field, Value, text};

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
    /// The items of lists around the setting, outer ones first, as they were last: length of their place, and their text.
    pub items: Vec<(usize, String)>,
}

/// A text that is no value, as a backup has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypedText {
    /// The place of its setting.
    place: String,
    /// The name of its field.
    name: String,
    text: String,
}

impl Draft {
    /// Follows the arm or stage that it belongs to, which may have another place now.
    fn follow(&mut self, experiment: &mut Experiment) {
        // A stage stays in its arm.
        let mut around = 0;
        for (length, item) in std::mem::take(&mut self.items) {
            if text_at(experiment, &self.place.0[..length]).as_ref() == Some(&item) {
                return;
            }
            let mut moved = None;
            walk(experiment, &mut |value, found| {
                let is_item = matches!(found.place.0.last(), Some(Segment::Index(_)))
                    && found.place.0.starts_with(&self.place.0[..around]);
                if moved.is_none() && is_item && value.to_ron() == item {
                    moved = Some(found.place.clone());
                }
            });
            if let Some(Place(mut place)) = moved {
                place.extend_from_slice(&self.place.0[length..]);
                self.place = Place(place);
                return;
            }
            around = length;
        }
    }

    fn note_items(&mut self, experiment: &mut Experiment) {
        let is_item = |length: &usize| matches!(self.place.0[length - 1], Segment::Index(_));
        let lengths: Vec<usize> = (1..=self.place.0.len()).filter(is_item).collect();
        let item = |length| Some((length, text_at(experiment, &self.place.0[..length])?));
        self.items = lengths.into_iter().filter_map(item).collect();
    }
}

fn text_at(experiment: &mut Experiment, place: &[Segment]) -> Option<String> {
    let mut text = None;
    reach(experiment, place, &mut |value| text = Some(value.to_ron()));
    text
}

impl Drafts {
    /// Every text that is no value, as a problem of its setting.
    pub fn problems(&self) -> Vec<Problem> {
        let wrong = |draft: &Draft| Some(Problem::error(draft.place.clone(), draft.error.clone()?));
        self.0.values().filter_map(wrong).collect()
    }

    /// Texts that are no values, with their fields: `"5 apples" in Evaluate every`.
    pub fn wrong_texts(&self) -> Vec<String> {
        let wrong = self.0.iter().filter(|(_, draft)| draft.error.is_some());
        wrong.map(|((_, name), draft)| format!("\"{}\" in {name}", draft.text)).collect()
    }

    /// The same, for a backup.
    pub fn to_keep(&self) -> Vec<TypedText> {
        let wrong = self.0.iter().filter(|(_, draft)| draft.error.is_some());
        let kept = wrong.map(|((place, name), draft)| TypedText {
            place: place.clone(),
            name: name.clone(),
            text: draft.text.clone(),
        });
        kept.collect()
    }

    /// The texts of a backup, in the fields that they were typed into. Those of swept values are left out.
    pub fn recovered(kept: &[TypedText], experiment: &mut Experiment) -> Self {
        let mut drafts = Self::default();
        walk(experiment, &mut |value, found| {
            let (key, field) = (found.place.to_string(), found.field());
            for typed in kept.iter().filter(|typed| typed.place == key) {
                let (before, document) = (value.to_ron(), text::to_text(value, &field));
                let Err(error) = text::set_text(value, &typed.text, &field) else {
                    let _ = value.set_ron(&before); // it was written a moment ago
                    continue;
                };
                let (place, text, error) = (found.place.clone(), typed.text.clone(), Some(error));
                let draft =
                    Draft { place, field, text, document, error, is_pending: false, items: Vec::new() };
                drafts.0.insert((key.clone(), typed.name.clone()), draft);
            }
        });
        drafts
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

    /// Follows arms and stages that were moved, and forgets what was typed into settings that no longer exist, or have another
    /// value now.
    pub fn keep_reachable(&mut self, experiment: &mut Experiment) {
        let drafts = std::mem::take(&mut self.0);
        self.0 = drafts
            .into_iter()
            .map(|((_, name), mut draft)| {
                draft.follow(experiment);
                draft.note_items(experiment);
                ((draft.place.to_string(), name), draft)
            })
            .collect();
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use doc::file::parse;

    #[test]
    fn a_wrong_text_goes_with_its_stage_and_its_arm() {
        let text =
            "(arms: [(name: \"a\", plan: [Train(\"1ep\"), Test]), (name: \"b\", plan: [Train(\"1ep\")])])";
        let mut experiment = parse(text, Path::new("x.ron")).unwrap();
        let key = |key: &str| Segment::Key(key.to_owned());
        let stage = |arm, stage| [key("arms"), Segment::Index(arm), key("plan"), Segment::Index(stage)];
        let mut length = None;
        walk(&mut experiment, &mut |value, found| {
            if found.place.0.starts_with(&stage(0, 0)) && found.field().label == "Length" {
                let document = text::to_text(value, &found.field());
                length = Some((found.place.0[4..].to_vec(), found.field(), document));
            }
        });
        let (inner, field, document) = length.expect("trainings have a length");
        let place = |arm, nth| Place([&stage(arm, nth)[..], &inner[..]].concat());
        let mut drafts = Drafts::default();
        let draft = Draft {
            place: place(0, 0),
            field,
            text: "7x".to_owned(),
            document,
            error: Some("wrong".to_owned()),
            is_pending: false,
            items: Vec::new(),
        };
        drafts.put(&place(0, 0), "Length", Some(draft));
        let place_now = |drafts: &mut Drafts, experiment: &mut Experiment| {
            drafts.keep_reachable(experiment);
            drafts.problems().first().map(|problem| problem.place.clone())
        };
        assert_eq!(place_now(&mut drafts, &mut experiment), Some(place(0, 0)));
        experiment.arms[0].plan.swap(0, 1);
        assert_eq!(place_now(&mut drafts, &mut experiment), Some(place(0, 1)), "the stage was moved");
        experiment.arms.swap(0, 1);
        assert_eq!(place_now(&mut drafts, &mut experiment), Some(place(1, 1)), "the arm was moved");
        experiment.arms.remove(1);
        assert_eq!(place_now(&mut drafts, &mut experiment), None, "the arm is gone");
    }
}
