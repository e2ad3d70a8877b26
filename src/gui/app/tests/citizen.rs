//! The window among the other things on a desk: what is taken back, found again, dropped, paused and told.

use std::time::Instant;

use super::*;
use crate::dialogs::{Dialog, Leaving, Next};
use crate::recent::Recent;

/// A window whose edits are kept in a folder, at once.
fn kept_in(home: &Path, file: Option<PathBuf>) -> Window {
    let mut window = Window::with([1280.0, 800.0], file, Some(home.to_owned()), Settings::default());
    if let Some(recovery) = &mut window.harness.state_mut().editor.recovery {
        recovery.pace = Duration::ZERO;
    }
    window.harness.run();
    window
}

/// Draws frames until something holds, two seconds at most.
pub(super) fn until(window: &mut Window, holds: impl Fn(&Window) -> bool) -> bool {
    let begun = Instant::now();
    while !holds(window) && begun.elapsed() < Duration::from_secs(2) {
        window.harness.step();
        std::thread::sleep(Duration::from_millis(1));
    }
    holds(window)
}

fn seeds(window: &Window) -> Vec<u64> {
    window.harness.state().editor.document.experiment.seeds.clone()
}

#[derive(Debug)]
struct File(PathBuf);

impl egui::DroppedFile for File {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Err("only the path counts".to_owned())
    }
}

pub(super) fn drop_on(window: &mut Window, path: &Path) {
    window.harness.input_mut().dropped_files.push(std::sync::Arc::new(File(path.to_owned())));
    window.harness.step();
    assert!(until(window, |window| !window.harness.state().shell.dropping.is_busy()));
    window.harness.run();
}

#[test]
fn edits_are_taken_back_and_made_again_by_keys() {
    let mut window = Window::new();
    let before = seeds(&window);
    window.edit();
    window.execute(Command::AddArm);
    assert_eq!(window.harness.state().editor.document.experiment.arms.len(), 5);
    for _ in 0..2 {
        window.harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        window.harness.run();
    }
    assert_eq!(seeds(&window), before);
    assert!(!window.harness.state().editor.document.is_unsaved());
    assert!(window.harness.state().refusal(Command::Undo).is_some());
    window.harness.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    window.harness.run();
    window.harness.key_press_modifiers(Modifiers::COMMAND, Key::Y);
    window.harness.run();
    assert_eq!(window.harness.state().editor.document.experiment.arms.len(), 5);
}

#[test]
fn what_is_typed_into_a_field_is_taken_back_there_and_by_undo_once_it_counts() {
    let mut window = Window::new();
    window.harness.run();
    let batch = |window: &Window| window.harness.state().editor.document.experiment.train.batch;
    let before = batch(&window);
    let field = window.harness.get_by_label("Batch size");
    field.focus();
    window.harness.run();
    let text = |window: &Window| window.harness.get_by_label("Batch size").value().unwrap_or_default();
    let shown = text(&window);
    window.harness.event(egui::Event::Text("75".to_owned()));
    window.harness.run();
    assert_eq!((batch(&window), text(&window).as_str()), (before, "75"));
    window.harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.harness.run();
    assert_eq!(text(&window), shown);
    window.harness.event(egui::Event::Text("1".to_owned()));
    window.harness.key_press(Key::Enter);
    window.harness.run();
    assert_ne!(batch(&window), before);
    window.harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.harness.run();
    assert_eq!((batch(&window), text(&window)), (before, shown));
}

#[test]
fn edits_survive_a_crash() {
    let home = tempfile::tempdir().unwrap();
    let path = saved_template(home.path());
    let mut window = kept_in(home.path(), Some(path.clone()));
    assert!(window.harness.state().shell.dialog.is_none());
    window.edit();
    let edited = seeds(&window);
    let kept = home.path().join("recovery");
    let is_kept = |folder: &Path| {
        std::fs::read_dir(folder)
            .unwrap()
            .flatten()
            .any(|entry| entry.path().extension().is_some_and(|ending| ending == "json"))
    };
    assert!(until(&mut window, |_| is_kept(&kept)));
    drop(window); // without a word
    let mut again = kept_in(home.path(), None);
    assert!(again.sees("Restore unsaved edits to mine.ron?"), "{}", again.log());
    again.click("Restore");
    assert_eq!(seeds(&again), edited);
    assert_eq!(again.harness.state().editor.document.path(), Some(path.as_path()));
    assert!(again.harness.state().editor.document.is_unsaved());
    again.execute(Command::Save);
    assert!(until(&mut again, |_| !is_kept(&kept)));
    drop(again);
    let third = kept_in(home.path(), None);
    assert!(third.harness.state().shell.dialog.is_none());
}

