//! The list of trials: sorted by any column, drawn only where it is visible, and opened by a click anywhere on a row.

use std::sync::Arc;

use eframe::egui::{
    Align, Label, Layout, Rect, RichText, Sense, Ui, WidgetInfo, accesskit::Role, pos2, vec2,
};
use egui_extras::{Column as TableColumn, TableBuilder, TableRow};

use super::outcomes::outcome_colour;
use super::trials::{Column, TrialRow, TrialRows};
use crate::icons::Icon;
use crate::theme;
use crate::views::columns::{CELL_MARGIN, fitting};
use results::campaign::ImageOutcome;
use run::summary::TrialKey;

const ROW: f32 = 26.0;
/// The length of a full bar, and the gap after it.
const BAR: f32 = 56.0;
const GAP: f32 = theme::STEP;
/// The widest name of a setting.
const WIDEST: f32 = 160.0;
/// Columns that go where the list is narrow, first ones first.
const EXPENDABLE: [Column; 5] = [Column::Before, Column::Accuracy, Column::Seed, Column::After, Column::Bit];

/// A trial of a run.
pub type TrialId = (String, TrialKey);

/// The order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    column: Column,
    is_descending: bool,
}

impl Default for Sort {
    fn default() -> Self {
        Self { column: Column::default(), is_descending: true }
    }
}

/// The state of the list between frames.
#[derive(Default)]
pub struct TrialList {
    sort: Sort,
    /// The rows in their order, with what they were sorted from.
    order: Option<(Arc<TrialRows>, Sort, Arc<[usize]>)>,
    /// The position of a row to show next.
    target: Option<usize>,
}

/// The identity of the trial of a row.
pub fn id_of(row: &TrialRow) -> TrialId {
    (row.trial.run.clone(), row.trial.key.clone())
}

impl TrialList {
    /// The places of rows in their order.
    pub fn order(&mut self, rows: &Arc<TrialRows>) -> Arc<[usize]> {
        let is_sorted = |(of, sort, _): &(Arc<TrialRows>, Sort, Arc<[usize]>)| {
            Arc::ptr_eq(of, rows) && *sort == self.sort
        };
        if !self.order.as_ref().is_some_and(is_sorted) {
            let Sort { column, is_descending } = self.sort;
            let mut order: Vec<usize> = (0..rows.rows.len()).collect();
            order.sort_by(|a, b| {
                let (a, b) = (&rows.rows[*a], &rows.rows[*b]);
                if is_descending { column.order(b, a) } else { column.order(a, b) }
            });
            self.order = Some((rows.clone(), self.sort, order.into()));
        }
        self.order.as_ref().map_or_else(|| Arc::from([]), |(.., order)| order.clone())
    }

    /// Shows this position of the list in the next frame.
    pub fn show(&mut self, position: usize) {
        self.target = Some(position);
    }

    /// Draws the list; returns the trial whose row is clicked.
    pub fn ui(&mut self, ui: &mut Ui, rows: &Arc<TrialRows>, open: Option<&TrialId>) -> Option<TrialId> {
        let order = self.order(rows);
        let space = ui.available_width() - ui.spacing().scroll.allocated_width();
        let needed = Column::ALL.map(|column| needed(column, rows, 0.0));
        // The column of the order stays, so that its sign is seen.
        let expendable = EXPENDABLE.into_iter().filter(|column| *column != self.sort.column);
        let expendable: Vec<usize> = expendable.map(|column| column as usize).collect();
        let is_about = |column: &Column| *column != Column::Setting || rows.has_settings;
        let needed = Column::ALL.map(|column| if is_about(&column) { needed[column as usize] } else { -GAP });
        let shown = fitting(needed, GAP, space, &expendable);
        let columns: Vec<Column> = Column::ALL
            .into_iter()
            .zip(shown)
            .filter(|(column, is_shown)| *is_shown && is_about(column))
            .map(|(column, _)| column)
            .collect();
        let used: f32 = columns.iter().map(|column| needed[*column as usize] + GAP).sum();
        let bar = (space - used).clamp(0.0, BAR);
        let bar = if bar < 16.0 { 0.0 } else { bar };
        let target = self.target.take();
        let sort = self.sort;
        let (mut clicked, mut resorted) = (None, None);
        ui.scope(|ui| {
            ui.spacing_mut().item_spacing = vec2(GAP, 1.0);
            let mut table = TableBuilder::new(ui)
                .id_salt(("trials", columns.len()))
                .auto_shrink([false, false])
                .sense(Sense::click())
                .cell_layout(Layout::left_to_right(Align::Center));
            for column in &columns {
                let bar = if *column == Column::Sdc1 { bar } else { 0.0 };
                table = table.column(TableColumn::exact(needed[*column as usize] + bar));
            }
            if let Some(target) = target {
                table = table.scroll_to_row(target, None);
            }
            let table = table.header(ROW, |mut row| {
                for column in &columns {
                    row.col(|ui| {
                        if heading_ui(ui, *column, sort) {
                            resorted = Some(*column);
                        }
                    });
                }
            });
            table.body(|body| {
                body.rows(ROW, order.len(), |mut row| {
                    let trial = &rows.rows[order[row.index()]];
                    let id = id_of(trial);
                    row.set_selected(open == Some(&id));
                    for column in &columns {
                        cell_ui(&mut row, *column, trial, bar);
                    }
                    let name = format!("Show trial {}", trial.name());
                    let response = row.response();
                    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
                    if response.clicked() {
                        clicked = Some(id);
                    }
                });
            });
        });
        if let Some(column) = resorted {
            // Numbers are mostly searched from the largest one.
            let is_descending = if sort.column == column { !sort.is_descending } else { column.is_number() };
            self.sort = Sort { column, is_descending };
        }
        clicked
    }
}

