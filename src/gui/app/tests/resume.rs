//! Runs that are stopped by closing the window, and their document at the next start.

use super::citizen::until;
use super::*;
use crate::recovery::UnsavedEdits;

fn results(window: &Window) -> PathBuf {
    window.harness.state().editor.results()
}

/// Runs an arm, closes the window, and opens another one; with the results folder of the first.
fn closed_and_opened_again(home: &Path, file: Option<PathBuf>) -> (Window, PathBuf) {
    let mut window = at_home(home, file);
    window.harness.state_mut().workspace.selection = Selection::Arm(1);
    window.execute(Command::RunSelected);
    window.say(0, started());
    window.say(0, Event::Finished { secs: 1.0 });
    window.ask_to_close();
    window.harness.run();
    window.click("Quit and resume at next start");
    assert_eq!(window.stage.borrow().stops, [StopKind::Now]);
    window.hang_up();
    let before = results(&window);
    drop(window);
    (at_home(home, None), before)
}

#[test]
fn runs_that_were_stopped_by_closing_can_go_on_at_the_next_start_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved_template(folder.path());
    let (mut next, _) = closed_and_opened_again(folder.path(), Some(path.clone()));
    assert!(next.sees("Resume mine.ron?") && next.sees("2 runs were running"));
    assert_eq!(next.harness.state().editor.document.path(), Some(path.as_path()));
    next.click("Resume runs");
    let stage = next.stage.borrow();
    let jobs: Vec<_> = stage.jobs.iter().map(|job| (job.run.arm_index, job.run.seed)).collect();
    assert_eq!(jobs, [(1, 2), (1, 3)], "those that were going on or waiting");
}

#[test]
fn a_document_without_a_file_goes_on_too() {
    let home = tempfile::tempdir().unwrap();
    let (mut next, before) = closed_and_opened_again(home.path(), None);
    assert_eq!(results(&next), before);
    assert!(next.sees("2 runs were running") && !next.harness.state().editor.document.is_unsaved());
    next.click("Resume runs");
    assert_eq!(next.stage.borrow().jobs.len(), 2);
}

fn seeds(window: &Window) -> Vec<u64> {
    window.harness.state().editor.document.experiment.seeds.clone()
}

/// Runs everything, asks to close without saving, and answers the question about the runs.
fn quit(window: &mut Window, answer: &str) {
    window.execute(Command::RunAll);
    window.say(0, started());
    let is_unsaved = window.harness.state().editor.document.is_unsaved();
    window.ask_to_close();
    window.harness.run();
    if is_unsaved {
        window.click("Discard");
    }
    window.click(answer);
    window.say(0, Event::Stopped { secs: 1.0 });
    window.hang_up();
    assert!(window.harness.state().shell.may_close);
}

/// Returns the seeds that edits have made in a window that is closed then.
fn edited_and_quit(home: &Path, file: Option<PathBuf>) -> Vec<u64> {
    let mut window = at_home(home, file);
    window.click("Run all");
    window.edit();
    let edited = seeds(&window);
    quit(&mut window, "Quit and resume at next start");
    edited
}

fn at_home(home: &Path, file: Option<PathBuf>) -> Window {
    let mut window = Window::with([1280.0, 800.0], file, Some(home.to_owned()), Settings::default());
    window.harness.run();
    window
}

#[test]
fn edits_that_were_not_saved_come_back_with_their_runs_also_where_the_file_is_named() {
    for is_named in [false, true] {
        let home = tempfile::tempdir().unwrap();
        let path = saved_template(home.path());
        let edited = edited_and_quit(home.path(), Some(path.clone()));
        let mut next = at_home(home.path(), is_named.then(|| path.clone()));
        assert!(next.sees("Resume mine.ron?"), "{}", next.log());
        assert_eq!(seeds(&next), edited);
        let app = next.harness.state();
        assert!(app.editor.document.is_unsaved() && app.editor.document.path() == Some(path.as_path()));
        next.click("Not now");
        next.execute(Command::Save);
        drop(next);
        assert!(!at_home(home.path(), None).sees("mine.ron?"), "asked once");
    }
}

