//! The controls of the table in the head of its tile: filter, groups, baseline, columns, copying; and its menu.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::containers::menu::{MenuButton, MenuConfig};
use eframe::egui::{
    Align, Button, Checkbox, CursorIcon, Label, Layout, Popup, PopupCloseBehavior, Rect, RichText,
    ScrollArea, Sense, TextEdit, Ui, UiBuilder, Vec2, WidgetInfo, accesskit::Role, vec2,
};

use super::{Compare, CompareResponse};
use crate::commands::Command;
use crate::form::note_edited;
use crate::icons::Icon;
use crate::runs::Runs;
use crate::text::{self, shortened};
use crate::theme::{self, SMALL, present};
use crate::widgets::{
    self, FieldState, ICON, Tone, choice_ui, drop_down, field_ui, icon_button_ui, message_ui,
};
use doc::named;
use results::RunRecord;
use results::table::Labels;
use results::table::columns::{At, Column, Numbers, independent, usual};
use results::table::view::Baseline;
use results::view::in_words;

/// A longer name of the baseline loses its middle.
const LONGEST: usize = 20;

/// Width that the filter needs, and that the drop-downs take with their names, in points.
const FILTER: f32 = 300.0;
const GROUP: f32 = 130.0;
const BASELINE_WIDTH: f32 = 170.0;
const NEXT: f32 = 120.0;

/// The names of the choices of what groups the rows within groups.
const THEN: [&str; 3] = ["then", "and then", "and last"];

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
    let [has_group, has_baseline] = [GROUP, BASELINE_WIDTH].map(&mut takes);
    let levels = 1 + THEN.iter().take_while(|_| takes(NEXT)).count();
    if has_baseline {
        baseline_ui(ui, compare);
    }
    if has_group {
        group_ui(ui, compare, levels);
    }
    ui.with_layout(Layout::left_to_right(Align::Center), |ui| filter_ui(ui, compare));
    response
}

/// Draws what a narrow head has no room for, and what is rare, into the menu of the tile.
pub fn menu_ui(ui: &mut Ui, compare: &mut Compare) -> Option<CompareResponse> {
    group_ui(ui, compare, 1 + THEN.len());
    baseline_ui(ui, compare);
    let response = archived_ui(ui, compare);
    ui.separator();
    response
}

/// Draws what groups the rows of the table, at `most` this many levels; an arm or a setting makes the lines of plots
/// too.
fn group_ui(ui: &mut Ui, compare: &mut Compare, most: usize) {
    let keys = compare.view.table.keys(compare.view.group.as_ref());
    let title = |key: Option<&Column>| match key {
        None => "none".to_owned(),
        Some(key) => doc::plan::words::uncapitalised(&key.title(&compare.labels())),
    };
    let mut chosen = keys.clone();
    let mut level_ui = |ui: &mut Ui, place: usize| {
        let (name, help) = match place.checked_sub(1) {
            None => ("group", "What groups the rows. An arm or a setting also makes the lines of plots"),
            Some(next) => (THEN[next], "Groups within the groups"),
        };
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
    let levels = most.min(1 + keys.len());
    for level in 0..levels {
        level_ui(ui, if is_reversed { levels - 1 - level } else { level });
    }
    if chosen != keys {
        compare.group_by(chosen);
    }
}

impl Compare {
    /// Groups the rows by these keys; the first one, if it is an arm or a setting, makes the lines of plots.
    pub fn group_by(&mut self, keys: Vec<Column>) {
        if let Some(Column::Setting(path)) = keys.first() {
            self.view.group = Some(path.clone());
        } else if keys.first() == Some(&Column::Arm) {
            self.view.group = None;
        }
        let is_usual = keys.len() == 1 && matches!(keys[0], Column::Arm | Column::Setting(_));
        self.view.table.group = (!is_usual).then_some(keys);
    }

    /// Returns what the form calls settings.
    pub fn labels(&self) -> Arc<Labels> {
        self.rows.first().map(|row| row.labels.clone()).unwrap_or_default()
    }
}

/// Returns what can group rows.
pub fn groupable(compare: &Compare) -> Vec<Column> {
    let settings = independent(&compare.rows, &compare.settings).into_iter();
    let has_tags = compare.rows.iter().any(|row| !row.mark.tags.is_empty());
    let tags = has_tags.then_some(Column::Tags);
    let settings = settings.cloned().map(Column::Setting);
    [Column::Arm, Column::Seed, Column::State].into_iter().chain(tags).chain(settings).collect()
}

fn baseline_ui(ui: &mut Ui, compare: &mut Compare) {
    let table = compare.table();
    if !table.columns.contains(&Column::Delta) {
        return;
    }
    let shown = if table.baseline.is_empty() { "none" } else { &table.baseline };
    let mut chosen = compare.view.table.baseline.clone();
    let combo = choice_ui(ui, "baseline", &shortened(shown, LONGEST), |ui| {
        let first = if table.arms.is_empty() { "the first group" } else { "the first arm, same settings" };
        ui.selectable_value(&mut chosen, Baseline::First, first);
        for arm in &table.arms {
            ui.selectable_value(&mut chosen, Baseline::Group(arm.clone()), format!("{arm}, same settings"));
        }
        for group in table.leaves().filter(|group| !table.arms.contains(&group.name)) {
            ui.selectable_value(&mut chosen, Baseline::Group(group.name.clone()), &group.name);
        }
        ui.selectable_value(&mut chosen, Baseline::None, "none");
    });
    combo.on_hover_text(format!("What the column Δ compares with: {shown}"));
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
                let name = format!("Restore {}", named(&run.arm, run.seed));
                if ui.button(name).on_hover_text(format!("Run {}", run.id)).clicked() {
                    chosen = Some(CompareResponse::Restore(vec![run.id.clone()]));
                    ui.close();
                }
            }
        });
    }
    chosen
}

