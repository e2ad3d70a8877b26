//! What the window says about commands, copies, failures and runs in progress.

use super::*;

#[test]
fn what_was_refused_leaves_the_status_line_once_it_is_mended() {
    let mut window = Window::new();
    let latest = |window: &Window| window.harness.state().log.latest().map(|it| it.text.clone());
    let before = latest(&window);
    window.harness.state_mut().editor.document.experiment.train.batch = 0;
    window.harness.run();
    window.execute(Command::RunAll);
    assert!(latest(&window).unwrap().contains("The document has an error"));
    window.harness.state_mut().editor.document.experiment.train.batch = 8;
    window.harness.run();
    assert_eq!(latest(&window), before);
}

#[test]
fn a_button_that_copies_says_so() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    window.execute(Command::CopyResultsFolder);
    let path = window.harness.state().editor.results().display().to_string();
    assert!(window.log().contains("Copied: ") && window.log().contains(&path[..20]), "{}", window.log());
}

#[test]
fn the_question_about_runs_in_progress_counts_those_that_go_on_now() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, started());
    window.execute(Command::Quit);
    assert!(window.sees("12 runs are not finished"));
    window.say(0, Event::Finished { secs: 1.0 });
    assert!(window.sees("11 runs are not finished"));
}

#[test]
fn the_reason_of_a_failure_is_shown_once_under_the_pointer() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, started());
    window.say(0, Event::Failed { message: "No room.\nFree some.".to_owned() });
    window.hang_up();
    let words = window.harness.get_all_by_label("failed: No room.").next().unwrap().rect();
    window.harness.hover_at(words.center());
    window.harness.run();
    std::thread::sleep(Duration::from_millis(600));
    window.harness.run();
    assert_eq!(window.harness.query_all_by_label_contains("Free some.").count(), 1);
}

#[test]
fn the_log_is_searched_by_words_in_any_order() {
    let mut window = Window::new();
    window.harness.state_mut().log.info("dense, seed 1: done");
    window.harness.state_mut().log.error("dense, seed 2 failed");
    window.harness.run();
    window.click("Log");
    assert!(window.sees("dense, seed 1: done"));
    window.harness.get_by_label("Search the log").focus();
    window.harness.run();
    window.harness.get_by_label("Search the log").type_text("FAILED dense");
    window.harness.run();
    assert!(!window.sees("dense, seed 1: done") && window.sees("dense, seed 2 failed"));
}
