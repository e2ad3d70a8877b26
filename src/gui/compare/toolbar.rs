//! The controls of the table in the head of its tile: filter, groups, baseline, columns, copying; and its menu.

use eframe::egui::containers::menu::MenuButton;
use eframe::egui::{Align, Layout, RichText, Ui};

use super::columns::columns_ui;
use super::filter::filter_ui;
use super::{Compare, CompareResponse};
use crate::gui::icons::Icon;
use crate::gui::runs::Runs;
use crate::gui::text::shortened;
use crate::gui::theme::{self, present};
use crate::gui::widgets::{self, drop_down};
use crate::results::table::columns::{Column, independent};
use crate::results::table::copy::Numbers;
use crate::results::table::view::{Baseline, Key};

/// A longer name of the baseline loses its middle.
const LONGEST: usize = 20;

/// The tooltip of the baseline.
const BASELINE: &str = "What the column Δ compares with";

/// Width that the filter needs, and that the drop-downs take with their names, in points.
const FILTER: f32 = 300.0;
const GROUP: f32 = 130.0;
const BASELINE_WIDTH: f32 = 170.0;
const THEN: f32 = 120.0;

/// Draws the controls into the head of the tile, from right to left; what has no room is in the menu of the tile.
pub fn tools_ui(ui: &mut Ui, compare: &mut Compare, runs: &Runs) -> Option<CompareResponse> {
    ui.spacing_mut().item_spacing.x = theme::STEP;
    let response = copy_ui(ui, compare);
    columns_ui(ui, compare, runs);
    let mut room = ui.available_width() - FILTER;
    let mut takes = |width: f32| {
        let fits = room >= width;
        room -= width;
        fits
    };
    // The first that does not fit leaves no room for the others.
    let [has_group, has_baseline, has_then] = [GROUP, BASELINE_WIDTH, THEN].map(&mut takes);
    if has_baseline {
        baseline_ui(ui, compare);
    }
    if has_group {
        group_ui(ui, compare, if has_then { 2 } else { 1 });
    }
    ui.with_layout(Layout::left_to_right(Align::Center), |ui| filter_ui(ui, compare));
    response
}

/// Draws what a narrow head has no room for, and what is rare, into the menu of the tile.
pub fn menu_ui(ui: &mut Ui, compare: &mut Compare) -> Option<CompareResponse> {
    ui.horizontal(|ui| group_ui(ui, compare, 2));
    ui.horizontal(|ui| baseline_ui(ui, compare));
    let response = archived_ui(ui, compare);
    ui.separator();
    response
}

/// What a drop-down is called: drawn before it, or after it where the line runs from the right.
fn named_ui(ui: &mut Ui, name: &str, help: &str) {
    let label = RichText::new(name).color(present(ui).text2);
    ui.label(label).on_hover_text(help);
}

/// What groups the rows of the table, at `most` this many levels; an arm or a setting makes the lines of plots too.
fn group_ui(ui: &mut Ui, compare: &mut Compare, most: usize) {
    let is_reversed = ui.layout().prefer_right_to_left();
    const HELP: &str = "What groups the rows. An arm or a setting also makes the lines of plots";
    let keys = compare.view.table.keys(compare.view.group.as_ref());
    let title = |compare: &Compare, key: Option<&Key>| match key {
        None => "none".to_owned(),
        Some(key) => crate::doc::plan::words::uncapitalised(&key.column().title(&compare.labels())),
    };
    let mut chosen = keys.clone();
    let offered = groupable(compare);
    let drop = |ui: &mut Ui, place: usize, chosen: &mut Vec<Key>| {
        let name = ["group", "then"][place];
        let shown = title(compare, keys.get(place));
        let combo = drop_down(name, &shown).width(64.0).show_ui(ui, |ui| {
            if ui.selectable_label(keys.len() <= place, "none").clicked() {
                chosen.truncate(place);
            }
            for key in offered.iter().filter(|key| !keys[..place.min(keys.len())].contains(key)) {
                if ui.selectable_label(keys.get(place) == Some(key), title(compare, Some(key))).clicked() {
                    match chosen.get_mut(place) {
                        Some(present) => *present = key.clone(),
                        None => chosen.push(key.clone()),
                    }
                }
            }
        });
        combo.response.on_hover_text(format!("{HELP}: {shown}")).accessible_name(name);
    };
    if is_reversed {
        if !keys.is_empty() && most > 1 {
            drop(ui, 1, &mut chosen);
            named_ui(ui, "then", "Groups within the groups");
        }
        drop(ui, 0, &mut chosen);
        named_ui(ui, "group", HELP);
    } else {
        named_ui(ui, "group", HELP);
        drop(ui, 0, &mut chosen);
        if !keys.is_empty() && most > 1 {
            named_ui(ui, "then", "Groups within the groups");
            drop(ui, 1, &mut chosen);
        }
    }
    if chosen != keys {
        compare.group_by(chosen);
    }
}

