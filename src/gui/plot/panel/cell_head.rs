//! The head of a heat map: the chosen cell with its value, interval and number of trials. The keyboard moves from cell to
//! cell there.

use eframe::egui::{Align, Button, EventFilter, Key, Label, Layout, RichText, Sense, Ui};

use super::PlotResponse;
use crate::plot::state::PlotState;
use crate::plot::{FigureView, ListedFaults};
use crate::{theme, widgets};
use figure::cells::Cells;
use figure::model::Figure;
use figure::plots::Plot;
use results::campaign::ImageOutcome;

/// Room that the head needs in the head of a tile, in points.
const ROOM: f32 = 400.0;

/// The cell of a heat map that counts these faults.
pub fn cell_of(plot: &Plot, figure: &Figure, faults: &ListedFaults) -> Option<[usize; 2]> {
    let cells = figure.cells.as_ref()?;
    // Runs that have joined since are no reason to look elsewhere.
    if faults.runs.iter().any(|run| !cells.runs.contains(run)) {
        return None;
    }
    if ![&cells.stage, ""].contains(&faults.stage.as_str()) {
        return None;
    }
    let [rows, columns] = cells.size();
    let mut cells = (0..rows).flat_map(|row| (0..columns).map(move |column| [row, column]));
    cells.find(|cell| {
        (plot.injected_at)(figure, *cell)
            .is_some_and(|(layer, bit)| (&layer, bit) == (&faults.layer, faults.bit))
    })
}

/// The faults that a cell of a figure counts, in its runs.
pub fn faults_of(plot: &Plot, figure: &Figure, cell: [usize; 2]) -> Option<PlotResponse> {
    let (layer, bit) = (plot.injected_at)(figure, cell)?;
    let Cells { runs, stage, .. } = figure.cells.as_ref()?;
    let (runs, stage) = (runs.clone(), stage.clone());
    Some(PlotResponse::OpenFaults(ListedFaults { layer, bit, stage, runs }))
}

/// Draws the head between title and controls of its tile, where there is room.
pub fn cell_tool_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) -> Option<PlotResponse> {
    let (figure, view) = state.drawable(plot)?;
    view.opened.is_in_head = figure.cells.is_some() && ui.available_width() > ROOM;
    if !view.opened.is_in_head {
        return None;
    }
    let left = Layout::left_to_right(Align::Center);
    let cell = ui.with_layout(left, |ui| cell_head_ui(ui, figure, view)).inner?;
    faults_of(plot, figure, cell)
}

/// Draws the cell that is pinned or opened or, before one is, the one with the largest value. Arrow keys move, Enter opens; returns the
/// opened cell.
pub fn cell_head_ui(ui: &mut Ui, figure: &Figure, view: &mut FigureView) -> Option<[usize; 2]> {
    let cells = figure.cells.as_ref().filter(|cells| !cells.texts.is_empty())?;
    let chosen = view.chosen_cell(figure).or(view.opened.cell);
    let cell = chosen.or_else(|| largest(cells))?;
    let name = name_of(figure, cell)?;
    let reading = match cells.text(cell[0], cell[1]).map(|text| text.reading.as_str()) {
        None | Some("") => "not measured",
        Some(reading) => reading,
    };
    let response = ui.horizontal(|ui| {
        let what = if chosen.is_some() { String::new() } else { "Most vulnerable: ".to_owned() };
        let text = RichText::new(format!("{what}{name}")).font(theme::medium(theme::BODY));
        let button = Button::new(text).frame_when_inactive(false).sense(Sense::click());
        let response = ui.add(button).accessible_name(format!("{what}{name}: {reading}"));
        let reading = RichText::new(reading).size(theme::BODY).color(theme::present(ui).text2);
        ui.add(Label::new(reading).selectable(false).truncate());
        response
    });
    let help = "Arrow keys move from cell to cell; Enter opens the trials of the cell";
    let response = response.inner.on_hover_text(format!("{}\n{help}", ImageOutcome::Sdc1.definition()));
    if response.has_focus() {
        widgets::focus_ring(ui, response.rect);
        let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        let keys = [Key::ArrowLeft, Key::ArrowRight, Key::ArrowUp, Key::ArrowDown];
        if let Some(key) = ui.input(|input| keys.into_iter().find(|key| input.key_pressed(*key))) {
            view.choose_cell(figure, moved(cell, key, cells.size()));
            ui.ctx().request_repaint();
        }
    }
    response.clicked().then_some(cell)
}

