//! Single settings that are overridden: a path and a value on each line, and a line for one more.

use eframe::egui;
use eframe::egui::{Label, RichText, Ui};

use super::draft::{FieldStyle, draft_ui};
use super::sign::{self, Sign};
use super::{FormContext, Slot, line, marks};
use crate::form::path::Segment;
use crate::form::{Overrides, Stored};
use crate::gui::theme;

/// Draws how many there are.
pub(super) fn head_ui(ui: &mut Ui, overrides: &Overrides) -> bool {
    let text = match overrides.0.len() {
        0 => "none".to_owned(),
        count => count.to_string(),
    };
    ui.add(Label::new(RichText::new(text).weak()).selectable(false));
    false
}

/// Draws the paths with their values, and a line to add one.
pub(super) fn body_ui(
    ui: &mut Ui,
    overrides: &mut Overrides,
    slot: &Slot,
    context: &mut FormContext,
) -> bool {
    line::indented_ui(ui, context, |ui, context| {
        let mut changed = false;
        let paths: Vec<String> = overrides.0.keys().cloned().collect();
        for path in paths {
            changed |= context.at(Segment::Key(path.clone()), |context| {
                context.reachable(ui, |ui, context| override_ui(ui, overrides, &path, slot, context))
            });
        }
        add_ui(ui, overrides, slot, context) || changed
    })
}

fn override_ui(
    ui: &mut Ui,
    overrides: &mut Overrides,
    path: &str,
    slot: &Slot,
    context: &mut FormContext,
) -> bool {
    let wrong_before = context.wrong.len();
    let changed = ui.horizontal(|ui| {
        let width = line::label_width(ui, context);
        theme::cell_ui(ui, width, |ui| ui.add(Label::new(path).truncate().selectable(false)));
        let document = overrides.0.get(path).cloned().unwrap_or_default();
        let style = FieldStyle { width: value_width(ui), ..FieldStyle::WIDE };
        let value_slot = slot.part(format!("{}: {path}", slot.name));
        let is_written = draft_ui(ui, &document, style, &value_slot, context, &mut |text| {
            let value = checked(text)?;
            overrides.0.insert(path.to_owned(), value.clone());
            Ok(value)
        });
        let remove = ui.add(Sign::Cross.button()).accessible_name(format!("Remove {path}"));
        let is_removed = remove.on_hover_text("Remove").clicked();
        if is_removed {
            overrides.0.remove(path);
        }
        is_written || is_removed
    });
    marks::problems_ui(ui, context);
    context.wrong.truncate(wrong_before);
    changed.inner
}

/// What is typed for an override that is not there yet.
#[derive(Clone, Default)]
struct NewOverride {
    path: String,
    value: String,
}

impl NewOverride {
    /// The path and value to add.
    fn checked(&self, overrides: &Overrides) -> Result<(String, String), String> {
        let path = self.path.trim();
        if path.is_empty() {
            return Err("Write the path of a setting first, such as train.batch".to_owned());
        }
        if overrides.0.contains_key(path) {
            return Err(format!("{path} is already in the list"));
        }
        Ok((path.to_owned(), checked(&self.value)?))
    }
}

fn add_ui(ui: &mut Ui, overrides: &mut Overrides, slot: &Slot, context: &mut FormContext) -> bool {
    let id = context.id(ui, "new override");
    let mut new = ui.data(|data| data.get_temp::<NewOverride>(id)).unwrap_or_default();
    let addition = new.checked(overrides);
    let is_added = ui.horizontal(|ui| {
        let width = line::label_width(ui, context);
        let path_id = context.id(ui, "new path");
        let path =
            theme::line_edit(&mut new.path).id(path_id).hint_text("e.g. train.batch").desired_width(width);
        let path = ui.add(path).accessible_name(format!("{}: new path", slot.name));
        context.note_input(&path);
        let value = theme::line_edit(&mut new.value).id(context.id(ui, "new value")).hint_text("e.g. 8");
        let value =
            ui.add(value.desired_width(value_width(ui))).accessible_name(format!("{}: new value", slot.name));
        let is_entered = value.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        let button = ui.add_enabled(addition.is_ok(), sign::text_button("+"));
        let button = button.accessible_name(format!("Add to {}", slot.name)).on_hover_text("Add");
        let why_not = addition.as_ref().err().cloned().unwrap_or_default();
        button.on_disabled_hover_text(why_not).clicked() || is_entered
    });
    let added = if is_added.inner { addition.ok() } else { None };
    if added.is_some() {
        new = NewOverride::default();
    }
    ui.data_mut(|data| data.insert_temp(id, new));
    let is_added = added.is_some();
    overrides.0.extend(added);
    is_added
}

fn value_width(ui: &Ui) -> f32 {
    (ui.available_width() - sign::WIDTH - ui.spacing().item_spacing.x).max(40.0)
}

/// The text, if it is one value of the file format.
///
/// Anything else must not reach the document: it could not be written to a file.
fn checked(text: &str) -> Result<String, String> {
    let mut single = Overrides::default();
    let read = single.set_ron(&format!("{{\"path\": {text}}}"));
    let values: Vec<String> = single.0.into_values().collect();
    match (read, <[String; 1]>::try_from(values)) {
        (Ok(()), Ok([value])) if !value.is_empty() => Ok(value),
        _ => Err("Write a value as in the file: 8, 0.1, true, \"text\" or [1, 2]".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_single_value_of_the_file_format_is_taken() {
        assert_eq!(checked(" 8 ").unwrap(), "8");
        assert_eq!(checked("[[32], [64, 32]]").unwrap(), "[[32], [64, 32]]");
        for text in ["", "[1,", "1, \"other\": 2", "}", "8 // why"] {
            assert!(checked(text).is_err(), "{text}");
        }
    }
}
