//! The table of runs.

use eframe::egui::style::ScrollStyle;
use eframe::egui::{
    Align, Button, Checkbox, Id, Label, Layout, Popup, PopupCloseBehavior, RichText, ScrollArea, Sense, Ui,
};
use egui_extras::{Column as Width, TableBuilder, TableRow};

use super::fixed::Fixed;
use super::menu::{context_ui, star_ui};
use super::toolbar::shown;
use super::{Compare, CompareResponse};
use crate::gui::theme;
use crate::gui::widgets::dot_ui;
use crate::results::table::Row;
use crate::results::table::columns::{Column, Sort, columns};
use crate::results::table::settings::NONE;

const ROW: f32 = 22.0;
/// Width of the column with the ticks.
const TICK: f32 = 24.0;
/// Between the line before a column and its words, in points.
const INDENT: f32 = 4.0;

pub(super) fn width(column: &Column) -> f32 {
    match column {
        Column::Star => 32.0,
        Column::Arm => 140.0,
        Column::Seed => 40.0,
        Column::Best | Column::Last | Column::Duration => 68.0,
        Column::Remaining => 76.0,
        Column::BestEpoch | Column::Epochs => 56.0,
        Column::State | Column::Setting(_) | Column::Tags | Column::Run => 96.0,
        Column::Note => 160.0,
    }
}

/// Draws the rows that the filter leaves; what was pressed.
pub fn table_ui(ui: &mut Ui, compare: &mut Compare) -> Option<CompareResponse> {
    let all = compare.rows.clone(); // shared: a mark on one row changes others
    let rows = shown(&all, compare);
    let columns = columns(&compare.settings);
    let mut response = None;
    let height = ui.available_height();
    // More columns than fit must be seen to be there.
    ui.spacing_mut().scroll = ScrollStyle::solid();
    let area = ScrollArea::horizontal().id_salt("runs table").auto_shrink([false, false]);
    let part = ui.available_rect_before_wrap();
    area.show(ui, |ui| {
        ui.spacing_mut().item_spacing.x = theme::STEP / 2.0;
        let id = ui.unique_id().with("runs");
        let mut fixed = Fixed::new(ui, part, columns.len() + 1);
        let mut table = TableBuilder::new(ui)
            .id_salt("runs")
            .striped(true)
            .min_scrolled_height(0.0) // a tile may be low
            .max_scroll_height(height - ROW)
            .auto_shrink(false);
        table = table.cell_layout(Layout::left_to_right(Align::Center)).sense(Sense::click());
        table = table.column(Width::exact(TICK));
        for (index, column) in (1..).zip(&columns) {
            let usual = Width::initial(width(column)).resizable(true);
            // A line between columns that are scrolled away would be drawn across those that are not.
            table = table.column(fixed.covered(index).map_or(usual, Width::exact).clip(true));
        }
        let table = table.header(ROW, |mut header| {
            let (settings, sort) = (&compare.settings, &mut compare.view.sort);
            fixed.line_ui(&mut header, id, true, &mut |ui, index| {
                if index > 0 {
                    heading_ui(ui, &columns[index - 1], settings, sort);
                }
            });
        });
        table.body(|body| {
            body.rows(ROW, rows.len(), |mut table_row| {
                let row = rows[table_row.index()];
                let id = id.with(table_row.index());
                response =
                    row_ui(&mut table_row, row, (&columns, &mut fixed, id), compare).or(response.take());
            });
        });
        fixed.end(ui);
    });
    response
}

