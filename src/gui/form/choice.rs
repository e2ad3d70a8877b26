//! One of several alternatives: a drop-down, and the settings of what is chosen.

use eframe::egui::accesskit::Role;
use eframe::egui::{
    Align, Button, Checkbox, FontId, Label, Layout, RichText, ScrollArea, Ui, WidgetInfo, vec2,
};

use super::about::names_layers;
use super::{FormButton, FormContext, FormRequest, Slot, leaf, line};
use crate::text::grouped;
use crate::theme::{self, SMALL, fitted};
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
    if let Some(changed) = choice_ui(ui, choice, context) {
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

/// Height of a layer, and the gap to the next one, in points.
const ROW: f32 = 24.0;
const GAP: f32 = 2.0;
/// More layers than these scroll.
const MOST_ROWS: usize = 10;

/// Writes these names into a list.
fn write_names<'a>(list: &mut dyn Value, names: impl Iterator<Item = &'a str>) {
    let names: Vec<&str> = names.collect();
    let _ = list.set_ron(&format!("{names:?}")); // RON reads what Rust has quoted
}

/// Draws the ticks of a choice that names layers; nothing for another one, or where the layers are not known. Returns
/// whether it changed.
fn choice_ui(ui: &mut Ui, choice: &mut dyn Choice, context: &mut FormContext) -> Option<bool> {
    let variants = choice.variants();
    let by_name = variants.iter().position(names_layers)?;
    let layers = context.about.layers.clone();
    let selected = choice.selected();
    let is_named = names_layers(&variants[selected]);
    if layers.is_empty() || (!is_named && choice.payload().is_some()) {
        return None;
    }
    let key = Segment::Variant(variants[selected].key.to_owned());
    let mut names = choice.payload().map(names_of).unwrap_or_default();
    let means_others = is_named && selected != by_name;
    context.at(key, |context| {
        context.reachable(ui, |ui, context| {
            line::problems_ui(ui, context);
            let list = ScrollArea::vertical().id_salt("layers").auto_shrink([false, true]);
            let list = list.max_height(MOST_ROWS as f32 * (ROW + GAP));
            let means = means_others.then_some(Means::Others).or(is_named.then_some(Means::These));
            let changed = ui.scope(|ui| {
                // The bar of a long list takes no room, so that ticks are in line with the fields.
                ui.spacing_mut().scroll.floating_allocated_width = 0.0;
                list.show(ui, |ui| layers_ui(ui, &layers, &mut names, means, context)).inner
            });
            let changed = changed.inner;
            if changed {
                let position = |name: &String| layers.iter().position(|(layer, _)| layer == name);
                names.sort_by_key(position);
                take_names(choice, by_name, &names, layers.len());
            }
            Some(changed)
        })
    })
}

/// The meaning of the names of layers in an alternative.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Means {
    These,
    Others,
}

/// Draws a tick for each layer, all on where none is named, and for each name that is no layer. Returns true if one
/// changed.
fn layers_ui(
    ui: &mut Ui,
    layers: &[(String, usize)],
    names: &mut Vec<String>,
    means: Option<Means>,
    context: &mut FormContext,
) -> bool {
    let mut changed = false;
    ui.spacing_mut().interact_size.y = ROW;
    ui.spacing_mut().item_spacing = vec2(theme::STEP / 2.0, GAP);
    let are_left_out = means == Some(Means::Others);
    for (layer, weights) in layers {
        let mut is_on = means.is_none() || names.contains(layer) != are_left_out;
        if tick_ui(ui, layer, Some(*weights), &mut is_on, context) {
            changed = true;
            if means.is_none() {
                *names = layers.iter().map(|(name, _)| name.clone()).collect();
            }
            if is_on == are_left_out {
                names.retain(|name| name != layer);
            } else {
                names.push(layer.clone());
            }
        }
    }
    let unknown: Vec<String> =
        names.iter().filter(|name| layers.iter().all(|(layer, _)| layer != *name)).cloned().collect();
    for name in unknown {
        let mut is_on = true;
        if tick_ui(ui, &name, None, &mut is_on, context) {
            changed = true;
            names.retain(|other| *other != name);
        }
    }
    changed
}

/// Takes these names; all layers are the alternative without names, where there is one.
fn take_names(choice: &mut dyn Choice, by_name: usize, names: &[String], layers: usize) {
    if names.len() == layers && choice.selected() <= by_name {
        choice.select(0);
        if choice.payload().is_none() {
            return;
        }
        choice.select(by_name);
    } else if choice.payload().is_none() {
        choice.select(by_name);
    }
    if let Some(payload) = choice.payload() {
        write_names(payload, names.iter().map(String::as_str));
    }
}

fn names_of(value: &mut dyn Value) -> Vec<String> {
    let Node::List(list) = value.node() else { return Vec::new() };
    let count = list.count();
    let name = |index| if let Node::Text(text) = list.item(index).node() { Some(text.clone()) } else { None };
    (0..count).filter_map(name).collect()
}

/// Draws one layer with its number of weights; one that the network does not have is wrong until it is unticked.
fn tick_ui(
    ui: &mut Ui,
    name: &str,
    weights: Option<usize>,
    is_on: &mut bool,
    context: &mut FormContext,
) -> bool {
    let colours = theme::present(ui);
    let width = line::label_width(ui, context) + ui.spacing().item_spacing.x;
    ui.horizontal(|ui| {
        ui.add_space(width);
        let count = weights.map_or_else(|| "unknown".to_owned(), |weights| grouped(weights as u64));
        let (body, small) = (FontId::proportional(theme::BODY), FontId::proportional(SMALL));
        let size =
            |text: &str| ui.painter().layout_no_wrap(text.to_owned(), small.clone(), colours.text).size().x;
        let taken = size(&count) + line::ICON_WIDTH + 4.0 * theme::STEP + 16.0;
        let text = RichText::new(fitted(ui.painter(), name, &body, (ui.available_width() - taken).max(16.0)));
        let text = if weights.is_none() { text.color(colours.bad) } else { text };
        let response = widgets::input_ui(ui, Checkbox::new(is_on, text));
        context.note_input(&response);
        let (is_checked, hint) =
            (*is_on, if weights.is_none() { "The network has no such layer" } else { name });
        response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, is_checked, name));
        let response = response.on_hover_text(hint);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(line::ICON_WIDTH + theme::STEP / 2.0);
            let colour = if weights.is_none() { colours.bad } else { colours.text3 };
            let count =
                Label::new(RichText::new(count).size(SMALL).color(colour)).selectable(false).truncate();
            ui.add(count);
        });
        response.changed()
    })
    .inner
}
