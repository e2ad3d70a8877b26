use eframe::egui::accesskit::Role;
use eframe::egui::vec2;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::*;
use crate::doc::RunRecord;
use crate::figure::plots::testing::{at, record};

#[derive(Default)]
struct Shown {
    record: RunRecord,
    revision: u64,
    state: PlotState,
    response: Option<PlotResponse>,
}

fn harness(shown: Shown) -> Harness<'static, Shown> {
    let draw = |ui: &mut Ui, shown: &mut Shown| {
        let arms = [ArmRuns { name: "dense".to_owned(), colour: 0, runs: vec![(1, &shown.record)] }];
        let input = PlotInput { arms: &arms, revision: shown.revision };
        ui.horizontal_wrapped(|ui| plot_tabs(ui, &mut shown.state, true));
        shown.response = plot_panel(ui, &input, &mut shown.state).or(shown.response);
    };
    let mut harness = Harness::builder().with_size(vec2(1000.0, 480.0)).build_ui_state(draw, shown);
    harness.run();
    harness
}

fn running() -> Shown {
    let record = record([at("test_accuracy", 1.0, 0.5), at("test_accuracy", 2.0, 0.75)]);
    Shown { record, ..Shown::default() }
}

#[test]
fn before_the_first_point_the_panel_says_how_to_get_curves() {
    let mut harness = harness(Shown::default());
    assert!(harness.query_by_label("Press Run: curves of test accuracy appear here").is_some());
    harness.get_by_label("Loss").click();
    harness.run();
    assert!(harness.query_by_label("Press Run: curves of the loss appear here").is_some());
}

#[test]
fn every_tab_opens() {
    let mut harness = harness(running());
    for plot in ALL.iter().filter(|plot| plot.needs().is_empty()) {
        harness.get_by_label(plot.title()).click();
        harness.run();
        assert_eq!(harness.state().state.plot().name(), plot.name());
    }
}

#[test]
fn new_points_appear_and_nothing_is_built_without_them() {
    let mut harness = harness(running());
    let points =
        |harness: &Harness<'_, Shown>| harness.state().state.shown_figure().unwrap().lines[0].points.len();
    assert_eq!(points(&harness), 2);
    harness.state_mut().record = record((1..=3).map(|epoch| at("test_accuracy", f64::from(epoch), 0.5)));
    harness.run_steps(20);
    assert_eq!(points(&harness), 2, "the revision is the same");
    harness.state_mut().revision += 1;
    harness.run_steps(20);
    assert_eq!(points(&harness), 3);
}

#[test]
fn exporting_and_copying_are_left_to_the_window() {
    let mut harness = harness(running());
    harness.get_by_label("Export figure…").click();
    harness.run();
    assert_eq!(harness.state_mut().response.take(), Some(PlotResponse::ExportFigure));
    harness.get_by_label("Copy CSV").click();
    harness.run();
    assert_eq!(harness.state_mut().response.take(), Some(PlotResponse::CopyCsv));
}

#[test]
fn without_data_there_is_nothing_to_export() {
    let harness = harness(Shown::default());
    harness.get_by_label("Export figure…").click();
    assert_eq!(harness.state().response, None);
    assert!(harness.state().state.shown_figure().is_none());
}

#[test]
fn the_axis_and_the_single_runs_are_chosen_below_the_plot() {
    let mut harness = harness(running());
    harness.get_by_label("Single runs").click();
    harness.run();
    assert!(!harness.state().state.options.traces);
    harness.get_by_role_and_label(Role::ComboBox, "x:").click();
    harness.run();
    harness.get_by_label("Wall time").click();
    harness.run();
    assert_eq!(harness.state().state.options.x, XAxis::Seconds);
}

#[test]
fn the_tab_of_a_special_plot_appears_with_its_data() {
    let mut harness = harness(running());
    assert!(harness.query_by_label("Past").is_none());
    harness.state_mut().record = record([at("past_distance", 1.0, 0.5), at("past_distance", 2.0, 0.25)]);
    harness.state_mut().revision += 1;
    harness.run_steps(20);
    harness.get_by_label("Past").click();
    harness.run();
    assert_eq!(harness.state().state.plot().name(), "past");
}
