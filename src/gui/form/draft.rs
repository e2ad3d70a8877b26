//! A line of text: written into the document as soon as it is a value, kept as typed until then.

use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::text_edit::TextEditState;
use eframe::egui::{Id, Key, Response, TextEdit, Ui};

use super::drafts::Draft;
use super::{FormContext, Slot, marks};

/// What a line of text shows besides its text.
#[derive(Clone, Copy, Default)]
pub(super) struct FieldStyle<'a> {
    /// Shown while there is no text: `inherits 0.1`.
    pub hint: &'a str,
    /// Shown at the right end: `3 seeds`.
    pub suffix: &'a str,
}

/// Draws a line of text with the value `document`, and hands the typed text to `write`. That returns the new text of the
/// document, or what is wrong. Returns whether something was written.
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
        text: document.to_owned(),
        document: document.to_owned(),
        error: None,
    };
    let mut draft = context.drafts.get(&context.place, &slot.name, document).unwrap_or_else(new);

    let is_wrong = draft.error.is_some() || context.is_wrong();
    let response = line_ui(ui, id, &mut draft.text, style, is_wrong);
    let mut is_written = false;
    if response.changed() {
        match write(&draft.text) {
            Ok(document) => (draft.document, draft.error, is_written) = (document, None, true),
            Err(error) => draft.error = Some(error),
        }
    }
    let has_keyboard = response.has_focus() || response.lost_focus();
    let is_given_up = has_keyboard && ui.input(|input| input.key_pressed(Key::Escape));
    let is_value = draft.error.is_none();
    let is_kept = (response.has_focus() || !is_value) && !is_given_up;
    if let Some(error) = draft.error.as_ref().filter(|_| is_kept) {
        context.note_wrong(error);
    }
    context.drafts.put(&context.place.clone(), &slot.name, is_kept.then_some(draft));
    let response = context.finish_input(ui, slot, response);
    super::note_value(&response, is_value);
    is_written
}

fn line_ui(ui: &mut Ui, id: Id, text: &mut String, style: FieldStyle<'_>, is_wrong: bool) -> Response {
    let mut edit = TextEdit::singleline(text).id(id).desired_width(f32::INFINITY).hint_text(style.hint);
    if !style.suffix.is_empty() {
        edit = edit.suffix(style.suffix);
    }
    let response = marks::field_ui(ui, edit, is_wrong);
    if response.gained_focus() && !ui.input(|input| input.pointer.any_down()) {
        select_all(ui, id, text);
    }
    response
}

/// Selects the whole text, so that typing replaces it: for a field that was reached by the keyboard.
fn select_all(ui: &Ui, id: Id, text: &str) {
    let mut state = TextEditState::load(ui.ctx(), id).unwrap_or_default();
    let all = CCursorRange::two(CCursor::new(0), CCursor::new(text.chars().count()));
    state.cursor.set_char_range(Some(all));
    state.store(ui.ctx(), id);
}
