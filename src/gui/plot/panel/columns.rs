//! The choice of the columns of the table of runs that are the axes of a plot.

use eframe::egui::containers::menu::is_in_menu;
use eframe::egui::{Button, Ui};

use super::CHOICE;
use crate::plot::state::PlotState;
use crate::text::shortened;
use crate::widgets::choice_ui;
use figure::plots::Plot;
use results::table::columns::Column;

/// Characters of a chosen column.
const LONGEST: usize = 26;

/// Draws the choice of x and y where a plot has them, as far as there is room.
pub fn columns_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) {
    if !plot.controls.columns {
        return;
    }
    let offered = state.columns();
    let drawn = state.figure(plot).map(|figure| figure.x.title.clone());
    let before = state.options.metric.clone();
    // Rows of tools go from right to left.
    let axes = if is_in_menu(ui) { ["x", "y"] } else { ["y", "x"] };
    for axis in axes {
        if !is_in_menu(ui) && ui.available_width() <= CHOICE {
            break;
        }
        let metric = &mut state.options.metric;
        let (chosen, settings) =
            if axis == "x" { (&mut metric.x, &offered.settings[..]) } else { (&mut metric.y, &[][..]) };
        let now = chosen.clone().or_else(|| offered.usual(axis == "x", drawn.as_deref()));
        let title = now.as_ref().map_or_else(|| "none".to_owned(), |column| offered.title(column));
        choice_ui(ui, axis, &shortened(&title, LONGEST), |ui| {
            let mut entry = |ui: &mut Ui, (column, title): &(Column, String)| {
                if ui.add(Button::selectable(now.as_ref() == Some(column), title)).clicked() {
                    *chosen = Some(column.clone());
                }
            };
            for column in settings {
                entry(ui, column);
            }
            if !settings.is_empty() {
                ui.separator();
            }
            for column in &offered.results {
                entry(ui, column);
            }
        });
    }
    let after = &state.options.metric;
    let are_other = [before.x != after.x, before.y != after.y];
    if are_other != [false; 2] {
        state.forget_axes(plot, are_other);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use eframe::egui::accesskit::Role;
    use eframe::egui::{Align, Layout, vec2};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::plot::{PlotInput, plot_ui, tools_ui};
    use crate::theme;
    use figure::plots::testing::{at, record};
    use figure::plots::{ArmRuns, find};
    use figure::scale::Scale;
    use results::metric::MetricAxes;
    use results::table::Row;
    use results::table::columns::At;
    use results::view::{PlotView, ViewSettings};

    /// An arm with a swept rate and a swept batch size, a run for each value.
    fn harness(values: &'static [(&'static str, &'static str)]) -> Harness<'static, PlotState> {
        let rows: Vec<Row> =
            values.iter().enumerate().map(|(nth, (rate, batch))| row(nth, rate, batch)).collect();
        let record = record([at("test_accuracy", 1.0, 0.5), at("train_loss", 1.0, 0.25)]);
        let arm = |row: &Row| ArmRuns { name: row.arm.clone(), ..ArmRuns::default() };
        let arms: Vec<ArmRuns<'_>> = rows
            .iter()
            .map(|row| ArmRuns { runs: vec![(1, &record)], rows: vec![row], ..arm(row) })
            .collect();
        let input = PlotInput::new(&arms, String::new(), 0);
        let mut is_first = true;
        let draw = move |ui: &mut Ui, state: &mut PlotState| {
            if std::mem::take(&mut is_first) {
                return theme::install(ui.ctx());
            }
            let plot = find("metric").unwrap();
            state.choose(plot.name);
            state.update_data(&input, 0.0);
            let size = vec2(ui.available_width(), 40.0);
            ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
                tools_ui(ui, plot, [""; 2], state);
            });
            plot_ui(ui, plot, &input, state);
        };
        let builder = Harness::builder().with_size(vec2(1000.0, 480.0));
        let mut harness = builder.build_ui_state(draw, PlotState::default());
        harness.run();
        harness
    }

    fn row(nth: usize, rate: &str, batch: &str) -> Row {
        let settings = [("train.batch", batch), ("train.optimizer.rate", rate)];
        let settings = settings.map(|(path, value)| (path.to_owned(), value.to_owned()));
        Row {
            run: nth.to_string(),
            arm: format!("dense, rate {rate}, batch {batch}"),
            last: Some(0.5 + 0.125 * nth as f64),
            settings: Arc::new(settings.into()),
            ..Row::default()
        }
    }

    fn choose(harness: &mut Harness<'_, PlotState>, axis: &str, column: &str) {
        harness.get_by_role_and_label(Role::ComboBox, axis).click();
        harness.run();
        harness.get_by_label(column).click_accesskit(); // lists scroll
        harness.run();
    }

    #[test]
    fn x_and_y_are_chosen_in_the_head_and_kept() {
        let mut harness = harness(&[("0.001", "8"), ("0.1", "8"), ("0.001", "16"), ("0.1", "16")]);
        let shown = |harness: &Harness<'_, PlotState>| harness.state().shown_figure().unwrap();
        let figure = shown(&harness);
        assert_eq!((figure.x.title.as_str(), figure.lines.len()), ("Batch", 2), "the first swept setting");
        assert!(harness.query_by_label_contains("best values: dense, rate 0.001 75.0").is_some());
        let titles =
            PlotView { x_title: "Images".to_owned(), y_title: "Hits".to_owned(), ..PlotView::default() };
        *harness.state_mut().titles(find("metric").unwrap()) = titles;
        choose(&mut harness, "x", "Rate");
        let figure = shown(&harness);
        assert_eq!((figure.x.title.as_str(), figure.x.scale), ("Rate", Scale::Log10));
        assert_eq!(figure.y.title, "Hits", "this one is the same");
        choose(&mut harness, "y", "Train loss, best");
        assert_eq!(shown(&harness).y.title, "Train loss, best");
        choose(&mut harness, "x", "Train loss, last");
        let figure = shown(&harness);
        assert_eq!((figure.lines.len(), figure.lines[0].names.len()), (1, 4), "a mark for each run");
        let mut kept = ViewSettings::default();
        harness.state().give(&mut kept);
        let column = |at: At| Some(Column::Series { series: "train_loss".to_owned(), at });
        assert_eq!(kept.options.metric, MetricAxes { x: column(At::Last), y: column(At::Best) });
        assert_eq!(form::ron_text::from_str(&kept.to_text()), Ok(kept));
    }

    #[test]
    fn without_a_difference_the_tile_says_so() {
        let harness = harness(&[("0.1", "8")]);
        assert!(harness.query_by_label("No setting differs between these runs").is_some());
        assert!(
            harness.query_by_role_and_label(Role::ComboBox, "y").is_some(),
            "a result can be chosen for x"
        );
    }
}
