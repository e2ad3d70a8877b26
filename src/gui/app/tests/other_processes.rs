//! Runs that other processes carry out in the same folder.

use super::*;
use crate::watching::ChangedRecord;
use results::RunState;

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

/// Writes the first run of the document as another process would; its folder, and its log so far.
fn write_elsewhere(window: &Window) -> (PathBuf, String) {
    let app = window.harness.state();
    let run = app.editor.results().join(&app.editor.document.runs()[0].id);
    std::fs::create_dir_all(&run).unwrap();
    let log = format!("{STARTED}{}\n", serde_json::to_string(&accuracy(0.75, 1.0)).unwrap());
    std::fs::write(run.join("events.jsonl"), &log).unwrap();
    (run, log)
}

#[test]
fn what_another_process_writes_appears_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.ron");
    std::fs::write(&file, "(seeds: [1], arms: [(name: \"a\", plan: [Test])])").unwrap();
    let mut window = Window::open(Some(file));
    window.stage.borrow_mut().watch = Some(Duration::from_millis(1));
    window.harness.run_ok();
    let (run, log) = write_elsewhere(&window);
    wait_for(&mut window, "stopped");
    assert!(
        window.log().contains("a, seed 1: stopped; no process is working on it"),
        "nobody claims it: {}",
        window.log()
    );
    let ended = "{\"event\":\"finished\",\"secs\":1.0}\n";
    std::fs::write(run.join("DONE"), "").unwrap();
    std::fs::write(run.join("events.jsonl"), format!("{log}{ended}")).unwrap();
    wait_for(&mut window, "All runs are done");
}

#[test]
fn what_was_found_of_another_folder_of_runs_that_are_gone_or_not_listed_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.ron");
    std::fs::write(&file, "(seeds: [1], arms: [(name: \"a\", plan: [Test])])").unwrap();
    let mut window = Window::open(Some(file));
    let app = window.harness.state_mut();
    let (results, run) = (app.editor.results(), app.editor.document.runs()[0].id.clone());
    let other = folder.path().join("other.runs");
    for run in [results.join("stranger"), other.join(&run)] {
        std::fs::create_dir_all(run).unwrap();
    }
    let found = |folder: &Path, run: &str| ChangedRecord {
        folder: folder.to_owned(),
        run: run.to_owned(),
        record: RunRecord::from_events([started(), accuracy(0.5, 1.0), Event::Stopped { secs: 1.0 }]),
    };
    let take = |app: &mut App, found: ChangedRecord| {
        let results = app.editor.results();
        app.runner.take_from_others(found, &app.editor.document, &results, &mut app.log);
    };
    take(app, found(&other, &run));
    take(app, found(&results, "stranger"));
    take(app, found(&results, &run));
    assert_eq!(
        (app.runner.runs.state(&run), app.runner.runs.state("stranger")),
        (RunState::Waiting, RunState::Waiting)
    );
    std::fs::create_dir_all(results.join(&run)).unwrap();
    take(app, found(&results, &run));
    assert_eq!(app.runner.runs.state(&run), RunState::Stopped);
}

#[test]
fn a_file_that_is_opened_again_with_other_runs_has_these_watched() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.ron");
    let write = |seed: u64| {
        std::fs::write(&file, format!("(seeds: [{seed}], arms: [(name: \"a\", plan: [Test])])")).unwrap();
    };
    write(1);
    let mut window = Window::open(Some(file.clone()));
    window.stage.borrow_mut().watch = Some(Duration::from_millis(1));
    window.harness.run_ok();
    write(2);
    assert!(window.harness.state_mut().open(&file));
    window.harness.run_ok();
    write_elsewhere(&window);
    wait_for(&mut window, "stopped");
}

#[test]
fn a_run_that_goes_on_elsewhere_is_left_alone_and_is_no_failure() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, Event::Elsewhere { owner: "process 7 on here".to_owned() });
    assert!(
        window.log().contains("dense, seed 1: already running in another process (process 7 on here)"),
        "{}",
        window.log()
    );
    assert!(window.sees("1 of 12 runs") && !window.sees("failed"));
    window.hang_up();
    assert!(!window.sees("failed"));
}
