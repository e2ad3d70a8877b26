//! Settings that an arm or the experiment replaces: with one value, or with several that are compared.

use eframe::egui::containers::menu::{MenuButton, MenuConfig};
use eframe::egui::{Button, PopupCloseBehavior, RichText, ScrollArea, TextEdit, Ui};

use super::drafts::{FieldStyle, draft_ui};
use super::{About, FormContext, FormRequest, Slot, line};
use crate::icons::Icon;
use crate::swept::{Swept, label_of, path_of};
use crate::theme::{self, SMALL, cell_ui};
use crate::widgets::{self, FieldState};
use doc::{Experiment, planned};
use form::path::{Place, Segment, reach, walk};
use form::{Field, Node, Overrides, Stored, Value, text};

/// The key of lists of values, in an arm and in the experiment; the other overrides have one value each.
const SWEEP: &str = "sweep";

/// Draws the settings by their labels, each with its values, and what adds one.
pub(super) fn body_ui(
    ui: &mut Ui,
    overrides: &mut Overrides,
    slot: &Slot,
    context: &mut FormContext,
) -> bool {
    let is_list = slot.field.key == SWEEP;
    let mut changed = false;
    let paths: Vec<String> = overrides.0.keys().cloned().collect();
    for path in paths {
        changed |= context.at(Segment::Key(path.clone()), |context| {
            context.reachable(ui, |ui, context| override_ui(ui, overrides, &path, is_list, context))
        });
    }
    add_ui(ui, overrides, is_list, context) || changed
}

fn override_ui(
    ui: &mut Ui,
    overrides: &mut Overrides,
    path: &str,
    is_list: bool,
    context: &mut FormContext,
) -> bool {
    let known = context.about.with(path, |_, found| label_of(&found.place, &found.fields));
    let (label, around) = known.unwrap_or_else(|| (path.to_owned(), String::new()));
    let changed = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::STEP / 2.0;
        let colours = theme::present(ui);
        let mut slot = Slot::named(label.clone());
        let hint = if around.is_empty() { path.to_owned() } else { format!("{around}: {label} ({path})") };
        line::name_ui(ui, &mut slot, colours.text2, &hint, context);
        let width = (ui.available_width() - line::ICON_WIDTH - ui.spacing().item_spacing.x).max(40.0);
        let values = overrides.0.get(path).cloned().unwrap_or_default();
        let written = cell_ui(ui, width, |ui| values_ui(ui, path, &values, is_list, &slot, context));
        let is_changed = written.is_some();
        overrides.0.extend(written.map(|written| (path.to_owned(), written)));
        let is_removed = line::icon_ui(ui, Icon::X, colours.text2, &format!("Remove {label}"), "Remove");
        if is_removed {
            overrides.0.remove(path);
            context.drafts.forget(&context.place.clone());
        }
        is_changed || is_removed
    });
    line::problems_ui(ui, context);
    changed.inner
}

/// Draws the values of a setting as one text: `0.001, 0.003`. Returns what to write into the file.
fn values_ui(
    ui: &mut Ui,
    path: &str,
    values: &str,
    is_list: bool,
    slot: &Slot,
    context: &mut FormContext,
) -> Option<String> {
    let mut about = std::mem::take(&mut context.about);
    let document = shown(&mut about, path, values, is_list);
    let mut result = None;
    let count = is_list.then(|| Overrides::items(values).map_or(0, |items| items.len()));
    let style = FieldStyle {
        hint: if is_list { "0.001, 0.003" } else { "" },
        values: count,
        ..FieldStyle::default()
    };
    draft_ui(ui, &document, style, slot, context, &mut |typed| {
        let ron = ron_of(&mut about, path, typed, is_list)?;
        let document = shown(&mut about, path, &ron, is_list);
        result = Some(ron);
        Ok(document)
    });
    context.about = about;
    result
}

/// Writes typed values of a setting at a place of the document, where that is one of a sweep or of changed settings. Returns
/// the text that its field has then, or what is wrong.
pub(super) fn enter(
    experiment: &mut Experiment,
    place: &Place,
    typed: &str,
) -> Option<Result<String, String>> {
    let [around @ .., Segment::Key(key), Segment::Key(path)] = place.0.as_slice() else { return None };
    let arm = match around {
        [] => None,
        [_, Segment::Index(arm)] => Some(*arm),
        _ => return None,
    };
    let mut about = About { spec: planned(experiment, arm), ..About::default() };
    let is_list = key == SWEEP;
    let mut entered = None;
    reach(experiment, &place.0[..place.0.len() - 1], &mut |value| {
        let Node::Overrides(overrides) = value.node() else { return };
        entered = Some(ron_of(&mut about, path, typed, is_list).map(|ron| {
            let text = shown(&mut about, path, &ron, is_list);
            overrides.0.insert(path.clone(), ron);
            text
        }));
    });
    entered
}