const HELP: &str = "Words of an arm, tag or note, and conditions: remaining < 20 %   last >= 0.98   \
    state:done   arm:ticket   tag:paper   is:starred   batch = 64   -word to exclude";

/// Width of the count of runs and of what clears the filter, in points.
const COUNT: f32 = 140.0;

/// Draws the filter's menu and field, and the count of runs.
pub fn filter_ui(ui: &mut Ui, compare: &mut Compare) {
    ui.spacing_mut().item_spacing.x = 4.0;
    let menu = Button::new(Icon::Filter.atom(ICON)).min_size(vec2(theme::CONTROL, theme::CONTROL));
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let (button, _) = MenuButton::from_button(menu).config(config).ui(ui, |ui| named_ui(ui, compare));
    button.accessible_name("Named filters").on_hover_text("Named filters");
    let state = if compare.filter_error.is_some() { FieldState::Wrong } else { FieldState::Plain };
    let field = TextEdit::singleline(&mut compare.view.filter)
        .hint_text("Filter: state:done remaining < 20 %")
        .desired_width((ui.available_width() - COUNT).clamp(64.0, 250.0));
    let field = field_ui(ui, field, state).accessible_name("Filter").on_hover_text(HELP);
    if std::mem::take(&mut compare.wants_filter) {
        field.request_focus();
    }
    note_edited(&field);
    if !compare.view.filter.is_empty() && icon_button_ui(ui, true, Icon::X, "Clear the filter").clicked() {
        compare.view.filter.clear();
    }
    let (all, left) = (compare.rows.len(), compare.left);
    let count = if left == all {
        text::counted(all, "run")
    } else {
        format!("{} of {}", text::grouped(left as u64), text::counted(all, "run"))
    };
    ui.add_space(4.0);
    let count = RichText::new(count).color(present(ui).text2);
    ui.add(Label::new(count).truncate());
}

fn named_ui(ui: &mut Ui, compare: &mut Compare) {
    ui.set_min_width(240.0);
    if compare.view.table.filters.is_empty() {
        ui.label(RichText::new("No filter has a name yet").size(SMALL).weak());
    }
    let (mut chosen, mut removed) = (None, None);
    for (name, filter) in &compare.view.table.filters {
        ui.horizontal(|ui| {
            let is_present = *filter == compare.view.filter;
            if ui.selectable_label(is_present, name).on_hover_text(filter).clicked() {
                chosen = Some(filter.clone());
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if icon_button_ui(ui, true, Icon::Trash, &format!("Remove the filter {name}")).clicked() {
                    removed = Some(name.clone());
                }
            });
        });
    }
    if let Some(filter) = chosen {
        compare.view.filter = filter;
        ui.close();
    }
    if let Some(name) = removed {
        compare.view.table.filters.remove(&name);
    }
    ui.separator();
    ui.horizontal(|ui| {
        let field = TextEdit::singleline(&mut compare.filter_name)
            .hint_text("Name of this filter")
            .desired_width(160.0);
        let field = field_ui(ui, field, FieldState::Plain).accessible_name("Name of this filter");
        let name = compare.filter_name.trim().to_owned();
        let can_save = !name.is_empty() && !compare.view.filter.trim().is_empty();
        let save = ui.add_enabled(can_save, widgets::button(None, "Save"));
        let save = save.on_disabled_hover_text("Write a filter and its name first");
        let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(eframe::egui::Key::Enter));
        if save.clicked() || can_save && is_entered {
            compare.view.table.filters.insert(name, compare.view.filter.trim().to_owned());
            compare.filter_name.clear();
        }
    });
}

