//! A line of text: written into the document as soon as it is a value, or once it is entered; kept as typed until then.

use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::text_edit::TextEditState;
use eframe::egui::{Id, Key, Response, TextEdit, Ui};

use super::drafts::Draft;
use super::{FormContext, Slot, marks};
use form::text::SHARE_RULE;

/// What a line of text shows besides its text.
#[derive(Clone, Copy, Default)]
pub(super) struct FieldStyle<'a> {
    /// Shown while there is no text: `inherits 0.1`.
    pub hint: &'a str,
    /// Of a text that is written only once it is entered: what it means, which is shown at the right end (`3 seeds`), or
    /// what is wrong with it.
    pub late: Option<&'a dyn Fn(&str) -> Result<String, String>>,
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
        field: slot.field,
        text: document.to_owned(),
        document: document.to_owned(),
        error: None,
        is_pending: false,
        items: Vec::new(),
    };
    let mut draft = context.drafts.get(&context.place, &slot.name, document).unwrap_or_else(new);

    let is_wrong = draft.error.is_some() || context.is_wrong();
    let suffix = style.late.and_then(|meaning| meaning(&draft.text).ok()).unwrap_or_default();
    let response = line_ui(ui, id, &mut draft.text, (style.hint, &suffix), is_wrong);
    let has_keyboard = response.has_focus() || response.lost_focus();
    let is_given_up = has_keyboard && ui.input(|input| input.key_pressed(Key::Escape));
    let mut is_written = false;
    let is_entered = draft.is_pending && !response.has_focus() && !is_given_up;
    let is_changed = response.changed();
    if let Some(meaning) = style.late.filter(|_| is_changed && response.has_focus()) {
        draft.error = meaning(&draft.text).err();
        draft.is_pending = draft.error.is_none() && draft.text != draft.document;
    } else if is_changed || is_entered {
        match write(&draft.text) {
            Ok(document) => (draft.document, draft.error, is_written) = (document, None, true),
            Err(error) => draft.error = Some(error),
        }
        draft.is_pending = false;
    }
    let is_value = draft.error.is_none();
    let is_kept = (response.has_focus() || !is_value) && !is_given_up;
    if let Some(error) = draft.error.as_ref().filter(|_| is_kept) {
        context.note_wrong(error);
    }
    context.drafts.put(&context.place.clone(), &slot.name, is_kept.then_some(draft));
    let mut response = context.finish_input(ui, slot, response);
    if slot.field.is_share() {
        response = response.on_hover_text(SHARE_RULE);
    }
    super::note_value(&response, is_value);
    is_written
}

fn line_ui(ui: &mut Ui, id: Id, text: &mut String, (hint, suffix): (&str, &str), is_wrong: bool) -> Response {
    let mut edit = TextEdit::singleline(text).id(id).desired_width(f32::INFINITY).hint_text(hint);
    if !suffix.is_empty() {
        edit = edit.suffix(suffix);
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
