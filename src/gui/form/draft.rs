//! A line of text: written into the document as soon as it is a value, kept as typed until then.

use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::text_edit::TextEditState;
use eframe::egui::{Align, Align2, Id, Key, Response, TextEdit, Ui};

use super::{FormContext, Slot};

/// Alignment, unit and width of a line of text.
#[derive(Clone, Copy)]
pub(super) struct FieldStyle {
    /// Side of the text.
    pub align: Align,
    /// Unit after the text.
    pub unit: &'static str,
    /// Width in points; `INFINITY` for all there is.
    pub width: f32,
}

impl FieldStyle {
    /// Text that takes the whole line.
    pub const WIDE: Self = Self { align: Align::LEFT, unit: "", width: f32::INFINITY };

    /// Text that takes the whole line, at its right end, before its unit.
    pub const fn right(unit: &'static str) -> Self {
        Self { align: Align::RIGHT, unit, ..Self::WIDE }
    }
}

/// A typed text that differs from the document.
#[derive(Clone)]
struct Draft {
    text: String,
    /// The text in the document at the time of typing. Once the document has another one, the draft is void.
    document: String,
    error: Option<String>,
}

/// Draws a line of text with the value `document`, and hands the typed text to `write`. That returns the new text of the
/// document, or what is wrong. Returns whether something was written.
pub(super) fn draft_ui(
    ui: &mut Ui,
    document: &str,
    style: FieldStyle,
    slot: &Slot,
    context: &mut FormContext,
    write: &mut dyn FnMut(&str) -> Result<String, String>,
) -> bool {
    let id = context.id(ui, &slot.name);
    let draft = ui.data(|data| data.get_temp::<Draft>(id)).filter(|draft| draft.document == document);
    let mut draft = draft.unwrap_or_else(|| Draft {
        text: document.to_owned(),
        document: document.to_owned(),
        error: None,
    });

    let is_wrong = draft.error.is_some() || context.is_wrong();
    let response = line_ui(ui, id, &mut draft.text, style, is_wrong);
    let mut is_written = false;
    if response.changed() {
        match write(&draft.text) {
            Ok(document) => (draft.document, draft.error, is_written) = (document, None, true),
            Err(error) => draft.error = Some(error),
        }
    }
    let is_value = draft.error.is_none();
    if let Some(error) = &draft.error {
        context.note_wrong(error);
    }
    keep(ui, id, draft, &response);
    let response = context.finish_input(ui, slot, response);
    super::note_value(&response, is_value);
    is_written
}

fn line_ui(ui: &mut Ui, id: Id, text: &mut String, style: FieldStyle, is_wrong: bool) -> Response {
    let mut edit = TextEdit::singleline(text)
        .id(id)
        .desired_width(style.width)
        .align(Align2([style.align, Align::Center]));
    if is_wrong {
        edit = edit.text_color(ui.visuals().error_fg_color);
    }
    if !style.unit.is_empty() {
        edit = edit.suffix(style.unit);
    }
    let response = ui.add(edit);
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

/// Keeps the draft for the next frame, as long as the user types or the text is wrong.
fn keep(ui: &Ui, id: Id, draft: Draft, response: &Response) {
    let is_given_up = response.lost_focus() || ui.input(|input| input.key_pressed(Key::Escape));
    let is_needed = response.has_focus() || draft.error.is_some();
    ui.data_mut(|data| {
        if is_needed && !is_given_up {
            data.insert_temp(id, draft);
        } else {
            data.remove::<Draft>(id);
        }
    });
}
