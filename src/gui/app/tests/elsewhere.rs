//! Runs that other processes carry out in the same folder.

use super::*;

const STARTED: &str = "{\"event\":\"started\",\"resumed\":false,\"threads\":1}\n";

/// Draws frames until something is seen, as the window does when it is woken.
fn wait_for(window: &mut Window, text: &str) {
    let began = std::time::Instant::now();
    while !window.sees(text) {
        assert!(began.elapsed() < Duration::from_secs(30), "{text} never appeared: {}", window.log());
        std::thread::sleep(Duration::from_millis(5));
        window.harness.run_ok();
    }
}

#[test]
fn what_another_process_writes_appears_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.ron");
    std::fs::write(&file, "(seeds: [1], arms: [(name: \"a\", plan: [Test])])").unwrap();
    let mut window = Window::open(Some(file));
    window.stage.borrow_mut().watch = Some(Duration::from_millis(1));
    window.harness.run_ok();
    let app = window.harness.state();
    let run = app.document.results(&app.parts.untitled).join(&app.document.runs()[0].id);
    std::fs::create_dir_all(&run).unwrap();
    let point = serde_json::to_string(&accuracy(0.75, 1.0)).unwrap();
    std::fs::write(run.join("events.jsonl"), format!("{STARTED}{point}\n")).unwrap();
    wait_for(&mut window, "75.00 %");
    assert!(window.log().contains("a, seed 1: stopped elsewhere"), "nobody claims it: {}", window.log());
    let ended = "{\"event\":\"finished\",\"secs\":1.0}\n";
    std::fs::write(run.join("events.jsonl"), format!("{STARTED}{point}\n{ended}")).unwrap();
    wait_for(&mut window, "All runs are done");
}

#[test]
fn a_run_that_goes_on_elsewhere_is_left_alone_and_is_no_failure() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, Event::Elsewhere { owner: "process 7 on here".to_owned() });
    assert!(
        window.log().contains("dense, seed 1: running elsewhere (process 7 on here)"),
        "{}",
        window.log()
    );
    assert!(window.sees("1 of 12 runs") && !window.sees("failed"));
    window.hang_up();
    assert!(!window.sees("failed"));
}
