//! The choice of settings whose values have panels.

use eframe::egui::Ui;

use super::CHOICE;
use crate::plot::state::PlotState;
use crate::widgets::choice_ui;
use figure::plots::Plot;
use results::facets::{FacetAxes, FacetSettings};
use results::table::columns::Column;

const NONE: &str = "none";

/// What a plot can be split by, with its name.
type Choices = Vec<(Column, String)>;

/// Draws the choice into a row of tools as far as there is room: while nothing is chosen, only if the runs differ in a
/// setting.
pub(super) fn facets_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) {
    let (choices, mut chosen) = (choices(plot, state), state.titles(plot).facets.clone());
    let has_settings = choices.iter().any(|(column, _)| matches!(column, Column::Setting(_)));
    let is_on = !chosen.by.is_empty();
    // From right to left.
    if is_on && ui.available_width() > 2.5 * CHOICE {
        axes_ui(ui, &mut chosen);
        rows_ui(ui, &choices, &mut chosen);
    }
    if (is_on || has_settings) && ui.available_width() > CHOICE {
        columns_ui(ui, &choices, &mut chosen);
    }
    put(plot, state, chosen);
}

/// Draws the whole choice into a menu.
pub(super) fn facets_menu_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) {
    let (choices, mut chosen) = (choices(plot, state), state.titles(plot).facets.clone());
    if choices.is_empty() && chosen.by.is_empty() {
        return;
    }
    columns_ui(ui, &choices, &mut chosen);
    if !chosen.by.is_empty() {
        rows_ui(ui, &choices, &mut chosen);
        axes_ui(ui, &mut chosen);
    }
    put(plot, state, chosen);
}

/// What the runs offer, and what was chosen for other runs.
fn choices(plot: &Plot, state: &mut PlotState) -> Choices {
    let mut choices = state.facets().to_vec();
    for column in &state.titles(plot).facets.by {
        if choices.iter().all(|(known, _)| known != column) {
            choices.push((column.clone(), column.key()));
        }
    }
    choices
}

fn put(plot: &Plot, state: &mut PlotState, chosen: FacetSettings) {
    state.titles(plot).facets = chosen;
}

fn columns_ui(ui: &mut Ui, choices: &Choices, chosen: &mut FacetSettings) {
    let [mut columns, rows] = [0, 1].map(|index| chosen.by.get(index).cloned());
    choose_ui(ui, "facets", choices, &mut columns);
    chosen.by = match columns {
        None => Vec::new(),
        Some(column) => {
            let rows = rows.filter(|rows| *rows != column);
            std::iter::once(column).chain(rows).collect()
        }
    };
}

fn rows_ui(ui: &mut Ui, choices: &Choices, chosen: &mut FacetSettings) {
    let Some(columns) = chosen.by.first().cloned() else { return };
    let others: Choices = choices.iter().filter(|(column, _)| *column != columns).cloned().collect();
    let mut rows = chosen.by.get(1).cloned();
    if others.is_empty() {
        return;
    }
    choose_ui(ui, "rows", &others, &mut rows);
    chosen.by = std::iter::once(columns).chain(rows).collect();
}

fn choose_ui(ui: &mut Ui, name: &str, choices: &Choices, chosen: &mut Option<Column>) {
    let known = choices.iter().find(|(column, _)| Some(column) == chosen.as_ref());
    let label = known.map_or(NONE, |(_, name)| name).to_owned();
    choice_ui(ui, name, &label, |ui| {
        ui.selectable_value(chosen, None, NONE);
        ui.separator();
        for (column, name) in choices {
            ui.selectable_value(chosen, Some(column.clone()), name);
        }
    });
}

fn axes_ui(ui: &mut Ui, chosen: &mut FacetSettings) {
    let mut is_shared = chosen.axes == FacetAxes::Shared;
    let tick = ui.checkbox(&mut is_shared, "Shared axes");
    if tick.on_hover_text("All panels have the same ranges; zooming in one zooms in all").changed() {
        chosen.axes = if is_shared { FacetAxes::Shared } else { FacetAxes::Free };
    }
}

#[cfg(test)]
mod tests;
