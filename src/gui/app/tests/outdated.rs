//! Outdated results: shown as what they are, and never as those of the present ones.

use super::*;
use figure::csv::csv;
use figure::{Style, style_of};
use run::StoredRun;

/// A window whose first run is done, and whose settings were changed since.
fn edited() -> Window {
    let mut window = Window::new();
    window.click("Run all");
    window.carry_out(0, &[0.5, 0.5]);
    window.hang_up();
    window.harness.state_mut().editor.document.experiment.train.batch = 7;
    window.harness.run();
    window
}

fn lines(window: &Window) -> Vec<(String, usize)> {
    let app = window.harness.state();
    let arms = app.workspace.compare.arm_runs(&app.workspace.treatments, &app.runner.runs);
    arms.iter().map(|arm| (arm.name.clone(), arm.runs.len())).collect()
}

/// Returns the CSV that an export of the plot writes.
fn exported(window: &mut Window) -> Option<String> {
    let app = window.harness.state_mut();
    let input = app.workspace.export_input(&app.runner.runs);
    let figure = app.workspace.plot.visible_figure(app.workspace.plot.plot(), input);
    figure().ok().map(|figure| csv(&figure))
}

#[test]
fn curves_of_earlier_settings_stay_and_say_so_before_their_name() {
    let mut window = edited();
    assert!(window.sees("outdated"));
    assert_eq!(lines(&window), [("outdated: dense".to_owned(), 1)]);
    let app = window.harness.state_mut();
    let input = app.workspace.plot_input(&app.runner.runs);
    assert_eq!(input.remark, "1 outdated run shown here only, not in exports");
    assert_eq!((input.filter.as_str(), &input.note()), ("", &input.remark), "nothing is filtered");
    assert!(window.harness.query_by_label_contains("Clear the").is_none());
    assert_eq!(exported(&mut window), None);
    window.execute(Command::CopyFigure);
    assert!(window.log().contains("Left out 1 outdated run"), "{}", window.log());
}

#[test]
fn a_setting_does_not_group_runs_that_had_another_value_of_it() {
    let mut window = edited();
    window.harness.state_mut().workspace.compare.view.group = Some("train.batch".to_owned());
    window.harness.run();
    assert_eq!(lines(&window), []);
    let app = window.harness.state_mut();
    let input = app.workspace.plot_input(&app.runner.runs);
    assert_eq!(input.remark, "1 outdated run left out");
    window.harness.get_by_label("Ungroup: lines are grouped by Batch size").click();
    window.harness.run();
    assert_eq!(window.harness.state().workspace.compare.view.group, None);
    assert!(window.harness.query_by_label_contains("Ungroup").is_none());
}

#[test]
fn a_run_of_the_present_settings_has_its_own_line_beside_earlier_ones() {
    let mut window = edited();
    window.click("Run all");
    window.carry_out(1, &[0.25, 0.75]);
    window.hang_up();
    assert_eq!(lines(&window), [("outdated: dense".to_owned(), 1), ("dense".to_owned(), 1)]);
    let app = window.harness.state();
    let arms = app.workspace.compare.arm_runs(&app.workspace.treatments, &app.runner.runs);
    let [earlier, own] = [&arms[0], &arms[1]].map(|arm| style_of(arm.colour));
    assert_eq!(earlier, Style { is_muted: true, ..own }, "the mark and the dash of its arm");
    let text = exported(&mut window).unwrap();
    assert!(text.contains("dense") && text.contains("0.25") && !text.contains("0.5"), "{text}");
    window.execute(Command::Undo);
    assert_eq!(lines(&window), [("dense".to_owned(), 1), ("outdated: dense".to_owned(), 1)]);
}

#[test]
fn runs_that_go_on_while_settings_are_changed_stay_in_sight_under_their_names() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, started());
    window.harness.state_mut().editor.document.experiment.train.batch = 7;
    window.harness.run();
    assert!(window.sees("3 outdated"));
    window.say(0, Event::Progress(Progress { done: 0.5, ..Progress::default() }));
    window.say(0, accuracy(0.5, 1.0));
    assert_eq!(lines(&window), [("outdated: dense".to_owned(), 1)], "its curve grows");
    window.say(0, Event::Failed { message: "The loss is NaN.".to_owned() });
    assert!(window.sees("failed: The loss is NaN."));
    assert!(window.log().contains("dense, seed 1 (outdated): failed: The loss is NaN."));
    window.say(1, started());
    window.say(1, Event::Finished { secs: 1.0 });
    assert!(window.log().contains("dense, seed 2 (outdated): done"), "{}", window.log());
}

#[test]
fn results_of_earlier_settings_that_lie_in_the_folder_are_found_and_told() {
    let mut window = Window::new();
    let (sender, found) = sync_channel(4);
    let outdated_runs =
        |id: &str, arm: &str| StoredRun { id: id.to_owned(), arm: arm.to_owned(), seed: 1, difference: None };
    let record = RunRecord::from_events([started(), accuracy(0.5, 1.0), accuracy(0.5, 2.0)]);
    sender.send((outdated_runs("new", "dense"), Some(record))).unwrap();
    sender.send((outdated_runs("old", "dense"), None)).unwrap();
    drop(sender);
    window.stage.borrow_mut().outdated_runs = Some(found);
    window.harness.state_mut().reset();
    window.harness.run();
    assert_eq!(lines(&window), [("outdated: dense".to_owned(), 1)]);
    assert!(
        window.log().contains("This folder also has 2 runs with other settings; 1 is drawn as \"outdated\"")
    );
    assert!(!window.harness.state().is_reading());
}

#[test]
fn a_stopped_run_that_goes_on_is_not_over() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, started());
    window.say(0, Event::Stopped { secs: 1.0 });
    window.hang_up();
    window.execute(Command::Resume);
    window.say(0, Event::Rewound { points: 0, reports: 0, campaigns: 0 });
    assert!(window.sees("0 of 12 runs"));
    window.say(0, Event::Stopped { secs: 1.0 });
    assert!(window.sees("1 of 12 runs"));
}

#[test]
fn a_run_that_is_over_is_at_its_end_however_it_ended() {
    let mut window = Window::new();
    window.harness.state_mut().workspace.selection = Selection::Arm(0);
    window.execute(Command::RunSelected);
    window.say(0, started());
    window.say(0, Event::Progress(Progress { done: 0.25, ..Progress::default() }));
    let share = |window: &Window| window.harness.state().runner.status().share.unwrap();
    assert!((share(&window) - 0.25 / 3.0).abs() < 1e-6);
    window.say(0, Event::Failed { message: "The loss is NaN.".to_owned() });
    assert!((share(&window) - 1.0 / 3.0).abs() < 1e-6);
    window.say(1, Event::Elsewhere { owner: "process 7 on here".to_owned() });
    assert!((share(&window) - 2.0 / 3.0).abs() < 1e-6);
}

#[test]
fn time_left_does_not_count_what_was_done_before_the_window_was_opened() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, Event::Started { resumed: true, threads: 1 });
    window.say(0, Event::Progress(Progress { done: 0.9, ..Progress::default() }));
    assert!(window.sees("estimating…"));
    window.say(0, Event::Finished { secs: 3.0 });
    window.say(1, started());
    window.say(1, Event::Progress(Progress { done: 0.5, ..Progress::default() }));
    assert!(window.sees(" left"));
}
