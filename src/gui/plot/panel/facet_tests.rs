use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::containers::menu::MenuButton;
use eframe::egui::{Align, Layout, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::*;
use crate::plot::PlotInput;
use crate::plot::panel::{menu_ui, plot_ui, tools_ui};
use crate::theme;
use figure::plots::testing::{arm, at, record};
use figure::plots::{ALL, ArmRuns};
use results::RunRecord;
use results::facets::FacetAxes;
use results::table::Row;
use results::table::columns::Column;
use results::view::ViewSettings;

struct Shown {
    input: PlotInput,
    state: PlotState,
}

/// Two arms with these batch sizes, and seeds 1 and 2.
fn input(batches: &[u32]) -> PlotInput {
    let record: RunRecord = record([at("test_accuracy", 1.0, 0.5), at("test_accuracy", 2.0, 0.75)]);
    let row = |arm: usize, batch: u32, seed: u64| Row {
        arm: format!("{}, batch {batch}", ["a", "b"][arm]),
        arm_index: arm,
        seed,
        settings: Arc::new([("train.batch".to_owned(), batch.to_string())].into()),
        ..Row::default()
    };
    let lines: Vec<(usize, u32)> =
        [0, 1].into_iter().flat_map(|arm| batches.iter().map(move |batch| (arm, *batch))).collect();
    let line = |(index, batch): (usize, u32)| {
        let rows = [1, 2].map(|seed| Arc::new(row(index, batch, seed))).to_vec();
        ArmRuns { rows, ..arm(&row(index, batch, 1).arm, index, [&record; 2]) }
    };
    PlotInput::new(lines.into_iter().map(line).collect(), String::new(), 0)
}

fn harness(batches: &[u32]) -> Harness<'static, Shown> {
    let shown = Shown { input: input(batches), state: PlotState::default() };
    let mut is_first = true;
    let draw = move |ui: &mut Ui, shown: &mut Shown| {
        if std::mem::take(&mut is_first) {
            return theme::install(ui.ctx());
        }
        let Shown { input, state } = shown;
        state.update_data(input, ui.input(|input| input.time));
        let size = vec2(ui.available_width(), 40.0);
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            let (button, _) = MenuButton::new("Menu").ui(ui, |ui| menu_ui(ui, &ALL[0], state));
            button.accessible_name("Menu");
            tools_ui(ui, &ALL[0], [""; 2], state);
        });
        plot_ui(ui, &ALL[0], input, state);
    };
    let mut harness = Harness::builder().with_size(vec2(1200.0, 640.0)).build_ui_state(draw, shown);
    harness.run();
    harness
}

fn choose(harness: &mut Harness<'_, Shown>, list: &str, entry: &str) {
    harness.get_by_role_and_label(Role::ComboBox, list).click();
    harness.run();
    harness.get_by_role_and_label(Role::Button, entry).click();
    harness.run();
}

fn panels(harness: &Harness<'_, Shown>) -> usize {
    harness.query_all_by_label_contains("Plot of Test accuracy, ").count()
}

#[test]
fn a_setting_that_differs_can_be_chosen_and_has_a_panel_for_each_value() {
    let mut harness = harness(&[16, 64, 256]);
    assert_eq!(panels(&harness), 0);
    choose(&mut harness, "facets", "batch");
    assert_eq!(panels(&harness), 3);
    assert!(harness.query_by_label("Plot of Test accuracy, batch 64").is_some());
    for name in ["a", "b"] {
        assert!(harness.query_by_label(name).is_some(), "the arms without their batch sizes: {name}");
    }
    choose(&mut harness, "rows", "seed");
    assert_eq!(panels(&harness), 6);
    harness.get_by_label("Shared axes").click();
    harness.run();
    let mut view = ViewSettings::default();
    harness.state().state.give(&mut view);
    let kept = &view.plots["accuracy"].facets;
    assert_eq!(kept.by, [Column::Setting("train.batch".to_owned()), Column::Seed]);
    assert_eq!(kept.axes, FacetAxes::Free);
    assert!(!view.plots.contains_key("loss"), "another plot is not split");
    let mut again = PlotState::default();
    again.take(&view);
    assert_eq!(again.titles(&ALL[0]).facets, *kept);
    choose(&mut harness, "facets", "none");
    assert_eq!(panels(&harness), 0);
}

#[test]
fn runs_of_the_same_settings_offer_nothing_beside_the_plot() {
    let mut harness = harness(&[16]);
    assert!(harness.query_by_role_and_label(Role::ComboBox, "facets").is_none());
    harness.get_by_label("Menu").click();
    harness.run();
    assert!(harness.query_by_label("facets").is_some(), "arms and seeds are in the menu");
}

#[test]
fn too_many_values_are_explained_in_the_place_of_the_plot() {
    let batches: Vec<u32> = (1..=25).collect();
    let mut harness = harness(&batches);
    harness.state_mut().state.titles(&ALL[0]).facets.by = vec![Column::Setting("train.batch".to_owned())];
    harness.run();
    assert!(harness.query_by_label_contains("There are 25 values of \"batch\"").is_some());
}
