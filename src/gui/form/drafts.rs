//! What was typed and is no value yet. It stays in its field until it is mended, and counts as a problem.

use std::collections::BTreeMap;

use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::text_edit::TextEditState;
use eframe::egui::{Align2, Color32, FontId, Id, Key, TextEdit, Ui, vec2};
use serde::{Deserialize, Serialize};

use super::{FormContext, Slot, overrides};
use crate::text::end_of_path;
use crate::theme::{self, BODY, STEP};
use crate::widgets::{self, FieldState};
use doc::{Experiment, Problem};
use form::number::counted;
use form::path::{Place, Segment, reach, walk};
use form::text::{self, SHARE_RULE};
use form::{Field, Names, Value};

/// Typed texts that differ from the document, by their place and the name of their field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drafts(BTreeMap<(String, String), Draft>);

/// A typed text that differs from the document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Draft {
    pub place: Place,
    pub field: Field,
    pub text: String,
    /// The text in the document at the time of typing. Once the document has another one, the draft is void.
    pub document: String,
    pub error: Option<String>,
    /// It waits to be entered.
    pub is_pending: bool,
    /// The items of lists around the setting, outer ones first, as they were last: length of their place, and their text.
    pub items: Vec<(usize, String)>,
}

/// A text that is no value, as a backup has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypedText {
    place: String,
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
    /// Returns every text that is no value, as a problem of its setting.
    pub fn problems(&self) -> Vec<Problem> {
        let wrong = |draft: &Draft| Some(Problem::error(draft.place.clone(), draft.error.clone()?));
        self.0.values().filter_map(wrong).collect()
    }

    /// Returns the texts that are no values, with their fields: `"5 apples" in Evaluate every`.
    pub fn wrong_texts(&self) -> Vec<String> {
        self.to_keep().iter().map(|typed| format!("\"{}\" in {}", typed.text, typed.name)).collect()
    }

    /// Returns the texts that are no values, for a backup.
    pub fn to_keep(&self) -> Vec<TypedText> {
        let wrong = self.0.iter().filter(|(_, draft)| draft.error.is_some());
        let kept = wrong.map(|((place, name), draft)| TypedText {
            place: place.clone(),
            name: name.clone(),
            text: draft.text.clone(),
        });
        kept.collect()
    }

    /// Returns the texts of a backup, in the fields that they were typed into. Those of swept values are left out.
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

    /// Returns true if a typed value waits to be entered.
    pub fn is_pending(&self) -> bool {
        self.0.values().any(|draft| draft.is_pending)
    }

    /// Writes the values that wait to be entered into the experiment.
    pub fn enter(&mut self, experiment: &mut Experiment) {
        for draft in self.0.values_mut().filter(|draft| draft.is_pending) {
            draft.is_pending = false;
            let Draft { place, field, text: typed, document, error, .. } = draft;
            let mut entered = overrides::enter(experiment, place, typed);
            reach(experiment, &place.0, &mut |value| {
                let written = text::set_text(value, typed, field);
                entered = Some(written.map(|()| text::to_text(value, field)));
            });
            match entered {
                Some(Ok(text)) => *document = text,
                Some(Err(why)) => *error = Some(why),
                None => {}
            }
        }
    }

    /// Follows arms and stages that were moved, and forgets what was typed into settings that no longer exist, or
    /// have another value now.
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

    /// Returns what was typed into a field, if the document still has the text that it had then.
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

/// The decoration of a line of text.
#[derive(Clone, Copy, Default)]
pub(super) struct FieldStyle<'a> {
    /// Shown while there is no text: `inherits 0.1`.
    pub hint: &'a str,
    /// Returns what a typed text means, which is shown at the right end: `3 seeds`.
    pub meaning: Option<&'a dyn Fn(&str) -> Option<String>>,
    /// The number of values, where it is a list.
    pub values: Option<usize>,
}

