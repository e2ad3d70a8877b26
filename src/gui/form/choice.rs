//! One of several alternatives: a drop-down, and the settings of what is chosen.

use eframe::egui::{Button, Ui};

use super::about::names_layers;
use super::{FormButton, FormContext, FormRequest, Slot, layers, leaf, line};
use crate::widgets;
use doc::capitalised;
use form::path::Segment;
use form::{Choice, Field, Node, Value, text};

/// Draws the drop-down.
pub(super) fn head_ui(ui: &mut Ui, choice: &mut dyn Choice, slot: &Slot, context: &mut FormContext) -> bool {
    let (variants, selected) = (choice.variants(), choice.selected());
    let chosen = drop_down_ui(ui, variants[selected].label, None, choice, Some(selected), slot, context);
    let Some(index) = chosen.filter(|index| *index != selected) else { return false };
    choose(choice, index, context);
    true
}

/// Takes an alternative. One that names layers begins with those that there are, rather than with an error. Numbers that
/// both alternatives have, such as the learning rates of optimizers, start at the default of the new one, which is noted.
pub(super) fn choose(choice: &mut dyn Choice, index: usize, context: &mut FormContext) {
    let before = numbers(choice);
    choice.select(index);
    let changed = numbers(choice).into_iter().filter_map(|(field, new)| {
        let (_, old) = before.iter().find(|(known, _)| known.key == field.key)?;
        let [new, old] = [new, *old].map(|value| text::number_text(value, &field));
        (new != old).then(|| format!("{} {new} instead of {old}", field.label.to_lowercase()))
    });
    let changed: Vec<String> = changed.collect();
    if !changed.is_empty() {
        let label = choice.variant().label;
        context.notes.push(format!("{label} starts at its defaults: {}", changed.join(", ")));
    }
    // The first alternative that names layers begins with all of them; what leaves layers out begins with none.
    if choice.variants().iter().position(names_layers) == Some(index)
        && let Some(payload) = choice.payload()
    {
        write_names(payload, context.about.layers.iter().map(|(name, _)| name.as_str()));
    }
}

/// Returns the real numbers among the settings of what is chosen.
fn numbers(choice: &mut dyn Choice) -> Vec<(Field, f64)> {
    let Some(Node::Group(group)) = choice.payload().map(|payload| payload.node()) else { return Vec::new() };
    let fields = group.fields().iter().enumerate();
    let number = |(index, field): (usize, &Field)| {
        if let Node::Number(number) = group.value(index).node() { Some((*field, *number)) } else { None }
    };
    fields.filter_map(number).collect()
}

/// Draws a drop-down with the alternatives, after `first` where a value may be left out. Returns what is selected then.
pub(super) fn drop_down_ui(
    ui: &mut Ui,
    shown: &str,
    first: Option<&str>,
    choice: &dyn Choice,
    selected: Option<usize>,
    slot: &Slot,
    context: &mut FormContext,
) -> Option<usize> {
    let help = selected.map_or(slot.field.help, |index| choice.variants()[index].help);
    let chosen = leaf::drop_down_ui(ui, shown, help, slot, context, |ui| {
        let mut chosen = None;
        if let Some(first) = first
            && ui.selectable_label(selected.is_none(), first).clicked()
        {
            chosen = Some(None);
        }
        for (index, variant) in choice.variants().iter().enumerate() {
            let refusal = choice.refusal(index).map(|refusal| capitalised(&refusal));
            let label = Button::selectable(Some(index) == selected, variant.label);
            let entry = ui.add_enabled(refusal.is_none(), label);
            let entry = entry.on_hover_text(variant.help).on_disabled_hover_text(refusal.unwrap_or_default());
            if entry.clicked() {
                chosen = Some(Some(index));
            }
        }
        chosen
    });
    chosen.unwrap_or(selected)
}

/// Draws the settings of the chosen alternative, below its drop-down and the buttons that it has.
pub(super) fn body_ui(ui: &mut Ui, choice: &mut dyn Choice, context: &mut FormContext) -> bool {
    let (title, key) = (choice.title(), choice.variant().key);
    let is_here = |button: &&FormButton| button.of == title && (button.is_for)(key);
    let buttons: Vec<&FormButton> = context.buttons.iter().filter(is_here).collect();
    if !buttons.is_empty() {
        ui.horizontal_wrapped(|ui| {
            for button in buttons {
                if ui.add(widgets::button(None, button.text)).on_hover_text(button.help).clicked() {
                    context.requests.push(FormRequest::Press(context.place.clone(), button.text));
                }
            }
        });
    }
    if let Some(changed) = layers::ticks_ui(ui, choice, context) {
        return changed;
    }
    let variant = choice.variant();
    let Some(payload) = choice.payload() else { return false };
    context.at(Segment::Variant(variant.key.to_owned()), |context| {
        let slot = Slot { name: variant.label.to_owned(), label: None, field: variant };
        if !matches!(payload.node(), Node::Group(_) | Node::Choice(_)) {
            return line::setting_ui(ui, &slot, payload, None, context).changed;
        }
        line::problems_ui(ui, context);
        super::whole_ui(ui, payload, &slot, context)
    })
}

/// Writes these names into a list.
pub(super) fn write_names<'a>(list: &mut dyn Value, names: impl Iterator<Item = &'a str>) {
    let names: Vec<&str> = names.collect();
    let _ = list.set_ron(&format!("{names:?}")); // RON reads what Rust has quoted
}
