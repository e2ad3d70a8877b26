//! The view of runs: head, table, selection bar and comparison, and the table that is kept between frames.

use std::sync::Arc;

use eframe::egui::{CursorIcon, Panel, Rect, Sense, Ui, vec2};

use super::comparison::{comparison_ui, width};
use super::filter::error_ui;
use super::selected::selected_ui;
use super::table::table_ui;
use super::{Compare, CompareResponse};
use crate::runs::Runs;
use crate::theme::{STEP, present};
use results::table::Row;
use results::table::columns::{Column, Sort, usual};
use results::table::grouped::Grouped;
use results::table::view::{Baseline, Key};

/// In a view at least this wide, the comparison is beside the table, in points.
const WIDE: f32 = 860.0;

/// The table with what it was made of.
#[derive(Default)]
pub struct Shown {
    table: Arc<Grouped>,
    of: Option<ShownOf>,
    /// How often it was made.
    pub revision: u64,
    /// The widths of columns by their content, which only grow; see [`super::widths`].
    pub natural: Vec<(Column, f32)>,
    /// The revision that these are of.
    pub measured: Option<u64>,
}

/// From what a table is made.
#[derive(PartialEq)]
struct ShownOf {
    changes: u64,
    columns: Option<Vec<Column>>,
    keys: Vec<Key>,
    baseline: Baseline,
    sort: Sort,
}

impl Compare {
    /// The table as it is shown; made only where something has changed.
    pub fn table(&mut self) -> Arc<Grouped> {
        let view = &self.view;
        let of = ShownOf {
            changes: self.changes,
            columns: view.table.columns.clone(),
            keys: view.table.keys(view.group.as_ref()),
            baseline: view.table.baseline.clone(),
            sort: view.sort.clone(),
        };
        if self.shown.of.as_ref() != Some(&of) {
            let usual = || usual(&self.rows, &self.settings);
            let is_visible = |row: &Row| !self.left_out.contains(&row.run);
            let table = view.table.grouped(&self.rows, is_visible, usual, view.group.as_ref(), &view.sort);
            self.shown.table = Arc::new(table);
            self.shown.of = Some(of);
            self.shown.revision += 1;
        }
        self.shown.table.clone()
    }
}

/// Draws the table of runs, and the comparison of ticked runs beside or below it.
pub fn runs_ui(ui: &mut Ui, compare: &mut Compare, runs: &Runs) -> Option<CompareResponse> {
    error_ui(ui, compare);
    let response = selected_ui(ui, compare, runs);
    if compare.is_comparing && compare.ticked_rows().len() > 1 {
        beside_ui(ui, compare, runs);
    }
    response.or(table_ui(ui, compare, runs))
}

fn beside_ui(ui: &mut Ui, compare: &mut Compare, runs: &Runs) {
    let space = ui.available_size();
    let id = ui.scope_id().with("comparison");
    if space.x >= WIDE {
        let most = 0.5 * space.x;
        let panel = Panel::right(id.with("right")).resizable(true);
        let panel = panel.default_size(width(compare.ticked_rows().len()).clamp(240.0, most));
        panel.size_range(240.0..=most).show(ui, |ui| {
            ui.add_space(STEP);
            comparison_ui(ui, compare, runs);
        });
        return;
    }
    // In a low tile, the table keeps the larger part.
    let most = (0.5 * space.y).max(64.0);
    let panel = Panel::bottom(id.with("bottom")).resizable(true).default_size(0.4 * space.y);
    panel.size_range(64.0..=most).show(ui, |ui| {
        grip_ui(ui);
        comparison_ui(ui, compare, runs);
    });
}

/// What shows that the border above can be dragged.
fn grip_ui(ui: &mut Ui) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), STEP), Sense::hover());
    let bar = Rect::from_center_size(rect.center(), vec2(36.0, 4.0));
    ui.painter().rect_filled(bar, 2.0, present(ui).edge);
    response.on_hover_cursor(CursorIcon::ResizeVertical);
}
