//! The list of columns: which are shown and in which order, and new ones over series.

use eframe::egui::{
    Align, Checkbox, CursorIcon, Layout, Popup, PopupCloseBehavior, Rect, RichText, ScrollArea, Sense,
    TextEdit, Ui, UiBuilder, Vec2,
};

use super::Compare;
use crate::icons::Icon;
use crate::runs::Runs;
use crate::theme::{self, SMALL, present};
use crate::widgets::{self, FieldState, Tone, drop_down, field_ui, message_ui};
use results::RunRecord;
use results::table::Labels;
use results::table::columns::{At, Column, usual};

/// Height of a line of the list, in points.
const LINE: f32 = 27.0;
/// Records beyond this number are not searched for series.
const SEARCHED: usize = 200;

/// What is typed in the list.
#[derive(Default)]
pub struct Choosing {
    search: String,
    is_adding: bool,
    series: String,
    at: Wanted,
    /// The iteration, or the level of weights.
    number: String,
}

/// Which value of a series is wanted.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Wanted {
    Best,
    #[default]
    Last,
    Iteration,
    Remaining,
}

impl Wanted {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Best, "best"),
        (Self::Last, "last"),
        (Self::Iteration, "at iteration"),
        (Self::Remaining, "at weights remaining"),
    ];
}

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
        if wanted.is_empty() {
            always_ui(ui);
        }
        shown_ui(ui, &mut shown, &labels, &is_found);
        for column in offered(compare, &shown, !wanted.is_empty()).into_iter().filter(is_found) {
            if tick_ui(ui, &column, false, &labels) {
                shown.push(column);
            }
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

/// The column that stays.
fn always_ui(ui: &mut Ui) {
    let colours = present(ui);
    ui.horizontal(|ui| {
        ui.set_height(LINE);
        let (rect, _) = ui.allocate_exact_size(Vec2::splat(18.0), Sense::hover());
        Icon::Pin.paint(ui.painter(), rect.center(), 14.0, colours.text2);
        ui.label(RichText::new("Arm and seed").color(colours.text2));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(RichText::new("always shown").size(SMALL).color(colours.text3));
        });
    });
}

/// The columns that are shown, in their order; their handles move them.
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
                    handle.widget_info(|| {
                        eframe::egui::WidgetInfo::labeled(
                            eframe::egui::accesskit::Role::Button,
                            true,
                            name.clone(),
                        )
                    });
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

fn tick_ui(ui: &mut Ui, column: &Column, is_shown: bool, labels: &Labels) -> bool {
    let mut ticked = is_shown;
    ui.horizontal(|ui| {
        ui.set_height(LINE);
        let tick = widgets::input_ui(ui, Checkbox::new(&mut ticked, column.title(labels)));
        tick.on_hover_text(column.help()).changed()
    })
    .inner
}

/// The columns that are not shown: settings in which all runs agree come only with a search.
fn offered(compare: &Compare, shown: &[Column], is_searching: bool) -> Vec<Column> {
    let settings = if is_searching { compare.differing.known() } else { &compare.settings };
    let settings = settings.iter().filter(|path| *path != "plan").cloned().map(Column::Setting);
    let all = Column::KNOWN.into_iter().chain(compare.view.table.added.iter().cloned()).chain(settings);
    all.filter(|column| !shown.contains(column)).collect()
}

/// The columns in which the visible runs differ.
fn differing(compare: &mut Compare) -> Vec<Column> {
    let table = compare.table();
    let mut columns = usual(&compare.rows, &compare.settings);
    columns.extend(compare.view.table.added.iter().cloned());
    let differs = |column: &Column| {
        let mut texts = table.rows().map(|row| column.text(&compare.rows[row]));
        let first = texts.next();
        *column == Column::Delta || texts.any(|text| Some(&text) != first.as_ref())
    };
    columns.retain(differs);
    columns
}

/// The editor of a column over a series.
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
    let words = |series: &str| doc::capitalised(&series.replace('_', " "));
    ui.add_space(4.0);
    let combo = drop_down("series", &words(&choosing.series)).width(250.0).show_ui(ui, |ui| {
        for name in &known {
            ui.selectable_value(&mut choosing.series, name.clone(), words(name));
        }
    });
    combo.response.accessible_name("Series");
    ui.add_space(4.0);
    let mut column = None;
    ui.horizontal(|ui| {
        let shown = Wanted::ALL.iter().find(|(at, _)| *at == choosing.at).map_or("", |(_, name)| name);
        let combo = drop_down("value", shown).width(110.0).show_ui(ui, |ui| {
            for (at, name) in Wanted::ALL {
                ui.selectable_value(&mut choosing.at, at, name);
            }
        });
        combo.response.accessible_name("Value");
        let hint = match choosing.at {
            Wanted::Iteration => "1000",
            Wanted::Remaining => "21 %",
            Wanted::Best | Wanted::Last => "",
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
    /// The value that is asked for, if it is complete.
    fn at(&self) -> Option<At> {
        match self.at {
            Wanted::Best => Some(At::Best),
            Wanted::Last => Some(At::Last),
            Wanted::Iteration => At::parse(&self.number).filter(|at| matches!(at, At::Iteration(_))),
            Wanted::Remaining => {
                let percent = format!("{}%", self.number.trim().trim_end_matches('%'));
                At::parse(&percent)
            }
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

/// The series that runs have, accuracies first.
fn series(compare: &Compare, runs: &Runs) -> Vec<String> {
    let records = compare.rows.iter().filter_map(|row| runs.record(&row.run)).take(SEARCHED);
    let names: std::collections::BTreeSet<&str> = records.flat_map(RunRecord::series).collect();
    let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    names.sort_by_key(|name| !name.ends_with("accuracy"));
    names
}
