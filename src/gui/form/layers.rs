//! The layers of a network to tick: a tree by block, as their names have it.

use std::collections::BTreeSet;

use eframe::egui::accesskit::Role;
use eframe::egui::{
    Align2, Checkbox, EventFilter, FontId, Id, Key, RichText, ScrollArea, TextEdit, Ui, WidgetInfo, pos2,
    vec2,
};

use super::about::names_layers;
use super::choice::write_names;
use super::{FormContext, line};
use crate::icons::Icon;
use crate::text::grouped;
use crate::theme::{self, BODY, SMALL, STEP};
use crate::widgets::{self, FieldState};
use form::path::Segment;
use form::{Choice, Node, Value};

/// Height of a layer, and the gap to the next one, in points.
const ROW: f32 = 24.0;
const GAP: f32 = 2.0;
/// More layers than these scroll, have a filter, and begin with their blocks folded.
const MOST_ROWS: usize = 10;

/// Draws the ticks of a choice that names layers; nothing for another one, or where the layers are not known. Returns
/// whether it changed.
pub(super) fn ticks_ui(ui: &mut Ui, choice: &mut dyn Choice, context: &mut FormContext) -> Option<bool> {
    let variants = choice.variants();
    let by_name = variants.iter().position(names_layers)?;
    let layers = context.about.layers.clone();
    let selected = choice.selected();
    let is_named = names_layers(&variants[selected]);
    if layers.is_empty() || (!is_named && choice.payload().is_some()) {
        return None;
    }
    let key = Segment::Variant(variants[selected].key.to_owned());
    let names = choice.payload().map(names_of).unwrap_or_default();
    // Others than the named ones, where the first alternative that names layers means those.
    let are_left_out = is_named && selected != by_name;
    let count = layers.len();
    let unknown = names.iter().filter(|name| layers.iter().all(|(layer, _)| layer != *name));
    let unknown = unknown.map(|name| (name.clone(), None)).collect::<Vec<_>>();
    let mut layers: Vec<Layer> = layers.into_iter().map(|(name, weights)| (name, Some(weights))).collect();
    layers.extend(unknown);
    let is_on =
        |(name, weights): &&Layer| !is_named || weights.is_none() || names.contains(name) != are_left_out;
    let on = layers.iter().filter(is_on).map(|(name, _)| name.clone()).collect();
    let (is_long, has_filter) = (count > MOST_ROWS, false);
    let mut ticks = Ticks { on, has_filter, is_long, rows: Vec::new(), is_changed: false };
    context.at(key, |context| {
        context.reachable(ui, |ui, context| {
            line::problems_ui(ui, context);
            ticks.ui(ui, &layers, context);
        });
    });
    if ticks.is_changed {
        let is_named =
            |(name, weights): &&Layer| ticks.on.contains(name) != (are_left_out && weights.is_some());
        let names: Vec<&str> = layers.iter().filter(is_named).map(|(name, _)| name.as_str()).collect();
        take_names(choice, by_name, &names, count);
    }
    Some(ticks.is_changed)
}

/// Takes these names; all layers are the alternative without names, where there is one.
fn take_names(choice: &mut dyn Choice, by_name: usize, names: &[&str], layers: usize) {
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
        write_names(payload, names.iter().copied());
    }
}

fn names_of(value: &mut dyn Value) -> Vec<String> {
    let Node::List(list) = value.node() else { return Vec::new() };
    let count = list.count();
    let name = |index| if let Node::Text(text) = list.item(index).node() { Some(text.clone()) } else { None };
    (0..count).filter_map(name).collect()
}

/// The name of a layer with the number of its weights; none where the network has no such layer.
type Layer = (String, Option<usize>);

/// The ticks of layers while they are drawn.
struct Ticks {
    on: BTreeSet<String>,
    has_filter: bool,
    is_long: bool,
    /// The ticks so far, from top to bottom.
    rows: Vec<Id>,
    is_changed: bool,
}

/// A tick of a layer, or of a block of layers.
struct Row<'a> {
    name: &'a str,
    weights: Option<usize>,
    depth: usize,
    is_on: bool,
    is_mixed: bool,
    /// Of a block: whether its layers are shown.
    is_open: Option<bool>,
}