/// Height of a line of the list, in points.
const LINE: f32 = 27.0;
/// Records beyond this number are not searched for series.
const SEARCHED: usize = 200;

/// Typed text in the list.
#[derive(Default)]
pub struct Choosing {
    search: String,
    is_adding: bool,
    series: String,
    /// Which value of the series is wanted, one of [`WANTED`].
    at: At,
    /// The iteration, or the level of weights.
    number: String,
}

/// The values of a series on offer, by their names; some need a number.
const WANTED: [(At, &str); 4] = [
    (At::Best, "best"),
    (At::Last, "last"),
    (At::Iteration(0), "at iteration"),
    (At::Remaining(0.0), "at weights remaining"),
];

/// Draws the button of the list.
pub fn columns_ui(ui: &mut Ui, compare: &mut Compare, runs: &Runs) {
    let button = ui.add(widgets::button(Icon::Columns, "Columns"));
    let popup = Popup::menu(&button).close_behavior(PopupCloseBehavior::CloseOnClickOutside).width(264.0);
    popup.show(|ui| {
        ui.set_width(264.0);
        list_ui(ui, compare, runs);
    });
}

/// Draws the list; the columns are also those of pinned readings and of parallel axes.
pub fn list_ui(ui: &mut Ui, compare: &mut Compare, runs: &Runs) {
    let labels = compare.labels();
    let search =
        TextEdit::singleline(&mut compare.choosing.search).hint_text("Find a column").desired_width(264.0);
    field_ui(ui, search, FieldState::Plain).accessible_name("Find a column");
    let wanted = compare.choosing.search.trim().to_lowercase();
    let is_found = |column: &Column| {
        let is_named = |text: String| text.to_lowercase().contains(&wanted);
        is_named(column.title(&labels)) || matches!(column, Column::Setting(path) if is_named(path.clone()))
    };
    let mut shown = compare.table().columns.clone();
    let before = shown.clone();
    ui.spacing_mut().item_spacing.y = 0.0;
    ScrollArea::vertical().max_height(13.0 * LINE).auto_shrink([false, true]).show(ui, |ui| {
        shown_ui(ui, &mut shown, &labels, &is_found);
        for column in offered(compare, &shown, !wanted.is_empty()).into_iter().filter(is_found) {
            ui.horizontal(|ui| {
                ui.set_height(LINE);
                let tick = widgets::input_ui(ui, Checkbox::new(&mut false, column.title(&labels)));
                if tick.on_hover_text(column.help()).changed() {
                    shown.push(column);
                }
            });
        }
    });
    ui.separator();
    ui.horizontal(|ui| {
        ui.set_height(theme::CONTROL);
        let differs = ui.add(widgets::ghost(None, "Only what differs"));
        if differs.on_hover_text("Shows the columns in which visible runs differ").clicked() {
            shown = differing(compare);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.add(widgets::ghost(None, "Default")).clicked() {
                (compare.view.table.columns, shown) = (None, before.clone());
                compare.view.table.widths.clear();
            }
        });
    });
    if shown != before {
        compare.view.table.columns = Some(shown);
    }
    adding_ui(ui, compare, runs);
}

/// Draws the columns that are shown, in their order; their handles move them.
fn shown_ui(ui: &mut Ui, shown: &mut Vec<Column>, labels: &Labels, is_found: &impl Fn(&Column) -> bool) {
    let mut removed = None;
    let mut moved = None;
    let mut places: Vec<(usize, Rect)> = Vec::new();
    for (nth, column) in shown.iter().enumerate().filter(|(_, column)| is_found(column)) {
        // The id is that of the column, so that a drag stays with it.
        let id = UiBuilder::new().id_salt(format!("{column:?}"));
        let line = ui.scope_builder(id, |ui| {
            ui.horizontal(|ui| {
                ui.set_height(LINE);
                let mut is_shown = true;
                let title = column.title(labels);
                if widgets::input_ui(ui, Checkbox::new(&mut is_shown, &title))
                    .on_hover_text(column.help())
                    .changed()
                {
                    removed = Some(nth);
                }
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    let (rect, handle) = ui.allocate_exact_size(Vec2::splat(20.0), Sense::drag());
                    let name = format!("Move {title}");
                    handle.widget_info(|| WidgetInfo::labeled(Role::Button, true, name.clone()));
                    Icon::Dots.paint(ui.painter(), rect.center(), 14.0, present(ui).text3);
                    if handle.dragged() {
                        moved = handle.interact_pointer_pos().map(|at| (nth, at.y));
                    }
                    handle.on_hover_cursor(CursorIcon::Grab);
                });
            })
        });
        places.push((nth, line.response.rect));
    }
    if let Some((from, y)) = moved
        && let Some((to, _)) = places.iter().find(|(_, rect)| rect.y_range().contains(y))
        && *to != from
    {
        let column = shown.remove(from);
        shown.insert(*to, column);
    }
    if let Some(nth) = removed {
        shown.remove(nth);
    }
}