/// Returns the text of a field for values of a file.
fn shown(about: &mut About, path: &str, values: &str, is_list: bool) -> String {
    let text = about.with(path, |value, found| written(value, values, is_list, &found.field()));
    text.flatten().unwrap_or_else(|| values.to_owned())
}

/// Returns the text of the file format for the typed values of a setting.
fn ron_of(about: &mut About, path: &str, typed: &str, is_list: bool) -> Result<String, String> {
    let read = about.with(path, |value, found| read(value, typed, is_list, &found.field()));
    read.unwrap_or_else(|| checked(typed))
}

/// Returns the text of values; nothing where some are no values of the setting.
fn written(value: &mut dyn Value, values: &str, is_list: bool, field: &Field) -> Option<String> {
    let items = if is_list { Overrides::items(values).ok()? } else { vec![values.to_owned()] };
    let text = |item: &String| {
        value.set_ron(item).ok()?;
        Some(if is_list { text::item_text(value, field) } else { text::to_text(value, field) })
    };
    items.iter().map(text).collect::<Option<Vec<_>>>().map(|texts| texts.join(", "))
}

/// Returns the text of the file format for typed values.
fn read(value: &mut dyn Value, typed: &str, is_list: bool, field: &Field) -> Result<String, String> {
    if is_list {
        let items = text::read_list(value, typed, field)?;
        if items.is_empty() {
            return Err("Write values with commas between them, such as 0.001, 0.003".to_owned());
        }
        return Ok(format!("[{}]", items.join(", ")));
    }
    text::set_text(value, typed, field)?;
    Ok(value.to_ron())
}

/// Draws the values of a setting in place of its control.
pub(super) fn swept_ui(ui: &mut Ui, swept: &Swept, slot: &Slot, context: &mut FormContext) {
    let outer = std::mem::replace(&mut context.place, swept.place());
    // The list of swept settings can show the same values in the same frame.
    let values =
        ui.push_id("swept", |ui| values_ui(ui, &swept.path, &swept.values, true, slot, context)).inner;
    context.place = outer;
    if values.is_some() {
        let (arm, path) = (swept.arm, swept.path.clone());
        context.requests.push(FormRequest::Sweep { arm, path, values });
    }
}

/// Draws what is wrong with the values that are drawn in place of a control.
pub(super) fn swept_problems_ui(ui: &mut Ui, swept: &Swept, context: &mut FormContext) {
    let outer = std::mem::replace(&mut context.place, swept.place());
    line::problems_ui(ui, context);
    context.place = outer;
}

/// Draws that a sweep of an arm, or of the experiment, replaces a setting; a click leads there.
pub(super) fn elsewhere_ui(ui: &mut Ui, swept: &Swept, slot: &Slot, context: &mut FormContext) {
    let colours = theme::present(ui);
    let text = format!("swept, {}", form::number::counted(swept.count() as u64, "value"));
    let button = Button::new(RichText::new(&text).color(colours.link)).fill(colours.field).truncate();
    let button = button.stroke(eframe::egui::Stroke::new(1.0, colours.edge));
    let response = ui.add(button.min_size(eframe::egui::vec2(ui.available_width(), theme::CONTROL)));
    context.note_input(&response);
    let owner =
        swept.arm.and_then(|arm| context.about.arms.get(arm)).map_or("the experiment", String::as_str);
    let values = swept.values.trim_matches(['[', ']']);
    let response = response.on_hover_text(format!("Swept by {owner}: {values}. Click to edit the values"));
    if response.accessible_name(format!("{}: {text}", slot.name)).clicked() {
        context.requests.push(FormRequest::Show(swept.place()));
    }
}

/// Turns a setting into a list that begins with its value.
pub(super) fn first_values(
    value: &mut dyn Value,
    slot: &Slot,
    path: &str,
    context: &mut FormContext,
) -> FormRequest {
    let unset = if let Node::Optional(optional) = value.node() {
        (!optional.is_set()).then(|| optional.sample().to_ron())
    } else {
        None
    };
    let present = match unset {
        Some(sample) => context.about.inherited(&slot.field).unwrap_or(sample),
        None => value.to_ron(),
    };
    let arm = crate::swept::in_run(&context.place).and_then(|(arm, _)| arm);
    FormRequest::Sweep { arm, path: path.to_owned(), values: Some(format!("[{present}]")) }
}

/// A setting that can be added.
struct Addable {
    path: String,
    label: String,
    around: String,
    value: String,
}

