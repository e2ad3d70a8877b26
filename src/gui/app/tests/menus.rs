//! Menus of lines, arms and runs in the window.

use egui_kittest::kittest::{NodeT, Queryable};

use super::{Command, Selection, Window};
use results::table::columns::Column;

#[test]
fn show_in_table_leads_to_the_row_of_the_run_and_past_a_filter() {
    let mut window = Window::new();
    let run = window.harness.state().editor.document.runs()[1].clone();
    window.harness.state_mut().workspace.compare.view.filter = "seed=99".to_owned();
    window.harness.run();
    window.harness.get_all_by_label("seed 2").next().unwrap().click_secondary();
    window.harness.run();
    window.click("Show in table");
    window.harness.run();
    let workspace = &window.harness.state().workspace;
    assert_eq!(workspace.selection, Selection::Run { arm: 0, id: run.id.clone() });
    assert_eq!(workspace.compare.view.filter, "", "it hid the run");
    assert!(workspace.compare.view.table.open.contains(&run.arm), "the group of the run is unfolded");
    assert!(window.sees("Test accuracy"), "the table is seen");
}

#[test]
fn f1_lists_the_keys_of_plots() {
    let mut window = Window::new();
    window.harness.state_mut().execute(Command::Shortcuts, &eframe::egui::Context::default());
    window.harness.run();
    for (text, keys) in crate::plot::KEYS {
        assert!(window.sees(text) && window.sees(keys), "{text}");
    }
}

#[test]
fn the_chosen_columns_of_the_table_are_in_a_pinned_reading_and_in_the_details_of_a_run() {
    let mut window = Window::new();
    window.harness.state_mut().execute(Command::RunAll, &eframe::egui::Context::default());
    window.harness.run();
    for run in 0..2 {
        window.carry_out(run, &[0.5, 0.75]);
    }
    let columns = vec![Column::Setting("train.batch".to_owned()), Column::Best];
    window.harness.state_mut().workspace.compare.view.table.columns = Some(columns);
    window.harness.run();
    let plot = window.harness.get_all_by_label("Plot of Test accuracy").next().unwrap();
    plot.focus();
    window.harness.run();
    let said = |window: &Window| {
        let all = window.harness.query_all_by_label_contains("Batch size ");
        all.filter_map(|node| node.accesskit_node().value()).find(|text| text.starts_with("at "))
    };
    assert_eq!(said(&window), None);
    window.harness.key_press(eframe::egui::Key::ArrowRight);
    window.harness.run();
    assert!(said(&window).unwrap().contains("Best accuracy (%) 75.00"), "{:?}", said(&window));
    let run = window.harness.state().editor.document.runs()[0].clone();
    window.harness.state_mut().workspace.selection = Selection::Run { arm: 0, id: run.id };
    window.harness.run();
    assert!(window.sees("Best accuracy (%)") && window.sees("Batch size"));
}