/// Draws a line of text with the value `document`, and hands the typed text to `write` once the field is left, by Enter too.
/// That returns the new text of the document, or what is wrong. Returns true if something was written.
pub(super) fn draft_ui(
    ui: &mut Ui,
    document: &str,
    style: FieldStyle<'_>,
    slot: &Slot,
    context: &mut FormContext,
    write: &mut dyn FnMut(&str) -> Result<String, String>,
) -> bool {
    let id = context.id(ui, &slot.name);
    let new = || Draft {
        place: context.place.clone(),
        field: slot.field,
        text: document.to_owned(),
        document: document.to_owned(),
        error: None,
        is_pending: false,
        items: Vec::new(),
    };
    let mut draft = context.drafts.get(&context.place, &slot.name, document).unwrap_or_else(new);

    let is_wrong = draft.error.is_some() || (!draft.is_pending && context.is_wrong());
    let suffix = style.meaning.and_then(|meaning| meaning(&draft.text)).unwrap_or_default();
    let resting = resting_text(ui, id, &draft.text, &suffix, style, slot);
    let mut edit =
        TextEdit::singleline(&mut draft.text).id(id).desired_width(f32::INFINITY).hint_text(style.hint);
    if !suffix.is_empty() {
        edit = edit.suffix(&suffix);
    }
    if resting.is_some() {
        edit = edit.text_color(Color32::TRANSPARENT);
    }
    let state = if is_wrong { FieldState::Wrong } else { FieldState::Plain };
    let mut response = widgets::field_ui(ui, edit, state);
    if let Some(resting) = resting {
        let (at, colour) = (response.rect.left_center() + vec2(STEP, 0.0), theme::present(ui).text);
        ui.painter().text(at, Align2::LEFT_CENTER, resting, FontId::proportional(BODY), colour);
        response = response.on_hover_text(&draft.text);
    }
    if response.gained_focus() && !ui.input(|input| input.pointer.any_down()) {
        select_all(ui, id, &draft.text);
    }
    let has_keyboard = response.has_focus() || response.lost_focus();
    let is_given_up = has_keyboard && ui.input(|input| input.key_pressed(Key::Escape));
    if response.changed() {
        draft.error = None;
        draft.is_pending = draft.text != draft.document;
    }
    let mut is_written = false;
    if draft.is_pending && !response.has_focus() && !is_given_up {
        draft.is_pending = false;
        match write(&draft.text) {
            Ok(document) => (draft.document, is_written) = (document, true),
            Err(error) => draft.error = Some(error),
        }
    }
    let is_kept = (response.has_focus() || draft.error.is_some()) && !is_given_up;
    if let Some(error) = draft.error.as_ref().filter(|_| is_kept) {
        context.note_wrong(error);
    }
    super::note_typed(&response, draft.text != draft.document);
    let is_pending = draft.is_pending;
    context.drafts.put(&context.place.clone(), &slot.name, is_kept.then_some(draft));
    let mut response = context.finish_input(ui, slot, response);
    if let Some(wrong) = context.own_error().filter(|_| !is_pending) {
        // Beside the field rather than below it: fields do not move under the pointer.
        ui.ctx().accesskit_node_builder(id, |node| node.set_description(wrong));
        if response.has_focus() {
            response.show_tooltip_text(wrong);
        } else {
            response = response.on_hover_text(wrong);
        }
    } else if slot.field.is_share() {
        response = response.on_hover_text(SHARE_RULE);
    }
    drop(response);
    is_written
}

/// Returns what a field shows while it does not have the keyboard, if its text does not fit: the end of a path, the number of
/// values.
fn resting_text(
    ui: &Ui,
    id: Id,
    text: &str,
    suffix: &str,
    style: FieldStyle<'_>,
    slot: &Slot,
) -> Option<String> {
    let font = FontId::proportional(BODY);
    let width = |text: &str| theme::width(ui.painter(), text, &font);
    let room = ui.available_width() - 2.5 * STEP - width(suffix);
    if ui.memory(|memory| memory.has_focus(id)) || width(text) <= room {
        return None;
    }
    Some(match (slot.field.names, style.values) {
        (Names::Folder | Names::File, _) => theme::fitted_by(end_of_path, ui.painter(), text, &font, room),
        (Names::Nothing, Some(values)) if suffix.is_empty() => counted(values as u64, "value"),
        (Names::Nothing | Names::Layers | Names::Parameter, _) => {
            theme::fitted(ui.painter(), text, &font, room)
        }
    })
}

/// Selects the whole text, so that typing replaces it: for a field that was reached by the keyboard.
pub fn select_all(ui: &Ui, id: Id, text: &str) {
    let mut state = TextEditState::load(ui.ctx(), id).unwrap_or_default();
    let all = CCursorRange::two(CCursor::new(0), CCursor::new(text.chars().count()));
    state.cursor.set_char_range(Some(all));
    state.store(ui.ctx(), id);
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