impl Ticks {
    fn ui(&mut self, ui: &mut Ui, layers: &[Layer], context: &mut FormContext) {
        let filter = if self.is_long { filter_ui(ui, context) } else { String::new() };
        self.has_filter = !filter.is_empty();
        let shown: Vec<_> = layers.iter().filter(|(name, _)| name.contains(&filter)).cloned().collect();
        let list = ScrollArea::vertical().id_salt("layers").auto_shrink([false, true]);
        list.max_height(MOST_ROWS as f32 * (ROW + GAP)).show(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(STEP / 2.0, GAP);
            ui.spacing_mut().interact_size.y = ROW;
            self.blocks_ui(ui, &shown, 0, context);
        });
        widgets::arrow_target(ui, &self.rows);
    }

    /// Draws layers whose names have this many parts in common: by the next part, in blocks that fold.
    fn blocks_ui(&mut self, ui: &mut Ui, layers: &[Layer], depth: usize, context: &mut FormContext) {
        let begin = |name: &str| name.match_indices('.').nth(depth).map_or(name.len(), |(at, _)| at);
        for block in layers.chunk_by(|(a, _), (b, _)| a[..begin(a)] == b[..begin(b)]) {
            let on = block.iter().filter(|(name, _)| self.on.contains(name)).count();
            let (first, is_block) = (block[0].0.as_str(), block.len() > 1);
            let name = if is_block { &first[..begin(first)] } else { first };
            let is_mixed = 0 < on && on < block.len();
            let id = context.id(ui, name);
            let kept = || ui.data(|data| data.get_temp::<bool>(id)).unwrap_or(!self.is_long || is_mixed);
            let is_open = is_block.then(|| self.has_filter || kept());
            let weights = block.iter().map(|(_, weights)| *weights).sum();
            let mut row = Row { name, weights, depth, is_on: on == block.len(), is_mixed, is_open };
            if self.row_ui(ui, &mut row, context) {
                for (name, _) in block {
                    if row.is_on {
                        self.on.insert(name.clone())
                    } else {
                        self.on.remove(name)
                    };
                }
            }
            if row.is_open != is_open {
                ui.data_mut(|data| data.insert_temp(id, row.is_open == Some(true)));
            }
            if row.is_open == Some(true) {
                self.blocks_ui(ui, block, depth + 1, context);
            }
        }
    }

    /// Draws a tick with its name and, as far as there is room, the number of its weights. Returns true if it was ticked or
    /// unticked.
    fn row_ui(&mut self, ui: &mut Ui, row: &mut Row<'_>, context: &mut FormContext) -> bool {
        let colours = theme::present(ui);
        let (body, small) = (FontId::proportional(BODY), FontId::proportional(SMALL));
        let name = row.name;
        let count = row.weights.map_or_else(|| "unknown".to_owned(), |weights| grouped(weights as u64));
        let [ink, muted] =
            if row.weights.is_some() { [colours.text, colours.text3] } else { [colours.bad; 2] };
        let response = ui.horizontal(|ui| {
            ui.add_space(row.depth as f32 * STEP);
            if let Some(is_open) = &mut row.is_open {
                let icon = if *is_open { Icon::CaretDown } else { Icon::CaretRight };
                *is_open ^=
                    line::icon_ui(ui, icon, colours.text2, &format!("Layers of {name}"), "Show or fold");
            }
            let shown = theme::fitted(ui.painter(), name, &body, ui.available_width() - 20.0);
            let tick = Checkbox::new(&mut row.is_on, RichText::new(shown).color(ink));
            let response = widgets::input_ui(ui, tick.indeterminate(row.is_mixed));
            let right = ui.max_rect().right();
            if theme::width(ui.painter(), &count, &small) <= right - response.rect.right() - STEP {
                let at = pos2(right, response.rect.center().y);
                ui.painter().text(at, Align2::RIGHT_CENTER, &count, small, muted);
            }
            response
        });
        let response = response.inner;
        context.note_input(&response);
        let is_on = row.is_on;
        response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, is_on, name));
        let about = row
            .weights
            .map_or_else(|| "The network has no such layer".to_owned(), |_| format!("{count} weights"));
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_description(about.as_str()));
        if let Some(is_open) = row.is_open.as_mut().filter(|_| response.has_focus()) {
            let filter =
                EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
            let is_pressed = |key| ui.input(|input| input.key_pressed(key));
            *is_open = (*is_open || is_pressed(Key::ArrowRight)) && !is_pressed(Key::ArrowLeft);
        }
        if response.gained_focus() {
            response.scroll_to_me(None);
        }
        self.rows.push(response.id);
        let is_changed = response.changed();
        response.on_hover_text(format!("{name}: {about}"));
        self.is_changed |= is_changed;
        is_changed
    }
}

/// Draws the field that filters long lists by a part of the names. Returns its text.
fn filter_ui(ui: &mut Ui, context: &mut FormContext) -> String {
    let id = context.id(ui, "filter layers");
    let mut filter = ui.data(|data| data.get_temp::<String>(id)).unwrap_or_default();
    let edit = TextEdit::singleline(&mut filter).hint_text("Filter, such as layer1 or conv");
    let edit = edit.id(id.with("text")).desired_width(f32::INFINITY);
    let response = widgets::field_ui(ui, edit, FieldState::Plain).accessible_name("Filter layers");
    if response.changed() {
        ui.data_mut(|data| data.insert_temp(id, filter.clone()));
    }
    filter
}