/// Draws the button that opens a list of all settings by their labels.
fn add_ui(ui: &mut Ui, overrides: &mut Overrides, is_list: bool, context: &mut FormContext) -> bool {
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let button = MenuButton::from_button(widgets::ghost(Icon::Plus, "add")).config(config);
    let (response, menu) = button.ui(ui, |ui| add_menu_ui(ui, overrides, is_list, context));
    let name = if is_list { "Add swept setting" } else { "Add set setting" };
    context.note_input(&response);
    response.accessible_name(name);
    menu.is_some_and(|menu| menu.inner)
}

fn add_menu_ui(ui: &mut Ui, overrides: &mut Overrides, is_list: bool, context: &mut FormContext) -> bool {
    let id = context.id(ui, "search settings");
    let mut search = ui.data(|data| data.get_temp::<String>(id)).unwrap_or_default();
    ui.set_min_width(300.0);
    let field = TextEdit::singleline(&mut search).hint_text("Search settings").desired_width(f32::INFINITY);
    let field = widgets::field_ui(ui, field.id(id.with("text")), FieldState::Plain);
    let field = field.accessible_name("Search settings");
    if !ui.memory(|memory| memory.has_focus(field.id)) && search.is_empty() {
        field.request_focus();
    }
    let wanted = search.to_lowercase();
    ui.data_mut(|data| data.insert_temp(id, search));
    let mut all = addable(context);
    all.retain(|setting| {
        let words = format!("{} {} {}", setting.around, setting.label, setting.path).to_lowercase();
        wanted.split_whitespace().all(|word| words.contains(word)) && !overrides.0.contains_key(&setting.path)
    });
    let colour = theme::present(ui).text3;
    let chosen = ScrollArea::vertical().max_height(280.0).show(ui, |ui| {
        all.into_iter().find(|setting| {
            let around = RichText::new(&setting.around).size(SMALL).color(colour);
            let entry = Button::new((setting.label.as_str(), around)).frame_when_inactive(false);
            let entry = ui.add(entry.truncate().min_size(eframe::egui::vec2(ui.available_width(), 24.0)));
            let entry = entry.accessible_name(format!("{}, {}", setting.label, setting.around));
            let hint = format!("{}: {} ({})", setting.around, setting.label, setting.path);
            entry.on_hover_text(hint).clicked()
        })
    });
    let Some(Addable { path, value, .. }) = chosen.inner else { return false };
    overrides.0.insert(path, if is_list { format!("[{value}]") } else { value });
    ui.data_mut(|data| data.remove::<String>(id));
    ui.close();
    true
}

/// Returns all settings of the runs that can have other values.
fn addable(context: &mut FormContext) -> Vec<Addable> {
    let mut all: Vec<Addable> = Vec::new();
    walk(&mut context.about.spec, &mut |value, found| {
        let Some(Segment::Key(root)) = found.place.0.first() else { return };
        // What a stage does is no setting of it; a value that an alternative carries is one of its own.
        let is_inner = matches!(found.place.0.last(), Some(Segment::Variant(_)));
        if let Node::Choice(choice) = value.node()
            && (is_inner || choice.payload().is_some_and(is_single))
        {
            return;
        }
        let value = match value.node() {
            Node::Group(_) | Node::Overrides(_) | Node::Text(_) => return,
            Node::List(list) if !super::list::is_line(list) => return,
            Node::Optional(optional) if matches!(optional.sample().node(), Node::Text(_)) => return,
            Node::Optional(optional) if !optional.is_set() => optional.sample().to_ron(),
            Node::Switch(_)
            | Node::Integer(_)
            | Node::Number(_)
            | Node::Length(_)
            | Node::Choice(_)
            | Node::List(_)
            | Node::Optional(_) => value.to_ron(),
        };
        let path = path_of(&found.place);
        let is_item = matches!(found.place.0.last(), Some(Segment::Index(_)));
        if root == "seed" || is_item || all.iter().any(|other| other.path == path) {
            return;
        }
        let (label, around) = label_of(&found.place, &found.fields);
        all.push(Addable { path, label, around, value });
    });
    all
}

fn is_single(value: &mut dyn Value) -> bool {
    !matches!(value.node(), Node::Group(_) | Node::Choice(_))
}

/// Returns the text, if it is one value of the file format.
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

    #[test]
    fn typed_values_are_written_as_lists_of_the_file_format() {
        let field = Field { unit: "%", ..Field::new("x", "X", "") };
        assert_eq!(read(&mut 0.0, "10 %, 0.2", true, &field).unwrap(), "[0.1, 0.2]");
        assert_eq!(written(&mut 0.0, "[0.1, 0.2]", true, &field).unwrap(), "10 %, 20 %");
        assert!(read(&mut 0.0, "", true, &field).is_err());
        assert_eq!(written(&mut 0.0, "8, 9", true, &field), None);
    }
}