/// A heading; a click sorts, a second one turns the order around, a third one gives that of the document.
fn heading_ui(ui: &mut Ui, column: &Column, settings: &[String], sort: &mut Sort) {
    let is_sorted = sort.column.as_ref() == Some(column);
    let arrow = match (is_sorted, sort.descending) {
        (false, _) => "",
        (true, false) => " ▲",
        (true, true) => " ▼",
    };
    let title = RichText::new(format!("{}{arrow}", column.title(settings))).size(theme::SMALL).strong();
    let button = Button::new(title.color(theme::present(ui).text2)).frame(false).truncate();
    let help = format!("{}\nClick sorts by it", column.help());
    let layout = if column.is_number() {
        Layout::right_to_left(Align::Center)
    } else {
        Layout::left_to_right(Align::Center)
    };
    let heading = |ui: &mut Ui| {
        ui.add_space(if column.is_number() { theme::STEP } else { INDENT });
        ui.add(button).on_hover_text(help).clicked()
    };
    let clicked = ui.with_layout(layout, heading).inner;
    if clicked {
        *sort = match (is_sorted, sort.descending) {
            // Of numbers, the largest are wanted first.
            (false, _) => Sort { column: Some(column.clone()), descending: column.is_number() },
            (true, first) if first == column.is_number() => Sort { descending: !first, ..sort.clone() },
            _ => Sort::default(),
        };
    }
}

fn row_ui(
    table_row: &mut TableRow<'_, '_>,
    row: &Row,
    (columns, fixed, id): (&[Column], &mut Fixed, Id),
    compare: &mut Compare,
) -> Option<CompareResponse> {
    let mut response = None;
    table_row.set_selected(compare.ticked.contains(&row.run));
    fixed.line_ui(table_row, id, false, &mut |ui, index| match index
        .checked_sub(1)
        .map(|index| &columns[index])
    {
        None => tick_ui(ui, row, compare),
        Some(Column::Star) => star_ui(ui, row, compare),
        Some(Column::Arm) => arm_ui(ui, row),
        Some(column) => cell_ui(ui, row, column),
    });
    let whole = table_row.response();
    if whole.clicked() {
        response = Some(CompareResponse::Select { arm: row.arm_index, id: row.run.clone() });
    }
    // A menu with fields stays open while they are used.
    let menu = Popup::context_menu(&whole).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    menu.show(|ui| response = context_ui(ui, row, compare).or(response.take()));
    response
}

fn tick_ui(ui: &mut Ui, row: &Row, compare: &mut Compare) {
    let mut ticked = compare.ticked.contains(&row.run);
    let name = format!("Tick {}, seed {}", row.arm, row.seed);
    let tick = theme::input_ui(ui, Checkbox::without_text(&mut ticked));
    tick.widget_info(|| {
        eframe::egui::WidgetInfo::selected(eframe::egui::accesskit::Role::CheckBox, true, ticked, &name)
    });
    if tick.on_hover_text("Ticked runs are compared below, and can be archived").changed() {
        if ticked {
            compare.ticked.insert(row.run.clone());
        } else {
            compare.ticked.remove(&row.run);
        }
    }
}

fn arm_ui(ui: &mut Ui, row: &Row) {
    if !is_seen(ui) {
        return;
    }
    dot_ui(ui, theme::arm_colour(ui, row.colour));
    ui.add(Label::new(&row.arm).truncate().selectable(false));
}

/// The short text of a cell that is too narrow for all of it; the rest is shown under the pointer.
fn short(row: &Row, column: &Column) -> Option<&'static str> {
    (*column == Column::State && !row.outdated_state.is_empty()).then_some("earlier settings")
}

/// Whether any of a cell is on the screen: there are more columns than have room.
fn is_seen(ui: &Ui) -> bool {
    ui.is_rect_visible(ui.max_rect())
}

fn cell_ui(ui: &mut Ui, row: &Row, column: &Column) {
    if !is_seen(ui) {
        return;
    }
    let text = column.text(row);
    if let Some(short) = short(row, column) {
        ui.add(Label::new(short).selectable(false)).on_hover_text(text);
        return;
    }
    let quiet = text == NONE;
    let rich = if quiet { RichText::new(text).weak() } else { RichText::new(text) };
    let label = Label::new(rich).truncate().selectable(false);
    if column.is_number() {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(theme::STEP);
            ui.add(label);
        });
    } else {
        ui.add_space(INDENT);
        ui.add(label);
    }
}