#[test]
fn edits_that_were_given_up_are_not_offered() {
    let home = tempfile::tempdir().unwrap();
    let mut window = kept_in(home.path(), None);
    window.edit();
    window.ask_to_close();
    window.harness.run();
    window.harness.get_by_label("Discard").click();
    window.harness.step();
    window.harness.step();
    drop(window);
    assert!(kept_in(home.path(), None).harness.state().shell.dialog.is_none());
}

#[test]
fn files_that_were_open_are_listed_and_missing_ones_cannot_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved_template(folder.path());
    let mut recent = Recent::default();
    recent.note(&path);
    recent.note(&folder.path().join("gone.ron"));
    let settings = Settings { recent, ..Settings::default() };
    let mut window = Window::with([1280.0, 800.0], None, None, settings);
    window.harness.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::O);
    window.harness.run();
    window.harness.key_press(Key::ArrowDown);
    window.harness.run();
    assert!(until(&mut window, |window| window.sees("Not now: ")));
    assert!(window.harness.get_by_label_contains("gone.ron no longer exists").rect().is_positive());
    window.harness.key_press(Key::Enter);
    window.harness.run();
    assert!(window.harness.state().shell.palette.is_some(), "what cannot be chosen closes nothing");
    window.harness.key_press(Key::ArrowUp);
    window.harness.run();
    window.harness.key_press(Key::Enter);
    window.harness.run();
    assert_eq!(window.harness.state().editor.document.path(), Some(path.as_path()));
    assert_eq!(window.harness.state().shell.settings.recent.files()[0], path);
}

#[test]
fn the_palette_is_used_without_a_mouse() {
    let mut window = Window::new();
    let open = |window: &mut Window| {
        window.harness.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
        window.harness.run();
    };
    open(&mut window);
    window.harness.event(egui::Event::Text("dark".to_owned()));
    window.harness.run();
    assert!(window.sees("Light text on a dark background"));
    window.harness.key_press(Key::Enter);
    window.harness.run();
    assert_eq!(window.harness.state().shell.settings.theme, egui::ThemePreference::Dark);
    open(&mut window);
    window.harness.event(egui::Event::Text("stop now".to_owned()));
    window.harness.run();
    assert!(window.sees("Not now: Nothing is running"));
    window.harness.key_press(Key::Escape);
    window.harness.run();
    assert!(window.harness.state().shell.palette.is_none());
}

#[test]
fn an_experiment_that_is_dropped_opens() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved_template(folder.path());
    let mut window = Window::new();
    drop_on(&mut window, &path);
    assert_eq!(window.harness.state().editor.document.path(), Some(path.as_path()));
}

#[test]
fn a_folder_of_data_becomes_the_data_if_wanted_and_anything_else_says_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let cifar = folder.path().join("cifar-10-batches-bin");
    std::fs::create_dir(&cifar).unwrap();
    for name in data::CIFAR10.needed {
        std::fs::write(cifar.join(name), "").unwrap();
    }
    let mut window = Window::new();
    drop_on(&mut window, folder.path());
    window.click("Use CIFAR-10");
    let data::Data::Cifar10(data) = &window.harness.state().editor.document.experiment.data else { panic!() };
    assert_eq!(data.dir.as_deref(), Some(&*cifar.to_string_lossy()));
    let picture = folder.path().join("cat.jpg");
    std::fs::write(&picture, "").unwrap();
    drop_on(&mut window, &picture);
    assert!(window.sees("Weightlab cannot use this") && window.sees("is a .jpg file"));
    assert!(window.harness.query_by_label("Copy").is_some());
}

#[test]
fn what_is_dropped_on_the_start_opens_and_a_question_is_answered_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved_template(folder.path());
    let mut window = Window::new();
    let question = Dialog::unsaved("mine", &[], Leaving::to(Next::Quit));
    window.harness.state_mut().shell.dialog = Some(question);
    drop_on(&mut window, &path);
    assert!(matches!(window.harness.state().shell.dialog, Some(Dialog::Question(_))));
    assert_eq!(window.harness.state().editor.document.path(), None);
    window.harness.state_mut().shell.dialog = None;
    window.execute(Command::New);
    drop_on(&mut window, &path);
    assert_eq!(window.harness.state().editor.document.path(), Some(path.as_path()));
    assert!(!window.harness.state().shell.is_starting);
}

#[test]
fn what_would_be_dropped_is_told() {
    let mut window = Window::new();
    let file = egui::HoveredFile { path: Some("/x/mine.ron".into()), ..Default::default() };
    window.harness.input_mut().hovered_files.push(file);
    window.harness.run_steps(3);
    assert!(window.sees("Drop to open experiments, import weights or use data"));
    window.harness.input_mut().hovered_files.clear();
    window.harness.run();
}