#[test]
fn a_document_that_waits_for_the_next_start_is_not_lost_to_another_one() {
    let home = tempfile::tempdir().unwrap();
    let path = saved_template(home.path());
    let edited = edited_and_quit(home.path(), None);
    for answer in ["Stop and quit", "Quit and resume at next start"] {
        let mut other = at_home(home.path(), Some(path.clone()));
        assert!(!other.sees("Restore") && !other.sees("Resume"), "it is still to come");
        quit(&mut other, answer);
    }
    let mut next = at_home(home.path(), None);
    assert!(next.sees("Resume mine.ron?"));
    next.click("Not now");
    drop(next);
    assert_eq!(seeds(&at_home(home.path(), None)), edited, "then comes the other one");
}

#[test]
fn what_is_left_of_a_file_replaces_what_was_left_of_it_before() {
    let home = tempfile::tempdir().unwrap();
    let path = saved_template(home.path());
    let other = home.path().join("b.ron");
    std::fs::copy(&path, &other).unwrap();
    edited_and_quit(home.path(), Some(path.clone()));
    let mut window = at_home(home.path(), Some(other));
    window.harness.state_mut().open(&path);
    window.harness.run();
    let saved = seeds(&window);
    quit(&mut window, "Quit and resume at next start");
    drop(window);
    let mut next = at_home(home.path(), None);
    assert!(next.sees("Resume mine.ron?") && seeds(&next) == saved);
    next.click("Not now");
    drop(next);
    assert!(!at_home(home.path(), None).sees("mine.ron?"), "no older edits");
}

#[test]
fn what_waits_in_settings_of_earlier_versions_comes_back_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved_template(folder.path());
    let text = std::fs::read_to_string(&path).unwrap();
    let mut window = Window::open(Some(path.clone()));
    let run = window.id(0, 1);
    window.edit();
    let (edited, unsaved) = (seeds(&window), window.harness.state().editor.document.to_keep().unwrap().text);
    let kept =
        format!("Some((path: Some({path:?}), title: \"mine.ron\", saved: {text:?}, text: {unsaved:?}))");
    for kept in ["None", &kept] {
        let home = tempfile::tempdir().unwrap();
        let old = format!("(to_go_on: Some((path: Some({path:?}), kept: {kept}, runs: [{run:?}])))");
        let old: Settings = ron::from_str(&old).unwrap();
        let size = [1280.0, 800.0];
        let mut window = Window::with(size, None, Some(home.path().to_owned()), old);
        window.harness.run();
        assert!(window.sees("Resume mine.ron?") && window.sees("1 run was running"), "{}", window.log());
        assert_eq!(seeds(&window) == edited, kept != "None");
        let settings = window.harness.state().shell.settings.clone();
        assert!(!ron::to_string(&settings).unwrap().contains("unfinished"));
    }
}

#[test]
fn a_document_whose_file_is_gone_comes_back() {
    let home = tempfile::tempdir().unwrap();
    let path = saved_template(home.path());
    let edited = edited_and_quit(home.path(), Some(path.clone()));
    std::fs::remove_file(&path).unwrap();
    let next = at_home(home.path(), None);
    assert_eq!((seeds(&next), next.harness.state().editor.document.path()), (edited, None));
    assert!(next.sees("Resume "));
}

#[test]
fn a_document_that_waited_and_cannot_be_read_is_kept_all_the_same() {
    let home = tempfile::tempdir().unwrap();
    edited_and_quit(home.path(), None);
    let files = std::fs::read_dir(home.path().join("recovery")).unwrap().flatten().map(|entry| entry.path());
    let kept = files.into_iter().find(|path| path.extension().is_some_and(|it| it == "json")).unwrap();
    let text = std::fs::read_to_string(&kept).unwrap().replace("seeds", "sedes");
    std::fs::write(&kept, text).unwrap();
    assert!(at_home(home.path(), None).sees("The experiment with the stopped runs cannot be opened"));
    assert!(kept.exists());
}

/// Runs a file, does something, and is gone without a word once that is kept.
fn crash(home: &Path, path: &Path, act: impl FnOnce(&mut Window)) {
    let mut window = at_home(home, Some(path.to_owned()));
    window.harness.state_mut().editor.recovery.as_mut().unwrap().pace = Duration::ZERO;
    window.execute(Command::RunAll);
    window.say(0, started());
    act(&mut window);
    let is_kept = |window: &Window| {
        let app = window.harness.state();
        let folder = std::fs::read_dir(home.join("recovery")).unwrap().flatten();
        let files = folder.filter_map(|entry| std::fs::read(entry.path()).ok());
        let kept = files.filter_map(|text| serde_json::from_slice::<UnsavedEdits>(&text).ok());
        kept.into_iter().any(|kept| kept.runs.len() == 12 && Some(kept) == app.unfinished())
    };
    assert!(until(&mut window, is_kept));
}