/// Returns the columns that are not shown: settings in which all runs agree come only with a search.
fn offered(compare: &Compare, shown: &[Column], is_searching: bool) -> Vec<Column> {
    let settings = if is_searching { compare.differing.known() } else { &compare.settings };
    let settings = settings.iter().filter(|path| *path != "plan").cloned().map(Column::Setting);
    let all = Column::known().chain(compare.view.table.added.iter().cloned()).chain(settings);
    all.filter(|column| !shown.contains(column)).collect()
}

/// Returns the columns in which the visible runs differ.
fn differing(compare: &mut Compare) -> Vec<Column> {
    let table = compare.table();
    let mut columns = usual(&compare.rows, &compare.settings, &table.keys);
    columns.extend(compare.view.table.added.iter().cloned());
    let differs = |column: &Column| {
        let mut texts = table.rows().map(|row| column.text(&compare.rows[row]));
        let first = texts.next();
        *column == Column::Delta || texts.any(|text| Some(&text) != first.as_ref())
    };
    columns.retain(differs);
    columns
}

/// Draws the editor of a column over a series.
fn adding_ui(ui: &mut Ui, compare: &mut Compare, runs: &Runs) {
    if !compare.choosing.is_adding {
        compare.choosing.is_adding = ui.add(widgets::ghost(Icon::Plus, "Add column…")).clicked();
        return;
    }
    let known = series(compare, runs);
    let choosing = &mut compare.choosing;
    if !known.contains(&choosing.series) {
        choosing.series = known.first().cloned().unwrap_or_default();
    }
    if known.is_empty() {
        message_ui(ui, Tone::Info, "Runs have no results yet");
        return;
    }
    ui.add_space(4.0);
    let combo = drop_down("series", &in_words(&choosing.series)).width(250.0).show_ui(ui, |ui| {
        for name in &known {
            ui.selectable_value(&mut choosing.series, name.clone(), in_words(name));
        }
    });
    combo.response.accessible_name("Series");
    ui.add_space(4.0);
    let mut column = None;
    ui.horizontal(|ui| {
        let shown = WANTED.iter().find(|(at, _)| *at == choosing.at).map_or("", |(_, name)| name);
        let combo = drop_down("value", shown).width(110.0).show_ui(ui, |ui| {
            for (at, name) in WANTED {
                ui.selectable_value(&mut choosing.at, at, name);
            }
        });
        combo.response.accessible_name("Value");
        let hint = match choosing.at {
            At::Iteration(_) => "1000",
            At::Remaining(_) => "21 %",
            At::Best | At::Last => "",
        };
        if !hint.is_empty() {
            let field = TextEdit::singleline(&mut choosing.number).hint_text(hint).desired_width(48.0);
            field_ui(ui, field, FieldState::Plain).accessible_name("Iteration or weights remaining");
        }
        let at = choosing.at();
        let add = ui.add_enabled(at.is_some(), widgets::button(None, "Add"));
        if add.on_disabled_hover_text("Write a number first").clicked() {
            column = at.map(|at| Column::Series { series: choosing.series.clone(), at });
        }
    });
    if let Some(column) = column {
        compare.add_column(column);
    }
}

impl Choosing {
    /// Returns the value that is asked for, if it is complete.
    fn at(&self) -> Option<At> {
        match self.at {
            At::Best | At::Last => Some(self.at),
            At::Iteration(_) => At::parse(&self.number).filter(|at| matches!(at, At::Iteration(_))),
            At::Remaining(_) => At::parse(&format!("{}%", self.number.trim().trim_end_matches('%'))),
        }
    }
}

impl Compare {
    /// Shows a column over a series; it stays on offer.
    pub fn add_column(&mut self, column: Column) {
        let mut shown = self.table().columns.clone();
        let added = &mut self.view.table.added;
        if !added.contains(&column) {
            added.push(column.clone());
        }
        if !shown.contains(&column) {
            shown.push(column);
        }
        self.view.table.columns = Some(shown);
        self.choosing.is_adding = false;
    }
}

/// Returns the series that runs have, accuracies first.
fn series(compare: &Compare, runs: &Runs) -> Vec<String> {
    let records = compare.rows.iter().filter_map(|row| runs.record(&row.run)).take(SEARCHED);
    let names: BTreeSet<&str> = records.flat_map(RunRecord::series).collect();
    let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    names.sort_by_key(|name| !name.ends_with("accuracy"));
    names
}