#[test]
fn paused_runs_say_so_cost_nothing_and_go_on() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, started());
    window.click("Pause");
    assert!(window.sees("paused") && window.sees("0 of 12 runs · paused"));
    assert!(window.harness.state().runner.status().detail.starts_with("1 paused"));
    let delay = window.harness.output().viewport_output[&ViewportId::ROOT].repaint_delay;
    assert_eq!(delay, Duration::MAX, "nothing is drawn while nothing happens");
    assert!(!window.sees("Run all"), "one button resumes");
    window.click("Resume");
    assert_eq!(window.stage.borrow().pauses, [true, false]);
    assert!(window.sees("running"));
    window.execute(Command::Pause);
    window.click("Stop now");
    assert!(!window.harness.state().runner.runs.is_paused());
    assert_eq!(window.stage.borrow().stops, [StopKind::Now]);
}

#[test]
fn the_end_of_a_long_run_is_told_and_that_of_a_short_one_is_not() {
    let mut window = Window::new();
    let finish = |window: &mut Window, age: Duration| {
        window.click("Run all");
        window.harness.state_mut().runner.batch_began = Instant::now().checked_sub(age);
        window.say(0, started());
        window.say(0, Event::Finished { secs: 1.0 });
        window.hang_up();
    };
    finish(&mut window, Duration::ZERO);
    assert!(window.stage.borrow().notes.is_empty());
    finish(&mut window, Duration::from_secs(61));
    assert_eq!(window.stage.borrow().notes.len(), 1);
    assert!(window.stage.borrow().notes[0].contains("1 done"), "{:?}", window.stage.borrow().notes);
    assert!(window.sees("1 run in 1 min 01 s"), "the line at the bottom has how long it took");
    window.execute(Command::Notify);
    finish(&mut window, Duration::from_secs(61));
    assert_eq!(window.stage.borrow().notes.len(), 1);
}

#[test]
fn the_computer_stays_awake_while_runs_go_on_if_wanted() {
    let mut window = Window::new();
    window.click("Run all");
    assert!(!window.stage.borrow().is_awake);
    window.execute(Command::KeepAwake);
    assert!(window.stage.borrow().is_awake);
    window.stage.borrow_mut().trouble = Some("The computer may go to sleep: no login manager".to_owned());
    window.harness.run();
    assert!(window.log().contains("The computer may go to sleep: no login manager"));
    assert!(!window.sees("The computer may go to sleep"), "the line at the bottom keeps its message");
    window.hang_up();
    assert!(!window.stage.borrow().is_awake);
}

#[test]
fn a_file_that_was_changed_elsewhere_is_replaced_only_on_demand() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved_template(folder.path());
    let mut window = Window::open(Some(path.clone()));
    window.edit();
    let theirs = std::fs::read_to_string(&path).unwrap().replacen('(', "( ", 1);
    std::fs::write(&path, &theirs).unwrap();
    window.execute(Command::Save);
    window.harness.run();
    assert!(window.sees("The file has changed on disk"));
    window.click("Cancel");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), theirs);
    assert!(window.harness.state().editor.document.is_unsaved());
    window.execute(Command::Save);
    window.harness.run();
    window.click("Replace it");
    assert_ne!(std::fs::read_to_string(&path).unwrap(), theirs);
    assert!(!window.harness.state().editor.document.is_unsaved());
}

#[test]
fn the_status_line_has_the_newest_message_and_counts_errors_until_the_log_was_seen() {
    let mut window = Window::new();
    window.harness.state_mut().log.error("Disk full\nand more");
    window.harness.state_mut().log.info("Saved");
    window.harness.run();
    assert!(!window.sees("Copy log") && !window.sees("Disk full") && window.sees("Saved"));
    window.click("1 new error");
    assert!(window.sees("Copy log") && window.sees("Disk full"));
    window.click("Log");
    assert!(!window.sees("1 new error") && window.sees("Saved"), "it was seen");
}

#[test]
fn a_file_that_another_program_writes_can_be_reloaded_or_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved_template(folder.path());
    let theirs = std::fs::read_to_string(&path).unwrap().replacen("seeds:", "notes: \"theirs\", seeds:", 1);
    for answer in ["Reload", "Keep mine"] {
        let mut window = Window::open(Some(path.clone()));
        assert!(!window.sees("has changed on disk"));
        std::fs::write(&path, &theirs).unwrap();
        window.harness.state_mut().editor.looked = None;
        window.harness.run();
        assert!(window.sees("mine.ron has changed on disk"));
        window.click(answer);
        window.harness.run();
        assert!(!window.sees("has changed on disk"));
        let notes = window.harness.state().editor.document.experiment.notes.clone();
        assert_eq!(notes == "theirs", answer == "Reload", "{notes}");
        saved_template(folder.path());
    }
}
