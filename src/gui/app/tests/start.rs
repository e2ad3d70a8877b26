//! The start page: what it lists, and the line below it.

use super::*;
use run::testing::write_done;

#[test]
fn an_untitled_experiment_that_was_run_comes_back_from_the_start_page() {
    let home = tempfile::tempdir().unwrap();
    let open = || Window::with([1280.0, 800.0], None, Some(home.path().to_owned()), Settings::default());
    let mut window = open();
    let title = window.harness.state().editor.document.title();
    window.click("Run all");
    let job = window.stage.borrow().jobs[0].clone();
    write_done(&home.path().join("untitled").join(job.folder.file_name().unwrap()), &job.run);
    drop(window);
    let mut window = open();
    window.execute(Command::New);
    let entry = format!("{title}, untitled");
    for _ in 0..2000 {
        if window.sees(&entry) {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
        window.harness.step();
    }
    window.click(&entry);
    let app = window.harness.state();
    assert!(!app.shell.is_starting && app.editor.document.path().is_none());
    assert_eq!(app.editor.document.title(), title);
}

#[test]
fn the_start_page_has_the_status_line_with_the_last_message() {
    let mut window = Window::new();
    window.execute(Command::New);
    window.harness.state_mut().log.info("Something new");
    window.harness.run();
    let line = window.harness.get_by_label("Something new").rect();
    assert!(line.top() > 800.0 - 24.0, "{line:?}");
    assert!(window.sees("New experiment") && !window.sees("12 runs"), "they are those of no open document");
    window.click("Log");
    assert!(window.harness.state().shell.settings.shows_log && window.sees("New experiment"));
}

#[test]
fn a_template_that_was_run_can_be_returned_to() {
    let mut window = Window::new();
    window.execute(Command::New);
    assert!(!window.sees("Back to"), "it was never used");
    window.harness.state_mut().shell.is_starting = false;
    window.harness.run();
    window.click("Run all");
    window.carry_out(0, &[0.5]);
    window.hang_up();
    window.execute(Command::New);
    assert!(window.sees("Back to"));
    window.harness.key_press(Key::Escape);
    window.harness.run();
    assert!(!window.harness.state().shell.is_starting);
}

#[test]
fn runs_behind_the_start_page_can_be_paused_and_stopped() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, started());
    window.execute(Command::New);
    window.execute(Command::Pause);
    assert!(window.harness.state().runner.runs.is_paused());
    window.execute(Command::Resume);
    assert!(!window.harness.state().runner.runs.is_paused());
    window.execute(Command::StopNow);
    assert_eq!(window.stage.borrow().stops, [StopKind::Now]);
    window.execute(Command::AddArm);
    assert_eq!(window.harness.state().editor.document.experiment.arms.len(), 4);
}
