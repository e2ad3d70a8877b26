//! Controls of single values.

use std::cell::RefCell;

use eframe::egui::{Checkbox, TextEdit, Ui};

use super::drafts::{FieldStyle, draft_ui};
use super::{FormContext, FormRequest, Slot, line};
use crate::icons::Icon;
use crate::theme::{self, cell_ui};
use crate::widgets;
use form::{Field, Integer, Names, Node, Value, text};

/// Draws a switch.
pub(super) fn switch_ui(ui: &mut Ui, on: &mut bool, slot: &Slot, context: &mut FormContext) -> bool {
    let response = widgets::input_ui(ui, Checkbox::without_text(on));
    context.note_input(&response);
    slot.name(response).changed()
}

/// Draws a drop-down over the rest of a line. Returns the entry that was clicked.
pub(super) fn drop_down_ui<T>(
    ui: &mut Ui,
    shown: &str,
    help: &str,
    slot: &Slot,
    context: &mut FormContext,
    entries: impl FnOnce(&mut Ui) -> Option<T>,
) -> Option<T> {
    let width = ui.available_width();
    let combo = widgets::drop_down((context.place.to_string(), "choice"), shown).width(width).truncate();
    let opened = combo.show_ui(ui, entries);
    let help = widgets::drop_down_hint(ui, shown, width, help);
    context.finish_input(ui, slot, opened.response).on_hover_text(help);
    opened.inner.flatten()
}

/// Draws a whole number of which only some are allowed: a drop-down.
pub(super) fn allowed_ui(
    ui: &mut Ui,
    number: &mut dyn Integer,
    slot: &Slot,
    context: &mut FormContext,
) -> bool {
    let (Field { help, allowed, .. }, present) = (slot.field, number.get());
    let chosen = drop_down_ui(ui, &present.to_string(), help, slot, context, |ui| {
        let is_chosen =
            |allowed: &&u64| ui.selectable_label(**allowed == present, allowed.to_string()).clicked();
        // Every entry is drawn, also those after the chosen one.
        allowed.iter().filter(is_chosen).last().copied()
    });
    let Some(chosen) = chosen.filter(|chosen| *chosen != present) else { return false };
    number.set(chosen);
    true
}

/// Draws any value that a line of text can have.
pub(super) fn line_ui(ui: &mut Ui, value: &mut dyn Value, slot: &Slot, context: &mut FormContext) -> bool {
    let document = text::to_text(value, &slot.field);
    // What is wrong with the typed text counts, not what was wrong with the value before.
    let typed = context.drafts.get(&context.place, &slot.name, &document);
    if typed.is_none_or(|draft| draft.error.is_none()) {
        note_range(value, slot, context);
    }
    let hint = context.about.hint(&slot.field);
    let (values, sample) = if let Node::List(list) = value.node() {
        (Some(list.count()), Some(RefCell::new(list.sample())))
    } else {
        (None, None)
    };
    let count_of = sample.filter(|_| text::count_text(0, &slot.field).is_some()).map(|sample| {
        move |typed: &str| {
            let items = text::read_list(sample.borrow_mut().as_mut(), typed.trim(), &slot.field).ok()?;
            text::count_text(items.len(), &slot.field)
        }
    });
    let style = FieldStyle { hint: &hint, meaning: count_of.as_ref().map(|count_of| count_of as _), values };
    draft_ui(ui, &document, style, slot, context, &mut |typed| {
        text::set_text(value, typed, &slot.field)?;
        Ok(text::to_text(value, &slot.field))
    })
}

/// Notes numbers that are out of range; those of a list with their position, counted from 1.
fn note_range(value: &mut dyn Value, slot: &Slot, context: &mut FormContext) {
    let problem = |value: &mut dyn Value| text::range_problem(value.node().number()?, &slot.field);
    if let Node::List(list) = value.node() {
        for index in 0..list.count() {
            if let Some(message) = problem(list.item(index)) {
                context.note_wrong(format!("No. {}: {message}", index + 1));
            }
        }
        return;
    }
    let message = if let Node::Optional(optional) = value.node() {
        optional.value().and_then(problem)
    } else {
        problem(value)
    };
    if let Some(message) = message {
        context.note_wrong(message);
    }
}

/// Draws free text: notes over several lines, names of files with a button that looks for them, names of parameters
/// as a list.
pub(super) fn text_ui(ui: &mut Ui, value: &mut String, slot: &Slot, context: &mut FormContext) -> bool {
    match slot.field.names {
        Names::Parameter if !context.about.parameters.is_empty() => {
            return parameter_ui(ui, value, slot, context);
        }
        Names::Folder | Names::File => return path_ui(ui, value, slot, context),
        Names::Nothing | Names::Layers | Names::Parameter => {}
    }
    if slot.field.key != "notes" {
        return line_ui(ui, value, slot, context);
    }
    let id = context.id(ui, &slot.name);
    let edit = TextEdit::multiline(value).desired_rows(3).id(id).desired_width(f32::INFINITY);
    let response = widgets::area_ui(ui, edit);
    context.finish_input(ui, slot, response).changed()
}

/// Draws a path, with a button that asks the system for one.
pub(super) fn path_ui(ui: &mut Ui, value: &mut dyn Value, slot: &Slot, context: &mut FormContext) -> bool {
    let gap = ui.spacing().item_spacing.x / 2.0;
    let width = ui.available_width() - line::ICON_WIDTH - gap;
    ui.spacing_mut().item_spacing.x = gap;
    let changed = cell_ui(ui, width, |ui| line_ui(ui, value, slot, context));
    let (name, colour) = (format!("Browse for {}", slot.name), theme::present(ui).text2);
    if line::icon_ui(ui, Icon::FolderOpen, colour, &name, "Browse…") {
        let request = FormRequest::Browse(context.place.clone(), slot.field.names);
        context.requests.push(request);
    }
    changed
}

fn parameter_ui(ui: &mut Ui, value: &mut String, slot: &Slot, context: &mut FormContext) -> bool {
    let shown = if value.is_empty() { "choose" } else { value.as_str() };
    let names = context.about.parameters.clone();
    let chosen = drop_down_ui(ui, shown, slot.field.help, slot, context, |ui| {
        names.into_iter().find(|name| ui.selectable_label(name == value, name.as_str()).clicked())
    });
    let Some(chosen) = chosen else { return false };
    *value = chosen;
    true
}
