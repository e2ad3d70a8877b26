//! Menus of lines, arms and runs in the window.

use egui_kittest::kittest::Queryable;

use super::{Command, Selection, Window};

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
    for (text, keys) in crate::gui::plot::KEYS {
        assert!(window.sees(text) && window.sees(keys), "{text}");
    }
}