impl Compare {
    /// Groups the rows by these keys; the first one, if it is an arm or a setting, makes the lines of plots.
    pub fn group_by(&mut self, mut keys: Vec<Key>) {
        if keys.len() == 2 && keys[0] == keys[1] {
            keys.pop();
        }
        match keys.first() {
            Some(Key::Arm) => self.view.group = None,
            Some(Key::Setting(path)) => self.view.group = Some(path.clone()),
            Some(Key::Seed | Key::Tags | Key::State) | None => {}
        }
        let is_usual = keys.len() == 1 && matches!(keys[0], Key::Arm | Key::Setting(_));
        self.view.table.group = (!is_usual).then_some(keys);
    }

    /// What the form calls settings.
    pub fn labels(&self) -> std::sync::Arc<crate::results::table::Labels> {
        self.rows.first().map(|row| row.labels.clone()).unwrap_or_default()
    }
}

/// What can group rows.
pub fn groupable(compare: &Compare) -> Vec<Key> {
    let settings = independent(&compare.rows, &compare.settings).into_iter();
    let has_tags = compare.rows.iter().any(|row| !row.mark.tags.is_empty());
    let tags = has_tags.then_some(Key::Tags);
    let settings = settings.map(|path| Key::Setting(path.clone()));
    [Key::Arm, Key::Seed, Key::State].into_iter().chain(tags).chain(settings).collect()
}

fn baseline_ui(ui: &mut Ui, compare: &mut Compare) {
    let table = compare.table();
    if !table.columns.contains(&Column::Delta) {
        return;
    }
    let is_reversed = ui.layout().prefer_right_to_left();
    if !is_reversed {
        named_ui(ui, "baseline", BASELINE);
    }
    let shown = if table.baseline.is_empty() { "none" } else { &table.baseline };
    let mut chosen = compare.view.table.baseline.clone();
    let combo = drop_down("baseline", &shortened(shown, LONGEST)).width(80.0).show_ui(ui, |ui| {
        ui.selectable_value(&mut chosen, Baseline::First, "the first group");
        for group in &table.groups {
            ui.selectable_value(&mut chosen, Baseline::Group(group.name.clone()), &group.name);
        }
        ui.selectable_value(&mut chosen, Baseline::None, "none");
    });
    combo.response.on_hover_text(format!("{BASELINE}: {shown}")).accessible_name("baseline");
    if is_reversed {
        named_ui(ui, "baseline", BASELINE);
    }
    compare.view.table.baseline = chosen;
}

fn copy_ui(ui: &mut Ui, compare: &mut Compare) -> Option<CompareResponse> {
    let mut chosen = None;
    MenuButton::from_button(widgets::button(Icon::Copy, "Copy")).ui(ui, |ui| {
        for (name, numbers, help) in [
            ("Copy table", Numbers::Shown, "Copies the visible rows as they are shown, for a spreadsheet"),
            ("Copy as CSV", Numbers::Exact, "Copies the visible rows as CSV, with all digits"),
        ] {
            if ui.button(name).on_hover_text(help).clicked() {
                chosen = Some(compare.copy(numbers));
            }
        }
        let methods = ui.button("Copy methods text");
        let help = "Copies a paragraph for a paper's methods section, generated from the document";
        if methods.on_hover_text(help).clicked() {
            chosen = Some(CompareResponse::CopyMethods);
        }
    });
    chosen
}

fn archived_ui(ui: &mut Ui, compare: &Compare) -> Option<CompareResponse> {
    let mut chosen = None;
    if !compare.archived.is_empty() {
        ui.menu_button(format!("Archived runs ({})", compare.archived.len()), |ui| {
            for run in &compare.archived {
                let name = format!("Restore {}, seed {}", run.arm, run.seed);
                if ui.button(name).on_hover_text(format!("Run {}", run.id)).clicked() {
                    chosen = Some(CompareResponse::Restore(run.id.clone()));
                    ui.close();
                }
            }
        });
    }
    chosen
}
