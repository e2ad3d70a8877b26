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
    let mut harness =
        Harness::builder().with_size(vec2(600.0, 80.0)).build_ui_state(draw, (FigureView::default(), None));
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