/// "fc1, b30".
fn name_of(figure: &Figure, [row, column]: [usize; 2]) -> Option<String> {
    let (y, x) = figure.y.categories.get(row).zip(figure.x.categories.get(column))?;
    Some(format!("{}, {}", y.name, x.name))
}

/// The cell with the largest value, of those with enough data for a colour.
fn largest(cells: &Cells) -> Option<[usize; 2]> {
    let places = (0..cells.size()[0]).flat_map(|row| (0..cells.size()[1]).map(move |column| [row, column]));
    let is_sure =
        |place: &[usize; 2]| cells.text(place[0], place[1]).is_some_and(|text| !text.value.is_empty());
    let value = |place: &[usize; 2]| cells.values[place[0]][place[1]];
    places.filter(is_sure).max_by(|a, b| value(a).total_cmp(&value(b)))
}

/// The neighbour in the direction of a key; at the rim the cell itself.
fn moved([row, column]: [usize; 2], key: Key, [rows, columns]: [usize; 2]) -> [usize; 2] {
    match key {
        Key::ArrowLeft => [row, column.saturating_sub(1)],
        Key::ArrowRight => [row, (column + 1).min(columns.saturating_sub(1))],
        Key::ArrowUp => [row.saturating_sub(1), column],
        Key::ArrowDown => [(row + 1).min(rows.saturating_sub(1)), column],
        _ => [row, column],
    }
}

#[cfg(test)]
mod tests {
    use eframe::egui::vec2;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::{app, settings};
    use figure::plots::testing::{outcome, single_faults};
    use figure::plots::{ArmRuns, find};
    use results::campaign::Outcomes;
    use results::view::PlotOptions;

    #[test]
    fn the_head_names_a_cell_with_its_interval_and_the_keyboard_moves_on() {
        let of = |layer, bit, sdc1| {
            let outcome = outcome(layer, bit, sdc1);
            let tally = std::iter::repeat_n(outcome.tally, 20).sum();
            Outcomes { trials: 20, tally, ..outcome }
        };
        let run = single_faults(vec![of(0, 30, 8), of(0, 2, 0), of(1, 30, 2), of(1, 2, 0)]);
        let arm = ArmRuns { name: "a".to_owned(), runs: vec![(1, &run)], ..ArmRuns::default() };
        let figure = (find("vulnerability").unwrap().build)(&[arm], &PlotOptions::default());
        let draw = move |ui: &mut Ui, state: &mut (FigureView, Option<[usize; 2]>)| {
            app::prepare(ui.ctx(), &settings::Settings::default());
            state.1 = cell_head_ui(ui, &figure, &mut state.0).or(state.1);
        };
        let mut harness = Harness::builder()
            .with_size(vec2(600.0, 80.0))
            .build_ui_state(draw, (FigureView::default(), None));
        harness.run();
        let name = "Most vulnerable: fc1, b30: 80.0 % SDC-1, 95 % CI 58.4–91.9, n 20";
        harness.get_by_label(name).focus();
        harness.run();
        for (key, name) in [(Key::ArrowRight, "fc1, b2: 0 % SDC-1"), (Key::ArrowDown, "fc2, b2: 0 % SDC-1")] {
            harness.key_press(key);
            harness.run();
            assert!(harness.query_by_label_contains(name).is_some(), "{name}");
        }
        harness.key_press(Key::Enter);
        harness.run();
        assert_eq!(harness.state().1, Some([1, 1]));
    }

    #[test]
    fn at_the_rim_a_key_stays() {
        assert_eq!(moved([0, 0], Key::ArrowUp, [2, 3]), [0, 0]);
        assert_eq!(moved([1, 2], Key::ArrowRight, [2, 3]), [1, 2]);
        assert_eq!(moved([1, 2], Key::ArrowLeft, [2, 3]), [1, 1]);
    }
}
