//! One of several alternatives: a drop-down, and the settings of what is chosen.

use eframe::egui::{Button, Ui};

use super::{FormButton, FormContext, FormRequest, Slot, line, marks, ticks};
use crate::widgets;
use doc::capitalised;
use form::path::Segment;
use form::{Choice, Field, Node, Numeral, text};

/// Draws the drop-down.
pub(super) fn head_ui(ui: &mut Ui, choice: &mut dyn Choice, slot: &Slot, context: &mut FormContext) -> bool {
    let (variants, selected) = (choice.variants(), choice.selected());
    let chosen = drop_down_ui(ui, variants[selected].label, None, choice, Some(selected), slot, context);
    match chosen {
        Some(Picked::Alternative(index)) if index != selected => choose(choice, index, context),
        Some(Picked::Alternative(_) | Picked::Nothing) | None => return false,
    }
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
    if ticks::starts_full(choice.variants(), index)
        && let Some(payload) = choice.payload()
    {
        ticks::write(payload, context.about.layers.iter().map(|(name, _)| name.as_str()));
    }
}

/// The real numbers among the settings of what is chosen.
fn numbers(choice: &mut dyn Choice) -> Vec<(Field, f64)> {
    let Some(Node::Group(group)) = choice.payload().map(|payload| payload.node()) else { return Vec::new() };
    let fields = group.fields().iter().enumerate();
    let number = |(index, field): (usize, &Field)| match group.value(index).node().numeral()? {
        Numeral::Real(number) => Some((*field, number)),
        Numeral::Whole(_) => None,
    };
    fields.filter_map(number).collect()
}

/// What was chosen from a drop-down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Picked {
    /// To leave the value out.
    Nothing,
    /// The alternative at this position.
    Alternative(usize),
}

/// Draws a drop-down with the alternatives, after `first` where a value may be left out.
pub(super) fn drop_down_ui(
    ui: &mut Ui,
    shown: &str,
    first: Option<&str>,
    choice: &dyn Choice,
    selected: Option<usize>,
    slot: &Slot,
    context: &mut FormContext,
) -> Option<Picked> {
    let salt = (context.place.to_string(), "choice");
    let width = ui.available_width();
    let combo = widgets::drop_down(salt, shown).width(width).truncate();
    let opened = combo.show_ui(ui, |ui| {
        let mut chosen = None;
        if let Some(first) = first
            && ui.selectable_label(selected.is_none(), first).clicked()
        {
            chosen = Some(Picked::Nothing);
        }
        for (index, variant) in choice.variants().iter().enumerate() {
            let refusal = choice.refusal(index).map(|refusal| capitalised(&refusal));
            let label = Button::selectable(Some(index) == selected, variant.label);
            let entry = ui.add_enabled(refusal.is_none(), label);
            let entry = entry.on_hover_text(variant.help).on_disabled_hover_text(refusal.unwrap_or_default());
            if entry.clicked() {
                chosen = Some(Picked::Alternative(index));
            }
        }
        chosen
    });
    let help = selected.map_or(slot.field.help, |index| choice.variants()[index].help);
    let help = widgets::drop_down_hint(ui, shown, width, help);
    context.finish_input(ui, slot, opened.response).on_hover_text(help);
    opened.inner.flatten()
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
    settings_ui(ui, choice, context)
}

fn settings_ui(ui: &mut Ui, choice: &mut dyn Choice, context: &mut FormContext) -> bool {
    if let Some(changed) = ticks::choice_ui(ui, choice, context) {
        return changed;
    }
    let variant = choice.variant();
    let Some(payload) = choice.payload() else { return false };
    context.at(Segment::Variant(variant.key.to_owned()), |context| {
        let slot = Slot { name: variant.label.to_owned(), label: None, field: variant };
        match payload.node() {
            Node::Group(group) if group.fields().is_empty() => {
                marks::problems_ui(ui, context);
                false
            }
            Node::Group(_) | Node::Choice(_) => {
                marks::problems_ui(ui, context);
                super::whole_ui(ui, payload, &slot, context)
            }
            Node::Switch(_)
            | Node::Integer(_)
            | Node::Number(_)
            | Node::Text(_)
            | Node::Parsed(_)
            | Node::List(_)
            | Node::Optional(_)
            | Node::Overrides(_) => line::below_ui(ui, payload, &slot, context),
        }
    })
}
