//! Runs that are stopped by closing the window, and their document at the next start.

use super::*;
use crate::settings::Unfinished;

fn results(window: &Window) -> PathBuf {
    window.harness.state().editor.results()
}

/// Runs an arm, closes the window, and opens another one that has the same settings; with the results folder of the first.
fn closed_and_opened_again(file: Option<PathBuf>) -> (Window, PathBuf) {
    let mut window = Window::open(file);
    window.harness.state_mut().workspace.selection = Selection::Arm(1);
    window.execute(Command::RunSelected);
    window.say(0, started());
    window.say(0, Event::Finished { secs: 1.0 });
    window.ask_to_close();
    window.harness.run();
    window.click("Quit and resume at next start");
    assert_eq!(window.stage.borrow().stops, [StopKind::Now]);
    let (settings, before) = (window.harness.state().shell.settings.clone(), results(&window));
    let text = ron::to_string(&settings).unwrap();
    assert_eq!(ron::from_str::<Settings>(&text).unwrap(), settings, "it is kept as text");
    let mut next = Window::with([1280.0, 800.0], None, None, settings);
    next.harness.run();
    assert!(next.harness.state().shell.settings.unfinished.is_none(), "asked once");
    (next, before)
}

#[test]
fn runs_that_were_stopped_by_closing_can_go_on_at_the_next_start_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved_template(folder.path());
    let (mut next, _) = closed_and_opened_again(Some(path.clone()));
    assert!(next.sees("Resume mine.ron?") && next.sees("2 runs were running"));
    assert_eq!(next.harness.state().editor.document.path(), Some(path.as_path()));
    next.click("Resume runs");
    let stage = next.stage.borrow();
    let jobs: Vec<_> = stage.jobs.iter().map(|job| (job.run.arm_index, job.run.seed)).collect();
    assert_eq!(jobs, [(1, 2), (1, 3)], "those that were going on or waiting");
}

#[test]
fn a_document_without_a_file_goes_on_too() {
    let (mut next, before) = closed_and_opened_again(None);
    assert_eq!(results(&next), before);
    assert!(next.sees("2 runs were running") && !next.harness.state().editor.document.is_unsaved());
    next.click("Resume runs");
    assert_eq!(next.stage.borrow().jobs.len(), 2);
}

fn seeds(window: &Window) -> Vec<u64> {
    window.harness.state().editor.document.experiment.seeds.clone()
}

/// Runs everything, asks to close without saving, and answers the question about the runs; the settings afterwards.
fn quit(window: &mut Window, answer: &str) -> Settings {
    window.execute(Command::RunAll);
    window.say(0, started());
    let is_unsaved = window.harness.state().editor.document.is_unsaved();
    window.ask_to_close();
    window.harness.run();
    if is_unsaved {
        window.click("Discard");
    }
    window.click(answer);
    window.harness.state().shell.settings.clone()
}

/// Returns the settings that a window leaves when it is closed with edits, and the seeds that these made.
fn edited_and_quit(file: Option<PathBuf>) -> (Settings, Vec<u64>) {
    let mut window = Window::open(file);
    window.click("Run all");
    window.edit();
    let edited = seeds(&window);
    (quit(&mut window, "Quit and resume at next start"), edited)
}

fn at_home(home: &Path, file: Option<PathBuf>, settings: Settings) -> Window {
    let mut window = Window::with([1280.0, 800.0], file, Some(home.to_owned()), settings);
    window.harness.run();
    window
}

#[test]
fn edits_that_were_not_saved_come_back_with_their_runs_also_where_the_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved_template(folder.path());
    let (settings, edited) = edited_and_quit(Some(path.clone()));
    for file in [None, Some(path.clone())] {
        let next = at_home(folder.path(), file, settings.clone());
        assert!(next.sees("Resume mine.ron?"), "{}", next.log());
        assert_eq!(seeds(&next), edited);
        let app = next.harness.state();
        assert!(app.editor.document.is_unsaved() && app.editor.document.path() == Some(path.as_path()));
        assert_eq!(app.shell.settings.unfinished, None);
    }
}

#[test]
fn a_document_that_waits_for_the_next_start_is_not_lost_to_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved_template(folder.path());
    let (settings, edited) = edited_and_quit(None);
    let mut other = at_home(folder.path(), Some(path.clone()), settings.clone());
    assert_eq!(quit(&mut other, "Stop and quit").unfinished, settings.unfinished, "it is still to come");
    drop(other);
    let mut other = at_home(folder.path(), Some(path.clone()), settings);
    let settings = quit(&mut other, "Quit and resume at next start");
    let noted: Option<&Unfinished> = settings.unfinished.as_ref();
    assert_eq!(noted.and_then(|noted| noted.path.as_deref()), Some(path.as_path()));
    drop(other);
    let mut next = at_home(folder.path(), None, settings);
    next.click("Not now");
    next.harness.run();
    next.click("Restore");
    assert_eq!(seeds(&next), edited, "the place was taken, so it came as after a crash");
}

#[test]
fn a_document_whose_file_is_gone_comes_back_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved_template(folder.path());
    let (settings, edited) = edited_and_quit(Some(path.clone()));
    std::fs::remove_file(&path).unwrap();
    let next = at_home(folder.path(), None, settings);
    assert_eq!((seeds(&next), next.harness.state().editor.document.path()), (edited, None));
    assert_eq!(next.harness.state().shell.settings.unfinished, None);
}

#[test]
fn a_document_that_waited_and_cannot_be_read_is_kept_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (mut settings, _) = edited_and_quit(None);
    let kept = settings.unfinished.as_mut().and_then(|noted| noted.kept.as_mut()).unwrap();
    kept.text = "(nmae: 1)".to_owned();
    let window = at_home(folder.path(), None, settings);
    assert!(window.sees("The experiment with the stopped runs cannot be opened"));
    drop(window);
    assert!(at_home(folder.path(), None, Settings::default()).sees("Restore unsaved edits to"));
}

#[test]
fn edits_of_a_crash_are_offered_when_no_runs_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Window::new();
    let settings = quit(&mut window, "Quit and resume at next start");
    let mut crashed = Window::new();
    crashed.edit();
    let kept = crashed.harness.state().editor.document.to_keep().unwrap();
    let recovery = crate::recovery::Recovery::new(&folder.path().join("recovery")).unwrap();
    recovery.leave(&kept).unwrap();
    let mut next = at_home(folder.path(), None, settings);
    next.click("Resume runs");
    next.harness.run();
    assert_eq!(next.stage.borrow().jobs.len(), 12);
    assert!(!next.sees("Restore unsaved edits to"), "the runs are those of the document that is open");
    next.hang_up();
    next.harness.run();
    assert!(next.sees("Restore unsaved edits to"));
}
