//! The controls of the table in the head of its tile: filter, groups, baseline, columns, copying; and its menu.

use eframe::egui::containers::menu::MenuButton;
use eframe::egui::{Align, Layout, Ui};

use super::columns::columns_ui;
use super::filter::filter_ui;
use super::{Compare, CompareResponse};
use crate::commands::Command;
use crate::icons::Icon;
use crate::runs::Runs;
use crate::text::shortened;
use crate::theme;
use crate::widgets::{self, choice_ui};
use results::table::columns::{Column, independent};
use results::table::copy::Numbers;
use results::table::view::{Baseline, Key};

/// A longer name of the baseline loses its middle.
const LONGEST: usize = 20;

/// The tooltip of the groups.
const GROUP_HELP: &str = "What groups the rows. An arm or a setting also makes the lines of plots";

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
    group_ui(ui, compare, 2);
    baseline_ui(ui, compare);
    let response = archived_ui(ui, compare);
    ui.separator();
    response
}

/// What groups the rows of the table, at `most` this many levels; an arm or a setting makes the lines of plots too.
fn group_ui(ui: &mut Ui, compare: &mut Compare, most: usize) {
    let keys = compare.view.table.keys(compare.view.group.as_ref());
    let title = |key: Option<&Key>| match key {
        None => "none".to_owned(),
        Some(key) => doc::plan::words::uncapitalised(&key.column().title(&compare.labels())),
    };
    let mut chosen = keys.clone();
    let mut level_ui = |ui: &mut Ui, place: usize| {
        let (name, help) = [("group", GROUP_HELP), ("then", "Groups within the groups")][place];
        let shown = title(keys.get(place));
        let list = |ui: &mut Ui| {
            if ui.selectable_label(keys.len() <= place, "none").clicked() {
                chosen.truncate(place);
            }
            let before = &keys[..place.min(keys.len())];
            for key in groupable(compare).iter().filter(|key| !before.contains(key)) {
                if ui.selectable_label(keys.get(place) == Some(key), title(Some(key))).clicked() {
                    match chosen.get_mut(place) {
                        Some(present) => *present = key.clone(),
                        None => chosen.push(key.clone()),
                    }
                }
            }
        };
        choice_ui(ui, name, &shortened(&shown, LONGEST), list).on_hover_text(format!("{help}: {shown}"));
    };
    let is_reversed = ui.layout().prefer_right_to_left();
    let levels = if keys.is_empty() { 1 } else { most.min(2) };
    for level in 0..levels {
        level_ui(ui, if is_reversed { levels - 1 - level } else { level });
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
    pub fn labels(&self) -> std::sync::Arc<results::table::Labels> {
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
    let shown = if table.baseline.is_empty() { "none" } else { &table.baseline };
    let mut chosen = compare.view.table.baseline.clone();
    let combo = choice_ui(ui, "baseline", &shortened(shown, LONGEST), |ui| {
        ui.selectable_value(&mut chosen, Baseline::First, "the first group");
        for group in &table.groups {
            ui.selectable_value(&mut chosen, Baseline::Group(group.name.clone()), &group.name);
        }
        ui.selectable_value(&mut chosen, Baseline::None, "none");
    });
    combo.on_hover_text(format!("{BASELINE}: {shown}"));
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
            let all = ui.button(Command::RestoreArchived.text());
            if all.on_hover_text(Command::RestoreArchived.tooltip()).clicked() {
                let runs = compare.archived.iter().map(|run| run.id.clone()).collect();
                chosen = Some(CompareResponse::Restore(runs));
                ui.close();
            }
            ui.separator();
            for run in &compare.archived {
                let name = format!("Restore {}, seed {}", run.arm, run.seed);
                if ui.button(name).on_hover_text(format!("Run {}", run.id)).clicked() {
                    chosen = Some(CompareResponse::Restore(vec![run.id.clone()]));
                    ui.close();
                }
            }
        });
    }
    chosen
}