#[test]
fn after_a_crash_edits_are_asked_about_before_runs_with_the_time_of_day() {
    let home = tempfile::tempdir().unwrap();
    let path = saved_template(home.path());
    crash(home.path(), &path, |window| {
        window.harness.state_mut().editor.document.experiment.arms[0].name = "full".to_owned();
        window.harness.run();
    });
    let mut next = at_home(home.path(), None);
    assert!(next.sees("Restore unsaved edits to mine.ron?") && !next.sees("Resume"));
    assert!(next.sees("The backup is from today ") && next.sees(" s ago"));
    next.click("Restore");
    assert_eq!(next.harness.state().editor.document.experiment.arms[0].name, "full");
    next.harness.run();
    assert!(next.sees("Resume mine.ron?") && next.sees("12 runs were running or queued"));
    next.click("Resume runs");
    assert_eq!(next.stage.borrow().jobs.len(), 12);
}

#[test]
fn after_a_crash_what_was_saved_while_runs_went_on_is_not_asked_about() {
    let home = tempfile::tempdir().unwrap();
    let path = saved_template(home.path());
    crash(home.path(), &path, |window| {
        window.harness.state_mut().editor.document.experiment.arms[0].name = "full".to_owned();
        window.harness.run();
        window.execute(Command::Save);
    });
    let next = at_home(home.path(), None);
    assert!(next.sees("Resume mine.ron?") && !next.sees("Restore"));
}

#[test]
fn after_a_crash_without_edits_the_runs_alone_are_asked_about() {
    let home = tempfile::tempdir().unwrap();
    let path = saved_template(home.path());
    crash(home.path(), &path, |_| {});
    let mut next = at_home(home.path(), None);
    assert!(next.sees("Resume mine.ron?") && next.sees("when Weightlab ended (today "));
    next.harness.key_press(Key::Escape);
    next.harness.run();
    drop(next);
    let mut next = at_home(home.path(), None);
    next.click("Resume runs");
    assert_eq!(next.stage.borrow().jobs.len(), 12);
    assert!(!next.harness.state().editor.document.is_unsaved());
}

#[test]
fn marks_agree_with_the_names_of_a_document_that_is_older_or_newer_than_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved_template(folder.path());
    let mut window = Window::open(Some(path.clone()));
    let app = window.harness.state_mut();
    app.workspace.compare.view.marks.entry("arm:dense".to_owned()).or_default().note = "baseline".to_owned();
    app.workspace.restyle(0, 5, &app.editor.document);
    let style = |window: &Window| window.harness.state().workspace.treatments[0].colour;
    let chosen = style(&window);
    window.harness.state_mut().editor.document.experiment.arms[0].name = "full".to_owned();
    window.harness.run();
    assert_eq!(style(&window), chosen, "a renamed arm keeps its style");
    window.harness.state_mut().finish(); // the file of the view has the new name, and the document is lost
    let mut window = Window::open(Some(path.clone()));
    window.harness.run();
    let marks = &window.harness.state().workspace.compare.view.marks;
    assert!(marks["arm:dense"].note == "baseline" && !marks.contains_key("arm:full"));
    assert_eq!(style(&window), chosen);
    window.harness.state_mut().finish();
    let text = std::fs::read_to_string(&path).unwrap().replace("\"dense\"", "\"full\"");
    std::fs::write(&path, text).unwrap();
    let window = Window::open(Some(path));
    assert_eq!(window.harness.state().workspace.compare.view.marks["arm:full"].note, "baseline");
}

#[test]
fn edits_of_a_crash_are_asked_about_before_runs_that_were_stopped() {
    let home = tempfile::tempdir().unwrap();
    let path = saved_template(home.path());
    let mut window = at_home(home.path(), Some(path));
    quit(&mut window, "Quit and resume at next start");
    let mut crashed = Window::new();
    crashed.edit();
    let kept = crashed.harness.state().editor.document.to_keep().unwrap();
    window.harness.state().editor.recovery.as_ref().unwrap().leave(&kept).unwrap();
    drop(window);
    let mut next = at_home(home.path(), None);
    assert!(next.sees("Restore unsaved edits to") && !next.sees("Resume mine.ron?"));
    next.click("Ask at next start");
    next.click("Resume runs");
    assert_eq!(next.stage.borrow().jobs.len(), 12);
    assert!(!next.sees("Restore unsaved edits to"), "the runs are those of the document that is open");
}