/// The width of a column with all of its texts, and with a bar.
fn needed(column: Column, rows: &TrialRows, bar: f32) -> f32 {
    // The sign of the order is beside the heading.
    let text = rows.widths[column as usize];
    let text = if column == Column::Setting { text.min(WIDEST) } else { text };
    text * 1.02 + CELL_MARGIN + bar
}

/// Draws a heading; returns whether it is clicked.
fn heading_ui(ui: &mut Ui, column: Column, sort: Sort) -> bool {
    let is_sorted = sort.column == column;
    let colours = theme::present(ui);
    let layout = if column.is_number() {
        Layout::right_to_left(Align::Center)
    } else {
        Layout::left_to_right(Align::Center)
    };
    let response = ui.with_layout(layout, |ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let ink = if is_sorted { colours.text } else { colours.text2 };
        let name = RichText::new(column.heading()).size(theme::SMALL).color(ink);
        let name = Label::new(name).selectable(false).sense(Sense::click());
        if is_sorted && column.is_number() {
            caret_ui(ui, sort.is_descending);
        }
        if !column.is_number() {
            ui.add_space(GAP);
        }
        let response = ui.add(name);
        if is_sorted && !column.is_number() {
            caret_ui(ui, sort.is_descending);
        }
        response
    });
    response.inner.on_hover_text(format!("{}. Click to sort", column.help())).clicked()
}

fn caret_ui(ui: &mut Ui, is_descending: bool) {
    let icon = if is_descending { Icon::CaretDown } else { Icon::CaretUp };
    let (rect, _) = ui.allocate_exact_size(vec2(10.0, 12.0), Sense::hover());
    icon.paint(ui.painter(), rect.center(), 10.0, theme::present(ui).text);
}

fn cell_ui(row: &mut TableRow<'_, '_>, column: Column, trial: &TrialRow, bar: f32) {
    row.col(|ui| {
        let text = RichText::new(column.text(trial)).size(theme::BODY);
        let label = Label::new(text).selectable(false).truncate();
        if !column.is_number() {
            ui.add_space(GAP);
            return drop(ui.add(label));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            let number = if column == Column::Sdc1 { Some(ui.available_width() - bar) } else { None };
            match number.filter(|_| bar > 0.0) {
                None => drop(ui.add(label)),
                Some(width) => {
                    let width = width - GAP;
                    let layout = Layout::right_to_left(Align::Center);
                    ui.allocate_ui_with_layout(vec2(width, ui.available_height()), layout, |ui| {
                        ui.add(label)
                    });
                    bar_ui(ui, trial, bar - GAP);
                }
            }
        });
    });
}

/// The shares of images with SDC-1 and DUE.
fn bar_ui(ui: &mut Ui, row: &TrialRow, width: f32) {
    let (rect, _) = ui.allocate_exact_size(vec2(width, theme::STEP), Sense::hover());
    ui.painter().rect_filled(rect, 2.0, theme::present(ui).raised);
    let mut left = rect.left();
    for (outcome, count) in [(ImageOutcome::Sdc1, row.trial.sdc1), (ImageOutcome::Due, row.trial.due)] {
        let part = width * count as f32 / row.trial.images.max(1) as f32;
        let part = Rect::from_min_size(pos2(left, rect.top()), vec2(part, rect.height()));
        ui.painter().rect_filled(part, 2.0, outcome_colour(ui, outcome));
        left = part.right();
    }
}

#[cfg(test)]
mod tests {
    use super::super::trials::tests::row;
    use super::*;

    #[test]
    fn trials_are_sorted_by_any_column_in_both_directions() {
        let rows = Arc::new(TrialRows {
            rows: vec![row(1, 9), row(2, 300), row(3, 20)],
            count: 3,
            ..TrialRows::default()
        });
        let mut list = TrialList::default();
        assert_eq!(list.order(&rows)[..], [1, 2, 0], "the worst ones first");
        list.sort = Sort { column: Column::Trial, is_descending: false };
        assert_eq!(list.order(&rows)[..], [0, 1, 2]);
        list.sort.is_descending = true;
        assert_eq!(list.order(&rows)[..], [2, 1, 0]);
    }
}
